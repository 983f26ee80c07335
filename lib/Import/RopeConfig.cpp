//===- RopeConfig.cpp - The rotary embedding of a config.json -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RopeConfig.h"

using namespace vernier;

// What all families take when the file says nothing.
static constexpr double defaultTheta = 10000;

static RopeLlama3Scaling readLlama3(ConfigReader &reader) {
  RopeLlama3Scaling scaling;
  scaling.factor = reader.positive("factor");
  scaling.lowFreqFactor = reader.positive("low_freq_factor");
  scaling.highFreqFactor = reader.positive("high_freq_factor");
  scaling.originalContext = reader.size("original_max_position_embeddings");
  if (!reader.failed() && scaling.highFreqFactor <= scaling.lowFreqFactor)
    reader.rejectValue("high_freq_factor", "more than low_freq_factor");
  return scaling;
}

/// The kind has two names; older files say `type`.
static std::string readKind(ConfigReader &reader) {
  std::string older = reader.text("type", "");
  std::string kind = reader.text("rope_type", older.empty() ? "default" : older);
  if (!older.empty() && kind != older)
    reader.rejectValue("type", "the same as rope_type, " + kind);
  return kind;
}

static void readScaling(ConfigReader &reader, ModelConfig &config) {
  llvm::StringRef named = reader.has("rope_type") ? "rope_type" : "type";
  std::string kind = readKind(reader);
  if (reader.positive("partial_rotary_factor", 1.0) != 1.0)
    reader.rejectValue("partial_rotary_factor", "1 (the whole head is rotated)");
  if (kind == "llama3")
    config.ropeScaling = readLlama3(reader);
  else if (kind != "default" && !reader.failed())
    reader.rejectValue(named, "default or llama3");
}

void vernier::readRope(ConfigReader &reader, ModelConfig &config) {
  config.ropeTheta = reader.positive("rope_theta", defaultTheta);
  reader.nested("rope_scaling", [&](ConfigReader &inner) { readScaling(inner, config); });
  if (!reader.has("rope_parameters")) {
    reader.any("rope_parameters");
    return;
  }
  // Both generations in one file could contradict each other.
  for (llvm::StringRef older : {"rope_theta", "rope_scaling"})
    if (reader.has(older))
      reader.rejectValue(older, "nothing beside rope_parameters");
  reader.nested("rope_parameters", [&](ConfigReader &inner) {
    config.ropeTheta = inner.positive("rope_theta");
    readScaling(inner, config);
  });
}
