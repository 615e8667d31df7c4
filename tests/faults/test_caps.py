"""tests/faults/test_caps.py - a token's spending caps are exact: on two gateways, in each write
path, whatever dies, and over midnight."""

import datetime
import json
import random
import threading
import time
import uuid

import psycopg2
import pytest

from kit.load import BROKEN, SETTINGS, Load, Line, arm, check_load, restart_after_death, metric, wait_for_death
from kit.database.ledger import BATCH, PRICED_TOOLS, admission, items, settlement
from kit.site import Account, Site
from part import Failure, wait_for

pytestmark = pytest.mark.xdist_group("caps")

CLIENTS = 64
CAP = 98
CHEAP = ("hash-generate", {"input": "abc"}, 1)  # one write
DEAR = ("chatplatform-moderate", {"text": "hello"}, 3)
CAPPED = {"spending_cap_daily", "spending_cap_total"}
SCHEDULES = 60
MINUTE_MS = 60_000
DAY_MS = 86_400_000
HOLD_MS = 10 * DAY_MS
CAPTURE, VOID, CANCEL, VOID_KEEP_DAY = 1, 2, 3, 4  # of ledger_settle()
ENDS = [CAPTURE, CAPTURE, VOID, CANCEL, VOID_KEEP_DAY]
ADMIT = f"select outcome, granted, used, retry_ms from {BATCH} order by ord"
SETTLE = f"select outcome from {BATCH}"


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, settings=SETTINGS)


def open_capped(books, *caps, credits=100000):
    """An account without limits, whose token has caps."""
    account = books.site.tollctl("account", "create", "capped", "--credits", credits, "--limits-off", "--json")["account"]
    token = books.site.tollctl("token", "create", account, *caps, "--json")
    return Account(account, token["token"], token["token_id"])


def spent(books, account):
    return books.rows("select spent_today, spent_total from token where token_id = %s", account.token_id)[0]


class Spenders:
    """Clients that each make the same call until their token is rejected for good."""

    def __init__(self, books, account, calls, clients=CLIENTS):
        self.calls = []
        self._books, self._account = books, account
        gateways = books.stack.gateways
        self._threads = [
            threading.Thread(target=self._run, args=(gateways[n % len(gateways)], calls[n % len(calls)]), daemon=True)
            for n in range(clients)]

    def run(self):
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a client hangs"
        return self

    def _run(self, gateway, wanted):
        tool, request, _ = wanted
        line = Line(self._books.site, gateway)
        while True:
            assert line.open()
            call, _ = line.call(self._account, tool, request)
            self.calls.append(call)
            if call.status != 200:
                break
        line.close()

    @property
    def paid(self):
        return [call for call in self.calls if call.status == 200]

    @property
    def codes(self):
        return {code for call in self.calls for code in call.codes}


