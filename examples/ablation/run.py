#!/usr/bin/env python3
"""Trains variants of a small Llama that differ in their scale vectors, and compares them.

  examples/ablation/run.py [--variants baseline,none,...] [--seeds 1-2] [--out FOLDER]

Trains each variant with each seed on the bytes of an English dictionary (or --data), and writes into the folder
after each run: table.md (validation loss with standard errors, paired differences to the baseline, step time,
memory, parameters) and curves.svg. Runs that are complete are not run again, and one that was cut short goes on
from its checkpoint: stop it and call it again as often as you like; another call may add variants and seeds.
Sizes, steps and rates are the folder's: a call that wants others needs another folder.

The default (all variants, two seeds, 0.5 tokens per parameter) ends within half an hour on two cores. The table of
docs/Ablation.md, at 10 tokens per parameter, takes most of a day on one core:

  examples/ablation/run.py --full --out build/ablation-full
"""
import argparse
import contextlib
import fcntl
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import plot
import table
from runs import VARIANTS, Metrics, Run, read_complete

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path("/usr/share/dictd/gcide.dict.dz")
FULL_FIRST = ["baseline", "none", "unified"]  # with seeds 1 to 5; the others have 1 to 3


class Failure(Exception):
    """What the user is told, without a traceback."""


def parse_seeds(text):
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    seeds = list(range(int(match[1]), int(match[2]) + 1)) if match else None
    if seeds is None and re.fullmatch(r"\d+(,\d+)*", text):
        seeds = [int(word) for word in text.split(",")]
    if not seeds:
        raise argparse.ArgumentTypeError(f"expected seeds as 1-5 or 1,2,3, found '{text}'")
    return seeds


def parse_variants(text):
    variants = text.split(",")
    for variant in variants:
        if variant not in VARIANTS:
            raise argparse.ArgumentTypeError(f"unknown variant '{variant}'; expected some of {','.join(VARIANTS)}")
    return variants


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive integer, found '{text}'")
    return int(text)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "ablation", help="folder of the runs")
    parser.add_argument("--variants", type=parse_variants, help="some of " + ",".join(VARIANTS) + " (all)")
    parser.add_argument("--seeds", type=parse_seeds, help="as 1-5 or 1,2,3 (1-2)")
    parser.add_argument("--full", action="store_true",
                        help=f"{', '.join(FULL_FIRST)} with five seeds, then the others with three; 4800 steps")
    parser.add_argument("--steps", type=positive, help="optimizer steps of a run (240; with --full 4800)")
    parser.add_argument("--rate", type=float, default=3e-3, help="highest learning rate (0.003)")
    for name, value in (("hidden", 160), ("layers", 3), ("heads", 5), ("ffn", 432), ("batch", 16), ("sequence", 128)):
        parser.add_argument(f"--{name}", type=positive, default=value, help=f"of the model ({value})")
    parser.add_argument("--data", type=pathlib.Path, help="text to train on (the dictionary of dict-gcide)")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(),
                        help="runs at a time, one thread each (one per core)")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin",
                        help="where vernier and vernier-opt are (build/release/bin)")
    arguments = parser.parse_args()
    if arguments.full and (arguments.variants or arguments.seeds):
        parser.error("--full says which variants and seeds; give either it or them")
    arguments.steps = arguments.steps or (4800 if arguments.full else 240)
    return arguments


def plan_runs(arguments):
    """In the order in which they are worth most: a comparison before a second seed of it."""
    if arguments.full:
        others = [v for v in VARIANTS if v not in FULL_FIRST]
        return ([Run(v, seed) for seed in range(1, 6) for v in FULL_FIRST] +
                [Run(v, seed) for seed in range(1, 4) for v in others])
    return [Run(v, seed) for seed in arguments.seeds or [1, 2] for v in arguments.variants or VARIANTS]


def write_atomically(path, text):
    temporary = path.with_name(path.name + ".partial")
    temporary.write_text(text)
    temporary.replace(path)


