//===- Import.cpp - vernier import ----------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "Subcommands.h"
#include "mlir/IR/Verifier.h"
#include "runtime/Files.h"
#include "vernier/Import/HuggingFace.h"
#include "vernier/Import/ModelGraph.h"
#include "vernier/Import/Presets.h"
#include "vernier/Model/ParameterTable.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using vernier::runtime::makeError;

static cl::SubCommand command("import", "Write the model graph of a config.json or a preset");
static cl::opt<std::string> configPath("hf", cl::sub(command), cl::value_desc("path"),
                                       cl::desc("Hugging Face config.json, or its folder"));
static const std::string presetHelp = "Model of this project:\n" + vernier::describePresets();
static cl::opt<std::string> presetName("preset", cl::sub(command), cl::value_desc("name"),
                                       cl::desc(presetHelp));
static cl::opt<int64_t> batch("batch", cl::sub(command), cl::init(8),
                              cl::desc("Sequences in a batch (8)"));
static cl::opt<int64_t> sequence("sequence", cl::sub(command), cl::init(256),
                                 cl::desc("Tokens in a sequence (256)"));
static cl::opt<int64_t> vocabulary("vocabulary", cl::sub(command),
                                   cl::desc("Another vocabulary size for a preset"));
static cl::opt<int64_t> layers("layers", cl::sub(command),
                               cl::desc("Another number of layers for a preset"));
static cl::opt<std::string> output("o", cl::sub(command), cl::value_desc("file"), cl::init("-"),
                                   cl::desc("Where the graph goes; - is standard output"));

/// An option whose value must be from 1 to `most`.
static Error checkRange(const cl::opt<int64_t> &option, int64_t most = INT32_MAX) {
  if (option.getNumOccurrences() == 0 || (option >= 1 && option <= most))
    return Error::success();
  return makeError("--{0}: expected an integer from 1 to {1}, found {2}", option.ArgStr, most,
                   option.getValue());
}

static Error checkOptions() {
  if (configPath.empty() == presetName.empty())
    return makeError("import needs either --hf or --preset");
  for (const cl::opt<int64_t> *option : {&vocabulary, &layers})
    if (option->getNumOccurrences() && presetName.empty())
      return makeError("--{0} goes with --preset; a config.json has its own", option->ArgStr);
  for (const cl::opt<int64_t> *option : {&batch, &sequence, &vocabulary})
    if (Error error = checkRange(*option))
      return error;
  return checkRange(layers, vernier::maxLayers);
}

static Expected<vernier::ModelConfig> readConfig() {
  if (presetName.empty())
    return vernier::readHuggingFaceConfig(configPath);
  Expected<vernier::ModelConfig> config = vernier::getPreset(presetName);
  if (config && vocabulary.getNumOccurrences())
    config->vocabulary = vocabulary;
  if (config && layers.getNumOccurrences())
    config->layers = layers;
  return config;
}

/// Rotary embeddings go on beyond what a model was made for, only not well.
static void warnOfLongSequence(const vernier::ModelConfig &config) {
  if (config.maxContext && sequence > config.maxContext)
    WithColor::warning() << config.source << ": sequence " << sequence
                         << " is longer than max_position_embeddings, " << config.maxContext
                         << "\n";
}

static Error write(mlir::ModuleOp module) {
  std::string text = vernier::printGraph(module);
  if (output != "-")
    return vernier::runtime::writeFileAtomically(output, text);
  outs() << text;
  return Error::success();
}

static Error import() {
  if (Error error = checkOptions())
    return error;
  Expected<vernier::ModelConfig> config = readConfig();
  if (!config)
    return config.takeError();
  vernier::BatchShape shape{batch, sequence};
  if (Error error = checkSizes(*config, shape))
    return error;
  vernier::Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      vernier::buildModelGraph(&session.getContext(), *config, shape);
  if (failed(mlir::verify(*module)))
    return makeError("{0}: the graph is invalid", config->source);
  if (Error error = write(*module))
    return error;
  warnOfLongSequence(*config);
  // The graph may be on standard output.
  raw_ostream &summary = output == "-" ? errs() : outs();
  summary << output << ": " << describe(*config) << "\n";
  vernier::printParameterCounts(*module, summary);
  return Error::success();
}

static int run() { return vernier::finish(import()); }

const vernier::Subcommand vernier::importSubcommand{command, run};
