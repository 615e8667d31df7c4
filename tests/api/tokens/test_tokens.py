"""tests/api/tokens/test_tokens.py - management tokens: every call with every kind of token, and
what they do over the API. tests/api/ledger/test_token_manage.py has the rules."""

import json
import uuid

import pytest

from kit.agents.host import Agent
from kit.check import STATUS_OF_CODE
from kit.contracts import CONTRACTS, send
from kit.site import Account, new_token
from part import wait_for

TOOL = "hash-generate"
GOOD = {"input": "abc"}
ID = "018f3a5e-0000-7000-8000-000000000000"
ROUTES = [("GET", "tokens"), ("POST", "tokens"), ("GET", "tokens/{id}"), ("POST", "tokens/{id}"),
          ("POST", "tokens/{id}/revoke"), ("POST", "tokens/{id}/rotate")]


@pytest.fixture
def manager(site, account):
    """A management token that may do everything."""
    return site.make_management(account, "tokens:read", "tokens:write", "usage", "requests", "invoices")


@pytest.fixture
def ask(api, manager):
    def run(method, rest, body=None, by=manager, raw=None, **headers):
        sent = {"Authorization": f"Bearer {by.token}"} | ({"Content-Type": "application/json"} if method == "POST" else {})
        sent = {name: value for name, value in (sent | headers).items() if value is not None}
        text = raw if raw is not None else json.dumps({} if body is None else body) if method == "POST" else None
        return api.request(method, by.path(f"account/{rest}"), text, sent)
    return run


def code_of(answer):
    return answer.status_code, answer.codes[0] if answer.status_code >= 400 else None


def new_id():
    return str(uuid.uuid4())


# -- every call with every kind of token --


@pytest.mark.parametrize("tool", sorted(CONTRACTS))
def test_a_management_token_calls_no_tool(api, manager, ledger, tool):
    before = ledger.rows("select posted, held, seq, ring_at from account_balance where account_id = %s", manager.id)
    for answer in (send(api, manager, CONTRACTS[tool], {}), api.call(manager, f"{tool}/dry-run", {})):
        assert code_of(answer) == (403, "scope_denied")
    assert before == ledger.rows("select posted, held, seq, ring_at from account_balance where account_id = %s", manager.id)
    assert ledger.charged(manager) == 0


def test_a_management_token_is_not_for_agents(api, manager, ledger):
    agent = Agent(api, manager)
    for answer in (agent.call(TOOL, GOOD), agent.call("account-credits", {}), agent.ask("tools/list"),
                   agent.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "x", "version": "1"}})):
        assert answer.status_code == 403 and answer.json()["error"]["data"]["errors"][0]["code"] == "scope_denied"
    assert ledger.charged(manager) == 0


def test_the_account_by_a_management_token(api, site, account, manager, ledger):
    readable = ("usage", "requests", "invoices")
    for scope in (*readable, "tokens:read"):
        reader = site.make_management(account, scope)
        for name in readable:
            expected = (200, None) if name == scope else (403, "scope_denied")
            assert code_of(api.read(reader, f"account/{name}")) == expected
    for name in ("credits", "limits"):
        assert code_of(api.read(manager, f"account/{name}")) == (403, "scope_denied")
    assert ledger.charged(manager) == 0


@pytest.mark.parametrize("method, route", ROUTES)
def test_only_management_tokens_manage(api, ask, site, account, manager, method, route):
    route = route.format(id=account.token_id)
    scoped = site.tollctl("token", "create", account.id, "--scope", "account", "--json")
    for other in (account, Account(account.id, scoped["token"], scoped["token_id"])):
        answer = ask(method, route, by=other)
        assert code_of(answer) == (403, "scope_denied")
        assert answer.message == "only a management token may do this; create one in the portal"
    unknown = Account(account.id, manager.token[:-8] + "AAAAAAAA", ID)
    assert code_of(ask(method, route, by=unknown)) == (403, "auth_malformed")
    assert code_of(ask(method, route, Authorization=None)) == (403, "auth_missing")
    stranger = site.open_account()
    assert code_of(ask(method, route, by=Account(stranger.id, manager.token, ID))) == (403, "auth_invalid")
    assert code_of(ask(method, route, by=Account(account.id, stranger.token, ID))) == (403, "auth_invalid")


