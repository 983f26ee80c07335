//===- StoredType.cpp - Element types of tensor files ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <limits>

using namespace vernier::runtime;

int64_t vernier::runtime::sizeOf(StoredType type) {
  switch (type) {
  case StoredType::F64:
  case StoredType::I64:
  case StoredType::U64:
    return 8;
  case StoredType::F32:
  case StoredType::I32:
  case StoredType::U32:
    return 4;
  case StoredType::F16:
  case StoredType::BF16:
  case StoredType::I16:
  case StoredType::U16:
    return 2;
  case StoredType::I8:
  case StoredType::U8:
  case StoredType::Bool:
    return 1;
  }
  return 0;
}

llvm::StringRef vernier::runtime::nameOf(StoredType type) {
  static constexpr const char *names[] = {"F64", "F32", "F16", "BF16", "I64", "I32", "I16",
                                          "I8",  "U64", "U32", "U16",  "U8",  "BOOL"};
  return names[static_cast<int>(type)];
}

std::string vernier::runtime::toString(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }),
                    ", ") +
         "]";
}

std::optional<int64_t> vernier::runtime::countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

template <typename T> static T load(const char *bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// IEEE half precision; exact in f32.
static float fromHalf(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f, mantissa = half & 0x3ff;
  if (exponent == 0x1f) // infinity, NaN
    return fromBits(sign | 0x7f800000 | mantissa << 13);
  if (exponent == 0) { // zero, subnormal: mantissa * 2^-24
    float magnitude = float(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return fromBits(sign | (exponent + 112) << 23 | mantissa << 13);
}

template <typename T>
static Error readFloatsAs(const TensorView &tensor, int64_t begin,
                          llvm::MutableArrayRef<T> result) {
  const char *bytes = tensor.bytes.data() + begin * sizeOf(tensor.type);
  auto fill = [&](auto read) -> Error {
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<T>(read(i));
    return Error::success();
  };
  switch (tensor.type) {
  case StoredType::F64:
    return fill([&](size_t i) { return load<double>(bytes, i); });
  case StoredType::F32:
    return fill([&](size_t i) { return load<float>(bytes, i); });
  case StoredType::F16:
    return fill([&](size_t i) { return fromHalf(load<uint16_t>(bytes, i)); });
  case StoredType::BF16:
    return fill([&](size_t i) { return fromBits(uint32_t(load<uint16_t>(bytes, i)) << 16); });
  default:
    return makeError("tensor '{0}': expected floating-point numbers, found {1}", tensor.name,
                     nameOf(tensor.type));
  }
}

Error vernier::runtime::readFloats(const TensorView &tensor, int64_t begin,
                                   llvm::MutableArrayRef<float> result) {
  return readFloatsAs(tensor, begin, result);
}

Error vernier::runtime::readFloats(const TensorView &tensor, int64_t begin,
                                   llvm::MutableArrayRef<double> result) {
  return readFloatsAs(tensor, begin, result);
}

template <typename T>
static Error readIntegersOf(const TensorView &tensor, int64_t begin,
                            llvm::MutableArrayRef<int64_t> result) {
  const char *bytes = tensor.bytes.data() + begin * sizeof(T);
  for (size_t i = 0; i < result.size(); ++i) {
    T value = load<T>(bytes, i);
    if constexpr (std::is_same_v<T, uint64_t>)
      if (value > uint64_t(std::numeric_limits<int64_t>::max()))
        return makeError("tensor '{0}': entry {1} is {2}, which does not fit in 63 bits",
                         tensor.name, begin + i, value);
    result[i] = static_cast<int64_t>(value);
  }
  return Error::success();
}

Error vernier::runtime::readIntegers(const TensorView &tensor, int64_t begin,
                                     llvm::MutableArrayRef<int64_t> result) {
  switch (tensor.type) {
  case StoredType::I64:
    return readIntegersOf<int64_t>(tensor, begin, result);
  case StoredType::I32:
    return readIntegersOf<int32_t>(tensor, begin, result);
  case StoredType::I16:
    return readIntegersOf<int16_t>(tensor, begin, result);
  case StoredType::I8:
    return readIntegersOf<int8_t>(tensor, begin, result);
  case StoredType::U64:
    return readIntegersOf<uint64_t>(tensor, begin, result);
  case StoredType::U32:
    return readIntegersOf<uint32_t>(tensor, begin, result);
  case StoredType::U16:
    return readIntegersOf<uint16_t>(tensor, begin, result);
  case StoredType::U8:
    return readIntegersOf<uint8_t>(tensor, begin, result);
  default:
    return makeError("tensor '{0}': expected integers, found {1}", tensor.name,
                     nameOf(tensor.type));
  }
}
