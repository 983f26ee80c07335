//===- GraphChecks.cpp - Everything that must hold for a model graph ------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphChecks.h"
#include "RandomGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "runtime/CompiledEngine.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Compiler/ModelInterface.h"
#include "vernier/Compiler/ReferenceEngine.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Program/Evaluation.h"
#include "vernier/Program/Passes.h"
#include "vernier/Reference/Compare.h"
#include "vernier/Reference/GradientCheck.h"
#include "vernier/Reference/MapParameters.h"
#include "vernier/Reference/RandomValues.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::test;
using Values = llvm::StringMap<reference::Tensor>;

// Sums of some hundred products in f64 in another order, through a dozen layers
// that may amplify them a thousandfold.
static constexpr double exactTolerance = 1e-9;
// Differences of sixth order in f64, through a dozen layers of curvature.
static constexpr double differenceTolerance = 1e-6;
// Of f32: 2^-24, times sums and layers. Where the graph amplifies rounding, what the
// evaluator finds by rounding each result of its kernels' rows once, with a margin for
// what it does not round: sums, and the differences in attention's adjoint, which
// cancel where a row sees one position (measured: 450 times).
static constexpr double floatTolerance = 2e-5, roundingMargin = 1000,
                        largestRounding = 1e-4; // with the margin, a tenth

static constexpr const char *several =
    "vernier-insert-scale,vernier-split-scale,vernier-relocate-scale{to=output},"
    "vernier-remove-scale{fold=true}";
static const char *const keepingPasses[] = {
    "vernier-split-scale",
    "vernier-insert-scale",
    "vernier-remove-scale{fold=true}",
    "vernier-relocate-scale{to=dual}",
    "vernier-relocate-scale{to=output}",
    "vernier-relocate-scale{to=input}",
    several,
    "vernier-tag-decay",
    "canonicalize,cse",
};

namespace {

class Checker {
public:
  Checker(ModuleOp graph, uint64_t seed)
      : graph(graph), seed(seed), handler(graph.getContext(), [this](Diagnostic &diagnostic) {
          diagnostics += diagnostic.str() + "\n";
        }) {}

  bool isNoise = false;

  GraphFailure run() {
    if (failed(verify(graph)))
      return fail("verify");
    if (GraphFailure failure = checkDifferences())
      return failure;
    if (GraphFailure failure = checkCompiled())
      return failure;
    for (const char *passes : keepingPasses)
      if (GraphFailure failure = checkRewrite(passes))
        return failure;
    return {};
  }

private:
  GraphFailure fail(StringRef check, const std::string &message = "") {
    return {check.str(), message + diagnostics};
  }

  OwningOpRef<ModuleOp> differentiate(ModuleOp module) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager passes(module.getContext());
    passes.addPass(createDifferentiate());
    return succeeded(passes.run(*copy)) ? std::move(copy) : nullptr;
  }

  GraphFailure checkDifferences();
  GraphFailure checkCompiled();
  GraphFailure compareStep(runtime::TrainingEngine &compiled, ReferenceEngine &exact,
                           const ModelInterface &interface);
  GraphFailure checkRewrite(const char *passes);

  runtime::Batch makeBatch(const ModelInterface &interface);
  FailureOr<double> measureRounding(const runtime::Batch &batch, int64_t divisor,
                                    const ModelInterface &interface, ReferenceEngine &exact);

  ModuleOp graph;
  uint64_t seed;
  std::string diagnostics;
  ScopedDiagnosticHandler handler;
  Values values;
  double tolerance = floatTolerance; ///< of compiled gradients
};

} // namespace

//===----------------------------------------------------------------------===//
// Gradients and finite differences
//===----------------------------------------------------------------------===//

GraphFailure Checker::checkDifferences() {
  OwningOpRef<ModuleOp> copy = differentiate(graph);
  if (!copy)
    return fail("differentiate");
  if (hasKink(graph))
    return {};
  reference::GradientCheckOptions options;
  options.seed = seed + 1;
  // Where curvature is high, shorter differences tell; where the graph amplifies the
  // rounding of f64 (measured: 1e5 times), longer ones. A wrong adjoint agrees with
  // none.
  std::string text;
  for (auto [factor, tolerance] : {std::pair(1.0, differenceTolerance),
                                   {0.1, 100 * differenceTolerance},
                                   {10.0, 100 * differenceTolerance}}) {
    reference::GradientCheckOptions lengths = options;
    lengths.step *= factor;
    auto pairs = reference::checkGradients(*copy, "loss", lengths);
    if (failed(pairs))
      return fail("gradients");
    if (reference::largestError(*pairs) <= tolerance)
      return {};
    text.clear();
    llvm::raw_string_ostream stream(text);
    reference::print(*pairs, stream);
  }
  return fail("gradients", text);
}

//===----------------------------------------------------------------------===//
// Compiled and evaluated
//===----------------------------------------------------------------------===//

