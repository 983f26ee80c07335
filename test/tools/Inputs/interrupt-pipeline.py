"""Interrupts `vernier train | tee` as a terminal does, and lists the run.

usage: interrupt-pipeline.py MODEL DATA RUN
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

model, data, run = sys.argv[1:]
# The shell, as an interactive one, outlives the signal.
command = ("trap : INT; vernier train $0 --data $1 --steps 100000 --log-every 1 --save-every 0 --out $2 2>&1 | tee /dev/null; "
           "echo exit code ${PIPESTATUS[0]}")
shell = subprocess.Popen(["bash", "-c", command, model, data, run], stdout=subprocess.PIPE, text=True, start_new_session=True)
metrics = pathlib.Path(run, "metrics.jsonl")
while not (metrics.exists() and metrics.stat().st_size):
    time.sleep(0.01)
os.killpg(shell.pid, signal.SIGINT)
print(shell.communicate()[0].splitlines()[-1])
print(*sorted(os.listdir(run)))
