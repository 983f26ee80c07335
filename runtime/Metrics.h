//===- Metrics.h - What a run records -----------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_METRICS_H
#define VERNIER_RUNTIME_METRICS_H

#include "runtime/Statistics.h"
#include "runtime/Status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>

namespace vernier::runtime {

/// A row of the log, after a step or a validation. Losses in nats per token.
struct StepRecord {
  int64_t step = 0; ///< counted from 1: after so many updates
  double loss = 0, gradientNorm = 0, clipFactor = 1, rate = 0;
  int64_t tokens = 0; ///< valid targets of the step
  /// Since the step before; what was between them, as validations and
  /// checkpoints, is not left out.
  double seconds = 0;
  double elapsed = 0; ///< since the process began to train
};
struct ValidationRecord {
  int64_t step = 0;
  double loss = 0;
  int64_t tokens = 0;
};

/// How parameters train: gradient norms of the step by groups of parameters
/// (empty if nothing was updated), and the scale vectors after it.
struct StatisticsRecord {
  int64_t step = 0;
  std::vector<std::pair<std::string, double>> gradientNorms;
  std::vector<ScaleStatistics> scales;
};

/// The lines of metrics.jsonl of steps up to `lastStep`. A last one that a crash
/// cut short is not among them; others that are no records are counted in `dropped`.
std::string selectMetricsLines(llvm::StringRef text, int64_t lastStep, int64_t &dropped);

/// metrics.jsonl: a JSON object a line, numbers with all their digits. The format
/// is described in docs/Metrics.md.
class MetricsFile {
public:
  /// Opens a new file, or, for a resumed run, one whose lines after `lastStep`
  /// are dropped: those steps will be done again.
  static Expected<MetricsFile> open(llvm::StringRef path, int64_t lastStep);

  Error add(const StepRecord &record);
  Error add(const ValidationRecord &record);
  Error add(const StatisticsRecord &record);

  /// Lines of the old file that were no records.
  int64_t countDropped() const { return dropped; }

private:
  Error flush();

  std::string path;
  int64_t dropped = 0;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

/// The lines for people: in place on a terminal, otherwise a line now and then.
class ProgressLog {
public:
  /// `every`: steps between lines; 0: in place, or every ten seconds.
  ProgressLog(llvm::raw_ostream &stream, bool inPlace, int64_t steps, int64_t every)
      : stream(stream), inPlace(inPlace && every == 0), steps(steps), every(every) {}

  void add(const StepRecord &record);
  void add(const ValidationRecord &record);
  /// A line of its own.
  void note(const llvm::Twine &text);

private:
  bool isDue(const StepRecord &record) const;
  std::string format(const StepRecord &record) const;
  void endLine();

  llvm::raw_ostream &stream;
  bool inPlace;
  int64_t steps, every;
  int64_t firstStep = -1;
  double lastLine = 0, firstElapsed = 0; // in seconds of the process
  int64_t tokens = 0;                    // since the last line
  bool lineOpen = false;
};

/// "950", "41.2k", "1.25M".
std::string formatRate(double perSecond);
/// "45s", "12m 05s", "3h 12m".
std::string formatDuration(double seconds);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_METRICS_H
