"""tests/check/attacker.py - what a stolen database password of a gateway or a portal can do to the
books.

    /usr/bin/python3 tests/check/attacker.py [--build build] [--seed N]
        [--calls 20000] [--role ROLE]

An attacker holds the password of one role after the other. It calls every function that the role
may execute, writes every table that it may write and tries everything else that a session can do,
with hostile arguments made from the catalog. After each statement an independent judge compares the
books. The program prints its seed, which repeats the run, and each kind of violation once, with the
shortest statement that caused it. Exit status 1: there was a violation.
"""

import collections
import io
import random
import sys
import tempfile
import time
from pathlib import Path

import psycopg2
from psycopg2 import extensions

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.database.attacker.catalog import Catalog  # noqa: E402
from kit.database.attacker.grammar import Grammar, Statement, short  # noqa: E402
from kit.database.attacker.judge import Judge  # noqa: E402
from kit.database.attacker.moves import move  # noqa: E402
from kit.database.attacker.world import NOT_SOLD, TOOLS, World  # noqa: E402
from kit.database.scratch import Database, own_cluster  # noqa: E402
from kit.database.seeded import arguments  # noqa: E402

ROLES = ("tollgate_gateway", "tollgate_portal")
ROUND = 1000  # calls; then the attacker gets new accounts
SCHEDULES = [  # steps that belong together; names that the role does not have are left out, "+kind" is a new id
    "+order order_open order_session payment_begin payment_apply payment_events_done payment_apply",
    "+order order_open order_session payment_begin payment_apply payment_begin payment_apply order_collect",
    "+order order_open order_session payment_event_add order_cancel order_due payment_begin payment_apply",
    "+account +member +link insert_link link_sign_up member_open +session session_open token_add",
    "+account +member +link insert_link link_sign_up member_open +order order_open order_session payment_begin"
    " payment_apply",
    "+session insert_session session_open token_add token_add_own token_add_management token_cap token_recap token_end session_end",
    "ledger_batch ledger_batch ledger_batch", "+hold ledger_batch ledger_sweep ledger_batch usage_roll_up",
    "+token token_manage token_manage ledger_batch token_manage", "token_manage ledger_batch token_check",
]
TEXT = extensions.new_type((17, 1082, 1114, 1184, 1186), "TEXT", lambda value, _: value)


