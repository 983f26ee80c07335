//===- Recipe.h - How a model is trained --------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_RECIPE_H
#define VERNIER_RUNTIME_RECIPE_H

#include "runtime/Schedule.h"
#include "runtime/TokenFile.h"
#include <string>
#include <variant>
#include <vector>

namespace vernier::runtime {

/// Everything that decides what a training run does, besides the graph. It
/// comes from a YAML file, from flags of the same names, or both (flags win);
/// the resolved one is saved with the run.
struct Recipe {
  std::vector<std::string> data, val;
  DataFormat dataFormat = DataFormat::Auto;
  double validationFraction = 0;
  std::string weights;
  bool withOptimizer = false;
  int64_t steps = 0;
  int64_t accumulate = 0; ///< micro-batches per step; 0: as the data says, or 1
  uint64_t seed = 0;
  ScheduleKind schedule = ScheduleKind::Cosine;
  double rate = 1e-3;
  double finalRate = -1;   ///< negative: a tenth of the rate
  int64_t warmup = -1;     ///< steps; negative: a twentieth of them
  int64_t decaySteps = -1; ///< of wsd; negative: a fifth of the steps
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weightDecay = 0.1;
  double clip = 1;                ///< 0: no clipping
  std::string scaleSide = "auto"; ///< where scales of linear maps are applied
  int64_t validateEvery = 0, validationRows = 160, saveEvery = 1000, keep = 2, logEvery = 0,
          threads = 0;
  int64_t statisticsEvery = -1; ///< 0: never; negative: with the log, or a hundred times a run

  RateSchedule getSchedule() const;

  /// Puts numbers in the place of the defaults that depend on others, and
  /// checks that all values are possible, alone and together.
  Error resolve();

  /// As YAML that readRecipe reads back to the same recipe.
  std::string toYaml() const;
};

/// Which keys of a recipe may change when a run is resumed.
enum class OnResume {
  Fixed, ///< another value would be another run
  Free,  ///< changes no number of the training
  Place, ///< names files elsewhere; the tokens must be the same (see checkResumedData)
  Steps, ///< changes the rates of the steps to come; not below the steps done
  Split, ///< with the graph's batch, so that a step has the same rows
};

/// An entry of a recipe: `key: value` in YAML, `--key=value` as a flag.
struct RecipeKey {
  using Field =
      std::variant<double Recipe::*, int64_t Recipe::*, uint64_t Recipe::*, bool Recipe::*,
                   std::string Recipe::*, std::vector<std::string> Recipe::*, DataFormat Recipe::*,
                   ScheduleKind Recipe::*>;
  llvm::StringRef name;
  Field field;
  llvm::StringRef valueName; ///< for help
  llvm::StringRef help;
  double least = 0, most = 0; ///< of numbers
  /// Whether a resumed run may have another value.
  OnResume onResume = OnResume::Fixed;

  bool isList() const { return std::holds_alternative<std::vector<std::string> Recipe::*>(field); }
  /// Sets the field from text; several values for a list only.
  Error set(Recipe &recipe, llvm::ArrayRef<std::string> values) const;
  std::vector<std::string> get(const Recipe &recipe) const;
};

llvm::ArrayRef<RecipeKey> getRecipeKeys();

/// An error for a name that is none names the nearest key.
Expected<const RecipeKey *> findRecipeKey(llvm::StringRef name);

/// Reads a YAML file, a mapping of keys to values or lists of them, into
/// `recipe`. Errors name the line.
Error readRecipe(llvm::StringRef path, Recipe &recipe);

/// What a resumed run was, besides its recipe.
struct ResumedRun {
  std::string folder;
  int64_t stepsDone = 0;
  int64_t batch = 1;      ///< of the graph given now
  int64_t savedBatch = 1; ///< of the run's graph until now
};

/// For a resumed run: an error that names the first key that differs and may not
/// (see OnResume), and both values. With another batch than the run had,
/// `accumulate` becomes what gives a step the same rows, if it was not changed.
Error checkResumedRecipe(Recipe &given, const Recipe &saved, const ResumedRun &run);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_RECIPE_H
