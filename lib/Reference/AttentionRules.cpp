//===- AttentionRules.cpp - Rules of attention and rope ------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Formulas.h"
#include "vernier/Reference/Rules.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

//===----------------------------------------------------------------------===//
// Rotary position embedding
//===----------------------------------------------------------------------===//

double vernier::reference::ropeFrequency(int64_t pair, int64_t headDim, double theta,
                                         RopeLlama3Attr scaling) {
  double frequency = std::pow(theta, -2.0 * pair / headDim);
  if (!scaling)
    return frequency;
  double factor = scaling.getFactor().getValueAsDouble();
  double lowFactor = scaling.getLowFreqFactor().getValueAsDouble();
  double highFactor = scaling.getHighFreqFactor().getValueAsDouble();
  double original = static_cast<double>(scaling.getOriginalContext());
  double wavelength = 2 * M_PI / frequency;
  if (wavelength < original / highFactor)
    return frequency;
  if (wavelength > original / lowFactor)
    return frequency / factor;
  double s = (original / wavelength - lowFactor) / (highFactor - lowFactor);
  return (1 - s) * frequency / factor + s * frequency;
}

static void rope(RopeOp op, Operands in, Results out) {
  const Tensor &x = *in[0];
  int64_t sequence = x.shape[1], heads = x.shape[2], headDim = x.shape[3], half = headDim / 2;
  double theta = op.getTheta().convertToDouble();
  RopeLlama3Attr scaling = op.getScalingAttr();
  for (int64_t r = 0; r < x.rows(); ++r) {
    int64_t position = r / heads % sequence;
    const double *from = x.row(r);
    double *to = out[0].row(r);
    for (int64_t i = 0; i < half; ++i) {
      double angle = position * ropeFrequency(i, headDim, theta, scaling);
      double c = std::cos(angle), s = op.getInverse() ? -std::sin(angle) : std::sin(angle);
      to[i] = from[i] * c - from[i + half] * s;
      to[i + half] = from[i + half] * c + from[i] * s;
    }
  }
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions of an attention, and which rows belong together.
struct Layout {
  int64_t batch, sequence, heads, kvHeads, headDim;

  Layout(const Tensor &query, const Tensor &key)
      : batch(query.shape[0]), sequence(query.shape[1]), heads(query.shape[2]),
        kvHeads(key.shape[2]), headDim(query.shape[3]) {}

  int64_t queryRow(int64_t b, int64_t t, int64_t h) const { return (b * sequence + t) * heads + h; }
  int64_t keyRow(int64_t b, int64_t t, int64_t h) const {
    return (b * sequence + t) * kvHeads + h / (heads / kvHeads);
  }
};

/// The positions [begin, end) that position t sees.
struct Visible {
  int64_t begin, end;

  Visible(const AttentionOptions &options, int64_t t, int64_t sequence)
      : begin(options.window ? std::max<int64_t>(0, t - *options.window + 1) : 0),
        end(options.causal ? t + 1 : sequence) {}
};
} // namespace

// Calls body(b, t, h) for each query row.
template <typename Body> static void forEachQuery(const Layout &layout, Body body) {
  for (int64_t b = 0; b < layout.batch; ++b)
    for (int64_t t = 0; t < layout.sequence; ++t)
      for (int64_t h = 0; h < layout.heads; ++h)
        body(b, t, h);
}

void vernier::reference::attention(const AttentionOptions &options, const Tensor &query,
                                   const Tensor &key, const Tensor &value, Tensor &output,
                                   Tensor &logSumExp) {
  Layout layout(query, key);
  std::vector<double> scores(layout.sequence);
  forEachQuery(layout, [&](int64_t b, int64_t t, int64_t h) {
    Visible visible(options, t, layout.sequence);
    int64_t row = layout.queryRow(b, t, h);
    double maximum = -HUGE_VAL, sum = 0;
    for (int64_t s = visible.begin; s < visible.end; ++s) {
      const double *keyRow = key.row(layout.keyRow(b, s, h));
      scores[s] = options.scale * dot(query.row(row), keyRow, layout.headDim);
      maximum = std::max(maximum, scores[s]);
    }
    for (int64_t s = visible.begin; s < visible.end; ++s)
      sum += std::exp(scores[s] - maximum);
    logSumExp.data[row] = maximum + std::log(sum);
    for (int64_t s = visible.begin; s < visible.end; ++s)
      addScaled(std::exp(scores[s] - maximum) / sum, value.row(layout.keyRow(b, s, h)),
                output.row(row), layout.headDim);
  });
}

void vernier::reference::attentionGrad(const AttentionOptions &options,
                                       const AttentionGradOperands &in, Tensor &queryGrad,
                                       Tensor &keyGrad, Tensor &valueGrad) {
  Layout layout(in.query, in.key);
  int64_t d = layout.headDim;
  forEachQuery(layout, [&](int64_t b, int64_t t, int64_t h) {
    Visible visible(options, t, layout.sequence);
    int64_t row = layout.queryRow(b, t, h);
    const double *query = in.query.row(row), *outputGrad = in.outputGrad.row(row);
    double total = dot(outputGrad, in.output.row(row), d);
    for (int64_t s = visible.begin; s < visible.end; ++s) {
      int64_t keyRow = layout.keyRow(b, s, h);
      const double *key = in.key.row(keyRow);
      double p = std::exp(options.scale * dot(query, key, d) - in.logSumExp.data[row]);
      double scoreGrad = p * (dot(outputGrad, in.value.row(keyRow), d) - total);
      addScaled(p, outputGrad, valueGrad.row(keyRow), d);
      addScaled(options.scale * scoreGrad, key, queryGrad.row(row), d);
      addScaled(options.scale * scoreGrad, query, keyGrad.row(keyRow), d);
    }
  });
}

template <typename OpT> static AttentionOptions optionsOf(OpT op) {
  AttentionOptions options;
  options.scale = op.getScale().convertToDouble();
  options.causal = op.getCausal();
  options.window = op.getWindow();
  return options;
}

void vernier::reference::populateAttentionRules(RuleTable &rules) {
  rules.add<RopeOp>(rope);
  rules.add<AttentionOp>([](AttentionOp op, Operands in, Results out) {
    attention(optionsOf(op), *in[0], *in[1], *in[2], out[0], out[1]);
  });
  rules.add<AttentionGradOp>([](AttentionGradOp op, Operands in, Results out) {
    AttentionGradOperands operands{*in[0], *in[1], *in[2], *in[3], *in[4], *in[5]};
    attentionGrad(optionsOf(op), operands, out[0], out[1], out[2]);
  });
}
