#!/usr/bin/env python3
"""Compares a model of test/golden with what `vernier` computes: loss, gradients, six steps of training.

usage: golden.py FOLDER WORK [--reference] [--edit OLD NEW]

Prints the largest relative error of each kind (norm of the difference over norm) and exits with 1 if one
exceeds its tolerance. --edit replaces text of config.json: the comparison must then fail.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys

# Relative. Exact: f64 sums of at most a few thousand terms; the golden code itself agrees with
# central differences to 1e-10. Compiled: an independent f32 implementation reached 1.2e-7,
# 1.7e-6, 6.4e-7; the gradient of a k bias is zero but for rounding, and Adam amplifies it. So it does
# one entry of one matrix of llama3: with that gradient the oracle that rounds each result once to f32,
# a lower bound for any f32 implementation, is at 1.9e-5 already, so twice the tolerance is given.
REFERENCE = {"loss": 1e-10, "gradient": 1e-8, "losses": 1e-8, "norms": 1e-8, "parameter": 1e-8, "amplified": 1e-8, "k bias": 1e-8}
COMPILED = {"loss": 1e-6, "gradient": 1e-5, "losses": 5e-6, "norms": 1e-5, "parameter": 2e-5, "amplified": 4e-5, "k bias": 1e-3}
AMPLIFIED = ("llama3", "param.model.layers.1.self_attn.o_proj.weight")
CODES = {"F64": "d", "F32": "f", "I32": "i", "I64": "q"}


def load(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            code = CODES[entry["dtype"]]
            tensors[name] = struct.unpack(f"<{(end - begin) // struct.calcsize(code)}{code}", data[begin:end])
    return tensors


def norm(values):
    return sum(value * value for value in values) ** 0.5


def error(found, expected, scale=0.0):
    """Relative, or absolute over `scale` if the expected norm is smaller than that."""
    assert len(found) == len(expected), (len(found), len(expected))
    return norm([a - b for a, b in zip(found, expected)]) / max(norm(expected), scale)


class Comparison:
    def __init__(self, tolerances):
        self.tolerances = tolerances
        self.worst = {}

    def add(self, kind, what, value):
        if not value <= self.worst.get(kind, ("", -1.0))[1]:  # a NaN is the worst
            self.worst[kind] = (what, value)

    def finish(self):
        fits = True
        for kind, (what, value) in self.worst.items():
            good = value <= self.tolerances[kind]
            fits = fits and good
            print(f"{kind}: {value:.1e} of {what}{'' if good else f' exceeds {self.tolerances[kind]:.0e}'}")
        return 0 if fits else 1


def run(*arguments):
    command = ["vernier", *map(str, arguments)]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit("failed: " + " ".join(command))


def import_model(config, work, batch):
    model = work / f"model-{batch}.mlir"
    run("import", "--hf", config, "--batch", batch, "--sequence", 24, "-o", model)
    return model


def compare_evaluation(golden, model, work, flags, comparison):
    gradients = work / "gradients.safetensors"
    run("evaluate", model, "--weights", golden / "model.safetensors", "--inputs", golden / "batch.safetensors",
        "--gradients", gradients, *flags)
    found, expected = load(gradients), load(golden / "expected.safetensors")
    largest = max(norm(values) for name, values in expected.items() if name.startswith("grad."))
    for name, values in expected.items():
        if name == "loss":
            comparison.add("loss", "the batch", error(found[name], values))
        elif name.startswith("grad."):
            # 1e-4 of the largest: a gradient that is zero but for rounding has no relative error.
            comparison.add("gradient", name, error(found[name], values, 1e-4 * largest))


def compare_training(golden, model, work, flags, comparison):
    out = work / ("run-" + model.stem)
    run("train", model, "--weights", golden / "model.safetensors", "--data", golden / "train.safetensors", "--out", out,
        "--steps", 6, "--rate", 0.01, "--warmup", 6, "--schedule", "constant", *flags)
    expected = load(golden / "expected_train.safetensors")
    metrics = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    comparison.add("losses", model.stem, error([m["loss"] for m in metrics], expected["losses"]))
    comparison.add("norms", model.stem, error([m["gradient_norm"] for m in metrics], expected["grad_norms"]))
    found = load(out / "step-000006" / "model.safetensors")
    for name, values in expected.items():
        if name.startswith("param."):
            kind = "k bias" if name.endswith("k_proj.bias") else "parameter"
            if (golden.name, name) == AMPLIFIED:
                kind = "amplified"
            comparison.add(kind, f"{name} of {model.stem}", error(found[name[len("param."):]], values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--edit", nargs=2)
    options = parser.parse_args()
    options.work.mkdir(parents=True)
    text = (options.golden / "config.json").read_text()
    if options.edit:
        assert text.count(options.edit[0]) == 1, options.edit
        text = text.replace(*options.edit)
    config = options.work / "config.json"
    config.write_text(text)

    flags = ["--reference"] if options.reference else []
    comparison = Comparison(REFERENCE if options.reference else COMPILED)
    halves, whole = import_model(config, options.work, 2), import_model(config, options.work, 4)
    compare_evaluation(options.golden, halves, options.work, flags, comparison)
    for model in (halves, whole):  # two micro-batches a step, and one
        compare_training(options.golden, model, options.work, flags, comparison)
    return comparison.finish()


if __name__ == "__main__":
    sys.exit(main())
