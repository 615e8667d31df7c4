"""tests/faults/test_admission.py - ledger_admit() itself. Both ways decide alike, and a payment
without a hold is charged once, whatever the order of its attempts and its cancel
(docs/decisions/007-one-write.md)."""

import contextlib
import itertools
import random
import re
import uuid

import psycopg2.extras
import pytest

from kit.load import SETTINGS
from kit.database.ledger import BATCH, ITEMS, admission, items, settlement

pytestmark = pytest.mark.xdist_group("admission")

BATCHES = 600      # random calls, each decided in both ways
MINUTE = 60000
NEVER = 2**63 - 1  # there is no entry above it


@pytest.fixture(scope="module")
def stack(own_stack):
    stack = own_stack(settings=SETTINGS)
    for name in ("edge", "svc-utils-1", "gateway-1"):  # nothing else writes
        stack.parts[name].stop()
    return stack


ADMIT = """select outcome, retry_ms, posted, held, window_limit, window_left, reset_ms, granted, used, seq,
    plan_id, plan_endpoint, plan_class, plan_daily, plan_global, plan_address_exempt
    from {}({}, %(locked)s::uuid[], %(now)s, 0{}) order by ord"""
BOTH = ADMIT.format("ledger_admit", ITEMS.format("%(calls)s"), "")
EACH = ADMIT.format("ledger_admit_each", ITEMS.format("%(calls)s"), ", '{}'")


class Desk:
    """The functions, called as their owner; an account and its calls."""

    def __init__(self, books, credits=1000, limits_off=False):
        self.books = books
        self.account = books.site.open_account(credits, limits_off)
        psycopg2.extras.register_uuid()
        self.token = books.rows("select digest from token where account_id = %s", self.account.id)[0][0]

    def pay(self, call, since=None):
        tool = self.books.rows("select tool_number('hash-generate')")[0][0]
        return self.books.rows(f"select outcome from {BATCH}", items(), items(admission(
            self.account.id, call, self.token, tool, 1, endpoint_limit=30, since=since)))[0][0]

    def cancel(self, call, since):
        return self.books.rows(f"select outcome from {BATCH}",
                               items(settlement(3, self.account.id, call, since=since)), items())[0][0]

    def seq(self):
        return self.books.rows("select seq from account_balance where account_id = %s", self.account.id)[0][0]


ORDERS = [order for count in (1, 2, 3) for order in itertools.permutations(["first", "again", "cancel"], count)]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
@pytest.mark.parametrize("is_marked", [False, True], ids=["unmarked", "marked"])
def test_in_whatever_order_they_arrive(stack, books, order, is_marked):
    """A first attempt, its repetition, and a cancel: paid once without the cancel, and finally free
    with it."""
    desk = Desk(books)
    call, since = uuid.uuid4(), NEVER if is_marked else desk.seq()
    assert desk.pay(uuid.uuid4()) == "captured"  # others' entries are in between
    steps = {"first": lambda: desk.pay(call, NEVER if is_marked else None),
             "again": lambda: desk.pay(call, since), "cancel": lambda: desk.cancel(call, since)}
    told = {step: steps[step]() for step in order}
    charged = books.rows("select coalesce(-sum(amount), 0) from ledger_entry where account_id = %s and reference = %s",
                         desk.account.id, call)[0][0]
    assert charged == (0 if "cancel" in order else 1), told
    if "cancel" not in order:
        assert set(told.values()) == {"captured"}
    stack.tollctl("verify", "--account", desk.account.id)


@pytest.mark.parametrize("is_marked", [False, True], ids=["unmarked", "marked"])
def test_a_rejected_repetition_is_not_charged_later(stack, books, is_marked):
    """The first attempt arrives when there are credits again, but its caller already got a
    rejection."""
    desk = Desk(books, 0)
    call, since = uuid.uuid4(), NEVER if is_marked else desk.seq()
    assert desk.pay(call, since) == "insufficient_credits"
    stack.tollctl("account", "grant", desk.account.id, "50", "--note", "more")
    assert desk.pay(call, NEVER if is_marked else None) == "expired"
    assert books.charged(desk.account) == 0
    stack.tollctl("verify", "--account", desk.account.id)


def test_an_operator_settles_payments_without_a_hold(stack, books):
    """As a cancel does; rows older than two days do not change, as with holds."""
    desk = Desk(books)
    call = uuid.uuid4()
    assert desk.pay(call) == "captured"
    assert "refunded" in stack.tollctl("ledger", "settle", desk.account.id, str(call))
    assert books.charged(desk.account) == 0
    assert "refunded" in stack.tollctl("ledger", "settle", desk.account.id, str(call))
    assert books.charged(desk.account) == 0
    stack.tollctl("verify")


