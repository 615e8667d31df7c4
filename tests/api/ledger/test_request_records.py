"""tests/api/ledger/test_request_records.py - the request log: one record for each request with a
known token, refused ones too, as API and `tollctl request show` return it."""

import json
import uuid

import pytest

from kit.agents.host import Agent
from kit.site import Account
from part import Failure, wait_for

TOOL = "hash-generate"
GOOD = {"input": "abc"}
FIELDS = {"id", "at", "client_id", "tool", "route", "token_id", "token", "surface", "status", "code", "credits", "seq",
          "is_replayed", "total_ms", "queue_ms", "tool_ms", "bytes_in", "bytes_out", "ignored_fields", "network"}


@pytest.fixture
def log(api, ledger):
    """log(account, count): the account's records, oldest first, once there are that many. Reading
    them adds one each time, so those are left out."""
    def read(account, count, query=""):
        wait_for(lambda: ledger.rows("select count(*) from request_log where account_id = %s"
                                     " and route is distinct from 'requests'", account.id)[0][0] >= count,
                 10, "the records are written")
        answer = api.read(account, f"account/requests?limit=200{query}")
        assert answer.status_code == 200, answer
        return [row for row in reversed(answer.result["requests"]) if row["route"] != "requests"]
    return read


def short(record):
    return record["tool"], record["route"], record["surface"], record["status"], record["code"], record["credits"]


def test_a_charged_call(api, account, log):
    answer = api.call(account, TOOL, GOOD)
    [record] = log(account, 1)
    assert set(record) == FIELDS
    assert short(record) == (TOOL, None, "rest", 200, None, 1)
    assert record["id"] == answer.headers["X-Request-Id"] and record["client_id"] is None
    assert record["token_id"] == account.token_id and record["seq"] == 2
    assert record["bytes_in"] == len(json.dumps(GOOD)) and record["bytes_out"] == len(answer.body)
    assert 0 < record["tool_ms"] <= record["total_ms"] and record["queue_ms"] >= 0
    assert record["network"].endswith(".0/24") and not record["is_replayed"]


@pytest.fixture
def refusals(api, site, ledger, account):
    """One request for each way to be refused: {code: status}."""
    made = site.tollctl("token", "create", account.id, "--scope", "email", "--json")
    scoped = Account(account.id, made["token"], made["token_id"])
    capped = site.tollctl("token", "create", account.id, "--cap-total", "0", "--json")
    capped = Account(account.id, capped["token"], capped["token_id"])
    ended = site.tollctl("token", "create", account.id, "--json")
    site.tollctl("token", "revoke", account.id, ended["token_id"])
    ended = Account(account.id, ended["token"], ended["token_id"])
    late = site.tollctl("token", "create", account.id, "--json")
    ledger.rows("update token set expires_at = now() - interval '1 second' where token_id = %s", late["token_id"])
    late = Account(account.id, late["token"], late["token_id"])
    strict = {"Prefer": "handling=strict"}
    key = {"Idempotency-Key": "one"}
    asks = [
        (account, GOOD | {"algorithm": "x"}, {}, "unknown_algorithm"), (account, {}, {}, "missing_field"),
        (account, {"input": 7}, {}, "invalid_type"), (account, GOOD | {"algoritm": "md5"}, strict, "unknown_field"),
        (account, GOOD, {"Content-Type": "text/plain"}, "unsupported_media_type"),
        (scoped, GOOD, {}, "scope_denied"), (capped, GOOD, {}, "spending_cap_total"), (ended, GOOD, {}, "auth_revoked"),
        (late, GOOD, {}, "auth_expired"),
    ]
    seen = {}
    for caller, request, headers, code in asks:
        answer = api.call(caller, TOOL, request, headers=headers)
        assert answer.codes[0] == code, answer
        seen[code] = answer.status_code, caller.token_id
    api.call(account, TOOL, GOOD, headers=key)
    answer = api.call(account, TOOL, {"input": "other"}, headers=key)
    seen[answer.codes[0]] = answer.status_code, account.token_id
    ledger.rows("update account_balance set granted = granted - posted, posted = 0 where account_id = %s", account.id)
    answer = api.call(account, TOOL, GOOD)
    ledger.rows("update account_balance set granted = granted + 99, posted = 99 where account_id = %s", account.id)
    seen[answer.codes[0]] = answer.status_code, account.token_id
    return seen


