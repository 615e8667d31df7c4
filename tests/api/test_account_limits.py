"""GET …/account/limits: the use of the account's windows, including this call; it is free;
access."""

import datetime
import json
import time

import pytest
import yaml

from kit.check import ROOT
from kit.contracts import CONTRACTS
from kit.site import Account
from part import wait_for

CLASSES = yaml.safe_load((ROOT / "gateway" / "limits.yaml").read_text())["classes"]


def limits(api, account):
    answer = api.read(account, "account/limits")
    assert answer.status_code == 200, answer
    return answer.result


def test_no_calls(api, account):
    """Except this request."""
    result = limits(api, account)
    assert set(result) == {"as_of", "global", "endpoints", "classes", "daily"}
    assert result["global"] == {"limit": 60, "used": 1, "reset_seconds": 60}
    assert result["endpoints"] == []
    assert result["classes"] == [{"class": name, "limit": limit["class_per_minute"], "used": 0, "reset_seconds": 0}
                                 for name, limit in CLASSES.items() if "class_per_minute" in limit]
    assert [(window["tool"], window["limit"], window["used"]) for window in result["daily"]] == [
        (name, CLASSES[contract["rate_class"]]["daily_per_tool"], 0) for name, contract in sorted(CONTRACTS.items())
        if "daily_per_tool" in CLASSES[contract["rate_class"]]]


def test_calls(api, account):
    for _ in range(2):
        api.call(account, "hash-generate", {"input": "a"})
    api.call(account, "email-validator", {"email": "jane@example.com"})
    api.call(account, "ai-moderation", {"text": "Good morning"})
    api.call(account, "hash-generate", {})
    result = limits(api, account)
    used = {window["tool"]: (window["limit"], window["used"]) for window in result["endpoints"]}
    assert used == {"hash-generate": (30, 2), "ai-moderation": (10, 1)}
    assert [window["used"] for window in result["classes"] if window["class"] == "email-single"] == [1]
    assert {window["tool"]: window["used"] for window in result["daily"] if window["used"]} == {"ai-moderation": 1}
    assert result["global"]["used"] == 5
    for window in (result["global"], *result["endpoints"]):
        assert 1 <= window["reset_seconds"] <= 60
    as_of = datetime.datetime.fromisoformat(result["as_of"].replace("Z", "+00:00"))
    to_midnight = 86400 - (as_of.hour * 3600 + as_of.minute * 60 + as_of.second)
    assert {to_midnight - window["reset_seconds"] in (0, 1) for window in result["daily"] if window["used"]} == {True}


def test_it_matches_the_next_call(api, account):
    """Its numbers are those in that call's headers."""
    for _ in range(30):
        api.call(account, "hash-generate", {"input": "a"})
    begun = time.monotonic()
    (window,) = limits(api, account)["endpoints"]
    answer = api.call(account, "hash-generate", {"input": "a"})
    passed = time.monotonic() - begun
    assert (answer.status_code, window["used"], window["limit"]) == (429, 30, 30)
    assert 0 <= window["reset_seconds"] - int(answer.headers["Retry-After"]) <= passed + 1


def test_it_is_free_and_counts(api, account, ledger):
    answer = api.read(account, "account/limits")
    assert answer.headers["X-Credits-Charged"] == "0" and answer.headers["X-RateLimit-Remaining"] == "59"
    assert ledger.charged(account) == 0 and ledger.calls_in_ring(account) == 1


@pytest.mark.parametrize("scope, status", [("utils", 403), ("account", 200)])
def test_access(site, api, account, scope, status):
    made = site.tollctl("token", "create", account.id, "--scope", scope, "--json")
    assert api.read(Account(account.id, made["token"], ""), "account/limits").status_code == status
    assert api.read(Account(account.id, site.open_account().token, ""), "account/limits").codes == ["auth_invalid"]


def plan_of(site, account, name, **columns):
    """Give the account a new plan."""
    classes = columns.pop("classes", {})
    plan = {"global_per_minute": 250, "classes": classes} | columns
    with site.connect() as connection, connection.cursor() as cursor:
        cursor.execute("select plan_write(%s, %s::jsonb)", [name, json.dumps(plan)])
    site.tollctl("account", "plan", account.id, name, "--note", "test")


def test_a_plan(site, api, account):
    """Its numbers replace the default ones, everywhere a customer sees them; without it, they
    return at once."""
    plan_of(site, account, "limits-page", classes={
        "utility": {"endpoint_per_minute": 2}, "email-single": {"class_per_minute": 0},
        "email-bulk": {"class_per_minute": 7}, "ai": {"daily_per_tool": 200}})
    calls = [api.call(account, "hash-generate", {"input": "a"}) for _ in range(3)]
    assert [call.status_code for call in calls] == [200, 200, 429]
    assert calls[0].headers["RateLimit-Policy"] == '"endpoint";q=2;w=60'
    assert calls[1].headers["X-RateLimit-Remaining"] == "0"
    assert calls[2].message.startswith("the limit is 2 calls of hash-generate a minute; retry in ")
    ai = api.call(account, "ai-moderation", {"text": "Good morning"})
    assert ai.headers["RateLimit-Policy"] == '"endpoint";q=10;w=60, "daily";q=200;w=86400'
    result = limits(api, account)
    assert result["plan"].keys() == {"name", "since"} and result["plan"]["name"] == "limits-page"
    assert result["global"]["limit"] == 250
    assert result["endpoints"][0].items() >= {"tool": "ai-moderation", "limit": 10, "used": 1}.items()
    assert result["endpoints"][1].items() >= {"tool": "hash-generate", "limit": 2, "used": 2}.items()
    assert result["classes"] == [{"class": "email-bulk", "limit": 7, "used": 0, "reset_seconds": 0}]
    assert {window["limit"] for window in result["daily"]} == {200}
    balance = api.read(account, "account/credits")
    assert balance.result["plan"] == result["plan"] and balance.headers["X-RateLimit-Limit"] == "250"
    dry = api.call(account, "hash-generate/dry-run", {"input": "a"})
    assert dry.result["refusal"]["message"].startswith("the limit is 2 calls of hash-generate a minute")
    site.tollctl("account", "plan", account.id, "none", "--note", "test")
    result = limits(api, account)
    assert "plan" not in result and result["global"]["limit"] == 60
    assert "plan" not in api.read(account, "account/credits").result
    wait_for(lambda: api.call(account, "hash-generate", {"input": "a"}).status_code == 200, 5, "the default limit holds")
