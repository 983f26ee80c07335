#!/usr/bin/env bash
# The runtime, the dialect and the parsers of outside files once more under the
# address and undefined behaviour sanitizers (preset `asan`), and half a minute of
# fuzzing. What needs more of MLIR is left to `test/sanitized.sh --all`, which runs
# the whole suite so and takes most of an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/asan
tests=(safetensors-test data-test recipe-test run-test execution-test parameter-table-test huggingface-test)
fuzz=(safetensors recipe tokens metrics checkpoint config model)

export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allow_user_poisoning=0 # libLLVM is not instrumented
[ -f $build/build.ninja ] || cmake --preset asan >/dev/null
if [ "${1:-}" = --all ]; then
  ninja -C $build -j "$(nproc)" --quiet all vernier_unit_tests
  /usr/lib/llvm-22/bin/lit --order=lexical -j "$(nproc)" $build/test
  exit
fi
ninja -C $build -j "$(nproc)" --quiet "${tests[@]}" "${fuzz[@]/#/fuzz-}"
for test in "${tests[@]}"; do
  log=$build/$test.log
  $build/test-bin/"$test" --gtest_brief=1 >"$log" 2>&1 || { cat "$log"; echo "error: $test failed under the sanitizers"; exit 1; }
done
echo "${#tests[@]} unit test programs passed under the sanitizers"
tools/dev/fuzz.sh 4 "${fuzz[@]}"
