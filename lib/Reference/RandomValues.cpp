//===- RandomValues.cpp - Values to evaluate a function with -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/RandomValues.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Evaluator.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

Tensor RandomValues::normal(ArrayRef<int64_t> shape) {
  std::normal_distribution<double> distribution;
  Tensor result(shape.vec());
  for (double &entry : result.data)
    entry = distribution(generator);
  return result;
}

Tensor RandomValues::integers(ArrayRef<int64_t> shape, int64_t begin, int64_t end) {
  std::uniform_int_distribution<int64_t> distribution(begin, end - 1);
  Tensor result(shape.vec());
  for (double &entry : result.data)
    entry = static_cast<double>(distribution(generator));
  return result;
}

Tensor RandomValues::targets(ArrayRef<int64_t> shape, int64_t vocabulary, int32_t ignoreIndex) {
  Tensor result = integers(shape, 0, vocabulary), ignored = integers(shape, 0, 4);
  for (auto [target, number] : llvm::zip_equal(result.data, ignored.data))
    if (number == 0)
      target = ignoreIndex;
  return result;
}

// The first dimension of what a value is that operand of; nothing if no
// operation uses it so.
static std::optional<int64_t> rowsOfTable(Value ids) {
  for (Operation *user : ids.getUsers()) {
    if (auto embedding = dyn_cast<EmbeddingOp>(user))
      return embedding.getTable().getType().getShape().front();
    if (auto gradient = dyn_cast<EmbeddingGradOp>(user))
      return gradient.getInto().getType().getShape().front();
  }
  return std::nullopt;
}

Tensor RandomValues::argument(Value argument) {
  ArrayRef<int64_t> shape = shapeOf(argument.getType());
  Type element = getElementTypeOrSelf(argument.getType());
  if (element.isInteger(64))
    return integers(shape, 2, 7);
  if (!isa<FloatType>(element)) {
    if (std::optional<int64_t> rows = rowsOfTable(argument))
      return integers(shape, 0, *rows);
    for (Operation *user : argument.getUsers()) {
      if (auto loss = dyn_cast<CrossEntropyOp>(user))
        return targets(shape, loss.getLogits().getType().getShape().back(), loss.getIgnoreIndex());
      if (auto loss = dyn_cast<CrossEntropyGradOp>(user))
        return targets(shape, loss.getLogits().getType().getShape().back(), loss.getIgnoreIndex());
    }
    return integers(shape, 0, 2);
  }
  Tensor result = normal(shape);
  for (Operation *user : argument.getUsers())
    if (auto adam = dyn_cast<AdamWOp>(user); adam && adam.getSecondMoment() == argument)
      for (double &entry : result.data)
        entry = std::abs(entry);
  return result;
}

std::vector<Tensor> RandomValues::arguments(func::FuncOp function) {
  std::vector<Tensor> result;
  for (Value value : function.getArguments())
    result.push_back(argument(value));
  return result;
}

llvm::StringMap<Tensor> RandomValues::params(ModuleOp module) {
  llvm::StringMap<Tensor> result;
  for (auto param : module.getOps<ParamOp>()) {
    ArrayRef<int64_t> shape = param.getTensorType().getShape();
    Tensor value = normal(shape);
    double deviation = shape.size() > 1 ? 1 / std::sqrt(double(shape.back())) : 1;
    for (double &entry : value.data)
      entry *= deviation;
    result[param.getSymName()] = std::move(value);
  }
  return result;
}
