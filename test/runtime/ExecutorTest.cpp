//===- ExecutorTest.cpp - Runs the phases of a program --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor.h"
#include "ToyProgram.h"
#include "runtime/ProgramChecks.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace vernier::runtime;

namespace {

std::string check(const Program &program) { return toString(checkProgram(program)); }

Launch &launchOf(Program &program, size_t phase) {
  return std::get<Launch>(program.phases[phase].steps[0]);
}

TEST(ProgramChecks, AcceptsAProgram) { EXPECT_EQ(check(toy::makeProgram()), ""); }

TEST(ProgramChecks, RefusesSlotsOutsideTheArena) {
  Program program = toy::makeProgram();
  program.phases[0].inputs[0].offset = program.arenaBytes;
  EXPECT_EQ(check(program), "phase 'prepare': value 'w' of role 0: bytes [832, 848) lie outside "
                            "the arena of 832 bytes");
}

TEST(ProgramChecks, RefusesStateAtTwoPlaces) {
  Program program = toy::makeProgram();
  program.phases[1].inputs[3].offset = 128;
  EXPECT_EQ(check(program),
            "phase 'accumulate_first': value 'w' of role 0 is at offset 128, elsewhere it is at 0");
}

TEST(ProgramChecks, RefusesALaunchThatDoesNotFitItsKernel) {
  Program program = toy::makeProgram();
  launchOf(program, 0).offsets.pop_back();
  EXPECT_EQ(check(program), "phase 'prepare', step 0: kernel 'twice' takes 1 operands, 1 results "
                            "and a workspace, but the launch has 2 offsets");
}

TEST(ProgramChecks, RefusesUnalignedBuffers) {
  Program program = toy::makeProgram();
  launchOf(program, 0).offsets[1] = 72;
  EXPECT_EQ(check(program), "phase 'prepare', step 0: buffer 1 of kernel 'twice': offset 72 is not "
                            "a multiple of 64");
}

TEST(ProgramChecks, RefusesUnknownKernelsAndMissingCode) {
  Program program = toy::makeProgram();
  launchOf(program, 0).kernel = 8;
  EXPECT_EQ(check(program), "phase 'prepare', step 0: kernel 8 of 8");
  program = toy::makeProgram();
  program.kernels[0].run = nullptr;
  EXPECT_EQ(check(program), "kernel 'loss_first' has no code");
}

TEST(ProgramChecks, RefusesProductsOutsideTheArena) {
  Program program = toy::makeProgram();
  std::get<Product>(program.phases[5].steps[0]).n = 100;
  EXPECT_EQ(check(program), "phase 'logits', step 0: right operand: bytes [768, 2368) lie outside "
                            "the arena of 832 bytes");
}

TEST(Executor, GivesEachThreadScratchOfItsOwn) {
  static std::vector<char *> scratches;
  static constexpr int64_t blocks = 512;
  scratches.assign(blocks, nullptr);
  Program program;
  program.arenaBytes = 64;
  Kernel kernel;
  kernel.blocks = blocks;
  kernel.scratchBytes = 100;
  kernel.run = [](char *const *, char *scratch, int64_t block) {
    scratches[block] = scratch;
    std::fill_n(scratch, 100, char(block));
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(scratch[i], char(block));
  };
  program.kernels = {kernel};
  program.phases = {{"p", {}, {}, {Launch{0, {-1}}}}};
  auto executor = Executor::create(program, 4);
  ASSERT_TRUE(bool(executor));
  EXPECT_FALSE(bool((*executor)->run(program.phases[0])));
  for (char *scratch : scratches)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
  EXPECT_GE((*executor)->getWorkspaceBytes(), 4 * 128);
}

TEST(Executor, RunsStepsInOrderAndTellsTheObserver) {
  Program program = toy::makeProgram();
  auto executor = Executor::create(program, 2);
  ASSERT_TRUE(bool(executor));
  std::vector<int> kernels;
  (*executor)->setObserver([&](const Step &step, double seconds) {
    kernels.push_back(std::get<Launch>(step).kernel);
    EXPECT_GE(seconds, 0);
  });
  EXPECT_FALSE(bool((*executor)->run(*program.findPhase("update"))));
  EXPECT_EQ(kernels, (std::vector<int>{4, 5, 6, 7}));
}

TEST(Executor, FindsTheStepsThatAnOutputNeeds) {
  Program program = toy::makeProgram();
  const Phase &update = *program.findPhase("update");
  const Slot *norm = findSlot(update.outputs, Role::GradientNorm);
  ASSERT_TRUE(norm);
  EXPECT_EQ(findStepsUpTo(program, update, *norm), 2u);
  // The norm itself, and the count of steps; the place of the clip factor was a
  // workspace until then, and the parameter comes later.
  std::vector<const Slot *> written = findOutputsWrittenBefore(program, update, 2);
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0]->role, Role::GradientNorm);
  EXPECT_EQ(written[1]->role, Role::Steps);
}

TEST(Executor, PoisonsWhatDoesNotOutliveAPhase) {
  Program program = toy::makeProgram();
  auto executor = cantFail(Executor::create(program, 2));
  executor->setPoison(true);
  const Phase &first = *program.findPhase("accumulate_first");
  const Phase &update = *program.findPhase("update");
  auto read = [&](const std::vector<Slot> &slots, Role role, const char *name = "") {
    return executor->get<float>(*findSlot(slots, role, name))[0];
  };
  executor->get<float>(*findSlot(first.inputs, Role::Param, "w"))[0] = 3;
  executor->get<int64_t>(*findSlot(first.inputs, Role::Divisor))[0] = 2;
  EXPECT_FALSE(bool(executor->run(first)));
  EXPECT_EQ(read(first.inputs, Role::Param, "w"), 3);
  EXPECT_EQ(read(first.outputs, Role::Loss), 4 * 9 / 2); // ids and targets are 0
  // An output of another phase and an input of none that runs are gone; the
  // gradient and the table stay.
  float rate = 1;
  executor->get<float>(*findSlot(update.inputs, Role::Rate))[0] = rate;
  EXPECT_FALSE(bool(executor->run(update)));
  EXPECT_TRUE(std::isnan(read(first.outputs, Role::Loss)));
  EXPECT_EQ(executor->get<int64_t>(*findSlot(first.inputs, Role::Divisor))[0], -1);
  EXPECT_EQ(read(first.outputs, Role::Gradient, "w"), 12);
  EXPECT_EQ(read(update.inputs, Role::Rate), rate);
  const Phase &logits = *program.findPhase("logits");
  EXPECT_FALSE(bool(executor->run(logits)));
  EXPECT_EQ(read(logits.outputs, Role::Logits), read(first.inputs, Role::Param, "w"));
}

TEST(Executor, RefusesAProgramBeyondTheMachine) {
  Program program = toy::makeProgram();
  program.arenaBytes = int64_t(1) << 60;
  auto executor = Executor::create(program);
  ASSERT_FALSE(bool(executor));
  EXPECT_EQ(toString(executor.takeError()).find("the program needs 1152.9 PB of memory"), 0u);
}

} // namespace
