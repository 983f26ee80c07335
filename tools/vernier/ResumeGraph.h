//===- ResumeGraph.h - Whether a run may go on with a graph -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_RESUMEGRAPH_H
#define VERNIER_TOOLS_VERNIER_RESUMEGRAPH_H

#include "runtime/Checkpoint.h"

namespace vernier {

/// The batches of two graphs that are the same otherwise.
struct GraphBatches {
  int64_t given = 1, saved = 1;
};

/// Compares the graph in the file `path` with that of a checkpoint. Their batches
/// and the layout of the text may differ; the error for all else shows the first
/// line that does.
llvm::Expected<GraphBatches> compareGraphs(llvm::StringRef path,
                                           const runtime::Checkpoint &checkpoint);

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_RESUMEGRAPH_H