def call(arguments, program, *flags):
    command = [str(arguments.bin / program), *map(str, flags)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{command[0]}: {error.strerror}; build it with tools/dev/setup.sh, or name its folder by --bin")
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout


# What is the same for all runs of a folder


def prepare_corpus(arguments):
    if arguments.data:
        if not arguments.data.is_file():
            raise Failure(f"{arguments.data}: no such file")
        return arguments.data.resolve()
    corpus = arguments.out / "corpus.txt"
    if not corpus.exists():
        if not CORPUS.exists():
            raise Failure(f"{CORPUS} is missing; install dict-gcide, or name a text by --data")
        temporary = corpus.with_name("corpus.partial")
        with gzip.open(CORPUS) as source, temporary.open("wb") as target:
            shutil.copyfileobj(source, target)
        temporary.replace(corpus)
    return corpus


def make_graphs(arguments, variants):
    """The graph of each variant, all rewritten from one import."""
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 256,
              "hidden_size": arguments.hidden, "intermediate_size": arguments.ffn,
              "num_hidden_layers": arguments.layers, "num_attention_heads": arguments.heads,
              "num_key_value_heads": arguments.heads, "hidden_act": "silu", "rms_norm_eps": 1e-5,
              "rope_theta": 10000.0, "max_position_embeddings": arguments.sequence, "initializer_range": 0.02,
              "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False}
    (arguments.out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    imported = arguments.out / "imported.mlir"
    call(arguments, "vernier", "import", "--hf", arguments.out / "config.json", "--batch", arguments.batch,
         "--sequence", arguments.sequence, "-o", imported)
    graphs = {}
    for variant in variants:
        graphs[variant] = arguments.out / f"{variant}.mlir"
        call(arguments, "vernier-opt", imported, *VARIANTS[variant], "-o", graphs[variant])
    return graphs


def check_settings(arguments, corpus, graphs):
    """Runs are comparable if they agree on these. A folder keeps what its first call had."""
    wanted = {"data": str(corpus), "steps": arguments.steps, "rate": arguments.rate}
    for variant, path in graphs.items():
        wanted["graph of " + variant] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    path = arguments.out / "settings.json"
    saved = json.loads(path.read_text()) if path.exists() else {}
    for key, value in wanted.items():
        if saved.setdefault(key, value) != value:
            raise Failure(f"{arguments.out}: its runs have another {key}: expected {value}, found {saved[key]}; "
                          "choose another --out, or remove it")
    write_atomically(path, json.dumps(saved, indent=2) + "\n")


# Runs


def train_flags(arguments, run, corpus, graph):
    folder = run.folder(arguments.out)
    flags = ["train", graph, "--threads", 1]
    if (folder / "latest").exists():
        return flags + ["--resume", folder]
    if folder.exists():
        shutil.rmtree(folder)  # cut short before its first checkpoint
    return flags + ["--data", corpus, "--validation-fraction", 0.01, "--seed", run.seed, "--steps", arguments.steps,
                    "--rate", arguments.rate, "--validate-every", arguments.steps, "--validation-rows", 50 * arguments.batch,
                    "--save-every", 500, "--keep", 1, "--out", folder]


class Trainer:
    """Runs `vernier train`, several at a time. Its children hold the folder's lock as well, so that nobody starts a
    run again while an old process, whose parent was killed, still works on it."""

    def __init__(self, arguments, lock):
        self.arguments, self.lock = arguments, lock
        self.children = set()
        self.stopping = False

    def train(self, run, corpus, graph):
        """Whether the run has done all its steps."""
        folder = run.folder(self.arguments.out)
        if self.stopping:
            return False
        if (folder / "latest").exists() and Metrics(folder).is_complete(self.arguments.steps):
            return True
        command = [str(self.arguments.bin / "vernier"),
                   *map(str, train_flags(self.arguments, run, corpus, graph))]
        log = self.arguments.out / "logs" / f"{run.variant}-{run.seed}.txt"
        with log.open("a") as stream:
            child = subprocess.Popen(command, stdout=stream, stderr=stream, pass_fds=[self.lock],
                                     start_new_session=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
            self.children.add(child)
            if self.stopping:
                child.send_signal(signal.SIGTERM)
            code = child.wait()
            self.children.discard(child)
        if code not in (0, 130, 143) and not self.stopping:
            raise Failure(f"{' '.join(command)} failed with exit code {code}; its output is in {log}")
        return code == 0

    def stop(self):
        """Lets steps finish and saves them."""
        self.stopping = True
        for child in list(self.children):
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGTERM)


def write_results(arguments):
    """Table and curves of all complete runs of the folder; the table."""
    runs = read_complete(arguments.out, arguments.steps)
    if not runs:
        return ""
    graphs = {}
    for variant in runs:
        text = call(arguments, "vernier", "inspect", arguments.out / f"{variant}.mlir")
        graphs[variant] = (re.search(r"^([\d,]+) parameters", text, re.M)[1],
                           re.search(r"^\s*peak\s+(.*)$", text, re.M)[1])
    markdown = table.print_markdown(table.summarize(runs, arguments.steps), graphs)
    write_atomically(arguments.out / "table.md", markdown)
    write_atomically(arguments.out / "curves.svg",
                     plot.draw(runs, arguments.steps, arguments.batch * arguments.sequence))
    return markdown


def take_lock(out):
    lock = os.open(out / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Failure(f"{out}: another ablation, or a run that it left behind, is at work here")
    return lock


def interrupt(*_):
    raise KeyboardInterrupt


def run_all(arguments):
    for folder in (arguments.out, arguments.out / "logs", arguments.out / "runs"):
        folder.mkdir(parents=True, exist_ok=True)
    lock = take_lock(arguments.out)
    planned = plan_runs(arguments)
    corpus = prepare_corpus(arguments)
    graphs = make_graphs(arguments, list(dict.fromkeys(run.variant for run in planned)))
    check_settings(arguments, corpus, graphs)
    trainer = Trainer(arguments, lock)
    signal.signal(signal.SIGTERM, interrupt)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = [pool.submit(trainer.train, run, corpus, graphs[run.variant]) for run in planned]
        try:
            for number, (run, job) in enumerate(zip(planned, jobs), 1):
                if not job.result():
                    raise KeyboardInterrupt
                write_results(arguments)
                print(f"{number}/{len(planned)}: {run.variant}, seed {run.seed}", flush=True)
        except BaseException:
            trainer.stop()
            raise
    print(write_results(arguments))
    print(f"{arguments.out}/table.md and {arguments.out}/curves.svg written")


def main():
    arguments = parse_arguments()
    try:
        run_all(arguments)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
