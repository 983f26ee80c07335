//===- Rewrites.cpp - Which rewrites a graph has had ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/Rewrites.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace vernier;

static constexpr StringRef attributeName = "vernier.rewrites", passName = "pass",
                           otherFunctionName = "changes_function";

std::vector<Rewrite> vernier::getRewrites(ModuleOp module) {
  std::vector<Rewrite> rewrites;
  if (auto list = module->getAttrOfType<ArrayAttr>(attributeName))
    for (auto entry : list.getAsRange<DictionaryAttr>())
      rewrites.push_back(
          {entry.getAs<StringAttr>(passName).str(), !entry.contains(otherFunctionName)});
  return rewrites;
}

void vernier::addRewrite(ModuleOp module, const Rewrite &rewrite) {
  Builder builder(module.getContext());
  SmallVector<Attribute> list;
  if (auto known = module->getAttrOfType<ArrayAttr>(attributeName))
    list.assign(known.begin(), known.end());
  SmallVector<NamedAttribute> entry{
      builder.getNamedAttr(passName, builder.getStringAttr(rewrite.pass))};
  if (!rewrite.keepsFunction)
    entry.push_back(builder.getNamedAttr(otherFunctionName, builder.getUnitAttr()));
  list.push_back(builder.getDictionaryAttr(entry));
  module->setAttr(attributeName, builder.getArrayAttr(list));
}
