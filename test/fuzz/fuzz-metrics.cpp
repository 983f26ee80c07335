//===- fuzz-metrics.cpp - metrics.jsonl of a resumed run ------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "runtime/Json.h"
#include "runtime/Metrics.h"

using namespace vernier;
using namespace vernier::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // What is kept is what it was read as: selecting twice changes nothing.
  int64_t dropped = 0;
  std::string kept = selectMetricsLines(fuzz::toText(data, size), 100, dropped);
  if (selectMetricsLines(kept, 100, dropped) != kept || dropped != 0)
    std::abort();
  return 0;
}
