//===- Sampler.h - Draws tokens from logits -----------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_SAMPLER_H
#define VERNIER_RUNTIME_SAMPLER_H

#include "runtime/Random.h"
#include "llvm/ADT/ArrayRef.h"

namespace vernier::runtime {

/// How a token is drawn.
struct SamplerOptions {
  double temperature = 1; ///< logits are divided by it; 0: the likeliest token
  int64_t topK = 0;       ///< only the k likeliest; 0: all
  uint64_t seed = 0;
};

/// Draws one token after another from the softmax of logits. The same seed and
/// logits give the same tokens. Of equal logits, the lower id counts as likelier.
class Sampler {
public:
  explicit Sampler(const SamplerOptions &options)
      : options(options), random(options.seed, "sampler") {}

  /// `logits` has an entry for each token. Gives -1 if none of them is finite.
  int32_t draw(llvm::ArrayRef<float> logits);

private:
  SamplerOptions options;
  RandomSequence random;
  uint64_t count = 0; ///< tokens drawn
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_SAMPLER_H
