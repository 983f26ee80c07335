//===- Initialize.cpp - Values that parameters start with -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Initialize.h"
#include "runtime/ParallelFor.h"
#include "runtime/Random.h"
#include "llvm/ADT/STLExtras.h"

using namespace vernier::runtime;

template <typename T>
static void fillNormal(const Parameter &parameter, uint64_t seed,
                       llvm::MutableArrayRef<T> entries) {
  RandomSequence sequence(seed, parameter.name);
  const Initializer &initializer = parameter.initializer;
  auto scale = [&](double normal) { return float(initializer.mean + initializer.std * normal); };
  constexpr size_t stretch = 4096; // even: entries come in pairs
  ThreadTeam().parallelFor((entries.size() + stretch - 1) / stretch, [&](int64_t index, int) {
    size_t begin = index * stretch, end = std::min(begin + stretch, entries.size());
    for (size_t i = begin; i < end; i += 2) {
      auto [first, second] = sequence.getNormals(i / 2);
      entries[i] = scale(first);
      if (i + 1 < end)
        entries[i + 1] = scale(second);
    }
  });
}

template <typename T>
static void initializeAs(const Parameter &parameter, uint64_t seed,
                         llvm::MutableArrayRef<T> entries) {
  if (parameter.initializer.kind == Initializer::Kind::Normal)
    return fillNormal(parameter, seed, entries);
  llvm::fill(entries, T(float(parameter.initializer.mean)));
}

void vernier::runtime::initialize(const Parameter &parameter, uint64_t seed,
                                  llvm::MutableArrayRef<float> entries) {
  initializeAs(parameter, seed, entries);
}

void vernier::runtime::initialize(const Parameter &parameter, uint64_t seed,
                                  llvm::MutableArrayRef<double> entries) {
  initializeAs(parameter, seed, entries);
}

void vernier::runtime::initialize(TrainingEngine &engine, uint64_t seed) {
  llvm::ArrayRef<Parameter> parameters = engine.getParameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto initializeEntries = [&](auto entries) {
      if constexpr (!std::is_same_v<decltype(entries), llvm::MutableArrayRef<int64_t>>)
        initialize(parameters[i], seed, entries);
    };
    std::visit(initializeEntries, engine.getState(Role::Param, i));
    for (Role role : {Role::FirstMoment, Role::SecondMoment, Role::Steps})
      std::visit([](auto entries) { llvm::fill(entries, 0); }, engine.getState(role, i));
  }
  engine.parametersChanged();
}
