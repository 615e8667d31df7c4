"""tests/faults/requests/test_request_log.py - the request log during calls, when gateways die,
PostgreSQL is away, the log's table is locked, rejects records, or is flooded: calls go on, and what
is missing is counted."""

import json

import pytest

from kit.load import HOLDS, Line, Load, arm, check_load, metric, restart_after_death, wait_for_death
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("request-log")

GATEWAYS = ("gateway-1", "gateway-2")
SHARE_OTHERS = 20  # records of an account's other requests in a second of a gateway


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, settings=HOLDS)


@pytest.fixture
def account(books):
    return books.site.open_account(100000, limits_off=True)


@pytest.fixture
def log(stack):
    """log(account): {request id: (status, code, credits)} of what is written now."""
    connection = Site.of(stack).connect()

    def read(account):
        with connection.cursor() as cursor:
            cursor.execute("select id::text, status, coalesce(code, ''), credits from request_log where account_id = %s",
                           [account.id])
            rows = cursor.fetchall()
        assert len({row[0] for row in rows}) == len(rows)  # no record is written twice
        return {row[0]: row[1:] for row in rows}

    read.sql = lambda statement, *values: connection.cursor().execute(statement, values)
    yield read
    connection.close()


def dropped(stack, reason):
    return sum(metric(stack, name, f'tollgate_request_log_dropped_total{{reason="{reason}"}}') for name in GATEWAYS)


def wait_for_log(log, account, ids):
    wait_for(lambda: ids <= log(account).keys(), 20, "the records are written")


def call_once(stack, books, account, number=1, request=None):
    line = Line(books.site, stack.gateways[number - 1])
    assert line.open()
    call, _ = line.call(account, request=request)
    line.close()
    return call


def test_what_clients_got_is_what_the_log_has(stack, books, account, log):
    """Under load of two gateways."""
    others = [books.site.open_account(100000, limits_off=True) for _ in range(3)]
    before = dropped(stack, "share")
    with Load(books.site, [account, *others], 4, stack.gateways, pause_s=0.05) as load:
        load.wait_for_answers(60)
    for one in (account, *others):
        got = {call.reference: (call.status, "", 1) for call in load.calls if call.account is one}
        wait_for_log(log, one, got.keys())
        assert log(one) == got
    assert dropped(stack, "share") == before
    check_load(books, load, [account, *others], {200})


@pytest.mark.parametrize("point, is_written", [("before-request-log-sent", False), ("after-request-log-sent", None)])
def test_a_gateway_dies_at(stack, books, account, log, point, is_written):
    """A batch is whole or not there; the other gateway's records are complete."""
    kept = [call_once(stack, books, account, 2) for _ in range(3)]
    wait_for_log(log, account, {call.reference for call in kept})
    arm(stack, "gateway-1", point, 1)
    lost = call_once(stack, books, account)
    wait_for_death(stack.parts["gateway-1"])
    restart_after_death(stack, "gateway-1")
    later = call_once(stack, books, account)
    wait_for_log(log, account, {later.reference})
    if is_written is not None:
        assert (lost.reference in log(account)) == is_written
    assert log(account).keys() - {lost.reference} == {call.reference for call in [*kept, later]}
    assert books.charged(account) == 5
    stack.tollctl("verify")


def test_a_stop_writes_what_waits(stack, books, account, log):
    call = call_once(stack, books, account)
    stack.restart("gateway-1")
    assert call.reference in log(account)


def test_postgresql_is_away(stack, books, account, log):
    """The records of that time, and of the failed calls, are written afterwards."""
    before = call_once(stack, books, account)
    stack.parts["postgres"].kill()
    failed = call_once(stack, books, account)
    assert failed.codes == ("ledger_unavailable",)
    stack.start_part("postgres")
    after = wait_for(lambda: (call := call_once(stack, books, account)).status == 200 and call, 20, "calls succeed")
    connection = Site.of(stack).connect()
    cursor = connection.cursor()

    def found():
        cursor.execute("select status, code from request_log where account_id = %s and id = any (%s::uuid[])",
                       [account.id, [call.reference for call in (before, failed, after)]])
        return sorted(cursor.fetchall(), key=str)

    wait_for(lambda: len(found()) == 3, 20, "the records are written")
    assert found() == [(200, None), (200, None), (503, "ledger_unavailable")]
    connection.close()
    assert dropped(stack, "full") == 0


def test_a_locked_log_delays_no_call(stack, books, account, log):
    connection = Site.of(stack).connect()
    connection.autocommit = False
    cursor = connection.cursor()
    cursor.execute("lock table request_log in access exclusive mode")
    with Load(books.site, [account], 2, stack.gateways, pause_s=0.1) as load:
        load.wait_for_answers(20)
    assert set(load.statuses()) == {200}
    wait_for(lambda: metric(stack, "gateway-1", "tollgate_request_log_waiting") > 0, 10, "records wait")
    connection.rollback()
    connection.close()
    wait_for_log(log, account, {call.reference for call in load.calls})


def test_rejected_records_are_counted_and_told(stack, books, account, log):
    lost = dropped(stack, "rejected")
    log.sql("alter table request_log add constraint broken check (status = 0) not valid")
    try:
        call = call_once(stack, books, account)
        assert call.status == 200
        wait_for(lambda: dropped(stack, "rejected") > lost, 20, "the loss is counted")
    finally:
        log.sql("alter table request_log drop constraint broken")
    later = call_once(stack, books, account)
    wait_for_log(log, account, {later.reference})
    assert call.reference not in log(account)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    _, _, body = line.request(account, "account/requests", None, method="GET")
    line.close()
    assert json.loads(body)["result"]["is_complete"] is False


def test_a_flood_of_rejected_calls_hides_no_paid_call(stack, books, account, log):
    """Only a share of it is kept, and the rest is counted for its account alone."""
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    lost = dropped(stack, "share")
    paid, refused = [], 0
    for n in range(400):
        if n % 100 == 50:
            paid += [line.call(account)[0]]
        assert line.call(account, request={})[0].codes == ("missing_field",)
        refused += 1
    line.close()
    wait_for_log(log, account, {call.reference for call in paid})
    wait_for(lambda: len(log(account)) - len(paid) + dropped(stack, "share") - lost == refused, 20, "all are accounted for")
    connection = Site.of(stack).connect()
    cursor = connection.cursor()

    def busiest():
        cursor.execute("select max(n) from (select count(*) as n from request_log where account_id = %s and code is not null"
                       " group by date_trunc('second', at - interval '0.5 s')) s", [account.id])
        return cursor.fetchone()[0]

    assert busiest() <= 2 * SHARE_OTHERS  # its seconds and the log's do not begin together
    if dropped(stack, "share") > lost:
        def noted():
            cursor.execute("select sum(lost) from request_loss where account_id = %s", [account.id])
            return cursor.fetchone()[0]

        wait_for(lambda: noted() == dropped(stack, "share") - lost, 20, "the last loss is noted, with the next batch")
    connection.close()
