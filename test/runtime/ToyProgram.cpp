//===- ToyProgram.cpp - A program made by hand ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToyProgram.h"
#include <algorithm>
#include <cmath>

using namespace vernier::runtime;

namespace {

constexpr int64_t entries = 4;
int preparations = 0;

template <typename T> T *as(char *buffer) { return reinterpret_cast<T *>(buffer); }

void computeLoss(const int32_t *ids, const int32_t *targets, int64_t divisor, const float *w,
                 float *loss, float *gradient) {
  *loss = 0;
  for (int i = 0; i < 4; ++i)
    if (targets[i] != -100) {
      float difference = w[ids[i]] - targets[i];
      *loss += difference * difference / divisor;
      if (gradient)
        gradient[ids[i]] += 2 * difference / divisor;
    }
}

/// (ids, targets, divisor, w) -> (loss, gradient)
void lossFirst(char *const *buffers, char *, int64_t) {
  std::fill_n(as<float>(buffers[5]), entries, 0.0f);
  computeLoss(as<int32_t>(buffers[0]), as<int32_t>(buffers[1]), *as<int64_t>(buffers[2]),
              as<float>(buffers[3]), as<float>(buffers[4]), as<float>(buffers[5]));
}

/// (ids, targets, divisor, w, gradient) -> (loss, gradient), in place
void lossNext(char *const *buffers, char *, int64_t) {
  computeLoss(as<int32_t>(buffers[0]), as<int32_t>(buffers[1]), *as<int64_t>(buffers[2]),
              as<float>(buffers[3]), as<float>(buffers[5]), as<float>(buffers[6]));
}

/// (ids, targets, divisor, prepared) -> (loss)
void lossOfPrepared(char *const *buffers, char *, int64_t) {
  computeLoss(as<int32_t>(buffers[0]), as<int32_t>(buffers[1]), *as<int64_t>(buffers[2]),
              as<float>(buffers[3]), as<float>(buffers[4]), nullptr);
}

/// (w) -> (prepared)
void twice(char *const *buffers, char *, int64_t block) {
  as<float>(buffers[1])[block] = 2 * as<float>(buffers[0])[block];
  if (block == 0) // adding 0 in the other threads would race
    ++preparations;
}

/// (steps) -> (steps)
void count(char *const *buffers, char *, int64_t) { ++*as<int64_t>(buffers[1]); }

/// (gradient) -> (norm), with a partial sum of each block in the workspace
void squares(char *const *buffers, char *, int64_t block) {
  double value = as<float>(buffers[0])[block];
  as<double>(buffers[2])[block] = value * value;
}
void addSquares(char *const *buffers, char *, int64_t) {
  double sum = 0;
  for (int i = 0; i < entries; ++i)
    sum += as<double>(buffers[2])[i];
  *as<double>(buffers[1]) = std::sqrt(sum);
}

/// (norm) -> (clip)
void clip(char *const *buffers, char *, int64_t) {
  *as<float>(buffers[1]) = std::min(1.0, 1 / *as<double>(buffers[0]));
}

/// (w, gradient, rate, clip) -> (w), by way of the scratch memory
void descend(char *const *buffers, char *scratch, int64_t block) {
  *as<float>(scratch) = *as<float>(buffers[2]) * *as<float>(buffers[3]);
  as<float>(buffers[4])[block] =
      as<float>(buffers[0])[block] - *as<float>(scratch) * as<float>(buffers[1])[block];
}

// Where values lie. Squares and the clip factor share theirs, as a planner would.
enum Offset : int64_t {
  W = 0,
  Steps = 64,
  Gradient = 128,
  Prepared = 192,
  Ids = 256,
  Targets = 320,
  Divisor = 384,
  Loss = 448,
  Norm = 512,
  Clip = 576,
  Squares = 576,
  Rate = 640,
  Logits = 704,
  Table = 768, // a constant [3, 4]
  End = 832
};

Kernel makeKernel(const char *name, VernierKernelFunction run, int operands, int results,
                  int64_t blocks = 1) {
  Kernel kernel;
  kernel.name = name;
  kernel.run = run;
  kernel.operands = operands;
  kernel.results = results;
  kernel.blocks = blocks;
  return kernel;
}

enum KernelNumber { LossFirst, LossNext, LossOfPrepared, Twice, Count, NormOf, ClipOf, Descend };

std::vector<Kernel> makeKernels() {
  std::vector<Kernel> kernels = {
      makeKernel("loss_first", lossFirst, 4, 2),
      makeKernel("loss_next", lossNext, 5, 2),
      makeKernel("loss_of_prepared", lossOfPrepared, 4, 1),
      makeKernel("twice", twice, 1, 1, entries),
      makeKernel("count", count, 1, 1),
      makeKernel("norm", squares, 1, 1, entries),
      makeKernel("clip", clip, 1, 1),
      makeKernel("descend", descend, 4, 1, entries),
  };
  kernels[NormOf].finish = addSquares;
  kernels[NormOf].finishBlocks = 1;
  kernels[Descend].scratchBytes = 4;
  return kernels;
}

const Slot w = {Role::Param, "w", DType::F32, {entries}, W};
const Slot steps = {Role::Steps, "w", DType::I64, {}, Steps};
const Slot gradient = {Role::Gradient, "w", DType::F32, {entries}, Gradient};
const Slot prepared = {Role::Prepared, "w2", DType::F32, {entries}, Prepared};
const Slot ids = {Role::Ids, "", DType::I32, {1, 4}, Ids};
const Slot targets = {Role::Targets, "", DType::I32, {1, 4}, Targets};
const Slot divisor = {Role::Divisor, "", DType::I64, {}, Divisor};
const Slot loss = {Role::Loss, "", DType::F32, {}, Loss};

std::vector<Phase> makePhases() {
  Product logits; // [1, 3] = w [1, 4] times the transposed table
  logits.m = 1;
  logits.n = 3;
  logits.k = 4;
  logits.transposeRhs = true;
  logits.lhs = W;
  logits.rhs = Table;
  logits.result = Logits;
  return {
      {"prepare", {w}, {prepared}, {Launch{Twice, {W, Prepared, -1}}}},
      {"accumulate_first",
       {ids, targets, divisor, w},
       {loss, gradient},
       {Launch{LossFirst, {Ids, Targets, Divisor, W, Loss, Gradient, -1}}}},
      {"accumulate",
       {ids, targets, divisor, w, gradient},
       {loss, gradient},
       {Launch{LossNext, {Ids, Targets, Divisor, W, Gradient, Loss, Gradient, -1}}}},
      {"update",
       {w, steps, gradient, {Role::Rate, "", DType::F32, {}, Rate}},
       {{Role::GradientNorm, "", DType::F64, {}, Norm},
        {Role::ClipFactor, "", DType::F32, {}, Clip},
        w,
        steps},
       {Launch{Count, {Steps, Steps, -1}}, Launch{NormOf, {Gradient, Norm, Squares}},
        Launch{ClipOf, {Norm, Clip, -1}}, Launch{Descend, {W, Gradient, Rate, Clip, W, -1}}}},
      {"evaluate",
       {ids, targets, divisor, prepared},
       {loss},
       {Launch{LossOfPrepared, {Ids, Targets, Divisor, Prepared, Loss, -1}}}},
      {"logits", {ids, w}, {{Role::Logits, "", DType::F32, {1, 3}, Logits}}, {logits}},
      {"gradients", {w, gradient}, {{Role::ParamGradient, "w", DType::F32, {4}, Gradient}}, {}},
  };
}

} // namespace

int toy::countPreparations() { return preparations; }

void toy::putGradientsOverPrepared(Program &program) {
  for (Phase &phase : program.phases) {
    for (std::vector<Slot> *slots : {&phase.inputs, &phase.outputs})
      for (Slot &slot : *slots)
        if (slot.role == Role::Gradient) {
          slot.name = prepared.name;
          slot.offset = Prepared;
        }
    for (Step &step : phase.steps)
      if (auto *launch = std::get_if<Launch>(&step))
        std::replace(launch->offsets.begin(), launch->offsets.end(), int64_t(Gradient),
                     int64_t(Prepared));
  }
}

Program toy::makeProgram() {
  preparations = 0;
  Program program;
  program.arenaBytes = End;
  static const float table[] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1};
  auto *bytes = reinterpret_cast<const char *>(table);
  program.constants = {{Table, std::vector<char>(bytes, bytes + sizeof(table))}};
  program.kernels = makeKernels();
  program.phases = makePhases();
  Parameter parameter;
  parameter.name = "w";
  parameter.shape = {entries};
  program.parameters = {parameter};
  program.batch = 1;
  program.sequence = 4;
  program.vocabulary = 4;
  return program;
}
