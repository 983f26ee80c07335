//===- HuggingFace.cpp - Reading of config.json ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Import/HuggingFace.h"
#include "ConfigReader.h"
#include "KnownFields.h"
#include "RopeConfig.h"
#include "runtime/Json.h"
#include "vernier/Import/Families.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace vernier;
namespace json = llvm::json;

namespace {
struct ActivationName {
  llvm::StringLiteral name;
  Activation activation;
};
} // namespace

static constexpr ActivationName activations[] = {
    {"silu", Activation::SiLU},         {"swish", Activation::SiLU},
    {"gelu", Activation::GELU},         {"gelu_pytorch_tanh", Activation::GELUTanh},
    {"gelu_new", Activation::GELUTanh}, {"relu", Activation::ReLU},
};

llvm::StringRef vernier::nameOfActivation(Activation activation) {
  return llvm::find_if(activations,
                       [&](const ActivationName &row) { return row.activation == activation; })
      ->name;
}

static Activation readActivation(ConfigReader &reader) {
  std::string name = reader.text("hidden_act", "silu");
  std::string known;
  for (const ActivationName &candidate : activations) {
    if (candidate.name == name)
      return candidate.activation;
    known += (known.empty() ? "" : ", ") + candidate.name.str();
  }
  if (!reader.failed())
    reader.rejectValue("hidden_act", "one of " + known);
  return Activation::SiLU;
}

static void readWidths(ConfigReader &reader, ModelConfig &config) {
  config.vocabulary = reader.size("vocab_size");
  config.hidden = reader.size("hidden_size");
  config.intermediate = reader.size("intermediate_size");
  config.layers = reader.size("num_hidden_layers");
  config.heads = reader.size("num_attention_heads");
  config.maxContext = reader.size("max_position_embeddings", 0);
  if (config.layers > maxLayers)
    reader.rejectValue("num_hidden_layers", "at most " + llvm::Twine(maxLayers));
}

static void readHeads(ConfigReader &reader, const Family &family, ModelConfig &config) {
  if (!family.kvHeadsFollow)
    reader.require("num_key_value_heads");
  if (!family.headDimFollows)
    reader.require("head_dim");
  config.kvHeads = reader.size("num_key_value_heads", config.heads);
  config.headDim = reader.size("head_dim", std::max<int64_t>(config.hidden / config.heads, 1));
  if (reader.failed())
    return;
  if (config.heads % config.kvHeads != 0)
    reader.rejectValue("num_key_value_heads",
                       "a divisor of num_attention_heads, " + llvm::Twine(config.heads));
  if (!reader.has("head_dim") && config.hidden % config.heads != 0)
    reader.rejectValue("num_attention_heads", "a divisor of hidden_size, " +
                                                  llvm::Twine(config.hidden) +
                                                  ", where head_dim is missing");
  if (config.headDim % 2 != 0) // rotary embedding rotates pairs
    reader.reject(reader.has("head_dim") ? "head_dim" : "num_attention_heads",
                  "an even width of heads", llvm::Twine(config.headDim));
}

static void readBiases(ConfigReader &reader, const Family &family, ModelConfig &config) {
  if (family.attentionBias == AttentionBias::Configured)
    config.qkvBias = config.outputBias = reader.flag("attention_bias", false);
  if (family.attentionBias == AttentionBias::QKV)
    config.qkvBias = true;
  if (family.configuredMlpBias)
    config.mlpBias = reader.flag("mlp_bias", false);
}

/// Which layers slide by layer_types, which must list them all.
static std::vector<bool> readLayerTypes(ConfigReader &reader, const json::Array &types,
                                        const ModelConfig &config) {
  std::vector<bool> slides;
  for (const json::Value &type : types) {
    llvm::StringRef name = type.getAsString().value_or("");
    if (name != "full_attention" && name != "sliding_attention")
      reader.reject("layer_types", "full_attention or sliding_attention",
                    llvm::formatv("{0}", type).str());
    slides.push_back(name == "sliding_attention");
  }
  if (int64_t(slides.size()) != config.layers)
    reader.reject("layer_types", "num_hidden_layers, " + llvm::Twine(config.layers) + ", entries",
                  llvm::Twine(slides.size()));
  slides.resize(config.layers);
  return slides;
}

