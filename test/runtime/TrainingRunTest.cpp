//===- TrainingRunTest.cpp - Runs, resumed and stopped --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TrainingRun.h"
#include "FakeEngine.h"
#include "TestFiles.h"
#include "runtime/Files.h"
#include "runtime/Interrupt.h"
#include "llvm/Support/JSON.h"
#include <csignal>
#include <numeric>
#include <set>

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

namespace {

class Runs : public testing::Test {
protected:
  Runs() {
    std::string text(200, '\0');
    std::iota(text.begin(), text.end(), '\0');
    recipe.data = {folder.write("train.txt", text)};
    recipe.steps = 10;
    recipe.accumulate = 2;
    recipe.saveEvery = 0;
    recipe.warmup = 3;
    recipe.statisticsEvery = 0; // records of steps and validations only
    EXPECT_EQ(message(recipe.resolve()), "");
    options.folder = folder / "run";
    options.graph = "module {}";
  }

  /// Runs a new engine from `options.start`.
  RunEnd train(FakeEngine &engine) {
    auto data = openRunData(recipe, {2, 4, 256, -100});
    EXPECT_TRUE(bool(data)) << message(data.takeError());
    if (options.start.step == 0) {
      (void)fs::remove_directories(options.folder);
      EXPECT_EQ(message(createRunFolder(options.folder)), "");
      EXPECT_EQ(message(startEngine(engine, recipe)), "");
    }
    llvm::raw_string_ostream stream(log);
    auto end = runTraining(engine, recipe, *data, options, stream);
    EXPECT_TRUE(bool(end)) << message(end.takeError());
    reason = end ? end->reason : "";
    return end ? end->end : RunEnd::Finished;
  }

  /// Goes on from the latest checkpoint, in a new process as it were.
  RunEnd resume(FakeEngine &engine) {
    auto checkpoint = openCheckpoint(options.folder);
    EXPECT_TRUE(bool(checkpoint)) << message(checkpoint.takeError());
    Recipe saved;
    EXPECT_EQ(message(readRecipe(checkpoint->getRecipePath(), saved)), "");
    EXPECT_EQ(message(checkResumedRecipe(recipe, saved, {"run", checkpoint->state.step, 2, 2})),
              "");
    EXPECT_EQ(message(loadWeights(options.folder, engine)), "");
    EXPECT_EQ(message(loadOptimizer(*checkpoint, engine)), "");
    options.start = checkpoint->state;
    options.stopAfter = 0;
    return train(engine);
  }

  /// The lines of metrics.jsonl.
  std::vector<llvm::json::Value> readMetrics() {
    std::vector<llvm::json::Value> records;
    auto buffer = mapFile(options.folder + "/metrics.jsonl");
    llvm::SmallVector<llvm::StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines)
      if (auto json = llvm::json::parse(line)) {
        records.push_back(std::move(*json));
      } else {
        ADD_FAILURE() << line.str();
        llvm::consumeError(json.takeError());
      }
    return records;
  }

  /// The numbers of a key in metrics.jsonl.
  std::vector<double> metrics(llvm::StringRef key) {
    std::vector<double> values;
    for (const llvm::json::Value &record : readMetrics())
      if (auto value = record.getAsObject()->getNumber(key))
        values.push_back(*value);
    return values;
  }

  Recipe recipe;
  RunOptions options;
  std::string log, reason;
  TemporaryFolder folder;
};

TEST_F(Runs, TenStepsAreFiveAndFive) {
  FakeEngine whole, first, second;
  EXPECT_EQ(train(whole), RunEnd::Finished);
  std::vector<double> losses = metrics("loss");
  EXPECT_EQ(losses.size(), 10u);
  options.stopAfter = 5;
  EXPECT_EQ(train(first), RunEnd::Stopped);
  EXPECT_EQ(first.rates.size(), 5u);
  EXPECT_EQ(resume(second), RunEnd::Finished);
  for (int i : {0, 1, 2})
    EXPECT_EQ(second.state[i], whole.state[i]);
  std::vector<int> rows = first.rows;
  rows.insert(rows.end(), second.rows.begin(), second.rows.end());
  EXPECT_EQ(rows, whole.rows);
  EXPECT_EQ(rows.size(), 10u * 2 * 2 * 4);
  std::set<int> firstIds; // each window once: there are 49 of 4 tokens
  for (size_t i = 0; i < rows.size(); i += 4)
    firstIds.insert(rows[i]);
  EXPECT_EQ(firstIds.size(), 40u);
  EXPECT_EQ(metrics("loss"), losses); // every digit
  std::vector<double> rates = first.rates;
  rates.insert(rates.end(), second.rates.begin(), second.rates.end());
  EXPECT_EQ(rates, whole.rates);
  EXPECT_EQ(metrics("rate"), whole.rates);
  EXPECT_EQ(openCheckpoint(options.folder)->state.step, 10);
}

