#!/usr/bin/env python3
"""Evaluates a batch whose second sequence has no targets, with and without embeddings in it that are not finite.

usage: ignored-rows.py GOLDEN WORK

Exits with 1 if these change a bit of the loss, compiled or by the oracle. (Gradients of weights are sums over all
rows, and zero times a NaN is one: what holds for gradients is checked per row, by FormedLossTest and
TrainingRulesTest.)
"""
import math
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # not into the sources
from extremes import EMBEDDING, Tensors, evaluate, write

LENGTH, PADDING = 24, 96  # tokens in a sequence; a token that no sequence of the golden batch has


def main():
    golden, work = map(pathlib.Path, sys.argv[1:3])
    work.mkdir(parents=True)
    model = work / "m.mlir"
    subprocess.run(["vernier", "import", "--hf", golden / "config.json", "--batch", "2", "--sequence", str(LENGTH), "-o", model],
                   check=True, stdout=subprocess.DEVNULL)
    inputs = Tensors(golden / "batch.safetensors")
    assert PADDING not in inputs.get("input_ids")[:LENGTH]
    inputs.change("input_ids", lambda i, x: x if i < LENGTH else PADDING)
    inputs.change("targets", lambda i, x: x if i < LENGTH else -100)
    write(work / "inputs.safetensors", inputs.header, inputs.data)
    losses = {}
    for number, value in enumerate((None, math.nan, math.inf, -math.inf)):
        weights = Tensors(golden / "model.safetensors")
        width = weights.width(EMBEDDING)
        if value is not None:
            weights.change(EMBEDDING, lambda i, x: value if i // width == PADDING else x)
        path = work / f"{number}.safetensors"
        write(path, weights.header, weights.data)
        for flags in ([], ["--reference"]):
            found = evaluate(model, path, work / "inputs.safetensors", work / "out.safetensors", *flags).get("loss")
            if found != losses.setdefault(len(flags), found) or not math.isfinite(found[0]):
                sys.exit(f"error: with {value} in rows without targets the loss is {found[0]}, not {losses[len(flags)][0]}")
    print("rows without targets change no bit of the loss")


main()
