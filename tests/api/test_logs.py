"""tests/api/test_logs.py - a call's line has its token's id; no log contains a token, wherever a
client puts it by mistake."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from kit import raw
from kit.check import UUID
from kit.client import Client
from kit.site import own_address
from part import wait_for

TOOL = "hash-generate"


@pytest.fixture
def logs_without(site):
    """logs_without(token, address): its secret part is in no log. The last response to a client at
    this address was a rejection by the edge, which logs after it responds."""
    folder = Path(site.log_directory)
    begin = (folder / "edge.log").stat().st_size

    def check(token, address):
        network = f'"client.address":"{address.rpartition(".")[0]}.0"'.encode()
        wait_for(lambda: network in (folder / "edge.log").read_bytes()[begin:], 10, "the edge's line")
        secret = token.removeprefix("tg_live_").encode()
        assert [file.name for file in folder.glob("*.log") if secret in file.read_bytes()] == []

    return check


@pytest.mark.parametrize("form", ["{}", "job-1/{}", "{}x", "TG_LIVE_{random}"])
def test_a_token_is_not_a_request_id(api, account, form):
    """A response would contain it, and others on the way could log it."""
    sent = form.format(account.token, random=account.token.removeprefix("tg_live_"))
    answer = api.call(account, TOOL, {"input": "abc"}, {"X-Request-Id": sent})
    assert answer.status_code == 200
    assert re.search(UUID, answer.headers["X-Request-Id"])


def test_a_token_in_the_wrong_place_is_not_logged(site, account, logs_without):
    token, address = account.token, own_address()
    client = Client(site, address)
    ids = {"X-Request-Id": token, "Idempotency-Key": token, "traceparent": f"00-{token}-01", "User-Agent": token,
           "Referer": f"https://example.com/{token}"}
    assert client.call(account, TOOL, {"input": token}, ids).status_code == 200
    other = ids | {"Idempotency-Key": f"2-{token}"}
    assert client.call(account, TOOL, {"input": token, "algorithm": token}, other).status_code == 400
    assert client.call(account, token, {}, ids).status_code == 404
    assert client.get(f"/v1/client/{token}/tools/{TOOL}?token={token}", ids).status_code == 405
    assert client.read(account, f"tools/placeholder-image?width={token}", ids).status_code == 400
    assert client.get(f"/v1/{token}%00", ids).status_code == 400  # by the edge
    logs_without(token, address)


def test_a_token_instead_of_a_version_is_not_logged(site, account, api, logs_without):
    """Directly to a gateway: the edge rejects it, but civetweb's own log message repeats it."""
    host, port = site.gateways[0]
    raw.exchange(raw.connect("127.0.0.1", host, port), f"GET /livez HTTP/{account.token}\r\nHost: x\r\n\r\n".encode())
    assert api.get("/v1/%00").status_code == 400
    logs_without(account.token, api.address)


def test_a_call_has_its_token(site, account):
    """Admitted in one write, admitted with a key, repeated, or rejected by the ledger or before it,
    the second time from memory; not with a token of another account."""
    client = Client(site)
    poor = site.open_account(1)
    stranger = dataclasses.replace(account, token=poor.token)
    made = site.tollctl("token", "create", account.id, "--json")
    revoked = dataclasses.replace(account, token=made["token"], token_id=made["token_id"])
    site.tollctl("token", "revoke", account.id, revoked.token_id)
    key, good, bad = {"Idempotency-Key": "token-id"}, {"input": "abc"}, {"input": 1}
    calls = [(account, good, {}, 200, account.token_id), (account, good, key, 200, account.token_id),
             (account, good, key, 200, account.token_id), (poor, good, {}, 200, poor.token_id),
             (poor, good, {}, 402, poor.token_id), (account, bad, {}, 400, account.token_id),
             (account, bad, {}, 400, account.token_id), (revoked, good, {}, 403, revoked.token_id),
             (revoked, good, {}, 403, revoked.token_id), (revoked, bad, {}, 403, revoked.token_id),
             (stranger, good, {}, 403, ""), (stranger, bad, {}, 403, "")]
    answers = [client.call(caller, TOOL, body, headers) for caller, body, headers, _, _ in calls]
    assert [answer.status_code for answer in answers] == [status for _, _, _, status, _ in calls]
    ids = [answer.headers["X-Request-Id"] for answer in answers]

    def tokens():
        lines = [json.loads(line) for log in Path(site.log_directory).glob("gateway-*.log")
                 for line in log.read_text().splitlines() if '"call_id"' in line]
        return {line["call_id"]: line["token_id"] for line in lines if line.get("call_id") in ids and "token_id" in line}

    wait_for(lambda: len(tokens()) == len(ids), 10, "the lines")
    assert [tokens()[call] for call in ids] == [token_id for *_, token_id in calls]
