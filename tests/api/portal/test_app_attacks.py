"""tests/api/portal/test_app_attacks.py - attacks on connected apps, one row each: what is sent, and
how it is refused. Nothing of it may end or widen the victim's connection, or use up its code.

tests/unit/portal/oauth has the variants of redirects, assertions and documents; test_connected_apps
has races, replays and forms of other sites."""

import base64
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest

from kit.apps.app import FORM, App, challenge_of
from kit.portal.buckets import Buckets
from kit.apps.documents import DocumentApp
from kit.portal.member import Member

CLIENT, GRANT = (401, "invalid_client"), (400, "invalid_grant")
REQUEST, TYPE = (400, "invalid_request"), (400, "unsupported_grant_type")


class Scene:
    """A victim with a connected app and one that waits for its code, and a thief with another
    account and app, who knows all that the victim's browser and app have sent."""

    def __init__(self, site, ledger):
        self.site, self.ledger = site, ledger
        self.member, self.other = Member(site), Member(site)
        self.visitor, thief_browser = self.member.sign_in(), self.other.sign_in()
        self.app, self.waiting, self.thief = App(site), App(site, name="Another app"), App(site, name="A thief")
        self.app.finish(self.visitor, self.app.consent_page(self.visitor))
        self.code = self._code(self.visitor, self.waiting)
        self.thief.finish(thief_browser, self.thief.consent_page(thief_browser))
        self.stolen = self._code(thief_browser, self.thief)  # of the thief, for the victim's app
        self.signs = DocumentApp(site, "signs")
        self.signs.finish(self.visitor, self.signs.consent_page(self.visitor))
        self.refresh, self.access = self.app.tokens["refresh_token"], self.app.tokens["access_token"]

    @staticmethod
    def _code(visitor, app):
        app.verifier, app.state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        return app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]

    def post(self, body, query="", **headers):
        return self.thief.request("POST", "/oauth/token" + query, body, {"Content-Type": FORM} | headers)

    def forgive(self):
        """The limits of refreshes are not what is tested."""
        for token, in self.ledger.rows("select token_id::text from oauth_grant where account_id in (%s, %s)",
                                       self.member.account, self.other.account):
            Buckets(self.site, self.ledger).leave("refresh", token, 10)


def other_end(token):
    return token[:-1] + ("A" if token[-1] != "A" else "B")


