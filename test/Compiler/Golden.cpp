//===- Golden.cpp - Models whose gradients and training are known --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Golden.h"
#include "runtime/Checkpoint.h"
#include "vernier/Import/HuggingFace.h"
#include "vernier/Import/ModelGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>

using namespace vernier;
using namespace vernier::golden;
using llvm::ArrayRef;

std::string vernier::golden::path(llvm::StringRef model, llvm::StringRef file) {
  const char *folder = std::getenv("VERNIER_GOLDEN");
  return ((folder ? folder : "test/golden") + ("/" + model + "/" + file)).str();
}

Model vernier::golden::importModel(mlir::MLIRContext &context, llvm::StringRef name,
                                   llvm::StringRef configFile, int64_t batch,
                                   llvm::function_ref<void(ModelConfig &)> change) {
  ModelConfig config = llvm::cantFail(readHuggingFaceConfig(path(name, configFile)));
  if (change)
    change(config);
  Model model;
  model.module = buildModelGraph(&context, config, {batch, /*sequence=*/24});
  auto interface = getModelInterface(*model.module);
  EXPECT_TRUE(succeeded(interface));
  if (succeeded(interface))
    model.interface = *interface;
  return model;
}

std::vector<double> vernier::golden::read(llvm::StringRef path, llvm::StringRef tensor) {
  auto file = llvm::cantFail(runtime::SafetensorsFile::open(path));
  const runtime::TensorView *view = file.find(tensor);
  if (!view)
    return {};
  std::vector<double> values(view->countElements());
  llvm::cantFail(runtime::readFloats(*view, 0, values));
  return values;
}

std::vector<runtime::Batch> vernier::golden::readBatches(llvm::StringRef path, const Model &model) {
  runtime::DataOptions options;
  options.batch = model.interface.batch;
  options.sequence = model.interface.sequence;
  options.vocabulary = model.interface.vocabulary;
  options.ignoreIndex = model.interface.ignoreIndex;
  options.format = runtime::DataFormat::Batches;
  auto source = llvm::cantFail(runtime::openDataSource({path.str()}, options));
  std::vector<runtime::Batch> batches;
  for (uint64_t row = 0; row < source->countRows(); row += options.batch)
    batches.push_back(llvm::cantFail(runtime::readBatch(*source, options, row)));
  return batches;
}

double vernier::golden::difference(double found, double expected) {
  return difference(ArrayRef<double>(found), ArrayRef<double>(expected));
}

double vernier::golden::difference(ArrayRef<double> found, ArrayRef<double> expected) {
  if (found.size() != expected.size() || expected.empty())
    return HUGE_VAL;
  double apart = 0, norm = 0;
  for (auto [x, y] : llvm::zip_equal(found, expected)) {
    apart += (x - y) * (x - y);
    norm += y * y;
  }
  double relative = std::sqrt(apart / norm);
  return std::isnan(relative) ? HUGE_VAL : relative;
}

static void keepWorst(double error, llvm::StringRef name, double &worst, std::string &worstName) {
  if (error <= worst)
    return;
  worst = error;
  worstName = name.str();
}

GradientErrors vernier::golden::compareGradients(llvm::StringRef name, const Model &model,
                                                 double loss, ReadArray gradient) {
  std::string expected = path(name, "expected.safetensors");
  std::vector<double> expectedLoss = read(expected, "loss");
  GradientErrors errors;
  errors.loss = difference(ArrayRef<double>(loss), expectedLoss);
  for (auto [index, parameter] : llvm::enumerate(model.interface.parameters))
    keepWorst(difference(gradient(index), read(expected, "grad." + parameter.name)), parameter.name,
              errors.gradient, errors.worst);
  return errors;
}

static std::vector<double> toDoubles(const runtime::StateArray &array) {
  return std::visit(
      [](auto entries) { return std::vector<double>(entries.begin(), entries.end()); }, array);
}

TrainingErrors vernier::golden::compareTraining(llvm::StringRef name, const Model &model,
                                                runtime::TrainingEngine &engine) {
  std::string expected = path(name, "expected_train.safetensors");
  std::vector<double> losses = read(expected, "losses"), norms = read(expected, "grad_norms"),
                      rates = read(expected, "rates");
  llvm::cantFail(runtime::loadWeights(path(name, "model.safetensors"), engine));
  std::vector<runtime::Batch> batches = readBatches(path(name, "train.safetensors"), model);
  size_t perStep = batches.size() / losses.size();
  TrainingErrors errors;
  for (size_t step = 0; step < losses.size(); ++step) {
    auto microBatches = ArrayRef<runtime::Batch>(batches).slice(step * perStep, perStep);
    auto result = llvm::cantFail(engine.step(microBatches, rates[step]));
    EXPECT_EQ(result.nonFinite, "");
    errors.loss = std::max(errors.loss, difference(result.loss, losses[step]));
    errors.norm = std::max(errors.norm, difference(result.gradientNorm, norms[step]));
  }
  for (auto [index, parameter] : llvm::enumerate(engine.getParameters()))
    keepWorst(difference(toDoubles(engine.getState(runtime::Role::Param, index)),
                         read(expected, "param." + parameter.name)),
              parameter.name, errors.parameter, errors.worst);
  return errors;
}
