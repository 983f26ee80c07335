//===- DifferentiationTest.cpp - What gradient rules may not do -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrainingGraph.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

namespace {

/// Reads its operand and says that it does not.
struct SinRule : DifferentiableOpInterface::ExternalModel<SinRule, math::SinOp> {
  void buildAdjoint(Operation *op, OpBuilder &builder, Cotangents &cotangents) const {
    Value x = op->getOperand(0);
    Value cos = math::CosOp::create(builder, op->getLoc(), x);
    cotangents.add(x, MulOp::create(builder, op->getLoc(), x.getType(),
                                    cotangents.get(op->getResult(0)), cos));
  }
};

} // namespace

TEST(Differentiation, RuleThatReadsWhatItDoesNotDeclare) {
  TrainingGraph graph;
  graph.parse("func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
              "  %y = math.sin %x : tensor<3xf32>\n"
              "  return %y : tensor<3xf32>\n}");
  MLIRContext *context = graph.get()->getContext();
  math::SinOp::attachInterface<SinRule>(*context);
  PassManager pm(context);
  DifferentiateOptions options;
  options.function = "f";
  pm.addPass(createDifferentiate(options));
  EXPECT_TRUE(failed(pm.run(*graph.get())));
  EXPECT_EQ(graph.errors, "'math.sin' op has a gradient rule that reads a value which it does not "
                          "declare as saved, in 'math.cos'\n");
}
