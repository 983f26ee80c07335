"""Writes token files and tensor files, good and bad, into a folder."""
import json
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)


def tokens(name, values, magic=20240520, version=1, count=None, code="H", tail=b""):
    header = struct.pack("<3i", magic, version, len(values) if count is None else count).ljust(1024, b"\0")
    (folder / name).write_bytes(header + struct.pack(f"<{len(values)}{code}", *values) + tail)


def tensors(name, header, data, length=None):
    text = header if isinstance(header, str) else json.dumps(header)
    size = len(text) if length is None else length
    (folder / name).write_bytes(struct.pack("<Q", size) + text.encode() + data)


def entry(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


ids = [(7 * i * i + i) % 97 for i in range(2000)]
(folder / "good.txt").write_bytes(bytes(ids))
(folder / "short.txt").write_bytes(bytes(ids[:30]))
tokens("good.bin", ids)
tokens("good32.bin", ids, magic=20240801, version=7, code="I")
tokens("magic.bin", ids, magic=20240519)
tokens("version.bin", ids, version=7)
tokens("odd.bin", ids, tail=b"\0")
tokens("truncated.bin", ids, count=3000)
tokens("beyond.bin", ids[:1500] + [151] + ids[1500:])
(folder / "odd.npy").write_bytes(bytes(4001))
(folder / "numpy.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes(4000))

tensors("lying.safetensors", {"w": entry([2, 3], 0, 20)}, bytes(20))
tensors("overlapping.safetensors", {"a": entry([4], 0, 16), "b": entry([4], 8, 24)}, bytes(24))
tensors("hole.safetensors", {"a": entry([4], 0, 16), "b": entry([4], 20, 36)}, bytes(36))
tensors("truncated.safetensors", {"a": entry([4], 0, 16)}, bytes(12))
tensors("header.safetensors", {"a": entry([4], 0, 16)}, b"", length=5000)
tensors("huge.safetensors", {"a": entry([1 << 32, 1 << 32], 0, 16)}, bytes(16))
tensors("twice.safetensors", '{"a":%s,"a":%s}' % ((json.dumps(entry([4], 0, 16)),) * 2), bytes(16))
tensors("deep.safetensors", "[" * 100000, b"")
tensors("missing.safetensors", {"model.norm.weight": entry([40], 0, 160)}, bytes(160))
tensors("batch.safetensors", {"input_ids": entry([2, 23], 0, 184, "I32"), "targets": entry([2, 23], 184, 368, "I32")},
        bytes(368))
