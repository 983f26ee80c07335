//===- CompiledEngineTest.cpp - Trains and evaluates a compiled program ---===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CompiledEngine.h"
#include "ToyProgram.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace vernier::runtime;

namespace {

class Engine : public testing::Test {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<CompiledEngine>> made = CompiledEngine::create(program, 2);
    ASSERT_TRUE(bool(made));
    engine = std::move(*made);
    engine->getExecutor().setPoison(true); // nothing may depend on memory before
    setParameter({1, 2, 3, 4});
  }
  llvm::MutableArrayRef<float> parameter() {
    return std::get<llvm::MutableArrayRef<float>>(engine->getState(Role::Param, 0));
  }
  int64_t steps() {
    return std::get<llvm::MutableArrayRef<int64_t>>(engine->getState(Role::Steps, 0))[0];
  }
  void setParameter(std::vector<float> values) {
    std::copy(values.begin(), values.end(), parameter().begin());
    engine->parametersChanged();
  }
  void expectParameter(std::vector<float> values) { EXPECT_EQ(parameter().vec(), values); }
  static Batch makeBatch(std::vector<int32_t> ids, std::vector<int32_t> targets) {
    Batch batch;
    batch.ids = std::move(ids);
    batch.targets = std::move(targets);
    batch.validTargets = countValidTargets(batch, -100);
    return batch;
  }

  Program program = toy::makeProgram();
  std::unique_ptr<CompiledEngine> engine;
};

constexpr int32_t none = -100;

TEST_F(Engine, StepsOverMicroBatchesByTheirValidTargets) {
  // One valid target in the first, three in the second: all four weigh the same.
  Batch first = makeBatch({0, 1, 1, 1}, {0, none, none, none});
  Batch second = makeBatch({1, 2, 3, 0}, {0, 1, 2, none});
  Expected<StepResult> result = engine->step({first, second}, 0.5);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->nonFinite, "");
  EXPECT_EQ(result->loss, (1.0 + 4 + 4 + 4) / 4);
  // The gradient is 2 (1, 2, 2, 2) / 4.
  double norm = std::sqrt(0.25 + 3);
  EXPECT_EQ(result->gradientNorm, norm);
  EXPECT_EQ(result->clipFactor, float(1 / norm));
  float factor = 0.5f * float(1 / norm);
  expectParameter({1 - factor * 0.5f, 2 - factor, 3 - factor, 4 - factor});
  EXPECT_EQ(steps(), 1);
}

TEST_F(Engine, DoesNotDependOnHowTokensAreSpreadOverMicroBatches) {
  Batch whole = makeBatch({0, 1, 2, 3}, {0, 0, 1, 2});
  Batch first = makeBatch({0, 0, 0, 0}, {0, none, none, none});
  Batch second = makeBatch({0, 1, 2, 3}, {none, 0, 1, 2});
  ASSERT_TRUE(bool(engine->step(whole, 0.5)));
  std::vector<float> together = parameter().vec();
  setParameter({1, 2, 3, 4});
  ASSERT_TRUE(bool(engine->step({first, second}, 0.5)));
  expectParameter(together);
}

TEST_F(Engine, StopsBeforeTheUpdateIfALossIsNotFinite) {
  setParameter({1, NAN, 3, 4});
  Batch good = makeBatch({0, 0, 0, 0}, {0, 0, 0, 0});
  Batch bad = makeBatch({0, 1, 2, 3}, {0, 0, 0, 0});
  Expected<StepResult> result = engine->step({good, bad}, 0.5);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->nonFinite, "the loss of micro-batch 2");
  EXPECT_EQ(parameter()[0], 1);
  EXPECT_EQ(steps(), 0);
}

TEST_F(Engine, StopsBeforeTheUpdateIfAGradientIsNotFinite) {
  // A kernel that gives a finite loss and an infinite gradient stands for one
  // whose gradient overflows.
  Batch batch = makeBatch({0, 1, 2, 3}, {0, 0, 0, 0});
  program.kernels[0].run = [](char *const *buffers, char *, int64_t) {
    *reinterpret_cast<float *>(buffers[4]) = 1;
    for (int i = 0; i < 4; ++i)
      reinterpret_cast<float *>(buffers[5])[i] = i == 2 ? INFINITY : 1;
  };
  Expected<StepResult> result = engine->step(batch, 0.5);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->nonFinite, "the gradient of 'w'");
  expectParameter({1, 2, 3, 4});
  EXPECT_EQ(steps(), 0); // counted before the norm was known, and put back
}

