#!/usr/bin/env python3
"""check-export.py VERNIER: see check-export.sh.

Prints a line for each case and exits with 1 if one differs. Vernier's side is the
f64 evaluator on the checkpoint that was exported (loss), and on the exported
folder imported again (gradients, which are by the names of its tensors). The files
hold f32, and transformers' norms round to f32 in any precision: 1e-6 for the loss,
1e-5 for gradients (norm of the difference over the norm).
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
QK_NORM = "vernier-split-scale,vernier-relocate-scale{to=dual-norm norm-axis=head branches=q,k}," \
          "vernier-reparameterize-scale"
CASES = [(model, f"vernier-scale-strategy{{preset={preset}}}")
         for model in ("llama", "llama_tied", "llama3", "mistral", "qwen2", "qwen3")
         for preset in ("baseline", "hg+dp+or+iwd", "er")]
CASES += [("llama", QK_NORM), ("qwen2", QK_NORM)]


def tensors(path):
    """The tensors of a safetensors file, in f64 (or i64)."""
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    types = {"F64": torch.float64, "F32": torch.float32, "I32": torch.int32, "I64": torch.int64}
    result = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        flat = torch.frombuffer(bytearray(data[begin:end]), dtype=types[entry["dtype"]])
        flat = flat.double() if flat.is_floating_point() else flat.long()
        result[name] = flat.reshape(entry["shape"])
    return result


def run(*command):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def loss_of(text):
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("loss "))


def by_transformers(folder, batch):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")
    logits = model(batch["input_ids"]).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch["targets"].flatten(), ignore_index=-100)
    loss.backward()
    return type(model).__name__, loss.item(), {name: p.grad for name, p in model.named_parameters()}


def check(vernier, model, passes, folder):
    golden = ROOT / "test/golden" / model
    (folder / "text").write_bytes(bytes((7 * i * i + i) % 97 for i in range(2000)))
    run(vernier, "import", "--hf", golden, "--batch", 2, "--sequence", 24, "-o", folder / "plain.mlir")
    run(vernier, "rewrite", folder / "plain.mlir", "--passes", passes, "-o", folder / "m.mlir")
    run(vernier, "train", folder / "m.mlir", "--data", folder / "text", "--data-format", "text", "--steps", 20,
        "--rate", 0.01, "--out", folder / "run")
    run(vernier, "export", folder / "run", "--out", folder / "hf")
    batch = ["--inputs", golden / "batch.safetensors", "--reference"]
    ours = loss_of(run(vernier, "evaluate", folder / "m.mlir", "--weights", folder / "run", *batch))
    run(vernier, "import", "--hf", folder / "hf", "--batch", 2, "--sequence", 24, "-o", folder / "back.mlir")
    run(vernier, "evaluate", folder / "back.mlir", "--weights", folder / "hf", *batch,
        "--gradients", folder / "gradients.safetensors")
    name, theirs, gradients = by_transformers(folder / "hf", tensors(golden / "batch.safetensors"))
    expected = tensors(folder / "gradients.safetensors")
    worst = max((float((gradient - expected["grad." + key]).norm() / gradient.norm()), key)
                for key, gradient in gradients.items())
    difference = abs(ours / theirs - 1)
    good = difference < 1e-6 and worst[0] < 1e-5 and len(gradients) + 1 == len(expected)
    print(f"{'same' if good else 'DIFFERENT'}  {name:20} loss {difference:.1e}  gradients {worst[0]:.1e} ({worst[1]})"
          f"  {model}: {passes}", flush=True)
    return good


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    good = True
    for model, passes in CASES:
        with tempfile.TemporaryDirectory() as folder:
            good &= check(vernier, model, passes, pathlib.Path(folder))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
