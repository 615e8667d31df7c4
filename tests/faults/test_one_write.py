"""tests/faults/test_one_write.py - one write admits and charges a short call, after its work: what
may die, be lost, change or be rejected in between (docs/decisions/007-one-write.md)."""

import contextlib
import threading

import pytest

from kit import pgproxy
from kit.load import BROKEN, SETTINGS, Load, Line, arm, check_load, restart_after_death, metric, wait_for_death
from kit.pgproxy import Proxy
from kit.site import Site
from kit.worker import WELCOME, Worker
from part import slowness

pytestmark = pytest.mark.xdist_group("one_write")

GATEWAYS = ("gateway-1", "gateway-2")
DAEMONS = ("svc-utils-1", "svc-utils-2")
# In the order of such a call's life; its work begins at after-admit.
POINTS = ["after-ticket", "after-admit", "after-job-sent", "after-reply", "before-pay-sent", "after-pay-sent",
          "after-capture", "before-first-byte", "after-answer"]
PASS = 40  # the gateway dies at the point's 40th pass, in the middle of load
UNAVAILABLE_S = 2.5  # within it a call is rejected while the database is down
LOSING = {200, "ledger_unavailable", "outcome_unknown"}  # its work is done before it waits for the ledger


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, daemons=2, settings=SETTINGS)


@pytest.fixture(scope="module")
def proxy(stack):
    proxy = Proxy(stack.cluster)
    for name in GATEWAYS:
        stack.parts[name].env["TOLLGATE_DB_URL"] = proxy.url()
        stack.restart(name)
    yield proxy
    proxy.close()


@pytest.fixture
def quiet(proxy):
    """The proxy; the test's faults end with it."""
    yield proxy
    proxy.judge = lambda batch: None


@pytest.fixture
def accounts(stack):
    site = Site.of(stack)
    return [site.open_account(100000, limits_off=True) for _ in range(3)]


def unpaid(stack):
    return sum(metric(stack, name, "tollgate_ledger_unpaid_calls_total") for name in GATEWAYS)


@contextlib.contextmanager
def known_line(stack, books, account, gateway=0):
    """A client of a gateway that has a spend estimate of the account: its next call is paid
    afterwards."""
    line = Line(books.site, stack.gateways[gateway])
    assert line.open()
    call, _ = line.call(account)
    assert call.status == 200
    line.first = call
    yield line
    line.close()


def test_it_is_one_write(stack, books):
    """The first call of an account at a gateway is held and captured; later calls have no hold,
    except those with a key."""
    account = books.site.open_account(1000)
    with known_line(stack, books, account) as line:
        calls = [line.first] + [line.call(account)[0] for _ in range(5)]
        calls.append(line.call(account, headers={"Idempotency-Key": "k"})[0])
    holds = books.rows("select hold_id::text from hold where account_id = %s order by created_at", account.id)
    assert holds == [(calls[0].reference,), (calls[-1].reference,)]
    assert books.charged(account) == 7
    books.check([account], calls)


@pytest.mark.parametrize("point", POINTS)
def test_gateway_dies_at(stack, books, accounts, point):
    """Its calls in flight are not charged or have a finished result, and the other gateway is not
    affected."""
    arm(stack, "gateway-1", point, PASS)
    with Load(books.site, accounts, 8, stack.gateways) as load:
        wait_for_death(stack.parts["gateway-1"])
        load.wait_for_answers(20)  # of the other one
    restart_after_death(stack, "gateway-1")
    assert load.statuses()[BROKEN] > 0
    check_load(books, load, accounts, {200, BROKEN})


@pytest.mark.parametrize("point, charged", [
    ("after-admit", 0), ("after-reply", 0), ("before-pay-sent", 0), ("after-capture", 1), ("before-first-byte", 1)])
def test_what_one_call_costs_then(stack, books, point, charged):
    """A single call, so its position is known: the second to reach a point that the first passes,
    too."""
    account = books.site.open_account(1000)
    arm(stack, "gateway-1", point, 1 if point == "before-pay-sent" else 2)
    with known_line(stack, books, account) as line:
        call, _ = line.call(account)
        assert call.status == BROKEN
        wait_for_death(stack.parts["gateway-1"])
        restart_after_death(stack, "gateway-1")
        assert books.charged(account) == 1 + charged
        books.check([account], [line.first, call])


def test_worker_killed_while_it_has_jobs(stack, books, accounts):
    """They run again, and nobody pays for what was lost."""
    with Load(books.site, accounts, 8, stack.gateways) as load:
        for name in DAEMONS:
            load.wait_for_answers(40)
            stack.parts[name].kill()
            load.wait_for_answers(20)
            stack.start_part(name)
    check_load(books, load, accounts, {200})


@pytest.mark.parametrize("cut", pgproxy.CUTS)
def test_responses_are_lost(stack, quiet, books, accounts, cut):
    """Each tenth batch: a call with 200 is paid once, any other call has cost nothing in the
    end."""
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(20)
        quiet.judge = lambda batch: cut if batch % 10 == 0 else None
        load.wait_for_answers(200, seconds=40)
        quiet.judge = lambda batch: None
    check_load(books, load, accounts, LOSING)


