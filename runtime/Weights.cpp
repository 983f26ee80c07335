//===- Weights.cpp - Parameters in checkpoints ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Weights.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace vernier::runtime;

std::vector<StoredTensor> vernier::runtime::getStoredTensors(const Parameter &parameter) {
  if (!parameter.stored.empty())
    return parameter.stored;
  return {StoredTensor{parameter.name, 0, 0}};
}

static bool isWhole(const StoredTensor &stored) { return stored.end == 0; }

/// The rows that a parameter takes of a tensor, which must have as many.
static Expected<int64_t> checkPiece(const TensorStore &store, const Parameter &parameter,
                                    const StoredTensor &stored, const TensorView &tensor) {
  llvm::ArrayRef<int64_t> wanted = parameter.shape, found = tensor.shape;
  bool isOnly = isWhole(stored) && getStoredTensors(parameter).size() == 1;
  bool fits = wanted.size() == found.size();
  if (fits && !wanted.empty())
    fits = isOnly ? wanted == found : wanted.drop_front() == found.drop_front();
  if (!fits)
    return makeError("{0}: tensor '{1}' has shape {2}, but parameter '{3}' needs {4}",
                     store.getPath(), tensor.name, toString(found), parameter.name,
                     toString(wanted));
  if (tensor.type > StoredType::BF16)
    return makeError("{0}: tensor '{1}': expected floating-point numbers, found {2}",
                     store.getPath(), tensor.name, nameOf(tensor.type));
  if (wanted.empty())
    return 1;
  bool isRange = 0 <= stored.begin && stored.begin < stored.end && stored.end <= found[0];
  if (!isWhole(stored) && !isRange)
    return makeError("{0}: tensor '{1}' has {2} rows, but parameter '{3}' is its rows [{4}, {5}]",
                     store.getPath(), tensor.name, found[0], parameter.name, stored.begin,
                     stored.end);
  return isWhole(stored) ? found[0] : stored.end - stored.begin;
}

static Error checkWeight(const TensorStore &store, const Parameter &parameter,
                         std::vector<std::string> &missing) {
  int64_t rows = 0;
  for (const StoredTensor &stored : getStoredTensors(parameter)) {
    const TensorView *tensor = store.find(stored.name);
    if (!tensor) {
      missing.push_back(stored.name);
      return Error::success();
    }
    auto count = checkPiece(store, parameter, stored, *tensor);
    if (!count)
      return count.takeError();
    rows += *count;
  }
  int64_t wanted = parameter.shape.empty() ? 1 : parameter.shape[0];
  if (rows != wanted)
    return makeError("{0}: parameter '{1}' has shape {2}, but '{3}' gives {4} rows",
                     store.getPath(), parameter.name, toString(parameter.shape),
                     getStoredTensors(parameter).front().name, rows);
  return Error::success();
}

