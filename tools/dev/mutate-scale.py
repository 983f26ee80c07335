#!/usr/bin/env python3
"""Changes the conditions, statements and formulas of the scale passes one at a time, and looks whether a test fails.

usage: mutate-scale.py [--build build/release] [--list] [--only REGEX] [--out FILE]

All mutants are compiled at once, beside the build: a condition C becomes `(vernierMutant(17) != bool(C))`, a statement
S `vernierMutant(18) ? (void)0 : (void)(S)`, a formula A `(vernierMutant(19) ? (B) : (A))`, and the environment says
which of them is in force. Each test is first run without a mutant, which records the mutants that it reaches; a mutant
is then tried on the tests that reach it only, the quickest first, until one fails. What is changed:

- each condition of `if`, `while` and `?:` is negated, and each operand of `&&` and `||` in one, or in a `return`, is
  left out;
- each statement that is a call, an assignment or an increment is left out;
- each formula of FORMULAS is replaced.

Takes a build that is up to date, and changes neither it nor the sources. Prints each mutant and the test that notices
it; --only takes those whose description (FILE:LINE: KIND TEXT) matches, and --out writes those that no test notices to
a file.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
AUTOMATIC = ["lib/Scale/*.cpp", "lib/Reference/ScaleFormRules.cpp", "lib/Program/FormScaleForms.cpp"]
PROGRAMS = ["bin/vernier-opt", "bin/vernier", "lib/libVernierPlugin.so", "test-bin/scale-test", "test-bin/reference-test"]
UNIT_TESTS = {"scale-test": "*", "reference-test": "*Scale*:*Form*:*Row*:*Squared*:*Direction*"}
LIT_FILTER = (r"Scale/(?!same-function)|Training/(gradients-layers|differentiate-rules|build-statistics)|Program/form-(scale-forms|kernels)|"
              r"Compiler/scale-sides|tools/(statistics|train-scales|rewrite|rewrite-errors)\.")

# (file, text, replacement); the text is an expression, and occurs once.
FORMULAS = [
    ("lib/Reference/ScaleFormRules.cpp", "b + a[j] - center", "b + a[j]"),
    ("lib/Reference/ScaleFormRules.cpp", "b * a[j] / length", "b * a[j]"),
    ("lib/Reference/ScaleFormRules.cpp", "b / rootMeanSquare(a) * (dy[j] - unit[j] * db / count)",
     "b / rootMeanSquare(a) * dy[j]"),
    ("lib/Reference/ScaleFormRules.cpp", "dy[j] * gamma[j] - db / count", "dy[j] * gamma[j]"),
    ("lib/Reference/ScaleFormRules.cpp", "column[j] * (same - 1 / count)", "column[j] * same"),
    ("lib/Reference/ScaleFormRules.cpp", "length * (same - column[j] * column[k] / count)", "length * same"),
    ("lib/Reference/ScaleFormRules.cpp", "dy[j] * entry * entry", "dy[j] * entry"),
    ("lib/Reference/ScaleFormRules.cpp", "dy[j] * column[j] * column[j]", "dy[j] * column[j]"),
    ("lib/Reference/ScaleFormRules.cpp", "std::sqrt(dot(a, a) / static_cast<double>(a.size()))", "std::sqrt(dot(a, a))"),
    ("lib/Program/FormScaleForms.cpp", "rows.exp(rows.sub(a, rows.mean(a)))", "rows.exp(a)"),
    ("lib/Program/FormScaleForms.cpp", "rows.rsqrt(rows.mean(rows.mul(a, a)))", "rows.rsqrt(rows.sum(rows.mul(a, a)))"),
    ("lib/Program/FormScaleForms.cpp", "rows.sub(dy, rows.mul(c.unit, rows.mean(along)))", "dy"),
    ("lib/Program/FormScaleForms.cpp", "rows.mul(rest, rows.mul(c.b, c.r))", "rows.mul(rest, c.b)"),
    ("lib/Program/FormScaleForms.cpp", "rows.mul(rows.sub(along, rows.mean(along)), c.b)", "rows.mul(along, c.b)"),
    ("lib/Program/FormElementwise.cpp", "rows.mul(input, factor)", "input"),
    ("lib/Program/FormElementwise.cpp", "rows.sum(rows.row(op.getInput()))", "rows.mean(rows.row(op.getInput()))"),
    ("lib/Reference/LayerRules.cpp", "(offset + gamma.data[r]) * x.row(r)[j]", "gamma.data[r] * x.row(r)[j]"),
    ("lib/Reference/LayerRules.cpp", "(offset + gamma.data[j]) * x.row(r)[j]", "gamma.data[j] * x.row(r)[j]"),
    ("lib/Reference/AdjointRules.cpp", "in[0]->row(r)[j]", "in[0]->row(0)[j]"),
    ("lib/Scale/ScaleForms.cpp", "std::copysign(1.0, start) * target", "target"),
    ("lib/Scale/ScaleForms.cpp", "0 - vector.toward", "vector.toward"),
    ("lib/Scale/ScaleForms.cpp", "target + scale.getOffset().convertToDouble()", "target"),
    ("lib/Scale/ScaleForms.cpp", "std::log(toward)", "toward"),
    ("lib/Scale/ScaleForms.cpp", "std::exp(target)", "target"),
    ("lib/Scale/ScaleForms.cpp", "std::log(vector.start)", "vector.start"),
    ("lib/Scale/ScaleForms.cpp", "std::abs(vector.start)", "vector.start"),
    ("lib/Scale/ModelEditor.cpp", "std::exp(*magnitude) + offset", "*magnitude + offset"),
    ("lib/Scale/ModelEditor.cpp", "std::copysign(1.0, *direction) * *magnitude + offset", "*magnitude + offset"),
    ("lib/Scale/WeightFolding.cpp", "value.getValueAsDouble() * by", "value.getValueAsDouble()"),
    ("lib/Scale/WeightFolding.cpp", "std::abs(factor)", "factor"),
]

HEADER = """#include <atomic>
#include <cstdio>
#include <cstdlib>
inline bool vernierMutant(int number) {
  static const int chosen = std::getenv("VERNIER_MUTANT") ? std::atoi(std::getenv("VERNIER_MUTANT")) : 0;
  static const char *record = std::getenv("VERNIER_MUTANTS_REACHED");
  static std::atomic<bool> reached[10000];
  if (record && !reached[number].exchange(true)) {
    std::FILE *file = std::fopen(record, "a");
    std::fprintf(file, "%d\\n", number);
    std::fclose(file);
  }
  return chosen == number;
}
"""
LIT_SITE = """import os
config.build_dir = {build!r}
config.source_dir = {source!r}
config.llvm_bin = "/usr/lib/llvm-22/bin"
config.is_sanitized = False
for name in ("VERNIER_MUTANT", "VERNIER_MUTANTS_REACHED"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
lit_config.load_config(config, {source!r} + "/test/lit.cfg.py")
"""


class Source:
    """A file with its mutants: texts put in at positions of the original."""

    def __init__(self, path, mutants):
        self.path, self.mutants = path, mutants
        self.text = path.read_text()
        self.code = self.blank_out()
        self.edits = []  # (position, order, text)
        self.numbers = set()

    def blank_out(self):
        """The text with comments, strings and preprocessor lines as spaces, so that their characters are not code."""
        pattern = r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^#[^\n]*'
        return re.sub(pattern, lambda m: " " * len(m.group()), self.text, flags=re.M)

    def add(self, kind, begin, end):
        line = self.text.count("\n", 0, begin) + 1
        text = " ".join(self.text[begin:end].split())
        self.mutants.append(f"{self.path.relative_to(ROOT)}:{line}: {kind} {text}")
        self.numbers.add(len(self.mutants))
        return len(self.mutants)

    def wrap(self, begin, end, before, after):
        """Inner ones are added after outer ones, so that they end up inside."""
        order = len(self.edits)
        self.edits.append((begin, order, before))
        self.edits.append((end, -order, after))

    def find_close(self, position):
        depth = 0
        for i in range(position, len(self.code)):
            depth += self.code[i] in "([{"
            depth -= self.code[i] in ")]}"
            if depth == 0:
                return i
        raise ValueError(f"{self.path}: unbalanced")

    def split_top(self, begin, end, separators):
        """Ranges between separators that are not within brackets."""
        parts, depth, start, i = [], 0, begin, begin
        while i < end:
            depth += self.code[i] in "([{"
            depth -= self.code[i] in ")]}"
            if depth == 0 and self.code[i:i + 2] in separators:
                parts.append((start, i))
                start = i = i + 2
            else:
                i += 1
        return parts + [(start, end)]

    def trim(self, begin, end):
        while self.text[begin].isspace():
            begin += 1
        while self.text[end - 1].isspace():
            end -= 1
        return begin, end

    def mutate_operands(self, begin, end):
        for separator, form in (("||", "(!vernierMutant({}) && ("), ("&&", "(vernierMutant({}) || (")):
            parts = self.split_top(begin, end, (separator,))
            if len(parts) == 1:
                continue
            for part in parts:
                part = self.trim(*part)
                self.wrap(*part, form.format(self.add("leave out operand", *part)), "))")
                if separator == "||":
                    self.mutate_operands(*part)
            return

    def mutate_conditions(self):
        for match in re.finditer(r"\b(?:if|while) \(", self.code):
            begin, end = match.end(), self.find_close(match.end() - 1)
            parts = []
            depth = 0
            for i in range(begin, end):
                depth += self.code[i] in "([{"
                depth -= self.code[i] in ")]}"
                if depth == 0 and self.code[i] == ";":
                    parts.append(i)
            if parts:
                begin = parts[-1] + 1
            elif re.match(r"(?:auto|[A-Z]\w*|std::\w+)[\w:<> *]* \**\w+ = ", self.code[begin:end]):
                continue  # declares what it tests
            begin, end = self.trim(begin, end)
            self.wrap(begin, end, f"vernierMutant({self.add('negate', begin, end)}) != bool(", ")")
            self.mutate_operands(begin, end)

    def mutate_choices(self):
        for match in re.finditer(r" \? ", self.code):
            depth, begin = 0, match.start()
            while begin > 0:
                c = self.code[begin - 1]
                depth += c in ")]}"
                depth -= c in "([{"
                if depth < 0 or (depth == 0 and (c in ",;" or re.search(r"(?:[^=!<>]=|return|<<)\s$", self.code[:begin]))):
                    break
                begin -= 1
            begin, end = self.trim(begin, match.start())
            self.wrap(begin, end, f"(vernierMutant({self.add('negate', begin, end)}) != bool(", "))")

    def mutate_returns(self):
        for match in re.finditer(r"\breturn ", self.code):
            end = self.code.index(";", match.end())
            if "{" not in self.code[match.end():end] and "?" not in self.code[match.end():end]:
                self.mutate_operands(match.end(), end)

    def mutate_statements(self):
        """Calls, assignments and increments that are statements of their own."""
        start = r"(?:[;{})]|\belse)\s*\n\s*((?!(?:return|case|if|for|while|else|switch)\b)"
        pattern = start + r"(?:\+\+\w+|[a-zA-Z][\w:]*(?:(?:\.|->)\w+|\[[^\]]*\]|\(\))*(?:\(| \+?= )))"
        for match in re.finditer(pattern, self.code):
            begin = match.start(1)
            end = self.find_end_of_statement(begin)
            if end is not None:
                number = self.add("leave out", begin, end)
                self.wrap(begin, end, f"vernierMutant({number}) ? (void)0 : (void)(", ")")

    def find_end_of_statement(self, position):
        """The place of its semicolon; none if there are braces first, as behind the initializers of a constructor."""
        depth = 0
        for i in range(position, len(self.code)):
            if depth == 0 and self.code[i] in ";{}":
                return i if self.code[i] == ";" else None
            depth += self.code[i] in "([{"
            depth -= self.code[i] in ")]}"

    def mutate_formula(self, formula, replacement):
        assert self.text.count(formula) == 1, (self.path, formula)
        begin = self.text.index(formula)
        number = self.add(f"({replacement}) for", begin, begin + len(formula))
        self.wrap(begin, begin + len(formula), f"(vernierMutant({number}) ? ({replacement}) : (", "))")

    def instrument(self):
        result, last = [], 0
        for position, _, text in sorted(self.edits, key=lambda edit: edit[:2]):
            result += [self.text[last:position], text]
            last = position
        return HEADER + "".join(result) + self.text[last:]


def find_mutants(mutants):
    sources = {}
    for path in (path for pattern in AUTOMATIC for path in sorted(ROOT.glob(pattern))):
        source = sources[path] = Source(path, mutants)
        source.mutate_conditions()
        source.mutate_choices()
        source.mutate_returns()
        source.mutate_statements()
    for name, formula, replacement in FORMULAS:
        path = ROOT / name
        if path not in sources:
            sources[path] = Source(path, mutants)
        sources[path].mutate_formula(formula, replacement)
    return list(sources.values())


class MutatedBuild:
    """Programs of a build with some of its objects compiled from other sources, in a folder of its own."""

    def __init__(self, build):
        self.build, self.folder = build, build / "mutants"
        for name in ("bin", "lib", "test-bin", "test", "objects"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def find_commands(self, target):
        out = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", target], check=True, text=True,
                             capture_output=True).stdout
        return out.splitlines()

    def compile(self, sources):
        commands = self.find_commands(PROGRAMS[0])
        objects = {}
        for source in sources:
            command = next(c for c in commands if c.endswith(f"-c {source.path}"))
            copy = self.folder / "objects" / f"{source.path.parent.name}-{source.path.name}"
            copy.write_text(source.instrument())
            objects[copy.with_suffix(".o")] = f"libVernier{source.path.parent.name}.a"
            command = re.sub(r" -M\S+( \S+\.o(\.d)?)?", "", command.removesuffix(str(source.path)))
            command = re.sub(r" -o \S+", f" -o {copy.with_suffix('.o')} -iquote {source.path.parent}", command) + str(copy)
            subprocess.run(command, shell=True, check=True, cwd=self.build)
        # Before the libraries: what they hold of the same names is not taken.
        for program in PROGRAMS:
            link = self.find_commands(program)[-1]
            taken = " ".join(str(path) for path, library in objects.items() if library in link)
            link = link.replace(f" -o {program} ", f" -o {self.folder / program} {taken} ")
            subprocess.run(link, shell=True, check=True, cwd=self.build)
        (self.folder / "test/lit.site.cfg.py").write_text(LIT_SITE.format(build=str(self.folder), source=str(ROOT)))

    def list_tests(self):
        """The command of each test: a suite of a unit test, or a file of lit's."""
        tests = []
        for program, chosen in UNIT_TESTS.items():
            command = [str(self.folder / "test-bin" / program), "--gtest_fail_fast", "--gtest_brief=1"]
            names = run_quietly([*command, f"--gtest_filter={chosen}", "--gtest_list_tests"]).stdout
            for suite, cases in re.findall(r"^(\S+\.)[^\n]*\n((?:  [^\n]*\n)+)", names, re.M):
                cases = [suite + case.split()[0] for case in cases.splitlines()]
                tests.append(Test(f"{program} {suite[:-1]}", [*command, f"--gtest_filter={':'.join(cases)}"]))
        lit, folder = "/usr/lib/llvm-22/bin/lit", self.folder / "test"
        listing = run_quietly([lit, "--show-tests", str(folder)])
        if listing.returncode != 0:
            sys.exit(listing.stdout)
        for name in re.findall(r"^  Vernier :: (.*)$", listing.stdout, re.M):
            if re.search(LIT_FILTER, name):
                tests.append(Test(name, [lit, "-q", "-j1", str(folder / name)]))
        return tests


def run_quietly(command, timeout=None, **environment):
    """Leaves no process behind that goes on for ever, as a program does that a test started."""
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                          env={**os.environ, "VERNIER_MUTANT": "0", **environment}) as child:
        try:
            output, _ = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, child.returncode, output)


