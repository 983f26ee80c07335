//===- HuggingFace.h - Reading of config.json -------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_IMPORT_HUGGINGFACE_H
#define VERNIER_IMPORT_HUGGINGFACE_H

#include "vernier/Import/ModelConfig.h"

namespace vernier {

/// Reads a Hugging Face config.json; `path` is the file or the checkpoint folder
/// that it lies in. Both generations are understood: the flat one (rope_theta,
/// rope_scaling) and that of transformers 5 (rope_parameters). Each field is
/// used, or known to be without effect here, or an error that names it.
llvm::Expected<ModelConfig> readHuggingFaceConfig(llvm::StringRef path);

/// The same for the text of one; `name` begins each message.
llvm::Expected<ModelConfig> parseHuggingFaceConfig(llvm::StringRef text, llvm::StringRef name);

/// What hidden_act says of an activation.
llvm::StringRef nameOfActivation(Activation activation);

} // namespace vernier

#endif // VERNIER_IMPORT_HUGGINGFACE_H
