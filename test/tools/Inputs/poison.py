"""Copies a safetensors file of f32 tensors, with the first entry of one tensor replaced.

usage: poison.py FROM TO TENSOR VALUE
"""
import json
import pathlib
import struct
import sys

source, target, name, value = sys.argv[1:]
data = bytearray(pathlib.Path(source).read_bytes())
(length,) = struct.unpack("<Q", data[:8])
begin = 8 + length + json.loads(data[8:8 + length])[name]["data_offsets"][0]
data[begin:begin + 4] = struct.pack("<f", float(value))
pathlib.Path(target).write_bytes(data)
