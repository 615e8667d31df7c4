"""tests/api/portal/test_app_documents.py - connected apps whose client id is the URL of a document,
and their signed requests (kit/apps/documents.py)."""

import hashlib
import time
import uuid
from pathlib import Path

import pytest

from kit.apps.app import App
from kit.portal.buckets import Buckets
from kit.apps.documents import HOST, DocumentApp, Key
from kit.portal.member import Member
from kit.portal.visitor import Visitor

HASH = {"input": "a", "algorithm": "SHA-256"}
BLOCKED = "The operator of this service does not allow this app."
NO_PROOF = {"client_assertion": None, "client_assertion_type": None}


@pytest.fixture
def member(site):
    return Member(site)


@pytest.fixture
def visitor(member):
    return member.sign_in()


@pytest.fixture
def signed(site, visitor):
    """Connected, with the key at its own URL."""
    app = DocumentApp(site, "signs")
    app.finish(visitor, app.consent_page(visitor))
    return app


def stored(ledger, app, columns="count(*)"):
    return ledger.rows(f"select {columns} from oauth_document where url = %s", app.client_id)


def state(ledger, member):
    return ledger.rows("select state, needs_key, client_host from oauth_grant where account_id = %s", member.account)


def error_of(answer):
    return answer.status_code, answer.json()["error"]


# -- documents --


def test_an_app_with_a_document(site, visitor, member, ledger):
    app = DocumentApp(site)
    page = app.consent_page(visitor)
    assert page.h1 == f"Connect {HOST}" and "It calls itself “An agent”" in page.text
    assert "Nobody has checked" not in page.text
    [first] = stored(ledger, app, "fresh_until, keys")
    app.finish(visitor, page)
    assert app.call("hash-generate", HASH).json()["result"]["isError"] is False
    assert app.refresh().status_code == 200
    assert state(ledger, member) == [(1, False, HOST)]
    assert "Update “An agent”" in app.consent_page(visitor).text
    assert stored(ledger, app, "fresh_until, keys") == [first]  # fetched once
    assert app.revoke(app.tokens["refresh_token"]).status_code == 200
    assert app.rpc("ping").status_code == 401


def test_how_long_it_is_fresh(site, visitor, ledger):
    for kind, seconds in (("open", 300), ("lasting", 3600)):
        app = DocumentApp(site, kind)
        assert app.consent_page(visitor).status_code == 200
        [(left,)] = stored(ledger, app, "extract(epoch from fresh_until - ledger_now())::int")
        assert seconds - 60 < left <= seconds


def test_before_sign_in_nothing_is_fetched(site, ledger):
    app = DocumentApp(site)
    assert Visitor(site).get(app.authorize_url()).url.startswith("/portal/sign-in?next=")
    app.exchange("tg_code_" + "A" * 86)
    app.refresh("tg_refresh_" + "A" * 92)
    app.revoke("tg_refresh_" + "A" * 92)
    assert stored(ledger, app) == [(0,)]


BAD = {  # kind: part of the reason
    "other": "its own URL as client_id",
    "slash": "its own URL as client_id",
    "text": "the content type application/json",
    "page": "the content type application/json",
    "broken": "valid JSON",
    "moved": "without a redirect",
    "moved-inside": "without a redirect",
    "gone": "status 200",
    "secret": "client_secret",
    "nameless": "client_name",
}


@pytest.mark.parametrize("kind", BAD)
def test_a_document_that_is_not_as_it_should_be(site, visitor, ledger, kind):
    app = DocumentApp(site, kind)
    page = app.consent_page(visitor)
    assert page.status_code == 400
    assert "cannot be used: it must" in page.text and BAD[kind] in page.text
    assert not page.main.all("a") and not page.main.all("form")
    assert stored(ledger, app) == [(0,)]


def test_a_host_that_is_rebound(site, visitor, ledger):
    """It is at a web server when it is asked for first, then at an internal address."""
    log = Path(site.decoy_log)
    before = log.read_text() if log.exists() else ""
    apps = [DocumentApp(site, host=f"rebind-{uuid.uuid4().hex}.fickle-name.com") for _ in range(4)]
    for app in apps * 2:
        assert app.consent_page(visitor).status_code == 503
        assert stored(ledger, app) == [(0,)]
    assert (log.read_text() if log.exists() else "") == before


@pytest.mark.parametrize("url, status", [
    ("https://endless.slowhost.net/c", 400),  # 10 GB
    ("https://bomb.slowhost.net/c", 400),  # 64 MB in 64 KB
    ("https://garbage.slowhost.net/c", 503),
    ("https://closes.slowhost.net/c", 503),
    ("https://short.slowhost.net/c", 503),
    ("https://selfsigned.badcerts.net/c", 503),
    ("https://othername.badcerts.net/c", 503),
    ("https://no-such-host.example.org/c", 503),
    ("https://127.0.0.1/c", 400),
    ("https://localhost/c", 400),
    ("https://gateway.internal/c", 400),
    (f"https://{HOST}/sick/c", 503),
    (f"https://{HOST}/", 400),
    (f"https://{HOST}/open/../c", 400),
    (f"https://{HOST}/open/c?x", 400),
    (f"https://user@{HOST}/open/c", 400),
    (f"http://{HOST}/open/c", 400),
])
def test_hostile_urls(site, visitor, ledger, url, status):
    app = App(site, f"https://{HOST}/back", client_id=url)
    page = app.consent_page(visitor)
    assert page.status_code == status
    assert not page.main.all("a") and not page.main.all("form")
    assert stored(ledger, app) == [(0,)]