runtime::Batch Checker::makeBatch(const ModelInterface &interface) {
  std::mt19937_64 random(seed ^ 0x9e3779b97f4a7c15);
  std::uniform_int_distribution<int32_t> id(0, interface.vocabulary - 1), quarter(0, 3);
  runtime::Batch batch;
  for (int64_t i = 0; i < interface.batch * interface.sequence; ++i) {
    batch.ids.push_back(id(random));
    batch.targets.push_back(quarter(random) ? id(random) : interface.ignoreIndex);
  }
  batch.targets[0] = id(random); // at least one is valid
  batch.validTargets = runtime::countValidTargets(batch, interface.ignoreIndex);
  return batch;
}

static void setParameters(runtime::TrainingEngine &engine, const Values &values) {
  for (size_t index = 0; index < engine.getParameters().size(); ++index) {
    const reference::Tensor value = values.lookup(engine.getParameters()[index].name);
    std::visit([&](auto entries) { llvm::copy(value.data, entries.begin()); },
               engine.getState(runtime::Role::Param, index));
  }
  engine.parametersChanged();
}

/// Of arrays, all parameters' one after another: the largest distance between two
/// of one parameter, over its norm or a thousandth of that of all.
template <typename A, typename B>
static double compareArrays(const std::vector<A> &found, const std::vector<B> &expected) {
  double total = 0, worst = 0;
  std::vector<double> norms;
  for (const B &array : expected) {
    norms.push_back(0);
    for (double x : array)
      norms.back() += x * x;
    total += norms.back();
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    double apart = 0;
    for (auto [x, y] : llvm::zip_equal(found[i], expected[i]))
      apart += (double(x) - y) * (double(x) - y);
    double scale = std::max(norms[i], total * 1e-6);
    double error = apart == 0 ? 0 : std::sqrt(apart / scale);
    worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
  }
  return worst;
}

static std::vector<ArrayRef<double>> getGradients(ReferenceEngine &engine) {
  std::vector<ArrayRef<double>> gradients;
  for (size_t i = 0; i < engine.getParameters().size(); ++i)
    gradients.push_back(engine.getParameterGradient(i));
  return gradients;
}

/// How far gradients move when each result is rounded to f32 once.
FailureOr<double> Checker::measureRounding(const runtime::Batch &batch, int64_t divisor,
                                           const ModelInterface &interface,
                                           ReferenceEngine &exact) {
  OwningOpRef<ModuleOp> copy = differentiate(graph);
  // As rows, so that what is computed inside an operation is rounded too.
  PassManager passes(copy->getContext());
  passes.addNestedPass<func::FuncOp>(program::createFormKernels());
  if (failed(passes.run(*copy)))
    return failure();
  auto vjp = copy->lookupSymbol<func::FuncOp>("loss_vjp");
  auto toTensor = [&](ArrayRef<int32_t> entries) {
    return reference::Tensor({interface.batch, interface.sequence},
                             std::vector<double>(entries.begin(), entries.end()));
  };
  std::vector<reference::Tensor> arguments = {toTensor(batch.ids), toTensor(batch.targets)};
  while (arguments.size() < vjp.getNumArguments()) // the cotangent of the loss
    arguments.push_back(reference::Tensor({}, {1}));
  reference::Evaluator evaluator(*copy, values, reference::Precision::Rounded,
                                 program::getEvaluationRules());
  auto results = evaluator.call("loss_vjp", arguments);
  if (failed(results))
    return failure();
  Values byName;
  for (auto [number, result] : llvm::enumerate(*results))
    if (SlotAttr slot = getResultSlot(vjp, number))
      byName[slot.getName().getValue()] = result;
  std::vector<std::vector<double>> rounded;
  rounded.reserve(interface.parameters.size());
  for (const runtime::Parameter &parameter : interface.parameters)
    rounded.push_back(byName[parameter.name].data);
  return compareArrays(rounded, getGradients(exact));
}

