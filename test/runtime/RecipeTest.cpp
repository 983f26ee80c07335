//===- RecipeTest.cpp - Recipes from flags and YAML -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Recipe.h"
#include "TestFiles.h"
#include "llvm/ADT/StringExtras.h"

using namespace vernier::runtime;

namespace {

class Recipes : public testing::Test {
protected:
  std::string read(llvm::StringRef yaml) {
    recipe = Recipe();
    return message(readRecipe(folder.write("r.yaml", yaml), recipe));
  }
  /// Reads a possible recipe with some lines, and resolves it.
  std::string resolve(const std::string &lines) {
    std::string text = read("data: a.txt\n" + lines);
    return text.empty() ? message(recipe.resolve()) : text;
  }
  Recipe recipe;
  TemporaryFolder folder;
};

TEST_F(Recipes, ReadsYaml) {
  ASSERT_EQ(read("# a comment\ndata: [a.bin, 'b c.bin']\nval:\n  - v.bin\nsteps: 100\n"
                 "rate: 3e-4\nschedule: wsd\nwith-optimizer: true\nseed: 18446744073709551615\n"),
            "");
  EXPECT_EQ(recipe.data, (std::vector<std::string>{"a.bin", "b c.bin"}));
  EXPECT_EQ(recipe.val, std::vector<std::string>{"v.bin"});
  EXPECT_EQ(recipe.steps, 100);
  EXPECT_EQ(recipe.rate, 3e-4);
  EXPECT_EQ(recipe.schedule, ScheduleKind::WSD);
  EXPECT_TRUE(recipe.withOptimizer);
  EXPECT_EQ(recipe.seed, UINT64_MAX);
  EXPECT_EQ(read(""), "");
}

TEST_F(Recipes, NamesTheNearestKey) {
  EXPECT_CONTAINS(read("steps: 1\nwieght-decay: 0.1\n"),
                  "r.yaml:2: unknown key 'wieght-decay'; the nearest is 'weight-decay'");
  EXPECT_CONTAINS(read("lr: 0.1\n"), "r.yaml:1: unknown key 'lr'");
  std::string far = read("hippopotamuses: 1\n");
  EXPECT_EQ(far.find("nearest"), std::string::npos) << far;
}

TEST_F(Recipes, RefusesBadValues) {
  EXPECT_CONTAINS(read("steps: many"),
                  "r.yaml:1: steps: expected an integer from 1 to 1000000000000, found 'many'");
  EXPECT_CONTAINS(read("steps: 0"), "found '0'");
  EXPECT_CONTAINS(read("steps: 1.5"), "found '1.5'");
  EXPECT_CONTAINS(read("steps: -3"), "found '-3'");
  EXPECT_CONTAINS(read("rate: nan"), "rate: expected a number from 0 to 1e+06, found 'nan'");
  EXPECT_CONTAINS(read("rate: -1"), "found '-1'");
  EXPECT_CONTAINS(read("rate: [1, 2]"), "r.yaml:1: rate: expected a value");
  EXPECT_CONTAINS(read("rate:\n"), "r.yaml:1: rate: expected a value");
  EXPECT_CONTAINS(read("data: {a: b}"), "data: expected a value or a list");
  EXPECT_CONTAINS(read("schedule: cosin"),
                  "expected constant, linear, cosine or wsd, found 'cosin'");
  EXPECT_CONTAINS(read("data-format: csv"), "data-format: expected auto, text");
  EXPECT_CONTAINS(read("with-optimizer: yes"), "expected true or false, found 'yes'");
  EXPECT_CONTAINS(read("seed: -1"), "seed: expected an integer from 0, found '-1'");
  EXPECT_CONTAINS(read("steps: 1\nsteps: 2"), "r.yaml:2: duplicate key 'steps'");
  EXPECT_CONTAINS(read("- steps"), "expected keys with values");
  EXPECT_CONTAINS(read("steps: \"1"), "r.yaml:1: ");
  EXPECT_CONTAINS(read("steps: 1\n---\nsteps: 2"), "r.yaml: expected one document");
  EXPECT_CONTAINS(read("data: " + std::string(100000, '[')), "r.yaml:1: ");
  EXPECT_CONTAINS(read("\n[\v :l*av :l*a\xf1"
                       "a"),
                  "r.yaml:"); // a node without a place
  EXPECT_CONTAINS(read("val: [\"v\", \"\xf4\xf4\"]"), "val: expected text in UTF-8, found ");
  EXPECT_CONTAINS(message(readRecipe(folder / "absent.yaml", recipe)), "cannot read");
}

TEST_F(Recipes, RefusesTheImpossible) {
  EXPECT_CONTAINS(resolve(""), "steps: expected the number of steps");
  EXPECT_CONTAINS(resolve("steps: 5\nwarmup: 6"), "warmup: expected 0 to 5");
  EXPECT_CONTAINS(resolve("steps: 5\nscale-side: left"),
                  "scale-side: expected auto, weights or activations, found 'left'");
  EXPECT_CONTAINS(resolve("steps: 5\nrate: 0"), "rate: expected a positive number, found 0");
  EXPECT_CONTAINS(resolve("steps: 5\nrate: 0.1\nfinal-rate: 0.2"),
                  "final-rate: expected a number from 0 to the rate 0.1, found 0.2");
  EXPECT_CONTAINS(resolve("steps: 5\nrate: 0.1\nschedule: constant\nfinal-rate: 0.01"),
                  "final-rate: the constant schedule stays at 0.1, found 0.01");
  EXPECT_CONTAINS(resolve("steps: 5\ndecay-steps: 2"),
                  "decay-steps: only schedule wsd has them, found 2 with cosine");
  EXPECT_CONTAINS(resolve("steps: 5\nbeta2: 1"), "beta2: expected a number below 1, found 1");
  EXPECT_CONTAINS(resolve("steps: 5\nepsilon: 0"), "epsilon: expected at least 1e-30, found 0");
  EXPECT_CONTAINS(resolve("steps: 5\nval: v\nvalidation-fraction: 0.1"),
                  "validation-fraction: expected 0");
  EXPECT_CONTAINS(resolve("steps: 5\nwith-optimizer: true"), "with-optimizer: expected weights");
  recipe = Recipe();
  recipe.steps = 1;
  EXPECT_CONTAINS(message(recipe.resolve()), "data: expected at least one file");
}

TEST_F(Recipes, ResolvesDefaultsForEveryLength) {
  for (const char *schedule : {"constant", "linear", "cosine", "wsd"})
    for (int steps = 1; steps <= 50; ++steps)
      EXPECT_EQ(resolve("schedule: " + std::string(schedule) + "\nsteps: " + std::to_string(steps)),
                "");
}

TEST_F(Recipes, StatisticsComeWithTheLogOrAHundredTimes) {
  ASSERT_EQ(resolve("steps: 1000"), "");
  EXPECT_EQ(recipe.statisticsEvery, 10);
  ASSERT_EQ(resolve("steps: 99"), "");
  EXPECT_EQ(recipe.statisticsEvery, 1);
  ASSERT_EQ(resolve("steps: 1000\nlog-every: 7"), "");
  EXPECT_EQ(recipe.statisticsEvery, 7);
  ASSERT_EQ(resolve("steps: 1000\nlog-every: 7\nstatistics-every: 3"), "");
  EXPECT_EQ(recipe.statisticsEvery, 3);
  ASSERT_EQ(resolve("steps: 1000\nstatistics-every: 0"), "");
  EXPECT_EQ(recipe.statisticsEvery, 0);
  EXPECT_CONTAINS(read("statistics-every: -1"), "statistics-every: expected an integer from 0");
}

TEST_F(Recipes, WritesWhatItReads) {
  ASSERT_EQ(resolve("steps: 100\nval: \"v: 'x' \\\"y\\\" #\"\nrate: 0.1\nweights: run/\n"), "");
  Recipe saved = recipe;
  ASSERT_EQ(read(saved.toYaml()), "");
  EXPECT_EQ(recipe.toYaml(), saved.toYaml());
  EXPECT_EQ(recipe.val, saved.val);
}

TEST_F(Recipes, TheseKeysMayChangeOnResume) {
  // As docs/Reliability.md lists them.
  std::vector<std::string> free, others;
  for (const RecipeKey &key : getRecipeKeys())
    if (key.onResume != OnResume::Fixed)
      (key.onResume == OnResume::Free ? free : others).push_back(key.name.str());
  EXPECT_EQ(free,
            (std::vector<std::string>{"val", "validate-every", "validation-rows", "save-every",
                                      "keep", "log-every", "statistics-every", "threads"}));
  EXPECT_EQ(others, (std::vector<std::string>{"data", "steps", "accumulate"}));
}

/// Another value of a key, as text.
static std::string change(const RecipeKey &key, const Recipe &recipe) {
  std::string value = llvm::join(key.get(recipe), ",");
  if (value == "true" || value == "false")
    return value == "true" ? "false" : "true";
  if (key.name == "schedule")
    return "wsd";
  if (key.name == "data-format")
    return "u16";
  double number;
  if (llvm::StringRef(value).getAsDouble(number))
    return value + "x";
  bool isInteger = number == int64_t(number);
  return isInteger ? std::to_string(int64_t(number) + 1) : std::to_string(number / 2 + 0.25);
}

TEST_F(Recipes, EachOtherKeyIsRefusedWithBothValues) {
  ASSERT_EQ(resolve("steps: 100\nrate: 0.1\naccumulate: 2\nvalidation-fraction: 0.1\nweights: w"),
            "");
  const Recipe saved = recipe;
  for (const RecipeKey &key : getRecipeKeys()) {
    Recipe given = saved;
    ASSERT_EQ(message(key.set(given, {change(key, saved)})), "");
    ASSERT_NE(key.get(given), key.get(saved)) << key.name.str();
    std::string text = message(checkResumedRecipe(given, saved, {"run", 5, 8, 8}));
    if (key.onResume == OnResume::Fixed) {
      EXPECT_CONTAINS(text, "run: cannot resume with another recipe: " + key.name.str() + " is " +
                                llvm::join(key.get(given), ", ") + ", but the run has " +
                                llvm::join(key.get(saved), ", ") + "; a new run");
    } else if (key.onResume != OnResume::Split) {
      EXPECT_EQ(text, "") << key.name.str();
    }
  }
}

TEST_F(Recipes, AStepKeepsItsRows) {
  ASSERT_EQ(resolve("steps: 100\naccumulate: 6"), "");
  const Recipe saved = recipe;
  EXPECT_EQ(message(checkResumedRecipe(recipe, saved, {"run", 5, 4, 4})), "");
  EXPECT_EQ(message(checkResumedRecipe(recipe, saved, {"run", 5, 8, 4})), "");
  EXPECT_EQ(recipe.accumulate, 3); // settled
  EXPECT_EQ(message(checkResumedRecipe(recipe, saved, {"run", 5, 8, 4})), "");
  EXPECT_CONTAINS(message(checkResumedRecipe(recipe, saved, {"run", 5, 4, 4})),
                  "accumulate is 3, but the run has 6");
  recipe.accumulate = 6;
  EXPECT_CONTAINS(message(checkResumedRecipe(recipe, saved, {"run", 5, 5, 4})),
                  "accumulate is 6 (with a batch of 5), but the run has 6 (with a batch of 4)");
}

TEST_F(Recipes, StepsDoneCannotBeUndone) {
  ASSERT_EQ(resolve("steps: 100"), "");
  Recipe saved = recipe;
  recipe.steps = 4;
  EXPECT_EQ(message(checkResumedRecipe(recipe, saved, {"run", 4, 1, 1})), "");
  EXPECT_CONTAINS(message(checkResumedRecipe(recipe, saved, {"run", 5, 1, 1})),
                  "run: steps: expected at least 5, which are done, found 4");
}

} // namespace
