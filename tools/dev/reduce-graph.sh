#!/usr/bin/env bash
# Shrinks a model graph for which a check of random-graphs fails, and prints it.
# usage: reduce-graph.sh GRAPH SEED CHECK
set -euo pipefail
bin=${VERNIER_BUILD:-"$(dirname "$0")/../../build/release"}
seed=$2 check=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/graph.mlir"
# The reducer runs it with a file's name; 1 says that the failure is there.
printf '#!/bin/sh\nexec "%s" --check="$1" --seed=%s --expect="%s" 2> /dev/null\n' \
  "$(realpath "$bin/test-bin/random-graphs")" "$seed" "$check" > "$folder/test.sh"
chmod +x "$folder/test.sh"
while true; do # each change may make others possible
  "$bin/bin/vernier-reduce" "$folder/graph.mlir" --reduction-tree="traversal-mode=0 test=$folder/test.sh" \
    > "$folder/smaller.mlir"
  [ "$(wc -l < "$folder/smaller.mlir")" -lt "$(wc -l < "$folder/graph.mlir")" ] || break
  mv "$folder/smaller.mlir" "$folder/graph.mlir"
done
cat "$folder/graph.mlir"
