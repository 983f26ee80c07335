//===- Evaluate.cpp - vernier evaluate ------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "Subcommands.h"
#include "runtime/Checkpoint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace vernier;

static cl::SubCommand command("evaluate", "Compute the loss of a batch, and gradients");
static cl::opt<std::string> modelPath(cl::Positional, cl::sub(command), cl::Required,
                                      cl::value_desc("model.mlir"), cl::desc("<model.mlir>"));
static cl::opt<std::string>
    weights("weights", cl::sub(command), cl::Required, cl::value_desc("path"),
            cl::desc("safetensors, a folder of them, a run or a checkpoint"));
static cl::opt<std::string> inputs("inputs", cl::sub(command), cl::Required, cl::value_desc("file"),
                                   cl::desc("safetensors with input_ids and targets"));
static cl::opt<std::string> gradientsPath("gradients", cl::sub(command), cl::value_desc("file"),
                                          cl::desc("Write loss and grad.NAME here (safetensors)"));
static cl::opt<std::string>
    logitsPath("logits", cl::sub(command), cl::value_desc("file"),
               cl::desc("Write logits [rows, sequence, vocabulary] here (safetensors)"));
static ReferenceFlag referenceFlag(command);
static CheckFlags checkFlags(command);
static cl::opt<std::string>
    scaleSide("scale-side", cl::sub(command), cl::init("auto"), cl::value_desc("side"),
              cl::desc("Apply scales of linear maps to weights or activations (auto: whichever is "
                       "cheaper)"));
static cl::opt<int> threads("threads", cl::sub(command), cl::value_desc("n"),
                            cl::desc("Threads (0: one per core)"));

/// All batches of the file, whose loss is a mean over all their valid targets.
static Expected<std::vector<runtime::Batch>> readBatches(const ModelInterface &interface) {
  runtime::DataOptions options;
  options.batch = interface.batch;
  options.sequence = interface.sequence;
  options.vocabulary = interface.vocabulary;
  options.ignoreIndex = interface.ignoreIndex;
  options.format = runtime::DataFormat::Batches;
  auto source = runtime::openDataSource({inputs}, options);
  if (!source)
    return source.takeError();
  std::vector<runtime::Batch> batches;
  for (uint64_t row = 0; row < (*source)->countRows(); row += options.batch) {
    auto batch = runtime::readBatch(**source, options, row);
    if (!batch)
      return batch.takeError();
    batches.push_back(std::move(*batch));
  }
  return batches;
}

/// An output that is an input, or another output, would destroy it.
static Error checkPaths() {
  auto isSame = [](StringRef first, StringRef second) {
    return !first.empty() && (first == second || sys::fs::equivalent(first, second));
  };
  if (isSame(gradientsPath, logitsPath))
    return runtime::makeError("--logits: expected another file than --gradients, found {0}",
                              logitsPath);
  for (StringRef input : {StringRef(inputs), StringRef(weights), StringRef(modelPath)})
    for (StringRef output : {StringRef(gradientsPath), StringRef(logitsPath)})
      if (isSame(output, input))
        return runtime::makeError("{0}: is read, and cannot be written as well", output);
  return Error::success();
}

template <typename T> constexpr runtime::StoredType storedType() {
  return sizeof(T) == 8 ? runtime::StoredType::F64 : runtime::StoredType::F32;
}

template <typename T>
static Error writeGradients(ArrayRef<runtime::Parameter> parameters,
                            const std::vector<std::vector<T>> &gradients, double loss) {
  std::vector<runtime::TensorToWrite> tensors = {
      {"loss", runtime::StoredType::F64, {1}, {runtime::bytesOf<double>(loss)}}};
  for (auto [parameter, gradient] : zip_equal(parameters, gradients))
    tensors.push_back({"grad." + parameter.name,
                       storedType<T>(),
                       parameter.shape,
                       {runtime::bytesOf<T>(gradient)}});
  return runtime::writeSafetensors(gradientsPath, tensors);
}

