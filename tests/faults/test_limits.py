"""tests/faults/test_limits.py - the windows are exact: compared with a simple model.

Random schedules with bursts at the windows' edges go to ledger_batch() over two connections, as two
gateways would send them; the test sets the clock. The model stores the time of every admitted call,
and counts.
"""

import json
import random
import uuid

import psycopg2
import psycopg2.extras
import pytest

from kit.check import ROOT
from kit.load import SETTINGS
from kit.database.ledger import BATCH, admission, items, settlement
from kit.site import Site

pytestmark = pytest.mark.xdist_group("limits")

SCHEDULES = 200
MINUTE = 60000
START = 1_900_000_000_000  # a clock that the test sets
DAY = 86_400_000
GATEWAYS = 2
CALLS_BY_KEY = 200

# tool: (endpoint, class, daily limit); tools of the same class share its window
TOOLS = {"alpha": (5, None, None), "beta": (3, None, None), "gamma": (None, 4, None),
         "delta": (None, 4, None), "omega": (4, None, 6)}
CLASSES = {"alpha": "a", "beta": "b", "gamma": "shared", "delta": "shared", "omega": "o"}
GLOBAL = 12
NUMBERS = ("endpoint_per_minute", "class_per_minute", "daily_per_tool")  # of a plan's class, as of TOOLS

# A session can stop the clock: rejections can be compared to the millisecond.
STANDING_CLOCK = """create or replace function ledger_now_ms() returns bigint language sql volatile as $$
    select coalesce(current_setting('test.now_ms', true), '0')::bigint $$"""
ADMIT = f"select ord, outcome, retry_ms, window_limit, window_left, reset_ms from {BATCH} order by ord"
END = f"select outcome from {BATCH}"
CAPTURE, VOID, VOID_KEEP_DAY = 1, 2, 4  # of ledger_settle()
REFUSED = ("rate_limited_endpoint", "rate_limited_class", "rate_limited_global", "daily_quota_exceeded")


