#!/usr/bin/env python3
"""Compares a model of test/golden with what `vernier` computes: loss, logits, gradients, six steps of training.

usage: golden.py FOLDER WORK [--reference exact|rounded] [--wrong epsilon|theta] [--flags=FLAGS]

Prints the largest relative error of each kind (norm of the difference over norm) and exits with 1 if one
exceeds its tolerance. With --wrong the model is not quite the golden one, and that has to be noticed:
by each kind if all is in f64, by the gradients otherwise. Flags go to `vernier evaluate` and `vernier train`.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys

# Relative. Exact: f64 sums of at most a few thousand terms; the golden code itself agrees with
# central differences to 1e-10. Compiled: an independent f32 implementation reached 1.2e-7 (loss),
# 1.7e-6 (gradients), 6.4e-7 (losses of the run). A logit is a sum of 40 products of f32 numbers that have
# passed two layers; where each result is rounded once to f32 logits are off by up to 1.8e-7. The gradient
# of a k bias is nearly zero, and Adam amplifies its rounding. So it does one entry of one matrix of llama3,
# whose first gradient is 4.7e-9 where its neighbours have 1e-2: less than their rounding in f32, and less than
# Adam's epsilon of 1e-8, so that the first update has any size up to the rate. It is compared by itself, in
# units of that rate (0.05 where each result is rounded once), and the matrix without it.
EXACT = {"loss": 1e-10, "logits": 1e-10, "gradient": 1e-8, "losses": 1e-8, "norms": 1e-8, "parameter": 1e-8,
         "amplified": 1e-8, "k bias": 1e-8}
ROUNDED = {"loss": 5e-7, "logits": 2e-6, "gradient": 1e-5, "losses": 2e-6, "norms": 1e-5, "parameter": 2e-5,
           "amplified": 0.2, "k bias": 1e-3}
AMPLIFIED = ("llama3", "param.model.layers.1.self_attn.o_proj.weight", 13 * 40 + 13)
# What tolerances have to notice: 1e-6 for 1e-5, 9990 for 10000.
WRONG = {"epsilon": ("rms_norm_eps", 0.1), "theta": ("rope_theta", 0.999)}
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


def are_floats(values):
    """Whether all of them are f32 numbers."""
    return struct.unpack(f"{len(values)}f", struct.pack(f"{len(values)}f", *values)) == tuple(values)


class Comparison:
    def __init__(self, tolerances):
        self.tolerances = tolerances
        self.worst = {}
        self.exceeding = set()

    def add(self, kind, what, value):
        if not value <= self.worst.get(kind, ("", -1.0))[1]:  # a NaN is the worst
            self.worst[kind] = (what, value)

    def finish(self):
        """Prints what was found; gives 1 if a kind exceeds its tolerance."""
        for kind, (what, value) in self.worst.items():
            fits = value <= self.tolerances[kind]
            print(f"{kind}: {value:.1e} of {what}{'' if fits else f' exceeds {self.tolerances[kind]:.0e}'}")
            if not fits:
                self.exceeding.add(kind)
        return 1 if self.exceeding else 0


def run(*arguments):
    command = ["vernier", *map(str, arguments)]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit("failed: " + " ".join(command))


def change(config, key, factor):
    """Multiplies a number of a config, which may be in an object of its own."""
    if key in config:
        config[key] *= factor
    return (key in config) + sum(change(value, key, factor) for value in config.values() if isinstance(value, dict))


def write_config(options, name):
    fields = json.loads((options.golden / name).read_text())
    if options.wrong:
        assert change(fields, *WRONG[options.wrong]) == 1
    config = options.work / name
    config.write_text(json.dumps(fields))
    return config


def import_model(config, work, batch):
    model = work / f"{config.stem}-{batch}.mlir"
    run("import", "--hf", config, "--batch", batch, "--sequence", 24, "-o", model)
    return model


def compare_evaluation(options, model, flags, comparison):
    golden, gradients, logits = options.golden, options.work / "gradients.safetensors", options.work / "logits.safetensors"
    run("evaluate", model, "--weights", golden / "model.safetensors", "--inputs", golden / "batch.safetensors",
        "--gradients", gradients, "--logits", logits, *flags)
    found, expected = {**load(gradients), **load(logits)}, load(golden / "expected.safetensors")
    for name, values in expected.items():
        if name == "loss":
            comparison.add("loss", model.stem, error(found[name], values))
        elif name == "logits_row0":
            comparison.add("logits", model.stem, error(found["logits"][:len(values)], values))
        else:
            comparison.add("gradient", f"{name} of {model.stem}", error(found[name], values))
    if options.reference:
        assert all(map(are_floats, found.values())) == (options.reference == "rounded")


def compare_training(options, model, flags, comparison):
    golden, out = options.golden, options.work / ("run-" + model.stem)
    run("train", model, "--weights", golden / "model.safetensors", "--data", golden / "train.safetensors", "--out", out,
        "--steps", 6, "--rate", 0.01, "--warmup", 6, "--schedule", "constant", *flags)
    expected = load(golden / "expected_train.safetensors")
    lines = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    metrics = [line for line in lines if "loss" in line]
    comparison.add("losses", model.stem, error([m["loss"] for m in metrics], expected["losses"]))
    comparison.add("norms", model.stem, error([m["gradient_norm"] for m in metrics], expected["grad_norms"]))
    found = load(out / "step-000006" / "model.safetensors")
    for name, values in expected.items():
        if name.startswith("param."):
            kind = "k bias" if name.endswith("k_proj.bias") else "parameter"
            own, values = list(found[name[len("param."):]]), list(values)
            if (golden.name, name) == AMPLIFIED[:2]:
                apart = own.pop(AMPLIFIED[2]) - values.pop(AMPLIFIED[2])
                comparison.add("amplified", model.stem, abs(apart) / expected["rates"][0])
            comparison.add(kind, f"{name} of {model.stem}", error(own, values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--reference", choices=["exact", "rounded"])
    parser.add_argument("--wrong", choices=list(WRONG))
    parser.add_argument("--flags", default="")
    options = parser.parse_args()
    options.work.mkdir(parents=True)

    flags = (["--reference=" + options.reference] if options.reference else []) + options.flags.split()
    comparison = Comparison(EXACT if options.reference == "exact" else ROUNDED)
    config = write_config(options, "config.json")
    for form in (config, write_config(options, "config.v5.json")):
        compare_evaluation(options, import_model(form, options.work, 2), flags, comparison)
    for batch in (2, 4):  # two micro-batches a step, and one
        compare_training(options, import_model(config, options.work, batch), flags, comparison)
    code = comparison.finish()
    if not options.wrong:
        return code
    noticed = comparison.worst.keys() if options.reference == "exact" else {"gradient"}
    return 0 if noticed <= comparison.exceeding else 1


if __name__ == "__main__":
    sys.exit(main())
