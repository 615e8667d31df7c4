"""tests/kit/database/scratch.py - databases in a separate PostgreSQL, and tollctl to work on them.

A test file that uses them imports the fixtures.
"""

import contextlib
import itertools
import json
import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path

import psycopg2
import pytest

from postgres import CLUSTERS, Cluster


ROOT = Path(__file__).resolve().parents[3]
IDLE_MAX = 16
# As `discard all`, less the plans: most time of a new session goes into them.
AS_NEW = "reset session authorization; reset all; discard temp; discard sequences; select pg_advisory_unlock_all()"


class Sessions:
    """Connections that nobody uses now, the last ones. To make one takes longer than most
    statements of tests."""

    def __init__(self):
        self._lock = threading.Lock()
        self._idle = []  # (url, connection), in the order of their last use

    def take(self, url):
        """A connection whose session is as it was at its start; a new one if none is left."""
        while connection := self._pop(url):
            with contextlib.suppress(psycopg2.Error):  # an error: its database was restarted
                connection.autocommit = True
                connection.cursor().execute(AS_NEW)
                connection.autocommit = False
                return connection
            connection.close()
        return psycopg2.connect(url)

    def give(self, url, connection):
        with self._lock:
            if not connection.closed:
                self._idle.append((url, connection))
            while len(self._idle) > IDLE_MAX:
                self._idle.pop(0)[1].close()

    def close(self, database):
        """Those of a database that will be copied."""
        with self._lock:
            for one in [one for one in self._idle if f"dbname={database} " in one[0]]:
                self._idle.remove(one)
                one[1].close()

    def _pop(self, url):
        with self._lock:
            for at in range(len(self._idle) - 1, -1, -1):
                if self._idle[at][0] == url:
                    return self._idle.pop(at)[1]
        return None


SESSIONS = Sessions()
NUMBERS = itertools.count(1)  # of databases; two makers may share a cluster


def allow_shifts(database):
    """From now on a session of this database may shift the ledger's clock."""
    database.sql("insert into test_clock default values on conflict do nothing")


class Database:
    """One database of the cluster, and tollctl configured for it."""

    def __init__(self, cluster, name, program, config):
        self._cluster = cluster
        self._name = name
        self._argv = [program, "--config", config]
        self.options = ""

    def url(self, role="tollgate_owner"):
        return self._cluster.url(role).replace("dbname=tollgate", f"dbname={self._name}") + self.options

    def start(self, *arguments):
        """Start a tollctl; returns its process. Only migrations need the owner."""
        role = "tollgate_owner" if "migrate" in arguments else "tollgate_operator"
        return subprocess.Popen([*self._argv, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"TOLLGATE_DB_OWNER_URL": self.url(role)})

    def run(self, *arguments):
        """(exit status, stdout, stderr)"""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def ask(self, *arguments):
        """The output as JSON; it must succeed and print nothing else."""
        status, out, err = self.run(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    def tell(self, *arguments):
        """The output for people; it must succeed."""
        status, out, err = self.run(*arguments)
        assert (status, err) == (0, "")
        return out

    def refuse(self, status, *arguments):
        """Its one line on stderr; it must fail with this status and print nothing to stdout."""
        was, out, err = self.run(*arguments)
        assert (was, out) == (status, ""), err
        assert re.fullmatch(r"tollctl: [^\n]+\n", err)
        return err

    def sql(self, statement, *values, role="tollgate_owner"):
        """In a transaction, and in a session that is as good as new."""
        connection = SESSIONS.take(self.url(role))
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(statement, values)
                return cursor.fetchall() if cursor.description else []
        finally:
            SESSIONS.give(self.url(role), connection)

    def audit(self):
        return self.sql("select actor, action, account_id::text, detail from audit_log"
                        " where action <> 'db migrate' order by at")

    def standing(self, account):
        return self.sql("select posted, held, granted, purchased, used from account_balance"
                        " where account_id = %s", account)[0]


@contextlib.contextmanager
def own_cluster():
    directory = Path(tempfile.mkdtemp(prefix="tollgate-tollctl-", dir=os.environ.get(CLUSTERS)))
    directory.chmod(0o711)
    cluster = Cluster(directory / "cluster", directory / "postgres.log", {"fsync": "off", "autovacuum": "off"})
    try:
        cluster.prepare()
        cluster.part.start()
        cluster.part.wait_ready()
        cluster.make_roles()
        connection = psycopg2.connect(cluster.url("postgres"))
        with connection, connection.cursor() as cursor:  # races end, on a busy machine, too
            cursor.execute("alter role tollgate_portal set statement_timeout = '60s'")
        connection.close()
        yield cluster
    finally:
        cluster.part.stop()
        cluster.remove()
        for file in directory.iterdir():
            file.unlink()
        directory.rmdir()


def maker(cluster, build, directory):
    """A function that makes a database, empty or as a copy of another; directory has tollctl's
    configuration."""
    program = Path(build).resolve() / "gateway" / "tollctl"
    config = directory / "tollgate.yaml"
    config.write_text(f"contracts_dir: {ROOT}\n")

    def make(template="template1"):
        name = f"scratch_{next(NUMBERS)}"
        SESSIONS.close(template)
        connection = psycopg2.connect(cluster.url("postgres"))
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"create database {name} owner tollgate_owner template {template} strategy file_copy")
        connection.close()
        return Database(cluster, name, program, config)

    return make


@pytest.fixture(scope="module")
def cluster():
    with own_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def new_database(cluster, request, tmp_path_factory):
    """maker()'s function."""
    return maker(cluster, request.config.getoption("build"), tmp_path_factory.mktemp("tollctl"))


@pytest.fixture
def empty(new_database):
    return new_database()


@pytest.fixture(scope="module")
def migrated(new_database):
    database = new_database()
    database.ask("db", "migrate")
    allow_shifts(database)
    return database


@pytest.fixture
def db(new_database, migrated):
    return new_database(migrated._name)


@pytest.fixture(scope="module")
def shared_db(new_database, migrated):
    """For a file whose tests look only at their accounts: a database, and the first queries
    of its sessions, take most of a short test's time."""
    return new_database(migrated._name)


@pytest.fixture
def account(db):
    return db.ask("account", "create", "Ada")["account"]
