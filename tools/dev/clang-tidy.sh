#!/usr/bin/env bash
# Runs clang-tidy (configuration in .clang-tidy) over all sources of the build in
# build/release; every finding is an error. Arguments: files, by default all.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/dev/setup.sh
# The precompiled headers are clang's own, not clang-tidy's: configured without.
cmake --preset release -B build/tidy -DVERNIER_PRECOMPILED_HEADERS=OFF >/dev/null
ninja -C build/tidy --quiet vernier_tablegen
if [ "$#" -gt 0 ]; then files=("$@"); else
  mapfile -t files < <(git ls-files 'lib/*.cpp' 'runtime/*.cpp' 'tools/*.cpp')
fi
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy-22 -p build/tidy --quiet --warnings-as-errors='*'
