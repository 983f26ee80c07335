//===- RopeAttrs.td - Frequency scaling of the rotary embedding -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of its own, without enums: the program dialect includes it too, and
// tblgen defines every enum that a file includes.
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_ROPEATTRS_TD
#define VERNIER_MODEL_ROPEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "vernier/Model/VernierDialect.td"

class Vernier_Attr<string name, string attrMnemonic>
    : AttrDef<Vernier_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Vernier_RopeLlama3Attr : Vernier_Attr<"RopeLlama3", "rope_llama3"> {
  let summary = "the frequency scaling of Llama 3.1";
  let description = [{
    With wavelength `w = 2 pi / f`, low `L = original / low_freq_factor` and
    high `H = original / high_freq_factor`: frequencies with `w < H` stay,
    those with `w > L` are divided by `factor`, and between them
    `f' = (1 - s) f / factor + s f` with
    `s = (original / w - low_freq_factor) / (high_freq_factor - low_freq_factor)`.

    Constraints: (1) the three factors are positive and finite; (2) the high one
    is above the low one; (3) the original context is at least 1.
  }];
  let parameters = (ins "::mlir::FloatAttr":$factor,
                        "::mlir::FloatAttr":$low_freq_factor,
                        "::mlir::FloatAttr":$high_freq_factor,
                        "int64_t":$original_context);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // VERNIER_MODEL_ROPEATTRS_TD
