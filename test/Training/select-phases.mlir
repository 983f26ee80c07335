// RUN: vernier-opt %s --vernier-select-phases=phases=prepare,evaluate | FileCheck %s --check-prefix=TWO
// RUN: vernier-opt %s --vernier-select-phases | FileCheck %s --check-prefix=ALL
// RUN: not vernier-opt %s --vernier-select-phases=phases=evaluat 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// TWO: func.func @prepare
// TWO-NOT: func.func
// TWO: func.func @evaluate
// TWO-NOT: func.func

// ALL: func.func @prepare
// ALL-NOT: @forward
// ALL: func.func @update
// ALL: func.func @evaluate

// UNKNOWN: error: there is no phase 'evaluat'; expected one of prepare, forward, update, evaluate
func.func @prepare() { return }
func.func private @forward() { return }
func.func @update() { return }
func.func @evaluate() { return }
