//===- Tensor.h - A value of the reference evaluator -----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_TENSOR_H
#define VERNIER_REFERENCE_TENSOR_H

#include <cstdint>
#include <vector>

namespace vernier::reference {

/// A value: row-major entries in f64 (integers and counts too: all that occur
/// are exact). A tensor of rank 0, and a number that is no tensor, have an
/// empty shape and one entry.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;

  Tensor() = default;
  Tensor(std::vector<int64_t> shape, std::vector<double> data)
      : shape(std::move(shape)), data(std::move(data)) {}
  /// Zeros.
  explicit Tensor(std::vector<int64_t> shape);

  int64_t size() const { return static_cast<int64_t>(data.size()); }
  /// The length of the last dimension: what operations call a row. 1 at rank 0.
  int64_t width() const { return shape.empty() ? 1 : shape.back(); }
  /// How many rows there are.
  int64_t rows() const { return width() == 0 ? 0 : size() / width(); }

  double *row(int64_t r) { return data.data() + r * width(); }
  const double *row(int64_t r) const { return data.data() + r * width(); }
};

/// The inner product of two rows.
inline double dot(const double *a, const double *b, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// to += factor from, of rows.
inline void addScaled(double factor, const double *from, double *to, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    to[i] += factor * from[i];
}

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_TENSOR_H
