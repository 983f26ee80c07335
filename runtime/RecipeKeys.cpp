//===- RecipeKeys.cpp - The entries of a recipe ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ParallelFor.h"
#include "runtime/Recipe.h"
#include "runtime/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace vernier::runtime;

static constexpr double manySteps = 1e12;

static constexpr RecipeKey keys[] = {
    {"data", &Recipe::data, "file", "Training data; may be given several times", 0, 0,
     OnResume::Place},
    {"val", &Recipe::val, "file", "Validation data; may be given several times", 0, 0,
     OnResume::Free},
    {"data-format", &Recipe::dataFormat, "format",
     "auto (by the name), text, llmc, u16, u32 or batches"},
    {"validation-fraction", &Recipe::validationFraction, "fraction",
     "Part of the end of the training data that is kept for validation", 0, 0.9},
    {"weights", &Recipe::weights, "path",
     "Start from these weights: safetensors, a folder of them, a run or a checkpoint"},
    {"with-optimizer", &Recipe::withOptimizer, "true|false",
     "Take the optimizer's state from --weights too"},
    {"steps", &Recipe::steps, "n", "Optimizer steps of the whole run", 1, manySteps,
     OnResume::Steps},
    {"accumulate", &Recipe::accumulate, "n", "Micro-batches per step (1)", 0, 1 << 20,
     OnResume::Split},
    {"seed", &Recipe::seed, "n", "Of the initial weights and the order of the data (0)"},
    {"schedule", &Recipe::schedule, "kind", "constant, linear, cosine (default) or wsd"},
    {"rate", &Recipe::rate, "r", "Highest learning rate (0.001)", 0, 1e6},
    {"final-rate", &Recipe::finalRate, "r",
     "Rate of the last step (a tenth of the highest; not with constant)", 0, 1e6},
    {"warmup", &Recipe::warmup, "n", "Steps until the highest rate (a twentieth of all)", 0,
     manySteps},
    {"decay-steps", &Recipe::decaySteps, "n", "Last steps, in which wsd decays (a fifth of all)", 0,
     manySteps},
    {"beta1", &Recipe::beta1, "b", "Of AdamW (0.9)", 0, 1},
    {"beta2", &Recipe::beta2, "b", "Of AdamW (0.95)", 0, 1},
    {"epsilon", &Recipe::epsilon, "e", "Of AdamW (1e-8)", 0, 1},
    {"weight-decay", &Recipe::weightDecay, "w", "Of the group that decays (0.1)", 0, 1e6},
    {"clip", &Recipe::clip, "norm", "Largest global gradient norm (1); 0 does not clip", 0, 1e30},
    {"scale-side", &Recipe::scaleSide, "side",
     "Apply scales of linear maps to weights or activations (auto: whichever is cheaper)"},
    {"validate-every", &Recipe::validateEvery, "n", "Steps between validations (a tenth of all)", 0,
     manySteps, OnResume::Free},
    {"validation-rows", &Recipe::validationRows, "n", "Sequences of a validation (160); 0: all", 0,
     manySteps, OnResume::Free},
    {"save-every", &Recipe::saveEvery, "n", "Steps between checkpoints (1000); 0: only the last", 0,
     manySteps, OnResume::Free},
    {"keep", &Recipe::keep, "n", "Checkpoints to keep (2); 0: all", 0, manySteps, OnResume::Free},
    {"log-every", &Recipe::logEvery, "n",
     "Steps between lines of the log (0: every ten seconds, or in place on a terminal)", 0,
     manySteps, OnResume::Free},
    {"statistics-every", &Recipe::statisticsEvery, "n",
     "Steps between statistics of scale vectors and gradients (as log-every, or a hundredth of "
     "all); 0: none",
     0, manySteps, OnResume::Free},
    {"threads", &Recipe::threads, "n", "Threads (0: one per core)", 0, mostThreads, OnResume::Free},
};

llvm::ArrayRef<RecipeKey> vernier::runtime::getRecipeKeys() { return keys; }

