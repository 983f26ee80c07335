//===- KnownFields.h - Fields that config.json may have besides -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_IMPORT_KNOWNFIELDS_H
#define VERNIER_LIB_IMPORT_KNOWNFIELDS_H

#include "ConfigReader.h"

namespace vernier {

/// Accepts the fields that do not change the model graph, and those that have
/// the one value that means the feature is off; rejects other values of these.
void readFieldsWithoutEffect(ConfigReader &reader);

} // namespace vernier

#endif // VERNIER_LIB_IMPORT_KNOWNFIELDS_H
