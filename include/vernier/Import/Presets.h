//===- Presets.h - Models that need no config.json --------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_IMPORT_PRESETS_H
#define VERNIER_IMPORT_PRESETS_H

#include "vernier/Import/ModelConfig.h"

namespace vernier {

/// The model of a preset, or an error that lists the presets there are.
llvm::Expected<ModelConfig> getPreset(llvm::StringRef name);

/// All presets with a line on each, for `--help`.
std::string describePresets();

} // namespace vernier

#endif // VERNIER_IMPORT_PRESETS_H