def test_refused_requests(account, refusals, log):
    """Each with its status, its code, its token, nothing charged."""
    records = log(account, len(refusals) + 1)  # and the first call of the key
    assert {record["code"]: (record["status"], record["token_id"]) for record in records if record["code"]} == refusals
    assert {400, 402, 403, 415, 422} <= {status for status, _ in refusals.values()}
    assert all(record["credits"] == 0 and record["seq"] is None for record in records if record["code"])


def test_full_windows(api, account, ledger):
    """Read from the database, because the API's window is full, too. Of many in a second, only a
    share has records."""
    answers = [api.read(account, "account/limits") for _ in range(61)]
    assert answers[-1].status_code == 429

    def refused():
        assert api.read(account, "account/limits").status_code == 429
        return ledger.rows("select distinct code from request_log where account_id = %s and status = 429", account.id)

    assert wait_for(refused, 10, "the record is written") == [("rate_limited_global",)]


def test_failures_of_tools(api, account, log):
    """502 and their like: charged nothing, and the tool's time is there."""
    answer = api.call(account, "security-headers", {"url": "https://no-such-host.test/"})
    assert answer.status_code >= 400
    [record] = log(account, 1)
    assert (record["status"], record["code"], record["credits"]) == (answer.status_code, answer.codes[0], 0)
    assert record["tool_ms"] is not None


def test_free_routes(api, account, log):
    for route in ("credits", "usage", "limits"):
        assert api.read(account, f"account/{route}").status_code == 200
    api.call(account, f"{TOOL}/dry-run", GOOD)
    assert api.read(account, "account/usage?x=1").status_code == 400
    records = log(account, 5)
    assert [short(record) for record in records] == [
        (None, "credits", "rest", 200, None, 0), (None, "usage", "rest", 200, None, 0),
        (None, "limits", "rest", 200, None, 0), (TOOL, "dry-run", "rest", 200, None, 0),
        (None, "usage", "rest", 400, "invalid_query", 0)]
    assert all(record["tool_ms"] is None for record in records)


def test_ids_replays_and_ignored_fields(api, account, log):
    headers = {"X-Request-Id": "my-id-7", "Idempotency-Key": "k"}
    request = {"text": "abc", "colour": 1}
    for _ in range(2):
        assert api.call(account, "token-counter", request, headers=headers).status_code == 200
    first, again = log(account, 2)
    assert first["client_id"] == again["client_id"] == "my-id-7" and first["id"] != again["id"]
    assert (first["is_replayed"], first["credits"]) == (False, 1) and (again["is_replayed"], again["credits"]) == (True, 0)
    assert first["ignored_fields"] == again["ignored_fields"] == 1
    assert "colour" not in json.dumps(first)


def test_agents(api, account, log):
    """Over MCP: the status that REST would have had."""
    agent = Agent(api, account)
    agent.call(TOOL, GOOD)
    agent.call(TOOL, {"input": "a", "algorithm": "x"})
    agent.call("no-such-tool", {})
    agent.call("account-credits", {})
    records = [short(record) for record in log(account, 4) if record["route"] in (None, "tools/call", "account-credits")]
    assert records[-4:] == [
        (TOOL, None, "mcp", 200, None, 1), (TOOL, None, "mcp", 400, "unknown_algorithm", 0),
        (None, "tools/call", "mcp", 200, "invalid_params", 0), (None, "account-credits", "mcp", 200, None, 0)]


