//===- Generate.cpp - vernier generate ------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "Subcommands.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Checkpoint.h"
#include "runtime/Recipe.h"
#include "runtime/Sampler.h"
#include "vernier/Model/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace vernier;
using runtime::makeError;

static cl::SubCommand command("generate", "Sample from a run or a checkpoint of one");
static cl::opt<std::string> runPath(cl::Positional, cl::sub(command), cl::Required,
                                    cl::value_desc("run"), cl::desc("<run>"));
static cl::opt<std::string> prompt("prompt", cl::sub(command), cl::value_desc("text"),
                                   cl::desc("Text if the run was trained on text, otherwise token "
                                            "ids with spaces between"));
static cl::opt<int64_t> tokens("tokens", cl::sub(command), cl::value_desc("n"), cl::init(200),
                               cl::desc("Tokens to generate (200)"));
static cl::opt<double> temperature("temperature", cl::sub(command), cl::value_desc("t"),
                                   cl::init(1),
                                   cl::desc("Divides the logits (1); 0: the likeliest"));
static cl::opt<int64_t> topK("top-k", cl::sub(command), cl::value_desc("k"),
                             cl::desc("Draw from the k likeliest only (0: all)"));
static cl::opt<uint64_t> seed("seed", cl::sub(command), cl::value_desc("n"),
                              cl::desc("Of the draws (0)"));
static cl::opt<int> threads("threads", cl::sub(command), cl::value_desc("n"),
                            cl::desc("Threads (0: one per core)"));

static Error checkOptions() {
  if (tokens < 0)
    return makeError("--tokens: expected a number from 0, found {0}", tokens.getValue());
  if (!(temperature >= 0) || temperature > 1e6)
    return makeError("--temperature: expected a number from 0 to 1e6, found {0}",
                     temperature.getValue());
  if (topK < 0)
    return makeError("--top-k: expected a number from 0, found {0}", topK.getValue());
  return Error::success();
}

/// Whether a token is a byte, as the run's recipe says.
static Expected<bool> isText(const runtime::Checkpoint &checkpoint, int64_t vocabulary) {
  runtime::Recipe recipe;
  if (Error error = runtime::readRecipe(checkpoint.getRecipePath(), recipe))
    return std::move(error);
  std::string path = recipe.data.empty() ? "" : recipe.data.front();
  return runtime::resolveFormat(recipe.dataFormat, path, vocabulary) == runtime::DataFormat::Text;
}

/// The prompt's tokens; a newline or token 0 if there is none.
static Expected<std::vector<int32_t>> readPrompt(bool text, int64_t vocabulary) {
  std::vector<int32_t> ids;
  if (text) {
    for (unsigned char byte : prompt.getValue())
      ids.push_back(byte);
  } else {
    SmallVector<StringRef> words;
    StringRef(prompt).split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words)
      if (word.getAsInteger(10, ids.emplace_back()))
        return makeError("--prompt: expected token ids, found '{0}'", word);
  }
  if (ids.empty())
    ids.push_back(text ? '\n' : 0);
  for (int32_t id : ids)
    if (id < 0 || id >= vocabulary)
      return makeError("--prompt: token {0} is outside the vocabulary of {1:N}", id, vocabulary);
  return ids;
}

static void print(int32_t id, bool text) {
  if (text)
    outs() << static_cast<char>(id);
  else
    outs() << id << " ";
  outs().flush();
}

/// The graph for one sequence.
static Error setBatchToOne(ModelFile &model) {
  mlir::PassManager passes(model.module->getContext());
  passes.addPass(createSetBatch(SetBatchOptions{1}));
  if (failed(passes.run(*model.module)))
    return makeError("{0}: does not run on a single sequence", model.path);
  model.interface.batch = 1;
  return Error::success();
}

/// The logits after the last token of `ids`, of which the model sees as many
/// as fit into its sequence.
static Expected<ArrayRef<float>> computeLogits(runtime::CompiledEngine &engine,
                                               const ModelInterface &model, ArrayRef<int32_t> ids) {
  ArrayRef<int32_t> context = ids.take_back(model.sequence);
  std::vector<int32_t> padded(context);
  padded.resize(model.sequence); // what follows is not seen by what is before
  auto logits = engine.computeLogits(padded);
  if (!logits)
    return logits.takeError();
  int64_t width = logits->size() / padded.size();
  return logits->slice((context.size() - 1) * width, model.vocabulary);
}

static Error generate(const runtime::Checkpoint &checkpoint, ModelFile &model) {
  const ModelInterface &interface = model.interface;
  auto text = isText(checkpoint, interface.vocabulary);
  if (!text)
    return text.takeError();
  auto ids = readPrompt(*text, interface.vocabulary);
  if (!ids)
    return ids.takeError();
  if (Error error = setBatchToOne(model))
    return error;
  CompileOptions options;
  options.phases = {"prepare", "logits"};
  auto compiled = compileModel(model, options, threads, errs());
  if (!compiled)
    return compiled.takeError();
  if (Error error = runtime::loadWeights(checkpoint.folder, *compiled->engine))
    return error;
  runtime::Sampler sampler({temperature, topK, seed});
  for (int32_t id : *ids)
    print(id, *text);
  for (int64_t i = 0; i < tokens; ++i) {
    auto logits = computeLogits(*compiled->engine, interface, *ids);
    if (!logits)
      return logits.takeError();
    int32_t id = sampler.draw(*logits);
    if (id < 0)
      return makeError("token {0}: no logit is finite", i + 1);
    ids->push_back(id);
    print(id, *text);
  }
  outs() << "\n";
  return Error::success();
}

static int run() {
  if (Error error = checkOptions())
    return fail(std::move(error));
  auto checkpoint = runtime::openCheckpoint(runPath);
  if (!checkpoint)
    return fail(checkpoint.takeError());
  Session session;
  auto model = loadModelFile(session, checkpoint->folder + "/model.mlir");
  if (!model)
    return 1;
  return finish(generate(*checkpoint, *model));
}

const Subcommand vernier::generateSubcommand{command, run};