def random_batch(rng, desks, tools, now):
    """Some calls of a few accounts, most of them plain."""
    count = rng.choice([1, 2, 3, 8, 20])
    picked = [rng.choice(desks[:rng.choice([1, len(desks)])]) for _ in range(count)]
    plain = rng.random() < 0.7
    limit = rng.choice([3, 30])
    calls = [admission(
        desk.account.id, uuid.UUID(int=rng.getrandbits(128)),
        desk.token if plain or rng.random() < 0.9 else b"\0" * 32,
        rng.choice(tools), rng.choice([0, 1, 1, 1, 5] if plain else [0, 1, 40, 900, -1]),
        endpoint_limit=rng.choice([limit, None]), class_limit=None if plain else rng.choice([None, 4]),
        global_limit=rng.choice([60, 20]) if plain else rng.choice([5, 60]),
        daily_limit=None if plain else rng.choice([None, 6]), ttl_ms=rng.choice([None, 5000])) for desk in picked]
    return {
        "calls": items(*calls),
        "locked": list({desk.account.id for desk in picked if plain or rng.random() < 0.95}),
        "now": now,
    }


STATE = """select array_agg(b order by b.account_id)::text,
    (select array_agg(e order by e.account_id, e.seq)::text from ledger_entry e
      where e.account_id = any (%(all)s::uuid[])),
    (select array_agg(h order by h.account_id, h.hold_id)::text from hold h
      where h.account_id = any (%(all)s::uuid[]))
    from account_balance b where b.account_id = any (%(all)s::uuid[])"""


PLANS = """insert into plan values (1, 'loose', 300, true), (2, 'tight', 4, false);
    insert into plan_limit select p.plan_id, t.rate_class, case p.plan_id when 1 then 0 else 2 end, null,
                                  case p.plan_id when 1 then 0 else 30 end
      from plan p, (select distinct rate_class from tool where tool_id = any (%s)) t"""


def test_both_ways_decide_alike(stack, books):
    """The statement for plain calls, and the loop for single calls: same outcomes, same rows."""
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    desks = [Desk(books, 200), Desk(books, 100000), Desk(books, 5000, limits_off=True)]
    tools = [number for number, in books.rows("select tool_id from tool order by tool_id limit 3")]
    everybody = [desk.account.id for desk in desks]
    met, now = set(), 1_900_000_000_000
    connection = books.site.connect()
    connection.autocommit = False
    with contextlib.closing(connection), connection.cursor() as cursor:
        def outcome(statement, batch):
            cursor.execute(statement, batch)
            rows = cursor.fetchall()
            cursor.execute(STATE, {"all": everybody})
            return rows, cursor.fetchall()

        cursor.execute("update tool set price = 1, price_before = (array[5, 40, 900])[array_position(%s, tool_id)]"
                       " where tool_id = any (%s)", [tools, tools])
        cursor.execute("update token set last_used_at = to_timestamp(%s)", [now / 1000])
        cursor.execute(PLANS, [tools])
        for number in range(BATCHES):
            now += rng.choice([0, 1, 500, 4000, MINUTE - 1, MINUTE])
            batch = random_batch(rng, desks, tools, now)
            cursor.execute("update account set plan_id = %s, plan_at = case when %s then now() end where account_id = %s",
                           next((plan, plan is not None, rng.choice(desks).account.id)
                                for plan in [rng.choice([None, 1, 2])]))
            cursor.execute("savepoint here")
            each = outcome(EACH, batch)
            cursor.execute("rollback to here")
            both = outcome(BOTH, batch)
            assert both == each, f"seed {seed}, batch {number}: {batch}"
            met |= {row[0] for row in each[0]}
        connection.rollback()
    assert met >= {"admitted", "captured", "busy", "auth_invalid", "insufficient_credits", "price_not_on_record", "rate_limited_endpoint",
                   "rate_limited_global", "rate_limited_class", "daily_quota_exceeded"}


def test_rules_are_written_into_the_statement(stack, books):
    """A rule is a separate function, and costs a call nothing: the query plan of the paid call
    contains none of them. plan_for() is called only for accounts with a plan."""
    rules = {name for name, in books.rows("select proname from pg_proc where pronamespace = 'public'::regnamespace")}
    plan = "\n".join(line for line, in books.rows("explain (verbose) select * from plain_admissions(%s, %s, 0)",
                                                  [], []))
    assert "Function Scan on pg_catalog.unnest" in plan
    assert rules & set(re.findall(r"\b(\w+)\(", plan)) == {"chain_entries", "plan_for"}  # an aggregate cannot be written in
