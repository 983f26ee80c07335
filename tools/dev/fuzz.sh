#!/usr/bin/env bash
# Runs fuzz targets of the preset `asan` for some seconds each. New inputs go
# to build/asan/fuzz/corpus-NAME; one that fails is left in
# build/asan/fuzz/ and its name printed.
# usage: fuzz.sh SECONDS [TARGET...]           (default: all)
#        RUNS=1000000 fuzz.sh 0 [TARGET...]     so many inputs instead
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=$1
shift
build=build/asan
[ -f $build/build.ninja ] || cmake --preset asan > /dev/null
[ $# -gt 0 ] || set -- safetensors recipe tokens metrics checkpoint config model passes
export UBSAN_OPTIONS=print_stacktrace=1 \
  ASAN_OPTIONS=allocator_may_return_null=1:allow_user_poisoning=0 # libLLVM is not instrumented

# What lies elsewhere in the tree is not kept twice.
list_seeds() {
  case "$1" in
    config) ls test/golden/*/config*.json ;;
    passes) ls test/fuzz/corpus/model/* test/Scale/Inputs/*.mlir ;;
    model)
      # Functions of tests, one a file: short texts are tried much more often.
      mkdir -p $build/fuzz/functions
      for file in round-trip round-trip-training effects; do
        csplit --quiet --elide-empty-files --prefix=$build/fuzz/functions/$file- test/Model/$file.mlir '/^func.func/' '{*}'
      done
      ls test/fuzz/corpus/model/* $build/fuzz/functions/*
      ;;
    *) ls test/fuzz/corpus/"$1"/* ;;
  esac
}

for name in "$@"; do
  [ -x $build/fuzz/fuzz-"$name" ] || ninja -C $build --quiet fuzz-"$name"
  mkdir -p $build/fuzz/corpus-"$name" $build/fuzz/seeds-"$name"
  for seed in $(list_seeds "$name"); do
    cp "$seed" $build/fuzz/seeds-"$name"/"${seed//\//-}"
  done
  longest=16384; [ "$name" = model ] && longest=4096
  log=$build/fuzz/$name.log
  if ! $build/fuzz/fuzz-"$name" -max_total_time="$seconds" -runs="${RUNS:--1}" -max_len="$longest" -timeout=10 \
      -rss_limit_mb=2048 -print_final_stats=1 -seed="${SEED:-1}" -artifact_prefix=$build/fuzz/"$name"- \
      $build/fuzz/corpus-"$name" $build/fuzz/seeds-"$name" > "$log" 2>&1; then
    grep -v '^#[0-9]' "$log" | head -n 60
    echo "error: fuzz-$name failed; the input is in $build/fuzz/$name-*"
    exit 1
  fi
  echo "fuzz-$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
done
