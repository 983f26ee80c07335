//===- RandomPlanTest.cpp - Plans of random phases are right -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "vernier/Program/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace vernier::program;

namespace {

/// Writes a phase on 4 x 4 matrices: row kernels with one or two operands and
/// results, ones that move columns, products, and products that add to something; arguments
/// and results are states, under any name, or the phase's own.
class RandomPhase {
public:
  explicit RandomPhase(unsigned seed) : random(seed) {}

  std::string write(llvm::StringRef name) {
    std::string text = "func.func @" + name.str() + "(";
    std::vector<std::string> arguments;
    for (const std::string &slot : pickSlots("ids")) {
      values.push_back("%a" + std::to_string(values.size()));
      arguments.push_back(values.back() + ": " + type + " {vernier.slot = " + slot + "}");
    }
    std::string body;
    for (unsigned i = 0, n = 3 + random() % 12; i < n; ++i)
      body += writeOperation();
    std::vector<std::string> results, returned, types;
    for (const std::string &slot : pickSlots("logits")) {
      results.push_back(type + " {vernier.slot = " + slot + "}");
      returned.push_back(pick());
      types.push_back(type);
    }
    return text + llvm::join(arguments, ", ") + ") -> (" + llvm::join(results, ", ") + ") {\n" +
           body + "  return " + llvm::join(returned, ", ") + " : " + llvm::join(types, ", ") +
           "\n}\n";
  }

private:
  // One value of the phase's own, and some of three states.
  std::vector<std::string> pickSlots(llvm::StringRef own) {
    std::vector<std::string> slots = {("#vernier.slot<" + own + ">").str()};
    for (const char *state : {"param, \"p\"", "param, \"q\"", "gradient, \"p\""})
      if (random() % 3)
        slots.push_back(std::string("#vernier.slot<") + state + ">");
    std::shuffle(slots.begin(), slots.end(), random);
    return slots;
  }

  const std::string &pick() { return values[random() % values.size()]; }

  std::string writeRows(const std::vector<std::string> &inputs, llvm::StringRef body) {
    std::vector<std::string> types(inputs.size(), type), maps(inputs.size(), "#row"), arguments;
    for (size_t i = 0; i < inputs.size(); ++i)
      arguments.push_back("%r" + std::to_string(i) + ": tensor<4xf32>");
    return "program.rows [4](" + llvm::join(inputs, ", ") + " : " + llvm::join(types, ", ") +
           ") maps [" + llvm::join(maps, ", ") + "] outputs [map] -> (" + type + ") {\n^bb0(" +
           llvm::join(arguments, ", ") + "):\n" + body.str() +
           "    program.yield %y : tensor<4xf32>\n  }\n";
  }

  std::string writeOperation() {
    std::string op, matrices = "(" + type + ", " + type;
    switch (random() % 6) {
    case 0:
      op = writeRows({pick()}, "    %y = arith.negf %r0 : tensor<4xf32>\n");
      break;
    case 1:
      op = writeRows({pick(), pick()}, "    %y = arith.addf %r0, %r1 : tensor<4xf32>\n");
      break;
    case 2:
      op = writeRows({pick()},
                     "    %h = tensor.extract_slice %r0[2] [2] [1] : tensor<4xf32> to "
                     "tensor<2xf32>\n    %y = tensor.concat dim(0) %h, %h : (tensor<2xf32>, "
                     "tensor<2xf32>) -> tensor<4xf32>\n");
      break;
    case 3:
      return writeTwoResults();
    case 4:
      op = "program.product " + pick() + ", " + pick() + " : " + matrices + ") -> " + type + "\n";
      break;
    default:
      op = "program.product " + pick() + ", " + pick() + " init " + pick() + " : " + matrices +
           ", " + type + ") -> " + type + "\n";
    }
    values.push_back("%v" + std::to_string(values.size()));
    return "  " + values.back() + " = " + op;
  }

  std::string writeTwoResults() {
    std::string x = pick(), y = pick(), first = "%v" + std::to_string(values.size());
    values.push_back(first);
    values.push_back("%v" + std::to_string(values.size()));
    return "  " + first + ", " + values.back() + " = program.rows [4](" + x + ", " + y + " : " +
           type + ", " + type + ") maps [#row, #row] outputs [map, map] -> (" + type + ", " + type +
           ") {\n^bb0(%r0: tensor<4xf32>, %r1: tensor<4xf32>):\n" +
           "    %y = arith.addf %r0, %r1 : tensor<4xf32>\n" +
           "    program.yield %y, %r0 : tensor<4xf32>, tensor<4xf32>\n  }\n";
  }

  std::mt19937 random;
  std::string type = "tensor<4x4xf32>";
  std::vector<std::string> values;
};

/// Whether the plan of three random phases is right.
bool isPlanRight(unsigned seed, bool withGuard) {
  DialectRegistry registry;
  registry.insert<ProgramDialect, vernier::VernierDialect, func::FuncDialect, arith::ArithDialect,
                  tensor::TensorDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (withGuard)
      ADD_FAILURE() << "seed " << seed << ": " << diagnostic.str();
    return success();
  });
  std::string text = "#row = affine_map<(n) -> (n)>\n";
  for (unsigned phase = 0; phase < 3; ++phase)
    text += RandomPhase(3 * seed + phase).write("phase" + std::to_string(phase));
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  if (!module)
    return false;
  PassManager manager(&context);
  if (withGuard)
    manager.addNestedPass<func::FuncOp>(createGuardState());
  manager.addPass(createOutlineKernels());
  manager.addPass(createPlanMemory());
  manager.addPass(createVerifyPlan());
  return succeeded(manager.run(*module));
}

} // namespace

TEST(RandomPlan, EveryPlanIsRight) {
  for (unsigned seed = 0; seed < 400; ++seed)
    ASSERT_TRUE(isPlanRight(seed, /*withGuard=*/true)) << "seed " << seed;
}

// The check finds what copies are for.
TEST(RandomPlan, WithoutCopiesPlansAreWrong) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 20; ++seed)
    wrong += !isPlanRight(seed, /*withGuard=*/false);
  EXPECT_GT(wrong, 10u);
}
