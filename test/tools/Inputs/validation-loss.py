"""Trains one step at a rate that is lost in rounding, so that all runs have the same weights, and compares their validation losses.

usage: validation-loss.py TOKENS FOLDER
"""
import json
import pathlib
import subprocess
import sys

tokens, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir()


def validate(batch, accumulate, threads):
    name = f"{batch}-{accumulate}-{threads}"
    model = folder / f"{name}.mlir"
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["vernier", "import", "--preset", "tiny", "--vocabulary", "97", "--batch", str(batch), "--sequence",
                    "24", "-o", model], **quiet)
    # 37 of the 41 windows of the last half, which fill no number of batches.
    subprocess.run(["vernier", "train", model, "--data", tokens, "--validation-fraction", "0.5", "--validation-rows",
                    "37", "--steps", "1", "--warmup", "0", "--schedule", "constant", "--rate", "1e-30", "--accumulate",
                    str(accumulate), "--threads", str(threads), "--seed", "3", "--out", folder / name], **quiet)
    records = map(json.loads, (folder / name / "metrics.jsonl").read_text().splitlines())
    return next((r["validation_loss"], r["validation_tokens"]) for r in records if "validation_loss" in r)


def describe(found, wanted):
    if found == wanted:
        return "equal"
    near = found[1] == wanted[1] and abs(found[0] - wanted[0]) <= 1e-6 * wanted[0]
    return "within 1e-6" if near else f"differs: {found} instead of {wanted}"


first = None
for split in [(4, 1, 1), (4, 1, 2), (4, 1, 3), (4, 2, 2), (4, 3, 1), (2, 2, 2), (8, 1, 2), (5, 1, 2)]:
    found = validate(*split)
    what = describe(found, first) if first else f"loss {found[0]}"
    if split[0] != 4 and what == "equal":
        what = "within 1e-6"
    print("batch {}, accumulate {}, threads {}: ".format(*split) + what)
    first = first or found
