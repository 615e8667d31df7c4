"""GET …/account/usage: what an account used by day, tool and token, exact and free; bad queries; who may ask."""

import datetime

import pytest

from kit.contracts import CONTRACTS
from kit.site import Account

TODAY = datetime.datetime.now(datetime.timezone.utc).date()


def day(offset):
    return (TODAY + datetime.timedelta(days=offset)).isoformat()


def usage(api, account, query=""):
    answer = api.read(account, f"account/usage{query}")
    assert answer.status_code == 200, answer
    return answer.result


@pytest.fixture
def calls(site, api, account):
    """Three calls of two tools by two tokens; one that failed."""
    made = site.tollctl("token", "create", account.id, "--json")
    other = Account(account.id, made["token"], made["token_id"])
    for caller, tool, request in [(account, "hash-generate", {"input": "a"}), (other, "hash-generate", {"input": "a"}),
                                  (account, "email-spam-check", {"subject": "Hello", "body": "Good morning"}),
                                  (account, "hash-generate", {})]:
        api.call(caller, tool, request)
    return [account, other]


def test_by_day(api, account, calls):
    result = usage(api, account)
    assert (result["from"], result["to"], result["group_by"]) == (day(-29), day(1), "day")
    assert result["groups"] == [{"key": day(0), "calls": 3, "credits": 2 + CONTRACTS["email-spam-check"]["credits"]}]


def test_by_tool_and_token(api, account, calls):
    spam = CONTRACTS["email-spam-check"]["credits"]
    assert usage(api, account, "?group_by=tool")["groups"] == [
        {"key": "email-spam-check", "calls": 1, "credits": spam}, {"key": "hash-generate", "calls": 2, "credits": 2}]
    assert usage(api, account, "?group_by=token")["groups"] == [
        {"key": calls[0].token_id, "calls": 2, "credits": 1 + spam}, {"key": calls[1].token_id, "calls": 1, "credits": 1}]


def test_days_that_are_asked_for(api, account, calls):
    assert usage(api, account, f"?from={day(-1)}&to={day(0)}")["groups"] == []
    assert usage(api, account, f"?from={day(0)}&to={day(1)}")["groups"][0]["calls"] == 3
    assert usage(api, account, f"?from={day(-91)}")["groups"] != []


def test_nothing_was_called(api, account):
    assert usage(api, account, "?group_by=token")["groups"] == []


def test_it_is_free_and_counts(api, account, ledger):
    answer = api.read(account, "account/usage")
    assert answer.headers["X-Credits-Charged"] == "0" and answer.headers["X-RateLimit-Limit"] == "60"
    assert ledger.charged(account) == 0 and ledger.calls_in_ring(account) == 1


@pytest.mark.parametrize("query", [
    "?group=day", "?group_by=hour", "?group_by=", "?group_by=day&group_by=day", "?from=yesterday", "?from=2026-13-01",
    "?from=2026-11-23T00:00Z", "?to=", f"?from={day(0)}&to={day(0)}", f"?from={day(1)}&to={day(0)}", f"?from={day(-92)}",
    "?from=1969-12-31&to=1970-01-02", "?token=tg_live_abc"])
def test_bad_queries(api, account, ledger, query):
    answer = api.read(account, f"account/usage{query}")
    assert (answer.status_code, answer.codes) == (400, ["invalid_query"]), answer
    assert ledger.calls_in_ring(account) == 0


def test_who_may_ask(site, api, account):
    stranger = Account(account.id, site.open_account().token, "")
    assert api.read(stranger, "account/usage").codes == ["auth_invalid"]
    assert api.read(stranger, "account/usage?group_by=x").codes == ["auth_invalid"]
    for scope, status in (("utils", 403), ("account", 200)):
        made = site.tollctl("token", "create", account.id, "--scope", scope, "--json")
        answer = api.read(Account(account.id, made["token"], ""), "account/usage")
        assert answer.status_code == status, answer
