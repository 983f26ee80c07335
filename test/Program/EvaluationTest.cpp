//===- EvaluationTest.cpp - Evaluation of kernel programs, by hand -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Program/Evaluation.h"
#include "../Reference/Evaluate.h"
#include "vernier/Program/Program.h"
#include <cmath>

using namespace vernier;
using namespace vernier::reference;
using namespace vernier::reference::test;

static std::vector<Tensor> evaluateProgram(llvm::StringRef text, std::vector<Tensor> arguments) {
  Graph graph(text, program::getEvaluationRules(),
              [](mlir::DialectRegistry &registry) { registry.insert<program::ProgramDialect>(); });
  std::vector<Tensor> results = graph.evaluate(std::move(arguments));
  EXPECT_FALSE(results.empty()) << graph.errors;
  return results;
}

// Maps of each kind: the row, a row for each position, one row and one number
// for all; outputs: a row, a number a row, and sums of both.
TEST(ProgramEvaluation, RowsReadByMapsAndYieldRowsNumbersAndSums) {
  auto y = evaluateProgram(
      R"(func.func @f(%x: tensor<2x2x3xf32>, %p: tensor<2x3xf32>, %g: tensor<3xf32>, %s: tensor<f32>)
      -> (tensor<2x2x3xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<f32>) {
    %r:4 = program.rows [2, 2] (%x, %p, %g, %s : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<f32>)
        maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (t)>, affine_map<(b, t) -> ()>, affine_map<(b, t) -> ()>]
        outputs [map, map, sum, sum] -> (tensor<2x2x3xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<f32>) {
    ^bb0(%row: tensor<3xf32>, %position: tensor<3xf32>, %gamma: tensor<3xf32>, %number: f32):
      %0 = arith.addf %row, %position : tensor<3xf32>
      %1 = arith.mulf %0, %gamma : tensor<3xf32>
      %2 = program.reduce <add> %row : tensor<3xf32> -> f32
      %3 = arith.mulf %2, %number : f32
      %4 = program.reduce <max> %row : tensor<3xf32> -> f32
      program.yield %1, %3, %row, %4 : tensor<3xf32>, f32, tensor<3xf32>, f32
    }
    return %r#0, %r#1, %r#2, %r#3 : tensor<2x2x3xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<f32>
  })",
      {{{2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
       {{2, 3}, {0, 0, 0, 100, 200, 300}},
       {{3}, {1, 10, -1}},
       {{}, {0.5}}});
  expectEntries(y.at(0), {1, 20, -3, 104, 2050, -306, 7, 80, -9, 110, 2110, -312});
  expectEntries(y.at(1), {3, 7.5, 12, 16.5});
  expectEntries(y.at(2), {22, 26, 30});
  expectEntries(y.at(3), {3 + 6 + 9 + 12});
}

TEST(ProgramEvaluation, LaunchesOfOneKernelTwice) {
  auto y = evaluateProgram(R"(
    program.kernel @scale [2] (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
        maps [affine_map<(n) -> (n)>, affine_map<(n) -> ()>] outputs [map] {
    ^bb0(%row: tensor<2xf32>, %gamma: tensor<2xf32>):
      %0 = arith.mulf %row, %gamma : tensor<2xf32>
      program.yield %0 : tensor<2xf32>
    }
    func.func @f(%x: tensor<2x2xf32>, %g: tensor<2xf32>) -> tensor<2x2xf32> {
      %y = program.launch @scale(%x, %g) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
      %z = program.launch @scale(%y, %g) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
      return %z : tensor<2x2xf32>
    })",
                           {{{2, 2}, {1, 2, 3, 4}}, {{2}, {3, -2}}});
  expectEntries(y.at(0), {9, 8, 27, 16});
}

TEST(ProgramEvaluation, TargetsAreFoundByTheColumnIndex) {
  auto y =
      evaluateProgram(R"(func.func @f(%x: tensor<2x3xf32>, %t: tensor<2xi32>) -> tensor<2xf32> {
    %r = program.rows [2] (%x, %t : tensor<2x3xf32>, tensor<2xi32>)
        maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] outputs [map] -> (tensor<2xf32>) {
    ^bb0(%row: tensor<3xf32>, %target: i32):
      %i = program.column_index : tensor<3xi32>
      %t3 = tensor.splat %target : tensor<3xi32>
      %hit = arith.cmpi eq, %i, %t3 : tensor<3xi32>
      %zero = arith.constant dense<0.0> : tensor<3xf32>
      %chosen = arith.select %hit, %row, %zero : tensor<3xi1>, tensor<3xf32>
      %sum = program.reduce <add> %chosen : tensor<3xf32> -> f32
      program.yield %sum : f32
    }
    return %r : tensor<2xf32>
  })",
                      {{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{2}, {2, -100}}});
  expectEntries(y.at(0), {3, 0});
}