def test_database_killed(stack, books, accounts):
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(50)
        stack.parts["postgres"].kill()
        load.wait_for_answers(8, status=503)
        stack.start_part("postgres")
        load.wait_for_answers(50)
    check_load(books, load, accounts, LOSING)


def test_database_that_hangs(stack, books):
    """The payment's outcome is unknown then; it is refunded when the database is back."""
    account = books.site.open_account(1000)
    with known_line(stack, books, account) as line:
        stack.parts["postgres"].freeze()
        call, _ = line.call(account)
        later, _ = line.call(account)
        stack.parts["postgres"].thaw()
    assert (call.codes, later.codes) == (("outcome_unknown",), ("ledger_unavailable",))
    assert max(call.seconds, later.seconds) < UNAVAILABLE_S * slowness()
    books.check([account], [line.first, call, later])
    assert books.charged(account) == 1


def test_a_lost_payment_is_found(stack, quiet, books):
    """The entry identifies the call: a repetition is the same call, charged once, with the same
    hold."""
    account = books.site.open_account(1000)
    with known_line(stack, books, account) as line:
        first = quiet.batches
        quiet.judge = lambda batch: pgproxy.AFTER_COMMIT if batch == first + 1 else None
        call, _ = line.call(account)
    assert call.status == 200
    assert books.rows("select kind from ledger_entry where account_id = %s and reference = %s",
                      account.id, call.reference) == [(3,)]
    assert books.rows("select state from hold where account_id = %s and hold_id = %s",
                      account.id, call.reference) == [(2,)]
    books.check([account], [line.first, call])


# -- while the work is under way --

@pytest.fixture
def alone(stack):
    """No real worker: the jobs go to the test's worker."""
    for name in DAEMONS:
        stack.parts[name].stop()
    yield
    for name in DAEMONS:
        stack.start_part(name)


@contextlib.contextmanager
def work_under_way(stack, books, account):
    """A call that the test's worker runs until the end; then the list has it, after the previous
    one."""
    calls = []

    def call_twice():
        line = Line(books.site, stack.gateways[0])
        assert line.open()
        calls.extend(line.call(account)[0] for _ in range(2))
        line.close()

    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        thread = threading.Thread(target=call_twice)
        thread.start()
        worker.reply(worker.job().id)
        job = worker.job()
        yield calls
        worker.reply(job.id)
        thread.join()
    assert calls[0].status == 200


@pytest.mark.parametrize("change, code", [
    (lambda stack, books, account: stack.tollctl("token", "revoke", account.id, books.rows(
        "select token_id::text from token where account_id = %s", account.id)[0][0]), "auth_revoked"),
    (lambda stack, books, account: stack.tollctl("account", "suspend", account.id), "account_suspended"),
    (lambda stack, books, account: books.rows(
        "update token set expires_at = now() where account_id = %s", account.id), "auth_expired"),
    (lambda stack, books, account: books.rows(
        "update token set scopes = '{chat}' where account_id = %s", account.id), "scope_denied"),
    (lambda stack, books, account: books.rows(
        "select ledger_credit(account_id, 5::smallint, -posted, gen_random_uuid(), 'n') from account_balance"
        " where account_id = %s", account.id), "insufficient_credits"),
], ids=["revoked", "suspended", "expired", "scopes", "credits"])
def test_changes_before_the_payment(stack, books, alone, change, code):
    """The test decides: if it is committed before the payment, the call is rejected, and its work
    was unpaid."""
    account = books.site.open_account(1000)
    before = unpaid(stack)
    with work_under_way(stack, books, account) as calls:
        change(stack, books, account)
    assert calls[1].codes == (code,)
    assert books.charged(account) == 1
    assert unpaid(stack) == before + 1
    stack.tollctl("verify")


def test_a_grant_before_the_payment(stack, books, alone):
    account = books.site.open_account(100)
    with work_under_way(stack, books, account) as calls:
        stack.tollctl("account", "grant", account.id, "50", "--note", "more")
    assert calls[1].status == 200
    assert books.rows("select posted from account_balance where account_id = %s", account.id) == [(148,)]
    stack.tollctl("verify")


# -- unpaid work --

@pytest.mark.parametrize("credits, bound", [(5, 0), (400, 2 * (400 // 8))])
def test_unpaid_work_is_bounded(stack, books, credits, bound):
    """64 clients of one account through two gateways: each credit is spent once, and little work is
    unpaid."""
    account = books.site.open_account(credits, limits_off=True)
    before = unpaid(stack)
    with Load(books.site, [account], 64, stack.gateways) as load:
        load.wait_for_answers(200, status=402)
    assert load.statuses()[200] == credits
    assert unpaid(stack) - before <= bound
    print(f"{credits} credits: {unpaid(stack) - before:.0f} jobs were not paid")
    check_load(books, load, [account], {200, "insufficient_credits"})


def test_failed_work_counts_in_the_minute(stack, books):
    """A call that the tool rejects is free and counts, as a call that was admitted before."""
    account = books.site.open_account(1000)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    wrong = {"expression": "61 * * * *"}
    good, _ = line.call(account, "cron-explain", {"expression": "1 * * * *"})
    assert good.status == 200
    calls = [line.call(account, "cron-explain", wrong)[0] for _ in range(31)]
    line.close()
    assert [call.status for call in calls] == [400] * 29 + [429] * 2
    assert books.charged(account) == 1
    books.check([account], [good, *calls])
