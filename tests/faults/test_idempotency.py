"""tests/faults/test_idempotency.py - a call with an Idempotency-Key runs and is charged once,
whatever client repeats it, through whatever gateway."""

import json
import threading

import pytest

from kit.contracts import copy_contracts
from kit.load import BROKEN, SETTINGS, Line, arm, metric, restart_after_death, wait_for_death
from kit.site import Site
from part import Failure, wait_for

pytestmark = pytest.mark.xdist_group("idempotency")

IMAGE = "tools/placeholder-image?width=64&height=32&text=Abc"
SECRET_TOOL = "hash-generate"
CLIENTS = 32


@pytest.fixture(scope="module")
def stack(own_stack, tmp_path_factory):
    contracts = tmp_path_factory.mktemp("contracts")
    copy_contracts(contracts, patient=["json-to-code"])  # its large response, also in a build without optimization
    return own_stack(gateways=2, daemons=1, settings=SETTINGS | {"contracts_dir": str(contracts)})


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(100)


@pytest.fixture(params=["one gateway", "two gateways"])
def gateways(request, stack):
    return stack.gateways if request.param == "two gateways" else stack.gateways[:1] * 2


class Reply:
    """One response; each request has its own connection."""

    def __init__(self, site, gateway, account, key, path=IMAGE, body=None):
        line = Line(site, tuple(gateway))
        assert line.open()
        headers = {} if key is None else {"Idempotency-Key": key}
        self.status, self.headers, self.body = line.request(account, path, body, headers,
                                                            "POST" if body else "GET")
        line.close()

    @property
    def is_replay(self):
        return self.headers.get("Idempotency-Replayed") == "true"

    @property
    def codes(self):
        return [error["code"] for error in json.loads(self.body)["errors"]]

    @property
    def charged(self):
        return int(self.headers["X-Credits-Charged"])

    def own_headers(self):
        """The stored headers: not those of each single response."""
        each = ("x-request-id", "traceparent", "server-timing", "x-credits-", "x-ratelimit-", "ratelimit", "date",
                "idempotency-replayed", "connection")
        return [(name, value) for name, value in self.headers.items()
                if not name.lower().startswith(each)]


def hashed(site, gateway, account, key, text="abc", **more):
    return Reply(site, gateway, account, key, f"tools/{SECRET_TOOL}", json.dumps({"input": text} | more))


def jobs_done(stack):
    return metric(stack, "svc-utils-1", "tollgate_jobs_succeeded_total")


def at_once(count, call):
    """call(n) in this many threads that start together; their results."""
    barrier = threading.Barrier(count)
    results = [None] * count

    def run(n):
        barrier.wait()
        results[n] = call(n)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert None not in results
    return results


def test_many_at_once(stack, books, account, gateways):
    """One execution, one charge; every other request gets 409 or the identical response."""
    before = jobs_done(stack)
    replies = at_once(CLIENTS, lambda n: Reply(books.site, gateways[n % 2], account, "same"))
    assert {reply.status for reply in replies} <= {200, 409}
    done = [reply for reply in replies if reply.status == 200]
    assert sum(not reply.is_replay for reply in done) == 1
    assert sum(reply.charged for reply in replies) == 1
    assert len({reply.body for reply in done}) == 1
    assert all(reply.codes == ["idempotency_in_progress"] and 1 <= int(reply.headers["Retry-After"]) <= 3
               for reply in replies if reply.status == 409)
    assert jobs_done(stack) == before + 1
    assert books.charged(account) == 1 and books.held(account) == 0


def test_many_while_it_runs(stack, books, account, gateways):
    """The first still runs: every other one gets 409, none is executed."""
    stack.parts["svc-utils-1"].freeze()
    try:
        first = []
        thread = threading.Thread(
            target=lambda: first.append(Reply(books.site, gateways[0], account, "slow")))
        thread.start()
        wait_for(lambda: books.held(account) == 1, 5, "the hold")
        others = at_once(8, lambda n: Reply(books.site, gateways[n % 2], account, "slow"))
    finally:
        stack.parts["svc-utils-1"].thaw()
    thread.join()
    assert {reply.status for reply in others} == {409}
    assert first[0].status == 200
    assert books.charged(account) == 1


def test_a_stored_answer_is_the_same_to_the_byte(books, account, gateways):
    first = Reply(books.site, gateways[0], account, "bytes")
    again = Reply(books.site, gateways[1], account, "bytes")
    assert (first.status, first.charged, first.is_replay) == (200, 1, False)
    assert (again.status, again.charged, again.is_replay) == (200, 0, True)
    assert again.body == first.body and b"<svg" in first.body
    assert again.own_headers() == first.own_headers() and "ETag" in dict(first.own_headers())
    assert books.charged(account) == 1


