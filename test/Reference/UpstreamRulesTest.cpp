//===- UpstreamRulesTest.cpp - Rules of upstream operations, and errors ---===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include <cmath>

using namespace vernier::reference;
using namespace vernier::reference::test;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST(UpstreamRules, ConstantsOfEachKind) {
  auto y = evaluate(
      R"(func.func @f() -> (tensor<2xf32>, tensor<2xi32>, f32, i1, tensor<2xi1>, tensor<2xbf16>) {
    %a = arith.constant dense<[1.5, -2.0]> : tensor<2xf32>
    %b = arith.constant dense<-100> : tensor<2xi32>
    %c = arith.constant 0.25 : f32
    %d = arith.constant true
    %e = arith.constant dense<[true, false]> : tensor<2xi1>
    %g = arith.constant dense<3.0> : tensor<2xbf16>
    return %a, %b, %c, %d, %e, %g : tensor<2xf32>, tensor<2xi32>, f32, i1, tensor<2xi1>, tensor<2xbf16>
  })",
      {});
  expectEntries(y.at(0), {1.5, -2});
  expectEntries(y.at(1), {-100, -100});
  expectEntries(y.at(2), {0.25});
  expectEntries(y.at(3), {1});
  expectEntries(y.at(4), {1, 0});
  expectEntries(y.at(5), {3, 3});
}

TEST(UpstreamRules, ComparisonsAndSelections) {
  auto y = evaluate(R"(func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>, %i: tensor<3xi32>, %c: i1)
      -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
    %less = arith.cmpf olt, %a, %b : tensor<3xf32>
    %x = arith.select %less, %a, %b : tensor<3xi1>, tensor<3xf32>
    %y = arith.select %c, %a, %b : tensor<3xf32>
    %unordered = arith.cmpf une, %a, %b : tensor<3xf32>
    %zero = arith.constant dense<2> : tensor<3xi32>
    %below = arith.cmpi ult, %i, %zero : tensor<3xi32>
    return %x, %y, %unordered, %below : tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
  })",
                    {{{3}, {1, 5, NAN}}, {{3}, {2, 5, 7}}, {{3}, {-1, 1, 2}}, {{}, {0}}});
  expectEntries(y.at(0), {1, 5, 7});
  expectEntries(y.at(1), {2, 5, 7});
  expectEntries(y.at(2), {1, 0, 1});
  expectEntries(y.at(3), {0, 1, 0}); // -1 is the largest unsigned number
}

TEST(UpstreamRules, ArithmeticAndMath) {
  auto y = evaluate(R"(func.func @f(%a: f32, %b: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
    %s = arith.subf %a, %b : f32
    %d = arith.divf %a, %b : f32
    %m = arith.maximumf %a, %b : f32
    %r = math.rsqrt %a : f32
    %e = math.exp %b : f32
    %l = math.log %a : f32
    %n = math.fma %a, %b, %a : f32
    return %s, %d, %m, %r, %e, %l, %n : f32, f32, f32, f32, f32, f32, f32
  })",
                    {{{}, {4}}, {{}, {0.5}}});
  std::vector<double> expected = {3.5, 8, 4, 0.5, 1.6487212707001282, 2 * M_LN2, 6};
  for (size_t i = 0; i < expected.size(); ++i)
    expectEntries(y.at(i), {expected[i]});
}

TEST(UpstreamRules, TruthValuesAsNumbers) {
  auto y =
      evaluate(R"(func.func @f(%c: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
    %u = arith.uitofp %c : tensor<2xi1> to tensor<2xf32>
    %s = arith.sitofp %c : tensor<2xi1> to tensor<2xf32>
    %i = arith.extui %c : tensor<2xi1> to tensor<2xi32>
    return %u, %s, %i : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
  })",
               {{{2}, {1, 0}}});
  expectEntries(y.at(0), {1, 0});
  expectEntries(y.at(1), {-1, 0});
  expectEntries(y.at(2), {1, 0});
}