@pytest.mark.parametrize("cap", ["--cap-daily", "--cap-total"])
@pytest.mark.parametrize("calls, answered", [([CHEAP], CAP), ([DEAR], CAP // 3)])
def test_exactly_what_the_cap_allows(stack, books, cap, calls, answered):
    """64 clients, two gateways, no limits: the last call that fits succeeds, the next does not."""
    account = open_capped(books, cap, CAP)
    unpaid = sum(metric(stack, name, "tollgate_ledger_unpaid_calls_total") for name in ("gateway-1", "gateway-2"))
    load = Spenders(books, account, calls).run()
    assert len(load.paid) == answered
    assert load.codes == {cap.strip("-").replace("cap", "spending_cap").replace("-", "_")}
    books.check([account], load.calls)
    assert spent(books, account) == (answered * calls[0][2],) * 2
    wasted = sum(metric(stack, name, "tollgate_ledger_unpaid_calls_total") for name in ("gateway-1", "gateway-2")) - unpaid
    assert wasted <= CLIENTS  # of work that ran before its payment, which then failed


def test_expensive_and_cheap_together(stack, books):
    """Held calls and one-write calls share the cap; the rest is less than the expensive one
    costs."""
    account = open_capped(books, "--cap-total", CAP)
    load = Spenders(books, account, [CHEAP, DEAR]).run()
    books.check([account], load.calls)
    assert spent(books, account)[1] == books.charged(account) == CAP


def test_the_rejection(stack, books):
    """Status, code, the numbers, and Retry-After; the cap is checked before the balance, and other
    tokens still work."""
    account = open_capped(books, "--cap-daily", 3, "--cap-total", 5, credits=8)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    for _ in range(3):
        assert line.call(account)[0].status == 200
    body = json.dumps(CHEAP[1])
    asked = datetime.datetime.now(datetime.timezone.utc)
    status, headers, content = line.send(account, CHEAP[0], body)
    passed = datetime.datetime.now(datetime.timezone.utc) - asked
    error, = json.loads(content)["errors"]
    assert (status, error["code"]) == (429, "spending_cap_daily")
    assert error["message"] == "this call costs 1 credit; this token's cap is 3 a day (UTC), and 3 are spent;" \
        " the token's owner can raise the cap"
    midnight = datetime.datetime.combine(asked.date() + datetime.timedelta(1), datetime.time(), datetime.timezone.utc)
    late = (midnight - asked).total_seconds() - int(headers["Retry-After"])
    assert -1 <= late <= passed.total_seconds() + 1
    assert headers["X-Credits-Charged"] == "0"

    books.site.tollctl("token", "set-cap", account.id, account.token_id, "--daily", 100, "--total", 5)
    assert [line.call(account)[0].status for _ in range(2)] == [200, 200]
    status, headers, content = line.send(account, CHEAP[0], body)
    error, = json.loads(content)["errors"]
    assert (status, error["code"], "Retry-After" in headers) == (403, "spending_cap_total", False)
    assert error["message"] == "this call costs 1 credit; this token's cap is 5 in total, and 5 are spent;" \
        " the token's owner can raise the cap"

    books.site.tollctl("token", "set-cap", account.id, account.token_id)  # no cap any more
    assert [line.call(account)[0].codes for _ in range(4)] == [(), (), (), ("insufficient_credits",)]
    line.close()
    assert spent(books, account) == (8, 8)
    books.stack.tollctl("verify")


def test_a_token_without_a_cap_never_gets_one(stack, books):
    account = books.site.open_account(10)
    with pytest.raises(Failure, match="was created without a cap and cannot get one"):
        books.site.tollctl("token", "set-cap", account.id, account.token_id, "--daily", 3)
    assert spent(books, account) == (None, None)
    shown, = books.site.tollctl("token", "list", account.id, "--json")["tokens"]
    assert (shown["cap_daily"], shown["spent_today"], shown["cap_total"], shown["spent_total"]) == (None,) * 4


def test_replays_and_reads_cost_nothing(stack, books):
    """The same key again, and reads of the account."""
    account = open_capped(books, "--cap-total", 2)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    calls = [line.call(account, headers={"Idempotency-Key": "k"})[0] for _ in range(3)]
    assert [(call.status, call.replayed) for call in calls] == [(200, False), (200, True), (200, True)]
    assert line.request(account, "account/credits", None, method="GET")[0] == 200
    assert spent(books, account) == (1, 1)
    line.close()


def test_a_failed_call_returns_credits(stack, books):
    """The tool rejects it after admission: the next call may spend the credits."""
    account = open_capped(books, "--cap-total", 3)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    for _ in range(5):
        assert line.call(account, "jwt-decode", {"token": "x"})[0].status in (400, 422)
    books.wait_until_nothing_is_held()
    assert spent(books, account) in ((0, 0), (None, 0))
    line.close()


@pytest.mark.parametrize("point", ["after-admit", "after-reply", "before-pay-sent", "after-pay-sent", "after-capture",
                                   "before-first-byte"])
def test_gateway_dies_at(stack, books, point):
    """Its calls in flight count if they are charged, and only then: the counters match verify."""
    accounts = [open_capped(books, "--cap-daily", 100000, "--cap-total", 100000) for _ in range(3)]
    arm(stack, "gateway-1", point, 40)
    with Load(books.site, accounts, 8, stack.gateways) as load:
        wait_for_death(stack.parts["gateway-1"])
        load.wait_for_answers(20)
    restart_after_death(stack, "gateway-1")
    check_load(books, load, accounts, {200, BROKEN})
    for account in accounts:
        assert spent(books, account)[1] == books.charged(account)


def test_capped_and_revoked_under_load(stack, books):
    """A changed cap applies from its commit on, and so does a revocation."""
    account = open_capped(books, "--cap-total", 100000)
    with Load(books.site, [account], 8, stack.gateways) as load:
        load.wait_for_answers(40)
        books.site.tollctl("token", "set-cap", account.id, account.token_id, "--total", 0)
        seen = spent(books, account)[1]
        load.wait_for_answers(20, status=403)
        assert spent(books, account)[1] == seen
        answered = load.statuses()[200]
        books.site.tollctl("token", "set-cap", account.id, account.token_id, "--total", seen + 30)
        wait_for(lambda: load.statuses()[200] == answered + 30, 20, "30 more answers")
        load.wait_for_answers(8, status=403)
        books.site.tollctl("token", "revoke", account.id, account.token_id)
        load.wait_for_answers(8, status=403)
    assert load.statuses().keys() == {200, 403}
    check_load(books, load, [account], {200, 403})
    assert spent(books, account)[1] == seen + 30 == books.charged(account)


def test_another_transaction_holds_a_capped_token(stack, books):
    """A manual update of a token, without the account's lock: the account's calls wait and are
    rejected, older and newer accounts are not affected."""
    others = [books.site.open_account(100000, limits_off=True)]
    held = open_capped(books, "--cap-total", 100000)
    others.append(books.site.open_account(100000, limits_off=True))
    careless = books.site.connect()
    careless.autocommit = False
    try:
        with Load(books.site, others, 8, stack.gateways) as load, \
                Load(books.site, [held], 4, stack.gateways) as stuck:
            stuck.wait_for_answers(8)
            with careless.cursor() as cursor:
                cursor.execute("update token set name = 'x' where token_id = %s", (held.token_id,))
            stuck.wait_for_answers(4, status=503)
            load.wait_for_answers(50)
            careless.rollback()
            stuck.wait_for_answers(8)
    finally:
        careless.close()
    check_load(books, load, others, {200})
    check_load(books, stuck, [held], {200, "ledger_unavailable"})


# ---- the ledger's functions compared with a simple model ----


class Counted:
    """A token with caps: calls are [day, credits, still counted]."""

    def __init__(self, daily, total):
        self.daily, self.total = daily, total
        self.day = None
        self.calls = []

    def spent(self, day=None):
        return sum(credits for on, credits, counts in self.calls if counts and day in (None, on))

    def ask(self, today, credits):
        day = max(self.day or today, today)
        if self.daily is not None and self.spent(day) + credits > self.daily:
            return "spending_cap_daily", self.daily, self.spent(day)
        if self.total is not None and self.spent() + credits > self.total:
            return "spending_cap_total", self.total, self.spent()
        self.day = day
        self.calls.append([day, credits, True])
        return None


class Till:
    """Two connections of gateways, whose clock the test sets."""

    def __init__(self, stack, books, rng):
        self.rng = rng
        self.now_ms = int(time.time() * 1000) + DAY_MS
        self.newest_ms = 0  # the account's newest call
        self.lines = [psycopg2.connect(stack.database("tollgate_gateway")) for _ in range(2)]
        self.owner = psycopg2.connect(stack.database())
        for line in (*self.lines, self.owner):
            line.autocommit = True
        self.books = books
        books.rows(PRICED_TOOLS.format(most=7))
        books.rows("insert into test_clock default values on conflict do nothing")
        self.account = books.site.open_account(100000, limits_off=True)
        self.tokens = {}
        for caps in ((rng.randrange(5, 40), None), (None, rng.randrange(20, 90)), (15, 40), None):
            self.add_token(caps)
        self.open = []  # [hold, the call of a Counted, or None], held or captured

    def add_token(self, caps):
        options = [f"--cap-{name}={cap}" for name, cap in zip(("daily", "total"), caps or ()) if cap is not None]
        token = self.books.site.tollctl("token", "create", self.account.id, *options, "--json")["token_id"]
        digest, = self.books.rows("select digest from token where token_id = %s", token)[0]
        self.tokens[token] = (bytes(digest), Counted(*caps) if caps else None)

    def close(self):
        for line in (*self.lines, self.owner):
            line.close()

    @property
    def today(self):
        return self.now_ms // DAY_MS

    def run(self, line, statement, values):
        with line.cursor() as cursor:
            cursor.execute("select set_config('tollgate.clock_shift_ms', %s, false)",
                           [str(self.now_ms - int(time.time() * 1000))])
            cursor.execute(statement, values)
            return cursor.fetchall()

    def account_ms(self):
        """The account's clock. It does not go back, unless its newest call is over a minute
        ahead."""
        if self.newest_ms > self.now_ms + MINUTE_MS:
            self.newest_ms = self.now_ms
        return max(self.now_ms, self.newest_ms)

    def admit(self):
        """One batch of calls: outcomes are the model's."""
        clock_ms = self.account_ms()
        today = clock_ms // DAY_MS
        many = self.rng.choice([1, 1, 2, 5])
        chosen = [self.rng.choice(list(self.tokens)) for _ in range(many)]
        if self.rng.random() < 0.4:
            chosen = chosen[:1] * many
        credits = [self.rng.randrange(1, 8)] * many  # also the numbers of PRICED_TOOLS
        lives = [self.rng.choice([None, HOLD_MS])] * many
        holds = [str(uuid.uuid4()) for _ in chosen]
        calls = [admission(self.account.id, hold, self.tokens[token][0], price, price, ttl_ms=life)
                 for token, hold, price, life in zip(chosen, holds, credits, lives, strict=True)]
        rows = self.run(self.rng.choice(self.lines), ADMIT, [items(), items(*calls)])
        for (outcome, granted, used, retry_ms), token, hold, life in zip(rows, chosen, holds, lives, strict=True):
            counted = self.tokens[token][1]
            refusal = counted and counted.ask(today, credits[0])
            if refusal:
                assert (outcome, granted, used) == refusal
                if outcome == "spending_cap_daily":
                    back_ms = (max(counted.day or today, today) + 1) * DAY_MS - clock_ms
                    assert abs(retry_ms - back_ms) < 5000
                else:
                    assert retry_ms is None
            else:
                assert outcome == ("captured" if life is None else "admitted")
                self.newest_ms = clock_ms
                if life is not None:
                    self.open.append((hold, counted and counted.calls[-1]))

    def end(self):
        """Settle one hold, or one that is settled, in any way."""
        if not self.open:
            return
        hold, call = self.rng.choice(self.open)
        (outcome,), = self.run(self.rng.choice(self.lines), SETTLE,
                               [items(settlement(self.rng.choice(ENDS), self.account.id, hold)), items()])
        if outcome in ("voided", "expired", "refunded") and call:
            call[2] = False

    def recap(self):
        token = self.rng.choice([token for token, (_, counted) in self.tokens.items() if counted])
        counted = self.tokens[token][1]
        counted.daily, counted.total = (self.rng.choice([None, self.rng.randrange(80)]) for _ in range(2))
        self.run(self.owner, "select token_cap(%s, %s, %s, %s)", [self.account.id, token, counted.daily, counted.total])

    def wait(self):
        """Move the clock: to just before midnight, to just after it, or back across it, as on
        another server."""
        step = self.rng.choice(["while", "before", "after", "back"])
        if step == "while":
            self.now_ms += self.rng.randrange(DAY_MS // 8)
        elif step == "before":
            self.now_ms = (self.today + 1) * DAY_MS - 60_000
        elif step == "after":
            self.now_ms = (self.today + 1) * DAY_MS + 10_000
        elif self.now_ms % DAY_MS < 60_000:
            self.now_ms -= 120_000

    def check(self):
        """The counters match the model, and verify finds nothing."""
        for token, (_, counted) in self.tokens.items():
            day, today, total = self.run(self.owner, "select spent_day - date '1970-01-01', spent_today, spent_total"
                                                     " from token where token_id = %s", [token])[0]
            if counted is None:
                assert (day, today, total) == (None, None, None)
            elif counted.calls:
                assert (day, today, total) == (counted.day, counted.spent(counted.day), counted.spent())
        assert self.run(self.owner, "select * from caps_verify(%s, %s)",
                        ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]) == []


def test_random_schedules(stack, books):
    """Batches, settlements, new caps and midnights in any order."""
    seed = random.SystemRandom().randrange(1 << 32)
    for number in range(SCHEDULES // 10):
        till = Till(stack, books, random.Random(seed + number))
        try:
            for step in range(60):
                till.rng.choice([till.admit, till.admit, till.admit, till.end, till.end, till.recap, till.wait])()
                if step % 6 == 0:
                    till.check()
            till.check()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, schedule {number}: {error}") from error
        finally:
            till.close()
    stack.tollctl("verify", "--whole")


def test_an_expired_call_returns_credits(stack, books):
    """The worker never replies: the held credits are available again after the timeout."""
    account = open_capped(books, "--cap-daily", 9, "--cap-total", 9)
    digest, = books.rows("select digest from token where token_id = %s", account.token_id)[0]
    tool, = books.rows("select tool_id from tool where name = 'hash-generate'")[0]
    with psycopg2.connect(stack.database("tollgate_gateway")) as line, line.cursor() as cursor:
        cursor.execute(ADMIT, [items(), items(admission(account.id, uuid.uuid4(), digest, tool, 1, ttl_ms=1))])
        assert cursor.fetchall()[0][0] == "admitted"
    wait_for(lambda: spent(books, account) == (0, 0), 10, "it is given back")
    stack.tollctl("verify")


def test_verify_finds_a_changed_counter(stack, books):
    """The total cap, and the cap of the day."""
    account = open_capped(books, "--cap-daily", 50, "--cap-total", 50)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    assert line.call(account)[0].status == 200
    line.close()
    for column in ("spent_today", "spent_total"):
        books.rows(f"update token set {column} = {column} - 1 where token_id = %s", account.token_id)
        with pytest.raises(Failure, match=f"token {account.token_id}: {column} is 0"):
            stack.tollctl("verify")
        books.rows(f"update token set {column} = {column} + 1 where token_id = %s", account.token_id)
    stack.tollctl("verify")
