//===- fuzz-checkpoint.cpp - Metadata of checkpoints ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "runtime/Checkpoint.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace vernier;
using namespace vernier::runtime;

/// A run in memory with one good checkpoint, of which one file is the input.
static std::string makeRun() {
  std::string folder = "/dev/shm/vernier-fuzz-XXXXXX";
  if (!::mkdtemp(folder.data()))
    std::abort();
  static std::string toRemove = folder;
  std::atexit([] { llvm::sys::fs::remove_directories(toRemove); });
  llvm::sys::fs::create_directory(folder + "/step-000001");
  return folder;
}

static void write(const std::string &path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string run = makeRun(), step = run + "/step-000001";
  if (size == 0)
    return 0;
  llvm::StringRef text = fuzz::toText(data + 1, size - 1);
  for (const char *name :
       {"/model.safetensors", "/optimizer.safetensors", "/model.mlir", "/recipe.yaml"})
    write(step + name, "x");
  write(step + "/state.json",
        data[0] % 3 == 0
            ? text
            : "{\"version\":1,\"step\":1,\"cursor\":0,\"data\":\"\",\"written_by\":\"x\"}");
  write(step + "/checksums.txt", data[0] % 3 == 1 ? text : "");
  write(run + "/latest", data[0] % 3 == 2 ? text : "step-000001\n");
  auto checkpoint = openCheckpoint(run);
  if (fuzz::succeeds(checkpoint) && checkpoint->state.step < 0)
    std::abort();
  return 0;
}
