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

/// The files whose contents are read, and good contents of each; an empty list of
/// checksums is wrong, but the only one that fits no other file.
struct MetadataFile {
  const char *name, *good;
};
static constexpr MetadataFile metadata[] = {
    {"/step-000001/state.json",
     "{\"version\":1,\"step\":1,\"cursor\":0,\"data\":\"\",\"engine\":\"\",\"written_by\":\"x\"}"},
    {"/step-000001/checksums.txt", ""},
    {"/latest", "step-000001\n"}};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string run = [] {
    std::string folder = makeRun();
    for (const char *name :
         {"/model.safetensors", "/optimizer.safetensors", "/model.mlir", "/recipe.yaml"})
      write(folder + "/step-000001" + name, "x");
    for (const MetadataFile &file : metadata)
      write(folder + file.name, file.good);
    return folder;
  }();
  if (size == 0)
    return 0;
  const MetadataFile &changed = metadata[data[0] % 3];
  write(run + changed.name, fuzz::toText(data + 1, size - 1));
  auto checkpoint = openCheckpoint(run);
  if (fuzz::succeeds(checkpoint) && checkpoint->state.step < 0)
    std::abort();
  write(run + changed.name, changed.good);
  return 0;
}
