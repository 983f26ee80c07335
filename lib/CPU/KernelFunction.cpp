//===- KernelFunction.cpp - The frame and memory of a kernel's function -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "vernier/CPU/Kernels.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

KernelFunction cpu::createKernelFunction(OpBuilder &builder, Location loc, StringRef name,
                                         int64_t scratchBytes) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = builder.getFunctionType({pointer, pointer, builder.getI64Type()}, {});
  auto function = func::FuncOp::create(builder, loc, name, type);
  function->setAttr(kScratchBytesAttr, builder.getI64IntegerAttr(scratchBytes));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  builder.setInsertionPoint(func::ReturnOp::create(builder, loc));
  return {function, entry->getArgument(0), entry->getArgument(1), entry->getArgument(2)};
}

Value CodeBuilder::constant(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value CodeBuilder::add(Value lhs, Value rhs) { return arith::AddIOp::create(*this, lhs, rhs); }

Value CodeBuilder::add(Value lhs, int64_t rhs) { return rhs ? add(lhs, constant(rhs)) : lhs; }

Value CodeBuilder::mul(Value lhs, int64_t rhs) {
  return rhs == 1 ? lhs : arith::MulIOp::create(*this, lhs, constant(rhs));
}

static Value splatAttr(CodeBuilder &b, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}

Value CodeBuilder::splat(Type type, double value) {
  return splatAttr(*this, type, getFloatAttr(getElementTypeOrSelf(type), value));
}

Value CodeBuilder::splat(Type type, int64_t value) {
  return splatAttr(*this, type, getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value CodeBuilder::loadBuffer(const KernelFunction &kernel, int64_t index) {
  Type pointer = kernel.buffers.getType();
  return LLVM::LoadOp::create(*this, pointer, address(pointer, kernel.buffers, constant(index)));
}

Value CodeBuilder::address(Type element, Value base, Value index) {
  return LLVM::GEPOp::create(*this, base.getType(), element, base, ValueRange{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

static int64_t getAlignment(Type type) {
  return llvm::divideCeil(getElementTypeOrSelf(type).getIntOrFloatBitWidth(), 8);
}

Value CodeBuilder::mask(int64_t lanes, int64_t valid) {
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), valid, true);
  auto type = VectorType::get(lanes, getI1Type());
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}

// Whether an access to the first `valid` lanes has to be masked.
static bool isPartial(Type type, int64_t valid) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && valid >= 0 && valid < vector.getNumElements();
}

Value CodeBuilder::load(Type type, Value base, Value index, int64_t valid) {
  Value from = address(getElementTypeOrSelf(type), base, index);
  int64_t alignment = getAlignment(type);
  if (!isPartial(type, valid))
    return LLVM::LoadOp::create(*this, type, from, alignment);
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(type));
  Value lanes = mask(cast<VectorType>(type).getNumElements(), valid);
  return LLVM::MaskedLoadOp::create(*this, type, from, lanes, zero, getI32IntegerAttr(alignment),
                                    UnitAttr());
}

void CodeBuilder::store(Value value, Value base, Value index, int64_t valid) {
  Type type = value.getType();
  Value to = address(getElementTypeOrSelf(type), base, index);
  int64_t alignment = getAlignment(type);
  if (!isPartial(type, valid)) {
    LLVM::StoreOp::create(*this, value, to, alignment);
    return;
  }
  Value lanes = mask(cast<VectorType>(type).getNumElements(), valid);
  LLVM::MaskedStoreOp::create(*this, value, to, lanes, getI32IntegerAttr(alignment));
}
