//===- GeometryTest.cpp - How kernels are cut into blocks ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Program/Geometry.h"
#include "mlir/Parser/Parser.h"
#include "vernier/Program/Program.h"
#include "vernier/Program/Reuse.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace vernier::program;

namespace {

/// The first kernel of a module.
struct Parsed {
  explicit Parsed(llvm::StringRef text) {
    context.loadDialect<ProgramDialect, arith::ArithDialect, math::MathDialect,
                        tensor::TensorDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
  }
  Operation *kernel() { return &module->getBody()->front(); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

// A kernel over [rows] rows of `columns`, with a map output and, if told to, a
// sum of rows and one of numbers.
static std::string makeKernel(int64_t rows, int64_t columns, bool sums) {
  std::string n = std::to_string(rows), d = std::to_string(columns), row = "tensor<" + d + "xf32>";
  std::string tensor = "tensor<" + n + "x" + d + "xf32>";
  std::string results = tensor, outputs = "map", yielded = "%r", types = row;
  if (sums) {
    results += ", " + row + ", tensor<f64>";
    outputs += ", sum, sum";
    yielded += ", %r, %c";
    types += ", " + row + ", f64";
  }
  return "program.kernel @k [" + n + "] (" + tensor + ") -> (" + results +
         ") maps [affine_map<(n) -> (n)>] outputs [" + outputs + "] {\n^bb0(%r: " + row +
         "):\n%c = arith.constant 1.0 : f64\nprogram.yield " + yielded + " : " + types + "\n}";
}

TEST(Geometry, RowsOfABlockFollowTheirLength) {
  struct Case {
    int64_t rows, columns, rowsPerBlock, blocks;
  };
  for (Case c : {Case{2048, 384, 64, 32},
                 {2048, 1024, 32, 64},
                 {2048, 50304, 1, 2048},
                 {100, 8, 64, 2},
                 {1, 100000, 1, 1}}) {
    Parsed parsed(makeKernel(c.rows, c.columns, false));
    Geometry geometry = getGeometry(parsed.kernel());
    EXPECT_EQ(geometry.rowsPerBlock, c.rowsPerBlock) << c.columns;
    EXPECT_EQ(geometry.blocks, c.blocks) << c.columns;
    EXPECT_EQ(geometry.workspaceBytes, 0);
    EXPECT_EQ(geometry.finishBlocks, 0);
  }
}

TEST(Geometry, SumsHaveAPartialForEachBlock) {
  Parsed parsed(makeKernel(2048, 600, true));
  Geometry geometry = getGeometry(parsed.kernel());
  EXPECT_EQ(geometry.blocks, 2048 / 54 + 1);
  ASSERT_EQ(geometry.partials.size(), 2u);
  EXPECT_EQ(geometry.partials[0].output, 1u);
  EXPECT_EQ(geometry.partials[0].offset, 0);
  EXPECT_EQ(geometry.partials[0].stride, 2432); // 600 * 4, up to 64
  EXPECT_EQ(geometry.partials[0].length, 600);
  EXPECT_EQ(geometry.partials[1].offset, geometry.blocks * 2432);
  EXPECT_EQ(geometry.partials[1].stride, 64);
  EXPECT_EQ(geometry.partials[1].length, 1);
  EXPECT_EQ(geometry.workspaceBytes, geometry.blocks * (2432 + 64));
  EXPECT_EQ(geometry.finishBlocks, 2); // 512 columns each
}

// With one row a block, the partial rows would be as much as the input.
TEST(Geometry, SumsOfLongRowsHaveFewPartials) {
  Parsed parsed(makeKernel(2048, 50304, true));
  EXPECT_EQ(getGeometry(parsed.kernel()).rowsPerBlock, 32);
}

TEST(Geometry, ScatterCutsColumns) {
  Parsed parsed("program.scatter_add_kernel @k (tensor<2x5x100xf32>, tensor<2x5xi32>, "
                "tensor<7x100xf32>) -> tensor<7x100xf32>");
  Geometry geometry = getGeometry(parsed.kernel());
  EXPECT_EQ(geometry.blocks, 2);
  EXPECT_EQ(geometry.columnsPerBlock, 64);
  EXPECT_EQ(geometry.rows, 10);
}

static bool mayReuseFirst(llvm::StringRef inputs, llvm::StringRef maps, llvm::StringRef result,
                          llvm::StringRef body, llvm::StringRef kind = "map") {
  Parsed parsed(("program.kernel @k [2] (" + inputs + ") -> (" + result + ") maps [" + maps +
                 "] outputs [" + kind + "] {\n" + body + "\n}")
                    .str());
  return mayReuse(parsed.kernel(), 0, 0);
}

TEST(Reuse, OnlyWhereAColumnIsReadBeforeItIsWritten) {
  constexpr llvm::StringLiteral row = "affine_map<(n) -> (n)>", all = "affine_map<(n) -> ()>";
  EXPECT_TRUE(mayReuseFirst("tensor<2x4xf32>", row, "tensor<2x4xf32>",
                            "^bb0(%r: tensor<4xf32>):\n%0 = arith.negf %r : tensor<4xf32>\n"
                            "program.yield %0 : tensor<4xf32>"));
  // Reductions and single entries are read before the last sweep.
  EXPECT_TRUE(mayReuseFirst("tensor<2x4xf32>", row, "tensor<2x4xf32>",
                            "^bb0(%r: tensor<4xf32>):\n%i = arith.constant 3 : index\n"
                            "%e = tensor.extract %r[%i] : tensor<4xf32>\n"
                            "%s = tensor.splat %e : tensor<4xf32>\n"
                            "program.yield %s : tensor<4xf32>"));
  // Another kind, map, width of elements, length; columns that move.
  EXPECT_FALSE(mayReuseFirst("tensor<2x4xf32>", row, "tensor<4xf32>",
                             "^bb0(%r: tensor<4xf32>):\nprogram.yield %r : tensor<4xf32>", "sum"));
  EXPECT_FALSE(mayReuseFirst("tensor<4xf32>", all, "tensor<2x4xf32>",
                             "^bb0(%r: tensor<4xf32>):\nprogram.yield %r : tensor<4xf32>"));
  EXPECT_FALSE(mayReuseFirst("tensor<2x4xf32>", row, "tensor<2x4xbf16>",
                             "^bb0(%r: tensor<4xf32>):\n"
                             "%0 = arith.truncf %r : tensor<4xf32> to tensor<4xbf16>\n"
                             "program.yield %0 : tensor<4xbf16>"));
  EXPECT_FALSE(
      mayReuseFirst("tensor<2x4xf32>", row, "tensor<2x2xf32>",
                    "^bb0(%r: tensor<4xf32>):\n"
                    "%0 = tensor.extract_slice %r[0] [2] [1] : tensor<4xf32> to tensor<2xf32>\n"
                    "program.yield %0 : tensor<2xf32>"));
  EXPECT_FALSE(mayReuseFirst(
      "tensor<2x4xf32>", row, "tensor<2x4xf32>",
      "^bb0(%r: tensor<4xf32>):\n%n = arith.negf %r : tensor<4xf32>\n"
      "%0 = tensor.extract_slice %n[2] [2] [1] : tensor<4xf32> to tensor<2xf32>\n"
      "%1 = tensor.concat dim(0) %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>\n"
      "program.yield %1 : tensor<4xf32>"));
}
