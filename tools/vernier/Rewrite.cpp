//===- Rewrite.cpp - vernier rewrite --------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "ModelState.h"
#include "Subcommands.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "runtime/Files.h"
#include "runtime/Folders.h"
#include "vernier/Model/ParameterTable.h"
#include "vernier/Scale/ParameterValues.h"
#include "vernier/Scale/Passes.h"
#include "vernier/Scale/Rewrites.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace vernier;
using runtime::makeError;

static cl::SubCommand command("rewrite", "Change the scale strategy of a model graph, or of a run: "
                                         "its weights and AdamW's state follow");
static cl::opt<std::string> input(cl::Positional, cl::sub(command), cl::Required,
                                  cl::value_desc("run"),
                                  cl::desc("<run, checkpoint or model.mlir>"));
static cl::opt<std::string> strategy("strategy", cl::sub(command), cl::value_desc("preset"),
                                     cl::desc("unified, or several of hg, dp, dnp, or, er, iwd "
                                              "joined by +"));
static cl::opt<std::string> normAxis("norm-axis", cl::sub(command), cl::init("vector"),
                                     cl::value_desc("axis"),
                                     cl::desc("Of dnp: vector, or head for q, k and v"));
static cl::opt<std::string> passes("passes", cl::sub(command), cl::value_desc("pipeline"),
                                   cl::desc("Passes instead of a strategy, as in "
                                            "\"vernier-split-scale{branches=q,k}\""));
static cl::opt<std::string> output("out", cl::sub(command), cl::Required, cl::value_desc("path"),
                                   cl::desc("New folder of a run, or file for a graph"));
static cl::alias outputAlias("o", cl::aliasopt(output), cl::desc("--out"));

static Error checkOptions() {
  if (strategy.empty() == passes.empty())
    return makeError("rewrite needs either --strategy or --passes");
  if (normAxis.getNumOccurrences() && strategy.empty())
    return makeError("--norm-axis goes with --strategy; passes have their own options");
  if (!sys::fs::exists(input))
    return makeError("{0}: there is no such file or folder", input);
  if (output != "-" && sys::fs::exists(output))
    return makeError("{0}: exists already; choose another --out", output);
  return Error::success();
}

static Error addPasses(mlir::PassManager &pm) {
  if (!strategy.empty()) {
    ScaleStrategyOptions options;
    options.preset = strategy;
    options.normAxis = normAxis;
    pm.addPass(createScaleStrategy(options));
    return Error::success();
  }
  std::string reason;
  raw_string_ostream stream(reason);
  if (failed(mlir::parsePassPipeline(passes, pm, stream)))
    return makeError("--passes: {0}", StringRef(reason).trim());
  return Error::success();
}

/// Runs the passes; gives the rewrites that there are more of then.
static Expected<std::vector<Rewrite>> runPasses(ModelFile &model) {
  size_t before = getRewrites(*model.module).size();
  mlir::PassManager pm(model.module->getContext());
  if (Error error = addPasses(pm))
    return std::move(error);
  if (failed(pm.run(*model.module)))
    return makeError("{0}: not rewritten", model.path);
  auto interface = getModelInterface(*model.module);
  if (failed(interface))
    return makeError("{0}: what the passes leave is no model graph", model.path);
  model.interface = std::move(*interface);
  std::vector<Rewrite> rewrites = getRewrites(*model.module);
  rewrites.erase(rewrites.begin(), rewrites.begin() + before);
  return rewrites;
}

//===----------------------------------------------------------------------===//
// What was done
//===----------------------------------------------------------------------===//

static void describe(ArrayRef<Rewrite> rewrites, raw_ostream &log) {
  if (rewrites.empty())
    log << "nothing to change\n";
  bool keepsFunction = true;
  for (const Rewrite &rewrite : rewrites) {
    log << "  " << rewrite.pass << (rewrite.keepsFunction ? "" : "  (another function)") << "\n";
    keepsFunction &= rewrite.keepsFunction;
  }
  if (!rewrites.empty())
    log << (keepsFunction ? "the model computes the same function\n"
                          : "the model computes another function than before\n");
}

/// How many parameters have what AdamW knew of them.
static void describeMoments(const ModelState &before, const ModelState &after, raw_ostream &log) {
  size_t kept = 0, mapped = 0, zero = 0;
  for (const auto &[name, steps] : after.moments.steps) {
    auto old = before.moments.first.find(name);
    if (old != before.moments.first.end() &&
        old->second.data == after.moments.first.find(name)->second.data)
      ++kept;
    else if (steps.data[0] > 0)
      ++mapped;
    else
      ++zero;
  }
  log << formatv("AdamW's state: {0} parameters keep it, {1} have it from those that they replace, "
                 "{2} start at zero\n",
                 kept, mapped, zero);
}

