#!/usr/bin/env python3
"""Runs the examples in the descriptions of ops and passes through vernier-opt.

An op's example is a fragment: values and symbols that it uses without defining
them become arguments of a function, or declarations, around it. A pass's
example starts with a comment `// vernier-opt FLAGS` and is a whole module.
Prints each example that fails with vernier-opt's message; exits with 1 then.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Symbols that examples refer to, with a declaration for each.
SYMBOLS = {
    '@"model.norm.weight"': 'vernier.param @"model.norm.weight" : tensor<384xf32> kind(scale) decay(none) '
                            'optimizer(adamw) init(#vernier.constant<1.0 : f64>) '
                            'stored([#vernier.stored<"model.norm.weight">])',
    "@scale(": "program.kernel @scale [8, 256] (tensor<8x256x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> "
               "maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>] outputs [map] {\n"
               "^bb0(%row: tensor<384xf32>, %gamma: tensor<384xf32>):\n"
               "  %0 = arith.mulf %row, %gamma : tensor<384xf32>\n  program.yield %0 : tensor<384xf32>\n}",
}


def split_types(text):
    """Top-level comma-separated types."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "<(" and text[i - 1:i + 1] != "->"
        depth -= c in ">)" and text[i - 1:i + 1] != "->"
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def operands(statement):
    """(name, type) of each operand of one statement, by order."""
    body = statement.split("=", 1)[1] if re.match(r"\s*%[^:]*=", statement) else statement
    body = body.split("{\n", 1)[0]
    body = re.sub(r"\{[^{}]*=[^{}]*\}", "", body)  # attributes
    head, _, types = body.partition(" : ")
    if not types:
        head, _, types = body.partition("\n    : ")
    names = re.findall(r"%\w+", head)
    if types.startswith("("):
        depth, end = 0, 0
        for end, c in enumerate(types):
            depth += (c == "(") - (c == ")")
            if depth == 0:
                break
        types = types[1:end]
    else:
        types = re.split(r"\s->|\)", types)[0]
    return list(zip(names, split_types(types)))


def wrap(example):
    """A module around an op's example."""
    declared = [text for use, text in SYMBOLS.items() if use in example
                and not re.search(r"(vernier\.param|kernel) " + re.escape(use.rstrip("(")), example)]
    first = example.lstrip()
    if re.match(r"(vernier\.param|program\.\w*kernel)\b", first):
        return "\n".join(declared) + "\n" + example
    if first.startswith("program.yield"):
        return ("func.func @f(%x: tensor<8x384xf32>) -> tensor<8x384xf32> {\n%r = program.rows [8] (%x : tensor<8x384xf32>) "
                "maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<8x384xf32>) {\n^bb0(%0: tensor<384xf32>):\n"
                + example + "\n}\nreturn %r : tensor<8x384xf32>\n}")
    arguments = {}
    for statement in re.split(r"\n(?=%)", first):
        for name, kind in operands(statement):
            arguments.setdefault(name, kind)
    signature = ", ".join(f"{name}: {kind}" for name, kind in arguments.items())
    return "\n".join(declared) + f"\nfunc.func @f({signature}) {{\n{example}\nreturn\n}}"


def examples():
    """(where, flags, module) of each example."""
    for path in sorted((ROOT / "include/vernier").glob("*/*.td")):
        text = path.read_text()
        starts = [m for m in re.finditer(r"^def (\w+)\s*:", text, re.M)]
        for here, following in zip(starts, starts[1:] + [None]):
            body = text[here.start():following.start() if following else len(text)]
            for block in re.findall(r"```mlir\n(.*?)```", body, re.S):
                block = re.sub(r"^ {4}", "", block, flags=re.M)
                flags = re.match(r"\s*// vernier-opt (.*)\n", block)
                where = f"{path.relative_to(ROOT)}: {here.group(1)}"
                yield where, flags.group(1).split() if flags else [], block if flags else wrap(block)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vernier-opt", default="vernier-opt")
    args = parser.parse_args()
    failed = total = 0
    for where, flags, module in examples():
        total += 1
        run = subprocess.run([args.vernier_opt, "--verify-roundtrip", *flags, "-"], input=module, text=True, capture_output=True)
        if run.returncode != 0:
            failed += 1
            print(f"error: example of {where}\n{run.stderr}", file=sys.stderr)
    print(f"{total - failed} of {total} examples run")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
