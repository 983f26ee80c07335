#!/usr/bin/env python3
"""Seconds from a model graph to runnable code, for models of 6 and of 48 equal layers.

    benchmarks/compile_time.py [--rounds 3] [--layers 6,48]

d 384, 6 heads, FFN 1024, vocabulary 4096, batch 8 x 256; medians over the rounds, which alternate. Only the time of
compiling is from here: it is little disturbed by others, unlike that of steps.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

VERNIER = pathlib.Path(__file__).resolve().parents[1] / "build/release/bin/vernier"


def measure(model):
    command = [VERNIER, "bench", model, "--steps", "1", "--patience", "0", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["compile_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", default="6,48")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = {}
        for layers in args.layers.split(","):
            models[layers] = pathlib.Path(folder) / f"{layers}.mlir"
            subprocess.run([VERNIER, "import", "--preset", "bench-4k", "--layers", layers, "--batch", "8",
                            "--sequence", "256", "-o", models[layers]], check=True, stdout=subprocess.DEVNULL)
        taken = {layers: [] for layers in models}
        for _ in range(args.rounds):
            for layers, model in models.items():
                taken[layers].append(measure(model))
        for layers, seconds in taken.items():
            print(f"{layers:>4} layers: {statistics.median(seconds):.2f} s")


if __name__ == "__main__":
    main()