/// The loss and, if wanted, the gradients, added up over batches.
template <typename T, typename Engine>
static Expected<double> evaluateBatches(Engine &engine, ArrayRef<runtime::Batch> batches) {
  int64_t divisor = 0;
  for (const runtime::Batch &batch : batches)
    divisor += batch.validTargets;
  double loss = 0;
  std::vector<std::vector<T>> gradients(engine.getParameters().size());
  for (const runtime::Batch &batch : batches) {
    auto part = gradientsPath.empty() ? engine.evaluate(batch, divisor)
                                      : engine.computeGradients(batch, divisor);
    if (!part)
      return part;
    loss += *part;
    if (gradientsPath.empty())
      continue;
    for (auto [index, sum] : enumerate(gradients)) {
      ArrayRef<T> gradient = engine.getParameterGradient(index);
      sum.resize(gradient.size());
      for (auto [total, entry] : zip_equal(sum, gradient))
        total += entry;
    }
  }
  if (!gradientsPath.empty())
    if (Error error = writeGradients<T>(engine.getParameters(), gradients, loss))
      return std::move(error);
  return loss;
}

template <typename T, typename Engine>
static Error writeLogits(Engine &engine, ArrayRef<runtime::Batch> batches, int64_t sequence) {
  std::vector<T> logits;
  int64_t tokens = 0;
  for (const runtime::Batch &batch : batches) {
    auto part = engine.computeLogits(batch.ids);
    if (!part)
      return part.takeError();
    logits.insert(logits.end(), part->begin(), part->end());
    tokens += batch.ids.size();
  }
  runtime::Shape shape = {tokens / sequence, sequence, int64_t(logits.size()) / tokens};
  return runtime::writeSafetensors(
      logitsPath, {{"logits", storedType<T>(), shape, {runtime::bytesOf<T>(logits)}}});
}

template <typename T, typename Engine>
static Expected<double> evaluateWith(Engine &engine, ArrayRef<runtime::Batch> batches,
                                     int64_t sequence) {
  if (Error error = runtime::loadWeights(weights, engine))
    return std::move(error);
  if (!logitsPath.empty())
    if (Error error = writeLogits<T>(engine, batches, sequence))
      return std::move(error);
  return evaluateBatches<T>(engine, batches);
}

static std::vector<std::string> getWantedPhases() {
  std::vector<std::string> phases = {"prepare", "evaluate"};
  if (!gradientsPath.empty())
    phases = {"prepare", "accumulate_first", "gradients"};
  if (!logitsPath.empty())
    phases.push_back("logits");
  return phases;
}

static Expected<double> evaluate(const ModelFile &model) {
  auto reference = referenceFlag.get();
  if (!reference)
    return reference.takeError();
  auto batches = readBatches(model.interface);
  if (!batches)
    return batches.takeError();
  int64_t sequence = model.interface.sequence;
  if (*reference) {
    if (Error error = checkFlags.refuse())
      return std::move(error);
    auto engine = makeReferenceEngine(model, {}, **reference);
    return engine ? evaluateWith<double>(**engine, *batches, sequence) : engine.takeError();
  }
  CompileOptions options;
  options.scaleSide = scaleSide;
  options.phases = getWantedPhases();
  auto compiled = compileModel(model, options, threads, errs());
  if (!compiled)
    return compiled.takeError();
  if (Error error = checkFlags.apply(compiled->engine->getExecutor()))
    return std::move(error);
  return evaluateWith<float>(*compiled->engine, *batches, sequence);
}

static int run() {
  if (Error error = checkPaths())
    return fail(std::move(error));
  Session session;
  auto model = loadModelFile(session, modelPath);
  if (!model)
    return 1;
  auto loss = evaluate(*model);
  if (!loss)
    return fail(loss.takeError());
  outs() << "loss " << format("%.17g", *loss) << "\n";
  return 0;
}

const Subcommand vernier::evaluateSubcommand{command, run};
