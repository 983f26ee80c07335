#!/usr/bin/env python3
"""What scale strategies cost: a training step of each beside the baseline's, alternating in one run.

Shapes: d 384, 6 layers, 6 heads, FFN 1024, tied head, batch 8 x 256, f32, and each
vocabulary of --vocabularies. Each round measures the baseline and every strategy
of --strategies (presets of vernier-scale-strategy) with `vernier bench`. Prints
step times (median over rounds), how much longer than the baseline's a step takes
(median over rounds of the ratio in one round) and how much of that is products
and kernels, and memory, planned and real. A measurement during which other
processes used more than 5 % of a core is thrown away and taken again.

    benchmarks/strategy.py [--rounds 5] [--steps 5] [--vocabularies 50304,4096]
        [--strategies hg+dp+or+iwd,unified] [--side auto|weights|activations] [--kernels]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import compare  # noqa: E402

OPT = compare.ROOT / "build/release/bin/vernier-opt"
BASELINE = "baseline"


def make_models(vocabulary, strategies, folder):
    plain = folder / f"{vocabulary}.mlir"
    subprocess.run([compare.VERNIER, "import", "--preset", "bench-4k", "--vocabulary", str(vocabulary), "--batch", "8",
                    "--sequence", "256", "-o", plain], check=True, stdout=subprocess.DEVNULL)
    models = {BASELINE: plain}
    for strategy in strategies:
        models[strategy] = folder / f"{vocabulary}-{strategy}.mlir"
        subprocess.run([OPT, plain, f"--vernier-scale-strategy=preset={strategy}", "-o", models[strategy]], check=True)
    return models


def measure(model, args):
    command = [compare.VERNIER, "bench", model, "--json", "--steps", args.steps, "--scale-side", args.side]
    text, _ = compare.quiet_run(command, compare.environment())
    return json.loads(text)


def change(rounds, name, key, part=None):
    """The median over rounds of how much more than the baseline it is, in percent of the baseline's `key`."""
    part = part or key
    return 100 * statistics.median((r[name][part] - r[BASELINE][part]) / r[BASELINE][key] for r in rounds)


def print_kernels(rounds, name):
    """The kernels and products of the last round that take longer, or less, than the baseline's."""
    def by_name(result):
        return {t["name"]: t["seconds"] for kind in ("products", "kernels") for t in result[kind]}
    ours, theirs = by_name(rounds[-1][name]), by_name(rounds[-1][BASELINE])
    changes = {key: ours.get(key, 0) - theirs.get(key, 0) for key in ours.keys() | theirs.keys()}
    for key, seconds in sorted(changes.items(), key=lambda item: -abs(item[1]))[:20]:
        print(f"    {1e3 * seconds:+8.2f} ms  {key}")


def report(vocabulary, rounds, args):
    print(f"vocabulary {vocabulary}: {args.rounds} rounds, scales on the side '{args.side}'")
    print(f"  {'':16} {'ms a step':>10} {'%':>7} {'products':>9} {'kernels':>8} {'planned MB':>11} {'%':>6} {'peak MB':>8} {'%':>6}")
    for name in rounds[0]:
        step = 1e3 * statistics.median(r[name]["step_seconds"] for r in rounds)
        planned, peak = (rounds[0][name][key] / 1e6 for key in ("planned_bytes", "peak_bytes"))
        print(f"  {name:16} {step:10.1f} {change(rounds, name, 'step_seconds'):+7.2f} "
              f"{change(rounds, name, 'step_seconds', 'product_seconds'):+9.2f} "
              f"{change(rounds, name, 'step_seconds', 'kernel_seconds'):+8.2f} "
              f"{planned:11.1f} {change(rounds, name, 'planned_bytes'):+6.2f} "
              f"{peak:8.1f} {change(rounds, name, 'peak_bytes'):+6.2f}")
        if args.kernels and name != BASELINE:
            print_kernels(rounds, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--vocabularies", default="50304,4096")
    parser.add_argument("--strategies", default="hg+dp+or+iwd,unified")
    parser.add_argument("--side", default="auto", choices=["auto", "weights", "activations"])
    parser.add_argument("--kernels", action="store_true", help="print what takes longer than in the baseline")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for vocabulary in args.vocabularies.split(","):
            models = make_models(int(vocabulary), args.strategies.split(","), pathlib.Path(folder))
            rounds = [{name: measure(model, args) for name, model in models.items()} for _ in range(args.rounds)]
            report(vocabulary, rounds, args)


if __name__ == "__main__":
    main()
