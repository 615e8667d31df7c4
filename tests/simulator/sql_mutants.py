"""tests/simulator/sql_mutants.py - breaks the ledger's SQL functions, one place at a time, and
expects compare.py's schedules to notice within SEEDS schedules.

    /usr/bin/python3 tests/simulator/sql_mutants.py [--build build] [--seeds 300] [--list]
        [--share 1/1] [NAME ...]

A mutant is a copy of one function of gateway/sql/002-ledger.sql, as the newest migration has it,
with one change by an operator of sql_operators.py, in a scratch database. Its name is
FUNCTION:NUMBER. A mutant that PostgreSQL does not accept, or that does not change what a function
returns by its text, is not counted.
docs/develop/mutants.md explains those that survive.
"""

import argparse
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import psycopg2

from compare import ROOT, own_postgres
from sql_operators import OPERATORS, masked

MIGRATIONS = ROOT / "gateway" / "sql"
LEDGER = MIGRATIONS / "002-ledger.sql"
PAGE = ROOT / "docs" / "develop" / "mutants.md"
FUNCTION = re.compile(r"^create (?:or replace )?function (\w+)\(.*?^(?:end )?\$\$;$", re.M | re.S)
# Not about money, or replaced: compare.py sets the clock.
EXCEPT = {"ledger_now_ms", "ledger_secret_agree", "tool_number", "tool_register", "tool_numbers"}


class Mutant:
    def __init__(self, name, function, operator, place, about, sql):
        self.name, self.function, self.operator, self.place, self.about, self.sql = \
            name, function, operator, place, about, sql
        self.result, self.detail = None, ""

    def __str__(self):
        return f"{self.name} ({self.place}, {self.operator}): {self.about}"


def replaced(text):
    return text.replace("create function", "create or replace function", 1)


def mutants_of(match, file):
    """The mutants of one function in a migration."""
    whole = match[0]
    begin, end = whole.index("$$") + 2, whole.rindex("$$")
    body = whole[begin:end]
    seen = {body}
    number = 0
    for operator, changes in OPERATORS.items():
        for at, until, new in changes(body, masked(body)):
            changed = body[:at] + new + body[until:]
            if changed in seen:
                continue
            seen.add(changed)
            number += 1
            line = match.string.count("\n", 0, match.start() + begin + at) + 1
            about = " ".join(f"{body[at:until]} -> {new or 'nothing'}".split())
            yield Mutant(f"{match[1]}:{number}", match[1], operator, f"{file.name}:{line}", about[:110],
                         replaced(whole[:begin] + changed + whole[end:]))


def functions():
    """{name: (its newest definition as a match, the file)} of the functions of LEDGER."""
    found = {}
    for file in sorted(MIGRATIONS.glob("*.sql")):
        for match in FUNCTION.finditer(file.read_text(encoding="utf-8")):
            if file == LEDGER or match[1] in found:
                found[match[1]] = (match, file)
    return found


def all_mutants():
    for name, (match, file) in functions().items():
        if name not in EXCEPT:
            yield from mutants_of(match, file)


def originals():
    return {name: replaced(match[0]) for name, (match, _) in functions().items()}


class Runner:
    """Runs mutants in one database."""

    def __init__(self, postgres, seeds):
        self._postgres, self._seeds = postgres, seeds
        self._url = postgres.copy()
        self._original = originals()
        self._connection = psycopg2.connect(self._url + " user=tollgate_owner")
        self._connection.autocommit = True
        self._run("set check_function_bodies = on; set client_min_messages = error")

    def _run(self, sql):
        with self._connection.cursor() as cursor:
            cursor.execute(sql)

    def judge(self, mutant):
        """A plpgsql function is compiled when it runs, so one with an error of its grammar fails
        each schedule: that is not a kill."""
        try:
            self._run(mutant.sql)
        except psycopg2.Error as error:
            mutant.result, mutant.detail = "not loaded", str(error).splitlines()[0]
            return
        try:
            process = self._postgres.run(self._url, "--seeds", self._seeds)
            output = process.communicate()[0]
        finally:
            self._run(self._original[mutant.function])
        does_not_load = re.search(r"(?:fails with '42\w{3}'|returns 42\w{3}, .*) ERROR: +(.*)", output)
        difference = re.search(r"^seed \d+: .*", output, re.M)
        if process.returncode == 0:
            mutant.result = "survived"
        elif does_not_load:
            mutant.result, mutant.detail = "not loaded", does_not_load[1]
        elif difference:
            mutant.result, mutant.detail = "killed", difference[0]
        else:  # compare.py itself has failed: nothing is known about the mutant
            mutant.result, mutant.detail = "failed", " ".join(output.split())[:300]


def judge_all(postgres, mutants, seeds, jobs):
    runners = Queue()
    for _ in range(jobs):
        runners.put(Runner(postgres, seeds))

    def judge(mutant):
        runner = runners.get()
        try:
            runner.judge(mutant)
        finally:
            runners.put(runner)
        print(f"{mutant.result:10}  {mutant}: {mutant.detail}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(judge, mutants))


def print_summary(mutants):
    counts = Counter((mutant.operator, mutant.result) for mutant in mutants)
    total = Counter(mutant.result for mutant in mutants)
    print(f"{'operator':28} killed  survived  not loaded")
    for operator in OPERATORS:
        killed, survived, broken = (counts[operator, result] for result in ("killed", "survived", "not loaded"))
        print(f"{operator:28} {killed:6}  {survived:8}  {broken:10}")
    loaded = total["killed"] + total["survived"]
    print(f"{loaded} mutants, {total['killed']} killed ({100 * total['killed'] / max(loaded, 1):.1f} %), "
          f"{total['survived']} survived; {total['not loaded']} not loaded, {total['failed']} failed")


def unexplained(mutants):
    """Survivors, and runs that failed, that are not in the page's tables."""
    page = PAGE.read_text(encoding="utf-8")
    return [m for m in mutants if m.result in ("survived", "failed") and f"`{m.name}`" not in page]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--seeds", default=300, type=int)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--share", default="1/1", help="every N-th mutant, from the K-th: K/N")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*", help="mutants, or functions")
    options = parser.parse_args()
    first, step = map(int, options.share.split("/"))
    mutants = list(all_mutants())[first - 1::step]
    if options.names:
        mutants = [m for m in mutants if m.name in options.names or m.function in options.names]
    if options.list:
        print(*mutants, sep="\n")
        return
    with own_postgres(options.build) as postgres:
        judge_all(postgres, mutants, options.seeds, options.jobs)
    print_summary(mutants)
    left = unexplained(mutants)
    if left:
        sys.exit(f"{len(left)} survivors are not explained in {PAGE.relative_to(ROOT)}: " + ", ".join(m.name for m in left))


if __name__ == "__main__":
    main()
