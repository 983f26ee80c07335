//===- RecipeFlags.h - A recipe from flags ------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_RECIPEFLAGS_H
#define VERNIER_TOOLS_VERNIER_RECIPEFLAGS_H

#include "runtime/Recipe.h"
#include "llvm/Support/CommandLine.h"
#include <memory>

namespace vernier {

/// A flag `--KEY=value` of a subcommand for each key of a recipe.
class RecipeFlags {
public:
  explicit RecipeFlags(llvm::cl::SubCommand &command);

  /// Sets what was given on the command line.
  llvm::Error apply(runtime::Recipe &recipe) const;

private:
  struct Flag {
    const runtime::RecipeKey *key;
    std::unique_ptr<llvm::cl::list<std::string>> values;
  };
  std::vector<Flag> flags;
  std::vector<std::unique_ptr<std::string>> help; ///< the flags refer to it
};

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_RECIPEFLAGS_H
