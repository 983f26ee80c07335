//===- Target.cpp - The processor that code is generated for ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/CPU/Target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

// The x86-64 levels are those of the psABI: v4 is AVX-512 F, BW, CD, DQ, VL;
// v3 is AVX2, BMI and FMA. Plain x86-64 has SSE2.
static const CPUTarget kTargets[] = {
    {"avx512", "x86_64-unknown-linux-gnu", "x86-64-v4", "", 512, 32, true},
    {"avx2", "x86_64-unknown-linux-gnu", "x86-64-v3", "", 256, 16, true},
    {"sse2", "x86_64-unknown-linux-gnu", "x86-64", "", 128, 16, false},
    {"aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon", 128, 32, true},
};

static bool isHostArchitecture(const CPUTarget &target) {
  return llvm::Triple(target.triple).getArch() ==
         llvm::Triple(llvm::sys::getProcessTriple()).getArch();
}

bool cpu::runsOnHost(const CPUTarget &target) {
  if (!isHostArchitecture(target))
    return false;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<StringRef> names) {
    return llvm::all_of(names, [&](StringRef name) { return features.lookup(name); });
  };
  if (target.name == "avx512")
    return hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  if (target.name == "avx2")
    return hasAll({"avx2", "fma", "bmi", "bmi2", "f16c"});
  return true;
}

// The host's widest instruction set, scheduled for the host's model.
static std::optional<CPUTarget> getNativeTarget() {
  for (const CPUTarget &candidate : kTargets) {
    if (!runsOnHost(candidate))
      continue;
    CPUTarget target = candidate;
    target.triple = llvm::sys::getProcessTriple();
    return target;
  }
  return std::nullopt;
}

std::optional<CPUTarget> cpu::findCPUTarget(StringRef name) {
  if (name == "native")
    return getNativeTarget();
  for (const CPUTarget &target : kTargets)
    if (target.name == name)
      return target;
  return std::nullopt;
}

FailureOr<CPUTarget> cpu::getCPUTarget(StringRef name,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (std::optional<CPUTarget> target = findCPUTarget(name))
    return *target;
  if (name == "native")
    return emitError() << "no code generation for this machine, " << llvm::sys::getProcessTriple();
  return emitError() << "expected the target native, avx512, avx2, sse2 or aarch64, found '" << name
                     << "'";
}
