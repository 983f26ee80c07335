//===- VernierOps.td - All operations of the vernier dialect --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "vernier/Model/ModelOps.td"
include "vernier/Model/TrainingOps.td"
