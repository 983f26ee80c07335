//===- HuggingFaceTest.cpp - Fields of config.json ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each case edits one field of a config that imports. What a field means is
// tested on the graphs, in families.test.

#include "vernier/Import/HuggingFace.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace vernier;
namespace json = llvm::json;

static constexpr llvm::StringLiteral llama = R"({
  "model_type": "llama", "architectures": ["LlamaForCausalLM"],
  "vocab_size": 97, "hidden_size": 40, "intermediate_size": 56, "num_hidden_layers": 2,
  "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-05,
  "rope_theta": 500000.0,
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                   "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
})";

static constexpr llvm::StringLiteral qwen2 = R"({
  "model_type": "qwen2", "vocab_size": 97, "hidden_size": 40, "intermediate_size": 56,
  "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
  "rms_norm_eps": 1e-05, "use_sliding_window": true, "sliding_window": 8, "max_window_layers": 1
})";

/// The config with a field ("rope_scaling.factor") set to a JSON value, or
/// removed where the value is empty.
static std::string edit(llvm::StringRef config, llvm::StringRef field, llvm::StringRef value) {
  json::Value root = llvm::cantFail(json::parse(config));
  json::Object *object = root.getAsObject();
  if (field.contains('.')) {
    auto [outer, inner] = field.split('.');
    object = object->getObject(outer);
    field = inner;
  }
  if (value.empty())
    object->erase(field);
  else
    (*object)[field] = llvm::cantFail(json::parse(value));
  return llvm::formatv("{0}", root).str();
}

/// The message, or "" if the text imports.
static std::string message(llvm::StringRef text) {
  llvm::Expected<ModelConfig> config = parseHuggingFaceConfig(text, "config.json");
  return config ? "" : llvm::toString(config.takeError());
}

static ModelConfig parse(llvm::StringRef text) {
  llvm::Expected<ModelConfig> config = parseHuggingFaceConfig(text, "config.json");
  if (config)
    return *config;
  ADD_FAILURE() << llvm::toString(config.takeError());
  return {};
}

namespace {
struct Case {
  const char *field, *value, *message;
};
} // namespace

// Sizes: from 1 to 2^31 - 1, integers.
static constexpr Case badSizes[] = {
    {"hidden_size", "", "field 'hidden_size' is missing"},
    {"hidden_size", "null", "field 'hidden_size': expected a value, found null"},
    {"hidden_size", "-40",
     "field 'hidden_size': expected an integer from 1 to 2147483647, found -40"},
    {"hidden_size", "0", "field 'hidden_size': expected an integer from 1 to 2147483647, found 0"},
    {"hidden_size", "40.5",
     "field 'hidden_size': expected an integer from 1 to 2147483647, found 40.5"},
    {"hidden_size", "\"40\"",
     "field 'hidden_size': expected an integer from 1 to 2147483647, found \"40\""},
    {"vocab_size", "2147483648",
     "field 'vocab_size': expected an integer from 1 to 2147483647, found 2147483648"},
    {"vocab_size", "18446744073709551615",
     "field 'vocab_size': expected an integer from 1 to 2147483647, found 18446744073709551615"},
    {"vocab_size", "1e300",
     "field 'vocab_size': expected an integer from 1 to 2147483647, found 1.0000000000000001e+300"},
    {"vocab_size", "", "field 'vocab_size' is missing"},
    {"intermediate_size", "", "field 'intermediate_size' is missing"},
    {"intermediate_size", "[56]",
     "field 'intermediate_size': expected an integer from 1 to 2147483647, found [56]"},
    {"num_hidden_layers", "", "field 'num_hidden_layers' is missing"},
    {"num_hidden_layers", "4097", "field 'num_hidden_layers': expected at most 4096, found 4097"},
    {"num_attention_heads", "", "field 'num_attention_heads' is missing"},
    {"num_attention_heads", "6",
     "field 'num_attention_heads': expected a divisor of hidden_size, 40, where head_dim is "
     "missing, found 6"},
    {"num_attention_heads", "8",
     "field 'num_attention_heads': expected an even width of heads, found 5"},
    {"head_dim", "9", "field 'head_dim': expected an even width of heads, found 9"},
    {"num_key_value_heads", "3",
     "field 'num_key_value_heads': expected a divisor of num_attention_heads, 4, found 3"},
    {"num_key_value_heads", "8",
     "field 'num_key_value_heads': expected a divisor of num_attention_heads, 4, found 8"},
    {"max_position_embeddings", "-1",
     "field 'max_position_embeddings': expected an integer from 1 to 2147483647, found -1"},
};

