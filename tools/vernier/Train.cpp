//===- Train.cpp - vernier train ------------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "RecipeFlags.h"
#include "ResumeGraph.h"
#include "Subcommands.h"
#include "runtime/Files.h"
#include "runtime/Interrupt.h"
#include "runtime/RunLock.h"
#include "runtime/TrainingRun.h"
#include "vernier/Model/ParameterTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace vernier;
using runtime::makeError;

static cl::SubCommand command("train", "Train a model graph, or continue a run");
static cl::opt<std::string> modelPath(cl::Positional, cl::sub(command),
                                      cl::value_desc("model.mlir"), cl::desc("<model.mlir>"));
static cl::opt<std::string> recipePath("recipe", cl::sub(command), cl::value_desc("file"),
                                       cl::desc("YAML file of the flags below; flags win"));
static cl::opt<std::string> out("out", cl::sub(command), cl::value_desc("folder"),
                                cl::desc("New folder for checkpoints, recipe and metrics"));
static cl::opt<std::string> resumePath("resume", cl::sub(command), cl::value_desc("run"),
                                       cl::desc("Continue a run, bit for bit"));
static cl::opt<int64_t> stopAfter("stop-after", cl::sub(command), cl::value_desc("n"),
                                  cl::desc("Save and stop after this step, to be resumed"));
static ReferenceFlag referenceFlag(command);
static CheckFlags checkFlags(command);
static RecipeFlags recipeFlags(command);

// Beside 0 and 1: a loss or gradient was not finite; 128 + the number of a
// signal, after which the step was finished and saved.
static constexpr int exitNonFinite = 3, exitSignal = 128;

//===----------------------------------------------------------------------===//
// New and resumed runs
//===----------------------------------------------------------------------===//

namespace {
/// What the command line asks for.
struct Job {
  runtime::Recipe recipe;
  runtime::RunOptions options;
  std::string modelPath;
  std::optional<runtime::Checkpoint> checkpoint; ///< of a resumed run
  runtime::RunLock lock;
};
} // namespace

/// The recipe file and the flags, on top of what `recipe` is.
static Error applyRecipe(runtime::Recipe &recipe) {
  if (!recipePath.empty())
    if (Error error = runtime::readRecipe(recipePath, recipe))
      return error;
  return recipeFlags.apply(recipe);
}

/// So that the run can be resumed from any folder.
static void makePathsAbsolute(runtime::Recipe &recipe) {
  auto makeAbsolute = [](std::string &path) {
    SmallString<128> absolute(path);
    if (!path.empty() && !sys::fs::make_absolute(absolute))
      path = absolute.str().str();
  };
  for_each(recipe.data, makeAbsolute);
  for_each(recipe.val, makeAbsolute);
  makeAbsolute(recipe.weights);
}

static Expected<Job> planNewRun() {
  Job job;
  if (modelPath.empty())
    return makeError("train needs a model graph, or --resume");
  if (out.empty())
    return makeError("train needs --out, the folder of the new run");
  if (Error error = runtime::checkNewFolder(out))
    return std::move(error);
  job.modelPath = modelPath;
  job.options.folder = out;
  if (Error error = applyRecipe(job.recipe))
    return std::move(error);
  if (Error error = job.recipe.resolve())
    return std::move(error);
  makePathsAbsolute(job.recipe);
  return job;
}

/// The recipe of a resumed run, and the graph that it goes on with.
static Error planRecipe(Job &job, const runtime::Checkpoint &checkpoint) {
  if (Error error = runtime::readRecipe(checkpoint.getRecipePath(), job.recipe))
    return error;
  const runtime::Recipe saved = job.recipe;
  if (Error error = applyRecipe(job.recipe))
    return error;
  makePathsAbsolute(job.recipe);
  GraphBatches batches;
  job.modelPath = checkpoint.getGraphPath();
  if (!modelPath.empty()) {
    auto compared = compareGraphs(modelPath, checkpoint);
    if (!compared)
      return compared.takeError();
    batches = *compared;
    job.modelPath = modelPath;
  }
  return runtime::checkResumedRecipe(
      job.recipe, saved, {job.options.folder, checkpoint.state.step, batches.given, batches.saved});
}