GraphFailure Checker::checkCompiled() {
  auto interface = getModelInterface(graph);
  if (failed(interface))
    return fail("interface");
  values = reference::RandomValues(seed + 2).params(graph);
  for (auto &entry : values) // what both sides can hold
    for (double &x : entry.second.data)
      x = float(x);
  CompileOptions options;
  options.optimizer.clipNorm = 0.5;
  options.phases = {"prepare", "accumulate_first", "accumulate", "update", "gradients"};
  auto program = compile(graph, options);
  if (!program)
    return fail("compile");
  auto compiled = runtime::CompiledEngine::create(program->getProgram(), 2);
  if (!compiled)
    return fail("create", toString(compiled.takeError()));
  (*compiled)->getExecutor().setPoison(true);
  // What leaves its buffers ends the process: the message has to say for which graph.
  auto side = seed % 2 ? runtime::GuardSide::End : runtime::GuardSide::Begin;
  if (llvm::Error error =
          (*compiled)->getExecutor().setGuard(side, llvm::formatv("seed {0}: ", seed).str()))
    return fail("guard", toString(std::move(error)));
  auto exact = ReferenceEngine::create(graph, interface->parameters, options.optimizer);
  if (!exact)
    return fail("training graph");
  setParameters(**compiled, values);
  setParameters(*exact, values);

  runtime::Batch batch = makeBatch(*interface);
  auto found = (*compiled)->computeGradients(batch, batch.validTargets);
  auto expected = exact->computeGradients(batch, batch.validTargets);
  if (!found || !expected)
    return fail("run", toString(joinErrors(found.takeError(), expected.takeError())));
  auto rounding = measureRounding(batch, batch.validTargets, *interface, *exact);
  if (failed(rounding))
    return fail("rounding");
  tolerance = std::max(floatTolerance, roundingMargin * *rounding);
  isNoise = *rounding > largestRounding;
  if (isNoise)
    return {};
  std::vector<ArrayRef<float>> gradients;
  gradients.reserve(interface->parameters.size());
  for (size_t i = 0; i < interface->parameters.size(); ++i)
    gradients.push_back((*compiled)->getParameterGradient(i));
  double lossError = std::abs(*found - *expected) / std::max(1.0, std::abs(*expected));
  double error = compareArrays(gradients, getGradients(*exact));
  if (!(lossError <= tolerance) || !(error <= tolerance))
    return fail("compiled", llvm::formatv("loss {0} for {1}, gradients apart by {2:e}, tolerance "
                                          "{3:e}\n",
                                          *found, *expected, error, tolerance));
  return compareStep(**compiled, *exact, *interface);
}

/// Two micro-batches, clipped: first moments are linear in the gradients.
GraphFailure Checker::compareStep(runtime::TrainingEngine &compiled, ReferenceEngine &exact,
                                  const ModelInterface &interface) {
  std::vector<runtime::Batch> batches = {makeBatch(interface)};
  seed += 1000;
  batches.push_back(makeBatch(interface));
  auto found = compiled.step(batches, 1e-3), expected = exact.step(batches, 1e-3);
  if (!found || !expected)
    return fail("step", toString(joinErrors(found.takeError(), expected.takeError())));
  std::vector<ArrayRef<float>> foundMoments;
  std::vector<ArrayRef<double>> expectedMoments;
  for (size_t i = 0; i < interface.parameters.size(); ++i) {
    foundMoments.push_back(
        std::get<MutableArrayRef<float>>(compiled.getState(runtime::Role::FirstMoment, i)));
    expectedMoments.push_back(
        std::get<MutableArrayRef<double>>(exact.getState(runtime::Role::FirstMoment, i)));
  }
  double error = compareArrays(foundMoments, expectedMoments);
  double normError =
      std::abs(found->gradientNorm - expected->gradientNorm) / (expected->gradientNorm + 1e-3);
  if (!(error <= tolerance) || !(normError <= tolerance))
    return fail("step",
                llvm::formatv("norm {0} for {1}, moments apart by {2:e}, tolerance {3:e}\n",
                              found->gradientNorm, expected->gradientNorm, error, tolerance));
  return {};
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// Makes @loss return the logits, too.
static void returnLogits(ModuleOp module) {
  auto loss = module.lookupSymbol<func::FuncOp>("loss");
  loss.walk([&](CrossEntropyOp op) {
    loss.getBody().front().getTerminator()->insertOperands(1, op.getLogits());
    (void)loss.insertResult(1, op.getLogits().getType(), {});
  });
}

GraphFailure Checker::checkRewrite(const char *pipeline) {
  OwningOpRef<ModuleOp> before = graph.clone();
  returnLogits(*before);
  OwningOpRef<ModuleOp> after = before->clone();
  PassManager passes(graph.getContext());
  if (failed(parsePassPipeline(pipeline, passes)) || failed(passes.run(*after)))
    return fail(pipeline, "the passes fail: ");
  auto mapped = reference::mapParameters(*after, values);
  if (failed(mapped))
    return fail(pipeline, "no values: ");
  auto batch =
      reference::RandomValues(seed + 3).arguments(before->lookupSymbol<func::FuncOp>("loss"));
  auto evaluate = [&](ModuleOp module, const Values &parameters) {
    return reference::Evaluator(module, parameters, reference::Precision::Exact)
        .call("loss", batch);
  };
  auto expected = evaluate(*before, values), found = evaluate(*after, *mapped);
  if (failed(expected) || failed(found))
    return fail(pipeline, "cannot be evaluated: ");
  for (auto [x, y] : llvm::zip_equal(*expected, *found))
    if (double error = reference::relativeDifference(x, y); !(error <= exactTolerance))
      return fail(pipeline, llvm::formatv("another function, apart by {0:e}\n", error));
  if (!differentiate(*after))
    return fail(pipeline, "cannot be differentiated after it: ");
  return {};
}

GraphFailure vernier::test::checkGraph(ModuleOp graph, uint64_t seed, bool &isNoise) {
  Checker checker(graph, seed);
  GraphFailure failure = checker.run();
  isNoise = checker.isNoise;
  return failure;
}
