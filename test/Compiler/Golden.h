//===- Golden.h - Models whose gradients and training are known ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_COMPILER_GOLDEN_H
#define VERNIER_TEST_COMPILER_GOLDEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Safetensors.h"
#include "runtime/TrainingEngine.h"
#include "vernier/Compiler/ModelInterface.h"
#include "vernier/Import/ModelConfig.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace vernier::golden {

/// The folders of test/golden.
inline const char *const models[] = {"llama", "llama_tied", "llama3", "mistral", "qwen2", "qwen3"};

/// A file of a model's folder; the environment says where test/golden is.
std::string path(llvm::StringRef model, llvm::StringRef file);

/// A model graph of a golden configuration, which `change` may alter first.
struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModelInterface interface;
};
Model importModel(mlir::MLIRContext &context, llvm::StringRef name, llvm::StringRef configFile,
                  int64_t batch, llvm::function_ref<void(ModelConfig &)> change = nullptr);

/// f64 tensors of a file, by name. A missing one has no entries.
std::vector<double> read(llvm::StringRef file, llvm::StringRef tensor);

/// Batches of `rows` rows of a file with `input_ids` and `targets`.
std::vector<runtime::Batch> readBatches(llvm::StringRef file, const Model &model);

/// Relative difference of two numbers, and of two arrays in the Euclidean norm.
double difference(double found, double expected);
double difference(llvm::ArrayRef<double> found, llvm::ArrayRef<double> expected);

/// The worst relative differences from the golden values.
struct GradientErrors {
  double loss = 0, gradient = 0;
  std::string worst; ///< whose gradient is worst
};
struct TrainingErrors {
  double loss = 0, norm = 0, parameter = 0;
  std::string worst; ///< which parameter is worst
};

/// An entry of a gradient or of a trained parameter, as the engine has it.
using ReadArray = llvm::function_ref<std::vector<double>(size_t parameter)>;

/// Compares the loss and the gradients of batch.safetensors.
GradientErrors compareGradients(llvm::StringRef name, const Model &model, double loss,
                                ReadArray gradient);

/// Loads the weights, trains six steps, each of all rows in micro-batches of
/// the model's batch, and compares losses, norms and final parameters.
TrainingErrors compareTraining(llvm::StringRef name, const Model &model,
                               runtime::TrainingEngine &engine);

} // namespace vernier::golden

#endif // VERNIER_TEST_COMPILER_GOLDEN_H
