//===- RopeConfig.h - The rotary embedding of a config.json -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_IMPORT_ROPECONFIG_H
#define VERNIER_LIB_IMPORT_ROPECONFIG_H

#include "ConfigReader.h"
#include "vernier/Import/ModelConfig.h"

namespace vernier {

/// Reads theta and scaling of either generation: the fields rope_theta and
/// rope_scaling, or one field rope_parameters.
void readRope(ConfigReader &reader, ModelConfig &config);

} // namespace vernier

#endif // VERNIER_LIB_IMPORT_ROPECONFIG_H