TEST(UpstreamRules, ShapesSlicesAndConcatenation) {
  auto y = evaluate(
      R"(func.func @f(%x: tensor<2x4xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x6xf32>, tensor<2xf32>, f32) {
    %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [2, 2, 2] : tensor<2x4xf32> into tensor<2x2x2xf32>
    %s = tensor.extract_slice %x [0, 1] [2, 2] [1, 2] : tensor<2x4xf32> to tensor<2x2xf32>
    %c = tensor.concat dim(1) %x, %s : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
    %row = tensor.extract_slice %x [1, 0] [1, 2] [1, 1] : tensor<2x4xf32> to tensor<2xf32>
    %one = arith.constant 1 : index
    %e = tensor.extract %x[%one, %one] : tensor<2x4xf32>
    return %h, %s, %c, %row, %e : tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2x6xf32>, tensor<2xf32>, f32
  })",
      {{{2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}}});
  expectEntries(y.at(0), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(y.at(0).shape, (std::vector<int64_t>{2, 2, 2}));
  expectEntries(y.at(1), {1, 3, 5, 7});
  expectEntries(y.at(2), {0, 1, 2, 3, 1, 3, 4, 5, 6, 7, 5, 7});
  expectEntries(y.at(3), {4, 5});
  expectEntries(y.at(4), {5});
}

TEST(UpstreamRules, CallsOfFunctions) {
  auto y = evaluate(R"(
    func.func @twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %y = arith.addf %x, %x : tensor<2xf32>
      return %y, %x : tensor<2xf32>, tensor<2xf32>
    }
    func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %y:2 = call @twice(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
      return %y#1, %y#0 : tensor<2xf32>, tensor<2xf32>
    })",
                    {{{2}, {1, 2}}});
  expectEntries(y.at(0), {1, 2});
  expectEntries(y.at(1), {2, 4});
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

// 1 + 2^-9 is no bf16, and its product with 256 is rounded only at the end.
TEST(Precision, EachResultIsRoundedOnceToItsType) {
  const char *text =
      R"(func.func @f(%x: tensor<1xf32>, %y: tensor<1xf32>) -> (tensor<1xbf16>, tensor<1xbf16>) {
    %a = vernier.add %x, %y : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xbf16>
    %b = vernier.add %a, %y : (tensor<1xbf16>, tensor<1xf32>) -> tensor<1xbf16>
    return %a, %b : tensor<1xbf16>, tensor<1xbf16>
  })";
  std::vector<Tensor> in = {{{1}, {1}}, {{1}, {std::ldexp(1, -9)}}};
  auto exact = evaluate(text, in, Precision::Exact);
  expectEntries(exact.at(0), {1 + std::ldexp(1, -9)});
  expectEntries(exact.at(1), {1 + std::ldexp(1, -8)});
  auto rounded = evaluate(text, in, Precision::Rounded);
  expectEntries(rounded.at(0), {1});
  expectEntries(rounded.at(1), {1}); // not 1 + 2^-7, to which the exact sum would round up
}

TEST(Precision, ArgumentsAndParametersAreOfTheirTypes) {
  Graph graph(R"(
    vernier.param @w : tensor<1xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
    func.func @f(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
      %w = vernier.get_param @w : tensor<1xf32>
      return %x, %w : tensor<1xf32>, tensor<1xf32>
    })");
  graph.params["w"] = Tensor({1}, {0.1});
  auto y = graph.evaluate({{{1}, {0.1}}}, Precision::Rounded);
  EXPECT_EQ(y.at(0).data[0], double(0.1f));
  EXPECT_EQ(y.at(1).data[0], double(0.1f));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string errorOf(llvm::StringRef text, std::vector<Tensor> arguments) {
  Graph graph(text);
  EXPECT_TRUE(graph.evaluate(std::move(arguments)).empty());
  return graph.errors;
}

TEST(EvaluatorErrors, OperationWithoutARule) {
  EXPECT_EQ(errorOf(R"(func.func @f(%x: f32) -> f32 {
    %y = math.cbrt %x : f32
    return %y : f32
  })",
                    {{{}, {1}}}),
            "'math.cbrt' op has no rule in the reference evaluator\n");
}

