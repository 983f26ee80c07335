//===- fuzz-config.cpp - config.json of Hugging Face ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "mlir/IR/Verifier.h"
#include "vernier/Import/HuggingFace.h"
#include "vernier/Import/ModelGraph.h"

using namespace vernier;

/// Graphs of more layers take long and are no other.
static constexpr int64_t mostLayers = 4;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto config = parseHuggingFaceConfig(fuzz::toText(data, size), "config.json");
  if (!fuzz::succeeds(config))
    return 0;
  BatchShape shape{2, 16};
  if (llvm::Error error = checkSizes(*config, shape)) {
    fuzz::expectMessage(std::move(error));
    return 0;
  }
  if (describe(*config).empty() || int64_t(config->windows.size()) != config->layers)
    std::abort();
  if (config->layers > mostLayers)
    return 0;
  // What the reader accepts is a graph that verifies.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModelGraph(&context, *config, shape);
  if (!module || failed(mlir::verify(*module)))
    std::abort();
  return 0;
}
