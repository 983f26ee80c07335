//===- Export.cpp - vernier export ----------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "ModelState.h"
#include "Subcommands.h"
#include "runtime/Recipe.h"
#include "vernier/Export/StockCheckpoint.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace vernier;
using runtime::makeError;

static cl::SubCommand command("export", "Write a run as a Hugging Face folder that computes the "
                                        "same function");
static cl::opt<std::string> runPath(cl::Positional, cl::sub(command), cl::Required,
                                    cl::value_desc("run"), cl::desc("<run or checkpoint>"));
static cl::opt<std::string> output("out", cl::sub(command), cl::Required, cl::value_desc("folder"),
                                   cl::desc("New folder for config.json and model.safetensors"));
static cl::alias outputAlias("o", cl::aliasopt(output), cl::desc("--out"));

/// Which tokens the model was trained on, as far as the recipe says it.
static Error describeTokens(const runtime::Checkpoint &checkpoint, int64_t vocabulary) {
  runtime::Recipe recipe;
  if (Error error = runtime::readRecipe(checkpoint.getRecipePath(), recipe))
    return error;
  std::string data = recipe.data.empty() ? "" : recipe.data.front();
  auto format = runtime::resolveFormat(recipe.dataFormat, data, vocabulary);
  outs() << (format == runtime::DataFormat::Text
                 ? "no tokenizer files: a token is a byte, and its id the byte's value\n"
                 : "no tokenizer files: add those that the data was tokenized with\n");
  return Error::success();
}

static Error exportRun(Session &session) {
  if (sys::fs::exists(output))
    return makeError("{0}: exists already; choose another --out", output);
  auto checkpoint = runtime::openCheckpoint(runPath);
  if (!checkpoint)
    return checkpoint.takeError();
  std::string path = checkpoint->getGraphPath();
  auto model = loadModelFile(session, path);
  if (!model)
    return makeError("{0}: no model graph", path);
  auto state = loadValues(*checkpoint, model->interface.parameters);
  if (!state)
    return state.takeError();
  auto stock = makeStockCheckpoint(*model->module, state->values);
  if (failed(stock))
    return makeError("{0}: not exported", checkpoint->folder);
  if (Error error = writeHuggingFaceFolder(*stock, output))
    return error;
  outs() << output << ": " << describe(stock->config) << "\n"
         << (stock->isFolded ? "scale vectors are folded into the weights\n"
                             : "in stock form already: all values as they were\n");
  return describeTokens(*checkpoint, model->interface.vocabulary);
}

static int run() {
  Session session;
  return finish(exportRun(session));
}

const Subcommand vernier::exportSubcommand{command, run};