TEST(EvaluatorErrors, ArgumentsThatDoNotFit) {
  const char *text = "func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                     "  return %x : tensor<2x3xf32>\n}";
  EXPECT_EQ(errorOf(text, {}), "takes 1 arguments, but is evaluated with 0\n");
  EXPECT_EQ(errorOf(text, {Tensor({3, 2})}),
            "argument 0 is of type 'tensor<2x3xf32>', but is evaluated with shape 3x2\n");
  EXPECT_EQ(errorOf(text, {{{}, {1}}}),
            "argument 0 is of type 'tensor<2x3xf32>', but is evaluated with a single number\n");
}

TEST(EvaluatorErrors, TypesThatAreNotEvaluated) {
  EXPECT_EQ(errorOf("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                    "  return %x : tensor<?xf32>\n}",
                    {Tensor({2})}),
            "argument 0 is of type 'tensor<?xf32>'; only numbers and tensors of static shape are "
            "evaluated\n");
  EXPECT_EQ(errorOf(R"(func.func @f(%x: f32, %n: index) -> f32 {
    %y = tensor.splat %x[%n] : tensor<?xf32>
    %z = tensor.extract %y[%n] : tensor<?xf32>
    return %z : f32
  })",
                    {{{}, {1}}, {{}, {1}}}),
            "'tensor.splat' op has a result of type 'tensor<?xf32>'; only numbers and tensors of "
            "static shape are evaluated\n");
}

TEST(EvaluatorErrors, FunctionThatCallsItself) {
  EXPECT_EQ(errorOf(R"(func.func @f(%x: f32) -> f32 {
    %y = call @f(%x) : (f32) -> f32
    return %y : f32
  })",
                    {{{}, {1}}}),
            "'func.call' op is nested in more than 100 calls\n");
}

TEST(EvaluatorErrors, NoSuchFunction) {
  EXPECT_EQ(errorOf("func.func private @f(tensor<2xf32>)", {Tensor({2})}),
            "function 'f' has no body to evaluate\n");
  EXPECT_EQ(errorOf("module {}", {}), "there is no function 'f' to evaluate\n");
}

TEST(EvaluatorErrors, ParameterWithoutAValue) {
  EXPECT_EQ(errorOf(R"(
    vernier.param @w : tensor<1xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
    func.func @f() -> tensor<1xf32> {
      %w = vernier.get_param @w : tensor<1xf32>
      return %w : tensor<1xf32>
    })",
                    {}),
            "'vernier.get_param' op there is no value for parameter 'w'\n");
}

TEST(EvaluatorErrors, IdsAndTargetsOutOfRange) {
  const char *embedding =
      R"(func.func @f(%ids: tensor<2xi32>, %t: tensor<3x1xf32>) -> tensor<2x1xf32> {
    %y = vernier.embedding %ids, %t : (tensor<2xi32>, tensor<3x1xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  })";
  EXPECT_EQ(errorOf(embedding, {{{2}, {0, 3}}, Tensor({3, 1})}),
            "'vernier.embedding' op id 3 at position 1 is outside the table of 3 rows\n");
  EXPECT_EQ(errorOf(embedding, {{{2}, {-1, 0}}, Tensor({3, 1})}),
            "'vernier.embedding' op id -1 at position 0 is outside the table of 3 rows\n");
  EXPECT_EQ(
      errorOf(
          R"(func.func @f(%x: tensor<2x3xf32>, %t: tensor<2xi32>, %n: tensor<i64>) -> tensor<f32> {
    %loss, %lse = vernier.cross_entropy %x, %t, %n ignore -100 : (tensor<2x3xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
    return %loss : tensor<f32>
  })",
          {Tensor({2, 3}), {{2}, {-100, 5}}, {{}, {1}}}),
      "'vernier.cross_entropy' op target 5 at position 1 is outside the vocabulary of 3\n");
}
