"""set-entry.py FROM TO TENSOR INDEX VALUE: a safetensors file (f32) with another number in one place."""
import json
import pathlib
import struct
import sys

source, target, name, index, value = sys.argv[1:]
data = bytearray(pathlib.Path(source).read_bytes())
(size,) = struct.unpack("<Q", data[:8])
begin = json.loads(data[8:8 + size])[name]["data_offsets"][0]
struct.pack_into("<f", data, 8 + size + begin + 4 * int(index), float(value))
pathlib.Path(target).write_bytes(data)
