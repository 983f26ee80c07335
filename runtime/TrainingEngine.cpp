//===- TrainingEngine.cpp - What a training run drives --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TrainingEngine.h"

using namespace vernier::runtime;

TrainingEngine::~TrainingEngine() = default;

llvm::ArrayRef<char> vernier::runtime::bytesOf(const StateArray &array) {
  return std::visit(
      [](auto entries) {
        return llvm::ArrayRef<char>(reinterpret_cast<const char *>(entries.data()),
                                    entries.size() * sizeof(entries[0]));
      },
      array);
}

StoredType vernier::runtime::typeOf(const StateArray &array) {
  constexpr StoredType types[] = {StoredType::F32, StoredType::F64, StoredType::I64};
  return types[array.index()];
}