LARGE = json.dumps({"targets": ["json-schema", "typescript", "go", "python", "rust", "kotlin", "zod", "java"],
                    "sample": {f"a-{n}": n for n in range(4500)}}, separators=(",", ":"))
MIB = 1 << 20


def large(site, gateway, account, key):
    return Reply(site, gateway, account, key, "tools/json-to-code", LARGE)


def pieces(books, account):
    return books.rows("select piece, size, octet_length(bytes) from large_response where account_id = %s order by 1",
                      account.id)


def make_old(books, account):
    """A day passes for what is stored for the account's keys, and is pruned."""
    for table in ("idempotency", "large_response"):
        books.rows(f"update {table} set expires_at = now() where account_id = %s", account.id)
    books.rows("update prune_clock set steady_since = now() - interval '1 day'")
    wait_for(lambda: books.rows("select is_more from ledger_prune(0, 1000)") == [(False,)], 10, "all to be pruned")


def test_a_large_answer_is_the_same_to_the_byte(books, account, gateways):
    """It is stored in compressed pieces, and these are deleted after a day, with its key."""
    first = large(books.site, gateways[0], account, "large")
    again = large(books.site, gateways[1], account, "large")
    assert (first.status, first.charged, first.is_replay) == (200, 1, False)
    assert (again.status, again.charged, again.is_replay) == (200, 0, True)
    assert again.body == first.body and len(first.body) > MIB
    assert again.own_headers() == first.own_headers()
    assert books.charged(account) == 1
    kept = pieces(books, account)
    assert [number for number, _, _ in kept] == list(range((len(first.body) - 1) // (MIB // 4) + 1))
    assert {size for _, size, _ in kept} == {len(first.body)}
    assert sum(packed for _, _, packed in kept) < len(first.body) / 4
    assert books.rows("select body from idempotency where account_id = %s", account.id) == [(None,)]
    assert books.rows("select is_replayed from hold where account_id = %s", account.id) == [(True,)]
    assert books.rows("select distinct r.expires_at >= k.expires_at from large_response r"
                      " join idempotency k using (account_id, hold_id) where account_id = %s", account.id) == [(True,)]
    make_old(books, account)
    assert pieces(books, account) == []
    assert not large(books.site, gateways[0], account, "large").is_replay


def damage(piece):
    return (f"update large_response set bytes = overlay(bytes placing '\\xffff' from 100) where piece = {piece}"
            " and account_id = %s")


LAST = "(select max(m.piece) from large_response m where m.account_id = large_response.account_id)"
HARMS = {
    "bytes of the first piece": damage(0),
    "bytes of a piece": damage(1),
    "bytes of the last piece": damage(LAST),
    "bytes after the last piece's": f"update large_response set bytes = bytes || '\\x00' where piece = {LAST}"
                                    " and account_id = %s",
    "one size": "update large_response set size = size - 1 where piece = 1 and account_id = %s",
    "the size of the last piece": f"update large_response set size = size + 1 where piece = {LAST} and account_id = %s",
    "all sizes": "update large_response set size = 2147483647 where account_id = %s",
    "all are one byte shorter": "update large_response set size = size - 1 where account_id = %s",
    "all are missing": "delete from large_response where account_id = %s",
    "the first piece is missing": "delete from large_response where piece = 0 and account_id = %s",
    "a piece is missing": "delete from large_response where piece = 3 and account_id = %s",
    "the last piece is missing": f"delete from large_response where piece = {LAST} and account_id = %s",
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_large_answer(stack, books, account, harm):
    """500, free, and with the advice to use another key. The first charge can be refunded."""
    gateways = stack.gateways
    assert large(books.site, gateways[0], account, "harmed").status == 200
    books.rows(HARMS[harm], account.id)
    again = large(books.site, gateways[1], account, "harmed")
    assert (again.status, again.codes, again.charged) == (500, ["internal_error"], 0)
    assert b"use a new key" in again.body
    assert large(books.site, gateways[1], account, "other").charged == 1
    assert books.charged(account) == 2 and books.held(account) == 0
    [(call,)] = books.rows("select hold_id from hold where account_id = %s order by created_at limit 1", account.id)
    assert "refunded" in stack.tollctl("ledger", "settle", account.id, str(call))
    assert books.charged(account) == 1


def test_a_large_answer_that_cannot_be_stored(stack, books, account):
    """503, and not charged; the same key then runs the call."""
    gateways = stack.gateways
    books.rows("alter table large_response add constraint none check (piece < 2) not valid")
    try:
        refused = large(books.site, gateways[0], account, "unstored")
    finally:
        books.rows("alter table large_response drop constraint none")
    assert (refused.status, refused.codes, refused.charged) == (503, ["ledger_unavailable"], 0)
    assert books.charged(account) == 0 and books.held(account) == 0 and pieces(books, account) == []
    again = large(books.site, gateways[1], account, "unstored")
    assert (again.status, again.charged, again.is_replay) == (200, 1, False)


def test_a_gateway_dies_before_it_charges_a_large_answer(stack, books, account):
    """Not charged; what it had stored is never replayed, and the same key runs the call."""
    arm(stack, "gateway-1", "after-large-response", 1)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    status, _, _ = line.send(account, "json-to-code", LARGE, {"Idempotency-Key": "died"})
    assert status == BROKEN
    wait_for_death(stack.parts["gateway-1"])
    restart_after_death(stack, "gateway-1")
    assert pieces(books, account) != []
    books.rows("select ledger_end_call(account_id, hold_id) from hold where account_id = %s", account.id)
    assert books.charged(account) == 0
    again = large(books.site, stack.gateways[1], account, "died")
    assert (again.status, again.charged, again.is_replay) == (200, 1, False)
    make_old(books, account)
    assert pieces(books, account) == []


def test_a_large_answer_being_stored_delays_nobody(stack, books, account):
    """Its transaction is open, and a batch ends the call: neither waits."""
    books.rows("insert into hold (account_id, hold_id, amount, tool_id, state, idempotency_key, created_at, expires_at)"
               " select account_id, gen_random_uuid(), 1, tool_id, 1, sha256('k'), now(), now() + interval '1 hour'"
               " from account_balance, tool where account_id = %s and name = %s", account.id, SECRET_TOOL)
    books.rows("update account_balance set held = 1 where account_id = %s", account.id)
    books.rows("insert into idempotency (account_id, key_hash, fingerprint, hold_id, expires_at) select account_id,"
               " idempotency_key, idempotency_key, hold_id, expires_at from hold where account_id = %s", account.id)
    other = books.site.connect()
    other.autocommit = False
    try:
        with other.cursor() as cursor:
            cursor.execute("select large_response_put(account_id, hold_id, 0::smallint, 1, 'x') from hold"
                           " where account_id = %s", (account.id,))
            assert cursor.fetchall() == [(True,)]
            assert books.rows("set lock_timeout = '1ms'; select ledger_end_call(account_id, hold_id) from hold"
                              " where account_id = %s", account.id) == [("voided",)]
    finally:
        other.close()


def test_after_the_last_credit(stack, books, gateways):
    """The first attempt spent the credits: the retry returns the response, another call does
    not."""
    account = books.site.open_account(1)
    assert Reply(books.site, gateways[0], account, "last").status == 200
    again = Reply(books.site, gateways[1], account, "last")
    assert (again.status, again.is_replay, again.charged) == (200, True, 0)
    other = Reply(books.site, gateways[1], account, "other")
    assert (other.status, other.codes) == (402, ["insufficient_credits"])


def test_after_the_minutes_limit(books, account):
    """A replay does not count in the windows, too; another call gets 429."""
    assert Reply(books.site, books.stack.gateways[0], account, "limit").status == 200
    books.rows("update account_balance set ring_at = array_fill(ring_at[1], array[30]),"
               " ring_tool = array_fill(ring_tool[1], array[30]) where account_id = %s", account.id)
    assert Reply(books.site, books.stack.gateways[0], account, "fresh").status == 429
    assert Reply(books.site, books.stack.gateways[0], account, "limit").is_replay


@pytest.mark.parametrize("path, body", [
    (IMAGE + "x", None), ("tools/placeholder-image?width=65&height=32&text=Abc", None),
    (f"tools/{SECRET_TOOL}", '{"input":"abc"}')])
def test_another_request(books, account, gateways, path, body):
    """422, free; other query, other tool, other method."""
    assert Reply(books.site, gateways[0], account, "taken").status == 200
    other = Reply(books.site, gateways[1], account, "taken", path, body)
    assert (other.status, other.codes, other.charged) == (422, ["idempotency_mismatch"], 0)
    assert books.charged(account) == 1


def test_another_body(books, account, gateways):
    assert hashed(books.site, gateways[0], account, "body").status == 200
    other = hashed(books.site, gateways[1], account, "body", "abd")
    assert (other.status, other.codes) == (422, ["idempotency_mismatch"])


def test_a_key_of_a_rejected_call_is_free_again(books, account, gateways):
    """The tool itself rejected it: void. The key may then even be used for another request."""
    bad = hashed(books.site, gateways[0], account, "void", algorithm="crc64")
    assert (bad.status, bad.codes, bad.charged) == (400, ["unknown_algorithm"], 0)
    good = hashed(books.site, gateways[1], account, "void")
    assert (good.status, good.is_replay, good.charged) == (200, False, 1)


def test_a_key_of_a_lost_call_is_free_again(stack, books, account, gateways):
    """No worker replied in time, or it was lost: void."""
    worker = stack.parts["svc-utils-1"]
    worker.freeze()
    replies = []
    thread = threading.Thread(
        target=lambda: replies.append(Reply(books.site, gateways[0], account, "lost")))
    thread.start()
    wait_for(lambda: books.held(account) == 1, 5, "the hold")
    worker.kill()
    thread.join()
    stack.start_part("svc-utils-1")
    assert replies[0].status in (503, 504)
    again = []
    wait_for(lambda: again.append(Reply(books.site, gateways[1], account, "lost"))
             or again[-1].status == 200, 10, "a call")
    assert not again[-1].is_replay and books.charged(account) == 1


def test_a_key_of_an_expired_call_is_free_again(stack, books, account):
    """The gateway died with it: 409 until the hold expires, then free."""
    stack.parts["svc-utils-1"].freeze()
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    threading.Thread(target=lambda: line.call(account, headers={"Idempotency-Key": "dead"}),
                     daemon=True).start()
    wait_for(lambda: books.held(account) == 1, 5, "the hold")
    stack.parts["gateway-1"].kill()
    stack.parts["svc-utils-1"].thaw()
    meanwhile = hashed(books.site, stack.gateways[1], account, "dead")
    assert (meanwhile.status, meanwhile.codes) == (409, ["idempotency_in_progress"])
    stack.start_part("gateway-1")
    wait_for(lambda: books.held(account) == 0, 10, "the hold's end")
    again = hashed(books.site, stack.gateways[1], account, "dead")
    assert (again.status, again.is_replay) == (200, False)


def test_a_gateway_with_another_secret_does_not_start(stack, tmp_path):
    """Such a gateway would not recognize a key that was paid at another one."""
    part = stack.parts["gateway-2"]
    part.stop()
    (tmp_path / "secret").write_text("f" * 64)
    part.env["TOLLGATE_LEDGER_SECRET_FILE"] = str(tmp_path / "secret")
    try:
        with pytest.raises(Failure):
            stack.start_part("gateway-2")
        assert part.wait() == 78
        assert "ledger.secret_file differs from that of the other gateways" in part.log.read_text()
    finally:
        del part.env["TOLLGATE_LEDGER_SECRET_FILE"]
        stack.start_part("gateway-2")


def test_a_secret_request_runs_again_unpaid(stack, books, account, gateways):
    """Nothing of it is stored; each replay counts in the minute."""
    before = jobs_done(stack)
    replies = [hashed(books.site, gateways[n % 2], account, "secret") for n in range(3)]
    assert [reply.status for reply in replies] == [200] * 3
    assert [reply.charged for reply in replies] == [1, 0, 0]
    assert [reply.is_replay for reply in replies] == [False, True, True]
    assert len({reply.body for reply in replies}) == 1
    assert jobs_done(stack) == before + 3
    assert books.rows("select cardinality(ring_at) from account_balance where account_id = %s",
                      account.id) == [(3,)]
    stored = books.rows("select headers, body from idempotency where account_id = %s", account.id)
    assert stored == [("", None)]  # it may run again, without another effect
    books.rows("update account_balance set ring_at = array_fill(ring_at[3], array[30]),"
               " ring_tool = array_fill(ring_tool[1], array[30]) where account_id = %s", account.id)
    assert hashed(books.site, gateways[0], account, "secret").status == 429


def test_keys_are_each_accounts_own(books, account, gateways):
    other = books.site.open_account(100)
    assert Reply(books.site, gateways[0], account, "shared").charged == 1
    second = Reply(books.site, gateways[1], other, "shared")
    assert (second.status, second.is_replay, second.charged) == (200, False, 1)


@pytest.mark.parametrize("key", ["", "x" * 256, "a b", "caf\xe9"])
def test_a_malformed_key(books, account, key):
    reply = Reply(books.site, books.stack.gateways[0], account, key)
    assert (reply.status, reply.codes) == (400, ["invalid_idempotency_key"])
    assert books.charged(account) == 0


def test_keys_expire_after_a_day(books, account):
    """The response is stored for 24 h, and not a moment longer."""
    gateway = books.stack.gateways[0]
    assert Reply(books.site, gateway, account, "day").status == 200
    hours, = books.rows("select extract(epoch from k.expires_at - h.settled_at)::integer from idempotency k"
                        " join hold h using (account_id, hold_id) where account_id = %s", account.id)[0]
    assert hours == 86400
    make_old(books, account)
    again = Reply(books.site, gateway, account, "day")
    assert (again.status, again.is_replay, again.charged) == (200, False, 1)
    books.stack.tollctl("verify")