def test_a_slow_host(site, visitor):
    began = time.monotonic()
    page = App(site, f"https://{HOST}/back", client_id="https://drip.slowhost.net/c").consent_page(visitor)
    assert page.status_code in (400, 503) and time.monotonic() - began < 30


def test_failed_fetches_are_limited(site, visitor):
    statuses = [DocumentApp(site, "gone").consent_page(visitor).status_code for _ in range(11)]
    assert statuses == [400] * 10 + [503]
    known = DocumentApp(site)
    other = Member(site).sign_in()
    assert known.consent_page(other).status_code == 200
    assert known.consent_page(visitor).status_code == 200  # it is stored


GOOD = '{"client_id": "%s", "client_name": "An agent", "redirect_uris": ["https://agent-apps.net/back"]}'


@pytest.mark.parametrize("kind, age, status", [
    ("sick", "1 hour", 200), ("sick", "23 hours", 200), ("sick", "25 hours", 503),  # cannot be fetched
    ("gone", "1 hour", 400),  # its owner took it away
])
def test_a_document_that_was_good(site, visitor, ledger, kind, age, status):
    app = DocumentApp(site, kind)
    ledger.rows("insert into oauth_document (client_key, url, document, fresh_until, read_at)"
                f" values (sha256(%s), %s, %s, now() - interval '{age}', now())", app.client_id.encode(), app.client_id,
                GOOD % app.client_id)
    assert app.consent_page(visitor).status_code == status


def test_a_web_application(site, visitor):
    assert DocumentApp(site, "web", "http://localhost:3118/callback").consent_page(visitor).status_code == 200
    assert DocumentApp(site, "web", "http://localhost:3119/callback").consent_page(visitor).status_code == 400
    assert DocumentApp(site, "open", "http://localhost:3119/callback").consent_page(visitor).status_code == 200


def test_a_blocked_document_is_not_fetched(site, visitor, ledger):
    app = DocumentApp(site)
    key = hashlib.sha256(app.client_id.encode()).hexdigest()
    site.tollctl("app", "block", key, "--why", "a test")
    page = app.consent_page(visitor)
    assert page.status_code == 403 and BLOCKED in page.text and not page.main.all("form")
    assert stored(ledger, app) == [(0,)]
    site.tollctl("app", "unblock", key)
    assert app.consent_page(visitor).status_code == 200


def test_an_app_is_blocked_by_where_its_codes_go(site, visitor, ledger, member):
    host = f"x{uuid.uuid4().hex}.example.com"
    app, other = App(site, f"https://www.{host}/back"), App(site, f"https://y{host}/back")
    page, back = app.consent_page(visitor), app.answer_of(app.agree(visitor, app.consent_page(visitor)))
    site.tollctl("app", "block", host, "--why", "a test")
    assert app.consent_page(visitor).status_code == 403
    again = app.agree(visitor, page)
    assert again.status_code == 403 and BLOCKED in again.text
    assert error_of(app.exchange(back["code"])) == (400, "invalid_grant")
    assert other.consent_page(visitor).status_code == 200
    site.tollctl("app", "unblock", host)
    assert app.exchange(back["code"]).status_code == 200


def test_a_hostile_name(site, visitor):
    page = DocumentApp(site, "bidi").consent_page(visitor)
    assert "“<b>bad</b>”" in page.text and "\u202e" not in page.text


# -- signed requests --


@pytest.mark.parametrize("kind", ["signs", "inside"])
def test_signed_requests(site, visitor, member, ledger, kind):
    app = DocumentApp(site, kind)
    back = app.answer_of(app.agree(visitor, app.consent_page(visitor)))
    assert error_of(app.exchange(back["code"], **NO_PROOF)) == (401, "invalid_client")
    assert app.exchange(back["code"], client_id=None).status_code == 200  # the assertion names it
    assert state(ledger, member) == [(1, True, HOST)]
    assert error_of(app.refresh(**NO_PROOF)) == (401, "invalid_client")
    assert app.refresh().status_code == 200
    token = app.tokens["access_token"]
    assert error_of(app.revoke(token, **NO_PROOF)) == (401, "invalid_client")
    assert app.rpc("ping").status_code == 200
    assert app.revoke(token).status_code == 200
    assert app.rpc("ping").status_code == 401


def test_an_assertion_works_once(signed):
    once = signed.assertion()
    assert signed.refresh(**once).status_code == 200
    assert error_of(signed.refresh(**once)) == (401, "invalid_client")
    again = signed.assertion(jti="x" * 255)
    assert signed.refresh(**again).status_code == 200
    assert error_of(signed.refresh(**signed.assertion(jti="x" * 255))) == (401, "invalid_client")
    assert signed.rpc("ping").status_code == 200


