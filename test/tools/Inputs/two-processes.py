"""Runs a training, resumes it while it runs, kills it, and resumes it again.

usage: two-processes.py RUN COMMAND...
"""
import os
import subprocess
import sys
import time

run, command = sys.argv[1], sys.argv[2:]
first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
while not os.path.exists(os.path.join(run, "latest")) and first.poll() is None:
    time.sleep(0.01)
resume = [command[0], "train", "--resume", run]
second = subprocess.run(resume, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
print(second.stdout, end="")
print("exit code", second.returncode)
first.kill()
first.wait()
print("the first was killed", flush=True)
step = int(open(os.path.join(run, "latest")).read().split()[0].split("-")[1])
print("exit code", subprocess.run(resume + ["--stop-after", str(step + 1)]).returncode)
