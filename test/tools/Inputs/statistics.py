#!/usr/bin/env python3
"""Tests the statistics in metrics.jsonl against the checkpoints of the same runs.

usage: statistics.py GOLDEN WORK

What a scale vector is, is computed here again, from the parameters as they were
saved, by the formulas of arXiv 2605.26895.
"""
import array
import hashlib
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys

golden, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True)
corpus = work / "corpus.txt"
corpus.write_bytes(bytes((7 * i * i + i) % 97 for i in range(2000)))
STEPS = 4


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    check(done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr}")


def check(condition, what):
    if not condition:
        sys.exit(f"error: {what}")


def near(found, expected, tolerance, what):
    check(abs(found - expected) <= tolerance * abs(expected), f"{what}: expected {expected!r}, found {found!r}")


def read_tensors(path):
    """{name: entries}, whatever the shape."""
    data = path.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            code = {"F32": "f", "F64": "d", "I32": "i", "I64": "q"}[entry["dtype"]]
            tensors[name] = array.array(code, data[begin + first:begin + last]).tolist()
    return tensors


def train(model, out, *flags, steps=STEPS):
    run("vernier", "train", model, "--data", corpus, "--steps", steps, "--rate", 0.02, "--warmup", 0,
        "--validate-every", 1000, "--statistics-every", 2, "--out", out, *flags)
    return out


def records(out, key):
    lines = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    return {record["step"]: record for record in lines if key in record}


# Scale vectors


def effective(record, tensors, offset):
    name = record["vector"]
    if "form" not in record:
        return [offset + w for w in tensors[name]], None
    direction, magnitude = tensors[name + ".direction"], tensors[name + ".magnitude"][0]
    if record["form"] == "original":
        rms = math.sqrt(math.fsum(a * a for a in direction) / len(direction))
        return [magnitude * a / rms for a in direction], magnitude
    center = math.fsum(direction) / len(direction)
    return [math.exp(magnitude + a - center) for a in direction], magnitude


def check_vectors(out, offset, tolerance):
    """Against the checkpoint of the last step; `tolerance` is that of the vector's entries."""
    tensors = read_tensors(out / f"step-{STEPS:06}" / "model.safetensors")
    found = records(out, "scale_vectors")
    check(sorted(found) == [2, 4], f"{out}: statistics of steps {sorted(found)}")
    for record in found[STEPS]["scale_vectors"]:
        vector, magnitude = effective(record, tensors, offset)
        n = len(vector)
        expected = {"mean": math.fsum(vector) / n, "rms": math.sqrt(math.fsum(v * v for v in vector) / n),
                    "min": min(vector), "max": max(vector)}
        for key, value in expected.items():
            near(record[key], value, tolerance, f"{out} {record['vector']} {key}")
        check(record.get("magnitude") == magnitude, f"{out} {record['vector']}: magnitude {record.get('magnitude')}")
        check(max(vector) - min(vector) > 1e-3, f"{record['vector']} has not trained: nothing was tested")
    return found


def check_norms(out):
    """The norm over all parameters is the root of the sum of squares over groups, which are disjoint."""
    losses = records(out, "loss")
    for step, record in records(out, "gradient_norms").items():
        total = math.sqrt(math.fsum(norm * norm for norm in record["gradient_norms"].values()))
        near(total, losses[step]["gradient_norm"], 1e-13, f"{out} norm of step {step}")  # f64, in another order


def compare(a, b, tolerance):
    for step in a:
        check(list(a[step]["gradient_norms"]) == list(b[step]["gradient_norms"]), f"groups of step {step}")
        total = math.hypot(*a[step]["gradient_norms"].values())
        for group, norm in a[step]["gradient_norms"].items():
            # Behind a norm, a vector's magnitude has no gradient but for rounding.
            expected = b[step]["gradient_norms"][group]
            check(abs(norm - expected) <= tolerance * expected + 1e-6 * total,
                  f"step {step} {group}: expected {expected!r}, found {norm!r}")
        for x, y in zip(a[step]["scale_vectors"], b[step]["scale_vectors"]):
            for key in x:
                if isinstance(x[key], float) and key not in ("magnitude", "mean"):
                    near(x[key], y[key], tolerance, f"step {step} {x['vector']} {key}")
                elif not isinstance(x[key], float):
                    check(x[key] == y[key], f"step {step} {x['vector']} {key}")


def both_engines(name, model, offset=0):
    compiled = train(model, work / (name + "-compiled"))
    reference = train(model, work / (name + "-reference"), "--reference")
    # A vector of f32 entries: each is rounded (a few times, where it is computed); then f64.
    a = check_vectors(compiled, offset, 1e-6)
    # As saved by the reference engine, in f64.
    b = check_vectors(reference, offset, 1e-13)
    for out in (compiled, reference):
        check_norms(out)
    # f32 against f64, after a few steps of Adam, which divides small gradients by their own size.
    compare(a, b, 1e-3)
    print(f"{name}: both engines agree with the checkpoint", flush=True)
    return compiled


def rewrite(model, name, *flags):
    run("vernier-opt", model, *flags, "-o", work / f"{name}.mlir")
    return work / f"{name}.mlir"


def places(out):
    """{(site, branch, layer): forms}, of the last record."""
    found = {}
    for r in records(out, "scale_vectors")[STEPS]["scale_vectors"]:
        found.setdefault((r["site"], r["branch"], r.get("layer")), []).append(r.get("form"))
    return found