class Model:
    """All admitted calls (time, tool), forever; and the account's plan, as a file has it."""

    def __init__(self):
        self.calls = []
        self.counted = []  # those admitted while their tool had a daily limit: they are in its quota
        self.plan = {}

    def limits(self, tool):
        """As in TOOLS, with the plan's numbers, where 0 means unlimited."""
        own = self.plan.get("classes", {}).get(CLASSES[tool], {})
        return [own.get(name, default) or None for name, default in zip(NUMBERS, TOOLS[tool], strict=True)]

    def windows(self, tool, now):
        """(code, times in the window, limit) of each window the call is in, the endpoint's
        first."""
        endpoint, shared, _ = self.limits(tool)
        live = [(at, name) for at, name in self.calls if now - at < MINUTE]
        if endpoint is not None:
            yield REFUSED[0], [at for at, name in live if name == tool], endpoint
        if shared is not None:
            yield REFUSED[1], [at for at, name in live if CLASSES[name] == CLASSES[tool]], shared
        yield REFUSED[2], [at for at, name in live], self.plan.get("global_per_minute", GLOBAL)

    def ask(self, tool, now):
        """(outcome, retry_ms, tightest window); stores the call when it is admitted."""
        refused = [(code, times[len(times) - limit] + MINUTE - now)
                   for code, times, limit in self.windows(tool, now) if len(times) >= limit]
        daily = self.limits(tool)[2]
        today = sum(name == tool and at // DAY == now // DAY for at, name in self.counted)
        if daily is not None and today >= daily:
            refused.append((REFUSED[3], DAY - now % DAY))
        if refused:
            return refused[0][0], max(retry for _, retry in refused), None
        left = min(limit - len(times) - 1 for _, times, limit in self.windows(tool, now))
        self.calls.append((now, tool))
        self.counted += [(now, tool)] * (daily is not None)
        return "admitted", None, left

    def most_in_a_minute(self, chosen):
        times = [at for at, name in self.calls if chosen(name)]
        return max((sum(at <= other < at + MINUTE for other in times) for at in times), default=0)


class Bench:
    """The database with its clock stopped, two connections as the gateways' role."""

    def __init__(self, stack):
        self.owner = psycopg2.connect(stack.database())
        self.owner.autocommit = True
        self.run(STANDING_CLOCK)
        self.ids = dict(zip(TOOLS, self.register()))
        self.lines = [psycopg2.connect(stack.database("tollgate_gateway")) for _ in range(GATEWAYS)]
        for line in self.lines:
            line.autocommit = True
        psycopg2.extras.register_uuid()

    def run(self, statement, *values):
        with self.owner.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def register(self):
        self.run("select * from tool_register(%s, %s, %s, %s)", list(TOOLS), ["test"] * len(TOOLS),
                 [CLASSES[name] for name in TOOLS], [1] * len(TOOLS))
        return [self.run("select tool_id from tool where name = %s", name)[0][0] for name in TOOLS]

    def ask(self, gateway, account, digest, tools, now, credits=1, keys=None, ttl_ms=5000):
        """One batch of a gateway at a time: its outcomes. keys: (Idempotency-Key's hash, request's)
        of each."""
        calls = [admission(account, uuid.uuid4(), digest, self.ids[tool], credits, ttl_ms=ttl_ms, global_limit=GLOBAL,
                           endpoint_limit=TOOLS[tool][0], class_limit=TOOLS[tool][1], daily_limit=TOOLS[tool][2],
                           key=key, fingerprint=fingerprint)
                 for tool, (key, fingerprint) in zip(tools, keys or [(None, None)] * len(tools), strict=True)]
        with self.lines[gateway].cursor() as cursor:
            cursor.execute("select set_config('test.now_ms', %s, false)", [str(now)])
            cursor.execute(ADMIT, [items(), items(*calls)])
            return cursor.fetchall()


    def give_plan(self, account, name, plan=None):
        """As tollctl does; plan: write it first."""
        if plan is not None:
            self.run("select plan_write(%s, %s::jsonb)", name, json.dumps(plan))
        self.run("select plan_assign(%s, %s)", account, name)

    def end(self, account, op, hold=None):
        """Settle a hold; None: the account's oldest open one."""
        if hold is None:
            (hold,), *_ = self.run("select hold_id from hold where account_id = %s and state = 1 order by created_at",
                                   account)
        with self.lines[0].cursor() as cursor:
            cursor.execute(END, [items(settlement(op, account, hold)), items()])
            return cursor.fetchall()


@pytest.fixture(scope="module")
def stack(own_stack):
    stack = own_stack(settings=SETTINGS)
    for name in ("edge", "svc-utils-1", "gateway-1"):  # no other connection reads the clock
        stack.parts[name].stop()
    return stack


@pytest.fixture(scope="module")
def bench(stack):
    return Bench(stack)


def schedule(rng):
    """(pause before it, gateway, tools) of each batch: bursts, then waits that end just before, at
    and after the moment when something leaves a window."""
    tools = rng.sample(list(TOOLS), rng.randrange(1, len(TOOLS) + 1))
    for _ in range(rng.randrange(8, 40)):
        yield rng.choice(["now", "a little", "edge", "edge", "edge", "long"]), rng.randrange(GATEWAYS), \
            [rng.choice(tools) for _ in range(rng.choice([1, 1, 2, 5, 14]))]


def moment(rng, kind, now, model):
    """The next moment: at an edge means within 1 ms of a call's 60,000th millisecond."""
    if kind == "edge" and model.calls:
        at = rng.choice(model.calls[-20:])[0] + MINUTE + rng.choice([-1, 0, 0, 1])
        return max(now, at)
    if kind == "long":
        return now + rng.choice([MINUTE - 1, MINUTE, 2 * MINUTE, 30_000, DAY // 3])
    return now + (rng.randrange(1, 2000) if kind == "a little" else 0)


def account_of(bench, stack, credits=10_000_000):
    account = Site.of(stack).open_account(credits)
    digest = bench.run("select digest from token where account_id = %s", account.id)[0][0]
    return account.id, digest


def test_batches_read_by_key(stack, bench):
    """A connection made its plans when there was no call; it reads no table in full when there are
    many. Runs first, when there is no call."""
    assert bench.run("select count(*) from hold") == [(0,)]
    bench.run("vacuum analyze")
    account, digest = account_of(bench, stack)
    bench.run("update account set limits_off = true where account_id = %s", account)
    bench.end(account, VOID, str(uuid.uuid4()))  # plans of settlements are also made when there is no hold

    def tuples_read():
        bench.lines[0].cursor().execute("select pg_stat_force_next_flush()")
        bench.lines[0].cursor().execute("select")
        return sum(bench.run("""select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes
            union all select sum(seq_tup_read) from pg_stat_user_tables where relname <> 'tool'""")[n][0]
                   for n in (0, 1))

    for ttl_ms in (None, 5000):  # charged at once, and held: entries and holds are looked up by their ids
        before = tuples_read()
        for _ in range(CALLS_BY_KEY):
            bench.ask(0, account, digest, ["alpha"], START + 10_000 * DAY, ttl_ms=ttl_ms)
        assert tuples_read() - before < CALLS_BY_KEY * 30
    holds = [hold for hold, in bench.run("select hold_id from hold where account_id = %s", account)]
    before = tuples_read()
    for number, hold in enumerate(holds):
        bench.end(account, (VOID, CAPTURE)[number % 2], hold)
        bench.end(account, VOID, hold)  # one that is settled
    assert tuples_read() - before < len(holds) * 60


def play(bench, account, digest, rng, now, where, change=None):
    """A schedule, compared with the model; change(rng, model) comes before a batch. Returns the
    model, the outcomes, and the time."""
    model, outcomes = Model(), set()
    for kind, gateway, tools in schedule(rng):
        if change and rng.random() < 0.4:
            change(rng, model)
        now = moment(rng, kind, now, model)
        rows = bench.ask(gateway, account, digest, tools, now)
        for tool, (_, outcome, retry_ms, _, left, _) in zip(tools, rows, strict=True):
            wanted, wanted_retry, wanted_left = model.ask(tool, now)
            here = f"{where}: {tool} at {now}, plan {model.plan}, after {model.calls[-70:]}"
            assert (outcome, retry_ms) == (wanted, wanted_retry), here
            assert wanted_left is None or left == wanted_left, here
            outcomes.add(outcome)
    return model, outcomes, now


def test_random_schedules(stack, bench):
    """Never more than a limit, never a rejection below it, Retry-After to the millisecond, and the
    headers."""
    account, digest = account_of(bench, stack)
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    outcomes = set()
    begin = START
    for number in range(SCHEDULES):
        rng = random.Random(seed + number)
        model, met, now = play(bench, account, digest, rng, begin, f"seed {seed}, schedule {number}")
        outcomes |= met
        for tool, (endpoint, shared, _) in TOOLS.items():
            assert endpoint is None or model.most_in_a_minute(lambda name: name == tool) <= endpoint
            assert shared is None or model.most_in_a_minute(lambda n: CLASSES[n] == "shared") <= shared
        assert model.most_in_a_minute(lambda name: True) <= GLOBAL
        begin = (now // DAY + 2) * DAY + rng.randrange(DAY)  # nothing of this schedule counts any more
    assert outcomes == {"admitted", *REFUSED}, "the schedules meet every limit"


def random_plan(rng):
    def numbers():
        return {name: rng.choice([0, 1, 2, 4, 8, 20]) for name in NUMBERS if rng.random() < 0.4}

    return {"global_per_minute": rng.choice([1, 5, 12, 30, 70]),
            "classes": {name: numbers() for name in set(CLASSES.values()) if rng.random() < 0.6}}


def test_random_schedules_with_plans(stack, bench):
    """The account gets plans, loses them, and its plan is edited, within the minute. The gateways
    send the default limits all the time, as those of the version before plans do."""
    account, digest = account_of(bench, stack)
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")

    def change(rng, model):
        model.plan = random_plan(rng) if rng.random() < 0.8 else {}
        bench.give_plan(account, rng.choice(["one", "two"]) if model.plan else None, model.plan or None)

    outcomes, now = set(), START + 20_000 * DAY
    for number in range(SCHEDULES // 2):
        bench.give_plan(account, None)
        rng = random.Random(seed + number)
        _, met, now = play(bench, account, digest, rng, now, f"seed {seed}, schedule {number}", change)
        outcomes |= met
        now = (now // DAY + 2) * DAY + rng.randrange(DAY)
    assert outcomes == {"admitted", *REFUSED}, "the schedules meet every limit"
    stack.tollctl("verify", "--account", str(account))


WIDE = {"global_per_minute": 300, "classes": {"a": {"endpoint_per_minute": 0}}}


def test_three_hundred_a_minute(stack, bench):
    """The largest limit, lowered and raised within the minute, to the millisecond; and its row
    stays in the table and on its page."""
    account, digest = account_of(bench, stack)
    bench.give_plan(account, "wide", WIDE)
    begin = START + 30_000 * DAY
    times = []
    for batch in range(12):
        times += [begin + batch * 100] * 25
        assert {row[1] for row in bench.ask(batch % 2, account, digest, ["alpha"] * 25, times[-1])} == {"admitted"}
    now = begin + 30_000
    for limit in (300, 60, 300):
        bench.give_plan(account, "wide", WIDE | {"global_per_minute": limit})
        for gateway in range(GATEWAYS):
            row, = bench.ask(gateway, account, digest, ["alpha"], now)
            assert row[1:3] == (REFUSED[2], times[len(times) - limit] + MINUTE - now)
    now = begin + 1000 + MINUTE  # 11 of 12 batches have left
    assert [row[1] for row in bench.ask(0, account, digest, ["alpha"] * 280, now)] == ["admitted"] * 275 + [REFUSED[2]] * 5
    bench.give_plan(account, None)
    assert bench.ask(1, account, digest, ["alpha"], now)[0][1:3] == (REFUSED[0], MINUTE)
    bench.give_plan(account, "wide")

    def counted():
        bench.owner.cursor().execute("select pg_stat_force_next_flush()")
        bench.run("select")
        return bench.run("select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = 'account_balance'")[0]

    def admit(number):
        return bench.ask(number % 2, account, digest, ["alpha"], now + 2 * MINUTE + number * 200)[0][1]

    assert {admit(number) for number in range(300)} == {"admitted"}  # from now on 300 calls are in each minute
    for line in bench.lines:
        line.cursor().execute("select pg_stat_force_next_flush()")
        line.cursor().execute("select")
    before = counted()
    assert {admit(300 + number) for number in range(400)} == {"admitted"}
    assert bench.run("select cardinality(ring_at) from account_balance where account_id = %s", account) == [(300,)]
    for line in bench.lines:
        line.cursor().execute("select pg_stat_force_next_flush()")
        line.cursor().execute("select")
    updates, hot = (after - first for after, first in zip(counted(), before, strict=True))
    assert updates >= 400 and hot >= 0.9 * updates, (updates, hot)
    toast = "select pg_relation_size(reltoastrelid) from pg_class where relname = 'account_balance'"
    assert bench.run(toast) == [(0,)]


def test_after_retry_after(stack, bench):
    """The same call is admitted after exactly retry_ms, and rejected one millisecond earlier."""
    account, digest = account_of(bench, stack)
    rng = random.Random(7)
    now = START + 4000 * DAY
    for _ in range(40):
        tool = rng.choice(list(TOOLS))
        while (row := bench.ask(0, account, digest, [tool], now)[0])[1] == "admitted":
            now += rng.randrange(0, 9000)
        retry_ms = row[2]
        early, = bench.ask(1, account, digest, [tool], now + retry_ms - 1)
        assert early[1] in REFUSED and early[2] == 1
        assert bench.ask(1, account, digest, [tool], now + retry_ms)[0][1] == "admitted"
        now += retry_ms


def test_clock_that_steps_back(stack, bench):
    """Another server's clock is behind: now is never before the newest call, so no window opens
    early."""
    account, digest = account_of(bench, stack)
    now = START + 8000 * DAY
    assert [row[1] for row in bench.ask(0, account, digest, ["beta"] * 3, now)] == ["admitted"] * 3
    for back in (1, 1000, MINUTE, DAY):
        row, = bench.ask(1, account, digest, ["beta"], now - back)
        assert (row[1], row[2]) == (REFUSED[0], MINUTE)
    at, = bench.run("select ring_at from account_balance where account_id = %s", account)[0]
    assert at == sorted(at)
    # a step of a day: the account waits a minute for its window, and not until the day has passed
    assert bench.ask(1, account, digest, ["beta"], now - DAY + MINUTE - 1)[0][1] == REFUSED[0]
    assert bench.ask(1, account, digest, ["beta"], now - DAY + MINUTE)[0][1] == "admitted"


def test_rejections_leave_no_mark(stack, bench):
    """A thousand rejected calls do not move the moment at which the next one is admitted."""
    account, digest = account_of(bench, stack)
    now = START + 9000 * DAY
    bench.ask(0, account, digest, ["beta"] * 3, now)
    before = bench.run("select ring_at, held from account_balance where account_id = %s", account)
    for step in range(10):
        rows = bench.ask(step % 2, account, digest, ["beta"] * 100, now + step * 1000)
        assert {row[1] for row in rows} == {REFUSED[0]}
    bench.run("update account_balance set held = posted where account_id = %s", account)
    assert bench.ask(0, account, digest, ["alpha"], now + 20_000)[0][1] == "insufficient_credits"
    bench.run("update account_balance set held = 3 where account_id = %s", account)
    assert bench.run("select ring_at, held from account_balance where account_id = %s", account) == before
    assert bench.ask(1, account, digest, ["beta"], now + MINUTE)[0][1] == "admitted"


def test_held_credits_are_not_available(stack, bench):
    """Credits of a running call pay for no other, in its batch and after it."""
    account, digest = account_of(bench, stack, credits=10)
    bench.run("update tool set price = 6, price_before = 4 where name = 'alpha'")
    rows = bench.ask(0, account, digest, ["alpha"] * 2, START + 9400 * DAY, credits=6)
    assert [row[1] for row in rows] == ["admitted", "insufficient_credits"]
    rows = bench.ask(1, account, digest, ["alpha"] * 2, START + 9400 * DAY, credits=4)
    assert [row[1] for row in rows] == ["admitted", "insufficient_credits"]
    bench.run("update tool set price = 1, price_before = null where name = 'alpha'")


def test_a_daily_call_is_returned(stack, bench):
    """VOID returns the call to the quota of its day, which may be over by then; VOID_KEEP_DAY does
    not."""
    account, digest = account_of(bench, stack)
    evening = START + 9600 * DAY - START % DAY + DAY - 2 * MINUTE
    for count, now in ((4, evening), (2, evening + MINUTE)):
        assert {row[1] for row in bench.ask(0, account, digest, ["omega"] * count, now)} == {"admitted"}
    late = evening + 2 * MINUTE - 1
    assert bench.ask(0, account, digest, ["omega"], late)[0][1] == REFUSED[3]
    assert bench.end(account, VOID_KEEP_DAY) == [("voided",)]
    assert bench.ask(0, account, digest, ["omega"], late)[0][1] == REFUSED[3]
    assert bench.end(account, VOID) == [("voided",)]
    assert bench.ask(0, account, digest, ["omega"], late)[0][1] == "admitted"
    assert bench.ask(0, account, digest, ["omega"], late + 1)[0][1] == "admitted"  # another day
    assert bench.end(account, VOID) == [("voided",)]
    assert bench.run("select used from daily_quota where account_id = %s order by day", account) == [(5,), (1,)]


def test_one_key_in_one_batch(stack, bench):
    """The second finds the key taken by the first, though that has not been committed; so does
    another request."""
    account, digest = account_of(bench, stack)
    key, request, other = (bytes([n]) * 32 for n in range(3))
    rows = bench.ask(0, account, digest, ["alpha"] * 3, START + 9500 * DAY,
                     keys=[(key, request), (key, request), (key, other)])
    assert [row[1] for row in rows] == ["admitted", "idempotency_in_progress", "idempotency_mismatch"]
    assert bench.run("select held from account_balance where account_id = %s", account) == [(1,)]


def test_the_real_clock_moves_by_its_setting(stack, bench):
    """Restores what the tests above replaced: the server's clock, and the setting that shifts it.
    Runs last."""
    source = (ROOT / "gateway" / "sql" / "002-ledger.sql").read_text()
    begin = source.index("create function ledger_now_ms()")
    function = source[begin:source.index("$$;", begin) + 3].replace("create", "create or replace", 1)
    bench.run(function)
    now, = bench.run("select ledger_now_ms() - (extract(epoch from clock_timestamp()) * 1000)::bigint")[0]
    bench.run("set tollgate.clock_shift_ms = '3600000'")
    ignored, = bench.run("select ledger_now_ms() - (extract(epoch from clock_timestamp()) * 1000)::bigint")[0]
    bench.run("insert into test_clock default values")
    later, = bench.run("select ledger_now_ms() - (extract(epoch from clock_timestamp()) * 1000)::bigint")[0]
    bench.run("reset tollgate.clock_shift_ms")
    assert -5 <= now <= 0 and -5 <= ignored <= 0 and 3_599_995 <= later <= 3_600_000
