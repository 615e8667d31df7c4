"""tests/api/ledger/test_model.py - the simulator's model of the ledger does what PostgreSQL does:
tests/simulator/compare.py."""

import hashlib
import uuid

import pytest

from kit.database.ledger import BATCH, admission, items
from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures
from simulator.compare import Postgres, run_shares

SCHEDULES = 200
CREDITS = """create or replace function has_credits(p_posted bigint, p_held bigint, p_amount bigint) returns boolean
             language sql immutable as $$ select p_posted - p_held > p_amount $$"""


@pytest.fixture(scope="module")
def postgres(cluster, request, tmp_path_factory):  # noqa: F811 - the fixture
    return Postgres(cluster, request.config.getoption("build"), tmp_path_factory.mktemp("compare"))


def test_the_model_does_what_postgresql_does(postgres):
    assert run_shares(postgres, first=1, count=SCHEDULES, jobs=2) == []


def test_a_difference_is_printed_with_its_seed(postgres):
    [output] = run_shares(postgres, first=1, count=SCHEDULES, jobs=1, change=CREDITS)
    assert "PostgreSQL 'insufficient_credits', model 'admitted'" in output \
        or "PostgreSQL 'insufficient_credits', model 'captured'" in output
    assert "\nseed " in output
    assert "admit " in output and " at " in output


def test_what_caps_leave_is_of_one_token(db, account):  # noqa: F811 - the fixtures
    """Seed 236 of compare.py, statement 4."""
    db.sql("update tool set price_before = 4 where name = 'hash-generate'")
    [(tool,)] = db.sql("select tool_number('hash-generate')")
    digests = [hashlib.sha256(db.ask("token", "create", account, "--cap-daily", "100")["token"].encode()).digest()
               for _ in range(2)]
    calls = [admission(account, str(uuid.uuid4()), digest, tool, 4, ttl_ms=60000) for digest in digests]
    assert db.sql(f"select outcome, granted from {BATCH} order by ord", items(), items(*calls)) \
        == [("admitted", 96), ("admitted", 96)]