Expected<const RecipeKey *> vernier::runtime::findRecipeKey(llvm::StringRef name) {
  for (const RecipeKey &key : keys)
    if (key.name == name)
      return &key;
  std::vector<llvm::StringRef> names;
  for (const RecipeKey &key : keys)
    names.push_back(key.name);
  llvm::StringRef nearest = findNearest(name, names);
  if (nearest.empty())
    return makeError("unknown key '{0}'", name);
  return makeError("unknown key '{0}'; the nearest is '{1}'", name, nearest);
}

static bool parse(llvm::StringRef text, double &value) {
  return !text.getAsDouble(value) && std::isfinite(value);
}
static bool parse(llvm::StringRef text, int64_t &value) { return !text.getAsInteger(10, value); }
static bool parse(llvm::StringRef text, uint64_t &value) { return !text.getAsInteger(10, value); }
static bool parse(llvm::StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}
static bool parse(llvm::StringRef text, std::string &value) {
  value = text.str();
  return true;
}
static bool parse(llvm::StringRef text, DataFormat &value) {
  std::optional<DataFormat> parsed = parseDataFormat(text);
  value = parsed.value_or(value);
  return parsed.has_value();
}
static bool parse(llvm::StringRef text, ScheduleKind &value) {
  std::optional<ScheduleKind> parsed = parseScheduleKind(text);
  value = parsed.value_or(value);
  return parsed.has_value();
}

static std::string expectation(const RecipeKey &key, double) {
  return "a number from " + formatNumber(key.least) + " to " + formatNumber(key.most);
}
static std::string expectation(const RecipeKey &key, int64_t) {
  return "an integer from " + std::to_string(int64_t(key.least)) + " to " +
         std::to_string(int64_t(key.most));
}
static std::string expectation(const RecipeKey &, uint64_t) { return "an integer from 0"; }
static std::string expectation(const RecipeKey &, bool) { return "true or false"; }
static std::string expectation(const RecipeKey &, const std::string &) { return "text"; }
static std::string expectation(const RecipeKey &, DataFormat) {
  return "auto, text, llmc, u16, u32 or batches";
}
static std::string expectation(const RecipeKey &, ScheduleKind) {
  return "constant, linear, cosine or wsd";
}

template <typename T> static bool isInRange(const RecipeKey &key, const T &value) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int64_t>)
    return key.least <= value && value <= key.most;
  return true;
}

Error RecipeKey::set(Recipe &recipe, llvm::ArrayRef<std::string> values) const {
  for (const std::string &value : values)
    if (!llvm::json::isUTF8(value)) // it could not be saved with the run
      return makeError("{0}: expected text in UTF-8, found '{1}'", name,
                       llvm::json::fixUTF8(value));
  if (const auto *list = std::get_if<std::vector<std::string> Recipe::*>(&field)) {
    recipe.**list = values.vec();
    return Error::success();
  }
  if (values.size() != 1)
    return makeError("{0}: expected one value, found {1}", name, values.size());
  return std::visit(
      [&](auto member) -> Error {
        using T = std::decay_t<decltype(recipe.*member)>;
        if constexpr (!std::is_same_v<T, std::vector<std::string>>) {
          T value{};
          if (!parse(values[0], value) || !isInRange(*this, value))
            return makeError("{0}: expected {1}, found '{2}'", name, expectation(*this, value),
                             values[0]);
          recipe.*member = value;
        }
        return Error::success();
      },
      field);
}

static std::string print(double value) { return formatNumber(value); }
static std::string print(int64_t value) { return std::to_string(value); }
static std::string print(uint64_t value) { return std::to_string(value); }
static std::string print(bool value) { return value ? "true" : "false"; }
static std::string print(const std::string &value) { return value; }
static std::string print(DataFormat value) { return nameOf(value).str(); }
static std::string print(ScheduleKind value) { return nameOf(value).str(); }

std::vector<std::string> RecipeKey::get(const Recipe &recipe) const {
  return std::visit(
      [&](auto member) -> std::vector<std::string> {
        if constexpr (std::is_same_v<decltype(member), std::vector<std::string> Recipe::*>)
          return recipe.*member;
        else
          return {print(recipe.*member)};
      },
      field);
}
