//===- Weights.h - Parameters in checkpoints ----------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_WEIGHTS_H
#define VERNIER_RUNTIME_WEIGHTS_H

#include "runtime/Safetensors.h"

namespace vernier::runtime {

/// The tensors of a checkpoint, whichever way it is stored: one safetensors
/// file, a folder with `model.safetensors`, or a folder with
/// `model.safetensors.index.json` and the shards that it names.
class TensorStore {
public:
  /// `path`: a .safetensors file, an index (.json) or a folder. A shard that is
  /// missing, a tensor that the index places wrongly, or one that two shards
  /// have is an error.
  static Expected<TensorStore> open(llvm::StringRef path);

  /// As given to open.
  const std::string &getPath() const { return path; }
  /// Null if there is none of that name.
  const TensorView *find(llvm::StringRef name) const;
  std::vector<const TensorView *> getTensors() const;

private:
  Error addFile(llvm::StringRef file);
  Error openIndex(llvm::StringRef index);

  std::string path;
  std::vector<SafetensorsFile> files;
  llvm::StringMap<const TensorView *> tensors;
};

/// The stored tensors of a parameter: as its table says, or one of its name.
std::vector<StoredTensor> getStoredTensors(const Parameter &parameter);

/// Checks, before anything is loaded, that the store has each parameter's
/// tensors with fitting shapes and floating-point types, and no tensor that
/// belongs to none. Reports all missing and extra names in one error.
/// (Tensors `*.rotary_emb.inv_freq` of old checkpoints, which the
/// configuration determines, are let pass.)
Error checkWeights(const TensorStore &store, llvm::ArrayRef<Parameter> parameters);

/// Loads one parameter, row-major; call checkWeights before.
Error loadWeight(const TensorStore &store, const Parameter &parameter,
                 llvm::MutableArrayRef<float> result);
Error loadWeight(const TensorStore &store, const Parameter &parameter,
                 llvm::MutableArrayRef<double> result);

/// A parameter's value, row-major.
struct ParameterValue {
  const Parameter *parameter = nullptr;
  StoredType type = StoredType::F32;
  llvm::ArrayRef<char> bytes;
};

/// The inverse of loadWeight: checkpoint tensors made of parameters, pieces of
/// one tensor in the order of their rows. Slices that overlap or leave a hole
/// are errors. The data must stay valid until it is written.
Expected<std::vector<TensorToWrite>> packWeights(llvm::ArrayRef<ParameterValue> values);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_WEIGHTS_H
