//===- TestTargets.cpp - Targets whose code tests run -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

using namespace vernier;

/// The code for AVX-512 in AVX2's instructions: each of its vectors becomes two. All that differs
/// from the real target is what LLVM selects, so machines without AVX-512 test its 16 lanes, too.
static constexpr llvm::StringLiteral kSplitTarget = "avx512_by_avx2";

std::optional<cpu::CPUTarget> test::findTestTarget(llvm::StringRef name) {
  if (name != kSplitTarget)
    return cpu::findCPUTarget(name);
  cpu::CPUTarget target = *cpu::findCPUTarget("avx512");
  target.cpu = cpu::findCPUTarget("avx2")->cpu;
  return target;
}

std::vector<std::string> test::getRunnableTargets() {
  std::vector<std::string> names;
  for (const char *name : {"sse2", "avx2", "avx512", "aarch64"})
    if (cpu::runsOnHost(*cpu::findCPUTarget(name)))
      names.push_back(name);
  if (cpu::runsOnHost(*cpu::findCPUTarget("avx2")))
    names.push_back(kSplitTarget.str());
  return names;
}
