//===- ProgramChecks.cpp - Whether a program may be executed --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ProgramChecks.h"
#include <map>

using namespace vernier::runtime;

namespace {

class Checker {
public:
  explicit Checker(const Program &program) : program(program) {}
  Error check();

private:
  Error checkKernels();
  Error checkPhase(const Phase &phase);
  Error checkSlot(const Phase &phase, const Slot &slot);
  Error checkStep(const std::string &where, const Launch &launch);
  Error checkStep(const std::string &where, const Product &product);
  Error checkRange(const std::string &what, int64_t offset, int64_t bytes);

  const Program &program;
  std::map<std::pair<Role, std::string>, int64_t> places;
};

} // namespace

Error Checker::checkRange(const std::string &what, int64_t offset, int64_t bytes) {
  if (offset < 0 || bytes < 0 || offset > program.arenaBytes - bytes)
    return makeError("{0}: bytes [{1}, {2}) lie outside the arena of {3} bytes", what, offset,
                     offset + bytes, program.arenaBytes);
  if (offset % 64 != 0)
    return makeError("{0}: offset {1} is not a multiple of 64", what, offset);
  return Error::success();
}

Error Checker::checkKernels() {
  for (const Kernel &kernel : program.kernels) {
    if (!kernel.run)
      return makeError("kernel '{0}' has no code", kernel.name);
    if (kernel.blocks < 0 || kernel.finishBlocks < 0 || kernel.scratchBytes < 0)
      return makeError("kernel '{0}': {1} blocks, {2} to finish and {3} bytes of scratch; "
                       "none may be negative",
                       kernel.name, kernel.blocks, kernel.finishBlocks, kernel.scratchBytes);
  }
  return Error::success();
}

Error Checker::checkSlot(const Phase &phase, const Slot &slot) {
  std::string what =
      llvm::formatv("phase '{0}': value '{1}' of role {2}", phase.name, slot.name, int(slot.role));
  int64_t bytes = sizeOf(slot.dtype);
  for (int64_t size : slot.shape)
    bytes *= size;
  if (Error error = checkRange(what, slot.offset, bytes))
    return error;
  if (slot.role >= Role::Ids)
    return Error::success();
  auto [place, isNew] = places.try_emplace({slot.role, slot.name}, slot.offset);
  if (!isNew && place->second != slot.offset)
    return makeError("{0} is at offset {1}, elsewhere it is at {2}", what, slot.offset,
                     place->second);
  return Error::success();
}

Error Checker::checkStep(const std::string &where, const Launch &launch) {
  if (launch.kernel < 0 || size_t(launch.kernel) >= program.kernels.size())
    return makeError("{0}: kernel {1} of {2}", where, launch.kernel, program.kernels.size());
  const Kernel &kernel = program.kernels[launch.kernel];
  size_t expected = size_t(kernel.operands) + kernel.results + 1;
  if (launch.offsets.size() != expected)
    return makeError("{0}: kernel '{1}' takes {2} operands, {3} results and a workspace, but the "
                     "launch has {4} offsets",
                     where, kernel.name, kernel.operands, kernel.results, launch.offsets.size());
  for (size_t i = 0; i < expected; ++i) {
    bool noWorkspace = i + 1 == expected && launch.offsets[i] == -1;
    std::string what = llvm::formatv("{0}: buffer {1} of kernel '{2}'", where, i, kernel.name);
    if (!noWorkspace)
      if (Error error = checkRange(what, launch.offsets[i], 1))
        return error;
  }
  return Error::success();
}

Error Checker::checkStep(const std::string &where, const Product &product) {
  if (product.m < 1 || product.n < 1 || product.k < 1)
    return makeError("{0}: product {1} x {2} x {3} is empty", where, product.m, product.n,
                     product.k);
  if (Error error = checkRange(where + ": left operand", product.lhs, product.m * product.k * 4))
    return error;
  if (Error error = checkRange(where + ": right operand", product.rhs, product.k * product.n * 4))
    return error;
  return checkRange(where + ": result", product.result, product.m * product.n * 4);
}

Error Checker::checkPhase(const Phase &phase) {
  for (const std::vector<Slot> *slots : {&phase.inputs, &phase.outputs})
    for (const Slot &slot : *slots)
      if (Error error = checkSlot(phase, slot))
        return error;
  for (size_t i = 0; i < phase.steps.size(); ++i) {
    std::string where = llvm::formatv("phase '{0}', step {1}", phase.name, i);
    if (Error error =
            std::visit([&](const auto &step) { return checkStep(where, step); }, phase.steps[i]))
      return error;
  }
  return Error::success();
}

Error Checker::check() {
  for (const Constant &constant : program.constants)
    if (Error error = checkRange("constant", constant.offset, constant.bytes.size()))
      return error;
  if (Error error = checkKernels())
    return error;
  for (const Phase &phase : program.phases)
    if (Error error = checkPhase(phase))
      return error;
  return Error::success();
}

Error vernier::runtime::checkProgram(const Program &program) { return Checker(program).check(); }
