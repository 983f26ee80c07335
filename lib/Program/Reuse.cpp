//===- Reuse.cpp - When a result may take its operand's place ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Program/Reuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

// Whether a slice or concatenation moves columns of `row`, or of a row
// computed from it.
static bool movesColumns(Value row) {
  SetVector<Value> rows;
  rows.insert(row);
  for (unsigned i = 0; i < rows.size(); ++i)
    for (Operation *user : rows[i].getUsers()) {
      if (isa<tensor::ExtractSliceOp, tensor::ConcatOp>(user))
        return true;
      for (Value result : user->getResults())
        if (isa<RankedTensorType>(result.getType()))
          rows.insert(result);
    }
  return false;
}

static bool haveSameBytes(Type a, Type b) {
  auto tensorA = dyn_cast<RankedTensorType>(a), tensorB = dyn_cast<RankedTensorType>(b);
  if (bool(tensorA) != bool(tensorB) || (tensorA && tensorA.getShape() != tensorB.getShape()))
    return false;
  return getElementTypeOrSelf(a).getIntOrFloatBitWidth() ==
         getElementTypeOrSelf(b).getIntOrFloatBitWidth();
}

template <typename RowKernelOp>
static bool mayReuseRow(RowKernelOp kernel, unsigned input, unsigned result) {
  auto kind = cast<OutputKindAttr>(kernel.getOutputs()[result]).getValue();
  if (kind != OutputKind::Map ||
      !cast<AffineMapAttr>(kernel.getMaps()[input]).getValue().isIdentity())
    return false;
  Block &body = kernel.getBody().front();
  Value row = body.getArgument(input);
  return haveSameBytes(row.getType(), body.getTerminator()->getOperand(result).getType()) &&
         !movesColumns(row);
}

bool program::mayReuse(Operation *kernel, unsigned input, unsigned result) {
  if (auto rows = dyn_cast<RowsOp>(kernel))
    return mayReuseRow(rows, input, result);
  if (auto rows = dyn_cast<KernelOp>(kernel))
    return mayReuseRow(rows, input, result);
  return isa<ScatterAddKernelOp>(kernel) && input == 2;
}
