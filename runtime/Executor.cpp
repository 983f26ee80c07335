//===- Executor.cpp - Runs the phases of a program ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor.h"
#include "runtime/ProgramChecks.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstring>

using namespace vernier::runtime;

const Slot *vernier::runtime::findSlot(const std::vector<Slot> &slots, Role role,
                                       llvm::StringRef name) {
  for (const Slot &slot : slots)
    if (slot.role == role && slot.name == name)
      return &slot;
  return nullptr;
}

int64_t vernier::runtime::countEntries(const Slot &slot) {
  int64_t entries = 1;
  for (int64_t size : slot.shape)
    entries *= size;
  return entries;
}

Expected<std::unique_ptr<Executor>> Executor::create(const Program &program, int threads) {
  if (Error error = checkProgram(program))
    return std::move(error);
  std::unique_ptr<Executor> executor(new Executor(program, threads));
  if (Error error = executor->load())
    return std::move(error);
  return std::move(executor);
}

Error Executor::load() {
  Expected<Arena> allocated = Arena::allocate(program.arenaBytes);
  if (!allocated)
    return allocated.takeError();
  arena = std::move(*allocated);
  for (const Constant &constant : program.constants)
    std::memcpy(arena.data() + constant.offset, constant.bytes.data(), constant.bytes.size());
  for (const Phase &phase : program.phases)
    for (const Step &step : phase.steps)
      if (auto *product = std::get_if<Product>(&step))
        if (Error error = products.prepare(*product))
          return error;
  if (Error error = products.allocate())
    return error;
  return allocateScratch();
}

Error Executor::allocateScratch() {
  for (const Kernel &kernel : program.kernels)
    scratchBytes = std::max<int64_t>(scratchBytes, llvm::alignTo(kernel.scratchBytes, 64));
  Expected<Arena> allocated = Arena::allocate(scratchBytes * team.size(), "the kernels' scratch");
  if (!allocated)
    return allocated.takeError();
  scratch = std::move(*allocated);
  return Error::success();
}

/// The buffers of a launch, and the scratch of each thread, for messages.
static std::vector<Guard::Buffer> describeBuffers(const Kernel &kernel, int threads) {
  std::vector<Guard::Buffer> buffers;
  buffers.reserve(kernel.bufferBytes.size() + threads);
  int64_t next = 0;
  for (int64_t i = 0; i < kernel.operands; ++i)
    buffers.push_back({"operand " + std::to_string(i), kernel.bufferBytes[next++], false});
  for (int64_t i = 0; i < kernel.results; ++i)
    buffers.push_back({"result " + std::to_string(i), kernel.bufferBytes[next++], true});
  buffers.push_back({"workspace", kernel.bufferBytes[next], true});
  buffers.insert(buffers.end(), threads, {"scratch", kernel.scratchBytes, true});
  return buffers;
}

Error Executor::runStep(const std::string &where, const Launch &launch) {
  const Kernel &kernel = program.kernels[launch.kernel];
  llvm::SmallVector<char *, 16> places; // of the buffers, then of each thread's scratch
  for (int64_t offset : launch.offsets)
    places.push_back(offset < 0 ? nullptr : arena.data() + offset);
  for (int thread = 0; thread < team.size(); ++thread)
    places.push_back(scratch.data() + scratchBytes * thread);
  if (guard)
    if (Error error = guard->enter(where + "kernel '" + kernel.name + "'",
                                   describeBuffers(kernel, team.size()), places))
      return error;
  auto call = [&](VernierKernelFunction function, int64_t blocks) {
    team.parallelFor(blocks, [&](int64_t block, int thread) {
      function(places.data(), places[launch.offsets.size() + thread], block);
    });
  };
  call(kernel.run, kernel.blocks);
  if (kernel.finish)
    call(kernel.finish, kernel.finishBlocks);
  return guard ? guard->leave() : Error::success();
}