class Test:
    def __init__(self, name, command):
        self.name, self.command = name, command

    def run_without_mutant(self, record):
        """Finds out which mutants it reaches and how long it takes."""
        record.unlink(missing_ok=True)
        start = time.monotonic()
        done = run_quietly(self.command, VERNIER_MUTANTS_REACHED=str(record))
        self.seconds = time.monotonic() - start
        if done.returncode != 0:
            sys.exit(f"{self.name} fails without a mutant:\n{done.stdout}")
        self.reached = set(map(int, record.read_text().split())) if record.exists() else set()

    def notices(self, number):
        """Whether it fails, crashes or does not end."""
        try:
            return run_quietly(self.command, 20 + 10 * self.seconds, VERNIER_MUTANT=str(number)).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()

    mutants = []
    sources = find_mutants(mutants)
    chosen = [n for n, what in enumerate(mutants, 1) if re.search(options.only, what)]
    if options.list:
        print("\n".join(mutants[n - 1] for n in chosen))
        return 0
    build = MutatedBuild(options.build.resolve())
    build.compile([source for source in sources if source.numbers & set(chosen)])
    tests = build.list_tests()
    for test in tests:
        test.run_without_mutant(build.folder / "reached")
    tests.sort(key=lambda test: test.seconds)
    survivors = []
    for count, number in enumerate(chosen, 1):
        reaching = [test for test in tests if number in test.reached]
        noticing = next((test.name for test in reaching if test.notices(number)), None)
        if not noticing:
            survivors.append(mutants[number - 1] + ("" if reaching else " (no test gets there)"))
        print(f"{count}/{len(chosen)} {'noticed' if noticing else 'SURVIVES'}  {mutants[number - 1]}"
              f"  [{noticing or f'{len(reaching)} tests get there'}]", flush=True)
        if options.out:
            options.out.write_text("".join(survivor + "\n" for survivor in survivors))
    print(f"{len(chosen)} mutants, {len(survivors)} that no test notices")
    return 1 if survivors else 0


sys.exit(main())