static constexpr Case badValues[] = {
    {"model_type", "", "field 'model_type' is missing"},
    {"model_type", "\"gpt2\"",
     "field 'model_type': expected one of llama, mistral, qwen2, qwen3, found \"gpt2\""},
    {"model_type", "7", "field 'model_type': expected a string, found 7"},
    {"architectures", "[\"LlamaForSequenceClassification\"]",
     "field 'architectures': expected [\"LlamaForCausalLM\"], found "
     "[\"LlamaForSequenceClassification\"]"},
    {"architectures", "\"LlamaForCausalLM\"",
     "field 'architectures': expected an array, found \"LlamaForCausalLM\""},
    {"rms_norm_eps", "", "field 'rms_norm_eps' is missing"},
    {"rms_norm_eps", "0", "field 'rms_norm_eps': expected a number above 0, found 0"},
    {"rms_norm_eps", "-1e-5", "field 'rms_norm_eps': expected a number above 0, found -1e-05"},
    {"initializer_range", "-0.02",
     "field 'initializer_range': expected a number above 0, found -0.02"},
    {"hidden_act", "\"mish\"",
     "field 'hidden_act': expected one of silu, swish, gelu, gelu_pytorch_tanh, gelu_new, relu, "
     "found \"mish\""},
    {"hidden_act", "1", "field 'hidden_act': expected a string, found 1"},
    {"tie_word_embeddings", "\"yes\"",
     "field 'tie_word_embeddings': expected true or false, found \"yes\""},
    {"attention_bias", "1", "field 'attention_bias': expected true or false, found 1"},
    {"mlp_bias", "\"\"", "field 'mlp_bias': expected true or false, found \"\""},
    {"attention_dropout", "0.1",
     "field 'attention_dropout': expected 0 (there is no dropout), found 0.1"},
    {"rope_interleaved", "true",
     "field 'rope_interleaved': expected false (rotary embeddings are half-split), found true"},
    {"quantization_config", R"({"bits": 4})",
     "field 'quantization_config': expected null (weights are not quantized), found "
     "{\"bits\":4}"},
    {"sliding_window", "8",
     "field 'sliding_window' is not known for model_type llama, and may change the model"},
    {"num_local_experts", "8",
     "field 'num_local_experts' is not known for model_type llama, and may change the model"},
};

static constexpr Case badRope[] = {
    {"rope_theta", "0", "field 'rope_theta': expected a number above 0, found 0"},
    {"rope_scaling", "2", "field 'rope_scaling': expected an object, found 2"},
    {"rope_scaling.rope_type", "\"yarn\"",
     "field 'rope_scaling.rope_type': expected default or llama3, found \"yarn\""},
    {"rope_scaling.type", "\"linear\"",
     "field 'rope_scaling.type': expected the same as rope_type, llama3, found \"linear\""},
    {"rope_scaling", R"({"type": "linear", "factor": 2})",
     "field 'rope_scaling.type': expected default or llama3, found \"linear\""},
    {"rope_scaling.factor", "", "field 'rope_scaling.factor' is missing"},
    {"rope_scaling.factor", "-8",
     "field 'rope_scaling.factor': expected a number above 0, found -8"},
    {"rope_scaling.high_freq_factor", "1",
     "field 'rope_scaling.high_freq_factor': expected more than low_freq_factor, found 1"},
    {"rope_scaling.original_max_position_embeddings", "0",
     "field 'rope_scaling.original_max_position_embeddings': expected an integer from 1 to "
     "2147483647, found 0"},
    {"rope_scaling.attention_factor", "2",
     "field 'rope_scaling.attention_factor' is not known for rope_scaling, and may change the "
     "model"},
    {"rope_scaling.partial_rotary_factor", "0.5",
     "field 'rope_scaling.partial_rotary_factor': expected 1 (the whole head is rotated), found "
     "0.5"},
    {"rope_parameters", R"({"rope_type": "default", "rope_theta": 10000})",
     "field 'rope_theta': expected nothing beside rope_parameters, found 500000"},
};

static constexpr Case badWindows[] = {
    {"num_key_value_heads", "", "field 'num_key_value_heads' is missing"},
    {"use_sliding_window", "1", "field 'use_sliding_window': expected true or false, found 1"},
    {"sliding_window", "-8",
     "field 'sliding_window': expected an integer from 1 to 2147483647, found -8"},
    {"max_window_layers", "", "field 'max_window_layers' is missing"},
    {"max_window_layers", "-1",
     "field 'max_window_layers': expected an integer of at least 0, found -1"},
    {"max_window_layers", "\"1\"",
     "field 'max_window_layers': expected an integer of at least 0, found \"1\""},
    {"layer_types", "[\"full_attention\"]",
     "field 'layer_types': expected num_hidden_layers, 3, entries, found 1"},
    {"layer_types", "[\"full_attention\", 1, \"full_attention\"]",
     "field 'layer_types': expected full_attention or sliding_attention, found 1"},
    {"layer_types", "\"full_attention\"",
     "field 'layer_types': expected an array, found \"full_attention\""},
    {"attention_bias", "true",
     "field 'attention_bias': expected false (the family has no such bias), found true"},
};

