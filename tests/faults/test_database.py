"""tests/faults/test_database.py - PostgreSQL dies, hangs, is slow, or rejects, and its connections
are cut at every important moment."""

import contextlib
import json
import os
import socket
import threading
import time
from pathlib import Path

import psycopg2
import pytest

from kit import pgproxy
from kit.client import Client
from kit.load import HOLDS, LOSING, WAITING, Call, Load, Line, check_load, metric
from kit.pgproxy import Proxy
from kit.site import Site
from part import Budget, slowness, wait_for

pytestmark = pytest.mark.xdist_group("database")

WIDEN = Path(__file__).with_name("widen.sql")
REFUND_WAIT_S = 0.25  # REFUND_WAIT_MS of gateway/ledger/calls.c
UNAVAILABLE_S = 5.7  # within it a call is rejected while the database is down
GATEWAYS = ("gateway-1", "gateway-2")

REJECTED = ("the database rejects an item", "22000")
READ_ONLY = ("the ledger cannot write", "25006")


@pytest.fixture(scope="module")
def stack(own_stack):
    """Its first gateway logs no other error than these. A call waits longer for the database than
    a busy machine needs for a new session."""
    stack = own_stack(gateways=2, settings=HOLDS | {"ledger.timeout_ms": 5000})
    yield stack
    assert logged_errors(stack) <= {REJECTED, READ_ONLY}


def logged_errors(stack):
    """(message, SQLSTATE) of each error that the first gateway has logged for its operator."""
    lines = map(json.loads, stack.parts["gateway-1"].log.read_text().splitlines())
    return {(line["msg"], line.get("db.response.status_code")) for line in lines if line["level"] == "error"}


@pytest.fixture(scope="module")
def proxy(stack):
    """Between both gateways and the database; it passes everything until a test sets a fault."""
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
    proxy.delay_s = 0.0


@pytest.fixture
def accounts(stack):
    site = Site.of(stack)
    return [site.open_account(100000, limits_off=True) for _ in range(3)]


def refused_in_time(load):
    limit = (UNAVAILABLE_S + 2) * slowness()
    slow = [call for call in load.calls if call.seconds > limit and call.status != 200]
    assert not slow, slow[0]


def test_killed_under_load(stack, books, accounts):
    """kill -9, then a restart: the books match the responses."""
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(50)
        stack.parts["postgres"].kill()
        killed = time.monotonic()
        load.wait_for_answers(8, status=503)
        away = time.monotonic()
        stack.start_part("postgres")
        load.wait_for_answers(50, seconds=8)
    between = [c for c in load.calls if killed + 0.1 < c.begun and c.ended < away]
    assert 200 not in {call.status for call in between}
    refused_in_time(load)
    check_load(books, load, accounts, LOSING)


def test_restarted_under_load(stack, books, accounts):
    """A normal shutdown closes sessions during their work (57P01)."""
    with Load(books.site, accounts, 8, stack.gateways, keys=True) as load:
        for _ in range(2):
            load.wait_for_answers(50)
            stack.restart("postgres")
        load.wait_for_answers(50)
    check_load(books, load, accounts, LOSING)


@pytest.mark.parametrize("cut", pgproxy.CUTS)
@pytest.mark.parametrize("step, batch", [("admission", 1), ("capture", 2)])
def test_connection_cut_in_one_call(stack, quiet, books, accounts, cut, step, batch):
    """It is sent again under its id and finds its first result: 200, one entry, one execution."""
    account = accounts[0]
    lost = sum(metric(stack, name, "tollgate_ledger_interrupted_commits_total") for name in GATEWAYS)
    first = quiet.batches
    quiet.judge = lambda number: cut if number == first + batch else None
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    call, _ = line.call(account)
    line.close()
    assert call.status == 200, f"{call} after a cut at {step}: {cut}"
    assert books.charged(account) == 1
    assert sum(metric(stack, name, "tollgate_ledger_interrupted_commits_total") for name in GATEWAYS) == lost + 1
    books.check([account], [call])


