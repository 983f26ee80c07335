//===- Program.cpp - A compiled program as the runtime executes it --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Program.h"

using namespace vernier::runtime;

int64_t vernier::runtime::sizeOf(DType dtype) {
  switch (dtype) {
  case DType::BF16:
    return 2;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F64:
  case DType::I64:
    return 8;
  }
  return 0;
}

const Phase *Program::findPhase(const std::string &name) const {
  for (const Phase &phase : phases)
    if (phase.name == name)
      return &phase;
  return nullptr;
}
