//===- Geometry.cpp - How a kernel's work is cut into blocks -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Program/Geometry.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

// Elements of a block: three f32 streams of this length fit in half a
// megabyte, and a block is some microseconds of work.
static constexpr int64_t kBlockElements = 32768;
static constexpr int64_t kMaxRowsPerBlock = 64;
// A kernel that sums up rows writes one partial row a block: with 32 rows a
// block that is 3 % of its traffic.
static constexpr int64_t kMinRowsPerPartialRow = 32;
static constexpr int64_t kScatterColumns = 64;
static constexpr int64_t kAttentionQueries = 96;

int64_t program::getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

static int64_t getLength(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

static int64_t getPartialBytes(Type type) {
  int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return llvm::alignTo(getLength(type) * llvm::divideCeil(bits, 8), kBufferAlignment);
}

static void cutRows(Geometry &geometry, int64_t minRowsPerBlock) {
  geometry.rowsPerBlock =
      std::clamp(kBlockElements / geometry.rowLength, minRowsPerBlock, kMaxRowsPerBlock);
  geometry.blocks = llvm::divideCeil(geometry.rows, geometry.rowsPerBlock);
}

// Lays out the partial sums once the number of blocks is known.
static void placePartials(Geometry &geometry, ArrayRef<Type> yielded) {
  int64_t longest = 0;
  for (PartialSum &partial : geometry.partials) {
    partial.offset = geometry.workspaceBytes;
    partial.stride = getPartialBytes(yielded[partial.output]);
    partial.length = getLength(yielded[partial.output]);
    geometry.workspaceBytes += geometry.blocks * partial.stride;
    longest = std::max(longest, partial.length);
  }
  geometry.finishBlocks = llvm::divideCeil(longest, kFinishColumns);
}

template <typename RowKernelOp> static Geometry getRowGeometry(RowKernelOp kernel) {
  Geometry geometry;
  for (int64_t size : kernel.getSpace())
    geometry.rows *= size;
  Block &body = kernel.getBody().front();
  SmallVector<Type> yielded(body.getTerminator()->getOperandTypes());
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(body.getArgumentTypes()), yielded))
    geometry.rowLength = std::max(geometry.rowLength, getLength(type));
  bool sumsRows = false;
  for (auto [index, kind] :
       llvm::enumerate(kernel.getOutputs().template getAsRange<OutputKindAttr>())) {
    if (kind.getValue() != OutputKind::Sum)
      continue;
    geometry.partials.push_back({static_cast<unsigned>(index)});
    sumsRows |= isa<RankedTensorType>(yielded[index]);
  }
  cutRows(geometry, sumsRows ? kMinRowsPerPartialRow : 1);
  placePartials(geometry, yielded);
  return geometry;
}

static FunctionType getType(Operation *kernel) {
  return cast<FunctionType>(kernel->getAttrOfType<TypeAttr>("function_type").getValue());
}

static ArrayRef<int64_t> getShape(Type type) { return cast<RankedTensorType>(type).getShape(); }

static Geometry getGatherGeometry(GatherKernelOp kernel) {
  FunctionType type = getType(kernel);
  Geometry geometry;
  geometry.rows = getLength(type.getInput(0));
  geometry.rowLength = getShape(type.getInput(1)).back();
  cutRows(geometry, 1);
  return geometry;
}

static Geometry getScatterGeometry(ScatterAddKernelOp kernel) {
  FunctionType type = getType(kernel);
  Geometry geometry;
  geometry.rows = getLength(type.getInput(1));
  geometry.rowLength = getShape(type.getInput(2)).back();
  geometry.rowsPerBlock = geometry.rows;
  geometry.columnsPerBlock = kScatterColumns;
  geometry.blocks = llvm::divideCeil(geometry.rowLength, kScatterColumns);
  return geometry;
}

// Forward: a block is `rowsPerBlock` queries of one head of one sequence;
// blocks are ordered as (batch, head, tile). Backward: a block is one key head
// of one sequence with all its queries, since the heads of a group and the
// tiles of queries add up in dk and dv; blocks are ordered as (batch, key head).
static Geometry getAttentionGeometry(AttentionKernelOp kernel) {
  FunctionType type = getType(kernel);
  unsigned query = kernel.getBackward() ? 1 : 0;
  ArrayRef<int64_t> q = getShape(type.getInput(query));
  ArrayRef<int64_t> k = getShape(type.getInput(query + 1));
  Geometry geometry;
  geometry.rowLength = q.back();
  geometry.rows = q[0] * q[1] * q[2];
  geometry.rowsPerBlock = kAttentionQueries;
  geometry.blocks = kernel.getBackward()
                        ? q[0] * k[2]
                        : q[0] * q[2] * int64_t(llvm::divideCeil(q[1], kAttentionQueries));
  return geometry;
}

Geometry program::getGeometry(Operation *kernel) {
  return TypeSwitch<Operation *, Geometry>(kernel)
      .Case<RowsOp, KernelOp>([](auto op) { return getRowGeometry(op); })
      .Case<GatherKernelOp>(getGatherGeometry)
      .Case<ScatterAddKernelOp>(getScatterGeometry)
      .Case<AttentionKernelOp>(getAttentionGeometry)
      .Default([](Operation *) { return Geometry(); });
}
