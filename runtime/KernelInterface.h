//===- KernelInterface.h - How compiled kernels are called -------------*- C -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_KERNELINTERFACE_H
#define VERNIER_RUNTIME_KERNELINTERFACE_H

#include <stdint.h>

/// Changes whenever the meaning of anything in this header does.
#define VERNIER_KERNEL_INTERFACE_VERSION 1

/// Computes block number `block` of a kernel. Blocks are independent of each
/// other, and how many there are depends on the shapes only, so that the bits
/// of the result do not depend on the number of threads.
///
/// `buffers` holds the kernel's operands, then its results, then its workspace
/// (null if it has none); each is aligned to 64 bytes. `scratch` is memory of
/// the calling thread's own, of the size that the kernel asks for, aligned to
/// 64 bytes and of unspecified contents. Kernels must not need more than the
/// alignment of elements: tests run them on buffers that end at a page (Guard.h).
///
/// A compiled object exports such functions and imports nothing.
typedef void (*VernierKernelFunction)(char *const *buffers, char *scratch, int64_t block);

#endif /* VERNIER_RUNTIME_KERNELINTERFACE_H */