# -- the calls --


def test_the_life_of_a_token(api, ask, account, manager, ledger):
    token = new_id()
    made = ask("POST", "tokens", {"id": token, "name": "ci", "scopes": ["utils"], "cap_total": 5,
                                  "networks": [f"{api.address}/32"], "expires_at": "2030-01-01"})
    assert made.status_code == 200 and made.headers["X-Credits-Charged"] == "0"
    assert list(made.result)[:3] == ["token", "id", "name"]
    assert made.result["expires_at"] == "2030-01-01T00:00:00.000Z" and made.result["networks"] == [f"{api.address}/32"]
    caller = Account(account.id, made.result["token"], token)
    assert api.call(caller, TOOL, GOOD).status_code == 200
    assert api.call(caller, "tls-check", {"host": "example.com"}).codes == ["scope_denied"]
    shown = ask("GET", f"tokens/{token}").result
    assert shown["spent_total"] == 1 and shown["created_by"] == f"token:{manager.token_id}" and "token" not in shown
    assert shown["last4"] == caller.token[-4:]
    assert code_of(ask("POST", "tokens", {"id": token, "name": "ci"})) == (409, "token_exists")
    assert ask("POST", f"tokens/{token}", {"name": "other", "cap_total": None, "networks": None}).result["name"] == "other"
    turned = ask("POST", f"tokens/{token}/rotate", {})
    assert turned.result["id"] == token and turned.result["token"] != caller.token
    assert code_of(api.call(caller, TOOL, GOOD)) == (403, "auth_invalid")
    caller = Account(account.id, turned.result["token"], token)
    assert api.call(caller, TOOL, GOOD).status_code == 200
    assert ask("POST", f"tokens/{token}/revoke", raw="").result["state"] == "revoked"
    assert code_of(api.call(caller, TOOL, GOOD)) == (403, "auth_revoked")
    assert ask("POST", f"tokens/{token}/revoke").status_code == 200
    assert [row["id"] for row in ask("GET", "tokens").result["tokens"]] == [token, account.token_id]
    assert [row["id"] for row in ask("GET", "tokens?state=active").result["tokens"]] == [account.token_id]
    assert ledger.charged(account) == 2
    actions = ledger.rows("select action from audit_log where account_id = %s and actor = %s order by at",
                          account.id, f"token:{manager.token_id}")
    assert [action for action, in actions] == ["token created", "token changed", "token rotated", "token revoked"]


def test_rotation_with_grace(api, ask, account):
    new = new_id()
    made = ask("POST", f"tokens/{account.token_id}/rotate", {"id": new, "grace_s": 60}).result
    assert made["id"] == new
    for caller in (account, Account(account.id, made["token"], new)):
        assert api.call(caller, TOOL, GOOD).status_code == 200


def test_only_in_its_networks(ask, manager, ledger):
    ledger.rows("update token set networks = '{192.0.2.0/24}' where token_id = %s", manager.token_id)
    for method, route in ROUTES:
        assert code_of(ask(method, route.format(id=ID), {"id": new_id(), "name": "x"})) == (403, "ip_not_allowed")


def test_requests_count_in_the_global_window(ask, ledger, account):
    for _ in range(60):
        assert ask("GET", "tokens").status_code == 200
    answer = ask("GET", "tokens")
    assert code_of(answer) == (429, "rate_limited_global") and 1 <= int(answer.headers["Retry-After"]) <= 60
    assert ledger.calls_in_ring(account) == 60