def test_connections_cut_under_load(stack, quiet, books, accounts):
    """Each 25th batch, with each fault in turn."""
    first = quiet.cuts
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(20)
        quiet.judge = lambda n: pgproxy.CUTS[n // 25 % len(pgproxy.CUTS)] if n % 25 == 0 else None
        wait_for(lambda: quiet.cuts - first >= 24, 60, "cuts")
        quiet.judge = lambda n: None
        load.wait_for_answers(20)
    check_load(books, load, accounts, LOSING)
    assert load.statuses()[200] > 0.9 * len(load.calls)


def test_slow_commits(stack, quiet, books, accounts):
    """Each commit takes half a second: calls are slower, with no other effect."""
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(20)
        quiet.delay_s = 0.5
        load.wait_for_answers(24)
        quiet.delay_s = 0.0
        load.wait_for_answers(20)
    refused_in_time(load)
    check_load(books, load, accounts, LOSING)


@contextlib.contextmanager
def holding(books, statement, *values):
    """A foreign transaction that stays open, with the locks of its statement."""
    connection = books.site.connect()
    connection.autocommit = False
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
        yield connection
    finally:
        connection.rollback()
        connection.close()


@pytest.mark.parametrize("place", range(3))
def test_another_transaction_holds_an_account(stack, books, accounts, place):
    """Its own calls are rejected after their timeout, and free; other accounts are not affected,
    neither older nor newer ones: batches lock them in this order."""
    others = accounts.copy()
    held = others.pop(place)
    with Load(books.site, others, 8, stack.gateways) as load, Load(books.site, [held], 8, stack.gateways) as stuck:
        stuck.wait_for_answers(20)
        with holding(books, "select 1 from account_balance where account_id = %s for update", held.id):
            stuck.wait_for_answers(16, status=503)
            load.wait_for_answers(50)
        stuck.wait_for_answers(20)
    check_load(books, load, others, {200})
    check_load(books, stuck, [held], WAITING)


def test_another_transaction_holds_an_account_repeatedly(stack, books, accounts, monkeypatch):
    """A writer that locks the account again at once, as a gateway with slow commits: calls get
    their turn."""
    account = accounts[0]
    monkeypatch.setitem(stack.parts["gateway-1"].env, "TOLLGATE_LEDGER_TIMEOUT_MS", "60000")
    stack.restart("gateway-1")
    begins, ends = threading.Event(), threading.Event()
    held = []

    def hold():
        with holding(books, "select 1") as connection, connection.cursor() as cursor:
            while not ends.is_set():
                cursor.execute("with held as materialized"
                               " (select 1 from account_balance where account_id = %s for update)"
                               " select pg_sleep(0.2) from held", (account.id,))
                held.append(cursor.fetchall())
                begins.set()
                connection.rollback()

    writer = threading.Thread(target=hold, daemon=True)
    writer.start()
    try:
        assert begins.wait(10)
        with Load(books.site, [account], 1, stack.gateways[:1]) as load:
            load.wait_for_answers(5)
            wait_for(lambda: len(held) >= 5, 60, "five holds")
    finally:
        ends.set()
        writer.join()
    late = {"deadline_exceeded"} if slowness() > 2 else set()  # the job's two seconds, on a busy machine
    check_load(books, load, [account], {200} | late)
    monkeypatch.undo()
    stack.restart("gateway-1")


def test_another_transaction_holds_a_token(stack, books, accounts):
    """An uncommitted change of a token delays no call, not even one of its account."""
    with holding(books, "update token set revoked_at = now() where account_id = %s", accounts[0].id):
        with Load(books.site, accounts, 8, stack.gateways) as load:
            load.wait_for_answers(50)
    check_load(books, load, accounts, {200})


@pytest.mark.parametrize("role", ["tollgate_owner", "tollgate_operator"])
def test_no_transaction_stays_open(stack, role):
    """PostgreSQL closes a session that left a transaction open."""
    connection = psycopg2.connect(stack.database(role))
    with connection.cursor() as cursor:
        cursor.execute("show idle_in_transaction_session_timeout")
        assert cursor.fetchall() == [("1min",)]
    connection.close()


def open_hold(books, account, seconds):
    """A hold of one credit that nobody will settle."""
    books.rows("with hold as (insert into hold (account_id, hold_id, amount, tool_id, created_at, expires_at)"
               " values (%s, gen_random_uuid(), 1, 1, now(), now() + make_interval(secs => %s)))"
               " update account_balance set held = held + 1 where account_id = %s", account.id, seconds, account.id)


def test_another_transaction_holds_an_account_with_an_expired_hold(stack, books, accounts):
    """The sweeper expires other accounts' holds in time, and this one's when the account is
    free."""
    held, other = accounts[:2]
    open_hold(books, held, 2)
    with holding(books, "select 1 from account_balance where account_id = %s for update", held.id):
        open_hold(books, other, 2.5)
        wait_for(lambda: books.held(other) == 0, 10, "the other's sweep")
        assert books.held(held) == 1
    wait_for(lambda: books.held(held) == 0, 10, "the sweep")


def test_token_revoked_before_the_admission_is_sent_again(stack, quiet, books):
    """The result of the first attempt counts: the call was admitted before, and no hold is left."""
    account = books.site.open_account(100)
    first = quiet.batches

    def revoke_between(number):
        if number == first + 2:
            books.rows("update token set revoked_at = now() where account_id = %s", account.id)
        return pgproxy.AFTER_COMMIT if number == first + 1 else None

    quiet.judge = revoke_between
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    call, _ = line.call(account)
    later, _ = line.call(account)
    line.close()
    assert (call.status, later.codes) == (200, ("auth_revoked",))
    assert (books.charged(account), books.held(account)) == (1, 0)


def ended_holds(books, account, count, seconds_ago, apart_ms):
    """Holds that were captured long ago, the newest at that age; they have no entries."""
    books.rows("insert into hold (account_id, hold_id, amount, tool_id, state, created_at, expires_at, settled_at)"
               " select %s, gen_random_uuid(), 1, 1, 3, t, t, t from (select now() - make_interval(secs => %s)"
               " - n * make_interval(secs => %s / 1000.0) as t from generate_series(1, %s) n) x",
               account.id, seconds_ago, apart_ms, count)


def walk(books, function, since):
    """The steps of a sweep to its end: (how many were done, reached) of each."""
    steps = []
    is_more = True
    while is_more:
        done, is_more, since, _ = books.rows(f"select * from {function}(%s, 2000)", since)[0]
        steps.append((done, since))
    return steps


def test_sweeps_run_in_steps(stack, books):
    """A step reads about 2,000 holds, however many there are; an open hold that is past its time
    expires, wherever it is."""
    account = books.site.open_account(100)
    for name in GATEWAYS:
        stack.parts[name].stop()
    try:
        for hours in (1.5, 1, 0):
            open_hold(books, account, -hours * 3600)
        ended_holds(books, account, 9000, 1, 400)
        steps = walk(books, "ledger_sweep", -1)
        assert 5 <= len(steps) <= 8 and sum(done for done, _ in steps) == 3  # other tests left holds, too
        assert [reached for _, reached in steps] == sorted(reached for _, reached in steps)
        assert books.held(account) == 0
        assert walk(books, "ledger_sweep", steps[-1][1])[0][0] == 0
    finally:
        for name in GATEWAYS:
            stack.start_part(name)
    stack.tollctl("verify")


def test_pruning_runs_in_steps(stack, books):
    """Holds settled two days ago are deleted; younger or open ones stay."""
    account = books.site.open_account(100)
    for name in GATEWAYS:
        stack.parts[name].stop()
    try:
        open_hold(books, account, -3 * 86400)
        ended_holds(books, account, 5000, 2 * 86400 + 60, 10)
        ended_holds(books, account, 100, 86400, 1000)
        books.rows("update prune_clock set steady_since = now() - interval '1 day'")
        steps = walk(books, "ledger_prune", 0)
        assert len(steps) >= 3 and sum(done for done, _ in steps) >= 5000
        assert books.rows("select state, count(*) from hold where account_id = %s group by state order by state",
                          account.id) == [(1, 1), (3, 100)]
    finally:
        for name in GATEWAYS:
            stack.start_part(name)
    wait_for(lambda: books.held(account) == 0, 20, "the walk over all holds")


def test_connection_cut_after_the_wait(stack, quiet, books, accounts):
    """The capture is committed, but its confirmation takes longer than a call waits: the client
    gets outcome_unknown, and one refund follows."""
    account = accounts[0]
    first = quiet.batches
    quiet.judge = lambda n: pgproxy.AFTER_COMMIT if n == first + 2 else \
        pgproxy.BEFORE_SEND if n > first + 2 else None
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    call, _ = line.call(account)
    line.close()
    assert (call.status, call.codes) == (503, ("outcome_unknown",))
    quiet.judge = lambda n: None
    wait_for(lambda: books.charged(account) == 0, 10, "the refund")
    kinds = books.rows("select kind from ledger_entry where account_id = %s and reference = %s"
                       " order by seq", account.id, call.reference)
    assert kinds == [(3,), (4,)]
    books.check([account], [call])


# -- a database that rejects: ledger_batch() is wrapped by a function that raises --

WRAPPER = """
do $do$ begin
    execute replace(pg_get_functiondef('ledger_batch'::regproc), 'FUNCTION public.ledger_batch(',
                    'FUNCTION public.ledger_batch_plain(');
end $do$;
create or replace function ledger_batch(p_settles ledger_item[], p_admits ledger_item[], p_skip boolean default false,
                                        p_address inet[] default null)
returns setof ledger_outcome language plpgsql security definer as $$
begin
    if {condition} then
        raise exception 'injected' using errcode = '{sqlstate}';
    end if;
    return query select * from ledger_batch_plain(p_settles, p_admits, p_skip, p_address);
    if {late} then
        raise exception 'injected' using errcode = '{sqlstate}';
    end if;
end $$;
"""


@contextlib.contextmanager
def refusing(books, sqlstate, condition="false", late="false"):
    """ledger_batch() raises under a condition: at its beginning, or at its end."""
    original = books.rows("select pg_get_functiondef('ledger_batch'::regproc)")[0][0]
    books.rows(WRAPPER.format(sqlstate=sqlstate, condition=condition, late=late).replace("%", "%%"))
    try:
        yield
    finally:
        books.rows(original.replace("%", "%%"))
        books.rows("drop function ledger_batch_plain")


@pytest.mark.parametrize("sqlstate", ["40001", "40P01", "55P03"])
def test_transactions_rolled_back(stack, books, accounts, sqlstate):
    """One in ten, half of them after the work was done: the retry succeeds, no client notices."""
    with refusing(books, sqlstate, "random() < 0.05", "random() < 0.05"):
        with Load(books.site, accounts, 8, stack.gateways) as load:
            load.wait_for_answers(150)
    check_load(books, load, accounts, {200})


@pytest.mark.parametrize("step, code", [("p_admits", "internal_error"), ("p_settles", "internal_error")])
def test_poisoned_item(stack, books, accounts, step, code):
    """Its batches are halved until it is alone: only its call gets 500."""
    poisoned, *others = accounts
    batches = sum(metric(stack, name, "tollgate_ledger_transactions_total") for name in GATEWAYS)
    with refusing(books, "22000", f"exists (select from unnest({step}) i where i.account_id = '{poisoned.id}')"):
        with Load(books.site, accounts, 12, stack.gateways[:1]) as load:
            load.wait_for_answers(100)
            load.wait_for_answers(5, status=500)
    assert sum(metric(stack, name, "tollgate_ledger_transactions_total") for name in GATEWAYS) > batches
    assert {c.status for c in load.calls if c.account == poisoned} == {500}
    assert {c.status for c in load.calls if c.account in others} == {200}
    check_load(books, load, accounts, {200, code})
    assert books.charged(poisoned) == 0
    assert REJECTED in logged_errors(stack)


class Balances(Load):
    """Clients that ask for their balance: each time, the database checks the token."""

    def _call(self, line, account):
        begun = time.monotonic()
        status, headers, _ = line.request(account, "account/credits", None, method="GET")
        return Call(account, status, headers.get("X-Request-Id", ""), (), False, begun, time.monotonic() - begun)


def test_a_migration_widens_what_is_returned(stack, books, accounts, monkeypatch):
    """Sessions with older plans fail: they are renewed, and no client notices. Gateways wait longer
    for the database here than new sessions take on a busy machine."""
    for name in GATEWAYS:
        monkeypatch.setitem(stack.parts[name].env, "TOLLGATE_LEDGER_TIMEOUT_MS", "60000")
        stack.restart(name)
    with Load(books.site, accounts, 8, stack.gateways) as load, \
            Balances(books.site, accounts, 4, stack.gateways) as balances:
        load.wait_for_answers(30)
        balances.wait_for_answers(30)
        books.rows(WIDEN.read_text())
        load.wait_for_answers(60)
        balances.wait_for_answers(60)
    late = {"deadline_exceeded"} if slowness() > 2 else set()  # the job's two seconds, on a busy machine
    check_load(books, load, accounts, {200} | late)
    assert set(balances.statuses()) == {200} and not balances.faults
    assert books.rows("select count(*) from pg_attribute where attrelid = 'ledger_outcome'::regclass"
                      " and attname = 'later'") == [(1,)]
    assert books.rows("select 'later' = any(proargnames) from pg_proc where proname = 'token_check'") == [(True,)]
    monkeypatch.undo()
    for name in GATEWAYS:
        stack.restart(name)


def test_a_server_that_takes_no_writes_any_more(stack, books, accounts):
    """As on the old primary after a failover: its connections are closed, so that another server
    can be found."""
    def connections(name):
        return stack.parts[name].log.read_text().count('"database connected"')

    def set_read_only(value):
        books.as_superuser(f"alter system set default_transaction_read_only = {value}", "select pg_reload_conf()")

    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(20)
        before = [connections(name) for name in GATEWAYS]
        set_read_only("on")
        try:
            load.wait_for_answers(8, status=503)
        finally:
            set_read_only("off")
        load.wait_for_answers(50)
    assert all(connections(name) > count for name, count in zip(GATEWAYS, before))
    check_load(books, load, accounts, LOSING)
    assert READ_ONLY in logged_errors(stack)


def test_a_dry_run_that_cannot_be_decided(stack, books, accounts):
    """503, free, and the tool's calls continue."""
    client = Client(books.site)
    books.rows("alter function admission_preview rename to not_there")
    try:
        answer = client.call(accounts[0], "hash-generate/dry-run", {"input": "a"})
    finally:
        books.rows("alter function not_there rename to admission_preview")
    assert (answer.status_code, answer.codes) == (503, ["ledger_unavailable"])
    assert client.call(accounts[0], "hash-generate/dry-run", {"input": "a"}).result["would_run"] is True
    assert books.charged(accounts[0]) == 0


def test_what_is_committed_is_on_disk(stack, books, accounts):
    """Whatever the server's default is: a confirmed commit must survive a crash."""
    books.as_superuser("alter database tollgate set synchronous_commit = off")
    try:
        stack.restart("gateway-1")
        with refusing(books, "22000", "current_setting('synchronous_commit') <> 'on'"):
            with Load(books.site, accounts, 4, stack.gateways[:1]) as load:
                load.wait_for_answers(8)
    finally:
        books.as_superuser("alter database tollgate reset synchronous_commit")
    check_load(books, load, accounts, {200})


def test_capture_rejected_after_it_happened(stack, quiet, books, accounts):
    """Committed, the response lost, and rejected when it is sent again: 500, or outcome_unknown if
    the refund takes longer than a call waits for it, and one refund."""
    account = accounts[0]
    first = quiet.batches
    quiet.judge = lambda n: pgproxy.AFTER_COMMIT if n == first + 2 else None
    happened = f"exists (select from unnest(p_settles) i where i.op = 1) and exists (select from ledger_entry where account_id = '{account.id}'" \
        " and kind = 3)"
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    with refusing(books, "22000", happened):
        call, _ = line.call(account)
        wait_for(lambda: books.charged(account) == 0, 10, "the refund")
    line.close()
    is_late = call.codes == ("outcome_unknown",) and call.seconds >= REFUND_WAIT_S
    assert (call.status, call.codes) == (500, ("internal_error",)) or is_late, call
    assert books.rows("select kind from ledger_entry where account_id = %s and reference = %s order by seq",
                      account.id, call.reference) == [(3,), (4,)]
    books.check([account], [call])


@contextlib.contextmanager
def dropping():
    """A port that drops packets: its queue is full, so the kernel responds to no SYN (listen(2),
    backlog)."""
    with contextlib.ExitStack() as open_sockets:
        deaf = open_sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        while True:
            client = open_sockets.enter_context(socket.socket())
            client.settimeout(0.2)
            try:
                client.connect(deaf.getsockname())
            except TimeoutError:
                break
        yield deaf.getsockname()[1]


@contextlib.contextmanager
def refusing_port():
    """A port that stays unused."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.mark.parametrize("first", [dropping, refusing_port])
def test_an_unreachable_host_comes_first(stack, proxy, books, accounts, monkeypatch, first):
    """Each host of db.url has its own timeout, for gateways and for tollctl."""
    with first() as away, monkeypatch.context() as patch:
        url = proxy.url().replace(f"port={proxy.port}", f"port={away},{proxy.port}") \
            .replace("host=127.0.0.1", "host=127.0.0.1,127.0.0.1")
        patch.setitem(stack.parts["gateway-1"].env, "TOLLGATE_DB_URL", url)
        budget = Budget(10)
        stack.restart("gateway-1")
        assert budget.left()
        with Load(books.site, accounts, 4, stack.gateways[:1]) as load:
            load.wait_for_answers(8)
        patch.setenv("TOLLGATE_DB_OWNER_URL", url.replace("tollgate_gateway", "tollgate_owner"))
        assert stack.tollctl("account", "show", accounts[0].id, "--json")["account"] == accounts[0].id
    stack.restart("gateway-1")
    check_load(books, load, accounts, {200})


def with_hosts(hosts):
    """The start of a command line whose /etc/hosts is that file."""
    user = [] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]
    return ["unshare", *user, "--mount", "sh", "-c", f'mount --bind {hosts} /etc/hosts && exec "$@"', "sh"]


def test_a_name_that_no_longer_resolves(stack, quiet, books, accounts, monkeypatch, tmp_path):
    """A broken connection reconnects to the same address: a slow name lookup does not delay it."""
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 database.test\n")
    part = stack.parts["gateway-1"]
    with monkeypatch.context() as patch:
        patch.setitem(part.env, "TOLLGATE_DB_URL", quiet.url().replace("host=127.0.0.1", "host=database.test"))
        patch.setattr(part, "argv", [*with_hosts(hosts), *part.argv])
        stack.restart("gateway-1")
        with Load(books.site, accounts, 4, stack.gateways[:1]) as load:
            load.wait_for_answers(8)
            hosts.write_text("")
            cut = quiet.cuts
            quiet.judge = lambda batch: pgproxy.BEFORE_SEND if quiet.cuts == cut else None
            wait_for(lambda: quiet.cuts > cut, 10, "the cut")
            load.wait_for_answers(40, seconds=4)
    stack.restart("gateway-1")
    check_load(books, load, accounts, LOSING)
