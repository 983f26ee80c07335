//===- GoldenModelsTest.cpp - The evaluator against golden values -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Losses, gradients and training runs that Hugging Face transformers computed in
// f64 (test/golden/README.md), by the reference evaluator in f64. Two correct
// computations in f64 differ by some 1e-14 in a loss and 1e-13 in a gradient;
// the golden values themselves hold to about 1e-10 of finite differences. No
// parameter is an exception: with rotary positions even the gradient of a k bias
// is not zero (its norm is at least 1.2e-3 in these models).
#include "Golden.h"
#include "runtime/Checkpoint.h"
#include "vernier/Compiler/ReferenceEngine.h"
#include "vernier/Compiler/RegisterAll.h"
#include "gtest/gtest.h"

using namespace vernier;
using namespace vernier::golden;

namespace {
constexpr double lossTolerance = 1e-10, gradientTolerance = 1e-8, trainingTolerance = 1e-8;
// What the compiled program is held to, in f32.
constexpr double compiledGradientTolerance = 1e-5, compiledTrainingTolerance = 5e-6;

using Change = llvm::function_ref<void(ModelConfig &)>;

class Reference : public testing::TestWithParam<const char *> {
protected:
  Reference() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::unique_ptr<ReferenceEngine> makeEngine(const Model &model) {
    return ReferenceEngine::create(*model.module, model.interface.parameters, OptimizerOptions());
  }

  GradientErrors gradients(llvm::StringRef name, llvm::StringRef config, Change change = nullptr) {
    Model model = importModel(context, name, config, /*batch=*/2, change);
    auto engine = makeEngine(model);
    llvm::cantFail(runtime::loadWeights(path(name, "model.safetensors"), *engine));
    runtime::Batch batch = readBatches(path(name, "batch.safetensors"), model).front();
    double loss = llvm::cantFail(engine->computeGradients(batch, batch.validTargets));
    return compareGradients(name, model, loss, [&](size_t parameter) {
      return engine->getParameterGradient(parameter).vec();
    });
  }

  TrainingErrors training(llvm::StringRef name, int64_t batch, Change change = nullptr) {
    Model model = importModel(context, name, "config.json", batch, change);
    auto engine = makeEngine(model);
    return compareTraining(name, model, *engine);
  }

  mlir::MLIRContext context;
};
/// Without a model of its own.
using ReferenceOfLlama = Reference;
} // namespace

INSTANTIATE_TEST_SUITE_P(Golden, Reference, testing::ValuesIn(models),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(Reference, LossAndGradients) {
  for (const char *config : {"config.json", "config.v5.json"}) {
    GradientErrors errors = gradients(GetParam(), config);
    EXPECT_LE(errors.loss, lossTolerance) << config;
    EXPECT_LE(errors.gradient, gradientTolerance) << config << ": " << errors.worst;
    std::printf("%s %s: loss %.1e, gradient %.1e (%s)\n", GetParam(), config, errors.loss,
                errors.gradient, errors.worst.c_str());
  }
}

TEST_P(Reference, TrainingInTwoMicroBatchesAndInOne) {
  for (int64_t batch : {2, 4}) {
    TrainingErrors errors = training(GetParam(), batch);
    EXPECT_LE(errors.loss, trainingTolerance) << batch;
    EXPECT_LE(errors.norm, trainingTolerance) << batch;
    EXPECT_LE(errors.parameter, trainingTolerance) << batch << ": " << errors.worst;
    std::printf("%s batch %d: losses %.1e, norms %.1e, parameters %.1e (%s)\n", GetParam(),
                int(batch), errors.loss, errors.norm, errors.parameter, errors.worst.c_str());
  }
}

// An epsilon of 1e-6 for 1e-5, and a theta of 9990 for 10000 (or in that ratio),
// must be seen, by these tolerances and by that of compiled gradients.
static void expectCaught(const GradientErrors &errors) {
  EXPECT_GT(errors.loss, lossTolerance);
  EXPECT_GT(errors.gradient, compiledGradientTolerance);
}

static void wrongEpsilon(ModelConfig &config) { config.normEpsilon = 1e-6; }
static void wrongTheta(ModelConfig &config) { config.ropeTheta *= 0.999; }

TEST_P(Reference, WrongEpsilonAndThetaAreCaught) {
  expectCaught(gradients(GetParam(), "config.json", wrongEpsilon));
  expectCaught(gradients(GetParam(), "config.json", wrongTheta));
}

TEST_F(ReferenceOfLlama, WrongEpsilonAndThetaAreCaughtInTraining) {
  EXPECT_GT(training("llama", 2, wrongEpsilon).loss, compiledTrainingTolerance);
  EXPECT_GT(training("llama", 2, wrongTheta).loss, compiledTrainingTolerance);
}