def test_strangers_write_nothing(api, account, log, ledger):
    """A token of nobody, of another account, none, or a malformed one."""
    stranger = Account(account.id, account.token[:-8] + "A" * 8, account.token_id)
    for caller in (stranger, Account(account.id, "tg_live_x", "")):
        assert api.call(caller, TOOL, GOOD).status_code == 403
        assert api.call(caller, TOOL, {}).status_code == 403
    assert api.call(account, "no-such-tool", GOOD).status_code == 404
    api.call(account, TOOL, GOOD)
    assert [short(record) for record in log(account, 1)] == [(TOOL, None, "rest", 200, None, 1)]


def test_filters_and_pages(api, account, log):
    for n in range(5):
        api.call(account, TOOL, GOOD if n % 2 == 0 else {})
    records = log(account, 5)
    assert [short(record)[3] for record in records] == [200, 400, 200, 400, 200]
    def found(query):
        return [record["status"] for record in log(account, 5, query)]
    assert found("&status=4xx") == found("&status=failed") == found("&code=missing_field") == [400, 400]
    assert found("&status=2xx") == [200] * 3 and found("&status=5xx") == []
    assert found(f"&tool={TOOL}") == [200, 400, 200, 400, 200] and found("&tool=token-counter") == []
    assert found(f"&token={account.token_id}") == [200, 400, 200, 400, 200] and found(f"&token={uuid.uuid4()}") == []
    assert found(f"&id={records[1]['id']}") == [400] and found("&slower_ms=600000") == []
    assert found("&to=2020-01-01") == []
    seen, cursor = [], ""
    while cursor is not None:
        page = api.read(account, f"account/requests?limit=2&tool={TOOL}{cursor}").result
        seen += [record["id"] for record in page["requests"]]
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
    assert seen == [record["id"] for record in reversed(records)]


@pytest.mark.parametrize("query, wrong", [
    ("status=6xx", "status"), ("status=", "status"), ("limit=0", "limit"), ("limit=201", "limit"), ("tool=x", "tool"),
    ("token=x", "token"), ("slower_ms=-1", "slower_ms"), ("id=", "id"), ("id=a%20b", "id"), ("id=" + "x" * 65, "id"),
    ("code=%00", "code"), ("cursor=1", "cursor"), ("cursor=1.x", "cursor"), ("from=x", "from"),
    ("from=2026-01-01&to=2026-12-01", "92 days"), ("kind=usage", "unknown query parameter"), ("id=a&id=b", "twice")])
def test_invalid_queries(api, account, query, wrong):
    answer = api.read(account, f"account/requests?{query}")
    assert answer.codes == ["invalid_query"] and wrong in answer.message


def test_another_account_is_not_shown(api, site, account, log):
    other = site.open_account()
    api.call(account, TOOL, GOOD)
    log(account, 1)
    assert api.read(other, "account/requests").result["requests"] == []
    assert api.read(Account(account.id, other.token, ""), "account/requests").status_code == 403


def test_an_operator_finds_a_request(api, site, account, log):
    answer = api.call(account, TOOL, GOOD, headers={"X-Request-Id": "mine"})
    [record] = log(account, 1)
    for words in ([record["id"]], ["mine", "--account", account.id]):
        found = site.tollctl("request", "show", *words, "--json")
        assert (found["id"], found["account"], found["status"], found["code"]) == (record["id"], account.id, 200, None)
        assert [(entry["kind"], entry["credits"]) for entry in found["entries"]] == [("usage", -1)]
    assert answer.headers["X-Request-Id"] == "mine"
    with pytest.raises(Failure, match="needs --account"):
        site.tollctl("request", "show", "mine")
    with pytest.raises(Failure, match="neither the request log nor the ledger"):
        site.tollctl("request", "show", str(uuid.UUID(int=uuid.UUID(record["id"]).int ^ 1)))
