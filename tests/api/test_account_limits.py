"""GET …/account/limits: the use of the account's windows, including this call; it is free;
access."""

import datetime

import pytest
import yaml

from kit.check import ROOT
from kit.contracts import CONTRACTS
from kit.site import Account

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
    (window,) = limits(api, account)["endpoints"]
    answer = api.call(account, "hash-generate", {"input": "a"})
    assert (answer.status_code, window["used"], window["limit"]) == (429, 30, 30)
    assert 0 <= window["reset_seconds"] - int(answer.headers["Retry-After"]) <= 5


def test_it_is_free_and_counts(api, account, ledger):
    answer = api.read(account, "account/limits")
    assert answer.headers["X-Credits-Charged"] == "0" and answer.headers["X-RateLimit-Remaining"] == "59"
    assert ledger.charged(account) == 0 and ledger.calls_in_ring(account) == 1


@pytest.mark.parametrize("scope, status", [("utils", 403), ("account", 200)])
def test_access(site, api, account, scope, status):
    made = site.tollctl("token", "create", account.id, "--scope", scope, "--json")
    assert api.read(Account(account.id, made["token"], ""), "account/limits").status_code == status
    assert api.read(Account(account.id, site.open_account().token, ""), "account/limits").codes == ["auth_invalid"]