def test_the_request_log(ask, ledger, manager):
    request = ask("POST", f"tokens/{ID}/revoke").headers["X-Request-Id"]

    def logged():
        return ledger.rows("select route, status, code, token_id::text from request_log where account_id = %s and id = %s",
                           manager.id, request)
    wait_for(logged, 20, "the request's record")
    assert logged() == [("tokens/revoke", 404, "not_found", manager.token_id)]


# -- bad input --

NEW = {"id": ID, "name": "x"}
BAD = [
    ("POST", "tokens", {}, "missing_field", "id is required"),
    ("POST", "tokens", {"id": ID}, "missing_field", "name is required"),
    ("POST", "tokens", NEW | {"id": "1"}, "invalid_value", "id must be a UUID"),
    ("POST", "tokens", NEW | {"id": 1}, "invalid_type", "id must be a UUID"),
    ("POST", "tokens", NEW | {"name": ""}, "invalid_value", "name must be 1 to 60 characters"),
    ("POST", "tokens", NEW | {"name": "x" * 61}, "invalid_value", "name must be 1 to 60 characters"),
    ("POST", "tokens", NEW | {"name": "a\nb"}, "invalid_value", "without control characters"),
    ("POST", "tokens", NEW | {"name": "a\0b"}, "invalid_value", "without control characters"),
    ("POST", "tokens", NEW | {"name": 5}, "invalid_type", "name must be a string"),
    ("POST", "tokens", NEW | {"scopes": "utils"}, "invalid_type", "scopes must be a list"),
    ("POST", "tokens", NEW | {"scopes": [5]}, "invalid_value", "scopes must be a list of names"),
    ("POST", "tokens", NEW | {"scopes": ["nothing"]}, "invalid_value", "scopes has a name that is not a tool"),
    ("POST", "tokens", NEW | {"scopes": ["utils"] * 101}, "too_many_items", "scopes has at most 100 items"),
    ("POST", "tokens", NEW | {"scopes": ["tokens:write"]}, "invalid_value", "scopes has a name that is not a tool"),
    ("POST", "tokens", NEW | {"expires_at": "soon"}, "invalid_value", "expires_at must be a date"),
    ("POST", "tokens", NEW | {"expires_at": 5}, "invalid_value", "expires_at must be a date"),
    ("POST", "tokens", NEW | {"expires_at": "2030-01-01T00:00:00"}, "invalid_value", "with an offset"),
    ("POST", "tokens", NEW | {"expires_at": "2020-01-01"}, "invalid_value", "expires_at must be in the future"),
    ("POST", "tokens", NEW | {"expires_at": "2099-01-01"}, "invalid_value", "within the next 10 years"),
    ("POST", "tokens", NEW | {"cap_daily": -1}, "invalid_value", "cap_daily must be 0 to 1000000000"),
    ("POST", "tokens", NEW | {"cap_total": 1.5}, "invalid_type", "cap_total must be a whole number"),
    ("POST", "tokens", NEW | {"cap_total": "5"}, "invalid_type", "cap_total must be a whole number"),
    ("POST", "tokens", NEW | {"networks": "10.0.0.0/8"}, "invalid_type", "networks must be a list"),
    ("POST", "tokens", NEW | {"networks": ["10.0.0.0/7"]}, "invalid_value", "networks: 10.0.0.0/7 is too large"),
    ("POST", "tokens", NEW | {"networks": [7]}, "invalid_value", "networks: "),
    ("POST", "tokens", NEW | {"networks": [f"10.{n}.0.0/16" for n in range(21)]}, "too_many_items", "at most 20 networks"),
    ("POST", "tokens", NEW | {"is_strict": "yes"}, "invalid_type", "is_strict must be true or false"),
    ("POST", "tokens", NEW | {"cap_dialy": 5}, "unknown_field", "this request takes id, name, scopes,"),
    ("POST", "tokens", NEW | {"kind": 5}, "unknown_field", "this request takes id, name, scopes,"),
    ("POST", "tokens", [], "body_not_object", "JSON object"),
    ("POST", "tokens/{id}", {"scopes": []}, "unknown_field", "this request takes name, expires_at,"),
    ("POST", "tokens/{id}", {"cap_daily": 5}, "invalid_value", "cap_daily and cap_total must be null"),
    ("POST", "tokens/{id}/revoke", {"x": 1}, "unknown_field", "this request takes none"),
    ("POST", "tokens/{id}/rotate", {}, "missing_field", "id is required"),
    ("POST", "tokens/{id}/rotate", {"id": ID, "grace_s": 604801}, "invalid_value", "grace_s must be 0 to 604800"),
    ("POST", "tokens/{id}/rotate", {"id": ID, "grace_s": -1}, "invalid_value", "grace_s must be 0 to 604800"),
    ("GET", "tokens?state=dead", None, "invalid_query", "state must be active, expired or revoked"),
    ("GET", "tokens?limit=0", None, "invalid_query", "limit must be 1 to 200"),
    ("GET", "tokens?limit=201", None, "invalid_query", "limit must be 1 to 200"),
    ("GET", "tokens?cursor=x", None, "invalid_query", "cursor must be the next_cursor"),
    ("GET", "tokens?limit=5&limit=6", None, "invalid_query", "limit is there twice"),
    ("GET", "tokens?tg_mgmt_abc=1", None, "invalid_query", "unknown query parameter"),
    ("GET", "tokens/nothing", None, "not_found", "must be the id of a token"),
    ("GET", f"tokens/{ID}", None, "not_found", "the account has no such token"),
]


