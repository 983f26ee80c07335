//===- Permutation.cpp - A shuffle that needs no memory -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Permutation.h"
#include "llvm/Support/MathExtras.h"

using namespace vernier::runtime;

uint64_t vernier::runtime::mixBits(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

Permutation::Permutation(uint64_t size, uint64_t key)
    : size(size), halfBits(size <= 4 ? 1 : (llvm::Log2_64_Ceil(size) + 1) / 2) {
  for (uint64_t &roundKey : roundKeys)
    roundKey = key = mixBits(key);
}

uint64_t Permutation::permuteBits(uint64_t index) const {
  uint64_t mask = (uint64_t(1) << halfBits) - 1;
  uint64_t left = index >> halfBits, right = index & mask;
  for (uint64_t roundKey : roundKeys) {
    uint64_t next = left ^ (mixBits(right ^ roundKey) & mask);
    left = right;
    right = next;
  }
  return left << halfBits | right;
}

uint64_t Permutation::operator()(uint64_t index) const {
  do
    index = permuteBits(index);
  while (index >= size);
  return index;
}
