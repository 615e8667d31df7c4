"""tests/api/portal/test_connected_apps.py - connected apps, over HTTPS through the edge: from the
first request without a token to the call, and what disconnects an app (kit/apps/app.py)."""

import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest

from kit.load import metric
from kit.apps.app import App, challenge_of, connect_apps
from kit.apps.app_crowd import Crowd, age
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from part import wait_for

REFRESHES = 20
HASH = {"input": "a", "algorithm": "SHA-256"}


@pytest.fixture
def member(site):
    return Member(site)


@pytest.fixture
def visitor(member):
    return member.sign_in()


@pytest.fixture
def app(site):
    return App(site)


@pytest.fixture
def connected(app, visitor):
    app.finish(visitor, app.consent_page(visitor))
    return app


def grants(ledger, member):
    return ledger.rows("select token_id::text, state, ended_by from oauth_grant where account_id = %s"
                       " order by created_at", member.account)


def mails(ledger, member, template):
    return ledger.rows("select count(*) from mail where member_id = %s and template = %s", member.id, template)[0][0]


# -- the story --


def test_from_a_url_to_a_call(site, ledger, member):
    """What a host does with nothing but the URL."""
    visitor = Visitor(site)
    app = App(site)
    probe = app.rpc("initialize", token="")
    assert probe.status_code == 401 and probe.json()["error"]["code"] == 401
    [metadata_url] = re.findall(r'resource_metadata="([^"]+)"', probe.headers["WWW-Authenticate"])
    resource = app.request("GET", metadata_url.removeprefix(site.base_url)).json()
    assert resource["resource"] == site.base_url + "/mcp"
    [issuer] = resource["authorization_servers"]
    server = app.request("GET", issuer.removeprefix(site.base_url) + "/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == issuer == site.base_url
    assert server["code_challenge_methods_supported"] == ["S256"]

    page = visitor.get(app.authorize_url())  # not signed in
    assert page.url.startswith("/portal/sign-in?next=")
    page = visitor.submit(page.form("/portal/sign-in"), email=member.email, password=member.password)
    assert page.h1 == "Connect an app" and "A test app" in page.text and "app.example.com" in page.text
    assert member.email in page.text and "You see it in the list of connected apps." in page.text
    assert "Days are in UTC. Empty: no limit." in page.text
    assert "After 90 days without use, an app must be connected again." in page.text
    assert "Without a limit it can use all your credits." in page.text
    page = app.agree(visitor, page, cap_daily="7")
    back = app.answer_of(page)
    assert back["state"] == app.state and back["iss"] == issuer
    answer = app.exchange(back["code"])
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
    tokens = answer.json()
    assert (tokens["token_type"], tokens["scope"]) == ("Bearer", "utils account")
    assert len(tokens["access_token"]) == 68 and 0 < tokens["expires_in"] <= 28800

    assert "hash-generate" in app.tools() and "tls-check" not in app.tools()
    result = app.call("hash-generate", HASH).json()["result"]
    assert result["isError"] is False and result["_meta"]["tollgate/credits"]["charged"] == 1
    assert visitor.get(page.url).h1 == "Connected"
    [row] = visitor.get("/portal/security").table("Connected apps")
    assert row["Name"] == "A test app" and row["May use"] == "utils, account" and "7 (1 spent) per day" in row["Spending caps"]
    assert mails(ledger, member, "app-connected") == 1


@pytest.mark.parametrize("redirect", ["http://localhost:3118/callback", "http://127.0.0.1:33418/",
                                      "cursor://anysphere.cursor-mcp/oauth/callback"])
def test_programs_on_this_computer(site, visitor, redirect):
    app = App(site, redirect)
    page = app.consent_page(visitor)
    assert "a program on this computer" in page.text and "can claim to be" in page.text
    app.finish(visitor, page)
    assert app.call("hash-generate", HASH).json()["result"]["isError"] is False


def test_another_port_of_this_computer(site, visitor):
    app = App(site, "http://localhost:3118/callback")
    app.redirect = "http://localhost:50123/callback"
    app.finish(visitor, app.consent_page(visitor))
    assert app.rpc("ping").status_code == 200


# -- /mcp --


def bearer_challenge(site):
    return (f'Bearer resource_metadata="{site.base_url}/.well-known/oauth-protected-resource/mcp",'
            ' scope="utils chat security email ai reports account"')


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_without_a_token(site, app, method):
    answer = app.request(method, "/mcp", "{}" if method == "POST" else None)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == bearer_challenge(site)


def test_what_is_401_and_where(site, app, connected, ledger, account):
    token = connected.tokens["access_token"]
    own = {"Authorization": f"Bearer {token}"}
    other = token[:-1] + ("y" if token.endswith("x") else "x")
    for wrong in (token[:-1], other, account.token, "x"):
        answer = app.rpc("ping", token=wrong)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith(bearer_challenge(site) + ', error="invalid_token", error_desc')
    assert app.request("GET", "/mcp", None, own).status_code == 405
    assert connected.rpc("ping").status_code == 200
    assert connected.rpc("ping", path="/mcp/").status_code == 200
    assert connected.rpc("ping", Origin="https://evil.test").status_code == 403
    for path in (f"/v1/client/{account.id}/mcp", f"/v1/client/{account.id}/tools/hash-generate"):
        answer = connected.rpc("ping", path=path)
        assert answer.status_code == 403 and answer.headers["WWW-Authenticate"] == "Bearer"
        assert "auth_invalid" in answer.body.decode()
    answer = app.rpc("ping", token="", path=f"/v1/client/{account.id}/mcp")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (403, "Bearer")


def test_a_token_in_the_query_or_body_is_none(connected):
    token = connected.tokens["access_token"]
    assert connected.rpc("ping", token="", path=f"/mcp?access_token={token}").status_code == 401
    assert connected.rpc("ping", {"access_token": token}, token="").status_code == 401


def test_a_token_of_another_account(site, connected):
    """The account in a token is covered by its digest."""
    other = App(site)
    second = Member(site).sign_in()
    other.finish(second, other.consent_page(second))
    mine, theirs = connected.tokens["access_token"], other.tokens["access_token"]
    mixed = theirs[:30] + mine[30:62]
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    number, check = zlib.crc32(mixed.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        check = digits[digit] + check
    answer = connected.rpc("ping", token=mixed + check)
    assert answer.status_code == 401 and "auth_invalid" in answer.body.decode()


def test_an_expired_token(ledger, member, connected):
    ledger.rows("update token set expires_at = now() - interval '1 second' where account_id = %s and kind = 3",
                member.account)
    assert connected.rpc("ping").status_code == 401
    assert connected.call("hash-generate", HASH).status_code == 401


def test_a_suspended_account(site, member, connected):
    site.tollctl("account", "suspend", member.account)
    assert connected.rpc("tools/list").status_code == 403
    assert connected.refresh().status_code == 200


def test_caps(connected, visitor, member, ledger):
    [(token, _, _)] = grants(ledger, member)
    page = visitor.get("/portal/security")
    visitor.submit(page.form(f"/portal/tokens/{token}/caps"), cap_daily="", cap_total="2")
    results = [connected.call("hash-generate", HASH).json()["result"]["isError"] for _ in range(3)]
    assert results == [False, False, True]


def test_the_documents(site, app):
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp?groups=utils",
                 "/.well-known/oauth-authorization-server"):
        answer = app.request("GET", path)
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        again = app.request("GET", path, None, {"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304
    for path in ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/mcp",
                 "/.well-known/oauth-protected-resource"):
        assert app.request("GET", path).status_code == 404


# -- registration --


@pytest.mark.parametrize("body, error", [
    ("", "invalid_client_metadata"),
    ("[]", "invalid_client_metadata"),
    ("{", "invalid_client_metadata"),
    ('{"redirect_uris": ["https://a.example.com/"], "redirect_uris": ["https://b.example.com/"]}', "invalid_client_metadata"),
    ("{}", "invalid_redirect_uri"),
    ('{"redirect_uris": []}', "invalid_redirect_uri"),
    ('{"redirect_uris": "https://a.example.com/"}', "invalid_redirect_uri"),
    ('{"redirect_uris": [1]}', "invalid_redirect_uri"),
    ('{"redirect_uris": ["http://a.example.com/"]}', "invalid_redirect_uri"),
    ('{"redirect_uris": ["https://a.example.com/", "javascript:alert(1)"]}', "invalid_redirect_uri"),
    ('{"redirect_uris": ["https://a.example.com/#"]}', "invalid_redirect_uri"),
    ('{"redirect_uris": ["https://a.example.com/"], "client_name": 1}', "invalid_client_metadata"),
    ('{"redirect_uris": [' + ", ".join(f'"https://a.example.com/{i}"' for i in range(11)) + "]}", "invalid_redirect_uri"),
    ('{"redirect_uris": [' + ", ".join(f'"https://a.example.com/{"x" * 200}{i}"' for i in range(4)) + "]}",
     "invalid_client_metadata"),
    ('{"redirect_uris": ["https://a.example.com/"], "x": "' + "x" * 16384 + '"}', "invalid_client_metadata"),
    ('{"x": ' + "[" * 50 + "]" * 50 + "}", "invalid_client_metadata"),
])
def test_what_is_not_registered(app, body, error):
    answer = app.request("POST", "/oauth/register", body, {"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (400, error)


def test_a_registration(app, ledger):
    asked = {"token_endpoint_auth_method": "client_secret_basic", "grant_types": ["implicit"], "logo_uri": "https://x.test"}
    first = app.register("Claude", ["https://a.example.com/", "http://localhost:1/x"], **asked)
    assert first.status_code == 201
    told = first.json()
    assert told["token_endpoint_auth_method"] == "none" and "client_secret" not in told and "logo_uri" not in told
    assert told["grant_types"] == ["authorization_code", "refresh_token"] and told["response_types"] == ["code"]
    assert told["redirect_uris"] == ["https://a.example.com/", "http://localhost:1/x"]
    again = app.register("Claude", ["https://a.example.com/", "http://localhost:2/x"])
    assert again.json()["client_id"] == told["client_id"]
    assert app.register("Claude", ["https://a.example.com/"]).json()["client_id"] != told["client_id"]


# -- the consent page --


@pytest.mark.parametrize("changed", [
    {"client_id": "tgc_AAAA"}, {"client_id": "https:app.example.com/client.json"}, {"client_id": ""},
    {"redirect_uri": "https://app.example.com/back2"}, {"redirect_uri": None},
    {"redirect_uri": "https://evil.test/back"}, {"redirect_uri": "https://app.example.com/back/../x"}])
def test_an_unknown_client_gets_no_link(app, visitor, changed):
    page = app.consent_page(visitor, **changed)
    assert page.status_code == 400 and "This app is not known here, or sends you to a place that it has not " \
        "registered. Remove the connection in your app and add it there again." in page.text
    assert not [a for a in page.main.all("a")]
    assert not [m for m in page.root.all("meta") if m.get("http-equiv") == "refresh"]


@pytest.mark.parametrize("changed, error", [
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"resource": "https://evil.test/mcp"}, "invalid_target"),
    ({"state": "x" * 1025}, "invalid_request"),
    ({"request_uri": "urn:x"}, "invalid_request"),
])
def test_a_wrong_request_has_a_link_back(app, visitor, changed, error):
    page = app.consent_page(visitor, **changed)
    assert page.status_code == 400
    assert not [m for m in page.root.all("meta") if m.get("http-equiv") == "refresh"]
    [link] = [a.get("href") for a in page.main.all("a")]
    told = parse_qs(urlsplit(link).query)
    assert link.startswith(app.redirect + "?") and told["error"] == [error] and told["iss"] == [app.site.base_url]


def test_a_parameter_twice(app, visitor):
    assert visitor.get(app.authorize_url() + "&state=other").status_code == 400
    assert visitor.get(app.authorize_url() + f"&resource={app.site.base_url}").status_code == 200


def test_another_account(site, app, visitor):
    other = Member(site)
    page = app.consent_page(visitor)
    page = visitor.submit(page.form("/portal/sign-out", 1))
    page = visitor.submit(page.form("/portal/sign-in"), email=other.email, password=other.password)
    assert page.h1 == "Connect an app" and other.email in page.main.text
    app.finish(visitor, page)


def test_cancel_leaves_nothing(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    [link] = [a.get("href") for a in page.main.all("a")]
    assert parse_qs(urlsplit(link).query)["error"] == ["access_denied"]
    assert ledger.rows("select count(*) from oauth_code where account_id = %s", member.account) == [(0,)]


def test_before_sign_in_nothing_is_stored(site, app, ledger):
    before = ledger.rows("select count(*) from oauth_code union all select count(*) from oauth_grant")
    for _ in range(3):
        Visitor(site).get(app.authorize_url())
        app.register("x", ["https://x.example.com/"])
        app.exchange("tg_code_" + "A" * 86)
    assert ledger.rows("select count(*) from oauth_code union all select count(*) from oauth_grant") == before


def test_the_form_is_judged_anew(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    answer = app.agree(visitor, page, request=app.authorize_url(redirect_uri="https://evil.test/").split("?")[1])
    assert answer.status_code == 400 and "This app is not known here" in answer.text
    answer = app.agree(visitor, page, request=app.authorize_url(code_challenge_method="plain").split("?")[1])
    assert answer.status_code == 400
    assert ledger.rows("select count(*) from oauth_code where account_id = %s", member.account) == [(0,)]


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": None, "Origin": "https://evil.test"},
                                     {"Sec-Fetch-Site": None, "Origin": None}])
def test_a_form_of_another_site(app, visitor, headers):
    page = app.consent_page(visitor)
    assert visitor.submit(page.form("/oauth/authorize"), headers).status_code == 403


def test_a_form_of_another_session(site, app, visitor):
    page = app.consent_page(visitor)
    other = Member(site).sign_in()
    assert other.submit(page.form("/oauth/authorize")).status_code == 403


@pytest.mark.parametrize("typed, words", [
    ({"scope": []}, "Choose at least one group of tools."),
    ({"name": ""}, "Enter a name of 1 to 60 characters."),
    ({"cap_daily": "many"}, "Enter a whole number from 0 to 1,000,000,000, or leave the field empty."),
    ({"days": "8"}, "Choose how long the app stays connected."),
    ({"connection": "0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d"},
     "This app is no longer connected. Choose a new connection."),
    ({"code": "x"}, "This form is no longer valid. Reload the page and try again."),
])
def test_wrong_values(app, visitor, typed, words):
    form = app.consent_page(visitor).form("/oauth/authorize")
    kept = [(name, value) for name, value in form.sent() if name not in typed]
    page = visitor.post("/oauth/authorize", kept + [(name, value) for name, value in typed.items() if value != []])
    assert page.status_code == 400 and words in page.text


def test_a_stale_session_gives_the_password_again(app, visitor, member, ledger):
    ledger.rows("update session set confirmed_at = now() - interval '1 hour' where member_id = %s", member.id)
    page = app.consent_page(visitor)
    answer = app.agree(visitor, page)
    assert answer.status_code == 400 and "Enter your password." in answer.text
    app.finish(visitor, answer, confirm_password=member.password)


def test_a_session_that_ended_comes_back(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    ledger.rows("delete from session where member_id = %s", member.id)
    answer = app.agree(visitor, page)
    assert answer.url.startswith("/portal/sign-in?next=")
    page = visitor.submit(answer.form("/portal/sign-in"), email=member.email, password=member.password)
    assert page.h1 == "Connect an app"


def test_an_account_under_deletion_connects_nothing(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    ledger.rows("update account set delete_at = '2099-01-02' where account_id = %s", member.account)
    assert "This account will be deleted on 2099-01-02. Keep it first." in app.agree(visitor, page).text
    assert not [form for form in app.consent_page(visitor).forms if form.action == "/oauth/authorize"]


def test_a_suspended_account_connects_nothing(site, app, visitor, member):
    page = app.consent_page(visitor)
    site.tollctl("account", "suspend", member.account)
    assert "Your account is suspended, so you cannot connect apps." in app.agree(visitor, page).text
    assert not [form for form in app.consent_page(visitor).forms if form.action == "/oauth/authorize"]


def test_the_same_form_twice(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    first = app.answer_of(app.agree(visitor, page))
    assert app.answer_of(app.agree(visitor, page)) == first
    assert ledger.rows("select count(*) from oauth_code where account_id = %s", member.account) == [(1,)]


def test_the_way_back_is_the_sessions_own(site, app, visitor, member):
    page = app.agree(visitor, app.consent_page(visitor))
    assert member.sign_in().get(page.url).status_code == 404
    assert Member(site).sign_in().get(page.url).status_code == 404
    assert visitor.get("/oauth/done/nothing").status_code == 404


def test_a_code_that_is_over(app, visitor, member, ledger):
    page = app.agree(visitor, app.consent_page(visitor))
    code = app.answer_of(page)["code"]
    ledger.rows("update oauth_code set expires_at = now() - interval '1 second' where account_id = %s", member.account)
    assert visitor.get(page.url).h1 == "Connect again"
    assert app.exchange(code).json()["error"] == "invalid_grant"


def test_hostile_names(site, visitor):
    app = App(site, name="<script>alert(1)</script>\u202e\u200b" + "x" * 100)
    page = app.consent_page(visitor)
    assert "<script>alert(1)</script>" in page.text and "\u202e" not in page.text
    assert App(site, name="Tollgate security team").consent_page(visitor).text.count("“an app”") == 1


def test_an_update(site, app, visitor, member, ledger, connected):
    old = dict(connected.tokens)
    assert connected.call("hash-generate", HASH).json()["result"]["isError"] is False
    ledger.rows("update token set cap_total = 50 where account_id = %s and kind = 3", member.account)
    before = ledger.rows("select spent_total, cap_daily, cap_total, name from token where account_id = %s and kind = 3",
                         member.account)
    page = app.consent_page(visitor, scope="chat")
    assert "Update “A test app”" in page.text
    assert "An update keeps the name and the limits of credits" in page.text
    app.finish(visitor, page, scope=["chat"], cap_daily="3", cap_total="", name="another")
    [(token, state, _)] = grants(ledger, member)
    assert state == 1 and connected.rpc("ping", token=old["access_token"]).status_code == 401
    assert app.tokens["scope"] == "chat" and "hash-generate" not in app.tools()
    assert ledger.rows("select spent_total, cap_daily, cap_total, name from token where token_id = %s", token) == before
    assert app.refresh(old["refresh_token"]).json()["error"] == "invalid_grant"
    assert app.revoke(old["refresh_token"]).status_code == 200
    assert grants(ledger, member) == [(token, 1, None)]


def test_old_refresh_tokens_use_up_no_limit(app, visitor, connected):
    """Those from before an update still have a valid MAC, but do not count in the limit."""
    old = connected.tokens["refresh_token"]
    app.finish(visitor, app.consent_page(visitor))
    assert {(answer.status_code, answer.json()["error"]) for answer in (app.refresh(old) for _ in range(15))} == {
        (400, "invalid_grant")}
    assert app.refresh(app.tokens["refresh_token"]).status_code == 200


def test_a_second_connection(app, visitor, member, ledger, connected):
    app.finish(visitor, app.consent_page(visitor), connection="new")
    assert [state for _, state, _ in grants(ledger, member)] == [1, 1]


def test_fifty_apps(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    connect_apps(ledger, member, 50)
    answer = app.agree(visitor, page)
    assert answer.status_code == 400
    assert "50 apps are connected, which is the limit. Disconnect one on the security page, or update a connection." \
        in answer.text


# -- the token endpoint --


@pytest.mark.parametrize("changed, error", [
    ({"code_verifier": "x" * 64}, "invalid_grant"),
    ({"code_verifier": "short"}, "invalid_request"),
    ({"code_verifier": "x" * 129}, "invalid_request"),
    ({"code_verifier": None}, "invalid_request"),
    ({"redirect_uri": "https://app.example.com/back/"}, "invalid_grant"),
    ({"redirect_uri": None}, "invalid_request"),
    ({"client_id": "tgc_AAAA"}, "invalid_client"),
    ({"client_id": None}, "invalid_client"),
    ({"code": "tg_code_x"}, "invalid_grant"),
    ({"grant_type": "password"}, "unsupported_grant_type"),
    ({"grant_type": None}, "unsupported_grant_type"),
    ({"resource": "https://evil.test"}, "invalid_target"),
])
def test_a_wrong_exchange(app, visitor, changed, error):
    code = app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]
    answer = app.exchange(code, **changed)
    assert (answer.status_code, answer.json()["error"]) == (401 if error == "invalid_client" else 400, error)
    assert answer.headers["Cache-Control"] == "no-store"
    assert app.exchange(code).status_code == 200  # nothing was used up


def test_a_code_of_another_client(site, app, visitor):
    code = app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]
    other = App(site, name="Another app")
    assert other.exchange(code, code_verifier=app.verifier).json()["error"] == "invalid_grant"


def test_a_changed_code(app, visitor):
    code = app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]
    for at in (8, 20, 40, 60, 90):
        changed = code[:at] + ("A" if code[at] != "A" else "B") + code[at + 1:]
        assert app.exchange(changed).json()["error"] == "invalid_grant"
    assert app.exchange(code).status_code == 200


def test_a_code_twice_ends_the_connection(app, visitor, member, ledger, connected):
    page = app.consent_page(visitor)
    code = app.finish(visitor, page, connection="new")
    assert app.exchange(code, code_verifier="x" * 64).json()["error"] == "invalid_grant"
    assert app.rpc("ping").status_code == 200  # a wrong verifier proves nothing
    assert app.exchange(code).json()["error"] == "invalid_grant"
    assert app.rpc("ping").status_code == 401
    assert grants(ledger, member)[1][1:] == (2, "replay")
    assert mails(ledger, member, "app-replayed") == 1


def test_a_code_at_twenty_connections(app, visitor, member, ledger):
    code = app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: app.exchange(code).status_code, range(20)))
    assert answers.count(200) == 1
    assert grants(ledger, member)[0][1:] == (2, "replay")


def test_other_bodies(app):
    answer = app.request("POST", "/oauth/token", '{"grant_type":"refresh_token"}', {"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    twice = app.post("/oauth/token", [("grant_type", "refresh_token"), ("client_id", "a"), ("client_id", "b")])
    assert (twice.status_code, twice.json()["error"]) == (400, "invalid_request")
    assert app.request("GET", "/oauth/token").status_code == 405


def test_a_cookie_is_not_read(app, visitor):
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    answer = app.request("POST", "/oauth/token", "grant_type=x", {"Content-Type": "application/x-www-form-urlencoded",
                                                                  "Cookie": cookies})
    assert answer.status_code == 400 and "Set-Cookie" not in answer.headers


def test_a_refresh(connected, member, ledger):
    first = dict(connected.tokens)
    second = connected.refresh().json()
    assert second["access_token"] == first["access_token"] and second["refresh_token"] != first["refresh_token"]
    lost = connected.refresh(first["refresh_token"]).json()  # the answer was lost
    assert lost | {"expires_in": 0} == second | {"expires_in": 0}
    assert connected.refresh(second["refresh_token"]).status_code == 200


def test_a_refresh_in_the_second_half(connected, member, ledger):
    first = dict(connected.tokens)
    ledger.rows("update token set expires_at = now() + interval '1 hour' where account_id = %s and kind = 3", member.account)
    ledger.rows("update oauth_grant set issued_at = now() - interval '7 hours' where account_id = %s", member.account)
    second = connected.refresh().json()
    assert second["access_token"] != first["access_token"] and second["expires_in"] > 28000
    assert connected.rpc("ping", token=first["access_token"]).status_code == 401
    assert connected.call("hash-generate", HASH).json()["result"]["isError"] is False


def test_a_refresh_at_64_connections(connected):
    first = connected.tokens["refresh_token"]
    statuses = set()
    with ThreadPoolExecutor(10) as pool:  # ten at once are the limit
        answers = list(pool.map(lambda _: connected.refresh(first), range(64)))
    statuses = {answer.status_code for answer in answers}
    good = {answer.json()["refresh_token"] for answer in answers if answer.status_code == 200}
    assert statuses == {200, 429} and len(good) == 1
    late = next(answer for answer in answers if answer.status_code == 429)
    assert late.json()["error"] == "temporarily_unavailable" and int(late.headers["Retry-After"]) > 0


@pytest.mark.parametrize("changed, error", [
    ({"client_id": "tgc_AAAA"}, "invalid_grant"), ({"client_id": None}, "invalid_grant"),
    ({"scope": "utils chat"}, "invalid_scope"), ({"resource": "https://evil.test"}, "invalid_target")])
def test_a_wrong_refresh_ends_nothing(connected, changed, error):
    answer = connected.refresh(**changed)
    assert (answer.status_code, answer.json()["error"]) == (400, error)
    assert connected.refresh(scope="utils").json()["scope"] == "utils account"


def counted(site, name):
    return sum(metric(site, part, name) for part in site.admin if part.startswith("portal"))


def test_a_replayed_refresh_ends_the_connection(site, connected, member, ledger):
    wait_for(lambda: counted(site, "tollgate_oauth_grants") > 0, 30, "the connection is counted")
    first = connected.tokens["refresh_token"]
    connected.refresh()
    connected.refresh()
    replays = counted(site, "tollgate_oauth_replays_total")
    assert connected.refresh(first).json()["error"] == "invalid_grant"
    assert counted(site, "tollgate_oauth_replays_total") > replays
    assert grants(ledger, member)[0][1:] == (2, "replay")
    assert connected.rpc("ping").status_code == 401 and connected.refresh().json()["error"] == "invalid_grant"
    assert mails(ledger, member, "app-replayed") == 1


# -- caps over refreshes --


def test_a_cap_is_exact_over_refreshes(site, ledger):
    """Each refresh changes the access token, while others call with the one before."""
    member = Member(site, credits=500)
    ledger.rows("update account set limits_off = true where account_id = %s", member.account)
    visitor = member.sign_in()
    app = App(site)
    app.finish(visitor, app.consent_page(visitor), cap_daily="", cap_total="98")
    seen = {app.tokens["access_token"]}
    with Crowd(app, 16, "spending_cap_total") as crowd:
        for _ in range(REFRESHES):
            age(site, ledger, member)
            answer = app.refresh()
            assert answer.status_code == 200, answer
            seen.add(answer.json()["access_token"])
        wait_for(lambda: crowd.capped > 0, 60, "the cap is reached")
    assert len(seen) == REFRESHES + 1
    assert crowd.charged == 98
    assert ledger.rows("select spent_total from token where account_id = %s and kind = 3", member.account) == [(98,)]


# -- the end --


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_revocation(connected, member, ledger, which):
    assert connected.revoke("nonsense").status_code == 200
    assert connected.revoke(connected.tokens[which], client_id="tgc_AAAA").status_code == 200
    assert connected.rpc("ping").status_code == 200
    assert connected.revoke(connected.tokens[which]).status_code == 200
    assert connected.rpc("ping").status_code == 401
    assert connected.refresh().json()["error"] == "invalid_grant"
    assert grants(ledger, member)[0][1:] == (2, "client")
    assert connected.revoke(connected.tokens[which]).status_code == 200


def test_disconnecting(site, connected, visitor, member, ledger):
    [(token, _, _)] = grants(ledger, member)
    other = Member(site).sign_in()
    page = visitor.get("/portal/security")
    path = f"/portal/apps/{token}/disconnect"
    mark = other.get("/portal/security").form("/portal/sign-out").filled({})
    assert other.post(path, mark).status_code == 404  # another account's
    assert connected.rpc("ping").status_code == 200
    page = visitor.submit(page.form(path))
    assert "The app was disconnected. No call of it is admitted anymore." in page.text
    assert "Connected apps" not in page.text and "App disconnected" in page.text
    assert connected.rpc("ping").status_code == 401
    assert connected.call("hash-generate", HASH).status_code == 401
    assert connected.refresh().json()["error"] == "invalid_grant"
    assert grants(ledger, member)[0][1:] == (2, "member")


def test_signing_out_keeps_it(connected, visitor):
    visitor.submit(visitor.get("/portal/security").form("/portal/sign-out"))
    assert connected.rpc("ping").status_code == 200 and connected.refresh().status_code == 200


def test_signing_out_ends_a_code(app, visitor):
    code = app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]
    visitor.submit(visitor.get("/portal/security").form("/portal/sign-out"))
    assert app.exchange(code).json()["error"] == "invalid_grant"


def test_the_operator_ends_it(site, connected, member, ledger):
    [(token, _, _)] = grants(ledger, member)
    ledger.rows("update token set expires_at = now() - interval '1 second' where token_id = %s", token)
    [listed] = site.tollctl("token", "list", member.account, "--json")["tokens"]
    assert (listed["token_id"], listed["kind"], listed["state"]) == (token, "app", "active")
    site.tollctl("token", "revoke", member.account, token)
    assert connected.rpc("ping").status_code == 401
    assert grants(ledger, member)[0][1:] == (2, "operator")


def test_the_verifier_of_the_rfc():
    """RFC 7636 appendix B."""
    assert challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
