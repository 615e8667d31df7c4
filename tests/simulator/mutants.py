"""tests/simulator/mutants.py - breaks the gateways' code on purpose, one line at a time, and
expects the simulator to notice within SEEDS schedules.

    /usr/bin/python3 tests/simulator/mutants.py [--build build] [--seeds 1000] [NAME ...]

A mutant of a C file is compiled once more and linked before the original; the source stays as it
is. model/mutants.def has the mutants of the database's rules, which are switches of the simulator.
docs/develop/simulator.md lists both.
"""

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from mutation.programs import ROOT, SIMULATOR, BuildError, Program, run_limited, source_of, write_changed

SECONDS = 600

# Name, file, what it has, what the mutant has, what is broken.
MUTANTS = [
    ("LOST_IS_RETURNED", "gateway/ledger/ledger.c", "item_post(ledger, item, ITEM_LOSE)", "item_post(ledger, item, ITEM_RETURN)",
     "an item whose connection broke counts as not executed"),
    ("LOST_IS_REFUSED", "common/db/db.c", "db->outcome = DB_LOST;",
     "{ db->outcome = DB_REFUSED; memcpy(db->sqlstate, \"40001\", 6); }", "a statement without a response counts as rolled back"),
    ("PAYMENT_UNMARKED", "gateway/ledger/ledger.c", "        item->is_marked = true;\n    } else if", "    } else if",
     "a payment that is sent again does not look for its first attempt"),
    ("LATE_CAPTURE_KEPT", "gateway/ledger/item-states.def", "TRANSITION(OPEN_LEFT, BOOK, CANCEL_QUEUED_LEFT, PUSH_BACK)",
     "TRANSITION(OPEN_LEFT, BOOK, FREED, FREE)", "a capture that commits after its caller left is not undone"),
    ("LOST_LEFT_FREED", "gateway/ledger/item-states.def", "TRANSITION(OPEN_LEFT, LOSE, CANCEL_QUEUED_LEFT, PUSH_BACK)",
     "TRANSITION(OPEN_LEFT, LOSE, FREED, FREE)", "a capture whose connection broke after its caller left is not undone"),
    ("CANCEL_ONCE", "gateway/ledger/item-states.def", "TRANSITION(CANCEL_LEFT, LOSE, CANCEL_QUEUED_LEFT, PUSH_FRONT)",
     "TRANSITION(CANCEL_LEFT, LOSE, FREED, FREE)", "a cancel whose connection broke is not sent again"),
    ("UNKNOWN_IS_UNPAID", "gateway/ledger/calls.c", "item_may_be_charged(item) ? PERHAPS_CHARGED : NOT_CHARGED", "NOT_CHARGED",
     "a caller that leaves a sent charge learns that nothing was charged"),
    ("PERMIT_LOST", "gateway/call/call.c", "    dispatch_release_permit(daemons);\n    dispatch_reply_free", "    dispatch_reply_free",
     "a call keeps its permit"),
    ("NOT_VOIDED", "gateway/call/call.c", "        void_hold(call);\n        return false;", "        return capture(call) && false;",
     "a failed call is charged"),
    ("DAY_KEPT", "gateway/call/call.c", "if (count_call(call, keep_day))", "if (count_call(call, true))",
     "the failure of a call that is paid afterwards keeps its place in the day"),
]


class Mutant:
    def __init__(self, program, folder, row):
        self.name, self.file, self._old, self._new, self.about = row
        self._program = program
        self._folder = folder / self.name

    def make(self):
        text = (ROOT / self.file).read_text(encoding="utf-8")
        if text.count(self._old) != 1:
            raise SystemExit(f"{self.name}: {self.file} has {text.count(self._old)} times: {self._old}")
        write_changed(self._folder, self.file, text.replace(self._old, self._new))
        source = source_of(self.file)
        try:
            compiled = self._program.compile(source, self._folder, self._folder / "mutant.o")
            return [str(self._program.link({source: compiled}, self._folder / "simulator"))]
        except BuildError as error:
            raise SystemExit(f"{self.name}: {error}") from error


def mutants_of_rules(build):
    text = (ROOT / "tests/simulator/model/mutants.def").read_text(encoding="utf-8")
    for name, about in re.findall(r'^MUTANT\((\w+), "([^"]+)"\)', text, re.MULTILINE):
        yield name, about, lambda name=name: [str(build / SIMULATOR), "--mutant", name]


def mutants_of_code(build, folder):
    program = Program(build, SIMULATOR)
    for row in MUTANTS:
        mutant = Mutant(program, folder, row)
        yield mutant.name, mutant.about, mutant.make


def judge(job, seeds):
    """The line of a mutant's first violation; None: it survived."""
    name, about, make = job
    code, text = run_limited([*make(), "--seeds", str(seeds)], SECONDS)
    line = next((line for line in text.splitlines() if line.startswith("seed ")), text.strip()[:200])
    print(f"{'caught' if code else 'SURVIVED'}  {name}: {about}: {line}", flush=True)
    return name if code == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--seeds", default=1000, type=int)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = options.build.resolve()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        jobs = [*mutants_of_rules(build), *mutants_of_code(build, Path(folder))]
        jobs = [job for job in jobs if not options.names or job[0] in options.names]
        survivors = [name for name in pool.map(lambda job: judge(job, options.seeds), jobs) if name]
    print(f"{len(jobs)} mutants, {len(survivors)} survived")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