/// Stopped after any step, with any schedule and accumulation, over the ends of
/// epochs: 49 windows are 24 micro-batches and a half, so that the ends fall into
/// steps and micro-batches.
TEST_F(Runs, ResumesExactlyAfterEachStep) {
  recipe.steps = 30;
  recipe.decaySteps = 7;
  for (ScheduleKind schedule :
       {ScheduleKind::Constant, ScheduleKind::Linear, ScheduleKind::Cosine, ScheduleKind::WSD})
    for (int accumulate : {1, 3}) {
      recipe.schedule = schedule;
      recipe.accumulate = accumulate;
      FakeEngine whole;
      options = {options.folder, options.graph, "", {}, 0, false};
      ASSERT_EQ(train(whole), RunEnd::Finished);
      std::vector<double> losses = metrics("loss"), rates = metrics("rate");
      for (int stop = 1; stop < recipe.steps; ++stop) {
        FakeEngine first, second;
        options = {options.folder, options.graph, "", {}, stop, false};
        ASSERT_EQ(train(first), RunEnd::Stopped);
        ASSERT_EQ(resume(second), RunEnd::Finished);
        std::vector<int> rows = first.rows;
        rows.insert(rows.end(), second.rows.begin(), second.rows.end());
        ASSERT_EQ(rows, whole.rows) << "stopped after " << stop;
        for (int i : {0, 1, 2})
          ASSERT_EQ(second.state[i], whole.state[i]) << "stopped after " << stop;
        ASSERT_EQ(second.steps, whole.steps);
        ASSERT_EQ(metrics("loss"), losses); // every digit
        ASSERT_EQ(metrics("rate"), rates);
      }
      EXPECT_EQ(whole.rows.size(), 30u * accumulate * 2 * 4);
    }
}

