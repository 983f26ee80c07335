//===- TrainingRun.cpp - A training run from start to end -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TrainingRun.h"
#include "runtime/Files.h"
#include "runtime/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <cmath>

using namespace vernier::runtime;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

namespace {
class Run {
public:
  Run(TrainingEngine &engine, const Recipe &recipe, const RunData &data, const RunOptions &options,
      MetricsFile metrics, llvm::raw_ostream &log)
      : engine(engine), recipe(recipe), data(data), options(options),
        schedule(recipe.getSchedule()), metrics(std::move(metrics)),
        progress(log, options.inPlace, recipe.steps, recipe.logEvery), state(options.start) {
    state.data = data.checksum;
    state.engine = engine.getName().str();
  }

  Expected<RunResult> run();

private:
  Error step();
  Expected<std::vector<Batch>> readStep() const;
  Error record(const StepResult &result, int64_t tokens);
  bool isStatisticsDue(int64_t step) const;
  Error recordStatistics(StepResult result);
  Error validate();
  Error validateAndSaveIfDue();
  Expected<std::string> save();

  TrainingEngine &engine;
  const Recipe &recipe;
  const RunData &data;
  const RunOptions &options;
  RateSchedule schedule;
  MetricsFile metrics;
  ProgressLog progress;
  RunState state;
  std::string nonFinite; // what was not finite, and where
  Clock::time_point begin = Clock::now();
  double lastElapsed = 0; // of the step before
};
} // namespace

/// The micro-batches from the cursor on.
Expected<std::vector<Batch>> Run::readStep() const {
  std::vector<Batch> batches;
  for (int64_t i = 0; i < recipe.accumulate; ++i) {
    auto batch = readBatch(*data.training, data.options, state.cursor + i * data.options.batch);
    if (!batch)
      return batch.takeError();
    batches.push_back(std::move(*batch));
  }
  return batches;
}

Error Run::step() {
  auto batches = readStep();
  if (!batches) { // the state is that of the step before: worth keeping
    auto saved = save();
    return llvm::joinErrors(batches.takeError(), saved.takeError());
  }
  int64_t tokens = 0;
  for (const Batch &batch : *batches)
    tokens += batch.validTargets;
  StepResult result;
  if (tokens == 0) {
    progress.note(
        llvm::formatv("step {0}: no target is valid: loss 0, no update", state.step + 1).str());
  } else {
    engine.setGroupNorms(isStatisticsDue(state.step + 1));
    auto done = engine.step(*batches, schedule.rateAt(state.step));
    if (!done)
      return done.takeError();
    result = std::move(*done);
  }
  if (!result.nonFinite.empty()) {
    nonFinite = llvm::formatv("step {0}: {1} is not finite; nothing was updated", state.step + 1,
                              result.nonFinite);
    return Error::success();
  }
  ++state.step;
  state.cursor += recipe.accumulate * data.options.batch;
  if (Error error = record(result, tokens))
    return error;
  return isStatisticsDue(state.step) ? recordStatistics(std::move(result)) : Error::success();
}

bool Run::isStatisticsDue(int64_t step) const {
  return recipe.statisticsEvery > 0 && (step % recipe.statisticsEvery == 0 || step == recipe.steps);
}

Error Run::recordStatistics(StepResult result) {
  auto scales = summarizeScales(engine);
  if (!scales)
    return scales.takeError();
  return metrics.add(
      StatisticsRecord{state.step, std::move(result.groupNorms), std::move(*scales)});
}

Error Run::record(const StepResult &result, int64_t tokens) {
  StepRecord record;
  record.step = state.step;
  record.loss = result.loss;
  record.gradientNorm = result.gradientNorm;
  record.clipFactor = result.clipFactor;
  record.rate = schedule.rateAt(state.step - 1);
  record.tokens = tokens;
  record.elapsed = secondsSince(begin);
  record.seconds = record.elapsed - lastElapsed;
  lastElapsed = record.elapsed;
  progress.add(record);
  return metrics.add(record);
}

/// The mean loss over the valid targets of the first rows, in order.
Error Run::validate() {
  uint64_t rows = data.validation->countRows();
  if (recipe.validationRows > 0)
    rows = std::min<uint64_t>(rows, recipe.validationRows);
  ValidationRecord record;
  record.step = state.step;
  double sum = 0;
  for (uint64_t cursor = 0; cursor < rows; cursor += data.options.batch) {
    auto batch = readBatch(*data.validation, data.options, cursor, rows);
    if (!batch)
      return batch.takeError();
    if (batch->validTargets == 0)
      continue;
    auto loss = engine.evaluate(*batch, batch->validTargets);
    if (!loss)
      return loss.takeError();
    sum += *loss * batch->validTargets;
    record.tokens += batch->validTargets;
  }
  record.loss = record.tokens ? sum / record.tokens : 0;
  if (!std::isfinite(record.loss)) {
    nonFinite = llvm::formatv("step {0}: the validation loss is not finite", state.step);
    return Error::success();
  }
  progress.add(record);
  return metrics.add(record);
}

Expected<std::string> Run::save() {
  return saveCheckpoint(options.folder, engine, {options.graph, recipe.toYaml()}, state,
                        recipe.keep);
}

Error Run::validateAndSaveIfDue() {
  bool isLast = state.step == recipe.steps;
  if (data.validation && (isLast || state.step % recipe.validateEvery == 0))
    if (Error error = validate()) { // as in step: the training so far is worth keeping
      auto saved = save();
      return llvm::joinErrors(std::move(error), saved.takeError());
    }
  if (nonFinite.empty() && !isLast && recipe.saveEvery > 0 && state.step % recipe.saveEvery == 0)
    return save().takeError();
  return Error::success();
}

Expected<RunResult> Run::run() {
  RunEnd end = RunEnd::Finished;
  while (end == RunEnd::Finished && state.step < recipe.steps) {
    if (Error error = step())
      return std::move(error);
    if (nonFinite.empty())
      if (Error error = validateAndSaveIfDue())
        return std::move(error);
    if (!nonFinite.empty())
      end = RunEnd::NonFinite;
    else if (state.step == recipe.steps)
      break;
    else if (getInterrupt())
      end = RunEnd::Interrupted;
    else if (state.step == options.stopAfter)
      end = RunEnd::Stopped;
  }
  auto saved = save();
  if (!saved)
    return saved.takeError();
  if (end == RunEnd::NonFinite)
    return RunResult{end, llvm::formatv("{0}; the weights of step {1} are in {2}", nonFinite,
                                        state.step, *saved)};
  if (end == RunEnd::Finished)
    progress.note(*saved + " saved");
  else
    progress.note(*saved + " saved; continue with: vernier train --resume=" + options.folder);
  return RunResult{end, ""};
}

Expected<RunResult> vernier::runtime::runTraining(TrainingEngine &engine, const Recipe &recipe,
                                                  const RunData &data, const RunOptions &options,
                                                  llvm::raw_ostream &log) {
  if (Error error = writeFileAtomically(options.folder + "/recipe.yaml", recipe.toYaml()))
    return std::move(error);
  if (Error error = writeFileAtomically(options.folder + "/parameters.txt", options.parameterTable))
    return std::move(error);
  auto metrics = MetricsFile::open(options.folder + "/metrics.jsonl", options.start.step);
  if (!metrics)
    return metrics.takeError();
  if (int64_t dropped = metrics->countDropped())
    log << llvm::formatv("warning: {0}/metrics.jsonl: {1} lines are no records, and were dropped\n",
                         options.folder, dropped);
  return Run(engine, recipe, data, options, std::move(*metrics), log).run();
}
