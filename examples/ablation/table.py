"""The arithmetic of an ablation, and its table."""
import math


def mean(values):
    return math.fsum(values) / len(values)


def standard_error(values):
    """Of the mean of independent values: sample deviation over the root of their number. Of one value, unknown."""
    if len(values) < 2:
        return None
    center = mean(values)
    variance = math.fsum((v - center) ** 2 for v in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))


def paired_difference(values, baseline):
    """(mean, standard error, number) of the differences at the keys (seeds) that both have.

    Runs of one seed have the same first weights where they have the same
    parameters, and see the same data in the same order, so that much of what
    differs between seeds drops out of the difference.
    """
    seeds = sorted(values.keys() & baseline.keys())
    if not seeds:
        return None, None, 0
    differences = [values[seed] - baseline[seed] for seed in seeds]
    return mean(differences), standard_error(differences), len(seeds)


def quantile(values, fraction):
    """The value that `fraction` of the others are at most, without interpolation."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def summarize(runs, steps):
    """{variant: row} of {variant: {seed: Metrics}}: the numbers of the table.

    The time of a step is the 10 % quantile of all steps of all runs: other work
    on the machine makes steps slower, and nothing makes them faster.
    """
    final = {v: {seed: m.validation[steps] for seed, m in by_seed.items()} for v, by_seed in runs.items()}
    rows = {}
    for variant, losses in final.items():
        values = [losses[seed] for seed in sorted(losses)]
        seconds = [s for metrics in runs[variant].values() for s in metrics.seconds.values()]
        difference, error, pairs = paired_difference(losses, final.get("baseline", {}))
        rows[variant] = {"seeds": len(values), "loss": mean(values), "loss_error": standard_error(values),
                         "difference": difference, "difference_error": error, "pairs": pairs,
                         "step_seconds": quantile(seconds, 0.1)}
    return rows


def with_error(value, error, sign=""):
    if value is None:
        return ""
    return f"{value:{sign}.4f}" + ("" if error is None else f" ± {error:.4f}")


def print_markdown(rows, graphs):
    """`graphs`: {variant: (parameters, planned memory)}, both as text."""
    lines = ["| variant | seeds | validation loss | difference to baseline | step (ms) | memory | parameters |",
             "|---|---|---|---|---|---|---|"]
    for variant, row in rows.items():
        parameters, memory = graphs[variant]
        difference = "" if variant == "baseline" else with_error(row["difference"], row["difference_error"], "+")
        lines.append(f"| {variant} | {row['seeds']} | {with_error(row['loss'], row['loss_error'])} | {difference} | "
                     f"{1000 * row['step_seconds']:.1f} | {memory} | {parameters} |")
    return "\n".join(lines) + "\n"