# name: (what is sent, status and error)
AT_THE_TOKEN_ENDPOINT = {
    "a stolen code, another verifier": (lambda s: s.waiting.exchange(s.code, code_verifier="x" * 64), GRANT),
    "a stolen code, the challenge as verifier": (
        lambda s: s.waiting.exchange(s.code, code_verifier=challenge_of(s.waiting.verifier)), GRANT),
    "a stolen code, another flow's verifier": (
        lambda s: s.waiting.exchange(s.code, code_verifier=s.thief.verifier), GRANT),
    "a stolen code, no verifier": (lambda s: s.waiting.exchange(s.code, code_verifier=None), REQUEST),
    "a stolen code, an empty verifier": (lambda s: s.waiting.exchange(s.code, code_verifier=""), REQUEST),
    "a stolen code, plain": (
        lambda s: s.waiting.exchange(s.code, code_verifier=None, code_challenge_method="plain"), REQUEST),
    "a stolen code, by another client": (
        lambda s: s.thief.exchange(s.code, code_verifier=s.waiting.verifier), GRANT),
    "a stolen code, to another redirect": (
        lambda s: s.waiting.exchange(s.code, redirect_uri="https://evil.example.com/"), GRANT),
    "a stolen code, its redirect with a slash": (
        lambda s: s.waiting.exchange(s.code, redirect_uri=s.waiting.redirect + "/"), GRANT),
    "a stolen code, no redirect": (lambda s: s.waiting.exchange(s.code, redirect_uri=None), REQUEST),
    "a stolen code, no client": (lambda s: s.waiting.exchange(s.code, client_id=None), CLIENT),
    "a stolen code, a client by URL": (
        lambda s: s.waiting.exchange(s.code, client_id="https://agent-apps.net/open/x"), GRANT),
    "a stolen code, with an assertion of the thief": (
        lambda s: s.waiting.exchange(s.code, **s.signs.assertion()), CLIENT),
    "a code that the thief injects": (  # the victim's app has another verifier
        lambda s: s.app.exchange(s.stolen), GRANT),
    "an injected code, the thief's client": (
        lambda s: s.app.exchange(s.stolen, client_id=s.thief.client_id), GRANT),
    "a code with another end": (lambda s: s.waiting.exchange(other_end(s.code)), GRANT),
    "a code of another prefix": (
        lambda s: s.waiting.exchange(s.code.replace("tg_code_", "tg_refresh_")), GRANT),
    "a code with a blank": (lambda s: s.waiting.exchange(s.code + " "), GRANT),
    "a refresh token as a code": (lambda s: s.app.exchange(s.refresh), GRANT),
    "an access token as a code": (lambda s: s.app.exchange(s.access), GRANT),
    "a code as a refresh token": (lambda s: s.waiting.refresh(s.code), GRANT),
    "an access token as a refresh token": (lambda s: s.app.refresh(s.access), GRANT),
    "a stolen refresh token, another client": (lambda s: s.thief.refresh(s.refresh), GRANT),
    "a stolen refresh token, no client": (lambda s: s.thief.refresh(s.refresh, client_id=None), GRANT),
    "a stolen refresh token, a client by URL": (
        lambda s: s.thief.refresh(s.refresh, client_id=s.signs.client_id), GRANT),
    "a stolen refresh token, a wider scope": (
        lambda s: s.app.refresh(s.refresh, scope="utils account security"), (400, "invalid_scope")),
    "a stolen refresh token, for another server": (
        lambda s: s.app.refresh(s.refresh, resource="https://evil.example.com/mcp"), (400, "invalid_target")),
    "a refresh token with another end": (lambda s: s.app.refresh(other_end(s.refresh)), GRANT),
    "a refresh token with another number": (  # the MAC covers it
        lambda s: s.app.refresh(s.refresh[:53] + ("A" if s.refresh[53] != "A" else "B") + s.refresh[54:]), GRANT),
    "a signed app's token without its assertion": (
        lambda s: s.signs.refresh(client_assertion=None, client_assertion_type=None), CLIENT),
    "a signed app's token, the thief's assertion": (
        lambda s: s.signs.refresh(**DocumentApp(s.site, "signs").assertion()), CLIENT),
    "a signed app's token, a key of the thief": (
        lambda s: s.signs.refresh(**s.signs.assertion(key=DocumentApp(s.site).key)), CLIENT),
    "a signed app's token, a secret": (
        lambda s: s.signs.refresh(client_assertion=None, client_assertion_type=None, client_secret="x"), CLIENT),
    "a password": (lambda s: s.post(f"grant_type=password&username={s.member.email}&password=x"), TYPE),
    "client credentials": (lambda s: s.post(f"grant_type=client_credentials&client_id={s.app.client_id}"), TYPE),
    "a device code": (lambda s: s.post("grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x"), TYPE),
    "a token exchange": (
        lambda s: s.post("grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=" + s.access), TYPE),
    "an assertion as a grant": (
        lambda s: s.post("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=x"), TYPE),
    "a grant type in capitals": (lambda s: s.post(f"grant_type=REFRESH_TOKEN&refresh_token={s.refresh}"), TYPE),
    "a grant type twice": (lambda s: s.post("grant_type=refresh_token&grant_type=authorization_code"), REQUEST),
    "a client twice": (
        lambda s: s.post(f"grant_type=refresh_token&refresh_token={s.refresh}&client_id={s.thief.client_id}"
                         f"&client_id={s.app.client_id}"), REQUEST),
    "parameters in the query": (
        lambda s: s.post("", f"?grant_type=refresh_token&refresh_token={s.refresh}&client_id={s.app.client_id}"), TYPE),
    "a client by Basic alone": (
        lambda s: s.post(f"grant_type=refresh_token&refresh_token={s.refresh}", Authorization="Basic " + base64.b64encode(
            f"{s.app.client_id}:".encode()).decode()), GRANT),
    "JSON": (lambda s: s.thief.request("POST", "/oauth/token", "{}", {"Content-Type": "application/json"}), REQUEST),
    "a NUL": (lambda s: s.post("grant_type=refresh_token%00"), REQUEST),
    "not UTF-8": (lambda s: s.post("grant_type=refresh_token&client_id=%ff"), REQUEST),
    "200 fields": (lambda s: s.post("&".join(f"x{i}=" for i in range(200))), REQUEST),
}


@pytest.fixture(scope="module")
def scene(site, ledger):
    return Scene(site, ledger)


