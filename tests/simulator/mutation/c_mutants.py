"""tests/simulator/mutation/c_mutants.py - breaks the gateway's C that decides about money, one
place at a time, and expects the simulator or a unit test to notice.

    /usr/bin/python3 tests/simulator/mutation/c_mutants.py [--build build] [--seeds 300] [--list]
        [--share 1/1] [NAME ...]

A mutant is a copy of a file with one change by an operator of c_operators.py. Its name is
FUNCTION:NUMBER. A mutant that does not compile, or whose object file is that of the original, is
not counted. A failed unit test must fail twice, because it has real threads and real time.
docs/develop/mutants-of-c.md explains those that survive.
"""

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from c_operators import OPERATORS, TABLE_OPERATORS, changes_of
from programs import ROOT, SIMULATOR, STATE_MACHINE, BuildError, Program, build_command, run_limited, source_of, write_changed

PAGE = ROOT / "docs" / "develop" / "mutants-of-c.md"
SIMULATOR_S = 120
UNIT_TEST_S = 120
UNIT_TESTS_AT_ONCE = 6  # they wait more than they work
MACHINE_TEST = "tests/unit/gateway_ledger_item_machine"
LEDGER_TEST = "tests/unit/gateway_ledger_ledger"

# A file, and the unit tests that link it: the fast one first.
FILES = {
    "gateway/ledger/calls.c": [LEDGER_TEST],
    "gateway/ledger/items.c": ["tests/unit/gateway_ledger_items", LEDGER_TEST],
    STATE_MACHINE: [MACHINE_TEST, LEDGER_TEST],
    "gateway/ledger/item-states.def": [MACHINE_TEST, LEDGER_TEST],
    "gateway/ledger/ledger.c": [LEDGER_TEST],
    "gateway/ledger/refusals.c": ["tests/unit/gateway_ledger_refusals", LEDGER_TEST],
    "gateway/ledger/spend-estimate.c": ["tests/unit/gateway_ledger_spend_estimate", LEDGER_TEST],
    "gateway/ledger/sweeps.c": ["tests/unit/gateway_ledger_sweeps", LEDGER_TEST],
    "gateway/call/call.c": ["tests/unit/gateway_call_call"],
}


HEADERS = ["gateway/ledger/items.h", "gateway/ledger/state.h", "gateway/ledger/ledger.h", "common/db/db.h"]


def compiled_files(file, program):
    """The C files to compile for a mutant of a file. A unit test also reads item-states.def."""
    if file.endswith(".def") and program == MACHINE_TEST:
        return [STATE_MACHINE, "tests/unit/gateway/ledger/item-machine.c"]
    return [source_of(file)]


class Mutant:
    def __init__(self, name, file, operator, line, about, text):
        self.name, self.file, self.operator, self.line, self.about, self.text = name, file, operator, line, about, text
        self.result, self.detail = None, ""

    def __str__(self):
        return f"{self.name} ({self.file}:{self.line}, {self.operator}): {self.about}"

    def function(self):
        return self.name.split(":")[0]


def mutants_of(file, numbers):
    """numbers: how many mutants each function has so far."""
    text = (ROOT / file).read_text(encoding="utf-8")
    headers = [(ROOT / header).read_text(encoding="utf-8") for header in HEADERS]
    seen = {text}
    for function, operator, begin, end, new in changes_of(text, file.endswith(".def"), headers):
        old = text[begin:end]
        changed = text[:begin] + new + "\n" * (old.count("\n") - new.count("\n")) + text[end:]
        if changed in seen:
            continue
        seen.add(changed)
        numbers[function] += 1
        about = " ".join(f"{old} -> {new or 'nothing'}".split())
        yield Mutant(f"{function}:{numbers[function]}", file, operator, text.count("\n", 0, begin) + 1, about[:140], changed)


def all_mutants():
    numbers = Counter()
    return [mutant for file in FILES for mutant in mutants_of(file, numbers)]


