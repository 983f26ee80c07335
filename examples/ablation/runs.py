"""The runs of an ablation: what they are, and what they have written."""
import dataclasses
import json
import pathlib

# What each variant does to the imported graph, by flags of vernier-opt.
VARIANTS = {
    "baseline": [],
    "none": ["--vernier-remove-scale"],
    "hg": ["--vernier-scale-strategy=preset=hg"],
    "dp": ["--vernier-scale-strategy=preset=dp"],
    "dnp": ["--vernier-scale-strategy=preset=dnp norm-axis=vector"],
    "dnp-head": ["--vernier-scale-strategy=preset=dnp norm-axis=head"],
    "or": ["--vernier-scale-strategy=preset=or"],
    "er": ["--vernier-scale-strategy=preset=er"],
    "iwd": ["--vernier-scale-strategy=preset=iwd"],
    "unified": ["--vernier-scale-strategy=preset=unified"],
}


@dataclasses.dataclass(frozen=True)
class Run:
    """A variant trained from one seed: of the first weights and the order of the data."""

    variant: str
    seed: int

    def folder(self, out):
        return pathlib.Path(out) / "runs" / f"{self.variant}-{self.seed}"


class Metrics:
    """metrics.jsonl of a run, as far as it has got."""

    def __init__(self, folder):
        path = pathlib.Path(folder) / "metrics.jsonl"
        self.losses, self.seconds, self.validation = {}, {}, {}  # by step
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # cut short by a crash; a resumed run writes it again
            if "loss" in record:
                self.losses[record["step"]] = record["loss"]
                self.seconds[record["step"]] = record["seconds"]
            if "validation_loss" in record:
                self.validation[record["step"]] = record["validation_loss"]

    def is_complete(self, steps):
        return steps in self.losses and steps in self.validation


def read_complete(out, steps):
    """{variant: {seed: Metrics}} of the runs in a folder that have done all their steps."""
    found = {}
    for variant in VARIANTS:
        for folder in sorted((pathlib.Path(out) / "runs").glob(f"{variant}-*")):
            seed = folder.name[len(variant) + 1:]
            if seed.isdigit() and (folder / "latest").exists():
                metrics = Metrics(folder)
                if metrics.is_complete(steps):
                    found.setdefault(variant, {})[int(seed)] = metrics
    return found
