#!/bin/bash
# Whether Hugging Face transformers computes the same from exported folders.
# For each family: trains a few steps with a strategy, exports, and compares loss
# and gradients of transformers with those of Vernier on the run itself.
#   tools/dev/check-export.sh [--python PYTHON]
# Without --python (of an environment with torch and transformers) makes one in
# build/export-venv, which takes minutes and some gigabytes. Not part of the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
transformers=5.24.0 torch=2.15.0

python=
if [[ ${1:-} == --python ]]; then
  python=$2
elif [[ $# -gt 0 ]]; then
  sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
  exit 1
fi
if [[ -z $python ]]; then
  python=build/export-venv/bin/python
  [[ -x $python ]] || python3 -m venv build/export-venv
  "$python" -m pip install --quiet "torch==$torch" "transformers==$transformers"
fi
exec "$python" tools/dev/check-export.py build/release/bin/vernier