/// "'a', 'b', 'c' and 4 more".
static std::string listNames(llvm::ArrayRef<std::string> names) {
  constexpr size_t shown = 5;
  std::string text = "'" + llvm::join(names.take_front(shown), "', '") + "'";
  if (names.size() > shown)
    text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

Error vernier::runtime::checkWeights(const TensorStore &store,
                                     llvm::ArrayRef<Parameter> parameters) {
  std::vector<std::string> missing, extra;
  llvm::StringSet<> used;
  for (const Parameter &parameter : parameters) {
    if (Error error = checkWeight(store, parameter, missing))
      return error;
    for (const StoredTensor &stored : getStoredTensors(parameter))
      used.insert(stored.name);
  }
  for (const TensorView *tensor : store.getTensors())
    if (!used.contains(tensor->name) &&
        !llvm::StringRef(tensor->name).ends_with(".rotary_emb.inv_freq"))
      extra.push_back(tensor->name);
  if (missing.empty() && extra.empty())
    return Error::success();
  std::string text;
  if (!missing.empty())
    text = "the model needs tensors that are missing: " + listNames(missing);
  if (!extra.empty())
    text += (text.empty() ? "" : "; ") +
            ("there are tensors that the model does not have: " + listNames(extra));
  return makeError("{0}: {1}", store.getPath(), text);
}

template <typename T>
static Error loadWeightAs(const TensorStore &store, const Parameter &parameter,
                          llvm::MutableArrayRef<T> result) {
  int64_t rowLength = 1;
  if (!parameter.shape.empty())
    rowLength = countElements(llvm::ArrayRef(parameter.shape).drop_front()).value_or(0);
  for (const StoredTensor &stored : getStoredTensors(parameter)) {
    const TensorView *tensor = store.find(stored.name);
    if (!tensor)
      return makeError("{0}: no tensor '{1}'", store.getPath(), stored.name);
    int64_t count =
        isWhole(stored) ? tensor->countElements() : (stored.end - stored.begin) * rowLength;
    if (count > static_cast<int64_t>(result.size()))
      return makeError("{0}: tensor '{1}' is larger than parameter '{2}'", store.getPath(),
                       stored.name, parameter.name);
    if (Error error = readFloats(*tensor, stored.begin * rowLength, result.take_front(count)))
      return error;
    result = result.drop_front(count);
  }
  return Error::success();
}

Error vernier::runtime::loadWeight(const TensorStore &store, const Parameter &parameter,
                                   llvm::MutableArrayRef<float> result) {
  return loadWeightAs(store, parameter, result);
}

Error vernier::runtime::loadWeight(const TensorStore &store, const Parameter &parameter,
                                   llvm::MutableArrayRef<double> result) {
  return loadWeightAs(store, parameter, result);
}

namespace {
/// Rows [begin, end) of a stored tensor, in a parameter.
struct Piece {
  int64_t begin, end;
  const Parameter *parameter;
  StoredType type;
  llvm::ArrayRef<char> bytes;
};
} // namespace

/// Appends the pieces of stored tensors that a parameter is made of.
static void addPieces(const ParameterValue &value,
                      llvm::MapVector<llvm::StringRef, std::vector<Piece>> &pieces) {
  const Parameter &parameter = *value.parameter;
  int64_t rows = parameter.shape.empty() ? 1 : parameter.shape[0];
  int64_t rowBytes = rows ? value.bytes.size() / rows : 0;
  llvm::ArrayRef<char> rest = value.bytes;
  auto add = [&](llvm::StringRef name, int64_t begin, int64_t end) {
    int64_t count = (end - begin) * rowBytes;
    pieces[name].push_back({begin, end, &parameter, value.type, rest.take_front(count)});
    rest = rest.drop_front(count);
  };
  if (parameter.stored.empty())
    return add(parameter.name, 0, rows);
  for (const StoredTensor &stored : parameter.stored)
    add(stored.name, stored.begin, isWhole(stored) ? rows : stored.end);
}

Expected<std::vector<TensorToWrite>>
vernier::runtime::packWeights(llvm::ArrayRef<ParameterValue> values) {
  llvm::MapVector<llvm::StringRef, std::vector<Piece>> pieces;
  for (const ParameterValue &value : values) {
    const std::vector<StoredTensor> &stored = value.parameter->stored;
    if (stored.size() > 1 && llvm::any_of(stored, isWhole))
      return makeError("parameter '{0}': one of its {1} stored tensors has no rows",
                       value.parameter->name, stored.size());
    addPieces(value, pieces);
  }
  std::vector<TensorToWrite> result;
  for (auto &[name, parts] : pieces) {
    llvm::sort(parts, [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
    TensorToWrite tensor{name.str(), parts.front().type, parts.front().parameter->shape, {}};
    int64_t position = 0;
    for (const Piece &part : parts) {
      if (part.begin != position)
        return makeError("tensor '{0}': rows [{1}, {2}] of parameter '{3}' do not follow row {4}",
                         name, part.begin, part.end, part.parameter->name, position);
      tensor.pieces.push_back(part.bytes);
      position = part.end;
    }
    if (!tensor.shape.empty())
      tensor.shape[0] = position;
    result.push_back(std::move(tensor));
  }
  return result;
}