static Expected<Job> planResumedRun() {
  Job job;
  auto folder = runtime::findRun(resumePath);
  if (!folder)
    return folder.takeError();
  job.options.folder = *folder;
  if (!out.empty() && !sys::fs::equivalent(out, job.options.folder))
    return makeError("--out={0}: a resumed run goes on in its own folder {1}", out,
                     job.options.folder);
  if (runtime::isCheckpoint(resumePath)) { // before the other process tidies up
    auto lock = runtime::RunLock::acquire(job.options.folder);
    if (!lock)
      return lock.takeError();
    job.lock = std::move(*lock);
  }
  auto checkpoint = runtime::openCheckpoint(resumePath);
  if (!checkpoint)
    return checkpoint.takeError();
  job.options.start = checkpoint->state;
  if (Error error = planRecipe(job, *checkpoint))
    return std::move(error);
  if (Error error = job.recipe.resolve())
    return std::move(error);
  job.checkpoint = std::move(*checkpoint);
  return job;
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

static OptimizerOptions getOptimizer(const runtime::Recipe &recipe) {
  return {recipe.beta1, recipe.beta2, recipe.epsilon, recipe.weightDecay, recipe.clip};
}

static std::string printTable(const ModelFile &model, const runtime::Recipe &recipe) {
  std::string text;
  raw_string_ostream stream(text);
  printParameterTable(*model.module, stream, {recipe.rate, recipe.weightDecay});
  printParameterCounts(*model.module, stream);
  return text;
}

/// Weights and optimizer state of the first step.
static Error start(runtime::TrainingEngine &engine, const Job &job) {
  if (!job.checkpoint)
    return runtime::startEngine(engine, job.recipe);
  if (StringRef then = job.checkpoint->state.engine; then != engine.getName())
    return makeError("{0}: cannot resume with the {1} engine: the run is trained with the {2} one",
                     job.options.folder, engine.getName(), then);
  if (Error error = runtime::loadWeights(job.checkpoint->folder, engine))
    return error;
  return runtime::loadOptimizer(*job.checkpoint, engine);
}

/// Another version may round differently: said, not refused.
static void warnOfOtherVersion(const runtime::Checkpoint &checkpoint) {
  if (std::string ours = runtime::getProgramVersion(); checkpoint.writtenBy != ours)
    WithColor::warning() << checkpoint.folder << " was written by " << checkpoint.writtenBy
                         << ", this is " << ours << ": the run may not go on bit for bit\n";
}

/// What has to be so before the first step: weights and optimizer state, and the
/// folder, which is this process's alone.
static Error begin(runtime::TrainingEngine &engine, Job &job) {
  if (Error error = start(engine, job))
    return error;
  if (job.checkpoint) {
    warnOfOtherVersion(*job.checkpoint);
    return runtime::makeLatest(*job.checkpoint);
  }
  if (Error error = runtime::createRunFolder(job.options.folder))
    return error;
  auto lock = runtime::RunLock::acquire(job.options.folder);
  if (!lock)
    return lock.takeError();
  job.lock = std::move(*lock);
  return Error::success();
}

/// A branch that takes the optimizer's state with it, as the decay of WSD does,
/// sees the data go on where its trunk is, if they are the same in the same order.
static Error continueData(Job &job, const runtime::RunData &data) {
  if (!runtime::isCheckpoint(job.recipe.weights))
    return Error::success(); // which is an error when the weights are loaded
  auto trunk = runtime::openCheckpoint(job.recipe.weights);
  if (!trunk)
    return trunk.takeError();
  runtime::Recipe recipe;
  if (Error error = runtime::readRecipe(trunk->getRecipePath(), recipe))
    return error;
  if (trunk->state.data != data.checksum || recipe.seed != job.recipe.seed)
    return Error::success();
  Session session;
  auto graph = loadModelFile(session, trunk->getGraphPath());
  if (!graph)
    return makeError("{0}: cannot be read as a model graph", trunk->getGraphPath());
  if (graph->interface.sequence != data.options.sequence)
    return Error::success();
  job.options.start.cursor = trunk->state.cursor;
  outs() << formatv("the data go on behind the {0:N} rows that {1} has seen; another --seed would "
                    "begin anew\n",
                    trunk->state.cursor, trunk->folder);
  return Error::success();
}

static Expected<runtime::RunResult> trainWith(runtime::TrainingEngine &engine, Job &job,
                                              const runtime::RunData &data) {
  if (Error error = begin(engine, job))
    return std::move(error);
  runtime::catchInterrupts();
  return runtime::runTraining(engine, job.recipe, data, job.options, outs());
}

static Expected<runtime::RunResult> train(Job &job, const ModelFile &model) {
  const ModelInterface &interface = model.interface;
  auto reference = referenceFlag.get();
  if (!reference)
    return reference.takeError();
  auto data = runtime::openRunData(job.recipe, {interface.batch, interface.sequence,
                                                interface.vocabulary, interface.ignoreIndex});
  if (!data)
    return data.takeError();
  Error settled = job.checkpoint ? runtime::checkResumedData(*data, job.recipe, job.options.start,
                                                             job.options.folder)
                  : job.recipe.withOptimizer ? continueData(job, *data)
                                             : Error::success();
  if (settled)
    return std::move(settled);
  job.options.graph = model.text;
  job.options.parameterTable = printTable(model, job.recipe);
  if (stopAfter.getNumOccurrences() &&
      (stopAfter <= job.options.start.step || stopAfter > job.recipe.steps))
    return makeError("--stop-after: expected a step from {0} to {1}, found {2}",
                     job.options.start.step + 1, job.recipe.steps, stopAfter.getValue());
  job.options.stopAfter = stopAfter;
  job.options.inPlace = sys::Process::StandardOutIsDisplayed();
  if (*reference) {
    if (Error error = checkFlags.refuse())
      return std::move(error);
    auto engine = makeReferenceEngine(model, getOptimizer(job.recipe), **reference);
    return engine ? trainWith(**engine, job, *data) : engine.takeError();
  }
  CompileOptions options;
  options.optimizer = getOptimizer(job.recipe);
  options.microBatches = job.recipe.accumulate;
  options.scaleSide = job.recipe.scaleSide;
  options.phases = {"prepare", "accumulate_first", "update", "evaluate"};
  if (options.microBatches > 1)
    options.phases.push_back("accumulate");
  if (job.recipe.statisticsEvery > 0)
    options.phases.insert(options.phases.end(), {"gradient_norms", "scales"});
  auto compiled = compileModel(model, options, job.recipe.threads, outs());
  if (!compiled)
    return compiled.takeError();
  if (Error error = checkFlags.apply(compiled->engine->getExecutor()))
    return std::move(error);
  return trainWith(*compiled->engine, job, *data);
}

static int run() {
  auto job = resumePath.empty() ? planNewRun() : planResumedRun();
  if (!job)
    return fail(job.takeError());
  Session session;
  auto model = loadModelFile(session, job->modelPath);
  if (!model)
    return 1;
  auto result = train(*job, *model);
  if (!result)
    return fail(result.takeError());
  switch (result->end) {
  case runtime::RunEnd::Finished:
  case runtime::RunEnd::Stopped:
    return 0;
  case runtime::RunEnd::Interrupted:
    return exitSignal + runtime::getInterrupt();
  case runtime::RunEnd::NonFinite:
    fail(makeError("{0}", result->reason));
    return exitNonFinite;
  }
  return 1;
}

const Subcommand vernier::trainSubcommand{command, run};
