//===- HuggingFaceFolder.cpp - config.json and model.safetensors ------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Files.h"
#include "runtime/Folders.h"
#include "runtime/Safetensors.h"
#include "vernier/Export/StockCheckpoint.h"
#include "vernier/Import/Families.h"
#include "vernier/Import/HuggingFace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace vernier;
namespace json = llvm::json;

/// The shortest text that reads back as the same number, and as a real one.
static void writeReal(json::OStream &json, llvm::StringRef name, double value) {
  llvm::SmallString<32> text;
  double same = 0;
  for (int digits = 15; digits <= 17 && (text.empty() || same != value); ++digits) {
    text.clear();
    llvm::raw_svector_ostream(text) << llvm::format("%.*g", digits, value);
    llvm::to_float(text, same);
  }
  if (text.str().find_first_of(".e") == llvm::StringRef::npos)
    text += ".0";
  json.attributeBegin(name);
  json.rawValue(text);
  json.attributeEnd();
}

static void writeRope(json::OStream &json, const ModelConfig &config) {
  writeReal(json, "rope_theta", config.ropeTheta);
  const std::optional<RopeLlama3Scaling> &scaling = config.ropeScaling;
  if (!scaling)
    return json.attribute("rope_scaling", nullptr);
  json.attributeObject("rope_scaling", [&] {
    json.attribute("rope_type", "llama3");
    writeReal(json, "factor", scaling->factor);
    writeReal(json, "low_freq_factor", scaling->lowFreqFactor);
    writeReal(json, "high_freq_factor", scaling->highFreqFactor);
    json.attribute("original_max_position_embeddings", scaling->originalContext);
  });
}

static void writeWindows(json::OStream &json, const ModelConfig &config, SlidingWindow kind) {
  if (kind == SlidingWindow::None)
    return;
  int64_t window = 0;
  for (int64_t layer : config.windows)
    window = std::max(window, layer);
  json.attribute("sliding_window", window ? json::Value(window) : json::Value(nullptr));
  if (kind == SlidingWindow::AllLayers)
    return;
  json.attribute("use_sliding_window", window > 0);
  json.attribute("max_window_layers", config.layers); // without effect beside the next
  json.attributeArray("layer_types", [&] {
    for (int64_t layer : config.windows)
      json.value(layer ? "sliding_attention" : "full_attention");
  });
}

static void writeSizes(json::OStream &json, const ModelConfig &config) {
  json.attribute("vocab_size", config.vocabulary);
  json.attribute("hidden_size", config.hidden);
  json.attribute("intermediate_size", config.intermediate);
  json.attribute("num_hidden_layers", config.layers);
  json.attribute("num_attention_heads", config.heads);
  json.attribute("num_key_value_heads", config.kvHeads);
  json.attribute("head_dim", config.headDim);
  json.attribute("max_position_embeddings", config.maxContext);
}

std::string vernier::writeHuggingFaceConfig(const ModelConfig &config) {
  const Family &family = *findFamily(config.family);
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("architectures", [&] { json.value(family.architecture); });
    json.attribute("model_type", config.family);
    writeSizes(json, config);
    writeRope(json, config);
    json.attribute("hidden_act", nameOfActivation(config.activation));
    writeReal(json, "rms_norm_eps", config.normEpsilon);
    writeReal(json, "initializer_range", config.initializerRange);
    json.attribute("tie_word_embeddings", config.tiedHead);
    if (family.attentionBias == AttentionBias::Configured)
      json.attribute("attention_bias", config.qkvBias);
    if (family.configuredMlpBias)
      json.attribute("mlp_bias", config.mlpBias);
    writeWindows(json, config, family.window);
    json.attribute("torch_dtype", "float32");
    // Special tokens are the tokenizer's, of which a graph knows nothing.
    for (llvm::StringRef token : {"bos_token_id", "eos_token_id", "pad_token_id"})
      json.attribute(token, nullptr);
  });
  return text + "\n";
}

llvm::Error vernier::writeHuggingFaceFolder(const StockCheckpoint &checkpoint,
                                            llvm::StringRef folder) {
  std::vector<std::vector<float>> rounded;
  std::vector<runtime::TensorToWrite> tensors;
  rounded.reserve(checkpoint.tensors.size());
  for (const StockTensor &tensor : checkpoint.tensors) {
    rounded.emplace_back(tensor.value.data.begin(), tensor.value.data.end());
    llvm::ArrayRef<float> entries = rounded.back();
    tensors.push_back(
        {tensor.name, runtime::StoredType::F32, tensor.value.shape, {runtime::bytesOf(entries)}});
  }
  return runtime::writeFolderAtomically(folder, [&](llvm::StringRef temporary) -> llvm::Error {
    if (llvm::Error error = runtime::writeFileAtomically((temporary + "/config.json").str(),
                                                         writeHuggingFaceConfig(checkpoint.config)))
      return error;
    return runtime::writeSafetensors((temporary + "/model.safetensors").str(), tensors,
                                     {{"format", "pt"}});
  });
}
