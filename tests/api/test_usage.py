"""tests/api/test_usage.py - each way to pay for a call records the call's tool and token."""

import pytest

WAYS = [
    ("one write", "hash-generate", {"input": "a"}, {}, False),
    ("a hold for a key", "hash-generate", {"input": "a"}, {"Idempotency-Key": "usage-1"}, True),
    ("a hold for a long call", "dns-lookup", {"domain": "example.com"}, {}, True),
]


@pytest.mark.parametrize("tool, request_, headers, is_held", [pytest.param(*row[1:], id=row[0]) for row in WAYS])
def test_a_call_records_its_token(api, account, ledger, tool, request_, headers, is_held):
    for _ in range(2):  # the first call of an account is always held
        headers = {name: f"{value}{_}" for name, value in headers.items()}
        assert api.call(account, tool, request_, headers).status_code == 200
    entry = ledger.rows("select reference, token_id::text from ledger_entry where account_id = %s and kind = 3"
                        " order by seq desc limit 1", account.id)[0]
    assert entry[1] == account.token_id
    held = ledger.rows("select token_id::text from hold where account_id = %s and hold_id = %s", account.id, entry[0])
    assert held == ([(account.token_id,)] if is_held else [])


def test_usage_by_token(api, site, account, ledger):
    """Two tokens of one account, each with separate sums, exact to the last call."""
    other = site.tollctl("token", "create", account.id, "--name", "other", "--json")
    tokens = {account.token_id: account, other["token_id"]: type(account)(account.id, other["token"], other["token_id"])}
    for count, user in zip((2, 3), tokens.values()):
        for _ in range(count):
            assert api.call(user, "hash-generate", {"input": "a"}).status_code == 200
    assert ledger.rows("select usage_roll_up(%s, 1000)", account.id) == [(0,)]
    rows = ledger.rows("select token_id::text, calls, credits from usage_day where account_id = %s", account.id)
    assert sorted(rows) == sorted((token, count, count) for count, token in zip((2, 3), tokens))
