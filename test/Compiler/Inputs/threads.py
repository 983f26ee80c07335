#!/usr/bin/env python3
"""Trains 20 steps with 1, 2, 3 and 4 threads, and with 2 in poisoned memory, and compares bits of losses and
parameters.

usage: threads.py WORK [FLAG...]

The model is wide enough that every product and kernel is cut into several
pieces. Exits with 1 and says what differs. With flags, branches have scales of
their own at both sides, and the flags go to `vernier train`.
"""
import hashlib
import json
import pathlib
import random
import subprocess
import sys

STEPS = 20


def run(*arguments):
    command = ["vernier", *map(str, arguments)]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit("failed: " + " ".join(command))


def train(work, model, corpus, threads, *flags):
    """(losses and norms, hash of the parameters, hash of the optimizer's state)."""
    out = work / "-".join(["threads", str(threads), *flags])
    run("train", model, "--data", corpus, "--steps", STEPS, "--accumulate", 2, "--threads", threads,
        "--validate-every", 0, "--out", out, *sys.argv[2:], *flags)
    metrics = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    losses = [(m["loss"], m["gradient_norm"]) for m in metrics if "loss" in m]
    assert len(losses) == STEPS, len(losses)
    files = sorted((out / f"step-{STEPS:06}").glob("*.safetensors"))
    assert files
    return [losses] + [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True)
    corpus = work / "corpus.txt"
    corpus.write_bytes(random.Random(1).randbytes(100_000))
    model = work / "model.mlir"
    run("import", "--preset", "quickstart", "--layers", 2, "--batch", 2, "--sequence", 160, "-o", model)
    if len(sys.argv) > 2:
        plain, model = model, work / "dual.mlir"
        subprocess.run(["vernier-opt", plain, "--vernier-split-scale", "--vernier-relocate-scale=to=dual", "-o", model],
                       check=True)
    expected = train(work, model, corpus, 1)
    for threads in (2, 3, 4):
        if train(work, model, corpus, threads) != expected:
            sys.exit(f"error: {threads} threads do not give the bits of one")
    if train(work, model, corpus, 2, "--poison") != expected:
        sys.exit("error: poisoned memory changes bits")
    print(f"equal bits after {STEPS} steps with 1, 2, 3 and 4 threads, and with 2 in poisoned memory")


main()
