// Every target's assembly, and objects that import nothing.
//
// DEFINE: %{target} =
// DEFINE: %{flags} =
// DEFINE: %{llc} = vernier-opt %s --vernier-cpu=target=%{target} | mlir-translate --mlir-to-llvmir | llc %{flags}

// REDEFINE: %{target} = avx512
// REDEFINE: %{flags} = -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4
// RUN: %{llc} | FileCheck %s --check-prefix=AVX512
// RUN: %{llc} -filetype=obj | llvm-nm --undefined-only - | count 0

// REDEFINE: %{target} = avx2
// REDEFINE: %{flags} = -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3
// RUN: %{llc} | FileCheck %s --check-prefix=AVX2
// RUN: %{llc} -filetype=obj | llvm-nm --undefined-only - | count 0

// REDEFINE: %{target} = sse2
// REDEFINE: %{flags} = -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64
// RUN: %{llc} | FileCheck %s --check-prefix=SSE2
// RUN: %{llc} -filetype=obj | llvm-nm --undefined-only - | count 0

// REDEFINE: %{target} = aarch64
// REDEFINE: %{flags} = -mtriple=aarch64-unknown-linux-gnu
// RUN: %{llc} | FileCheck %s --check-prefix=AARCH64
// RUN: %{llc} -filetype=obj | llvm-nm --undefined-only - | count 0

// AVX512-LABEL: softmax:
// AVX512:         vmaxps {{.*}}%zmm
// AVX512:         vfmadd{{.*}}%zmm
// AVX512:         vmovups {{.*}}{%k
// AVX2-LABEL: softmax:
// AVX2:         vmaxps {{.*}}%ymm
// AVX2:         vfmadd{{.*}}%ymm
// AVX2:         vmaskmovps
// SSE2-LABEL: softmax:
// SSE2:         maxps {{.*}}%xmm
// SSE2-NOT:     vfmadd
// SSE2:         mulps
// AARCH64-LABEL: softmax:
// AARCH64:        fcmgt v{{.*}}.4s
// AARCH64:        fml{{[as]}} v{{.*}}.4s
program.kernel @softmax [400] (tensor<400x43xf32>) -> (tensor<400x43xf32>, tensor<43xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map, sum] {
^bb0(%x: tensor<43xf32>):
  %m = program.reduce <max> %x : tensor<43xf32> -> f32
  %ms = tensor.splat %m : tensor<43xf32>
  %d = arith.subf %x, %ms : tensor<43xf32>
  %e = math.exp %d : tensor<43xf32>
  %s = program.reduce <add> %e : tensor<43xf32> -> f32
  %ss = tensor.splat %s : tensor<43xf32>
  %y = arith.divf %e, %ss : tensor<43xf32>
  program.yield %y, %x : tensor<43xf32>, tensor<43xf32>
}

program.kernel @functions [8] (tensor<8x43xf32>, tensor<i64>) -> (tensor<8x43xf32>)
    maps [affine_map<(r) -> (r)>, affine_map<(r) -> ()>] outputs [map] {
^bb0(%x: tensor<43xf32>, %n: i64):
  %beta = arith.constant 0.9 : f64
  %p = math.fpowi %beta, %n : f64, i64
  %q = arith.truncf %p : f64 to f32
  %l = math.log %q : f32
  %ls = tensor.splat %l : tensor<43xf32>
  %r = math.rsqrt %q : f32
  %rs = tensor.splat %r : tensor<43xf32>
  %a = math.tanh %x : tensor<43xf32>
  %b = math.erf %a : tensor<43xf32>
  %c = math.fma %b, %ls, %rs : tensor<43xf32>
  %d = arith.maximumf %c, %x : tensor<43xf32>
  %e = math.sqrt %d : tensor<43xf32>
  program.yield %e : tensor<43xf32>
}

program.gather_kernel @gather (tensor<2x41xi32>, tensor<11x97xf32>) -> (tensor<2x41x97xf32>)
program.scatter_add_kernel @scatter (tensor<2x41x97xf32>, tensor<2x41xi32>, tensor<11x97xf32>) -> (tensor<11x97xf32>)
