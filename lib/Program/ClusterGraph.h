//===- ClusterGraph.h - Groups of nodes that stay free of cycles -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_CLUSTERGRAPH_H
#define VERNIER_LIB_PROGRAM_CLUSTERGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace vernier::program {

/// An acyclic graph whose nodes are grouped into clusters, such that the graph
/// of clusters stays acyclic. Example: of `a -> p -> c` and `a -> c`, a and c
/// cannot be one cluster, since p would have to run in the middle of it.
///
/// Each cluster knows all clusters that it depends on, as a set of bits; so a
/// question costs a look at the direct predecessors, and a merge costs
/// O(clusters * nodes / 64).
class ClusterGraph {
public:
  /// Room for `capacity` nodes.
  explicit ClusterGraph(unsigned capacity) : capacity(capacity) {}

  /// Adds a node, as a cluster of its own; what it depends on is there already.
  unsigned addNode(llvm::ArrayRef<unsigned> predecessors);

  /// The node that stands for the cluster of `node`.
  unsigned find(unsigned node) const;

  /// The nodes of a cluster, in the order in which they were added.
  llvm::ArrayRef<unsigned> getMembers(unsigned node) const { return clusters[find(node)].members; }

  /// Whether no path leads from one cluster to the other through a third.
  bool mayMerge(unsigned a, unsigned b) const;

  /// Makes the clusters of two nodes one. They may be merged.
  void merge(unsigned a, unsigned b);

  unsigned size() const { return clusters.size(); }

private:
  struct Cluster {
    unsigned parent; ///< itself, if it stands for its cluster
    llvm::SmallVector<unsigned, 2> members, predecessors;
    llvm::BitVector ancestors; ///< without itself
  };

  bool leadsThroughThird(unsigned from, unsigned to) const;

  unsigned capacity;
  llvm::SmallVector<Cluster, 0> clusters;
};

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_CLUSTERGRAPH_H
