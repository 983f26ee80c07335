#!/usr/bin/env python3
"""Makes test/golden/quickstart: the losses of the first 50 steps of examples/quickstart.sh, computed by PyTorch in f64.

usage: tools/dev/golden-quickstart.py

Needs PyTorch (2.4 or later; made with 2.15), Debian's dict-gcide, a build of `release`, and some minutes. No other
command makes these files. The model, the order of the windows, the rates and AdamW are written down here once more; of
Vernier only `vernier train --rate 1e-30` runs, for the weights that the seed gives.
"""
import gzip
import hashlib
import json
import pathlib
import struct
import subprocess
import tempfile

import torch
import torch.nn.functional as F

STEPS, WARMUP, RATE, DECAY, EPSILON, BETAS, CLIP = 50, 50, 3e-3, 0.1, 1e-8, (0.9, 0.95), 1.0
BATCH, SEQUENCE, SEED, TRAINING_PART = 8, 256, 0, 0.99
LAYERS, HEADS, HEAD_DIM, THETA, NORM_EPSILON = 4, 4, 64, 10000.0, 1e-5
CORPUS = "/usr/share/dictd/gcide.dict.dz"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BITS = (1 << 64) - 1


def mix_bits(value):
    """The finalizer of SplitMix64."""
    value = (value + 0x9E3779B97F4A7C15) & BITS
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & BITS
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & BITS
    return value ^ (value >> 31)


def make_permutation(size, key):
    """The Feistel network of runtime/Permutation.h."""
    half = ((size - 1).bit_length() + 1) // 2
    keys = []
    for _ in range(6):
        key = mix_bits(key)
        keys.append(key)

    def permute(index):
        while True:
            left, right = index >> half, index & ((1 << half) - 1)
            for round_key in keys:
                left, right = right, left ^ (mix_bits(right ^ round_key) & ((1 << half) - 1))
            index = left << half | right
            if index < size:
                return index

    return permute


def read_batches(corpus):
    """[BATCH, SEQUENCE + 1] bytes for each step, as the runtime shuffles them in the first epoch."""
    training = int(len(corpus) * TRAINING_PART)
    permute = make_permutation((training - 1) // SEQUENCE, mix_bits(SEED))
    for step in range(STEPS):
        places = [permute(row) * SEQUENCE for row in range(step * BATCH, (step + 1) * BATCH)]
        yield torch.tensor([list(corpus[place:place + SEQUENCE + 1]) for place in places])


def read_weights():
    """What Vernier starts with, as f32: a rate of 1e-30 changes no bit of a weight."""
    with tempfile.TemporaryDirectory() as folder:
        vernier, model = ROOT / "build/release/bin/vernier", f"{folder}/model.mlir"
        pathlib.Path(f"{folder}/text.txt").write_bytes(bytes(BATCH * SEQUENCE + 1))
        subprocess.run([vernier, "import", "--preset", "quickstart", "--batch", str(BATCH), "--sequence", str(SEQUENCE),
                        "-o", model], check=True)
        subprocess.run([vernier, "train", model, "--data", f"{folder}/text.txt", "--steps", "1", "--rate", "1e-30",
                        "--final-rate", "1e-30", "--seed", str(SEED), "--out", f"{folder}/run"], check=True)
        data = pathlib.Path(f"{folder}/run/step-000001/model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    weights = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            assert entry["dtype"] == "F32"
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            flat = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32)
            weights[name] = flat.reshape(entry["shape"]).double().requires_grad_()
    return weights


def normalize(x, scale):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + NORM_EPSILON) * scale


def rotate(x):
    """Rotary embedding, halves of a head as the two coordinates; [B, heads, T, HEAD_DIM]."""
    inverse = THETA ** (-torch.arange(0, HEAD_DIM, 2, dtype=torch.float64) / HEAD_DIM)
    angles = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), inverse)
    a, b = x.chunk(2, -1)
    return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)


def attend(x, weights, layer):
    def project(letter):
        y = x @ weights[f"{layer}.self_attn.{letter}_proj.weight"].T
        return y.unflatten(-1, (HEADS, HEAD_DIM)).transpose(1, 2)

    scores = rotate(project("q")) @ rotate(project("k")).transpose(-1, -2) / HEAD_DIM ** 0.5
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    y = scores.masked_fill(future, float("-inf")).softmax(-1) @ project("v")
    return y.transpose(1, 2).flatten(2) @ weights[f"{layer}.self_attn.o_proj.weight"].T


def compute_loss(weights, ids, targets):
    embedding = weights["model.embed_tokens.weight"]
    x = embedding[ids]
    for number in range(LAYERS):
        layer = f"model.layers.{number}"
        x = x + attend(normalize(x, weights[f"{layer}.input_layernorm.weight"]), weights, layer)
        y = normalize(x, weights[f"{layer}.post_attention_layernorm.weight"])
        gate, up = (y @ weights[f"{layer}.mlp.{name}_proj.weight"].T for name in ("gate", "up"))
        x = x + (F.silu(gate) * up) @ weights[f"{layer}.mlp.down_proj.weight"].T
    logits = normalize(x, weights["model.norm.weight"]) @ embedding.T
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def train(weights, batches):
    groups = [{"params": [w for w in weights.values() if w.dim() == 2], "weight_decay": DECAY},
              {"params": [w for w in weights.values() if w.dim() == 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=0.0, betas=BETAS, eps=EPSILON)
    losses = []
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (step + 1) / WARMUP
        optimizer.zero_grad()
        loss = compute_loss(weights, batch[:, :-1], batch[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), CLIP)
        optimizer.step()
        losses.append(loss.item())
        print(f"step {step + 1}: {losses[-1]:.6f}", flush=True)
    return losses


def main():
    corpus = gzip.open(CORPUS).read()
    losses = train(read_weights(), read_batches(corpus))
    folder = ROOT / "test/golden/quickstart"
    folder.mkdir(exist_ok=True)
    (folder / "corpus.sha256").write_text(f"{hashlib.sha256(corpus).hexdigest()}  corpus.txt\n")
    lines = [json.dumps({"step": step, "loss": loss}) + "\n" for step, loss in enumerate(losses, 1)]
    (folder / "metrics.jsonl").write_text("".join(lines))


main()
