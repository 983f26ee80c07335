#!/usr/bin/env python3
"""Runs every scale pass on a graph, and looks at what comes out.

usage: rewrite_everything.py PLUGIN GRAPH

Of each pass, and each preset:
- its graph goes through text (--verify-roundtrip) and through bytecode unchanged;
- stock mlir-opt with the plugin makes the same graph;
- applied to its own result it changes nothing, and says so.
Prints what each has done to the graph.
"""
import subprocess
import sys

PASSES = [
    ("vernier-split-scale", ""),
    ("vernier-insert-scale", ""),
    ("vernier-insert-scale", "branches=q,v,down"),
    ("vernier-remove-scale", ""),
    ("vernier-remove-scale", "fold=true"),
    ("vernier-relocate-scale", "to=input"),
    ("vernier-relocate-scale", "to=output"),
    ("vernier-relocate-scale", "to=dual"),
    ("vernier-relocate-scale", "to=dual-norm"),
    ("vernier-relocate-scale", "to=dual-norm norm-axis=head"),
    ("vernier-reparameterize-scale", "form=original"),
    ("vernier-reparameterize-scale", "form=exponential"),
    ("vernier-reparameterize-scale", "form=plain"),
    ("vernier-tag-decay", ""),
    ("vernier-tag-decay", "policy=all"),
    ("vernier-fold-scale", ""),
    # Selected places.
    ("vernier-split-scale", "sites=ffn-input"),
    ("vernier-split-scale", "layers=1"),
    ("vernier-insert-scale", "branches=o layers=0-1"),
    ("vernier-remove-scale", "sites=sublayer-output"),
    ("vernier-relocate-scale", "to=dual branches=v layers=0"),
    ("vernier-reparameterize-scale", "form=original sites=qk"),
    ("vernier-fold-scale", "sites=final"),
    ("vernier-fold-scale", "branches=up"),
    *(("vernier-scale-strategy", f"preset={preset}")
      for preset in ("baseline", "hg", "dp", "dnp", "or", "er", "iwd", "unified", "hg+dp+er+iwd")),
]
REMARKS = "--remarks-filter=vernier-scale"


def run(*command, stdin=None):
    done = subprocess.run(command, input=stdin, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr.decode()}")
    return done.stdout, done.stderr.decode()


def check(good, what, flag):
    if not good:
        sys.exit(f"{flag}: {what}")


def main():
    plugin, graph = sys.argv[1:]
    original, _ = run("vernier-opt", graph)
    for name, options in PASSES:
        flag = f"--{name}={options}" if options else f"--{name}"
        after, remarks = run("vernier-opt", graph, flag, REMARKS, "--verify-roundtrip")
        passed, missed = remarks.count("[Passed]"), remarks.count("[Missed]")
        print(f"{flag}: {passed} passed, {missed} missed")
        check((after == original) == (passed == 0), "says that it changed what it did not, or did not say so", flag)

        bytecode, _ = run("vernier-opt", graph, flag, "--emit-bytecode")
        check(run("vernier-opt", stdin=bytecode)[0] == after, "bytecode is another graph", flag)
        pipeline = f"builtin.module({name}{{{options}}})"
        plugged, _ = run("mlir-opt", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
                         f"--pass-pipeline={pipeline}", graph)
        check(plugged == after, "mlir-opt with the plugin makes another graph", flag)

        twice, remarks = run("vernier-opt", flag, REMARKS, stdin=after)
        check(twice == after, "changes its own result", flag)
        check("[Passed]" not in remarks, "says that it has changed its own result", flag)
        check("nothing to change" in remarks or options == "preset=baseline", "does not say that there is nothing to change", flag)


main()