@pytest.mark.parametrize("method, route, body, code, words", BAD, ids=[f"{row[1]} {row[2]}"[:60] for row in BAD])
def test_bad_input(ask, account, ledger, method, route, body, code, words):
    answer = ask(method, route.format(id=account.token_id), body)
    assert code_of(answer) == (STATUS_OF_CODE[code], code) and words in answer.message, answer
    assert ledger.rows("select count(*) from token where account_id = %s", account.id) == [(2,)]


def test_bad_bodies(ask, account):
    assert code_of(ask("POST", "tokens", raw="{")) == (400, "invalid_json")
    assert code_of(ask("POST", "tokens", raw="")) == (400, "body_required")
    assert code_of(ask("POST", "tokens", raw=json.dumps(NEW)[:-1] + ',"name":"y"}')) == (400, "invalid_json")
    assert code_of(ask("POST", "tokens", NEW, **{"Content-Type": "text/plain"})) == (415, "unsupported_media_type")
    assert code_of(ask("POST", "tokens", {"name": "x" * 70000})) == (413, "body_too_large")


def test_methods(api, manager):
    for rest in ("tokens", f"tokens/{ID}", f"tokens/{ID}/revoke", f"tokens/{ID}/rotate"):
        for method in ("GET", "DELETE", "PUT", "PATCH"):
            if method == "GET" and "/re" not in rest:
                continue
            answer = api.request(method, manager.path(f"account/{rest}"), headers={"Authorization": f"Bearer {manager.token}"})
            assert answer.status_code == 405 and answer.headers["Allow"] in ("POST", "GET, POST", "GET, HEAD, POST"), answer
    for rest in ("tokens/", f"tokens/{ID}/", f"tokens/{ID}/drop", f"tokens/{ID}/revoke/x"):
        assert api.read(manager, f"account/{rest}").status_code == 404


def test_the_token_of_an_app_manages_nothing(ask, account):
    """It is valid at /mcp alone, by its form; so an invented one does. And a management token is
    not valid there."""
    app = Account(account.id, new_token(length=54), ID)
    for method, route in ROUTES:
        assert code_of(ask(method, route.format(id=ID), by=app)) == (403, "auth_invalid")
