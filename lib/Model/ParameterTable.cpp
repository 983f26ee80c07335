//===- ParameterTable.cpp - All parameters of a model, for people ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/ParameterTable.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Model/Roles.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace vernier;

namespace {
/// Finds out why a parameter is in its group: from its kind and, for a scale
/// vector, from the norm it scales and what that reaches.
class Explanation {
public:
  explicit Explanation(ModuleOp module) : roles(module) {
    for (auto function : module.getOps<FunctionOpInterface>()) // see Roles.cpp
      function.walk([&](GetParamOp op) { reads[op.getParam()].push_back(op); });
  }

  std::string site(ParamOp param) const { return roles.getSite(param.getSymName()); }
  std::string why(ParamOp param) const;
  /// What the graph adds to a scale vector, 1 for `1 + w`.
  double offset(ParamOp param) const;

private:
  std::string explainScale(ParamOp param) const;
  std::string explainScale(ScaleOp op, bool decays) const;
  void collectReached(Value value, llvm::SetVector<StringRef> &reached) const;

  RoleAnalysis roles;
  llvm::StringMap<SmallVector<GetParamOp>> reads;
};
} // namespace

std::string Explanation::why(ParamOp param) const {
  if (!reads.contains(param.getSymName()))
    return "is never read";
  if (auto reason = param->getAttrOfType<StringAttr>(decayReasonName))
    return reason.str();
  switch (param.getKind()) {
  case ParamKind::Matrix:
    return "matrix";
  case ParamKind::Embedding:
    return "embedding";
  case ParamKind::Bias:
    return "vector";
  case ParamKind::Scale:
    return explainScale(param);
  case ParamKind::Magnitude:
    return "length: " + explainScale(param);
  case ParamKind::Direction:
    return "its length does not change the scale";
  }
  return "";
}

double Explanation::offset(ParamOp param) const {
  for (GetParamOp read : reads.lookup(param.getSymName()))
    for (Operation *user : read->getUsers())
      if (auto scale = dyn_cast<ScaleOp>(user); scale && scale.getScale() == read.getResult())
        return scale.getOffset().convertToDouble();
  return 0;
}

std::string Explanation::explainScale(ParamOp param) const {
  for (GetParamOp read : reads.lookup(param.getSymName()))
    for (Operation *user : read->getUsers()) {
      if (auto form = dyn_cast<ScaleFromDirectionOp>(user); form && !form->use_empty())
        user = *form->user_begin();
      if (auto scale = dyn_cast<ScaleOp>(user))
        return explainScale(scale, param.getDecay() != DecayGroup::None);
    }
  return "scale vector";
}

/// "Input-Norm: reaches only q, k, v", "Output-Norm: reaches attention". A reason
/// is put before it where the kind of norm is not what decides.
std::string Explanation::explainScale(ScaleOp op, bool decays) const {
  Operation *producer = op.getInput().getDefiningOp();
  while (isa_and_nonnull<ScaleOp>(producer))
    producer = producer->getOperand(0).getDefiningOp();
  if (auto linear = dyn_cast_if_present<LinearOp>(producer))
    return ((decays ? "all decay; scales the result of " : "scales the result of ") +
            stringify(roles.getLinear(linear).role))
        .str();
  if (!isa_and_nonnull<RMSNormOp, LayerNormOp>(producer))
    return "scale vector";
  NormRole role = roles.getNorm(producer).role;
  bool isInput = role == NormRole::Input;
  StringRef policy = isInput == decays ? "" : decays ? "all decay; " : "vectors do not decay; ";
  llvm::SetVector<StringRef> reached;
  collectReached(op.getResult(), reached);
  return (policy + stringify(role) + (isInput ? ": reaches only " : ": reaches ") +
          llvm::join(reached, ", "))
      .str();
}