@pytest.mark.parametrize("name", AT_THE_TOKEN_ENDPOINT)
def test_attacks_on_the_token_endpoint(scene, name):
    send, refusal = AT_THE_TOKEN_ENDPOINT[name]
    scene.forgive()
    tokens = dict(scene.app.tokens), dict(scene.signs.tokens)
    answer = send(scene)
    assert (answer.status_code, answer.json()["error"]) == refusal
    assert "access_token" not in answer.json() and "Set-Cookie" not in answer.headers
    assert (scene.app.tokens, scene.signs.tokens) == tokens


def test_attacks_used_nothing_up(scene):
    """After all rows, or without them."""
    scene.forgive()
    for app in (scene.app, scene.signs):
        assert app.rpc("ping").status_code == 200
        assert app.refresh().status_code == 200
    assert scene.waiting.exchange(scene.code).status_code == 200
    ended = "select count(*) from oauth_grant where account_id in (%s, %s) and state = 2"
    assert scene.ledger.rows(ended, scene.member.account, scene.other.account) == [(0,)]


@pytest.mark.parametrize("token", ["code", "refresh", "stolen"])
def test_other_secrets_are_no_access_tokens(scene, token):
    assert scene.app.rpc("ping", token=getattr(scene, token)).status_code == 401


# Changed parameters of the consent page, and the error of its link back; None: no link leads back.
AT_THE_CONSENT_PAGE = {
    "no PKCE": ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    "PKCE without a method": ({"code_challenge_method": None}, "invalid_request"),
    "PKCE by plain": ({"code_challenge_method": "plain"}, "invalid_request"),
    "a challenge that is a verifier's length": ({"code_challenge": "x" * 64}, "invalid_request"),
    "an implicit flow": ({"response_type": "token"}, "unsupported_response_type"),
    "a hybrid flow": ({"response_type": "code token"}, "unsupported_response_type"),
    "an id token": ({"response_type": "code id_token"}, "unsupported_response_type"),
    "an answer in the fragment": ({"response_mode": "fragment"}, "invalid_request"),
    "an answer by form": ({"response_mode": "form_post"}, "invalid_request"),
    "a request object": ({"request": "eyJhbGciOiJub25lIn0.e30."}, "invalid_request"),
    "a request by URL": ({"request_uri": "https://evil.example.com/"}, "invalid_request"),
    "another resource": ({"resource": "https://evil.example.com/mcp"}, "invalid_target"),
    "a resource on a longer host": ({"resource": "https://localhost.evil.example.com/mcp"}, "invalid_target"),
    "another client's id": ({"client_id": "tgc_AAAA"}, None),
    "a redirect that only looks like it": ({"redirect_uri": "https://app.example.com.evil.example.com/back"}, None),
    "a redirect of the same host": ({"redirect_uri": "https://app.example.com/open?to=https://evil.example.com"}, None),
    "no redirect": ({"redirect_uri": None}, None),
}


def test_attacks_on_the_consent_page(scene):
    """None shows a form; what leads back is a link, with `iss`, and to the registered place."""
    for name, (changed, error) in AT_THE_CONSENT_PAGE.items():
        page = scene.app.consent_page(scene.visitor, **changed)
        assert page.status_code == 400 and not page.main.all("form"), name
        assert not [m for m in page.root.all("meta") if m.get("http-equiv") == "refresh"], name
        links = [a.get("href") for a in page.main.all("a")]
        if error is None:
            assert not links, name
            continue
        told = parse_qs(urlsplit(links[0]).query)
        assert links[0].startswith(scene.app.redirect + "?") and told["error"] == [error], name
        assert told["iss"] == [scene.site.base_url] and told["state"] == [scene.app.state], name


def test_revocation_by_others(scene):
    for proof in ({}, {"client_id": scene.app.client_id[:-1]}, {"client_id": scene.signs.client_id}):
        assert scene.thief.revoke(scene.app.tokens["refresh_token"], **proof).status_code == 200
        assert scene.thief.revoke(scene.app.tokens["access_token"], **proof).status_code == 200
    answer = scene.thief.revoke(scene.signs.tokens["refresh_token"], client_id=scene.signs.client_id)
    assert (answer.status_code, answer.json()["error"]) == CLIENT
    assert scene.app.rpc("ping").status_code == scene.signs.rpc("ping").status_code == 200
