"""tests/api/test_dry_run.py - POST …/tools/{tool}/dry-run: what a call would cost, and whether it
would be admitted, for nothing."""

import pytest

from kit.contracts import CONTRACTS
from kit.site import Account

TOOL = "hash-generate"


@pytest.fixture
def dry(api, account):
    def run(tool=TOOL, request=None, of=account, **options):
        return api.call(of, f"{tool}/dry-run", {"input": "a"} if request is None else request, **options)
    return run


def test_a_call_that_would_run(dry, account, ledger):
    answer = dry(request={"input": "a"})
    assert answer.status_code == 200 and answer.headers["X-Credits-Charged"] == "0"
    assert answer.result == {"tool": TOOL, "credits": 1, "would_run": True, "refusal": None, "credits_available": 100,
                             "request": {"input": "a", "key_encoding": "utf8", "input_encoding": "utf8"},
                             "ignored_fields": [],
                             "checked": "contract"}
    assert ledger.charged(account) == 0 and ledger.held(account) == 0 and ledger.calls_in_ring(account) == 1


def test_an_invalid_request_is_refused_as_the_call(dry, api, account, ledger):
    for request in ({}, {"input": 5}, {"input": "a", "algorithm": 7}):
        assert dry(request=request).json() == api.call(account, TOOL, request).json()
    assert dry(raw=b"{", request={}).codes == ["invalid_json"]
    assert dry(headers={"Content-Type": "text/plain"}).codes == ["unsupported_media_type"]
    assert ledger.calls_in_ring(account) == 0


def test_unknown_fields_are_errors(dry):
    request = {"input": "a", "algoritm": "md5"}
    assert dry(request=request).codes == ["unknown_field"]
    answer = dry(request=request, headers={"Prefer": "handling=lenient"})
    assert answer.result["ignored_fields"] == [{"path": "algoritm", "did_you_mean": "algorithm"}]
    assert answer.headers["X-Ignored-Fields"] == '"algoritm";did_you_mean="algorithm"'


def test_a_tool_with_a_query_takes_json(dry, api, account):
    answer = dry("placeholder-image", {"width": 30})
    assert answer.status_code == 200 and answer.result["request"]["width"] == 30
    assert api.read(account, "tools/placeholder-image/dry-run").status_code == 405


def test_tokens_and_tools(dry, api, site, account):
    assert dry("no-such-tool").codes == ["tool_not_found"]
    other = Account(account.id, account.token[:-8] + "A" * 8, account.token_id)
    assert dry(of=other).status_code == 403 and dry(of=other, request={"x": 1}).status_code == 403
    made = site.tollctl("token", "create", account.id, "--scope", "email", "--json")
    refusal = dry(of=Account(account.id, made["token"], made["token_id"])).result["refusal"]
    assert (refusal["status"], refusal["code"]) == (403, "scope_denied")


def test_too_few_credits(dry, api, site, account):
    poor = site.open_account(credits=3)
    result = dry("tls-check", {"host": "example.com"}, of=poor).result
    assert result["would_run"] is False and result["credits_available"] == 3 and result["credits"] == 5
    assert result["refusal"]["code"] == "insufficient_credits" and result["refusal"]["status"] == 402
    assert result["refusal"]["message"] == api.call(poor, "tls-check", {"host": "example.com"}).message


def test_caps_and_windows(dry, api, site, account):
    made = site.tollctl("token", "create", account.id, "--cap-total", "0", "--json")
    capped = Account(account.id, made["token"], made["token_id"])
    assert dry(of=capped).result["refusal"]["code"] == api.call(capped, TOOL, {"input": "a"}).codes[0]
    for _ in range(30):
        api.call(account, TOOL, {"input": "a"})
    refusal = dry().result["refusal"]
    assert refusal["code"] == "rate_limited_endpoint" and 1 <= refusal["retry_after_s"] <= 60
    assert dry("jwt-decode", {"token": "a.b.c"}).result["would_run"]


def test_a_dry_run_takes_a_place_in_the_global_window(dry, api, account, ledger):
    for _ in range(60):
        assert dry().status_code == 200
    answer = dry()
    assert answer.codes == ["rate_limited_global"] and "Retry-After" in answer.headers
    assert api.call(account, TOOL, {"input": "a"}).codes == ["rate_limited_global"]


@pytest.mark.parametrize("tool", sorted(CONTRACTS))
def test_each_tools_example(site, api, dry, tool):
    account = site.open_account(credits=30)
    result = dry(tool, CONTRACTS[tool]["examples"][0]["request"], of=account).result
    assert result["credits"] == CONTRACTS[tool]["credits"] and result["would_run"] is True and result["tool"] == tool