TEST_F(Runs, StepsAfterTheCheckpointAreLoggedOnce) {
  FakeEngine first, second;
  recipe.saveEvery = 4;
  first.beforeUpdate = [&](StepResult &) {
    if (first.rates.size() == 6) // the seventh step: as if the process had died here
      first.beforeUpdate = nullptr, raise(SIGINT);
  };
  catchInterrupts();
  EXPECT_EQ(train(first), RunEnd::Interrupted);
  EXPECT_EQ(getInterrupt(), SIGINT);
  catchInterrupts(); // forgets it
  EXPECT_EQ(openCheckpoint(options.folder)->state.step, 7);
  EXPECT_CONTAINS(log, "step-000007 saved; continue with: vernier train --resume=");
  (void)fs::remove_directories(options.folder + "/step-000007");
  {
    std::error_code code;
    llvm::raw_fd_ostream(options.folder + "/latest", code) << "step-000004\n";
    llvm::raw_fd_ostream(options.folder + "/metrics.jsonl", code, fs::OF_Append)
        << "{\"step\": 8, \"lo"; // cut short
  }
  EXPECT_EQ(resume(second), RunEnd::Finished);
  std::vector<double> steps = metrics("step"), expected(10);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(steps, expected);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

TEST_F(Runs, ANumberThatIsNoneStopsBeforeTheUpdate) {
  FakeEngine engine;
  FakeEngine::Arrays before;
  engine.beforeUpdate = [&](StepResult &result) {
    if (engine.rates.size() == 3) {
      result.nonFinite = "the loss of micro-batch 2";
      before = engine.state[0];
    }
  };
  EXPECT_EQ(train(engine), RunEnd::NonFinite);
  EXPECT_CONTAINS(reason,
                  "step 4: the loss of micro-batch 2 is not finite; nothing was updated; the "
                  "weights of step 3 are in " +
                      options.folder + "/step-000003");
  EXPECT_EQ(metrics("step"), (std::vector<double>{1, 2, 3}));
  FakeEngine loaded;
  ASSERT_EQ(message(loadWeights(options.folder, loaded)), "");
  EXPECT_EQ(loaded.state[0], before);
}

TEST_F(Runs, AValidationLossThatIsNotFiniteStops) {
  recipe.validationFraction = 0.1;
  recipe.validateEvery = 4;
  FakeEngine engine;
  engine.validationLoss = std::nan("");
  EXPECT_EQ(train(engine), RunEnd::NonFinite);
  EXPECT_EQ(reason, "step 4: the validation loss is not finite; the weights of step 4 are in " +
                        options.folder + "/step-000004");
  EXPECT_EQ(metrics("step"), (std::vector<double>{1, 2, 3, 4})); // and no line that is no JSON
  FakeEngine loaded;
  ASSERT_EQ(message(loadWeights(options.folder, loaded)), "");
  EXPECT_EQ(loaded.state[0], engine.state[0]);
}

TEST_F(Runs, NewRunsStartFromOldOnes) {
  FakeEngine old, with, without;
  train(old);
  recipe.weights = options.folder;
  EXPECT_EQ(message(startEngine(without, recipe)), "");
  EXPECT_EQ(without.state[0], old.state[0]);
  EXPECT_EQ(without.steps[0][0], 0);
  EXPECT_EQ(without.state[1][0], std::vector<float>(6));
  recipe.withOptimizer = true;
  EXPECT_EQ(message(startEngine(with, recipe)), "");
  EXPECT_EQ(with.state[1], old.state[1]);
  EXPECT_EQ(with.steps, old.steps);
  recipe.weights = openCheckpoint(options.folder)->folder + "/model.safetensors";
  EXPECT_CONTAINS(message(startEngine(with, recipe)),
                  "model.safetensors is neither a run nor a checkpoint");
}

TEST_F(Runs, ValidationIsWeightedByTokens) {
  recipe.validationFraction = 0.1; // 20 tokens: four windows of 4 + 1
  recipe.validateEvery = 5;
  recipe.validationRows = 0;
  FakeEngine engine;
  train(engine);
  EXPECT_EQ(metrics("validation_loss"), (std::vector<double>{3, 3}));
  EXPECT_EQ(metrics("validation_tokens"), (std::vector<double>{16, 16}));
  EXPECT_EQ(engine.evaluated, 32);
  EXPECT_CONTAINS(log, "step 5: validation loss 3.0000");
}

TEST_F(Runs, AStepWithoutTargetsUpdatesNothing) {
  std::vector<int32_t> ids(16, 1), targets(16, -100);
  recipe.data = {folder / "b.safetensors"};
  ASSERT_EQ(
      message(writeSafetensors(
          recipe.data[0], {{"input_ids", StoredType::I32, {4, 4}, {bytesOf<int32_t>(ids)}},
                           {"targets", StoredType::I32, {4, 4}, {bytesOf<int32_t>(targets)}}})),
      "");
  recipe.steps = 1;
  recipe.warmup = 0;
  FakeEngine engine;
  EXPECT_EQ(train(engine), RunEnd::Finished);
  EXPECT_TRUE(engine.rates.empty());
  EXPECT_CONTAINS(log, "step 1: no target is valid: loss 0, no update");
  EXPECT_EQ(metrics("loss"), std::vector<double>{0});
  recipe.accumulate = 1;
  EXPECT_CONTAINS(message(openRunData(recipe, {2, 4, 256, -100})), "accumulate: expected 2, since");
}

TEST_F(Runs, StatisticsComeAtIntervalsAndWithTheLastStep) {
  recipe.statisticsEvery = 4;
  FakeEngine engine;
  EXPECT_EQ(train(engine), RunEnd::Finished);
  std::vector<int64_t> found;
  for (const llvm::json::Value &line : readMetrics()) {
    const llvm::json::Object &record = *line.getAsObject();
    const llvm::json::Array *vectors = record.getArray("scale_vectors");
    if (!vectors)
      continue;
    found.push_back(*record.getInteger("step"));
    EXPECT_GE(*record.getObject("gradient_norms")->getNumber("matrix/q"), 1);
    const llvm::json::Object &vector = *vectors->front().getAsObject();
    EXPECT_EQ(*vector.getString("vector"), "layer");
    EXPECT_EQ(*vector.getString("branch"), "gate, up");
    EXPECT_EQ(*vector.getInteger("layer"), 3);
    EXPECT_EQ(*vector.getString("form"), "original");
    if (found.back() == 10) {
      EXPECT_EQ(*vector.getNumber("magnitude"), engine.state[0][0][0]);
      EXPECT_EQ(*vector.getNumber("max"), 2 * *llvm::max_element(engine.state[0][1]));
    }
  }
  EXPECT_EQ(found, (std::vector<int64_t>{4, 8, 10}));
  EXPECT_EQ(metrics("loss").size(), 10u);
}

TEST_F(Runs, StatisticsCanBeOff) {
  FakeEngine engine;
  EXPECT_EQ(train(engine), RunEnd::Finished);
  for (const llvm::json::Value &line : readMetrics())
    EXPECT_EQ(line.getAsObject()->get("gradient_norms"), nullptr);
}

// Entries 3, -1, 1, -5: sum -2, squares 36.
TEST(Statistics, Summarize) {
  Summary summary = summarize({3, -1, 1, -5});
  EXPECT_EQ(summary.mean, -0.5);
  EXPECT_EQ(summary.rms, 3);
  EXPECT_EQ(summary.min, -5);
  EXPECT_EQ(summary.max, 3);
}

TEST_F(Runs, TheFolderMustBeNew) {
  EXPECT_CONTAINS(message(createRunFolder(folder.path)), "exists already, and has no checkpoint");
  EXPECT_CONTAINS(message(createRunFolder(recipe.data[0] + "/run")), "cannot create the folder");
}

TEST(Log, PrintsLinesNowAndThen) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ProgressLog progress(stream, false, 300, 0);
  for (int step = 1; step <= 300; ++step)
    progress.add({step, 2.5, 0.913, 1, 3.6e-4, 2048, 0.05, 0.05 * step});
  EXPECT_EQ(text, "step   1/300  loss 2.5000  norm 0.91  rate 3.6e-04  41k tok/s\n"
                  "step 201/300  loss 2.5000  norm 0.91  rate 3.6e-04  41k tok/s  eta 5s\n"
                  "step 300/300  loss 2.5000  norm 0.91  rate 3.6e-04  41k tok/s\n");
}

