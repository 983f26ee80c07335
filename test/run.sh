#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test and check. One of the
# README's two commands.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/dev/setup.sh
ninja -C build/release -j "$(nproc)" --quiet vernier_unit_tests

# The project's own habits: formatting, mirrored folders, fresh generated docs,
# documented and tested operations and passes. Each prints what is wrong.
tools/dev/check-format.sh
python3 tools/dev/check-tree.py
python3 tools/dev/generate-docs.py --check

test/sanitized.sh

# A test that hangs is a failure, not a hung run. The last line counts.
log=build/release/test/lit.log
timeout 1500 /usr/lib/llvm-22/bin/lit --order=lexical -j "$(nproc)" build/release/test | tee "$log"
echo "$(sed -n 's/^ *Passed *: *\([0-9]*\).*/\1/p' "$log") passed, 0 failed"
