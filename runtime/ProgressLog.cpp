//===- ProgressLog.cpp - Lines for people ---------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Metrics.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace vernier::runtime;

static constexpr double secondsBetweenLines = 10;
static constexpr double secondsBetweenRedraws = 0.1;

static std::string print(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

std::string vernier::runtime::formatRate(double perSecond) {
  if (perSecond < 1000)
    return print("%.0f", perSecond);
  return perSecond < 1e6 ? print("%.3gk", perSecond / 1e3) : print("%.3gM", perSecond / 1e6);
}

std::string vernier::runtime::formatDuration(double seconds) {
  int64_t total = std::llround(seconds);
  if (total < 60)
    return llvm::formatv("{0}s", total);
  if (total < 3600)
    return llvm::formatv("{0}m {1,0+2}s", total / 60, total % 60);
  return llvm::formatv("{0}h {1,0+2}m", total / 3600, total / 60 % 60);
}

/// Tokens per second since the last line, and the time left by the mean of all
/// steps but the first, which has caches to fill.
std::string ProgressLog::format(const StepRecord &record) const {
  std::string total = std::to_string(steps);
  std::string line = "step " + std::string(total.size() - std::to_string(record.step).size(), ' ') +
                     std::to_string(record.step) + "/" + total;
  line += print("  loss %.4f", record.loss) + print("  norm %.2f", record.gradientNorm) +
          print("  rate %.1e", record.rate);
  if (double seconds = record.elapsed - lastLine; seconds > 0)
    line += "  " + formatRate(tokens / seconds) + " tok/s";
  if (int64_t done = record.step - firstStep; done > 0 && record.step < steps)
    line +=
        "  eta " + formatDuration((record.elapsed - firstElapsed) / done * (steps - record.step));
  return line;
}

bool ProgressLog::isDue(const StepRecord &record) const {
  if (record.step == steps || record.step == firstStep)
    return true;
  if (every > 0)
    return record.step % every == 0;
  return record.elapsed - lastLine >= (inPlace ? secondsBetweenRedraws : secondsBetweenLines);
}

void ProgressLog::add(const StepRecord &record) {
  if (firstStep < 0) {
    firstStep = record.step;
    firstElapsed = record.elapsed;
  }
  tokens += record.tokens;
  if (!isDue(record))
    return;
  if (inPlace)
    stream << "\r\x1b[K" << format(record); // back to the start, erase the line
  else
    stream << format(record) << "\n";
  lastLine = record.elapsed;
  tokens = 0;
  lineOpen = inPlace;
  stream.flush();
}

void ProgressLog::endLine() {
  if (lineOpen)
    stream << "\n";
  lineOpen = false;
}

void ProgressLog::add(const ValidationRecord &record) {
  note(llvm::formatv("step {0}: validation loss {1:F4}", record.step, record.loss).str());
}

void ProgressLog::note(const llvm::Twine &text) {
  endLine();
  stream << text << "\n";
  stream.flush();
}
