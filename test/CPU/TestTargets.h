//===- TestTargets.h - Targets whose code tests run ------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_CPU_TESTTARGETS_H
#define VERNIER_TEST_CPU_TESTTARGETS_H

#include "vernier/CPU/Target.h"
#include <string>
#include <vector>

namespace vernier::test {

/// The names of the targets whose code this machine runs. One of them, known to
/// tests alone, is the code for AVX-512 on a machine that has AVX2.
std::vector<std::string> getRunnableTargets();

/// A target of those, or of cpu::findCPUTarget.
std::optional<cpu::CPUTarget> findTestTarget(llvm::StringRef name);

} // namespace vernier::test

#endif // VERNIER_TEST_CPU_TESTTARGETS_H
