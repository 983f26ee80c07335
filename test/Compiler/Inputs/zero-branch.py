#!/usr/bin/env python3
"""Checks that a block whose last map is zero is the identity: compiled, and to the bit.

usage: zero-branch.py GOLDEN WORK

GOLDEN is a model of two layers. With a second layer whose o and down are zero its logits are those of the model
without that layer; with only one of them zero they do not depend on what the maps before it are.
"""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # not into the sources
from extremes import Tensors, write

SECOND = "model.layers.1."


def logits(model, weights, golden, out):
    subprocess.run(["vernier", "evaluate", model, "--weights", weights, "--inputs", golden / "batch.safetensors",
                    "--logits", out], check=True, stdout=subprocess.DEVNULL)
    return Tensors(out).get("logits")


def import_model(config, work):
    model = work / (config.stem + ".mlir")
    subprocess.run(["vernier", "import", "--hf", config, "--batch", "2", "--sequence", "24", "-o", model],
                   check=True, stdout=subprocess.DEVNULL)
    return model


def select(tensors, keep):
    """Header and data of some tensors."""
    header, data = {}, b""
    for name, entry in tensors.header.items():
        if name != "__metadata__" and keep(name):
            begin, end = entry["data_offsets"]
            header[name] = {**entry, "data_offsets": [len(data), len(data) + end - begin]}
            data += tensors.data[begin:end]
    return header, data


class Model:
    def __init__(self, config, golden, work):
        self.model, self.golden, self.work = import_model(config, work), golden, work

    def logits(self, changes, keep=lambda name: True):
        """With the weights of the golden model, changed: from a tensor's name to a function of an entry."""
        weights = Tensors(self.golden / "model.safetensors")
        for name, function in changes.items():
            weights.change(SECOND + name, lambda i, x: function(x))
        path = self.work / "weights.safetensors"
        write(path, *select(weights, keep))
        return logits(self.model, path, self.golden, self.work / "logits.safetensors")


def main():
    golden, work = map(pathlib.Path, sys.argv[1:3])
    work.mkdir(parents=True)
    config = json.loads((golden / "config.json").read_text())
    assert config["num_hidden_layers"] == 2
    (work / "two.json").write_text(json.dumps(config))
    config["num_hidden_layers"] = 1
    if "layer_types" in config:
        config["layer_types"].pop()
    (work / "one.json").write_text(json.dumps(config))
    one, two = (Model(work / name, golden, work) for name in ("one.json", "two.json"))
    zero, other = lambda x: 0.0, lambda x: 1.5 * x + 0.01
    attention = [f"self_attn.{map}_proj.weight" for map in "qkv"]
    ffn = [f"mlp.{map}_proj.weight" for map in ("gate", "up")]
    plain = two.logits({})
    without = one.logits({}, lambda name: not name.startswith(SECOND))
    right = two.logits({"self_attn.o_proj.weight": zero, "mlp.down_proj.weight": zero}) == without != plain
    print("a layer of two zero branches", "is the identity" if right else "error: is not the identity")
    for last, maps in (("self_attn.o_proj.weight", attention), ("mlp.down_proj.weight", ffn)):
        assert two.logits({name: other for name in maps}) != plain
        same = two.logits({last: zero}) == two.logits({last: zero, **{name: other for name in maps}})
        print(f"with {last} zero", "nothing before it counts" if same else "error: maps before it count")
        right &= same
    return 0 if right else 1


sys.exit(main())
