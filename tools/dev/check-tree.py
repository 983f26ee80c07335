#!/usr/bin/env python3
"""Checks habits of the tree; prints each breach and exits with 1 if there is one.

- test/ has a folder for each folder of lib/, one for runtime/ and tools/, and no
  others but those of OTHER_TESTS; include/vernier/ has no folder that lib/ has not.
- Every op and pass in TableGen has a summary and a description; every op's
  description has an example; every op and pass is named in a test, not only in
  a comment of one.
- Every registered pipeline has a section in docs/Passes.md and is named in a test.
- No source file is longer than 600 lines.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHER_TESTS = {"Inputs", "RandomGraphs", "fuzz", "golden"}  # of the whole, and what others read
breaches = []


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, text=True, capture_output=True, check=True)
    return [ROOT / name for name in out.stdout.split("\n") if name and (ROOT / name).exists()]


def check_mirror():
    for folder in sorted((ROOT / "lib").iterdir()):
        if folder.is_dir() and not (ROOT / "test" / folder.name).is_dir():
            breaches.append(f"lib/{folder.name} has no test/{folder.name}")
    for name in ("runtime", "tools"):
        if not (ROOT / "test" / name).is_dir():
            breaches.append(f"{name}/ has no test/{name}")
    rooms = {path.name for path in (ROOT / "lib").iterdir() if path.is_dir()}
    for folder, known in (("test", rooms | {"runtime", "tools"} | OTHER_TESTS), ("include/vernier", rooms)):
        for name in {path.relative_to(ROOT / folder).parts[0] for path in tracked(f"{folder}/*/*")} - known:
            breaches.append(f"{folder}/{name} mirrors no folder of lib/")


def read_test(path):
    """A test's text without comments, but with what lit and FileCheck read."""
    command = re.compile(r"\s*(//)?\s*[A-Z][A-Z0-9_-]*:")
    comment = re.compile(r"\s*//" if path.suffix != ".test" else r"")
    lines = path.read_text(errors="replace").split("\n")
    return "\n".join(line for line in lines if command.match(line) or not comment.match(line))


def definitions(text):
    """(record name, body up to the next definition) of each def in a .td file."""
    starts = [m for m in re.finditer(r"^def (\w+)\s*:", text, re.M)]
    for here, following in zip(starts, starts[1:] + [None]):
        yield here.group(1), text[here.start():following.start() if following else len(text)]


def check_documented(tests):
    for path in tracked("include/vernier/*.td", "include/vernier/**/*.td"):
        dialect = "program" if path.name == "ProgramOps.td" else "vernier"
        for record, body in definitions(path.read_text()):
            header = body[:body.find("{")] if "{" in body else body
            where = f"{path.relative_to(ROOT)}: {record}"
            op = re.search(r"Op(?:Base)?<\s*\"(\w+)\"", header) if record.endswith("Op") else None
            flag = re.search(r'Pass<\s*"([\w-]+)"', header)
            if not op and not flag:
                continue
            if "let summary" not in body:
                breaches.append(f"{where} has no summary")
            if "let description" not in body:
                breaches.append(f"{where} has no description")
            elif "```mlir" not in body:
                breaches.append(f"{where} has no example in its description")
            name = f"{dialect}.{op.group(1)}" if op else flag.group(1)
            if not re.search(re.escape(name) + r"(?![\w-])", tests):
                breaches.append(f"{where}: no test names '{name}'")


def check_pipelines(tests):
    documented = (ROOT / "docs/Passes.md").read_text()
    for path in tracked("include/*.h", "lib/*.cpp", "tools/*.cpp"):
        for name in re.findall(r'PassPipelineRegistration<[^>]*>\s*\w*\(\s*"([\w-]+)"', path.read_text()):
            where = f"{path.relative_to(ROOT)}: pipeline '{name}'"
            if f"\n### `-{name}`\n" not in documented:
                breaches.append(f"{where} has no section in docs/Passes.md")
            if not re.search(re.escape(name) + r"(?![\w-])", tests):
                breaches.append(f"{where}: no test names it")


def check_lengths():
    for path in tracked("*.cpp", "*.h", "*.td", "*.py", "*.sh"):
        lines = path.read_text().count("\n")
        if lines > 600:
            breaches.append(f"{path.relative_to(ROOT)} has {lines} lines, more than 600")


def main():
    tests = "\n".join(read_test(path) for path in tracked("test/*.mlir", "test/*.test", "test/*.cpp"))
    check_mirror()
    check_documented(tests)
    check_pipelines(tests)
    check_lengths()
    for breach in breaches:
        print("error:", breach, file=sys.stderr)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
