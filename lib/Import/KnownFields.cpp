//===- KnownFields.cpp - Fields that config.json may have besides ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownFields.h"

using namespace vernier;
namespace json = llvm::json;

namespace {
struct FieldWithoutEffect {
  llvm::StringLiteral name, reason;
};
struct FieldThatIsOff {
  llvm::StringLiteral name;
  llvm::StringLiteral value; ///< JSON; null is accepted too
  llvm::StringLiteral reason;
};
} // namespace

static constexpr llvm::StringLiteral tokens = "tokens are the data's matter";
static constexpr llvm::StringLiteral output = "what a call returns in Python";
static constexpr llvm::StringLiteral sampling = "generation has its own options";
static constexpr llvm::StringLiteral labels = "for classification heads";
static constexpr llvm::StringLiteral record = "a record of where the file came from";

static constexpr FieldWithoutEffect withoutEffect[] = {
    {"torch_dtype", "parameters are kept in f32, whatever they were stored as"},
    {"dtype", "the newer name of torch_dtype"},
    {"pretraining_tp", "how a product was cut up, not what it gives"},
    {"chunk_size_feed_forward", "how the FFN is cut up, not what it gives"},
    {"use_cache", "training has no cache of keys and values"},
    {"pad_token_id", "windows have no padding; the row of an id that the data have is trained"},
    {"bos_token_id", tokens},
    {"eos_token_id", tokens},
    {"sep_token_id", tokens},
    {"decoder_start_token_id", tokens},
    {"tokenizer_class", tokens},
    {"prefix", tokens},
    {"transformers_version", record},
    {"_name_or_path", record},
    {"is_llama_config", record},
    {"transformers.js_config", "of another runtime"},
    {"_attn_implementation_autoset", "which kernel computes attention"},
    {"_attn_implementation", "which kernel computes attention"},
    {"return_dict", output},
    {"output_hidden_states", output},
    {"output_attentions", output},
    {"torchscript", output},
    {"is_decoder", "a causal model either way"},
    {"finetuning_task", labels},
    {"id2label", labels},
    {"label2id", labels},
    {"num_labels", labels},
    {"problem_type", labels},
    {"task_specific_params", labels},
    {"max_length", sampling},
    {"min_length", sampling},
    {"do_sample", sampling},
    {"early_stopping", sampling},
    {"num_beams", sampling},
    {"num_beam_groups", sampling},
    {"num_return_sequences", sampling},
    {"diversity_penalty", sampling},
    {"temperature", sampling},
    {"top_k", sampling},
    {"top_p", sampling},
    {"typical_p", sampling},
    {"repetition_penalty", sampling},
    {"length_penalty", sampling},
    {"no_repeat_ngram_size", sampling},
    {"encoder_no_repeat_ngram_size", sampling},
    {"bad_words_ids", sampling},
    {"suppress_tokens", sampling},
    {"begin_suppress_tokens", sampling},
    {"forced_bos_token_id", sampling},
    {"forced_eos_token_id", sampling},
    {"remove_invalid_values", sampling},
    {"exponential_decay_length_penalty", sampling},
    {"return_dict_in_generate", sampling},
    {"output_scores", sampling},
};

static constexpr FieldThatIsOff off[] = {
    {"attention_dropout", "0", "there is no dropout"},
    {"hidden_dropout", "0", "there is no dropout"},
    {"attention_bias", "false", "the family has no such bias"},
    {"mlp_bias", "false", "the family has no such bias"},
    {"rope_interleaved", "false", "rotary embeddings are half-split"},
    {"partial_rotary_factor", "1", "the whole head is rotated"},
    {"is_encoder_decoder", "false", "decoders only"},
    {"add_cross_attention", "false", "decoders only"},
    {"cross_attention_hidden_size", "null", "decoders only"},
    {"tie_encoder_decoder", "false", "decoders only"},
    {"pruned_heads", "{}", "all heads are there"},
    {"tf_legacy_loss", "false", "of TensorFlow"},
    {"use_bfloat16", "false", "of TensorFlow"},
    {"quantization_config", "null", "weights are not quantized"},
};

/// 0.0 and 0 are the same value.
static bool equal(const json::Value &lhs, const json::Value &rhs) {
  if (auto number = rhs.getAsNumber())
    return lhs.getAsNumber() == number;
  return lhs == rhs;
}

void vernier::readFieldsWithoutEffect(ConfigReader &reader) {
  for (const FieldWithoutEffect &field : withoutEffect)
    reader.any(field.name);
  for (const FieldThatIsOff &field : off) {
    // A family that uses the field has looked at it before.
    const json::Value *value = reader.isUsed(field.name) ? nullptr : reader.any(field.name);
    if (value && value->kind() != json::Value::Null &&
        !equal(*value, llvm::cantFail(json::parse(field.value))))
      reader.rejectValue(field.name, field.value + " (" + field.reason + ")");
  }
}