/// The names of what uses a value, looking through scales, rotations and shapes.
void Explanation::collectReached(Value value, llvm::SetVector<StringRef> &reached) const {
  // Uses are listed last first.
  SmallVector<Operation *> users(value.getUsers());
  for (Operation *user : llvm::reverse(users)) {
    if (auto linear = dyn_cast<LinearOp>(user))
      reached.insert(stringify(roles.getLinear(linear).role));
    else if (isa<ScaleOp, RopeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      collectReached(user->getResult(0), reached);
    else
      reached.insert(user->getName().stripDialect());
  }
}

/// 0.1 as 0.1, 0.0003 as 0.0003.
static std::string printNumber(double value, const char *format = "%g") {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

static std::string printShape(ParamOp param) {
  std::string text;
  for (int64_t size : param.getTensorType().getShape())
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

static std::string printDecay(ParamOp param, const ParameterTableOptions &options) {
  if (param.getDecay() == DecayGroup::None)
    return "no";
  return options.weightDecay ? printNumber(*options.weightDecay) : "yes";
}

using Row = SmallVector<std::string>;

static Row makeRow(ParamOp param, const Explanation &explanation,
                   const ParameterTableOptions &options) {
  bool decays = param.getDecay() != DecayGroup::None;
  double target = param.getDecayToward().convertToDouble() + explanation.offset(param);
  std::string toward = decays ? printNumber(target) : "";
  Row row = {param.getSymName().str(),
             printShape(param),
             stringifyParamKind(param.getKind()).str(),
             explanation.site(param),
             stringifyOptimizerGroup(param.getOptimizer()).str(),
             printDecay(param, options),
             toward};
  if (options.rate)
    row.push_back(printNumber(*options.rate));
  row.push_back(explanation.why(param));
  return row;
}

static void printAligned(ArrayRef<Row> rows, llvm::raw_ostream &stream) {
  SmallVector<size_t> widths(rows.front().size(), 0);
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const Row &row : rows) {
    std::string line;
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      line += cell + std::string(width - cell.size() + 2, ' ');
    stream << StringRef(line).rtrim() << "\n";
  }
}

void vernier::printParameterTable(ModuleOp module, llvm::raw_ostream &stream,
                                  const ParameterTableOptions &options) {
  Row header = {"parameter", "shape", "kind", "site", "optimizer", "decay", "toward"};
  if (options.rate)
    header.push_back("rate");
  header.push_back("why");
  SmallVector<Row> rows = {header};
  Explanation explanation(module);
  for (ParamOp param : module.getOps<ParamOp>())
    rows.push_back(makeRow(param, explanation, options));
  printAligned(rows, stream);
}

std::vector<ParameterExplanation> vernier::explainParameters(ModuleOp module) {
  Explanation explanation(module);
  std::vector<ParameterExplanation> result;
  for (ParamOp param : module.getOps<ParamOp>())
    result.push_back({explanation.site(param), explanation.why(param)});
  return result;
}

ParameterCounts vernier::countParameters(ModuleOp module) {
  ParameterCounts counts;
  for (ParamOp param : module.getOps<ParamOp>()) {
    int64_t entries = param.getTensorType().getNumElements();
    ParamKind kind = param.getKind();
    counts.parameters += entries;
    if (kind == ParamKind::Scale || kind == ParamKind::Magnitude || kind == ParamKind::Direction)
      counts.scaleEntries += entries;
    // A reparameterized vector is a magnitude and a direction: counted once.
    counts.scaleVectors += kind == ParamKind::Scale || kind == ParamKind::Direction;
  }
  return counts;
}

void vernier::printParameterCounts(ModuleOp module, llvm::raw_ostream &stream) {
  ParameterCounts counts = countParameters(module);
  double percent = counts.parameters ? 100.0 * counts.scaleEntries / counts.parameters : 0.0;
  stream << llvm::formatv("{0:N} parameters, {1:N} of them ({2} %) in {3:N} scale vectors\n",
                          counts.parameters, counts.scaleEntries, printNumber(percent, "%.2g"),
                          counts.scaleVectors);
}
