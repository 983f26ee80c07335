//===- ClusterGraph.cpp - Groups of nodes that stay free of cycles -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace vernier::program;

unsigned ClusterGraph::addNode(llvm::ArrayRef<unsigned> predecessors) {
  unsigned node = clusters.size();
  Cluster &cluster = clusters.emplace_back();
  cluster.parent = node;
  cluster.members = {node};
  cluster.predecessors.assign(predecessors.begin(), predecessors.end());
  cluster.ancestors.resize(capacity);
  for (unsigned predecessor : predecessors) {
    unsigned root = find(predecessor);
    cluster.ancestors |= clusters[root].ancestors;
    cluster.ancestors.set(root);
  }
  return node;
}

unsigned ClusterGraph::find(unsigned node) const {
  while (clusters[node].parent != node)
    node = clusters[node].parent;
  return node;
}

bool ClusterGraph::leadsThroughThird(unsigned from, unsigned to) const {
  return llvm::any_of(clusters[to].predecessors, [&](unsigned node) {
    unsigned third = find(node);
    return third != from && third != to && clusters[third].ancestors[from];
  });
}

bool ClusterGraph::mayMerge(unsigned a, unsigned b) const {
  a = find(a);
  b = find(b);
  return !leadsThroughThird(a, b) && !leadsThroughThird(b, a);
}

void ClusterGraph::merge(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  if (b < a)
    std::swap(a, b);
  Cluster &kept = clusters[a], &gone = clusters[b];
  gone.parent = a;
  llvm::SmallVector<unsigned, 2> members;
  std::merge(kept.members.begin(), kept.members.end(), gone.members.begin(), gone.members.end(),
             std::back_inserter(members));
  kept.members = std::move(members);
  kept.predecessors.append(gone.predecessors);
  kept.ancestors |= gone.ancestors;
  kept.ancestors.reset(a);
  kept.ancestors.reset(b);
  for (unsigned other = 0; other < clusters.size(); ++other) {
    Cluster &cluster = clusters[other];
    if (cluster.parent != other || other == a || !(cluster.ancestors[a] || cluster.ancestors[b]))
      continue;
    cluster.ancestors |= kept.ancestors;
    cluster.ancestors.set(a);
    cluster.ancestors.reset(b);
  }
}
