//===- RewrittenGraph.cpp - A graph before and after rewrites ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewrittenGraph.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "vernier/Import/HuggingFace.h"
#include "vernier/Import/ModelGraph.h"
#include "vernier/Scale/ParameterValues.h"
#include "vernier/Scale/Passes.h"
#include "vernier/Training/Differentiation.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

static MLIRContext &prepareContext(MLIRContext &context) {
  static bool registered = (registerScalePasses(), registerTrainingPasses(), true);
  (void)registered;
  DialectRegistry registry;
  registry.insert<VernierDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  tensor::TensorDialect>();
  registerGradientRules(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  return context;
}

RewrittenGraph::RewrittenGraph()
    : handler(&prepareContext(context),
              [this](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; }) {}

void RewrittenGraph::importGolden(StringRef model) {
  auto config =
      readHuggingFaceConfig((StringRef(VERNIER_GOLDEN "/") + model + "/config.json").str());
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  before = buildModelGraph(&context, *config, {2, 5});
  prepare();
}

void RewrittenGraph::load(StringRef model) {
  if (model != "gemma")
    return importGolden(model);
  auto file = llvm::MemoryBuffer::getFile(VERNIER_SCALE_INPUTS "/gemma.mlir");
  ASSERT_TRUE(bool(file)) << file.getError().message();
  parse((*file)->getBuffer());
}

void RewrittenGraph::parse(StringRef text) {
  before = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(before) << errors;
  prepare();
}

void RewrittenGraph::parseFunctions(StringRef text) {
  before = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(before) << errors;
}

Tensors RewrittenGraph::call(StringRef function, const Tensors &arguments) {
  reference::Evaluator evaluator(*before, oldValues, reference::Precision::Exact);
  auto results = evaluator.call(function, arguments);
  EXPECT_TRUE(succeeded(results)) << errors;
  return succeeded(results) ? *results : Tensors();
}

/// Makes @loss return the logits that it is computed from.
static void returnLogits(ModuleOp module) {
  auto loss = module.lookupSymbol<func::FuncOp>("loss");
  loss.walk([&](CrossEntropyOp op) {
    Operation *terminator = loss.getBody().front().getTerminator();
    terminator->insertOperands(1, op.getLogits());
    ASSERT_TRUE(succeeded(loss.insertResult(1, op.getLogits().getType(), {})));
  });
}

/// Moments of three steps with some gradients.
static reference::Moments drawMoments(ModuleOp module, reference::RandomValues &random) {
  reference::Moments moments{random.params(module), random.params(module), {}};
  for (auto &[name, second] : moments.second) {
    for (double &entry : second.data)
      entry *= entry;
    moments.steps[name] = reference::Tensor({}, {3});
  }
  return moments;
}

void RewrittenGraph::prepare() {
  returnLogits(*before);
  takeRandomValues(7);
}

void RewrittenGraph::train() {
  before = after->clone();
  dropStateFunctions(*before);
  takeRandomValues(8);
}

void RewrittenGraph::takeRandomValues(uint64_t seed) {
  reference::RandomValues random(seed);
  oldValues = random.params(*before);
  batch = random.arguments(before->lookupSymbol<func::FuncOp>("loss"));
  after = before->clone();
  newValues = oldValues;
  newMoments = oldMoments = drawMoments(*before, random);
}

bool RewrittenGraph::rewrite(StringRef passes) {
  PassManager pm(&context);
  if (failed(parsePassPipeline(passes, pm)) || failed(pm.run(*after)))
    return false;
  auto mapped = reference::mapParameters(*after, oldValues);
  if (failed(mapped))
    return false;
  auto moments = reference::mapMoments(*after, oldValues, oldMoments);
  if (failed(moments))
    return false;
  newValues = std::move(*mapped);
  newMoments = std::move(*moments);
  return true;
}

Values RewrittenGraph::mapValues(const Values &old) {
  auto mapped = reference::mapParameters(*after, old);
  EXPECT_TRUE(succeeded(mapped)) << errors;
  return succeeded(mapped) ? *mapped : Values();
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

bool RewrittenGraph::isChanged() { return print(*before) != print(*after); }

Tensors RewrittenGraph::evaluate(ModuleOp module, const Values &values) {
  reference::Evaluator evaluator(module, values, reference::Precision::Exact);
  auto results = evaluator.call("loss", batch);
  EXPECT_TRUE(succeeded(results)) << errors;
  return succeeded(results) ? *results : Tensors();
}

Values RewrittenGraph::differentiate(ModuleOp module, const Values &values) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager pm(&context);
  pm.addPass(createDifferentiate());
  EXPECT_TRUE(succeeded(pm.run(*copy))) << errors;
  auto vjp = copy->lookupSymbol<func::FuncOp>("loss_vjp");
  Tensors arguments = batch;
  arguments.push_back(reference::Tensor({}, {1}));
  arguments.emplace_back(reference::shapeOf(vjp.getArgumentTypes().back()).vec());
  reference::Evaluator evaluator(*copy, values, reference::Precision::Exact);
  auto results = evaluator.call("loss_vjp", arguments);
  EXPECT_TRUE(succeeded(results)) << errors;
  Values gradients;
  if (succeeded(results))
    for (auto [number, result] : llvm::enumerate(*results))
      if (SlotAttr slot = getResultSlot(vjp, number))
        gradients[slot.getName().getValue()] = result;
  return gradients;
}
