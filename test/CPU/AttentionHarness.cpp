//===- AttentionHarness.cpp - Compiles and runs attention kernels ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionHarness.h"
#include "TestTargets.h"
#include "mlir/Parser/Parser.h"
#include "vernier/CPU/Kernels.h"
#include "vernier/CPU/Passes.h"
#include "vernier/Compiler/RegisterAll.h"
#include "vernier/Program/Geometry.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <random>

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

// Before and after a buffer, in units of f32: one vector of any target, and a
// multiple of the alignment.
static constexpr int64_t kGuard = 16;

GuardedBuffer::GuardedBuffer(int64_t floats)
    : count(floats), memory(new float[count + 3 * kGuard]) {
  std::fill_n(memory.get(), count + 3 * kGuard, NAN);
}

GuardedBuffer::GuardedBuffer(const Floats &contents) : GuardedBuffer(int64_t(contents.size())) {
  std::copy(contents.begin(), contents.end(), floats());
}

float *GuardedBuffer::floats() const {
  float *begin = memory.get() + kGuard;
  auto address = reinterpret_cast<uintptr_t>(begin);
  return begin + int64_t(llvm::offsetToAlignment(address, llvm::Align(4 * kGuard)) / 4);
}

bool GuardedBuffer::isIntact() const {
  auto isNaN = [](float value) { return std::isnan(value); };
  return std::all_of(memory.get(), floats(), isNaN) &&
         std::all_of(floats() + count, memory.get() + count + 3 * kGuard, isNaN);
}

static std::string printTensor(const AttentionShape &s, int64_t heads, bool dims = true) {
  std::string last = dims ? llvm::formatv("{0}x", s.headDim).str() : "";
  return llvm::formatv("tensor<{0}x{1}x{2}x{3}f32>", s.batch, s.sequence, heads, last);
}

std::string test::printKernel(const AttentionShape &s, bool backward) {
  std::string query = printTensor(s, s.heads), key = printTensor(s, s.keyHeads);
  std::string sums = printTensor(s, s.heads, false);
  std::string type =
      backward
          ? llvm::formatv("({0}, {0}, {1}, {1}, {0}, {2}) -> ({0}, {1}, {1})", query, key, sums)
                .str()
          : llvm::formatv("({0}, {1}, {1}) -> ({0}, {2})", query, key, sums).str();
  std::string options = llvm::formatv(" scale {0:e17}", s.scale);
  if (s.causal)
    options += " causal";
  if (s.window)
    options += llvm::formatv(" window {0}", s.window);
  if (backward)
    options += " backward";
  return "program.attention_kernel @kernel " + type + options;
}

MLIRContext &test::getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllPasses();
    auto *result = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    result->loadAllAvailableDialects();
    return result;
  }();
  return *context;
}

AttentionKernel test::compileAttention(const AttentionShape &shape, bool backward,
                                       const std::string &name) {
  AttentionKernel result;
  MLIRContext &context = getContext();
  auto module = parseSourceString<ModuleOp>(printKernel(shape, backward), &context);
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  std::optional<cpu::CPUTarget> target = findTestTarget(name);
  if (!module || !target)
    return result;
  result.blocks = program::getGeometry(&*module->getBody()->begin()).blocks;
  auto start = std::chrono::steady_clock::now();
  auto objects = cpu::compileKernels(*module, *target);
  result.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (failed(objects))
    return result;
  result.scratchBytes = objects->scratchBytes.lookup("kernel");
  result.code = cpu::LoadedCode::load(std::move(objects->files), emitError);
  if (result.code)
    result.run = result.code->lookup("kernel");
  return result;
}

AttentionInputs test::makeInputs(const AttentionShape &shape, uint32_t seed) {
  std::mt19937 random(seed);
  auto fill = [&](int64_t count) {
    Floats values(count);
    for (float &value : values)
      value = float(int32_t(random() >> 8) - (1 << 23)) / (1 << 23);
    return values;
  };
  int64_t queries = shape.queryRows() * shape.headDim, keys = shape.keyRows() * shape.headDim;
  return {fill(queries), fill(keys), fill(keys), fill(queries)};
}

static bool runBlocks(const AttentionKernel &kernel,
                      llvm::ArrayRef<const GuardedBuffer *> buffers) {
  std::vector<char *> addresses;
  for (const GuardedBuffer *buffer : buffers)
    addresses.push_back(buffer->data());
  addresses.push_back(nullptr);
  GuardedBuffer scratch(kernel.scratchBytes / 4);
  for (int64_t block = 0; block < kernel.blocks; ++block)
    kernel.run(addresses.data(), scratch.data(), block);
  return scratch.isIntact() &&
         llvm::all_of(buffers, [](const GuardedBuffer *buffer) { return buffer->isIntact(); });
}

static Floats contents(const GuardedBuffer &buffer) {
  return Floats(buffer.floats(), buffer.floats() + buffer.size());
}

ComputedAttention test::runAttention(const AttentionShape &shape, const AttentionInputs &in,
                                     const AttentionKernel &forward,
                                     const AttentionKernel &backward) {
  GuardedBuffer query(in.query), key(in.key), value(in.value), gradient(in.outputGradient);
  GuardedBuffer output(query.size()), sums(shape.queryRows());
  GuardedBuffer queryGradient(query.size()), keyGradient(key.size()), valueGradient(key.size());
  ComputedAttention result;
  result.intact = runBlocks(forward, {&query, &key, &value, &output, &sums});
  result.intact &= runBlocks(backward, {&gradient, &query, &key, &value, &output, &sums,
                                        &queryGradient, &keyGradient, &valueGradient});
  result.output = contents(output);
  result.logSumExp = contents(sums);
  result.queryGradient = contents(queryGradient);
  result.keyGradient = contents(keyGradient);
  result.valueGradient = contents(valueGradient);
  return result;
}
