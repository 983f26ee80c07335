//===- fuzz-tokens.cpp - Token files --------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "runtime/DataSource.h"

using namespace vernier;
using namespace vernier::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static fuzz::InputFile input;
  DataOptions options;
  options.batch = 1;
  options.sequence = 1 + data[0] % 7;
  options.vocabulary = 1 << (data[0] % 18);
  options.shuffle = data[0] & 1;
  constexpr DataFormat formats[] = {DataFormat::LlmC, DataFormat::LlmC, DataFormat::U16,
                                    DataFormat::U32,  DataFormat::Text, DataFormat::Batches};
  options.format = formats[data[0] / 8 % std::size(formats)];
  options.end = data[0] & 2 ? 1 : 0.5;
  auto source = openDataSource({input.write(fuzz::toText(data + 1, size - 1))}, options);
  if (!fuzz::succeeds(source))
    return 0;
  for (uint64_t cursor : {uint64_t(0), (*source)->countRows() - 1, ~uint64_t(0)}) {
    auto batch = readBatch(**source, options, cursor);
    if (!fuzz::succeeds(batch))
      continue;
    for (int32_t id : batch->ids)
      if (id < 0 || id >= options.vocabulary)
        std::abort();
  }
  return 0;
}