//===----------------------------------------------------------------------===//
// Graphs and runs
//===----------------------------------------------------------------------===//

static Error rewriteGraph(ModelFile &model) {
  auto rewrites = runPasses(model);
  if (!rewrites)
    return rewrites.takeError();
  raw_ostream &log = output == "-" ? errs() : outs();
  std::string text = printGraph(*model.module);
  if (output == "-")
    outs() << text;
  else if (Error error = runtime::writeFileAtomically(output, text))
    return error;
  log << output << ":\n";
  describe(*rewrites, log);
  printParameterCounts(*model.module, log);
  return Error::success();
}

static Expected<ModelState> mapState(const ModelFile &model, const ModelState &before) {
  auto values = reference::mapParameters(*model.module, before.values);
  if (failed(values))
    return makeError("{0}: not rewritten: its values have no such form", model.path);
  auto moments = reference::mapMoments(*model.module, before.values, before.moments);
  if (failed(moments))
    return makeError("{0}: AdamW's state does not follow", model.path);
  return ModelState{std::move(*values), std::move(*moments), before.isF64};
}

/// A run of one checkpoint, of the same step and recipe.
static Error writeRun(const runtime::Checkpoint &from, ModelFile &model, const ModelState &state) {
  auto recipe = runtime::mapFile(from.getRecipePath());
  if (!recipe)
    return recipe.takeError();
  dropStateFunctions(*model.module); // done: the values are this graph's
  runtime::CheckpointTexts texts{printGraph(*model.module), (*recipe)->getBuffer().str()};
  auto held = holdState(state, model.interface.parameters);
  return runtime::writeFolderAtomically(output, [&](StringRef folder) -> Error {
    return runtime::saveCheckpoint(folder, *held, texts, from.state, /*keep=*/0).takeError();
  });
}

/// A run's steps keep their rows.
static Error checkRows(const ModelInterface &before, const ModelInterface &after) {
  if (before.batch == after.batch && before.sequence == after.sequence)
    return Error::success();
  return makeError("{0}: cannot rewrite a run of batch {1} x {2} to one of {3} x {4}; give "
                   "`vernier train --resume` a graph with another batch instead",
                   input, before.batch, before.sequence, after.batch, after.sequence);
}

static Error rewriteRun(const runtime::Checkpoint &from, ModelFile &model) {
  const ModelInterface interface = model.interface;
  auto before = loadState(from, model.interface.parameters);
  if (!before)
    return before.takeError();
  dropStateFunctions(*model.module); // from here on: how this checkpoint's values follow
  auto rewrites = runPasses(model);
  if (!rewrites)
    return rewrites.takeError();
  if (Error error = checkRows(interface, model.interface))
    return error;
  auto after = mapState(model, *before);
  if (!after)
    return after.takeError();
  if (Error error = writeRun(from, model, *after))
    return error;
  outs() << formatv("{0}: step {1} of {2}, rewritten\n", output, from.state.step, from.folder);
  describe(*rewrites, outs());
  describeMoments(*before, *after, outs());
  printParameterCounts(*model.module, outs());
  outs() << formatv("continue with: vernier train --resume={0}; or in a new run with: vernier "
                    "train {0}/{1}/model.mlir --weights={0} --with-optimizer\n",
                    output, sys::path::filename(from.folder));
  return Error::success();
}

static Error rewrite(Session &session) {
  if (Error error = checkOptions())
    return error;
  std::optional<runtime::Checkpoint> checkpoint;
  if (sys::fs::is_directory(input)) {
    auto opened = runtime::openCheckpoint(input);
    if (!opened)
      return opened.takeError();
    if (output == "-")
      return makeError("--out: expected a new folder for the rewritten run, found -");
    checkpoint = std::move(*opened);
  }
  std::string path = checkpoint ? checkpoint->getGraphPath() : input.getValue();
  auto model = loadModelFile(session, path);
  if (!model)
    return makeError("{0}: no model graph", path);
  return checkpoint ? rewriteRun(*checkpoint, *model) : rewriteGraph(*model);
}

static int run() {
  Session session;
  return finish(rewrite(session));
}

const Subcommand vernier::rewriteSubcommand{command, run};
