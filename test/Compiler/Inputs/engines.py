#!/usr/bin/env python3
"""Compares what the compiled program and the reference evaluator make of a model: six steps of training, then the
loss and the gradients with the weights that the compiled program has trained.

usage: engines.py MODEL GOLDEN WORK [--no-run]

GOLDEN is a folder of test/golden, of which the batches are taken. Prints the largest relative error of each kind and
exits with 1 if one exceeds its tolerance (see golden.py). With --no-run the two runs are not compared: a gradient that
is zero but for rounding, as that of a magnitude before a norm, becomes a step of Adam as large as any other.
"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # not into the sources
from golden import ROUNDED, Comparison, error, load, norm, run


def train(model, golden, out, flags):
    run("train", model, "--data", golden / "train.safetensors", "--out", out, "--steps", 6, "--rate", 0.01,
        "--warmup", 6, "--schedule", "constant", *flags)
    lines = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    metrics = [line for line in lines if "loss" in line]
    return metrics, load(out / "step-000006" / "model.safetensors")


def compare_training(compiled, reference, comparison):
    for kind, key in (("losses", "loss"), ("norms", "gradient_norm")):
        comparison.add(kind, "the run", error([m[key] for m in compiled[0]], [m[key] for m in reference[0]]))
    assert compiled[1].keys() == reference[1].keys()
    for name, values in reference[1].items():
        comparison.add("parameter", name, error(compiled[1][name], values))


def compare_gradients(model, golden, weights, work, comparison):
    found = []
    for name, flags in (("compiled", []), ("reference", ["--reference"])):
        path = work / f"{name}.safetensors"
        run("evaluate", model, "--weights", weights, "--inputs", golden / "batch.safetensors", "--gradients", path, *flags)
        found.append(load(path))
    compiled, reference = found
    assert compiled.keys() == reference.keys()
    comparison.add("loss", "the batch", error(compiled["loss"], reference["loss"]))
    largest = max(norm(values) for name, values in reference.items() if name != "loss")
    for name, values in reference.items():
        if name != "loss":
            # A magnitude's gradient is a sum of terms of the size of its direction's.
            terms = norm(reference.get(name.replace(".magnitude", ".direction"), values))
            comparison.add("gradient", name, error(compiled[name], values, max(terms, 1e-4 * largest)))


def main():
    model, golden, work = map(pathlib.Path, sys.argv[1:4])
    work.mkdir(parents=True)
    comparison = Comparison(ROUNDED)
    compiled = train(model, golden, work / "compiled", [])
    if "--no-run" not in sys.argv:
        compare_training(compiled, train(model, golden, work / "reference", ["--reference"]), comparison)
    compare_gradients(model, golden, work / "compiled", work, comparison)
    return comparison.finish()


sys.exit(main())
