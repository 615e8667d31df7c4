"""tests/api/tokens/test_token_networks.py - a token with networks works from them alone, whichever
way a request comes. tests/api/ledger/test_networks.py has the edges of networks and IPv6."""

import pytest

from kit import raw
from kit.agents.host import Agent
from kit.client import Client
from kit.site import Account, own_address
from part import wait_for

TOOL = "hash-generate"
GOOD = {"input": "abc"}
DENIED = "ip_not_allowed"


@pytest.fixture
def inside(site):
    """A client in the networks; `api` is outside."""
    return Client(site)


@pytest.fixture
def bound(site, account, inside):
    """The account, with a token for the inside client alone."""
    made = site.tollctl("token", "create", account.id, "--network", inside.address, "--network", "2001:db8::/32",
                        "--json")
    return Account(account.id, made["token"], made["token_id"])


def marks(ledger, account):
    return ledger.rows("select b.posted, b.held, b.seq, b.ring_at, t.last_used_at from account_balance b"
                       "  join token t using (account_id) where t.token_id = %s", account.token_id)


def ways(api, account):
    """The answer of each way to use a token, as (status, code)."""
    agent = Agent(api, account)

    def of_agent(answer):
        message = answer.json()
        return answer.status_code, message["error"]["data"]["errors"][0]["code"] if "error" in message else None

    def of(answer):
        return answer.status_code, answer.codes[0] if answer.status_code >= 400 else None

    yield "tool", of(api.call(account, TOOL, GOOD))
    yield "with a key", of(api.call(account, TOOL, GOOD, {"Idempotency-Key": "a"}))
    yield "GET tool", of(api.request("GET", account.path("tools/placeholder-image?width=9"),
                                     headers={"Authorization": f"Bearer {account.token}"}))
    yield "strict", of(api.call(account, TOOL, GOOD | {"x": 1}))
    for name in ("credits", "usage", "limits", "requests", "invoices"):
        yield name, of(api.read(account, f"account/{name}"))
    yield "MCP call", of_agent(agent.call(TOOL, GOOD))
    yield "MCP credits", of_agent(agent.call("account-credits", {}))
    yield "MCP list", of_agent(agent.ask("tools/list"))
    yield "bad request", of(api.call(account, TOOL, {"input": 5}))
    yield "bad type", of(api.call(account, TOOL, GOOD, {"Content-Type": "text/plain"}))


def test_from_elsewhere_each_way_is_refused_and_leaves_no_mark(api, bound, ledger):
    before = marks(ledger, bound)
    for name, answer in ways(api, bound):
        assert answer == (403, DENIED), name
    assert marks(ledger, bound) == before and ledger.charged(bound) == 0
    answer = api.call(bound, TOOL, GOOD)
    assert answer.message == f"this token may not be used from {api.address}; its owner can add the network"
    assert answer.headers["X-Credits-Charged"] == "0" and "X-Credits-Remaining" not in answer.headers


def test_from_its_networks_each_way_works(inside, bound, ledger):
    said = dict(ways(inside, bound))
    assert {name for name, (status, _) in said.items() if status == 200} == set(said) - {"bad request", "bad type"}
    assert ledger.charged(bound) > 0


def test_a_thief_does_not_shut_out_the_owner(api, inside, bound):
    """Refusals are kept by address: calls of both alternate, with the one-write path warm."""
    for _ in range(4):
        assert inside.call(bound, TOOL, GOOD).status_code == 200
        assert api.call(bound, TOOL, GOOD).codes == [DENIED]


def test_a_dry_run(api, inside, bound):
    assert api.call(bound, f"{TOOL}/dry-run", GOOD).codes == [DENIED]
    assert inside.call(bound, f"{TOOL}/dry-run", GOOD).result["would_run"] is True


def test_a_client_cannot_choose_its_address(site, api, inside, bound):
    """Neither through the edge, which sets the header, nor by a second value at a gateway."""
    forged = {"X-Forwarded-For": inside.address, "Forwarded": f"for={inside.address}", "X-Real-IP": inside.address}
    for headers in (forged, {"X-Forwarded-For": f"{inside.address}, {api.address}"},
                    {"X-Forwarded-For": f"{api.address}, {inside.address}"}):
        assert api.call(bound, TOOL, GOOD, headers).codes == [DENIED], headers
    host, port = site.gateways[0]

    def ask(*forwarded):
        head = "\r\n".join((f"GET {bound.path('account/credits')} HTTP/1.1", "Host: localhost",
                            f"Authorization: Bearer {bound.token}", "X-Forwarded-Proto: https", *forwarded))
        return raw.exchange(raw.connect("127.0.0.1", host, port), f"{head}\r\n\r\n".encode())[0]

    assert ask(f"X-Forwarded-For: {inside.address}").status_code == 200  # as the edge sends it
    assert ask(f"X-Forwarded-For: ::ffff:{inside.address}").status_code == 200  # IPv4-mapped is IPv4
    assert ask("X-Forwarded-For: 2001:db8::7").status_code == 200
    assert ask(f"X-Forwarded-For: {own_address()}").status_code == 403
    for several in ([f"X-Forwarded-For: {inside.address}", f"X-Forwarded-For: {api.address}"],
                    [f"X-Forwarded-For: {api.address}, {inside.address}"], ["X-Forwarded-For: nobody"], []):
        assert ask(*several).status_code == 400, several


def test_the_request_log_has_the_refusal(api, bound, ledger):
    request = api.call(bound, TOOL, GOOD).headers["X-Request-Id"]

    def logged():
        return ledger.rows("select status, code, credits from request_log where account_id = %s and id = %s",
                           bound.id, request)
    wait_for(logged, 20, "the request's record")
    assert logged() == [(403, DENIED, 0)]


def test_a_change_is_seen_at_once(api, bound, ledger):
    assert api.call(bound, TOOL, GOOD).codes == [DENIED]
    ledger.rows("update token set networks = %s where token_id = %s", "{" + f"{api.address}/32" + "}", bound.token_id)
    wait_for(lambda: api.call(bound, TOOL, GOOD).status_code == 200, 5, "the new network")  # kept for 1 s
    ledger.rows("update token set networks = '{192.0.2.7/32}' where token_id = %s", bound.token_id)
    assert api.call(bound, TOOL, GOOD).codes == [DENIED]
