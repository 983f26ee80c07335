//===- ClusterGraphTest.cpp - Clusters against a search for cycles -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Program/ClusterGraph.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using vernier::program::ClusterGraph;

namespace {

/// Says by a search whether merging two clusters makes a cycle.
struct NaiveGraph {
  std::vector<std::vector<unsigned>> predecessors;
  std::vector<unsigned> cluster;

  bool reaches(unsigned from, unsigned to, std::set<unsigned> &seen) const {
    // Walks backwards over clusters from `from`.
    if (!seen.insert(from).second)
      return false;
    for (unsigned node = 0; node < cluster.size(); ++node)
      if (cluster[node] == from)
        for (unsigned before : predecessors[node])
          if (cluster[before] != from &&
              (cluster[before] == to || reaches(cluster[before], to, seen)))
            return true;
    return false;
  }

  bool hasCycle() const {
    for (unsigned c : cluster) {
      std::set<unsigned> seen;
      if (reaches(c, c, seen))
        return true;
    }
    return false;
  }

  void merge(unsigned a, unsigned b) {
    unsigned gone = cluster[b], kept = cluster[a];
    for (unsigned &c : cluster)
      if (c == gone)
        c = kept;
  }

  bool mayMerge(unsigned a, unsigned b) const {
    NaiveGraph merged = *this;
    merged.merge(a, b);
    return !merged.hasCycle();
  }
};

} // namespace

TEST(ClusterGraph, NothingMayRunInTheMiddleOfACluster) {
  ClusterGraph graph(3);
  unsigned a = graph.addNode({}), p = graph.addNode({a}), c = graph.addNode({a, p});
  EXPECT_FALSE(graph.mayMerge(a, c));
  EXPECT_TRUE(graph.mayMerge(a, p));
  graph.merge(a, p);
  EXPECT_TRUE(graph.mayMerge(a, c));
  graph.merge(a, c);
  EXPECT_EQ(graph.getMembers(c).size(), 3u);
}

TEST(ClusterGraph, AgreesWithASearchForCycles) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    unsigned size = 2 + random() % 14;
    ClusterGraph graph(size);
    NaiveGraph naive;
    for (unsigned node = 0; node < size; ++node) {
      std::set<unsigned> before;
      for (unsigned i = 0; node && i < random() % 3; ++i)
        before.insert(random() % node);
      naive.predecessors.emplace_back(before.begin(), before.end());
      naive.cluster.push_back(node);
      ASSERT_EQ(graph.addNode(naive.predecessors.back()), node);
      // Merge now and then while the graph grows, as fusion does.
      for (unsigned i = 0; i < 3; ++i) {
        unsigned a = random() % (node + 1), b = random() % (node + 1);
        if (graph.find(a) == graph.find(b))
          continue;
        ASSERT_EQ(graph.mayMerge(a, b), naive.mayMerge(a, b)) << "round " << round;
        if (!graph.mayMerge(a, b))
          continue;
        graph.merge(a, b);
        naive.merge(a, b);
      }
    }
    for (unsigned node = 0; node < size; ++node)
      EXPECT_EQ(graph.find(node) == graph.find(0), naive.cluster[node] == naive.cluster[0]);
  }
}
