//===- Program.h - A compiled program as the runtime executes it -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_PROGRAM_H
#define VERNIER_RUNTIME_PROGRAM_H

#include "runtime/KernelInterface.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace vernier::runtime {

enum class DType { F32, BF16, F64, I32, I64 };

/// Bytes of one element.
int64_t sizeOf(DType dtype);

using Shape = std::vector<int64_t>;

/// A compiled kernel: its functions stay valid as long as the object that
/// compiled them. `run` is called for each of `blocks`; then, if there is a
/// `finish` (it adds up the partial sums in the workspace), it for each of
/// `finishBlocks`.
struct Kernel {
  std::string name;
  VernierKernelFunction run = nullptr;
  VernierKernelFunction finish = nullptr;
  int32_t operands = 0, results = 0; ///< how many of a launch's offsets are which
  int64_t blocks = 0;
  int64_t finishBlocks = 0;
  int64_t scratchBytes = 0; ///< for each thread
  /// Bytes of each buffer of a launch, in the order of its offsets. Only guarded
  /// execution reads them (see Executor::setGuard).
  std::vector<int64_t> bufferBytes;
  double bytesMoved = 0; ///< read and written by a launch, for `bench`
  double flops = 0;      ///< useful, of a launch, for `bench`
};

/// One launch of a kernel. Offsets are bytes in the arena: the kernel's
/// operands, its results, and its workspace (always there; -1 if it has none).
struct Launch {
  int32_t kernel = 0;
  std::vector<int64_t> offsets;
};

/// result[m, n] = op(lhs) op(rhs) (+ result, with accumulate), f32, row-major
/// and dense; op(lhs) is [m, k], op(rhs) is [k, n].
struct Product {
  int64_t m = 0, n = 0, k = 0;
  bool transposeLhs = false, transposeRhs = false;
  bool accumulate = false;
  int64_t lhs = 0, rhs = 0, result = 0; ///< byte offsets in the arena
};

using Step = std::variant<Launch, Product>;

/// What a value that a phase takes or returns is (see `vernier.slot`).
enum class Role {
  Param,
  FirstMoment,
  SecondMoment,
  Steps,
  Gradient,
  Prepared,
  Ids,
  Targets,
  Divisor,
  Rate,
  Loss,
  GradientNorm,
  ClipFactor,
  Logits,
  ParamGradient,
  ScaleVector,
  GroupNorm
};

/// A value that the outside sees, and where it lies. `name` is the
/// parameter's, the scale vector's or the group's; inputs and results of a step
/// have none.
struct Slot {
  Role role = Role::Param;
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  int64_t offset = 0; ///< bytes in the arena
};

/// A function of the training graph: "prepare", "accumulate_first",
/// "accumulate", "update", "evaluate", "logits", "gradients", "gradient_norms",
/// "scales". Steps are in order of execution. Roles before `Ids` live between phases at one place;
/// the others only during the phase that takes or returns them.
struct Phase {
  std::string name;
  std::vector<Slot> inputs, outputs;
  std::vector<Step> steps;
};

/// Bytes that are put into the arena when the program is loaded.
struct Constant {
  int64_t offset = 0;
  std::vector<char> bytes;
};

/// How a parameter's entries start. The numbers of Normal come from the seed
/// and the parameter's name.
struct Initializer {
  enum class Kind { Constant, Normal } kind = Kind::Constant;
  double mean = 0; ///< or the constant
  double std = 0;
};

/// A tensor of a checkpoint, or rows [begin, end) of it (all, if end is 0).
struct StoredTensor {
  std::string name;
  int64_t begin = 0, end = 0;
};

/// A row of the table of parameters.
struct Parameter {
  std::string name;
  Shape shape;
  std::string kind;      ///< matrix, embedding, bias, scale, ...
  std::string site;      ///< q, gate, attention input, ... as the role analysis says
  std::string optimizer; ///< adamw
  bool decays = false;
  double decayToward = 0;
  std::string reason; ///< why it is in its decay group
  Initializer initializer;
  std::vector<StoredTensor> stored;
};

/// A scale vector as the model applies it (the phase `scales` computes it), and
/// where it stands, as the role analysis says.
struct ScaleVector {
  std::string name;           ///< of its slot
  std::string site, branches; ///< "attention-input", "q, k, v"
  int64_t layer = -1;         ///< -1: none
  std::string form;           ///< original, exponential; empty if it is a parameter
  int64_t magnitude = -1;     ///< the parameter that is its magnitude; -1: none
};

/// Bytes of the arena by what they hold: parameters, gradients, optimizer,
/// activations, workspace, inputs, constants.
struct MemoryClass {
  std::string name;
  int64_t bytes = 0;
};

struct Program {
  int64_t arenaBytes = 0;
  std::vector<MemoryClass> memory;
  std::vector<Constant> constants;
  std::vector<Kernel> kernels;
  std::vector<Phase> phases;
  std::vector<Parameter> parameters;
  std::vector<ScaleVector> scaleVectors;
  int64_t batch = 0, sequence = 0, vocabulary = 0;
  int32_t ignoreIndex = -100;

  /// Null if there is none of that name.
  const Phase *findPhase(const std::string &name) const;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_PROGRAM_H
