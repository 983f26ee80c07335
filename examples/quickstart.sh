#!/usr/bin/env bash
# Trains a small Llama on English text for about five minutes and samples from
# it. Installs and builds what is missing. One of the README's two commands.
#
# Called again, it goes on where it was.
#
#   examples/quickstart.sh [--steps N] [--tokens N] [--out FOLDER] [--vernier PROGRAM]
#
# With --vernier, nothing is installed or built.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=780
tokens=400
out=build/quickstart
vernier=
while [ "$#" -gt 0 ]; do
  if [ "$#" -eq 1 ]; then echo "error: $1: expected a value, or is unknown" >&2; exit 2; fi
  case "$1" in
    --steps) steps=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --tokens) tokens=$2; shift 2 ;;
    --vernier) vernier=$2; shift 2 ;;
    *) echo "error: unknown option '$1' (known: --steps N, --tokens N, --out FOLDER, --vernier PROGRAM)" >&2
       exit 2 ;;
  esac
done

for number in "$steps" "$tokens"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || { echo "error: expected a positive number, found '$number'" >&2; exit 2; }
done
if [ -n "$vernier" ] && ! command -v "$vernier" >/dev/null; then
  echo "error: --vernier: there is no program '$vernier'" >&2
  exit 2
fi
if [ -z "$vernier" ]; then
  tools/dev/setup.sh
  vernier=build/release/bin/vernier
fi
mkdir -p "$out"
if [ -e "$out/run/latest" ]; then # of an earlier call, which may have been stopped
  "$vernier" train --resume "$out/run" --steps "$steps"
elif [ -e "$out/run" ]; then
  echo "error: $out/run holds no checkpoint; remove it or choose another folder by --out" >&2
  exit 1
else
  # A dictionary of 40 MB: English prose and its quotations, one byte a token.
  zcat /usr/share/dictd/gcide.dict.dz >"$out/corpus.txt"
  "$vernier" import --preset quickstart --batch 8 --sequence 256 -o "$out/model.mlir"
  "$vernier" train "$out/model.mlir" --recipe examples/quickstart.yaml --data "$out/corpus.txt" \
    --steps "$steps" --warmup $((steps < 50 ? steps : 50)) --out "$out/run"
fi
echo
"$vernier" generate "$out/run" --prompt "Light" --tokens "$tokens" --temperature 0.7 --seed 1
