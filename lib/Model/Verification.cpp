//===- Verification.cpp - Checks that several operations share ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"
#include "mlir/IR/Diagnostics.h"
#include "vernier/Model/CountableShapes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace vernier;

std::string vernier::printShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  return text;
}

LogicalResult vernier::verifyCountable(Operation *op, Type type, const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || llvm::is_contained(tensor.getShape(), 0))
    return success();
  int64_t room = mostEntries;
  for (int64_t size : tensor.getShape())
    room /= size;
  if (room > 0)
    return success();
  return op->emitOpError() << what << " has shape " << printShape(tensor.getShape())
                           << ", but at most " << mostEntries << " entries are possible";
}

LogicalResult vernier::checkRank(Operation *op, Named value, int64_t rank) {
  if (value.rank() == rank)
    return success();
  return op->emitOpError() << value.name << " has shape " << printShape(value.shape()) << ", but "
                           << rank << (rank == 1 ? " dimension is" : " dimensions are")
                           << " needed";
}

LogicalResult vernier::checkNotScalar(Operation *op, Named value) {
  if (value.rank() > 0)
    return success();
  return op->emitOpError() << value.name << " is a scalar, but a last dimension is needed";
}

LogicalResult vernier::checkShape(Operation *op, Named value, ArrayRef<int64_t> expected) {
  if (value.shape() == expected)
    return success();
  return op->emitOpError() << value.name << " has shape " << printShape(value.shape()) << ", but "
                           << printShape(expected) << " is needed";
}

LogicalResult vernier::checkSameShape(Operation *op, Named first, Named second) {
  if (first.shape() == second.shape())
    return success();
  return op->emitOpError() << second.name << " has shape " << printShape(second.shape()) << ", but "
                           << first.name << " has " << printShape(first.shape());
}

LogicalResult vernier::checkLeading(Operation *op, Named value, ArrayRef<int64_t> leading) {
  if (failed(checkNotScalar(op, value)))
    return failure();
  if (value.shape().drop_back() == leading)
    return success();
  return op->emitOpError() << value.name << " has leading dimensions "
                           << printShape(value.shape().drop_back()) << ", but "
                           << printShape(leading) << " is needed";
}

static LogicalResult checkFits(Operation *op, StringRef what, const APFloat &number, bool fits,
                               StringRef needed) {
  if (fits)
    return success();
  SmallString<16> text;
  number.toString(text);
  return op->emitOpError() << what << " is " << text << ", but must be " << needed;
}

LogicalResult vernier::checkPositive(Operation *op, StringRef what, APFloat number) {
  return checkFits(op, what, number, !number.isNegative() && number.isFiniteNonZero(),
                   "positive and finite");
}

LogicalResult vernier::checkPositiveInF32(Operation *op, StringRef what, APFloat number) {
  auto rounded = static_cast<float>(number.convertToDouble());
  return checkFits(op, what, number, std::isnormal(rounded) && rounded > 0,
                   "positive and finite in f32");
}
