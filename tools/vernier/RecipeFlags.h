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

  /// `--data a b c` as `--data a --data b --data c`, as a shell makes it of
  /// `--data *.bin`: for the keys that are lists, up to the next flag. A model
  /// graph (.mlir) is none of the files.
  static std::vector<const char *> repeatForEachFile(llvm::ArrayRef<const char *> arguments);

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
