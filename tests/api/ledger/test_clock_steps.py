"""tests/api/ledger/test_clock_steps.py - the server's clock jumps: a key is charged once, and
nothing is forgotten early."""

import hashlib
import uuid

import pytest

from kit.database.ledger import BATCH, CAPTURE, admission, items, settlement
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures

CANCEL = 3
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
TTL_MS = 2 * SECOND
STEP = 9 * MINUTE  # not a jump


class Caller:
    """Calls of one account with one key, as a gateway makes them. shift_ms moves the clock."""

    def __init__(self, db, has_limits):
        self.db, self.has_limits, self.shift_ms = db, has_limits, 0
        self.account = db.ask("account", "create", "caller", "--credits", "100")["account"]
        self.digest = hashlib.sha256(db.ask("token", "create", self.account)["token"].encode()).digest()
        [(self.tool,)] = db.sql("select tool_id from tool where name = 'openapi-validate'")  # 5 credits
        if not has_limits:
            db.ask("account", "limits", self.account, "--off")

    def sql(self, statement, *values, role="tollgate_gateway"):
        return self.db.sql(f"set tollgate.clock_shift_ms = '{self.shift_ms}'; " + statement, *values, role=role)

    def admit(self, **columns):
        """(id, outcome) of a new call"""
        call = str(uuid.uuid4())
        columns = {"ttl_ms": TTL_MS, "key": b"k" * 32, "fingerprint": b"r" * 32} | columns
        rows = self.sql(f"select outcome from {BATCH}", items(),
                        items(admission(self.account, call, self.digest, self.tool, 5, **columns)))
        return call, rows[0][0]

    def settle(self, call, op=CAPTURE):
        return self.sql(f"select outcome from {BATCH}",
                        items(settlement(op, self.account, call, headers="h", body=b"x", since=0)), items())[0][0]

    def answered(self):
        call, outcome = self.admit()
        assert (outcome, self.settle(call)) == ("admitted", "captured")
        return call

    def prune(self):
        self.sql("select pruned from ledger_prune(0, 1000)")

    def make_clock_steady(self):
        self.sql("insert into prune_clock (seen_at, steady_since) select t, t - interval '1 day' from ledger_now() t"
                 " on conflict (is_one) do update set seen_at = excluded.seen_at, steady_since = excluded.steady_since",
                 role="tollgate_owner")

    def has_key(self):
        return self.db.sql("select count(*) from idempotency where account_id = %s", self.account) == [(1,)]

    @property
    def charged(self):
        return self.db.standing(self.account)[4]

    @property
    def held(self):
        return self.db.standing(self.account)[1]


@pytest.fixture(scope="module")
def db(migrated):
    yield migrated
    migrated.ask("verify", "--whole")


@pytest.fixture(params=[True, False], ids=["limits", "no-limits"])
def caller(db, request):
    return Caller(db, request.param)


@pytest.mark.parametrize("ahead_ms", [3 * SECOND, 30 * SECOND, 10 * MINUTE, 2 * DAY])
@pytest.mark.parametrize("back_ms", [0, 1 * SECOND, -HOUR])
def test_a_key_that_was_taken_over_is_charged_once(caller, ahead_ms, back_ms):
    """The first call is past its time, a second one gets its key, and the clock goes back before
    the first one's result arrives."""
    first, _ = caller.admit()
    caller.shift_ms = ahead_ms
    second, outcome = caller.admit()
    assert outcome == "admitted"
    assert caller.held == 5  # the first call's credits are free
    caller.shift_ms = back_ms
    assert caller.settle(first) == "expired"
    caller.settle(second)
    assert caller.charged <= 5 and caller.held == 0


def test_a_rejected_call_also_ends_the_overdue_one(db):
    caller = Caller(db, has_limits=True)
    first, _ = caller.admit()
    caller.shift_ms = 3 * SECOND
    assert caller.admit(endpoint_limit=1)[1] == "rate_limited_endpoint"
    assert caller.held == 0
    caller.shift_ms = 0
    assert caller.settle(first) == "expired"


@pytest.mark.parametrize("ahead_ms", [HOUR, DAY + MINUTE, 30 * DAY])
def test_a_clock_that_is_ahead_for_a_moment_forgets_no_key(caller, ahead_ms):
    caller.answered()
    caller.make_clock_steady()
    caller.shift_ms = ahead_ms
    caller.prune()
    during = caller.admit()[1]
    caller.shift_ms = 0
    assert (during, caller.admit()[1], caller.charged) == ("replay", "replay", 5)


def test_a_clock_that_goes_on_forgets_keys_after_a_day(caller):
    caller.answered()
    caller.shift_ms = DAY - HOUR
    caller.make_clock_steady()
    while caller.shift_ms < DAY + HOUR:
        caller.prune()
        assert caller.has_key() == (caller.shift_ms < DAY)
        caller.shift_ms += STEP
    assert caller.admit()[1] == "admitted"


@pytest.mark.parametrize("jump_ms", [11 * MINUTE, -11 * MINUTE])
def test_after_a_jump_nothing_is_forgotten_for_an_hour(caller, jump_ms):
    caller.answered()
    caller.shift_ms = DAY + HOUR
    caller.make_clock_steady()
    caller.shift_ms += jump_ms
    for waited_ms in range(0, HOUR + STEP, STEP):
        caller.prune()
        assert caller.has_key() == (waited_ms < HOUR)
        caller.shift_ms += STEP


@pytest.mark.parametrize("columns", [{"ttl_ms": 60_000}, {"ttl_ms": None, "key": None, "fingerprint": None},
                                     {"ttl_ms": None, "key": None, "fingerprint": None, "since": 0}],
                         ids=["held", "one-write", "one-write-again"])
def test_a_refunded_call_returns_to_the_quota(caller, columns):
    call, _ = caller.admit(daily_limit=10, **columns)
    if columns["ttl_ms"]:
        caller.settle(call)
    used = "select coalesce(sum(used), 0)::integer from daily_quota where account_id = %s"
    assert caller.db.sql(used, caller.account) == [(1 if caller.has_limits else 0,)]
    assert caller.settle(call, CANCEL) == "refunded"
    assert (caller.db.sql(used, caller.account), caller.charged) == ([(0,)], 0)