class Judge:
    """Compiles and simulates mutants, and runs the unit tests of those that survive."""

    def __init__(self, build, folder, seeds):
        self._seeds = seeds
        self._folder = folder
        paths = sorted({SIMULATOR, *(path for paths in FILES.values() for path in paths)})
        build_command(["ninja", *paths], build)
        self._programs = {path: Program(build, path) for path in paths}
        self._originals = {}
        for file in FILES:
            name = file.replace("/", "_")
            text = (ROOT / file).read_text(encoding="utf-8")
            self._originals[file] = self._compile(SIMULATOR, file, text, folder / "original" / name)[source_of(file)].read_bytes()

    def _compile(self, path, file, text, folder):
        write_changed(folder, file, text)
        return {source: self._programs[path].compile(source, folder, folder / f"{i}.o")
                for i, source in enumerate(compiled_files(file, path))}

    def _make(self, mutant, path):
        """The program's path; None: it is the original."""
        folder = self._folder / mutant.name
        objects = self._compile(path, mutant.file, mutant.text, folder)
        if path == SIMULATOR and next(iter(objects.values())).read_bytes() == self._originals[mutant.file]:
            return None
        return str(self._programs[path].link(objects, folder / "program"))

    def simulate(self, mutant):
        """True: it survived."""
        try:
            program = self._make(mutant, SIMULATOR)
        except BuildError as error:
            line = next((line for line in str(error).splitlines() if "error" in line), "")
            return self._end(mutant, "not compiled", line)
        if not program:
            return self._end(mutant, "equivalent", "")
        code, output = run_limited([program, "--seeds", str(self._seeds)], SIMULATOR_S)
        if code:
            line = next((line for line in output.splitlines() if line.startswith("seed ")), f"ends with {code}")
            return self._end(mutant, "simulator", line)
        return True

    def test(self, mutant):
        for path in FILES[mutant.file]:
            program = self._make(mutant, path)
            codes = [run_limited([program], UNIT_TEST_S)[0]]
            if codes[0] and codes[0] != 137:
                codes.append(run_limited([program], UNIT_TEST_S)[0])
            if all(codes):
                return self._end(mutant, "unit test", f"{Path(path).name} ends with {codes[-1]}")
        return self._end(mutant, "survived", "")

    def _end(self, mutant, result, detail):
        mutant.result, mutant.detail = result, detail
        for file in (self._folder / mutant.name).glob("*"):
            if file.is_file():
                file.unlink()
        print(f"{result:12}  {mutant}: {detail}", flush=True)


def judge_all(judge, mutants, jobs):
    with ThreadPoolExecutor(UNIT_TESTS_AT_ONCE) as tests, ThreadPoolExecutor(jobs) as pool:
        def start(mutant):
            return tests.submit(judge.test, mutant) if judge.simulate(mutant) else None

        for test in list(pool.map(start, mutants)):
            if test:
                test.result()


RESULTS = ("simulator", "unit test", "survived", "equivalent", "not compiled")


def print_counts(title, names, of, mutants):
    counts = Counter((of(mutant), mutant.result) for mutant in mutants)
    print(f"{title:32}" + "".join(f"{result:>14}" for result in RESULTS))
    for name in names:
        print(f"{name:32}" + "".join(f"{counts[name, result]:14}" for result in RESULTS))


def print_summary(mutants):
    print_counts("file", FILES, lambda mutant: mutant.file, mutants)
    print_counts("operator", [*OPERATORS, *TABLE_OPERATORS], lambda mutant: mutant.operator, mutants)
    total = Counter(mutant.result for mutant in mutants)
    killed = total["simulator"] + total["unit test"]
    counted = killed + total["survived"]
    print(f"{len(mutants)} mutants, {counted} counted, {killed} killed ({100 * killed / max(counted, 1):.1f} %), "
          f"{total['survived']} survived")


def unexplained(mutants):
    """Survivors that are not in the page's tables."""
    page = PAGE.read_text(encoding="utf-8")
    return [mutant for mutant in mutants if mutant.result == "survived" and f"`{mutant.name}`" not in page]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--seeds", default=300, type=int)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--share", default="1/1", help="every N-th mutant, from the K-th: K/N")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*", help="mutants, functions or files")
    options = parser.parse_args()
    first, step = map(int, options.share.split("/"))
    mutants = all_mutants()[first - 1::step]
    if options.names:
        mutants = [m for m in mutants if {m.name, m.function(), m.file} & set(options.names)]
    if options.list:
        print(*mutants, sep="\n")
        return
    with TemporaryDirectory() as folder:
        judge_all(Judge(options.build.resolve(), Path(folder), options.seeds), mutants, options.jobs)
    print_summary(mutants)
    left = unexplained(mutants)
    if left:
        sys.exit(f"{len(left)} survivors are not explained in {PAGE.relative_to(ROOT)}: " + ", ".join(m.name for m in left))


if __name__ == "__main__":
    main()