template <size_t count>
static void expectMessages(llvm::StringRef base, const Case (&cases)[count]) {
  ASSERT_EQ(message(base), "");
  for (const Case &c : cases)
    EXPECT_EQ(message(edit(base, c.field, c.value)), std::string("config.json: ") + c.message);
}

TEST(HuggingFace, RejectsBadSizes) { expectMessages(llama, badSizes); }
TEST(HuggingFace, RejectsBadValues) { expectMessages(llama, badValues); }
TEST(HuggingFace, RejectsBadRope) { expectMessages(llama, badRope); }
TEST(HuggingFace, RejectsBadWindows) { expectMessages(qwen2, badWindows); }

TEST(HuggingFace, AcceptsFieldsThatAreOff) {
  for (auto [field, value] : {std::pair("attention_dropout", "0.0"),
                              {"attention_dropout", "null"},
                              {"rope_interleaved", "false"},
                              {"pruned_heads", "{}"},
                              {"pad_token_id", "0"},
                              {"eos_token_id", "[1, 2]"},
                              {"torch_dtype", "\"bfloat16\""},
                              {"head_dim", "null"}})
    EXPECT_EQ(message(edit(llama, field, value)), "") << field;
  // Qwen2's files give a window that use_sliding_window switches off.
  EXPECT_EQ(message(edit(qwen2, "use_sliding_window", "false")), "");
}

TEST(HuggingFace, RejectsWhatIsNoConfig) {
  EXPECT_EQ(message("[]"), "config.json: expected a JSON object");
  EXPECT_NE(message("{\"model_type\": \"llama\""), "");
  EXPECT_EQ(message(R"({"model_type": "llama", "model_type": "qwen2"})"),
            "config.json: duplicate key 'model_type'");
  EXPECT_EQ(message(std::string(100000, '[')), "config.json: nested deeper than 64 levels");
}

TEST(HuggingFace, NoTruncatedTextCrashes) {
  for (size_t size = 0; size + 1 < llama.size(); ++size)
    EXPECT_NE(message(llama.take_front(size)), "") << size;
}

TEST(HuggingFace, NoChangedByteCrashes) {
  for (llvm::StringRef base : {llama, qwen2})
    for (size_t position = 0; position < base.size(); ++position)
      for (char c : {'9', '-', '"', '{', '\x80', ','}) {
        std::string text = base.str();
        text[position] = c;
        llvm::Expected<ModelConfig> config = parseHuggingFaceConfig(text, "config.json");
        llvm::Error error = config ? checkSizes(*config, {2, 24}) : config.takeError();
        llvm::consumeError(std::move(error));
      }
}

TEST(HuggingFace, FillsInWhatFollows) {
  ModelConfig config = parse(edit(llama, "num_key_value_heads", ""));
  EXPECT_EQ(config.kvHeads, 4);
  EXPECT_EQ(config.headDim, 10);
  EXPECT_EQ(config.initializerRange, 0.02);
  EXPECT_FALSE(config.tiedHead);
  EXPECT_EQ(parse(edit(llama, "rope_theta", "")).ropeTheta, 10000);
  EXPECT_EQ(parse(edit(llama, "hidden_act", "\"gelu_new\"")).activation, Activation::GELUTanh);
}

TEST(HuggingFace, FindsTheLayersThatSlide) {
  using Windows = std::vector<int64_t>;
  EXPECT_EQ(parse(qwen2).windows, (Windows{0, 8, 8}));
  EXPECT_EQ(parse(edit(qwen2, "max_window_layers", "28")).windows, (Windows{0, 0, 0}));
  EXPECT_EQ(parse(edit(qwen2, "use_sliding_window", "false")).windows, (Windows{0, 0, 0}));
  EXPECT_EQ(parse(edit(qwen2, "sliding_window", "null")).windows, (Windows{0, 0, 0}));
  // layer_types, where given, decides.
  std::string types = R"(["sliding_attention", "full_attention", "full_attention"])";
  EXPECT_EQ(parse(edit(qwen2, "layer_types", types)).windows, (Windows{8, 0, 0}));
  EXPECT_EQ(message(edit(edit(qwen2, "layer_types", types), "use_sliding_window", "false")),
            "config.json: field 'layer_types': expected full_attention without "
            "use_sliding_window and sliding_window, found sliding_attention");
}

TEST(HuggingFace, SizesMultiplyWithoutOverflow) {
  BatchShape small{2, 24}, huge{2147483647, 2147483647};
  ModelConfig config = parse(llama);
  EXPECT_FALSE(checkSizes(config, small));
  llvm::Error error = checkSizes(config, huge);
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  // Each size is allowed; together they are 2^62 entries and more.
  std::string wide = edit(edit(llama, "vocab_size", "2147483647"), "hidden_size", "2147483640");
  llvm::Error wideError = checkSizes(parse(wide), small);
  EXPECT_TRUE(bool(wideError));
  llvm::consumeError(std::move(wideError));
}
