"""tests/api/operator/test_tollctl_unknown.py - `tollctl ledger settle` for calls with an open
unknown outcome of which the ledger has nothing, or only an old charge."""

import hashlib
import uuid

import psycopg2
import pytest

from kit.database.ledger import ADMIT, BATCH, RECHAIN, WITHOUT_TRIGGERS, admission, charge, items
from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures

OUTCOME = "select is_charged from unknown_outcome where call_id = %s and settled_at is not null"


def unknown(db, account, number):  # noqa: F811 - the fixtures
    """A gateway writes that the client of this call got outcome_unknown."""
    db.sql("select unknown_outcome_write(array[%s::uuid], array[%s::uuid], '{unknown}', '{0}')", account, number,
           role="tollgate_gateway")
    return number


def test_a_call_whose_charge_is_lost_is_not_charged(db, account):  # noqa: F811
    number = unknown(db, account, str(uuid.uuid4()))
    assert db.ask("ledger", "settle", account, number)["outcome"] == "voided"
    assert db.sql(OUTCOME, number) == [(False,)]
    assert db.ask("ledger", "unknown")["calls"] == []
    assert db.ask("ledger", "settle", account, number)["outcome"] == "voided"
    assert db.audit()[-1][1:] == ("ledger settle", account, f"call {number}: voided")
    db.ask("verify")


def test_a_late_attempt_does_not_charge_it(db, account):  # noqa: F811
    """Its statement may still be on the way when an operator settles the call."""
    token = hashlib.sha256(db.ask("token", "create", account)["token"].encode()).digest()
    [(tool,)] = db.sql("select tool_number('hash-generate')")
    number = unknown(db, account, str(uuid.uuid4()))
    assert db.ask("ledger", "settle", account, number)["outcome"] == "voided"
    late = admission(account, number, token, tool, 1, op=ADMIT, since=0)
    assert db.sql(f"select outcome from {BATCH}", items(), items(late)) == [("expired",)]
    assert db.standing(account) == (100, 0, 100, 0, 0)
    db.ask("verify")


def test_an_old_charge_stays(db, account):  # noqa: F811
    """The hold is deleted after two days, and with it whether the response was replayed."""
    number = unknown(db, account, charge(db, account, 3))
    db.sql(WITHOUT_TRIGGERS + "update ledger_entry set at = at - interval '3 days';"
           " delete from hold where hold_id = %s" + RECHAIN, number, role="postgres")
    said = db.tell("ledger", "settle", account, number)
    assert "captured" in said and "tollctl account grant" in said
    assert db.sql(OUTCOME, number) == [(True,)]
    assert db.standing(account) == (97, 0, 100, 0, 3)
    db.ask("verify")


def settled(db, account, number, state):  # noqa: F811
    """Its gateway settles it, perhaps after the operator saw it in the list."""
    db.sql("select unknown_outcome_write(array[%s::uuid], array[%s::uuid], array[%s], '{0}')", account,
           unknown(db, account, number), state, role="tollgate_gateway")
    return number


@pytest.mark.parametrize("state", ["not_charged", "charged"])
def test_a_settled_call_whose_charge_is_lost_is_not_charged(db, account, state):  # noqa: F811
    """The ledger is right, not what the gateway wrote."""
    number = settled(db, account, str(uuid.uuid4()), state)
    for _ in range(2):
        assert db.ask("ledger", "settle", account, number)["outcome"] == "voided"
    assert db.sql(OUTCOME, number) == [(state == "charged",)]
    assert db.standing(account) == (100, 0, 100, 0, 0)
    db.ask("verify")


def test_a_settled_call_whose_charge_is_old_stays_charged(db, account):  # noqa: F811
    number = settled(db, account, charge(db, account, 3), "charged")
    db.sql(WITHOUT_TRIGGERS + "update ledger_entry set at = at - interval '3 days';"
           " delete from hold where hold_id = %s" + RECHAIN, number, role="postgres")
    assert "It stays charged, as it was settled before." in db.tell("ledger", "settle", account, number)
    assert db.standing(account) == (97, 0, 100, 0, 3)
    db.ask("verify")


def test_a_call_that_is_not_listed_is_not_found(db, account):  # noqa: F811
    number = str(uuid.uuid4())
    assert f"no call {number}" in db.refuse(1, "ledger", "settle", account, number)
    other = db.ask("account", "create", "other")["account"]
    assert f"no call {number}" in db.refuse(1, "ledger", "settle", other, unknown(db, account, number))
    assert db.sql("select hold_id from hold") == []


def test_a_gateway_cannot_close_calls(db):  # noqa: F811
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        db.sql("select ledger_close_call(gen_random_uuid(), gen_random_uuid())", role="tollgate_gateway")
    assert db.sql("select * from unknown_outcome") == []
