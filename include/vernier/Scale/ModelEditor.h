//===- ModelEditor.h - Rewriting scale vectors of a graph -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_MODELEDITOR_H
#define VERNIER_SCALE_MODELEDITOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "vernier/Scale/ParameterValues.h"
#include "vernier/Scale/ScaleVector.h"
#include "vernier/Scale/Selection.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace vernier {

/// What all scale passes do to a graph: add parameters under names that are
/// free, have their values follow, say what was done and what was not, and
/// leave nothing behind that is not used any more.
class ModelEditor {
public:
  /// Remarks bear the name of `pass`, which must outlive the editor.
  ModelEditor(mlir::ModuleOp module, mlir::Pass &pass);

  /// Roles as they were before the first change.
  const RoleAnalysis &getRoles() const { return roles; }
  ParameterValues &getValues() { return values; }

  /// The operations of one kind, in order, without those of the functions that
  /// state follows by (ParameterValues).
  template <typename OpT> llvm::SmallVector<OpT> collect() {
    llvm::SmallVector<OpT> ops;
    module.walk([&](OpT op) {
      if (!isInValues(op))
        ops.push_back(op);
    });
    return ops;
  }

  ParamOp lookup(llvm::StringRef param) { return symbols.lookup<ParamOp>(param); }

  /// How many operands read a parameter.
  unsigned countUses(llvm::StringRef param);

  /// Empty if nothing but `scale` uses what its vector is computed from; else
  /// what there is, as "'NAME' has 2 uses". Rewriting a parameter for one of its
  /// uses only would change the others, or untie what is tied.
  std::string findSharing(const ScaleVector &vector);

  /// A vector of `size` entries, all starting at `value`; its value after
  /// the rewrite is that, too. It stands after `after`, or first.
  ParamOp addScale(const llvm::Twine &name, int64_t size, double value, ParamOp after,
                   mlir::Location loc);
  /// A parameter like `like`, after it. Its value is left to the caller.
  ParamOp addLike(ParamOp like, const llvm::Twine &name);

  /// Reads a parameter where `before` stands.
  mlir::Value read(ParamOp param, mlir::Operation *before);

  /// Computes the vector from copies of its parameters, named with a suffix and
  /// starting at the same values. Placed where the vector is computed. `copies`
  /// vectors divide the gradient among themselves, so each starts with that part
  /// of the moments.
  mlir::Value copyVector(const ScaleVector &vector, llvm::StringRef suffix, int64_t copies);
  /// Leaves a vector that loses branches to others with its part of the moments.
  void keepShare(const ScaleVector &vector, int64_t share, int64_t of);

  /// The vector's value after the rewrite, offset not included.
  mlir::Value computeValue(const ScaleVector &vector);

  /// The last parameter that is read before an operation: what a new one for
  /// that place stands after. Null if there is none.
  ParamOp findParamBefore(mlir::Operation *op);

  /// Remarks of the category `vernier-scale`, at `op`.
  void done(mlir::Operation *op, const llvm::Twine &what);
  void declined(mlir::Operation *op, const llvm::Twine &why);
  void note(mlir::Operation *op, const llvm::Twine &what);
  /// How many times `done` was called.
  unsigned getNumDone() const { return numDone; }
  /// To be called where what is done changes what the model computes.
  void changesFunction() { keepsFunction = false; }
  /// At the end: what computes nothing any more is erased, and parameters that were
  /// read at the beginning and no longer are; the rewrite is recorded (Rewrites.h).
  /// Where nothing was done, a remark says so.
  void finish();

private:
  void eraseUnused();
  bool isInValues(mlir::Operation *op) const;
  std::string findFreeName(const llvm::Twine &name);
  void insert(ParamOp param, ParamOp after);

  mlir::ModuleOp module;
  mlir::Pass &pass;
  RoleAnalysis roles;
  mlir::SymbolTable symbols;
  ParameterValues values;
  llvm::DenseMap<mlir::Operation *, ParamOp> lastInserted;
  llvm::StringSet<> wereRead;
  unsigned numDone = 0;
  bool keepsFunction = true;
};

/// The value that all entries of a scale start with, offset included; nothing if
/// they do not start alike.
std::optional<double> getStartValue(ScaleOp scale,
                                    llvm::function_ref<ParamOp(llvm::StringRef)> lookup);

/// Adds a parameter and scales `value` by it wherever it was used.
ParamOp insertScaleAfter(ModelEditor &editor, mlir::Value value, const llvm::Twine &name,
                         double start);

/// A name for a parameter that belongs to a linear map: that of its weight, with
/// a suffix in the place of ".weight".
std::string nameAtBranch(LinearOp linear, const LinearInfo &info, llvm::StringRef suffix);

} // namespace vernier

#endif // VERNIER_SCALE_MODELEDITOR_H
