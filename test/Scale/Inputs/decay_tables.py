#!/usr/bin/env python3
"""Prints the decay tables of model families under the presets of vernier-scale-strategy.

usage: decay_tables.py WORK NAME=GRAPH...

For each graph and preset, what `vernier inspect` says of decay: all matrices, embeddings and biases in one line for
each kind, then the scale vectors of layer 0 and of no layer. The other layers must be as layer 0.
"""
import pathlib
import re
import subprocess
import sys

PRESETS = ["baseline", "hg", "dp", "dnp", "or", "er", "iwd", "unified"]


def inspect(graph, preset, work):
    rewritten = work / f"{graph.stem}-{preset}.mlir"
    subprocess.run(["vernier-opt", graph, f"--vernier-scale-strategy=preset={preset}", "-o", rewritten], check=True)
    return subprocess.run(["vernier", "inspect", rewritten], check=True, text=True, capture_output=True).stdout


def read_table(text):
    """(name, kind, decay, toward, why) of each parameter."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("parameter "))
    columns = [(m.start(), m.group()) for m in re.finditer(r"\S+", lines[head])]
    for line in lines[head + 1:]:
        if not re.match(r"\S+ +[\dx]+ +[a-z]+ ", line):
            return
        starts = [start for start, _ in columns] + [None]
        cells = {name: line[begin:end].strip() for (begin, name), end in zip(columns, starts[1:])}
        yield tuple(cells[key] for key in ("parameter", "kind", "decay", "toward", "why"))


def print_table(rows):
    groups, scales, layers = {}, [], {}
    for name, kind, decay, toward, why in rows:
        decays = f"toward {toward}" if decay == "yes" else "no"
        if kind in ("matrix", "embedding", "bias"):
            groups.setdefault(kind, set()).add(decays)
            continue
        layer = re.search(r"layers\.(\d+)\.", name)
        name = re.sub(r"layers\.\d+\.", "layers.*.", name).removeprefix("model.")
        row = (name, decays, why)
        layers.setdefault(layer.group(1) if layer else None, []).append(row)
        if not layer or layer.group(1) == "0":
            scales.append(row)
    for kind, decays in sorted(groups.items()):
        print(f"({kind})  {', '.join(sorted(decays))}")
    for row in scales:
        print("  ".join(row))
    assert all(rows == layers["0"] for layer, rows in layers.items() if layer is not None)


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    for argument in sys.argv[2:]:
        name, graph = argument.split("=")
        for preset in PRESETS:
            print(f"\n== {name}, {preset}")
            print_table(read_table(inspect(pathlib.Path(graph), preset, work)))


main()
