//===- ResumeGraph.cpp - Whether a run may go on with a graph -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResumeGraph.h"
#include "ModelFile.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Status.h"
#include "vernier/Model/Passes.h"

using namespace vernier;
using llvm::Expected;
using llvm::StringRef;
using runtime::makeError;

namespace {
/// A graph as text that does not depend on how its file was laid out.
struct Canonical {
  int64_t batch = 0;
  std::string text;
};
} // namespace

/// With its batch replaced by `batch`, if that is not 0.
static Expected<Canonical> canonicalize(StringRef path, int64_t batch) {
  Session session;
  auto model = loadModelFile(session, path);
  if (!model)
    return makeError("{0}: cannot be read as a model graph", path);
  Canonical result;
  result.batch = model->interface.batch;
  if (batch != 0 && batch != result.batch) {
    mlir::PassManager passes(&session.getContext());
    passes.addPass(createSetBatch(SetBatchOptions{batch}));
    if (failed(passes.run(*model->module)))
      return makeError("{0}: its batch cannot be changed to {1}, as the run has it", path, batch);
  }
  llvm::raw_string_ostream stream(result.text);
  model->module->print(stream);
  return result;
}

/// A line from a little before `difference`: those of a rewritten graph may have
/// thousands of characters.
static std::string quote(StringRef line, size_t difference) {
  constexpr size_t before = 30, shown = 90;
  size_t begin = difference > before ? difference - before : 0;
  StringRef rest = line.substr(begin);
  return ((begin ? "..." : "") + rest.take_front(shown) + (rest.size() > shown ? "..." : "")).str();
}

/// The first line that differs, of both.
static llvm::Error compareLines(StringRef path, StringRef given, StringRef saved) {
  for (int line = 1; !given.empty() || !saved.empty(); ++line) {
    auto [givenLine, givenRest] = given.split('\n');
    auto [savedLine, savedRest] = saved.split('\n');
    if (givenLine != savedLine) {
      givenLine = givenLine.trim();
      savedLine = savedLine.trim();
      size_t difference = llvm::mismatch(givenLine, savedLine).first - givenLine.begin();
      return makeError("{0}: cannot resume with another graph: line {1} is '{2}', but the run's is "
                       "'{3}'",
                       path, line, quote(givenLine, difference), quote(savedLine, difference));
    }
    given = givenRest;
    saved = savedRest;
  }
  return llvm::Error::success();
}

Expected<GraphBatches> vernier::compareGraphs(StringRef path,
                                              const runtime::Checkpoint &checkpoint) {
  auto saved = canonicalize(checkpoint.getGraphPath(), 0);
  if (!saved)
    return saved.takeError();
  auto given = canonicalize(path, saved->batch);
  if (!given)
    return given.takeError();
  if (llvm::Error error = compareLines(path, given->text, saved->text))
    return std::move(error);
  return GraphBatches{given->batch, saved->batch};
}
