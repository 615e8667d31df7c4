"""tests/api/ledger/test_gateway_role.py - the rights of the gateway's database role: it cannot make
credits or read balances, and cannot spend without a token's digest. tests/check/attacker.py tries
at random."""

import hashlib
import uuid

import psycopg2
import psycopg2.extras
import pytest

from kit.database.ledger import BATCH, admission, items, settlement
from kit.database.scratch import cluster, empty, migrated, new_database, shared_db as db  # noqa: F401 - fixtures

GATEWAY = "tollgate_gateway"
HELD_MS = 60000
CAPTURE, VOID, CANCEL = 1, 2, 3
UNIQUE = psycopg2.errors.UniqueViolation

def new_id():
    return str(uuid.uuid4())


class Thief:
    """Has the gateway's password and the token of one account."""

    def __init__(self, db):
        self.db = db
        self.account = db.ask("account", "create", "seen")["account"]
        self.digest = hashlib.sha256(db.ask("token", "create", self.account)["token"].encode()).digest()
        self.victim = db.ask("account", "create", "victim")["account"]
        db.ask("token", "create", self.victim)
        [(self.tool,)] = db.sql("select tool_id from tool where name = 'openapi-validate'")  # 5 credits

    def batch(self, *calls, settles=()):
        """calls: (id, amount, ttl_ms), settles: (account, id, op, since)"""
        admits = [admission(self.account, call, self.digest, self.tool, amount, ttl_ms=ttl)
                  for call, amount, ttl in calls]
        ends = [settlement(op, account, hold, since=since) for account, hold, op, since in settles]
        connection = psycopg2.connect(self.db.url(GATEWAY))
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(f"select outcome, posted, held, seq from {BATCH} order by ord",
                               [items(*ends), items(*admits)])
                return cursor.fetchall()
        finally:
            connection.close()

    def pay(self, amount, call=None):
        return self.batch((call or new_id(), amount, None))[0][0]

    def hold(self, amount, call=None):
        return self.batch((call or new_id(), amount, HELD_MS))[0][0]

    def end(self, call, op, account=None, since=None):
        return self.batch(settles=[(account or self.account, call, op, since)])[0]

    def standing(self, account=None):
        """(posted, held, granted, purchased, used)"""
        return self.db.standing(account or self.account)


@pytest.fixture
def thief(db):
    thief = Thief(db)
    yield thief
    db.ask("verify")


@pytest.mark.parametrize("amount", [-1_000_000, -5, -1, 1, 4, 6, 1_000_000, 2**62, None])
def test_only_a_price_on_record_is_charged_or_held(thief, amount):
    assert thief.pay(amount) == thief.hold(amount) == "price_not_on_record"
    assert thief.standing() == (100, 0, 100, 0, 0)
    assert thief.pay(5) == "captured"


def test_nothing_frees_another_hold(thief):
    assert thief.hold(5) == "admitted"
    assert thief.hold(-5) == "price_not_on_record"
    assert thief.standing() == (100, 5, 100, 0, 0)


def test_an_unknown_tool_has_no_price(thief):
    thief.tool = 0
    assert thief.pay(5) == "price_not_on_record"


@pytest.mark.parametrize("second_ttl", [None, HELD_MS])
@pytest.mark.parametrize("first_ttl", [None, HELD_MS])
def test_an_id_is_one_call_of_a_batch(thief, first_ttl, second_ttl):
    call = new_id()
    with pytest.raises(UNIQUE):
        thief.batch((call, 5, first_ttl), (call, 5, second_ttl))
    assert thief.standing() == (100, 0, 100, 0, 0)


def test_an_id_is_charged_once(thief):
    call = new_id()
    assert thief.pay(5, call) == "captured"
    with pytest.raises(UNIQUE):
        thief.pay(5, call)
    assert thief.hold(5, call) == "expired"
    assert thief.standing() == (95, 0, 100, 0, 5)


def test_a_held_call_is_not_paid_as_well(thief):
    call = new_id()
    assert thief.hold(5, call) == "admitted"
    assert thief.pay(5, call) == "admitted"  # a repetition does not change the first result
    assert thief.end(call, CAPTURE)[0] == "captured"
    assert thief.pay(5, call) == "captured"
    assert thief.standing() == (95, 0, 100, 0, 5)


