//===- ParameterTableTest.cpp - The table with a run's rate and decay -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/ParameterTable.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace vernier;

static constexpr llvm::StringLiteral module = R"(
  vernier.param @w : tensor<2x3xf32> kind(matrix) decay(decay) toward(1.0) optimizer(adamw)
      init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
  vernier.param @b : tensor<2xf32> kind(bias) decay(none) optimizer(adamw)
      init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"b">])
)";

TEST(ParameterTable, SaysRateAndDecayOfARun) {
  mlir::DialectRegistry registry;
  registry.insert<VernierDialect>();
  mlir::MLIRContext context(registry);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(module, &context);
  ASSERT_TRUE(parsed);
  ParameterTableOptions options;
  options.rate = 3e-4;
  options.weightDecay = 0.1;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printParameterTable(*parsed, stream, options);
  EXPECT_EQ(text,
            "parameter  shape  kind    site  optimizer  decay  toward  rate    why\n"
            "w          2x3    matrix        adamw      0.1    1       0.0003  is never read\n"
            "b          2      bias          adamw      no             0.0003  is never read\n");
}