model = work / "model.mlir"
run("vernier", "import", "--hf", golden / "llama", "--batch", 2, "--sequence", 24, "-o", model)
plain = both_engines("llama", model)
check(places(plain) == {("attention-input", "q, k, v", 0): [None], ("ffn-input", "gate, up", 0): [None],
                        ("attention-input", "q, k, v", 1): [None], ("ffn-input", "gate, up", 1): [None],
                        ("final", "head", None): [None]}, f"places {places(plain)}")
check(list(records(plain, "gradient_norms")[2]["gradient_norms"]) == [
    "embedding/embedding", "scale/attention-input/q+k+v", "matrix/q", "matrix/k", "matrix/v", "matrix/o",
    "scale/ffn-input/gate+up", "matrix/gate", "matrix/up", "matrix/down", "scale/final/head", "matrix/head"],
    f"groups {list(records(plain, 'gradient_norms')[2]['gradient_norms'])}")

unified = both_engines("unified", rewrite(model, "unified", "--vernier-scale-strategy=preset=unified"))
check(places(unified)[("attention-input", "v", 1)] == ["original"], f"places {places(unified)}")
check("magnitude/attention-input/v" in records(unified, "gradient_norms")[2]["gradient_norms"], "groups of unified")
# Wherever scales are applied, they are what and where the graph says.
for model_name in ("unified", "model"):
    sides = [train(work / f"{model_name}.mlir", work / f"{model_name}-{side}", "--scale-side", side, "--accumulate", 2)
             for side in ("weights", "activations")]
    compare(*(check_vectors(out, 0, 1e-6) for out in sides), 1e-3)
    for out in sides:
        check_norms(out)
print("the side that scales are applied at plays no part", flush=True)
both_engines("er", rewrite(model, "er", "--vernier-scale-strategy=preset=er"))

# The 1 + w convention: an offset, and parameters that start at 0.
gemma = work / "gemma.mlir"
text = rewrite(model, "printed").read_text()
lines = [line.replace(" : (", " offset 1.0 : (") if "vernier.scale " in line else
         line.replace("constant<1.0", "constant<0.0") if "kind(scale)" in line else line
         for line in text.splitlines()]
gemma.write_text("\n".join(lines))
check("offset 1.0" in gemma.read_text() and "constant<1.0" not in gemma.read_text(), "no offsets in gemma.mlir")
both_engines("gemma", gemma, offset=1)


# Gradients by another implementation


def golden_norms():
    """Of test/golden, computed by Hugging Face transformers in f64; grouped here by names."""
    squares = {}
    for name, entries in read_tensors(golden / "llama" / "expected.safetensors").items():
        if not name.startswith("grad."):
            continue
        keys = {"embed_tokens": "embedding/embedding", "input_layernorm": "scale/attention-input/q+k+v",
                "post_attention_layernorm": "scale/ffn-input/gate+up", "model.norm": "scale/final/head",
                "lm_head": "matrix/head"}
        keys.update({f".{branch}_proj": f"matrix/{branch}" for branch in ("q", "k", "v", "o", "gate", "up", "down")})
        group = next(group for part, group in keys.items() if part in name)
        squares[group] = squares.get(group, 0) + math.fsum(g * g for g in entries)
    return {group: math.sqrt(s) for group, s in squares.items()}


def as_one_step(source, target):
    """The same batch with one more dimension: that of steps."""
    data = source.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    for name in ("input_ids", "targets"):
        header[name]["shape"].insert(0, 1)
    text = json.dumps(header).encode()
    target.write_bytes(struct.pack("<Q", len(text)) + text + data[begin:])


as_one_step(golden / "llama" / "batch.safetensors", work / "batch.safetensors")
expected = golden_norms()
for flag, tolerance in (("--reference", 1e-8), ("--threads=1", 1e-5)):  # docs/Testing.md: golden gradients
    out = work / f"golden{flag}"
    run("vernier", "train", model, "--data", work / "batch.safetensors", "--weights", golden / "llama", "--steps", 1,
        "--warmup", 0, "--out", out, flag)
    found = records(out, "gradient_norms")[1]["gradient_norms"]
    check(sorted(found) == sorted(expected), f"groups {sorted(found)}")
    for group, norm in expected.items():
        near(found[group], norm, tolerance, f"{flag} {group}")
print("gradient norms are those of other people's gradients", flush=True)


# Bits


def bits(out):
    files = sorted((out / f"step-{STEPS:06}").glob("*.safetensors"))
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


threads = [train(work / "unified.mlir", work / f"threads-{n}", "--threads", n) for n in (1, 2, 3)]
for out in threads:
    check(records(out, "scale_vectors") == records(threads[0], "scale_vectors"), f"{out}: other statistics")
    check(bits(out) == bits(threads[0]), f"{out}: other parameters")
print("1, 2 and 3 threads give the same bits", flush=True)

for engine in ([], ["--reference"]):
    on, off = (train(work / "unified.mlir", work / f"every-{n}{len(engine)}", "--statistics-every", n, *engine)
               for n in (1, 0))
    check(bits(on) == bits(off), "statistics change what is trained")
    check(len(records(on, "scale_vectors")) == STEPS and not records(off, "scale_vectors"), "which steps have any")
    values = [[(r["loss"], r["gradient_norm"]) for r in records(out, "loss").values()] for out in (on, off)]
    check(values[0] == values[1], "statistics change losses")
print("with and without statistics, training has the same bits", flush=True)

parts = train(work / "unified.mlir", work / "parts", "--stop-after", 3)
run("vernier", "train", "--resume", parts)
check(records(parts, "scale_vectors") == records(threads[0], "scale_vectors"), "a resumed run has other statistics")
print("a resumed run has the same records", flush=True)
