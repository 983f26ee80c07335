"""At the start each scale vector is 1 as the model applies it, in every convention; fifty steps move each parameter.

usage: train-scales.py GEMMA FOLDER
"""
import json
import pathlib
import struct
import subprocess
import sys

gemma, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir()
data = folder / "data.txt"
data.write_bytes(bytes((7 * i * i + i) % 20 for i in range(3000)))


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def train(model, name, steps, rate):
    out = folder / name
    run("vernier", "train", model, "--data", data, "--steps", steps, "--rate", rate, "--schedule", "constant", "--warmup",
        "0", "--statistics-every", "1", "--out", out)
    checkpoint = next(out.glob("step-*")) / "model.safetensors"
    raw = checkpoint.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + size])
    tensors = {k: raw[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]]
               for k, v in header.items() if k != "__metadata__"}
    records = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    return tensors, next(r["scale_vectors"] for r in records if "scale_vectors" in r)


imported = folder / "imported.mlir"
run("vernier", "import", "--preset", "tiny", "--batch", "2", "--sequence", "5", "-o", imported)
for name, source, preset in [("llama", imported, "baseline"), ("er", imported, "er"), ("unified", imported, "unified"),
                             ("gemma", gemma, "baseline"), ("gemma unified", gemma, "unified")]:
    model = folder / f"{name}.mlir"
    run("vernier-opt", source, f"--vernier-scale-strategy=preset={preset}", "-o", model)
    start, scales = train(model, f"{name} start", 1, 1e-30)  # a rate that is lost in rounding
    for scale in scales:
        for key in ("mean", "rms", "min", "max"):
            assert abs(scale[key] - 1) < 1e-6, (name, scale)
    trained, _ = train(model, f"{name} trained", 50, 1e-3)
    still = [key for key in start if trained[key] == start[key]]
    assert not still, (name, "equal their start after 50 steps:", still)
    print(f"{name}: {len(scales)} scale vectors start at 1, {len(start)} parameters move")
