//===- RopeTable.cpp - Angles of the rotary embedding -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RopeTable.h"
#include <cmath>

using namespace mlir;
using namespace vernier;

/// The scaling that `#vernier.rope_llama3` describes, of one frequency.
static double rescale(double frequency, RopeLlama3Attr scaling) {
  if (!scaling)
    return frequency;
  double factor = scaling.getFactor().getValueAsDouble();
  double lowFactor = scaling.getLowFreqFactor().getValueAsDouble();
  double highFactor = scaling.getHighFreqFactor().getValueAsDouble();
  double original = scaling.getOriginalContext();
  double wavelength = 2 * M_PI / frequency;
  if (wavelength < original / highFactor)
    return frequency;
  if (wavelength > original / lowFactor)
    return frequency / factor;
  double smooth = (original / wavelength - lowFactor) / (highFactor - lowFactor);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

RopeTable vernier::evaluateRopeTable(program::RopeTableOp op) {
  auto shape = cast<RankedTensorType>(op.getCosines().getType()).getShape();
  double theta = op.getTheta().convertToDouble();
  std::vector<double> frequencies;
  frequencies.reserve(shape[1]);
  for (int64_t i = 0; i < shape[1]; ++i)
    frequencies.push_back(rescale(std::pow(theta, -double(i) / shape[1]), op.getScalingAttr()));
  RopeTable table;
  for (int64_t position = 0; position < shape[0]; ++position)
    for (double frequency : frequencies) {
      table.cosines.push_back(static_cast<float>(std::cos(position * frequency)));
      table.sines.push_back(static_cast<float>(std::sin(position * frequency)));
    }
  return table;
}
