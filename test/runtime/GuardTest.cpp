//===- GuardTest.cpp - Buffers that end at inaccessible memory ------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Guard.h"
#include "runtime/Executor.h"
#include "gtest/gtest.h"

using namespace vernier::runtime;

namespace {

/// One launch of a kernel with an operand of 100 bytes, a result of 64 bytes that
/// is also operand 1, no workspace, and 40 bytes of scratch for each thread.
Program makeProgram(VernierKernelFunction run) {
  Program program;
  program.arenaBytes = 4096;
  Kernel kernel;
  kernel.name = "copy";
  kernel.operands = 2;
  kernel.results = 1;
  kernel.blocks = 1;
  kernel.scratchBytes = 40;
  kernel.bufferBytes = {100, 64, 64, 0};
  kernel.run = run;
  program.kernels = {kernel};
  program.phases = {{"p", {}, {}, {Launch{0, {0, 1024, 1024, -1}}}}};
  return program;
}

std::string runGuarded(VernierKernelFunction run, GuardSide side) {
  Program program = makeProgram(run);
  auto executor = cantFail(Executor::create(program, 2));
  cantFail(executor->setGuard(side));
  return toString(executor->run(program.phases[0]));
}

char read(const char *address) { return *const_cast<const volatile char *>(address); }

TEST(Guard, LetsAKernelUseItsBuffers) {
  for (GuardSide side : {GuardSide::End, GuardSide::Begin}) {
    Program program = makeProgram([](char *const *buffers, char *scratch, int64_t) {
      ASSERT_EQ(buffers[1], buffers[2]);
      ASSERT_EQ(buffers[3], nullptr);
      std::fill_n(scratch, 40, 'x');
      for (int i = 0; i < 64; ++i)
        buffers[2][i] = char(buffers[1][i] + buffers[0][i + 36]);
    });
    auto executor = cantFail(Executor::create(program, 2));
    cantFail(executor->setGuard(side));
    char *arena = executor->getBytes({Role::Loss, "", DType::I32, {1024}, 0}).data();
    std::fill_n(arena, 4096, char(3));
    for (int time = 1; time <= 3; ++time) {
      EXPECT_EQ(toString(executor->run(program.phases[0])), "");
      for (int i = 0; i < 4096; ++i)
        ASSERT_EQ(arena[i], i >= 1024 && i < 1024 + 64 ? 3 + 3 * time : 3) << i;
    }
  }
}

TEST(Guard, FindsWritesBesideABuffer) {
  EXPECT_EQ(
      runGuarded([](char *const *buffers, char *, int64_t) { buffers[2][-1] = 0; }, GuardSide::End),
      "phase 'p', step 0: kernel 'copy' writes in front of its operand 1");
  EXPECT_EQ(runGuarded([](char *const *buffers, char *, int64_t) { buffers[0][100] = 0; },
                       GuardSide::Begin),
            "phase 'p', step 0: kernel 'copy' writes behind the end of its operand 0");
  EXPECT_EQ(
      runGuarded([](char *const *buffers, char *, int64_t) { buffers[0][99] = 1; }, GuardSide::End),
      "phase 'p', step 0: kernel 'copy' writes into its operand 0, which it may only read");
}

TEST(Guard, ShowsNaNsBesideABuffer) {
  EXPECT_EQ(
      runGuarded([](char *const *buffers, char *, int64_t) { ASSERT_EQ(buffers[0][-1], '\xff'); },
                 GuardSide::End),
      "");
  EXPECT_EQ(
      runGuarded([](char *const *buffers, char *, int64_t) { ASSERT_EQ(buffers[0][100], '\xff'); },
                 GuardSide::Begin),
      "");
}

TEST(GuardDeathTest, EndsAProcessThatLeavesABuffer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  testing::ExitedWithCode failed(1);
  EXPECT_EXIT(
      runGuarded([](char *const *buffers, char *, int64_t) { buffers[2][64] = 0; }, GuardSide::End),
      failed,
      "error: phase 'p', step 0: kernel 'copy' reads or writes behind the end of its operand 1");
  EXPECT_EXIT(runGuarded([](char *const *buffers, char *, int64_t) { read(buffers[0] + 100); },
                         GuardSide::End),
              failed, "reads or writes behind the end of its operand 0");
  EXPECT_EXIT(runGuarded([](char *const *buffers, char *, int64_t) { read(buffers[0] - 1); },
                         GuardSide::Begin),
              failed, "reads or writes in front of its operand 0");
  EXPECT_EXIT(
      runGuarded([](char *const *, char *scratch, int64_t) { scratch[40] = 0; }, GuardSide::End),
      failed, "reads or writes behind the end of its scratch");
  EXPECT_EXIT(
      runGuarded([](char *const *, char *, int64_t) { read(reinterpret_cast<char *>(4096)); },
                 GuardSide::End),
      failed, "error: phase 'p', step 0: kernel 'copy' reads or writes outside its buffers");
}

/// Runs a product of which `missing` bytes of operand or result `which` are not there.
void runProduct(int which, int64_t missing) {
  Product product;
  product.m = 33;
  product.n = 47;
  product.k = 65;
  std::vector<Guard::Buffer> buffers = {{"left operand", product.m * product.k * 4, false},
                                        {"right operand", product.k * product.n * 4, false},
                                        {"result", product.m * product.n * 4, true}};
  std::vector<std::vector<char>> memory;
  std::vector<char *> places;
  places.reserve(buffers.size());
  for (const Guard::Buffer &buffer : buffers)
    places.push_back(memory.emplace_back(buffer.bytes).data());
  buffers[which].bytes -= missing;
  ThreadTeam team(2);
  Products products(team);
  cantFail(products.prepare(product));
  cantFail(products.allocate());
  Guard guard(GuardSide::End);
  cantFail(guard.enter("product", buffers, places));
  product.rhs = places[1] - places[0];
  product.result = places[2] - places[0];
  cantFail(products.run(product, places[0]));
  cantFail(guard.leave());
}

TEST(GuardDeathTest, EndsAProcessWhoseProductLeavesABuffer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  testing::ExitedWithCode failed(1);
  runProduct(0, 0);
  EXPECT_EXIT(runProduct(0, 4), failed, "product reads or writes behind the end of its left");
  EXPECT_EXIT(runProduct(1, 4), failed, "product reads or writes behind the end of its right");
  EXPECT_EXIT(runProduct(2, 4), failed, "product reads or writes behind the end of its result");
}

TEST(Guard, NeedsSizes) {
  Program program = makeProgram([](char *const *, char *, int64_t) {});
  program.kernels[0].bufferBytes.clear();
  auto executor = cantFail(Executor::create(program, 1));
  EXPECT_EQ(toString(executor->setGuard(GuardSide::End)),
            "kernel 'copy' does not say how large its buffers are");
}

} // namespace
