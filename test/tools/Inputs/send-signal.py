"""Runs a command, sends it a signal at its first line of output, and prints the rest and the exit code.

usage: signal.py SIGNAL COMMAND...
"""
import signal
import subprocess
import sys

number = getattr(signal, sys.argv[1])
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
for line in process.stdout:
    print(line, end="")
    if line.startswith("step"):
        process.send_signal(number)
        break
print(process.stdout.read(), end="")
print("exit code", process.wait())
