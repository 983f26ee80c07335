#!/usr/bin/env bash
# Fails and names the files whose C++ is not as clang-format would have it.
# `--fix` formats them.
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard 'include/*.h' 'lib/*.h' 'lib/*.cpp' 'runtime/*.h' 'runtime/*.cpp' \
  'tools/*.h' 'tools/*.cpp' 'test/*.cpp' 'test/*.h')
if [ "${1:-}" = --fix ]; then
  clang-format-22 -i "${files[@]}"
else
  clang-format-22 --dry-run --Werror "${files[@]}" ||
    { echo "error: not formatted; run tools/dev/check-format.sh --fix" >&2; exit 1; }
fi