/// Which layers slide by max_window_layers: those from it on.
static std::vector<bool> readFirstSliding(ConfigReader &reader, const ModelConfig &config) {
  std::vector<bool> slides(config.layers, false);
  const json::Value *value = reader.any("max_window_layers");
  reader.require("max_window_layers");
  if (!value)
    return slides;
  std::optional<int64_t> first = value->getAsInteger();
  if (!first || *first < 0)
    reader.rejectValue("max_window_layers", "an integer of at least 0");
  else
    std::fill(slides.begin() + std::min(*first, config.layers), slides.end(), true);
  return slides;
}

/// Families with use_sliding_window: layer_types decides where the file has it,
/// otherwise max_window_layers.
static void readLayerWindows(ConfigReader &reader, ModelConfig &config) {
  bool enabled = reader.flag("use_sliding_window", false) && reader.has("sliding_window");
  int64_t window = reader.size("sliding_window", 0);
  std::vector<bool> slides(config.layers, false);
  reader.any("max_window_layers"); // without effect in the other cases
  if (const json::Array *types = reader.array("layer_types"))
    slides = readLayerTypes(reader, *types, config);
  else if (enabled)
    slides = readFirstSliding(reader, config);
  if (!enabled && llvm::is_contained(slides, true))
    reader.reject("layer_types", "full_attention without use_sliding_window and sliding_window",
                  "sliding_attention");
  for (int64_t i = 0; i < config.layers; ++i)
    config.windows[i] = slides[i] ? window : 0;
}

static void readWindows(ConfigReader &reader, const Family &family, ModelConfig &config) {
  if (reader.failed())
    return; // the number of layers may be wrong
  config.windows.assign(config.layers, 0);
  if (family.window == SlidingWindow::AllLayers) {
    reader.require("sliding_window");
    config.windows.assign(config.layers, reader.size("sliding_window", 0));
  }
  if (family.window == SlidingWindow::LayerTypes)
    readLayerWindows(reader, config);
}

static void readArchitecture(ConfigReader &reader, const Family &family) {
  const json::Array *names = reader.array("architectures");
  if (names && (names->size() != 1 || names->front() != family.architecture))
    reader.rejectValue("architectures", "[\"" + family.architecture + "\"]");
}

static const Family *readFamily(ConfigReader &reader) {
  std::string modelType = reader.text("model_type");
  const Family *family = findFamily(modelType);
  if (family || reader.failed())
    return family;
  std::string known;
  for (const Family &candidate : getFamilies())
    known += (known.empty() ? "" : ", ") + candidate.modelType.str();
  reader.rejectValue("model_type", "one of " + known);
  return nullptr;
}

static void readModel(ConfigReader &reader, const Family &family, ModelConfig &config) {
  config.family = family.modelType.str();
  readArchitecture(reader, family);
  readWidths(reader, config);
  readHeads(reader, family, config);
  readBiases(reader, family, config);
  readWindows(reader, family, config);
  readRope(reader, config);
  config.qkNorm = family.qkNorm;
  config.activation = readActivation(reader);
  config.normEpsilon = reader.positive("rms_norm_eps");
  if (!std::isnormal(static_cast<float>(config.normEpsilon)))
    reader.rejectValue("rms_norm_eps", "a number that f32 can hold");
  config.initializerRange = reader.positive("initializer_range", 0.02);
  if (!std::isfinite(static_cast<float>(config.initializerRange)))
    reader.rejectValue("initializer_range", "a number that f32 can hold");
  config.tiedHead = reader.flag("tie_word_embeddings", false);
  reader.any("model_type");
}

static llvm::Expected<ModelConfig> readObject(const json::Value &value, llvm::StringRef name) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return runtime::makeError("{0}: expected a JSON object", name);
  ConfigReader reader(*object, name.str());
  ModelConfig config;
  config.source = name.str();
  if (const Family *family = readFamily(reader)) {
    readModel(reader, *family, config);
    readFieldsWithoutEffect(reader);
  }
  if (llvm::Error error = reader.finish("model_type " + config.family))
    return error;
  return config;
}

llvm::Expected<ModelConfig> vernier::parseHuggingFaceConfig(llvm::StringRef text,
                                                            llvm::StringRef name) {
  llvm::Expected<json::Value> value = runtime::parseJson(text, name);
  return value ? readObject(*value, name) : value.takeError();
}

llvm::Expected<ModelConfig> vernier::readHuggingFaceConfig(llvm::StringRef path) {
  llvm::SmallString<128> file(path);
  if (llvm::sys::fs::is_directory(file))
    llvm::sys::path::append(file, "config.json");
  llvm::Expected<json::Value> value = runtime::parseJsonFile(file);
  return value ? readObject(*value, file) : value.takeError();
}
