"""tests/api/operator/test_schema.py - databases of releases (tests/schema/) in this version: they
are upgraded to the same schema as a new one, and nothing of their content is lost.
"""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from kit.database.apps import Apps
from kit.database.ledger import BATCH, admission, charge, items
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures
from postgres import BIN
from schema.make import PAY, RESPONSE, dump, fill, sha256, standing

DUMPS = sorted((Path(__file__).parents[2] / "schema").glob("*.sql.gz"))


@pytest.fixture(scope="module", params=DUMPS, ids=lambda file: file.name.removesuffix(".sql.gz"))
def release(request, new_database):
    """The database of a release before it is upgraded, and what is known of it."""
    database = new_database()
    subprocess.run([BIN / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.url("postgres")], check=True,
                   input=gzip.decompress(request.param.read_bytes()), stdout=subprocess.DEVNULL)
    return database, json.loads(request.param.with_name(request.param.name.replace(".sql.gz", ".json")).read_text())


@pytest.fixture
def upgraded(release, new_database):
    """A copy of it that is upgraded, and what is known of it."""
    database = new_database(release[0]._name)
    database.ask("db", "migrate")
    return database, release[1]


def test_there_is_a_release():
    assert DUMPS


def test_the_next_release_can_be_dumped(new_database, migrated, tmp_path):
    database = new_database(migrated._name)
    facts = fill(database, tmp_path)
    assert facts["standing"] == standing(database) and database.ask("verify", "--whole")["ok"]


def test_its_migrations_are_those_of_this_version(release):
    status = release[0].ask("db", "status")
    states = [migration["state"] for migration in status["migrations"]]
    assert states == ["applied"] * (len(states) - status["pending"]) + ["pending"] * status["pending"]


def parts(database):
    """The lines of the schema: the order of columns and objects is another one after an upgrade."""
    text = dump(database.url("postgres"), "--schema-only", "--exclude-table=request_log_*")
    return sorted(line.strip().rstrip(",") for line in text.splitlines() if line and not line.startswith("--"))


def test_its_schema_becomes_that_of_a_new_database(upgraded, migrated):
    assert parts(upgraded[0]) == parts(migrated)


def test_its_money_is_the_same(upgraded):
    database, facts = upgraded
    assert standing(database) == facts["standing"]
    assert database.ask("verify")["ok"] and database.ask("verify", "--whole")["ok"]
    for order, state in facts["orders"].items():
        assert database.ask("order", "show", order)["state"] == state
    assert database.sql("select line from ledger_root")[-1:] == [(facts["root"],)]


def call(database, facts, **columns):
    """The outcome of a call of the account's token, and its row's body."""
    [(tool, price)] = database.sql("select tool_id, price from tool where name = 'hash-generate'")
    return database.sql(f"select outcome, body from {BATCH}", items(), items(
        admission(facts["account"], "018f3a5e-0000-7000-8000-000000000001", sha256(facts["token"]), tool, price, **columns)),
        role="tollgate_gateway")[0]


def test_its_customers_call_on(upgraded):
    database, facts = upgraded
    assert call(database, facts, op=PAY)[0] == "captured"
    charge(database, facts["account"], 1)
    assert database.ask("verify")["ok"]


@pytest.mark.parametrize("request_text, outcome", [("a request", "replay"), ("another", "idempotency_mismatch")])
def test_its_stored_responses_are_replayed(upgraded, request_text, outcome):
    database, facts = upgraded
    was, body = call(database, facts, key=sha256("small"), fingerprint=sha256(request_text), ttl_ms=60000)
    assert (was, body and bytes(body)) == (outcome, RESPONSE if outcome == "replay" else None)
    assert database.sql("select convert_from(bytes, 'utf8') from large_response_get(%s, %s, %s, 0::smallint)", facts["account"],
                        sha256(facts["token"]), sha256("large"), role="tollgate_gateway") == [("large",)]


def test_its_apps_stay_connected(upgraded):
    database, facts = upgraded
    database.sql("insert into test_clock default values on conflict do nothing")
    made = database.sql("select extract(epoch from created_at)::float8 from token where token_id = %s",
                        facts["app"]["token"])[0][0]
    apps = Apps(database)
    apps.now_s = made + 60 - database.sql("select extract(epoch from now())::float8")[0][0]  # soon after the dump
    assert apps.refresh(facts["app"]["account"], facts["app"]["token"], 2).outcome == "done"
    apps.close()