def test_assertions_that_prove_nothing(site, signed, member, ledger):
    """tests/unit/portal/oauth/clients/assertion.c has the whole table."""
    good = signed.assertion()
    wrong = [signed.assertion(key=Key()), signed.assertion(header={"kid": "2"}), signed.assertion(header={"kid": "0"}),
             signed.assertion(header={"alg": "none"}), signed.assertion(header={"alg": "HS256"}),
             signed.assertion(aud="https://evil.test"), signed.assertion(exp=int(time.time()) - 300),
             signed.assertion(iss="https://evil.test/c"), good | {"client_assertion_type": None},
             good | {"client_assertion": None}]
    [(token,)] = ledger.rows("select token_id::text from oauth_grant where account_id = %s", member.account)
    for proof in wrong:
        Buckets(site, ledger).leave("refresh", token, 10)
        assert error_of(signed.refresh(**proof)) == (401, "invalid_client"), proof
    assert signed.rpc("ping").status_code == 200 and state(ledger, member) == [(1, True, HOST)]
    Buckets(site, ledger).leave("refresh", token, 10)
    assert signed.refresh(**good).status_code == 200


def test_another_client_proves_only_itself(site, signed):
    thief = DocumentApp(site, "signs")
    token = signed.tokens["refresh_token"]
    assert error_of(thief.refresh(token)) == (400, "invalid_grant")
    assert error_of(thief.refresh(token, client_id=signed.client_id)) == (401, "invalid_client")
    assert thief.revoke(token).status_code == 200
    assert signed.refresh().status_code == 200


def test_an_assertion_that_is_sent_must_be_good(site, visitor):
    either = DocumentApp(site, "either")
    either.finish(visitor, either.consent_page(visitor))
    registered = App(site)
    registered.finish(visitor, registered.consent_page(visitor))
    assert either.refresh().status_code == 200
    assert either.refresh(**either.assertion()).status_code == 200
    assert error_of(either.refresh(**either.assertion(key=Key()))) == (401, "invalid_client")
    assert error_of(registered.refresh(**either.assertion())) == (401, "invalid_client")
    assert registered.refresh().status_code == 200


def test_a_new_key_is_found(signed, ledger):
    def known(keys, age):
        ledger.rows(f"update oauth_document set keys = %s, keys_at = now() - interval '{age}' where url = %s", keys,
                    signed.client_id)

    known('{"keys": []}', "0 s")
    assert error_of(signed.refresh()) == (401, "invalid_client")  # not for each wrong kid
    known('{"keys": []}', "61 s")
    assert signed.refresh().status_code == 200
    known('{"keys": []}', "61 s")
    assert error_of(signed.refresh(**signed.assertion(header={"kid": "x"}))) == (401, "invalid_client")


def test_keys_that_cannot_be_fetched(site, visitor, member, ledger):
    for kind, status, error in (("no-keys", 503, "temporarily_unavailable"), ("foreign-keys", 401, "invalid_client")):
        app = DocumentApp(site, kind)
        code = app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]
        answer = app.exchange(code, **app.assertion())
        assert error_of(answer) == (status, error)
        assert status == 401 or int(answer.headers["Retry-After"]) > 0


def test_a_lost_document_weakens_nothing(signed, ledger):
    """Neither without it nor with one that asks for no proof is a request admitted without one."""
    ledger.rows("delete from oauth_document where url = %s", signed.client_id)
    assert error_of(signed.refresh(**NO_PROOF)) == (401, "invalid_client")
    assert signed.refresh().status_code == 200  # fetched again
    ledger.rows("update oauth_document set document = %s where url = %s", GOOD % signed.client_id, signed.client_id)
    assert error_of(signed.refresh(**NO_PROOF)) == (401, "invalid_client")
    assert error_of(signed.refresh()) == (401, "invalid_client")  # it names no keys now
    assert signed.rpc("ping").status_code == 200


# -- what the server says of itself --


def test_the_metadata_announces_what_is_built(site, signed):
    told = signed.request("GET", "/.well-known/oauth-authorization-server").json()
    assert told["client_id_metadata_document_supported"] is True
    for endpoint in ("token", "revocation"):
        assert told[f"{endpoint}_endpoint_auth_methods_supported"] == ["none", "private_key_jwt"]
        assert told[f"{endpoint}_endpoint_auth_signing_alg_values_supported"] == ["RS256", "ES256"]
    assert told["response_types_supported"] == ["code"] and told["response_modes_supported"] == ["query"]
    assert told["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["authorization_response_iss_parameter_supported"] is True
    for name, path in (("authorization", "authorize"), ("token", "token"), ("registration", "register"),
                       ("revocation", "revoke")):
        assert told[f"{name}_endpoint"] == f"{site.base_url}/oauth/{path}"
    assert not {"jwks_uri", "introspection_endpoint", "userinfo_endpoint", "device_authorization_endpoint"} & set(told)
