"""Compares the names and shapes that `vernier inspect` prints with those of a
safetensors file: compare-parameters.py TABLE MODEL.safetensors"""
import json
import struct
import sys

with open(sys.argv[1]) as table:
    rows = table.read().splitlines()[1:]
    counts = next(i for i, row in enumerate(rows) if " parameters, " in row)
    lines = [row.split() for row in rows[:counts]]
graph = {words[0]: words[1] for words in lines}
with open(sys.argv[2], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
stored = {name: "x".join(map(str, entry["shape"])) for name, entry in header.items() if name != "__metadata__"}
for name in sorted(graph.keys() | stored.keys()):
    if graph.get(name) != stored.get(name):
        sys.exit(f"{name}: graph {graph.get(name)}, checkpoint {stored.get(name)}")
print(f"{len(graph)} parameters agree")
