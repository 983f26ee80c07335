#!/usr/bin/env python3
"""Checks the memory that a training step really takes against its plan.

usage: memory.py MODEL

Anonymous memory at its highest, less what it was before the arena was
allocated, is at most 1.03 times the plan and 32 MB more.
"""
import json
import subprocess
import sys

out = subprocess.run(["vernier", "bench", sys.argv[1], "--json", "--steps", "1", "--patience", "0"], check=True,
                     text=True, capture_output=True).stdout
result = json.loads(out)
planned, peak = result["planned_bytes"], result["peak_bytes"]
if not planned <= 1e9 or not planned * 0.5 <= peak <= 1.03 * planned + 32e6:
    sys.exit(f"error: {planned} bytes are planned, {peak} were taken")
print("real memory fits the plan")
