#!/usr/bin/env python3
"""Tests examples/ablation: its arithmetic, and a small one from end to end.

usage: ablation.py SOURCE BUILD WORK
"""
import fcntl
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

source, build, work = map(pathlib.Path, sys.argv[1:])
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "examples" / "ablation"))
import plot
import table
from runs import Metrics

work.mkdir(parents=True)
corpus = work / "corpus.txt"
corpus.write_bytes(bytes(random.Random(1).choices(range(97, 123), k=20_000)))


def check(condition, what):
    if not condition:
        sys.exit(f"error: {what}")


def near(a, b):
    return abs(a - b) < 1e-14


def arithmetic():
    # Of 1, 2, 6: mean 3, deviations -2, -1, 3, variance 14 / 2, error sqrt(7 / 3).
    check(table.mean([1, 2, 6]) == 3, "mean")
    check(near(table.standard_error([1, 2, 6]), math.sqrt(7 / 3)), "standard error")
    check(table.standard_error([4]) is None, "the error of one value is unknown")
    # Seeds 2 and 3 are in both: differences 0.5 and -0.25, mean 0.125, each 0.375 from it:
    # variance 2 * 0.140625, error sqrt(0.28125 / 2) = 0.375.
    check(table.paired_difference({1: 9.0, 2: 2.5, 3: 1.75}, {2: 2.0, 3: 2.0, 4: 0.0}) == (0.125, 0.375, 2),
          "paired difference")
    check(table.paired_difference({1: 1.0}, {2: 1.0}) == (None, None, 0), "no pairs")
    check(table.quantile([5, 1, 4, 2, 3, 6, 7, 8, 9, 10], 0.1) == 2, "quantile")
    # Five steps in two stretches: 1 and 2 (of round(2.5) = 2), then 3 to 5.
    check(plot.bin_losses({1: 6.0, 2: 4.0, 3: 3.0, 4: 2.0, 5: 1.0}, 5, 2) == [5.0, 2.0], "stretches")
    check(plot.make_curve([[1.0, 2.0], [3.0, 2.0]]) == [(2.0, 1.0), (2.0, 0.0)], "bands")
    check(plot.nice_ticks(0, 10) == [0, 2, 4, 6, 8, 10], "ticks")
    print("arithmetic is right", flush=True)


def ablate(out, *flags, fails=False):
    command = [sys.executable, "-B", source / "examples/ablation/run.py", "--bin", build / "bin", "--data", corpus,
               "--out", out, "--hidden", 16, "--layers", 1, "--heads", 2, "--ffn", 24, "--batch", 2, "--sequence", 16,
               "--steps", 6, "--rate", 0.1, "--jobs", 2, "--seeds", "1,2", "--variants", "baseline,hg", *flags]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    check((done.returncode != 0) == fails, f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stderr if fails else done.stdout


def rows(out):
    """{variant: cells} of the table, without the time of a step."""
    lines = (out / "table.md").read_text().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:4] + row[5:] for row in cells}


def end_to_end(out):
    ablate(out)
    found = rows(out)
    check(list(found) == ["baseline", "hg"], f"rows {list(found)}")
    # Two scale vectors feed five branches instead of two: 3 x 16 more; the final one has one branch.
    difference = int(found["hg"][4].replace(",", "")) - int(found["baseline"][4].replace(",", ""))
    check(difference == 48, f"{difference} more parameters")
    losses = {v: [Metrics(out / "runs" / f"{v}-{s}").validation[6] for s in (1, 2)] for v in found}
    a, b = losses["baseline"]
    c, d = losses["hg"]
    check(losses["baseline"] != losses["hg"], "the variants train alike")
    check(a != b and c != d, "the seeds train alike")
    check(found["baseline"][1] == f"{(a + b) / 2:.4f} ± {abs(a - b) / 2:.4f}", f"loss of the baseline: {found}")
    x, y = c - a, d - b
    check(found["hg"][2] == f"{(x + y) / 2:+.4f} ± {abs(x - y) / 2:.4f}", f"difference: {found}")
    check(abs(x + y) > 2e-4, "the printed difference is zero: nothing was tested")
    # The same seed: the same first loss, since all vectors start alike and so does the data.
    first = [Metrics(out / "runs" / f"{v}-1").losses[1] for v in found]
    check(abs(first[0] - first[1]) < 1e-5, f"first losses {first}")  # f32 sums near 3, fused differently
    svg = xml.etree.ElementTree.parse(out / "curves.svg").getroot()
    check(svg.tag.endswith("svg"), svg.tag)
    kinds = [element.tag.split("}")[1] for element in svg.iter()]
    check(kinds.count("polyline") == 3 and kinds.count("polygon") == 3, "two curves and a difference, with bands")
    print("the table and curves are written", flush=True)
    return found


def call_again(out):
    stamps = {p: p.stat().st_mtime_ns for p in out.glob("runs/*/*") if p.is_file()}
    ablate(out)
    check(stamps and stamps == {p: p.stat().st_mtime_ns for p in stamps}, "a complete run was touched")
    print("complete runs are left alone", flush=True)


def go_on(out, other, expected):
    """One run stopped at a checkpoint, one cut short before its first, one missing."""
    shutil.copytree(out, other)
    shutil.rmtree(other / "logs")
    folder = other / "runs" / "hg-1"
    flags = re.findall(r"^([\w-]+): (\S+)$", (folder / "recipe.yaml").read_text(), re.M)
    shutil.rmtree(folder)
    command = [build / "bin/vernier", "train", other / "hg.mlir", "--data", corpus, "--out", folder, "--stop-after", 3]
    command += [f"--{key}={value}" for key, value in flags if key != "data-format"]
    check(subprocess.run(list(map(str, command)), capture_output=True).returncode == 0, "stop after 3")
    (other / "runs/baseline-2/latest").unlink()
    shutil.rmtree(other / "runs/hg-2")
    ablate(other)
    log = (other / "logs" / "hg-1.txt").read_text()
    check("step 4/6" in log and "step 1/6" not in log, f"hg-1 did not go on: {log}")
    check(rows(other) == expected, f"expected {expected}, found {rows(other)}")
    print("stopped runs go on, to the same numbers", flush=True)


def refuse(out):
    with (out / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        check("is at work here" in ablate(out, fails=True), "busy")
    check("another rate: expected 0.01, found 0.1" in ablate(out, "--rate", "0.01", fails=True), "rate")
    check("another graph of baseline" in ablate(out, "--ffn", "32", fails=True), "graph")
    check("unknown variant 'hq'" in ablate(out, "--variants", "hq", fails=True), "variant")
    check("no such file" in ablate(out, "--data", out / "absent", fails=True), "data")
    print("a busy folder and other settings are refused", flush=True)


arithmetic()
expected = end_to_end(work / "one")
call_again(work / "one")
go_on(work / "one", work / "two", expected)
refuse(work / "one")