TEST_F(Engine, GoesOnAfterAStepThatWasGivenUp) {
  setParameter({1, NAN, 3, 4});
  Batch batch = makeBatch({0, 1, 2, 3}, {0, 0, 0, 0});
  ASSERT_NE(cantFail(engine->step(batch, 0.5)).nonFinite, "");
  setParameter({1, 2, 3, 4});
  EXPECT_EQ(cantFail(engine->step(batch, 0.5)).nonFinite, "");
  EXPECT_EQ(steps(), 1);
}

TEST_F(Engine, UpdatesNothingWithoutTargets) {
  Batch batch = makeBatch({0, 1, 2, 3}, {none, none, none, none});
  StepResult result = cantFail(engine->step(batch, 0.5));
  EXPECT_EQ(result.loss, 0);
  expectParameter({1, 2, 3, 4});
  EXPECT_EQ(steps(), 0);
}

TEST_F(Engine, PreparesOnlyAfterParametersChanged) {
  Batch batch = makeBatch({0, 1, 2, 3}, {0, 0, 0, none});
  EXPECT_EQ(cantFail(engine->evaluate(batch, 2)), (4.0 + 16 + 36) / 2);
  cantFail(engine->evaluate(batch, 2));
  EXPECT_EQ(toy::countPreparations(), 1);
  cantFail(engine->step(batch, 0.5));
  cantFail(engine->evaluate(batch, 2));
  EXPECT_EQ(toy::countPreparations(), 2);
  setParameter({1, 1, 1, 1});
  EXPECT_EQ(cantFail(engine->evaluate(batch, 2)), 6);
  EXPECT_EQ(toy::countPreparations(), 3);
}

// In a program for one micro-batch the gradient of a prepared value lies where the
// value did.
TEST_F(Engine, PreparesAgainWhatGradientsOverwrote) {
  toy::putGradientsOverPrepared(program);
  engine = cantFail(CompiledEngine::create(program, 2));
  setParameter({1, 2, 3, 4});
  Batch batch = makeBatch({0, 1, 2, 3}, {0, 0, 0, none});
  EXPECT_EQ(cantFail(engine->evaluate(batch, 2)), (4.0 + 16 + 36) / 2);
  cantFail(engine->computeGradients(batch, 4));
  EXPECT_EQ(cantFail(engine->evaluate(batch, 2)), (4.0 + 16 + 36) / 2);
  EXPECT_EQ(toy::countPreparations(), 2);
  setParameter({1, NAN, 3, 4}); // a step that is given up leaves the same behind
  EXPECT_NE(cantFail(engine->step(batch, 0.5)).nonFinite, "");
  setParameter({1, 2, 3, 4});
  EXPECT_EQ(cantFail(engine->evaluate(batch, 2)), (4.0 + 16 + 36) / 2);
}

TEST_F(Engine, ComputesLogitsAndGradients) {
  std::vector<int32_t> ids = {0, 0, 0, 0};
  EXPECT_EQ(cantFail(engine->computeLogits(ids)).vec(), (std::vector<float>{1, 2, 10}));
  Batch batch = makeBatch({0, 1, 2, 3}, {0, 0, 1, 2});
  EXPECT_EQ(cantFail(engine->computeGradients(batch, 4)), (1.0 + 4 + 4 + 4) / 4);
  EXPECT_EQ(engine->getParameterGradient(0).vec(), (std::vector<float>{0.5, 1, 1, 1}));
}

TEST_F(Engine, SaysWhatDoesNotFit) {
  Batch batch = makeBatch({0, 1}, {0, 0});
  EXPECT_EQ(toString(engine->evaluate(batch, 2).takeError()),
            "phase 'evaluate' takes 4 token ids, the batch has 2");
  program.phases.pop_back();
  EXPECT_EQ(toString(engine->computeGradients(batch, 2).takeError()),
            "the program was compiled without phase 'gradients'");
}

TEST_F(Engine, RefusesAProgramWhoseUpdateCannotBeGivenUp) {
  Program large = toy::makeProgram();
  large.arenaBytes += 8 << 20;
  for (Phase &phase : large.phases)
    for (std::vector<Slot> *slots : {&phase.inputs, &phase.outputs})
      for (Slot &slot : *slots)
        if (slot.role == Role::Steps) {
          slot.shape = {1 << 20};
          slot.offset = 832;
        }
  std::get<Launch>(large.phases[3].steps[0]).offsets = {832, 832, -1};
  auto made = CompiledEngine::create(large);
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(toString(made.takeError()),
            "phase 'update' changes 8388608 bytes of state ('w' first) before the gradient norm "
            "is known; a step could not be given up");
}

} // namespace
