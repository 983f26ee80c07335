#!/usr/bin/env python3
"""Vernier beside PyTorch and JAX on the same training step, alternating in one run.

Shapes: d 384, 6 layers, 6 heads, FFN 1024, tied head, batch 8 x 256, f32, and
each vocabulary of --vocabularies. Prints one table: tokens/s and peak memory of
each (median over rounds), and Vernier's ratio to it. A measurement during which
other processes used more than 5 % of a core is thrown away and taken again.

    benchmarks/setup-peers.sh
    benchmarks/compare.py [--rounds 3] [--vocabularies 50304,4096] [--peers torch,jax]
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = ROOT / "build/peers/bin/python"
VERNIER = ROOT / "build/release/bin/vernier"
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
BUSY_LIMIT = 0.05  # cores, of other processes


def busy_seconds():
    """CPU time of the whole machine so far."""
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def quiet_run(command, env):
    """Output and peak resident megabytes of a command that had the machine to itself."""
    for _ in range(10):
        start, busy, own = time.monotonic(), busy_seconds(), own_seconds()
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([str(c) for c in command], env=env, text=True, stdout=output)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            text = output.read()
        if process.returncode != 0:
            sys.exit(f"error: {' '.join(map(str, command))} failed")
        others = (busy_seconds() - busy - (own_seconds() - own)) / (time.monotonic() - start)
        if others <= BUSY_LIMIT:
            return text, usage.ru_maxrss * 1024 / 1e6
        print(f"  discarded: other processes used {others:.2f} cores", file=sys.stderr)
        time.sleep(5)
    sys.exit("error: the machine is never quiet")


def environment():
    env = dict(os.environ)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        env.pop(name, None)
    return env


def measure_vernier(model):
    text, megabytes = quiet_run([VERNIER, "bench", model, "--json"], environment())
    result = json.loads(text)
    return {"tok/s": result["tokens_per_second"], "MB": megabytes, "roof": result["roof_ratio"]}


def measure_peer(name, vocabulary):
    env = environment()
    command = [PYTHON, ROOT / f"benchmarks/peers/{name}_llama.py", "--vocab", vocabulary]
    if name == "torch":
        command.append("--compile")
        env.update(LD_PRELOAD=JEMALLOC, MALLOC_CONF="dirty_decay_ms:-1,muzzy_decay_ms:-1,thp:always")
    text, megabytes = quiet_run(command, env)
    line = re.search(r"RESULT.*", text).group(0)
    return {"tok/s": float(re.search(r"\btok_s ([\d.]+)", line).group(1)), "MB": megabytes}


def compare(vocabulary, peers, rounds, folder):
    model = pathlib.Path(folder) / f"bench-{vocabulary}.mlir"
    subprocess.run([VERNIER, "import", "--preset", "bench-4k", "--vocabulary", str(vocabulary), "--batch", "8",
                    "--sequence", "256", "-o", model], check=True, stdout=subprocess.DEVNULL)
    samples = {name: [] for name in ["vernier", *peers]}
    for _ in range(rounds):
        samples["vernier"].append(measure_vernier(model))
        for peer in peers:
            samples[peer].append(measure_peer(peer, vocabulary))
    median = {name: {key: statistics.median(s[key] for s in taken) for key in taken[0]} for name, taken in samples.items()}
    ours = median["vernier"]
    print(f"vocabulary {vocabulary}: roof ratio {ours['roof']:.3f}")
    print(f"  {'':10} {'tok/s':>8} {'MB':>8}   Vernier's ratio: speed, memory")
    for name, row in median.items():
        print(f"  {name:10} {row['tok/s']:8.0f} {row['MB']:8.0f}   {ours['tok/s'] / row['tok/s']:.2f}, {ours['MB'] / row['MB']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--vocabularies", default="50304,4096")
    parser.add_argument("--peers", default="torch,jax")
    args = parser.parse_args()
    peers = [p for p in args.peers.split(",") if p]
    if peers and not PYTHON.exists():
        sys.exit("error: no peers in build/peers; run benchmarks/setup-peers.sh")
    with tempfile.TemporaryDirectory() as folder:
        for vocabulary in args.vocabularies.split(","):
            compare(int(vocabulary), peers, args.rounds, folder)


if __name__ == "__main__":
    main()
