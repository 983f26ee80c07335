#!/usr/bin/env bash
# Trains a small Llama on English text for about five minutes and samples from
# it. Installs and builds what is missing. One of the README's two commands.
#
#   examples/quickstart.sh [--steps N] [--out FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

steps=780
out=build/quickstart
while [ "$#" -gt 0 ]; do
  case "$1" in
    --steps) steps=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    *) echo "error: unknown option '$1' (known: --steps N, --out FOLDER)" >&2; exit 2 ;;
  esac
done

tools/dev/setup.sh
vernier=build/release/bin/vernier
mkdir -p "$out"
if [ -e "$out/run" ]; then
  echo "error: $out/run exists; remove it or choose another folder by --out" >&2
  exit 1
fi

# A dictionary of 40 MB: English prose and its quotations, one byte a token.
zcat /usr/share/dictd/gcide.dict.dz >"$out/corpus.txt"

"$vernier" import --preset quickstart --batch 8 --sequence 256 -o "$out/model.mlir"
"$vernier" train "$out/model.mlir" --recipe examples/quickstart.yaml --data "$out/corpus.txt" \
  --steps "$steps" --out "$out/run"
echo
"$vernier" generate "$out/run" --prompt "Light" --tokens 400 --temperature 0.7 --seed 1
