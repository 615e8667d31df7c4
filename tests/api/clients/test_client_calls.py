"""clients/: both libraries against the product, while responses fail. Whatever happens, a call is
charged at most once."""

import pytest

from kit.contracts import CONTRACTS

HASH = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
CRON = {"expression": "0 9 * * MON-FRI"}


def test_call(library, edge, account, ledger):
    found = library.run("call", "hash-generate", {"input": "hello"})
    assert found["value"]["hash"] == HASH
    assert ledger.charged(account) == 1 and len(edge.keys) == 1


def test_text_that_is_not_ascii(library):
    found = library.run("call", "hash-generate", {"input": "Grüße 日本 🎈"})
    assert found["value"]["input_bytes"] == 19


@pytest.mark.parametrize("fault", ["lose", "cut", "half", "html", "json"])
def test_lost_response(library, edge, account, ledger, fault):
    edge.faults = [fault]
    found = library.run("send", "cron-explain", CRON)["value"]
    assert (found["is_replayed"], found["charged"], found["remaining"]) == (True, 0, 99)
    assert found["result"]["expression"] == CRON["expression"] and found["request_id"]
    assert len(edge.keys) == 2 and len(set(edge.keys)) == 1
    assert ledger.charged(account) == 1


@pytest.mark.parametrize("status", [409, 429, 503])
def test_waits_as_long_as_the_server_says(library, edge, account, ledger, status):
    edge.faults = [(status, 2)]
    found = library.run("call", "cron-explain", CRON)
    assert found["value"]["expression"] == CRON["expression"]
    assert len(edge.keys) == 2 and len(set(edge.keys)) == 1
    assert edge.times[1] - edge.times[0] >= 2
    assert ledger.charged(account) == 1


@pytest.mark.parametrize("status", [400, 402, 403, 422, 500])
def test_other_errors_are_not_retried(library, edge, status):
    edge.faults = [(status, 0)]
    error = library.run("call", "cron-explain", CRON)["error"]
    assert (error["status"], error["codes"], error["retry_after_s"]) == (status, ["rate_limited_endpoint"], None)
    assert len(edge.keys) == 1


def test_error(library, edge, account, ledger):
    error = library.run("call", "hash-generate", {"algorithm": "MD5"})["error"]
    assert (error["status"], error["codes"], error["retry_after_s"]) == (400, ["missing_field"], None)
    assert error["message"] == "missing_field: input is required" and error["request_id"]
    assert error["help_url"] == f"{edge.url}/docs/errors#missing_field"
    assert [error["key"]] == edge.keys and ledger.charged(account) == 0


def test_attempts_are_limited(library, edge):
    edge.faults = [(503, 0)] * 9
    error = library.run("call", "cron-explain", CRON)["error"]
    assert (error["status"], error["request_id"], len(edge.keys)) == (503, "busy", 5)


def test_time_is_limited(library, edge):
    """A daily quota, for example: nobody waits for hours."""
    edge.faults = [(429, 3600)]
    error = library.run("call", "cron-explain", CRON)["error"]
    assert (error["status"], error["retry_after_s"], len(edge.keys)) == (429, 3600, 1)


def test_time_limit_can_be_set(library, edge):
    edge.faults = [(429, 2)]
    error = library.run("call", "cron-explain", CRON, max_total_s=1)["error"]
    assert (error["status"], len(edge.keys)) == (429, 1)


def test_outcome_is_found_later(library, edge, account, ledger):
    """The error has the key with which the call can be finished."""
    edge.faults = ["lose", "lose"]
    error = library.run("call", "cron-explain", CRON, attempts=2)["error"]
    assert (error["status"], error["codes"], error["request_id"], len(edge.keys)) == (None, [], None, 2)
    assert error["help_url"] is None
    assert error["message"].startswith("no response: ")
    found = library.run("send", "cron-explain", CRON, key=error["key"])["value"]
    assert found["is_replayed"] and set(edge.keys) == {error["key"]}
    assert ledger.charged(account) == 1


def test_slow_response(library, edge, account, ledger):
    """An attempt that takes too long is as good as lost."""
    edge.faults = ["hang"]
    found = library.run("send", "cron-explain", CRON, timeout_s=2)["value"]
    assert found["is_replayed"] and ledger.charged(account) == 1


def test_certificate_that_is_not_trusted(library, edge):
    error = library.run("call", "cron-explain", CRON, is_trusted=False)["error"]
    assert (error["status"], error["retry_after_s"], edge.keys) == (None, None, [])


def test_http_is_refused(library, edge):
    error = library.run("credits", base_url=edge.url.replace("https:", "http:"))["error"]
    assert "https://" in error["wrong"] and edge.paths == []


def test_redirect_is_not_followed(library, edge):
    """The token would go to another address."""
    edge.faults = ["redirect"]
    error = library.run("call", "cron-explain", CRON)["error"]
    assert error["status"] is None and "302" in error["message"] and len(edge.paths) == 1


def test_image(library, edge, account, ledger):
    """A GET, whose response is not JSON."""
    edge.faults = ["lose"]
    found = library.run("send", "placeholder-image", {"width": 30, "text": "a&b"})["value"]
    assert found["content_type"] == "image/svg+xml" and "a&amp;b" in found["result"]["bytes"]
    assert edge.paths[0].endswith("/tools/placeholder-image?width=30&text=a%26b")
    assert ledger.charged(account) == 1


def test_image_of_a_tool_that_can_do_both(library):
    found = library.run("call", "qr-generate", {"text": "a", "format": "png"})
    assert found["value"]["bytes"].startswith("\x89PNG")


def test_credits(library, account):
    found = library.run("credits")["value"]
    assert (found["credits"], found["token"]["name"]) == (100, "")


def test_tools(library):
    found = library.run("tools")["value"]
    assert {tool["name"]: tool["credits"] for tool in found["tools"]} == {
        name: contract["credits"] for name, contract in CONTRACTS.items()}


def test_default_timeout_is_longer_than_any_tool_takes():
    assert max(contract["budget_ms"] for contract in CONTRACTS.values()) < 180_000
