"""tests/api/ledger/test_request_codes.py - each code of docs/api/errors.md that a request with a
known token can get is in the request log, with its status, token and time.

The first row of each code in the tools' tables is sent again, and what no row has is sent by a
function here. Other codes are listed with the test that shows them, or because no token is known.
"""

import re
from pathlib import Path

import pytest
import yaml

from kit.contracts import CONTRACTS, is_get, send
from part import wait_for

TOOL, GOOD = "hash-generate", {"input": "abc"}
DOCUMENT = Path(__file__).resolve().parents[3] / "docs/api/errors.md"
CODES = re.findall(r"^\| \d+ \| `(\w+)`", DOCUMENT.read_text(), re.MULTILINE)


def first_rows():
    """{code: (tool, row)} of the tools' tables."""
    found = {}
    for tool, contract in CONTRACTS.items():
        for row in yaml.safe_load((contract["folder"] / "tests/cases.yaml").read_text()):
            code = row.get("code")
            found.setdefault(code[0] if isinstance(code, list) else code, (tool, row))
    return found


ROWS = {code: row for code, row in first_rows().items() if code}


def change(ledger, statement, account):
    ledger.rows(f"{statement} where account_id = %s", account.id)


def call(api, account, headers=None, **options):
    return api.call(account, TOOL, GOOD, headers, **options)


def fill_window(api, account, limit):
    for _ in range(limit):
        assert call(api, account).status_code == 200
    return call(api, account)


def suspend(state):
    def run(api, account, ledger):
        change(ledger, f"update account set state = '{state}'", account)
        answer = call(api, account)
        change(ledger, "update account set state = 'active'", account)
        return answer
    return run


def cap_today(api, account, ledger):
    change(ledger, "update token set cap_daily = 0, spent_today = 0, spent_total = 0, spent_day = current_date", account)
    return call(api, account)


SENT = {
    "body_required": lambda api, account, ledger: call(api, account, raw=""),
    "body_not_object": lambda api, account, ledger: call(api, account, raw="[]"),
    "unknown_field": lambda api, account, ledger: api.call(account, TOOL, GOOD | {"x": 1}, {"Prefer": "handling=strict"}),
    "invalid_idempotency_key": lambda api, account, ledger: call(api, account, {"Idempotency-Key": "a" * 256}),
    "unsupported_media_type": lambda api, account, ledger: call(api, account, {"Content-Type": "text/plain"}),
    "rate_limited_endpoint": lambda api, account, ledger: fill_window(api, account, 30),
    "account_suspended": suspend("suspended"),
    "account_closed": suspend("closed"),
    "spending_cap_daily": cap_today,
}
ELSEWHERE = {
    "test_request_records.py": {"insufficient_credits", "auth_expired", "auth_revoked", "scope_denied", "spending_cap_total",
                                "idempotency_mismatch", "rate_limited_global"},
    "test_token_networks.py": {"ip_not_allowed"},
    "test_request_log.py": {"ledger_unavailable"},
}
# Of no tool, or before the token is checked: anyone could write these into an account's log.
NO_TOKEN = {"bad_request", "invalid_account_id", "not_found", "tool_not_found", "method_not_allowed", "request_timeout",
            "body_too_large", "uri_too_long", "headers_too_large", "auth_missing", "auth_malformed", "auth_invalid",
            "origin_not_allowed", "https_required", "rate_limited_ip", "signature_invalid", "signature_stale",
            "payload_mismatch"}
# They need an outage, a member without a confirmed address, or minutes; each is an error like those
# above where answers are recorded.
NOT_SHOWN = {"invalid_port", "invalid_email", "port_not_allowed", "email_unverified", "idempotency_in_progress",
             "rate_limited_class", "daily_quota_exceeded", "internal_error", "overloaded", "no_worker", "worker_lost",
             "outcome_unknown", "draining", "provider_unconfigured", "deadline_exceeded", "too_complex",
             "token_exists"}


def test_each_code_has_its_place():
    places = [ROWS, SENT, *ELSEWHERE.values(), NO_TOKEN, NOT_SHOWN]
    for code in CODES:
        assert sum(code in place for place in places) == 1, code
    assert set().union(*places) <= set(CODES)


def ask(api, account, ledger, code):
    if code in SENT:
        return SENT[code](api, account, ledger)
    tool, row = ROWS[code]
    if "raw_body" in row:
        return api.call(account, tool, headers=row.get("send_headers"), raw=row["raw_body"].encode())
    sent = "query" if is_get(CONTRACTS[tool]) else "request"
    return send(api, account, CONTRACTS[tool], row.get(sent), row.get("send_headers"))


@pytest.mark.parametrize("code", sorted([*ROWS, *SENT]))
def test_it_is_in_the_log(api, account, ledger, code):
    answer = ask(api, account, ledger, code)
    assert answer.codes[0] == code

    def logged():
        return ledger.rows("select status, code, credits, token_id::text, total_us > 0 from request_log"
                           " where account_id = %s and id = %s", account.id, answer.headers["X-Request-Id"])
    assert wait_for(logged, 20, "the request's record") == [(answer.status_code, code, 0, account.token_id, True)]
