//===- fuzz-safetensors.cpp - Tensor files --------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "runtime/Safetensors.h"

using namespace vernier;
using namespace vernier::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::InputFile input;
  auto file = SafetensorsFile::open(input.write(fuzz::toText(data, size)));
  if (!fuzz::succeeds(file))
    return 0;
  for (const TensorView &tensor : file->getTensors()) { // views stay within the file
    int64_t count = tensor.countElements();
    double first;
    int64_t last;
    if (count > 0) {
      llvm::consumeError(readFloats(tensor, 0, llvm::MutableArrayRef<double>(first)));
      llvm::consumeError(readIntegers(tensor, count - 1, llvm::MutableArrayRef<int64_t>(last)));
    }
    if (file->find(tensor.name) != &tensor)
      std::abort();
  }
  return 0;
}
