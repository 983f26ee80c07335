//===- ModelState.cpp - What a checkpoint knows of parameters -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelState.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace vernier;
using reference::Tensor;
using runtime::Role;

static bool isStoredAsF64(const runtime::Checkpoint &checkpoint) {
  auto store = runtime::TensorStore::open(checkpoint.folder);
  if (!store) {
    consumeError(store.takeError()); // loadWeights says what is wrong
    return false;
  }
  return any_of(store->getTensors(), [](const runtime::TensorView *tensor) {
    return tensor->type == runtime::StoredType::F64;
  });
}

static Expected<ModelState> load(const runtime::Checkpoint &checkpoint,
                                 const std::vector<runtime::Parameter> &parameters,
                                 bool withOptimizer) {
  runtime::HeldState<double> held(parameters);
  if (Error error = runtime::loadWeights(checkpoint.folder, held))
    return std::move(error);
  if (withOptimizer)
    if (Error error = runtime::loadOptimizer(checkpoint, held))
      return std::move(error);
  ModelState state;
  state.isF64 = isStoredAsF64(checkpoint);
  for (size_t index = 0; index < parameters.size(); ++index) {
    const runtime::Parameter &parameter = parameters[index];
    auto get = [&](Role role) {
      return Tensor(parameter.shape, held.getFloats(role, index).vec());
    };
    state.values[parameter.name] = get(Role::Param);
    if (!withOptimizer)
      continue;
    state.moments.first[parameter.name] = get(Role::FirstMoment);
    state.moments.second[parameter.name] = get(Role::SecondMoment);
    state.moments.steps[parameter.name] = Tensor({}, {double(held.getSteps(index))});
  }
  return state;
}

Expected<ModelState> vernier::loadValues(const runtime::Checkpoint &checkpoint,
                                         const std::vector<runtime::Parameter> &parameters) {
  return load(checkpoint, parameters, /*withOptimizer=*/false);
}

Expected<ModelState> vernier::loadState(const runtime::Checkpoint &checkpoint,
                                        const std::vector<runtime::Parameter> &parameters) {
  return load(checkpoint, parameters, /*withOptimizer=*/true);
}

template <typename T>
static std::unique_ptr<runtime::TrainingEngine>
holdStateAs(const ModelState &state, const std::vector<runtime::Parameter> &parameters) {
  auto held = std::make_unique<runtime::HeldState<T>>(parameters);
  for (size_t index = 0; index < parameters.size(); ++index) {
    const runtime::Parameter &parameter = parameters[index];
    auto put = [&](Role role, const StringMap<Tensor> &from) {
      copy(from.find(parameter.name)->second.data, held->getFloats(role, index).begin());
    };
    put(Role::Param, state.values);
    put(Role::FirstMoment, state.moments.first);
    put(Role::SecondMoment, state.moments.second);
    held->getSteps(index) =
        static_cast<int64_t>(state.moments.steps.find(parameter.name)->second.data[0]);
  }
  return held;
}

std::unique_ptr<runtime::TrainingEngine>
vernier::holdState(const ModelState &state, const std::vector<runtime::Parameter> &parameters) {
  return state.isF64 ? holdStateAs<double>(state, parameters)
                     : holdStateAs<float>(state, parameters);
}