Error Executor::runStep(const std::string &where, const Product &product) {
  if (!guard)
    return products.run(product, arena.data());
  std::vector<Guard::Buffer> buffers = {{"left operand", product.m * product.k * 4, false},
                                        {"right operand", product.k * product.n * 4, false},
                                        {"result", product.m * product.n * 4, true}};
  char *places[] = {arena.data() + product.lhs, arena.data() + product.rhs,
                    arena.data() + product.result};
  std::string name = llvm::formatv("product {0} x {1} x {2}", product.m, product.n, product.k);
  if (Error error = guard->enter(where + name, buffers, places))
    return error;
  Product moved = product; // to offsets that leave the arena
  moved.lhs = places[0] - arena.data();
  moved.rhs = places[1] - arena.data();
  moved.result = places[2] - arena.data();
  Error error = products.run(moved, arena.data());
  return llvm::joinErrors(std::move(error), guard->leave());
}

Error Executor::setGuard(GuardSide side, std::string subject) {
  guard = side == GuardSide::Off ? nullptr : std::make_unique<Guard>(side, std::move(subject));
  for (const Kernel &kernel : program.kernels)
    if (guard && kernel.bufferBytes.size() != size_t(kernel.operands) + kernel.results + 1)
      return makeError("kernel '{0}' does not say how large its buffers are", kernel.name);
  return Error::success();
}

/// Keeps constants, what lives from phase to phase, and the phase's inputs.
/// Nothing of what lies beside the arena outlives a step.
void Executor::poisonTransientMemory(const Phase &phase) {
  std::map<int64_t, int64_t> kept; // begin to end
  auto keep = [&](int64_t begin, int64_t bytes) {
    int64_t &end = kept[begin];
    end = std::max(end, begin + bytes);
  };
  for (const Constant &constant : program.constants)
    keep(constant.offset, constant.bytes.size());
  for (const Phase &other : program.phases)
    for (const std::vector<Slot> *slots : {&other.inputs, &other.outputs})
      for (const Slot &slot : *slots)
        if (slot.role < Role::Ids || (&other == &phase && slots == &phase.inputs))
          keep(slot.offset, getBytes(slot).size());
  kept[arena.size()] = arena.size();
  int64_t begin = 0;
  for (auto [keptBegin, keptEnd] : kept) {
    if (begin < keptBegin)
      std::memset(arena.data() + begin, 0xff, keptBegin - begin);
    begin = std::max(begin, keptEnd);
  }
  std::fill_n(scratch.data(), scratch.size(), '\xff');
  products.poisonWorkspace();
}

Error Executor::run(const Phase &phase, size_t begin, size_t end) {
  using Clock = std::chrono::steady_clock;
  if (poison && begin == 0)
    poisonTransientMemory(phase);
  for (size_t i = begin; i < end; ++i) {
    Clock::time_point start = observer ? Clock::now() : Clock::time_point();
    std::string where = guard ? llvm::formatv("phase '{0}', step {1}: ", phase.name, i).str() : "";
    auto runIt = [&](const auto &step) { return runStep(where, step); };
    if (Error error = std::visit(runIt, phase.steps[i]))
      return error;
    if (observer)
      observer(phase.steps[i], std::chrono::duration<double>(Clock::now() - start).count());
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Which step writes what
//===----------------------------------------------------------------------===//

/// Whether a result of the step begins where the value lies or within it (a
/// kernel may write several values that are neighbours).
static bool writes(const Program &program, const Step &step, const Slot &slot) {
  int64_t begin = slot.offset, end = begin + countEntries(slot) * sizeOf(slot.dtype);
  auto hits = [&](int64_t offset) { return offset >= begin && offset < end; };
  if (auto *product = std::get_if<Product>(&step))
    return hits(product->result);
  const Launch &launch = std::get<Launch>(step);
  const Kernel &kernel = program.kernels[launch.kernel];
  auto results = llvm::ArrayRef<int64_t>(launch.offsets).slice(kernel.operands, kernel.results);
  return llvm::any_of(results, hits);
}

size_t vernier::runtime::findStepsUpTo(const Program &program, const Phase &phase,
                                       const Slot &output) {
  for (size_t i = phase.steps.size(); i > 0; --i)
    if (writes(program, phase.steps[i - 1], output))
      return i;
  return 0;
}

std::vector<const Slot *>
vernier::runtime::findOutputsWrittenBefore(const Program &program, const Phase &phase, size_t end) {
  std::vector<const Slot *> written;
  for (const Slot &slot : phase.outputs)
    for (size_t i = 0; i < end; ++i)
      if (writes(program, phase.steps[i], slot)) {
        written.push_back(&slot);
        break;
      }
  return written;
}
