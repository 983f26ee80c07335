// RUN: vernier-opt %s --vernier-verify-plan --split-input-file --verify-diagnostics

// Plans with one fault each, made by hand. That good plans pass is tested with
// vernier-plan-memory.

// expected-error @+1 {{has no 'program.arena_bytes': it was not planned}}
module {
}

// -----

#row = affine_map<(n) -> (n)>
module attributes {program.arena_bytes = 256 : i64} {
  program.kernel @exp [2] (tensor<2x4xf32>) -> tensor<2x4xf32> maps [#row] outputs [map] {
  ^bb0(%r: tensor<4xf32>):
    %0 = math.exp %r : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  func.func @overwritten(%x: tensor<2x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>})
      -> (tensor<2x4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<logits>}) {
    // expected-note @+1 {{the value is made here}}
    %0 = program.launch @exp(%x) {offsets = array<i64: 64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = program.launch @exp(%x) {offsets = array<i64: 64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    // expected-error @+1 {{reads a value that was overwritten}}
    %2 = program.launch @exp(%0) {offsets = array<i64: 128>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @product_over_its_factor(%x: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>})
      -> (tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<logits>}) {
    // expected-error @+1 {{writes result 0 over operand 0, which it may not}}
    %0 = program.product %x, %x {offsets = array<i64: 0>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @accumulates_elsewhere(%x: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>},
                                   %acc: tensor<4x4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<targets>})
      -> (tensor<4x4xf32> {program.offset = 128 : i64, vernier.slot = #vernier.slot<logits>}) {
    // expected-error @+1 {{does not write its result where it must}}
    %0 = program.product %x, %x init %acc {offsets = array<i64: 128>} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @outside(%x: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>}) {
    // expected-error @+1 {{has 64 bytes at offset 224, which is not aligned to 64 bytes within an arena of 256}}
    %0 = program.product %x, %x {offsets = array<i64: 224>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @unplanned(%x: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>}) {
    // expected-error @+1 {{has a result without a place: it was not planned}}
    %0 = program.product %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
}

// -----

#row = affine_map<(n) -> (n)>
module attributes {program.arena_bytes = 512 : i64} {
  program.kernel @sum [2] (tensor<2x4xf32>) -> tensor<4xf32> maps [#row] outputs [sum] {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  func.func @workspace(%x: tensor<2x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>}) {
    // expected-error @+1 {{has a workspace that overlaps an operand or result}}
    %0 = program.launch @sum(%x) {offsets = array<i64: 64>, workspace = 0 : i64} : (tensor<2x4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @returned_elsewhere(%x: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<ids>})
      -> (tensor<4x4xf32> {program.offset = 128 : i64, vernier.slot = #vernier.slot<logits>}) {
    %0 = program.product %x, %x {offsets = array<i64: 64>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{returns a value that does not lie at the place of result 0}}
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @one(%p: tensor<4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<param, "p">}) {
    return
  }
  // expected-error @+1 {{has #vernier.slot<param, "p"> at offset 64, but another phase at offset 0}}
  func.func @two(%p: tensor<4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<param, "p">}) {
    return
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @one(%p: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<param, "p">}) {
    return
  }
  func.func @two(%x: tensor<4x4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<ids>}) {
    // expected-error @+1 {{overwrites the state #vernier.slot<param, "p">, which its phase keeps}}
    %0 = program.product %x, %x {offsets = array<i64: 0>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
}

// -----

// A gradient where the prepared value lies, which is read afterwards.
module attributes {program.arena_bytes = 256 : i64} {
  // expected-note @+1 {{the value is made here}}
  func.func @reads_what_its_gradient_overwrote(%x: tensor<4x4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<ids>}, %p: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<prepared, "p">})
      -> (tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<gradient, "p">}) {
    %0 = program.product %x, %x {offsets = array<i64: 0>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{reads a value that was overwritten}}
    %1 = program.product %x, %p {offsets = array<i64: 128>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  // expected-error @+1 {{has #vernier.slot<gradient, "q"> and #vernier.slot<prepared, "p"> at one place}}
  func.func @gradient_of_another(%p: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<prepared, "p">},
                                 %q: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<gradient, "q">}) {
    return
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  // expected-error @+1 {{has #vernier.slot<gradient, "p"> and #vernier.slot<prepared, "p"> at one place}}
  func.func @in_part(%p: tensor<4x8xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<prepared, "p">},
                     %q: tensor<4x4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<gradient, "p">}) {
    return
  }
}

// -----

module attributes {program.arena_bytes = 256 : i64} {
  func.func @one(%p: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<prepared, "p">}) {
    return
  }
  func.func @two(%p: tensor<4x4xf32> {program.offset = 0 : i64, vernier.slot = #vernier.slot<gradient, "p">}) {
    return
  }
  func.func @keeps_both(%x: tensor<4x4xf32> {program.offset = 64 : i64, vernier.slot = #vernier.slot<ids>}) {
    // expected-error @+1 {{overwrites the state #vernier.slot<prepared, "p">, which its phase keeps}}
    %0 = program.product %x, %x {offsets = array<i64: 0>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
}