TEST(Log, TheRateIsOfAllTimeSinceTheLastLine) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ProgressLog progress(stream, false, 100, 2);
  progress.add({1, 2, 1, 1, 1e-3, 10, 1, 1});
  progress.add({2, 2, 1, 1, 1e-3, 10, 1, 2});
  progress.add({3, 2, 1, 1, 1e-3, 10, 7, 9}); // behind a validation of six seconds
  progress.add({4, 2, 1, 1, 1e-3, 10, 1, 10});
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  EXPECT_CONTAINS(lines[1].str(), "  10 tok/s");
  EXPECT_CONTAINS(lines[2].str(), "step   4/100  loss 2.0000  norm 1.00  rate 1.0e-03  2 tok/s");
}

TEST(Log, RedrawsOnATerminal) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ProgressLog progress(stream, true, 3, 0);
  progress.add({1, 2, 1, 1, 1e-3, 10, 1, 1});
  progress.add({2, 1, 1, 1, 1e-3, 10, 1, 2});
  progress.add(ValidationRecord{2, 1.25, 10});
  EXPECT_EQ(text, "\r\x1b[Kstep 1/3  loss 2.0000  norm 1.00  rate 1.0e-03  10 tok/s"
                  "\r\x1b[Kstep 2/3  loss 1.0000  norm 1.00  rate 1.0e-03  10 tok/s  eta 1s\n"
                  "step 2: validation loss 1.2500\n");
}

TEST(Log, FormatsForPeople) {
  EXPECT_EQ(formatRate(950), "950");
  EXPECT_EQ(formatRate(41234), "41.2k");
  EXPECT_EQ(formatRate(1.25e6), "1.25M");
  EXPECT_EQ(formatDuration(45), "45s");
  EXPECT_EQ(formatDuration(725), "12m 05s");
  EXPECT_EQ(formatDuration(11520), "3h 12m");
}

} // namespace