TEST(ProgramEvaluation, ProductsTransposeAndAccumulate) {
  auto product = [](std::string lhs, std::string rhs, std::string options, std::string init) {
    std::string a = "tensor<" + lhs + "xf32>", b = "tensor<" + rhs + "xf32>", c = "tensor<2x2xf32>";
    auto shape = [](std::string text) {
      return std::vector<int64_t>{text[0] - '0', text[2] - '0'};
    };
    return evaluateProgram("func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " + c +
                               " {\n  %y = program.product %a, %b " + options +
                               (init.empty() ? "" : " init %c") + " : (" + a + ", " + b + init +
                               ") -> " + c + "\n  return %y : " + c + "\n}",
                           {{shape(lhs), {1, 2, 3, 4, 5, 6}},
                            {shape(rhs), {1, 0, 2, -1, 1, 3}},
                            {{2, 2}, {10, 20, 30, 40}}})
        .at(0);
  };
  // [1 2 3; 4 5 6] [1 0; 2 -1; 1 3]
  expectEntries(product("2x3", "3x2", "", ""), {8, 7, 20, 13});
  expectEntries(product("2x3", "3x2", "", ", tensor<2x2xf32>"), {18, 27, 50, 53});
  // [1 3 5; 2 4 6] [1 0; 2 -1; 1 3]
  expectEntries(product("3x2", "3x2", "transpose_lhs", ""), {12, 12, 16, 14});
  // [1 2 3; 4 5 6] [1 -1; 0 1; 2 3]
  expectEntries(product("2x3", "2x3", "transpose_rhs", ""), {7, 10, 16, 19});
  // [1 3 5; 2 4 6] [1 -1; 0 1; 2 3]
  expectEntries(product("3x2", "2x3", "transpose_lhs transpose_rhs", ""), {11, 17, 14, 20});
}

TEST(ProgramEvaluation, RopeTableHoldsAnglesByPositionAndPair) {
  auto y = evaluateProgram(R"(func.func @f() -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %cos, %sin = program.rope_table theta 1.0e4 : tensor<2x2xf32>, tensor<2x2xf32>
    return %cos, %sin : tensor<2x2xf32>, tensor<2x2xf32>
  })",
                           {});
  expectEntries(y.at(0), {1, 1, 0.5403023058681398, 0.9999500004166653});
  expectEntries(y.at(1), {0, 0, 0.8414709848078965, 0.009999833334166664});
}

TEST(ProgramEvaluation, KernelsOfTheirOwnKind) {
  double ln3 = std::log(3.0);
  auto y = evaluateProgram(R"(
    program.attention_kernel @attention (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>)
        -> (tensor<1x2x1x1xf32>, tensor<1x2x1xf32>) scale 0.5 causal
    program.attention_kernel @backward (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
        tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1xf32>)
        -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) scale 0.5 causal backward
    program.gather_kernel @gather (tensor<3xi32>, tensor<2x1xf32>) -> (tensor<3x1xf32>)
    program.scatter_add_kernel @scatter (tensor<3x1xf32>, tensor<3xi32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
    func.func @f(%q: tensor<1x2x1x1xf32>, %k: tensor<1x2x1x1xf32>, %v: tensor<1x2x1x1xf32>, %do: tensor<1x2x1x1xf32>,
                 %ids: tensor<3xi32>, %table: tensor<2x1xf32>)
        -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<3x1xf32>, tensor<2x1xf32>) {
      %o, %l = program.launch @attention(%q, %k, %v) : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>)
          -> (tensor<1x2x1x1xf32>, tensor<1x2x1xf32>)
      %dq, %dk, %dv = program.launch @backward(%do, %q, %k, %v, %o, %l)
          : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1xf32>)
          -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>)
      %g = program.launch @gather(%ids, %table) : (tensor<3xi32>, tensor<2x1xf32>) -> tensor<3x1xf32>
      %s = program.launch @scatter(%g, %ids, %table) : (tensor<3x1xf32>, tensor<3xi32>, tensor<2x1xf32>) -> tensor<2x1xf32>
      return %o, %dv, %g, %s : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<3x1xf32>, tensor<2x1xf32>
    })",
                           {{{1, 2, 1, 1}, {2, 2}},
                            {{1, 2, 1, 1}, {ln3, 0}},
                            {{1, 2, 1, 1}, {4, 8}},
                            {{1, 2, 1, 1}, {0, 2}},
                            {{3}, {1, 0, 1}},
                            {{2, 1}, {5, 7}}});
  expectEntries(y.at(0), {4, 5});
  expectEntries(y.at(1), {1.5, 0.5});
  expectEntries(y.at(2), {7, 5, 7});
  expectEntries(y.at(3), {10, 21});
}
