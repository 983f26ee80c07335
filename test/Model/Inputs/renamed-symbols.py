#!/usr/bin/env python3
"""Renames every parameter of a graph and compares what is made of it: roles, the table of parameters with decay and
planned memory, and the whole kernel program, each with the names put back.

usage: renamed-symbols.py MODEL.mlir
"""
import difflib
import pathlib
import re
import subprocess
import sys


def run(*command, text):
    result = subprocess.run(command, input=text, text=True, capture_output=True)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}: {result.stderr}")
    return result.stdout + result.stderr


def outputs(text, path):
    path.write_text(text)
    yield "roles", run("vernier-opt", "-", "--vernier-print-roles", text=text)
    yield "table and memory", re.sub(" +", " ", run("vernier", "inspect", str(path), text=""))  # columns are as wide as names
    program = run("vernier-opt", "-", "--vernier-training-graph", "--vernier-kernel-program", text=text)
    # A vector of several parameters is called, for people, what their names begin with.
    yield "kernel program", re.sub(r'(slot<scale_vector), "[^"]*"', r"\1", program)


def main():
    model = pathlib.Path(sys.argv[1])
    text = model.read_text()
    names = re.findall(r"^ *vernier\.param @([\w.]+) ", text, re.M)
    assert len(names) >= 20 and len(set(names)) == len(names), names
    # Sorted, the new names are in the opposite order, and none says what it is of.
    new = {name: f"x{len(names) - i:04}x" for i, name in enumerate(names)}
    renamed = re.sub(r"@([\w.]+)", lambda match: "@" + new.get(match[1], match[1]), text)
    old = {value: name for name, value in new.items()}
    found = outputs(renamed, model.with_suffix(".renamed.mlir"))
    for (what, expected), (_, other) in zip(outputs(text, model), found):
        assert names[0] in expected and names[0] not in re.sub('"[^"]*"', "", other), what
        back = re.sub(r"x\d{4}x", lambda match: old[match[0]], other)
        if back != expected:
            print(*difflib.unified_diff(expected.split("\n"), back.split("\n"), "named", "renamed", "", "", 0, ""), sep="\n")
            sys.exit(f"error: {what} depends on names")
    print(f"{len(names)} names do not matter")


main()