def test_the_same_id_of_another_account_is_not_charged(thief, db):
    call = new_id()
    assert thief.pay(5, call) == "captured"
    thief.account = thief.victim
    thief.digest = hashlib.sha256(db.ask("token", "create", thief.victim)["token"].encode()).digest()
    with pytest.raises(UNIQUE):
        thief.pay(5, call)


def test_a_charge_is_refunded_once(thief):
    call = new_id()
    assert thief.pay(5, call) == "captured"
    seq = thief.db.sql("select seq from account_balance where account_id = %s", thief.account)[0][0] - 1
    assert [thief.end(call, CANCEL, since=seq)[0] for _ in range(3)] == ["refunded"] * 3
    assert thief.standing() == (100, 0, 100, 0, 0)


def test_a_charge_is_cancelled_only_with_its_entry(thief):
    """Without the number of its entry nothing is written: verify would report a fault."""
    call = new_id()
    assert thief.pay(5, call) == "captured"
    thief.end(call, CANCEL)
    assert thief.db.sql("select count(*) from hold where hold_id = %s", call) == [(0,)]


@pytest.mark.parametrize("op", [CAPTURE, VOID, CANCEL])
def test_no_balance_is_read_by_an_unknown_id(thief, op):
    call = new_id()
    for _ in range(2):  # a cancel leaves a row without a call, too
        assert thief.end(call, op, thief.victim)[1:] == (None, None, None)
    assert thief.standing(thief.victim) == (100, 0, 100, 0, 0)


def test_nothing_is_written_for_an_unknown_account(thief):
    account = new_id()
    thief.end(new_id(), CANCEL, account)
    assert thief.db.sql("select count(*) from hold where account_id = %s", account) == [(0,)]


def test_the_victims_credits_stay(thief):
    """Its token was not given."""
    thief.account = thief.victim
    assert thief.pay(5) == thief.hold(5) == "auth_invalid"
    assert thief.standing(thief.victim) == (100, 0, 100, 0, 0)


@pytest.mark.parametrize("statement", [
    "select * from usage_day", "select * from usage_roll", "select usage_roll_up(gen_random_uuid(), -5)",
    "select digest from token", "select * from account_balance", "select * from tool", "update tool set price = 1",
    "insert into test_clock default values", "select signup_grant(gen_random_uuid())",
    "select ledger_credit(gen_random_uuid(), 5::smallint, 1, gen_random_uuid(), 'x')"])
def test_what_the_role_has_no_right_to(migrated, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        migrated.sql(statement, role=GATEWAY)


def test_usage_requires_a_token(thief):
    assert thief.pay(5) == "captured"
    days = "select calls, credits from usage_days(%s, %s, '2000-01-01', '3000-01-01')"
    for digest, counted, wanted in ((b"x" * 32, None, []), (thief.digest, True, [(1, 5)])):
        assert thief.db.sql("select usage_count_up(%s, %s)", thief.account, digest, role=GATEWAY) == [(counted,)]
        assert thief.db.sql(days, thief.account, digest, role=GATEWAY) == wanted


def test_counting_goes_forward(migrated):
    for limit in (0, -5, None):
        with pytest.raises(psycopg2.errors.RaiseException, match="p_limit"):
            migrated.sql("select usage_roll_up(gen_random_uuid(), %s)", limit, role="tollgate_portal")


def test_a_session_does_not_move_the_clock(new_database, empty):
    """Except in a test database, where the owner has allowed it."""
    empty.ask("db", "migrate")
    now = ("set tollgate.clock_shift_ms = 86400000;"
           " select ledger_now_ms() - extract(epoch from clock_timestamp()) * 1000 > 3600000")
    for role in (GATEWAY, "tollgate_portal", "tollgate_operator"):
        assert empty.sql(now, role=role) == [(False,)]
    empty.sql("insert into test_clock default values")
    assert empty.sql(now, role=GATEWAY) == [(True,)]


@pytest.mark.parametrize("role", [GATEWAY, "tollgate_portal", "tollgate_operator"])
def test_queries_are_not_compiled(migrated, role):
    """For the newest 50 of five million requests of an account, 70 ms more than the query takes."""
    assert migrated.sql("show jit", role=role) == [("off",)]
