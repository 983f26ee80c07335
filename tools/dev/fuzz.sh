#!/usr/bin/env bash
# Runs fuzz targets of the preset `sanitized` for some seconds each. New inputs go
# to build/sanitized/fuzz/corpus-NAME; one that fails is left in
# build/sanitized/fuzz/ and its name printed.
# usage: fuzz.sh SECONDS [TARGET...]           (default: all)
#        RUNS=1000000 fuzz.sh 0 [TARGET...]     so many inputs instead
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=$1
shift
build=build/sanitized
[ -f $build/build.ninja ] || cmake --preset sanitized > /dev/null
[ $# -gt 0 ] || set -- safetensors recipe tokens metrics checkpoint
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allocator_may_return_null=1
for name in "$@"; do
  [ -x $build/fuzz/fuzz-"$name" ] || ninja -C $build --quiet fuzz-"$name"
  mkdir -p $build/fuzz/corpus-"$name"
  log=$build/fuzz/$name.log
  if ! $build/fuzz/fuzz-"$name" -max_total_time="$seconds" -runs="${RUNS:--1}" -max_len=4096 -timeout=10 \
      -rss_limit_mb=2048 -print_final_stats=1 -seed="${SEED:-1}" -artifact_prefix=$build/fuzz/"$name"- \
      $build/fuzz/corpus-"$name" test/fuzz/corpus/"$name" > "$log" 2>&1; then
    grep -v '^#[0-9]' "$log" | head -n 60
    echo "error: fuzz-$name failed; the input is in $build/fuzz/$name-*"
    exit 1
  fi
  echo "fuzz-$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
done
