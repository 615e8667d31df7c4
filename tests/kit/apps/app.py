"""tests/kit/apps/app.py - an app that connects to an account, with the protocol of OAuth 2.1 and
nothing else: it finds the servers, registers itself, and asks for tokens.

    app = App(site)
    page = app.consent_page(visitor)             # the member's browser
    app.finish(visitor, page)                    # the member agrees; the app gets its tokens
    assert app.call("hash-generate", {…}).status_code == 200
"""

import base64
import hashlib
import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

from kit.client import Answer

TIMEOUT_S = 60
FORM = "application/x-www-form-urlencoded"


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


class App:
    """tokens: the last answer of the token endpoint."""

    def __init__(self, site, redirect="https://app.example.com/back", name="A test app", address=None, client_id=None):
        self.site = site
        self.redirect = redirect
        self.address = address or site.fresh_address()
        self.state = secrets.token_urlsafe(16)
        self.verifier = secrets.token_urlsafe(48)
        self.tokens = None
        self.client_id = client_id or self.register(name, [redirect]).json()["client_id"]

    # -- requests --

    def request(self, method, path, body=None, headers=None):
        line = self.site.connection(self.address, TIMEOUT_S)
        try:
            line.request(method, path, body, headers or {})
            response = line.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            line.close()

    def post(self, path, fields):
        """fields: a dict or pairs; None leaves one out."""
        pairs = fields.items() if isinstance(fields, dict) else fields
        body = urlencode([(name, value) for name, value in pairs if value is not None])
        return self.request("POST", path, body, {"Content-Type": FORM})

    def register(self, name, redirects, **more):
        body = json.dumps({"client_name": name, "redirect_uris": redirects} | more)
        return self.request("POST", "/oauth/register", body, {"Content-Type": "application/json"})

    # -- consent --

    def authorize_url(self, **changed):
        fields = {"response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect,
                  "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256", "state": self.state,
                  "scope": "utils account", "resource": self.site.base_url + "/mcp"} | changed
        return "/oauth/authorize?" + urlencode({name: value for name, value in fields.items() if value is not None})

    def consent_page(self, visitor, **changed):
        return visitor.get(self.authorize_url(**changed))

    def agree(self, visitor, page, **typed):
        """The page that leads back."""
        return visitor.submit(page.form("/oauth/authorize"), **typed)

    def answer_of(self, page):
        """The parameters that the browser brings back, by the page's <meta>."""
        [meta] = [m for m in page.root.all("meta") if m.get("http-equiv") == "refresh"]
        target = meta.get("content").removeprefix("0;url=")
        [link] = {a.get("href") for a in page.main.all("a")}
        assert link == target
        assert target.startswith(self.redirect + "?")
        return {name: values[0] for name, values in parse_qs(urlsplit(target).query, strict_parsing=True).items()}

    def finish(self, visitor, page, **typed):
        """Agree, and exchange the code."""
        back = self.answer_of(self.agree(visitor, page, **typed))
        assert back["state"] == self.state and back["iss"] == self.site.base_url
        answer = self.exchange(back["code"])
        assert answer.status_code == 200, answer
        return back["code"]

    # -- tokens --

    def _keep(self, answer):
        if answer.status_code == 200:
            self.tokens = answer.json()
        return answer

    def exchange(self, code_, **changed):
        return self._keep(self.post("/oauth/token", {
            "grant_type": "authorization_code", "code": code_, "redirect_uri": self.redirect,
            "client_id": self.client_id, "code_verifier": self.verifier} | changed))

    def refresh(self, token=None, **changed):
        return self._keep(self.post("/oauth/token", {
            "grant_type": "refresh_token", "refresh_token": token or self.tokens["refresh_token"],
            "client_id": self.client_id} | changed))

    def revoke(self, token, **changed):
        return self.post("/oauth/revoke", {"token": token, "client_id": self.client_id} | changed)

    # -- calls --

    def rpc(self, method, params=None, token=None, path="/mcp", **headers):
        token = self.tokens["access_token"] if token is None else token
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | headers
        if token:
            sent["Authorization"] = f"Bearer {token}"
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.request("POST", path, json.dumps(body), sent)

    def tools(self):
        return [tool["name"] for tool in self.rpc("tools/list").json()["result"]["tools"]]

    def call(self, tool, arguments, **headers):
        return self.rpc("tools/call", {"name": tool, "arguments": arguments}, **headers)


CONNECTED = ("with t as (insert into token (account_id, token_id, digest, last4, created_at, expires_at,"
             "                               spent_total, kind)"
             "           select %s, gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), 'aaaa', now(),"
             "                  now() + interval '1 hour', 0, 3"
             "             from generate_series(1, %s) returning account_id, token_id)"
             " insert into oauth_grant (account_id, token_id, member_id, client_key, client_host, client_name,"
             " redirect_host, needs_key, access_no, issued_at, first_no, refresh_no, rotated_at, refresh_until,"
             " created_at, connected_at, network)"
             " select account_id, token_id, %s, sha256(''), '', 'x', 'x.test', false, 1, now(), 1, 1, now(),"
             " now() + interval '1 day', now(), now(), '' from t")


def connect_apps(ledger, member, count):
    """Write `count` connections, without their consent pages."""
    ledger.rows(CONNECTED, member.account, count, member.id)