class Attack:
    """One role's attacker, in a separate database."""

    def __init__(self, database, role, seed, findings):
        self._url, self.role, self._findings = database.url(role), role, findings
        self._rng = random.Random(f"{seed} {role}")
        self._owner = connect(database.url("postgres"))
        self._settings = self._ask("select unnest(rolconfig) from pg_roles where rolname = %s", role)
        catalog = Catalog(self._ask)
        self._tables = list(catalog.tables(role))
        self._targets = {f.name: (lambda g, f=f: g.call(f)) for f in catalog.functions(role)}
        self._weights = {f.name: 1 + len(f.fields) / 3 for f in catalog.functions(role)}
        for table in self._tables:
            for verb in table.rights:
                self._targets[f"{verb} {table.name}"] = lambda g, t=table, v=verb: g.write(t, v)
                self._weights[f"{verb} {table.name}"] = 0.1 if verb in ("select", "delete") else 0.4
        self._database = database.url("x").split("dbname=")[1].split()[0]
        self._world = World(self._ask, catalog, self._rng)
        prices = {number: prices for number, (_, *prices) in TOOLS.items()}
        packs = dict(self._ask("select pack_id, price_cents from pack where is_sold")) | {NOT_SOLD: 1}
        self._grammar = Grammar(self._rng, catalog.options(), prices, packs)
        self._judge = Judge(self._ask, role, self._world, self._found)
        self._connection, self._moves, self._batch, self._new_id = None, [], [], 0
        self.calls, self.outcomes = 0, collections.Counter()

    def run(self, calls):
        began = time.monotonic()
        while self.calls < calls:
            if self.calls >= self._world.rounds * ROUND:
                self._world.begin_round(self._grammar, self.role == "tollgate_gateway")
                self._judge.accept()
                self._connect()
                if self._world.rounds % 5 == 1:
                    print(f"  {self.calls} statements ...", flush=True)
            if self._moves and self._rng.random() < 0.3:
                self._connect()
            self._episode()
        self._summary(time.monotonic() - began)

    def _episode(self):
        self._grammar.refocus()
        names = list(self._targets)
        steps = [step.replace("_", " ", 1) if step.startswith("insert_") else step
                 for step in self._rng.choice(SCHEDULES).split()]
        plan = [step for step in steps if step[0] == "+" or step in self._targets]
        if not plan or plan[-1][0] == "+" or self._rng.random() < 0.6:
            plan = self._rng.choices(names, [self._weights[name] for name in names], k=self._rng.randint(1, 6))
        if is_wrapped := self._rng.random() < 0.1:
            self._execute(Statement("begin", "begin", None, {}))
        for name in plan:
            if name[0] == "+":
                self._grammar.renew(name[1:])
                continue
            if self._rng.random() < 0.03:
                table = self._rng.choice(self._tables).name
                functions = sorted(name for name in names if " " not in name)
                self._execute(move(self._rng, self._database, [table], functions), is_move=True)
            self._execute(self._targets[name](self._grammar))
        if is_wrapped:
            self._execute(Statement("end", self._rng.choice(("commit", "commit", "rollback")), None, {}))

    def _execute(self, statement, is_move=False):
        self.calls += 1
        with self._connection.cursor() as cursor:
            text = cursor.mogrify(statement.text, statement.values).decode()
            self._batch.append(statement._replace(text=text))
            columns, rows = [], []
            try:
                said = perform(cursor, text)
                if cursor.description:
                    columns, rows = [column.name for column in cursor.description], cursor.fetchall()
                said += repr(rows)
                self.outcomes[statement.label, True] += 1
                if is_move and text.startswith(("set ", "select set_config", "alter role", "create ", "do ")):
                    self._moves.append(text)
            except (psycopg2.Error, ValueError) as error:
                said = str(error)
                self.outcomes[statement.label, False] += 1
        self._judge.result(columns, said, rows)
        self._learn(columns, rows)
        if self._connection.closed or self._connection.info.transaction_status == extensions.TRANSACTION_STATUS_IDLE:
            self._judge.look(self._batch)
            if any(s.values is None for s in self._batch):  # a move
                self._judge.look_at_objects()
            self._batch = []
        if self._connection.closed:
            self._connect()

    def _learn(self, columns, rows):
        """Ids in a result are known from now on; a single number is the id for the next step of a
        schedule."""
        for row in rows[:5]:
            for column, value in zip(columns, row):
                if short(column) in self._grammar.pools and isinstance(value, str):
                    self._grammar.learn(short(column), self._grammar.focus["account"], value)
        if len(rows) == 1 and len(columns) == 1 and isinstance(rows[0][0], int):
            self._grammar.focus["number"] = rows[0][0]

    def _found(self, rule, detail):
        """Keep the shortest statement of each rule and name; a transaction only if no single
        statement does it."""
        is_alone = len(self._batch) == 1
        key = (self.role, rule, self._batch[-1].label if is_alone else "a transaction")
        if not is_alone and any(known[:2] == key[:2] and known != key for known in self._findings):
            return
        text = "".join(f"      {s.text};\n" for s in self._batch)
        if self._moves:
            text = f"      -- before, in this session: {'; '.join(self._moves)}\n{text}"
        count, shortest, of = self._findings.get(key, (0, None, None))
        if count == 0:
            print(f"  after {self.calls} calls: {rule} ({key[2]})", flush=True)
        if count == 0 or len(text) < len(shortest) and "clock" not in rule:
            shortest, of = text, detail
        self._findings[key] = (count + 1, shortest, of)

    def _summary(self, seconds):
        succeeded = {label for label, is_done in self.outcomes if is_done}
        failed = sorted(name for name in self._targets if name not in succeeded)
        print(f"  {self.calls} statements in {seconds:.0f} s, {self.calls / seconds:.0f} a second;"
              f" {sum(n for (_, done), n in self.outcomes.items() if done)} succeeded; the judge looked"
              f" {self._judge.looks} times; granted {self._judge.granted} credits;"
              f" {self._judge.paid_orders} payments claimed, of {self._judge.paid_credits} credits")
        if failed:
            print(f"  never succeeded: {', '.join(failed)}")

    def _connect(self):
        if self._connection:
            self._connection.close()
        if any(text.startswith("alter role current_user") for text in self._moves):
            self._ask(f"alter role {self.role} reset all")
            for (setting,) in self._settings:
                name, value = setting.split("=", 1)
                self._ask(f"alter role {self.role} set {name} = %s", value)
        self._connection = connect(self._url + " options='-c statement_timeout=5s'")
        self._moves, self._batch = [], []

    def _ask(self, statement, *values):
        if len(values) == 1 and isinstance(values[0], dict):
            [values] = values
        with self._owner.cursor() as cursor:
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []


def connect(url):
    connection = psycopg2.connect(url)
    connection.autocommit = True
    extensions.register_type(TEXT, connection)
    return connection


def perform(cursor, text):
    """Execute it; returns what COPY wrote."""
    if not text.startswith("copy "):
        cursor.execute(text)
        return ""
    out = io.StringIO()
    cursor.copy_expert(text, out)
    return out.getvalue()


def migrated(cluster, name, build, directory):
    """A database from deploy/database/roles.sql, except that every role may make temporary
    tables."""
    config = directory / "tollgate.yaml"
    config.write_text(f"contracts_dir: {ROOT}\n")
    owner = connect(cluster.url("postgres"))
    with owner.cursor() as cursor:
        cursor.execute(f"create database {name} owner tollgate_owner")
    owner.close()
    database = Database(cluster, name, Path(build).resolve() / "gateway" / "tollctl", config)
    database.ask("db", "migrate")
    return database


def main():
    given = arguments(__doc__, calls={"type": int, "default": 20000, "help": "statements of each role"},
                      role={"choices": ROLES, "help": "this one alone"})
    findings = {}
    with tempfile.TemporaryDirectory() as directory, own_cluster() as cluster:
        for role in [given.role] if given.role else ROLES:
            print(role, flush=True)
            database = migrated(cluster, role, given.build, Path(directory))
            Attack(database, role, given.seed, findings).run(given.calls)
            status, out, _ = database.run("verify", "--whole")
            if status != 0:
                lines = "".join(f"{line}\n" for line in out.splitlines()[:20])
                findings[role, "tollctl verify --whole", "at the end"] = (1, lines, "")
    for (role, rule, label), (count, text, detail) in findings.items():
        print(f"\nVIOLATION {role}: {rule} ({label}, {count} times)\n    {detail}\n{text}", end="")
    print(f"\n{len(findings)} kinds of violations" if findings else "the books are as they must be")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
