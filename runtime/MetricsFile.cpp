//===- MetricsFile.cpp - metrics.jsonl ------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Files.h"
#include "runtime/Json.h"
#include "runtime/Metrics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

std::string vernier::runtime::selectMetricsLines(llvm::StringRef text, int64_t lastStep,
                                                 int64_t &dropped) {
  std::string kept;
  dropped = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    auto json = parseJson(line, "line");
    if (!json) {
      llvm::consumeError(json.takeError());
      dropped += !rest.empty(); // the last line may have been cut short
      continue;
    }
    const llvm::json::Object *object = json->getAsObject();
    std::optional<int64_t> step = object ? object->getInteger("step") : std::nullopt;
    if (!step)
      ++dropped;
    else if (*step <= lastStep)
      kept += line.str() + "\n";
  }
  return kept;
}

Expected<MetricsFile> MetricsFile::open(llvm::StringRef path, int64_t lastStep) {
  MetricsFile file;
  file.path = path.str();
  if (Error error = checkIsFile(path))
    return std::move(error);
  if (fs::exists(path)) {
    auto old = mapFile(path);
    if (!old)
      return old.takeError();
    std::string kept = selectMetricsLines((*old)->getBuffer(), lastStep, file.dropped);
    if (Error error = writeFileAtomically(path, kept))
      return error;
  }
  std::error_code code;
  file.stream = std::make_unique<llvm::raw_fd_ostream>(path, code, fs::OF_Append);
  if (code)
    return makeError("{0}: cannot write: {1}", path, code.message());
  return file;
}

Error MetricsFile::flush() {
  *stream << "\n";
  stream->flush();
  if (!stream->has_error())
    return Error::success();
  std::error_code code = stream->error();
  stream->clear_error();
  return makeError("{0}: cannot write: {1}", path, code.message());
}

Error MetricsFile::add(const StepRecord &record) {
  llvm::json::OStream json(*stream);
  json.object([&] {
    json.attribute("step", record.step);
    json.attribute("loss", record.loss);
    json.attribute("gradient_norm", record.gradientNorm);
    json.attribute("clipped_norm", record.gradientNorm * record.clipFactor);
    json.attribute("rate", record.rate);
    json.attribute("tokens", record.tokens);
    json.attribute("seconds", record.seconds);
    json.attribute("tokens_per_second", record.seconds > 0 ? record.tokens / record.seconds : 0.0);
  });
  return flush();
}

Error MetricsFile::add(const ValidationRecord &record) {
  llvm::json::OStream json(*stream);
  json.object([&] {
    json.attribute("step", record.step);
    json.attribute("validation_loss", record.loss);
    json.attribute("validation_tokens", record.tokens);
  });
  return flush();
}

static void write(llvm::json::OStream &json, const ScaleStatistics &scale) {
  json.object([&] {
    json.attribute("vector", scale.vector.name);
    json.attribute("site", scale.vector.site);
    json.attribute("branch", scale.vector.branches);
    if (scale.vector.layer >= 0)
      json.attribute("layer", scale.vector.layer);
    json.attribute("mean", scale.summary.mean);
    json.attribute("rms", scale.summary.rms);
    json.attribute("min", scale.summary.min);
    json.attribute("max", scale.summary.max);
    if (!scale.vector.form.empty())
      json.attribute("form", scale.vector.form);
    if (scale.magnitude)
      json.attribute("magnitude", *scale.magnitude);
  });
}

Error MetricsFile::add(const StatisticsRecord &record) {
  llvm::json::OStream json(*stream);
  json.object([&] {
    json.attribute("step", record.step);
    json.attributeObject("gradient_norms", [&] {
      for (const auto &[group, norm] : record.gradientNorms)
        json.attribute(group, norm);
    });
    json.attributeArray("scale_vectors", [&] {
      for (const ScaleStatistics &scale : record.scales)
        write(json, scale);
    });
  });
  return flush();
}
