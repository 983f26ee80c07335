"""Runs a training whose step is long, sends it two signals, and prints what ended it.

usage: send-signals.py COMMAND... --out RUN
"""
import os
import shutil
import signal
import subprocess
import sys
import time

command = sys.argv[1:]
run = command[-1]
for names in (("SIGINT", "SIGINT"), ("SIGINT", "SIGTERM"), ("SIGTERM", "SIGINT")):
    shutil.rmtree(run, ignore_errors=True)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    # The file is made after signals are caught, before the first step.
    while not os.path.exists(os.path.join(run, "metrics.jsonl")) and process.poll() is None:
        time.sleep(0.01)
    first, second = (getattr(signal, name) for name in names)
    process.send_signal(first)
    time.sleep(0.3)
    still = process.poll() is None
    process.send_signal(second)
    code = process.wait(timeout=20)
    print(f"{', '.join(names)}: " + (f"ended by {signal.Signals(-code).name}" if still and code < 0
                                     else f"exit code {code}, running after the first: {still}"))
