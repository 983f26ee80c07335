"""Compares the losses that two runs recorded.

usage: compare-losses.py RUN RUN TOLERANCE [STEPS]

The tolerance is relative. With STEPS, only the first of them are compared.
"""
import json
import pathlib
import sys


def losses(run):
    lines = pathlib.Path(run, "metrics.jsonl").read_text().splitlines()
    return {row["step"]: row["loss"] for row in map(json.loads, lines) if "loss" in row}


first, second, tolerance = losses(sys.argv[1]), losses(sys.argv[2]), float(sys.argv[3])
if len(sys.argv) > 4:
    compared = range(1, int(sys.argv[4]) + 1)
else:
    compared = first
    assert first.keys() == second.keys(), "other steps"
step, worst = max(((step, abs(second[step] / first[step] - 1)) for step in compared), key=lambda pair: pair[1])
print(f"{len(compared)} losses, the largest relative difference is {worst:.2e}, of step {step}")
sys.exit(not worst <= tolerance)
