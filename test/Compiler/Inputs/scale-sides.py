#!/usr/bin/env python3
"""Trains with scales on weights, on activations, and by the reference evaluator, and compares.

usage: scale-sides.py CONFIG DATA WORK PASS...

The passes shape the graph of CONFIG. Six steps of one micro-batch and of two, with a validation
after each: losses, validation losses and parameters; then the gradients at the reference's last checkpoint,
where no vector is ones any more. Both sides are f32 and differ by rounding only, so each is held
against the reference as golden.py holds compiled programs. Prints the largest error of each kind and exits
with 1 if one exceeds its tolerance.
"""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import golden  # noqa: E402

# Before a norm, the function hardly depends on a magnitude: its gradient is a difference of sums that are nearly
# equal, and Adam scales it up as it does that of a k bias.
TOLERANCES = {"gradient": 1e-5, "gradient of a magnitude": 1e-4, "magnitude": 1e-3, "losses": 5e-6, "validation": 5e-6, "norms": 1e-5, "parameter": 2e-5, "q or k bias": 1e-3}
WAYS = {"reference": ["--reference"], "weights": ["--scale-side=weights"], "activations": ["--scale-side=activations"]}


def shape_model(config, work, batch, passes):
    model = golden.import_model(config, work, batch)
    shaped = work / f"shaped-{batch}.mlir"
    subprocess.run(["vernier-opt", model, *passes, "-o", shaped], check=True)
    return shaped


def train(model, data, work, way):
    out = work / f"{model.stem}-{way}"
    golden.run("train", model, "--data", data, "--val", data, "--validate-every", 1, "--validation-rows", 2, "--out", out,
               "--steps", 6, "--rate", 0.01, "--warmup", 2, "--schedule", "constant", *WAYS[way])
    return out


def read_metrics(run, key):
    lines = (json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines())
    return [line[key] for line in lines if key in line]


def compare_runs(expected, found, comparison):
    for kind, key in (("losses", "loss"), ("validation", "validation_loss"), ("norms", "gradient_norm")):
        values = read_metrics(expected, key)
        assert len(values) == 6, (kind, len(values))
        comparison.add(kind, found.name, golden.error(read_metrics(found, key), values))
    parameters = golden.load(expected / "step-000006/model.safetensors")
    others = golden.load(found / "step-000006/model.safetensors")
    assert parameters.keys() == others.keys()
    for name, values in parameters.items():
        # Behind a norm of q or k their gradients are as small as that of a k bias always is.
        kind = "magnitude" if name.endswith(".magnitude") else "parameter"
        kind = "q or k bias" if name.endswith(("q_proj.bias", "k_proj.bias")) else kind
        comparison.add(kind, f"{name} of {found.name}", golden.error(others[name], values))


def compare_gradients(model, checkpoint, inputs, work, comparison):
    gradients = {}
    for way, flags in WAYS.items():
        path = work / f"gradients-{way}.safetensors"
        golden.run("evaluate", model, "--weights", checkpoint, "--inputs", inputs, "--gradients", path, *flags)
        gradients[way] = golden.load(path)
    expected = gradients.pop("reference")
    largest = max(golden.norm(values) for name, values in expected.items() if name != "loss")
    for way, found in gradients.items():
        assert found.keys() == expected.keys()
        assert found != gradients["activations"] or way == "activations", "both sides computed the same bits"
        for name, values in expected.items():
            kind = "gradient of a magnitude" if name.endswith(".magnitude") else "gradient"
            comparison.add(kind, f"{name} of {way}", golden.error(found[name], values, 1e-4 * largest))


def main():
    config, data, work = map(pathlib.Path, sys.argv[1:4])
    work.mkdir(parents=True)
    comparison = golden.Comparison(TOLERANCES)
    for batch in (2, 4):  # two micro-batches a step, and one
        model = shape_model(config, work, batch, sys.argv[4:])
        runs = {way: train(model, data, work, way) for way in WAYS}
        for way in ("weights", "activations"):
            compare_runs(runs["reference"], runs[way], comparison)
        if batch == 2:  # the rows of that file
            compare_gradients(model, runs["reference"], data.parent / "batch.safetensors", work, comparison)
    return comparison.finish()


sys.exit(main())
