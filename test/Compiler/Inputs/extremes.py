#!/usr/bin/env python3
"""Evaluates a model at extreme values, compiled and by the oracle; both agree, or both say that it is not finite.

usage: extremes.py FOLDER WORK

Prints a line for each case, and exits with 1 if the two differ by more than f32 explains.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys

# Losses within 1e-5, as the golden models' 1e-6 with logits ten thousand times as large: a unit in the last
# place of 1e4 is 1e-3, and the loss is of that size too. Gradients: norm of the difference over the norm.
LOSS, GRADIENT = 1e-5, 1e-4
NORM, HEAD, EMBEDDING = "model.norm.weight", "lm_head.weight", "model.embed_tokens.weight"
FIRST = "model.layers.0.input_layernorm.weight"


def read(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + length]), bytearray(data[8 + length:])


def write(path, header, data):
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


class Tensors:
    """A file whose tensors can be changed."""

    def __init__(self, path):
        self.header, self.data = read(path)

    def change(self, name, function):
        entry = self.header[name]
        begin, end = entry["data_offsets"]
        code = {"F32": "f", "I32": "i", "I64": "q", "F64": "d"}[entry["dtype"]]
        form = f"<{(end - begin) // struct.calcsize(code)}{code}"
        values = [function(i, x) for i, x in enumerate(struct.unpack(form, self.data[begin:end]))]
        self.data[begin:end] = struct.pack(form, *values)

    def get(self, name):
        found = []
        self.change(name, lambda i, x: found.append(x) or x)
        return found

    def width(self, name):
        return self.header[name]["shape"][-1]


def first_rows(width, value, rows=8):
    """Rows of a table: all entries, or with a function of the column."""
    return lambda i, x: (value(i % width) if callable(value) else value) if i // width < rows else x


# The oracle computes this norm; compiled code must say that it cannot.
SQUARE_BEYOND = "rows of one entry whose square is beyond f32"


def cases(width):
    huge = lambda size: lambda column: size if column == 3 else 0.0
    yield "rows of zeros", EMBEDDING, first_rows(width, 0.0)
    yield "all rows zero", EMBEDDING, lambda i, x: 0.0
    yield "rows of one huge entry", EMBEDDING, first_rows(width, huge(1e15))
    yield "rows of one entry near the limit of squares", EMBEDDING, first_rows(width, huge(1e19))
    yield SQUARE_BEYOND, EMBEDDING, first_rows(width, huge(1e20))
    yield "rows of subnormals", EMBEDDING, first_rows(width, 1e-40)
    yield "rows whose squares vanish", EMBEDDING, first_rows(width, 1e-25)
    yield "scales of zero", NORM, lambda i, x: 0.0
    yield "a scale of zero inside", FIRST, lambda i, x: 0.0
    yield "negative scales", NORM, lambda i, x: -x
    yield "negative scales inside", FIRST, lambda i, x: -x
    yield "large logits", NORM, lambda i, x: x * 1e4
    yield "huge logits", NORM, lambda i, x: x * 1e8
    yield "logits beyond f32", NORM, lambda i, x: x * 1e38
    yield "a head of zeros", HEAD, lambda i, x: 0.0


def evaluate(model, weights, inputs, out, *flags):
    command = ["vernier", "evaluate", model, "--weights", weights, "--inputs", inputs, "--gradients", out, *flags]
    result = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"failed: {result.stderr}")
    return Tensors(out)


def is_finite(values):
    return all(x - x == 0 for x in values)


def compare(name, compiled, oracle):
    """A line of what was found, and whether it is right."""
    (loss,), (expected,) = compiled.get("loss"), oracle.get("loss")
    names = [key for key in oracle.header if key.startswith("grad.")]
    found = [x for key in names for x in compiled.get(key)]
    wanted = [x for key in names for x in oracle.get(key)]
    if not is_finite([loss]) or not is_finite(found):
        # f32 overflows where f64 does not: then, and only then, compiled code may say so alone.
        largest = max([abs(x) for x in wanted + [expected] if x == x], default=0)
        beyond = name == SQUARE_BEYOND or not is_finite(wanted + [expected]) or largest > 1e37
        return f"{name}: loss {loss} (oracle {expected:.6g}): not finite", beyond
    if name == SQUARE_BEYOND:
        return f"{name}: loss {loss}: finite", False
    scale = sum(x * x for x in wanted) ** 0.5
    apart = sum((x - y) ** 2 for x, y in zip(found, wanted)) ** 0.5 / (scale or 1)
    loss_apart = abs(loss - expected) / max(1, abs(expected))
    return (f"{name}: loss {loss:.6g}, apart {loss_apart:.1e}, gradients apart {apart:.1e}",
            loss_apart <= LOSS and apart <= GRADIENT)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True)
    work, golden = options.work, options.golden
    model = work / "m.mlir"
    subprocess.run(["vernier", "import", "--hf", golden / "config.json", "--batch", "1", "--sequence", "24", "-o", model],
                   check=True, stdout=subprocess.DEVNULL)
    jobs = []
    plain = Tensors(golden / "model.safetensors")
    for name, tensor, function in cases(plain.width(EMBEDDING)):
        weights = Tensors(golden / "model.safetensors")
        weights.change(tensor, function)
        jobs.append((name, weights, Tensors(golden / "batch.safetensors")))
    ignored = Tensors(golden / "batch.safetensors")
    ignored.change("targets", lambda i, x: -100 if i < 24 else x)  # the first of two rows
    jobs.append(("a micro-batch without targets", plain, ignored))
    right = True
    for number, (name, weights, inputs) in enumerate(jobs):
        files = [work / f"{number}-{part}.safetensors" for part in ("weights", "inputs", "compiled", "oracle")]
        write(files[0], weights.header, weights.data)
        write(files[1], inputs.header, inputs.data)
        compiled = evaluate(model, files[0], files[1], files[2])
        oracle = evaluate(model, files[0], files[1], files[3], "--reference")
        line, fits = compare(name, compiled, oracle)
        print(line if fits else f"error: {line}")
        right &= fits
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
