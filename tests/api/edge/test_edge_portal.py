"""tests/api/edge/test_edge_portal.py - the edge in front of the members portal: the route of each
path, the response when no portal is up, and the form rate of one address. Calls of the API are not
affected."""

import base64
import dataclasses
import hashlib
import http.client
import re
from pathlib import Path

import pytest

from kit import raw
from kit.check import HSTS, check_answer
from kit.client import Answer, Client
from kit.site import ROOT, Site, own_address
from part import Part, wait_for
from ports import Ports
from stack import EDGE_CONFIG, http_status

PORTS = Ports()
PAGES = ROOT / "deploy" / "edge" / "pages"
PAGE_FILES = sorted(PAGES.glob("*.http"))
FORMS, HOOKS = 60, 600  # in 60 s from one address
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def ask(site, method, path, body=None, headers=None, address=None, connection=None):
    """Any response, page or envelope, without checks."""
    line = connection or site.connection(address or own_address(), 30)
    try:
        line.request(method, path, body, headers or {})
        response = line.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        if connection is None:
            line.close()


def check_error_page(answer):
    """A page of the edge: complete without a style sheet, and nothing in it may run."""
    text = answer.body.decode()
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    [style] = re.findall(r"<style>(.*?)</style>", text)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
    assert text.startswith("<!DOCTYPE html>\n<html lang=\"en\">")
    assert len(re.findall(r"<h1>[^<]+</h1>", text)) == 1 and len(re.findall(r"<title>[^<]+</title>", text)) == 1
    assert "<script" not in text and len(answer.body) < 2000
    return text


# -- routes of paths --

# what responds: the portal (with a page or file), the gateway, or the edge's envelope
PATHS = [
    ("/", "portal"), ("/pricing", "portal"), ("/tools", "portal"), ("/portal", "portal"), ("/robots.txt", "portal"),
    ("/favicon.ico", "portal"), ("/portal/sign-in", "portal"), ("/portal/no-such-page", "portal"),
    ("/tools/hash-generate", "portal"), ("/tools/no-such-tool", "portal"), ("/static/no-such-file", "portal"),
    ("/docs", "portal"), ("/docs/errors", "portal"), ("/docs/no-such-page", "portal"),
    ("/.well-known/security.txt", "portal"),
    ("/?a=/v1/", "portal"), ("/portal?", "portal"), ("/hooks/stripe", "portal"),
    ("/livez", "gateway"), ("/readyz", "gateway"), ("/openapi.json", "gateway"), ("/v1/x", "gateway"),
    ("/llms.txt", "gateway"), ("/llms-full.txt", "edge"),
    ("/v1/../portal", "gateway"),
    ("/portals", "edge"), ("/pricing/", "edge"), ("/tool", "edge"), ("/static", "edge"), ("/hooks", "edge"),
    ("/doc", "edge"), ("/Portal", "edge"), ("//portal", "edge"), ("/%70ortal", "edge"), ("/robots.txt/", "edge"),
    ("/index.html", "edge"), ("/metrics", "edge"), ("/favicon.ico.map", "edge"),
    ("/.well-known", "edge"), ("/.well-known/", "edge"), ("/.well-known/change-password", "edge"), ("/security.txt", "edge"),
]


@pytest.mark.parametrize("path, where", PATHS)
def test_which_path_goes_where(site, path, where):
    answer = ask(site, "GET", path)
    assert answer.headers["Strict-Transport-Security"] == HSTS
    if where == "portal":
        assert answer.status_code in (200, 303, 404, 405), answer
        assert answer.headers.get_content_type() != "application/json", answer
        return
    check_answer(answer)  # a caller of the API gets JSON, however wrong the path is
    if where == "edge":
        assert answer.codes == ["not_found"], answer
    assert "X-Request-Id" in answer.headers or where == "edge", answer


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
def test_a_malformed_request_gets_an_envelope(site, method):
    answer = ask(site, method, "/portal")
    assert answer.status_code == 405 and answer.codes == ["method_not_allowed"]


def test_a_page_over_http2(site):
    client = raw.H2(site, own_address())
    answer = client.answer(client.begin("GET", "/portal/sign-in", end=True))
    client.close()
    assert answer.status_code == 200 and b"<h1" in answer.body


@pytest.fixture
def edge_alone(site, tmp_path):
    """Start an edge with these EDGE_… and no backends; returns its site."""
    parts = []

    def start(**env):
        alone = dataclasses.replace(site, tls_port=PORTS.reserve(), plain_port=PORTS.reserve())
        ready = lambda: http_status(http.client.HTTPSConnection(  # noqa: E731
            "localhost", alone.tls_port, timeout=2, context=alone.trust())) == 503
        parts.append(Part("edge", ["/usr/sbin/haproxy", "-db", "-f", EDGE_CONFIG], tmp_path / "edge.log", ready, {
            "EDGE_CERTIFICATE": Path(site.ca_file).with_name("edge.pem"), "EDGE_GATEWAY_1": "127.0.1.254",
            "EDGE_LISTEN_TLS": f"127.0.0.1:{alone.tls_port}", "EDGE_LISTEN_PLAIN": f"127.0.0.1:{alone.plain_port}",
            "EDGE_MAX_CONNECTIONS": 100, "EDGE_BUFFERS": 200} | env))
        parts[-1].start()
        parts[-1].wait_ready()
        return alone

    yield start
    for part in parts:
        part.kill()


def test_without_a_portal_its_paths_are_404_as_any_other(edge_alone):
    site = edge_alone(EDGE_HSTS="on")
    for path, _ in PATHS[:15]:
        answer = ask(site, "GET", path)
        check_answer(answer)
        assert answer.codes == ["not_found"], answer
    assert plain(site, "/portal").codes == ["https_required"]


@pytest.mark.parametrize("oauth, status", [("false", 404), ("true", 503)])
def test_paths_of_apps(edge_alone, oauth, status):
    """Without OAuth they are paths that no part serves."""
    site = edge_alone(EDGE_OAUTH=oauth, EDGE_PORTAL_1="127.0.1.254")
    for method, path in (("POST", "/mcp"), ("GET", "/.well-known/oauth-protected-resource/mcp"),
                         ("GET", "/.well-known/oauth-authorization-server"), ("POST", "/oauth/token"),
                         ("GET", "/oauth/authorize")):
        assert (path, ask(site, method, path).status_code) == (path, status)


# -- plain HTTP --


def plain(site, path, host="localhost", method="GET"):
    with raw.connect(own_address(), "127.0.0.1", site.plain_port) as line:
        raw.send_all(line, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n"
                           f"Connection: close\r\n\r\n".encode())
        [answer] = raw.parse(raw.read_to_end(line))
    return answer


@pytest.mark.parametrize("path", ["/", "/portal/sign-in", "/tools"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_plain_http_is_a_page_with_our_own_link(site, path, method):
    """A client that chooses Host, as in cache poisoning, does not choose a link."""
    answer = plain(site, path, "evil.test", method)
    text = check_error_page(answer)
    assert answer.status_code == 403 and "Location" not in answer.headers
    assert f'href="{site.base_url}/"' in text and "evil" not in text
    assert "Strict-Transport-Security" not in answer.headers  # RFC 6797, 7.2


# -- HSTS --


@pytest.mark.parametrize("edge, sent", [
    ({"EDGE_PUBLIC_URL": "https://localhost:8443"}, False),
    ({"EDGE_HSTS": "auto", "EDGE_PUBLIC_URL": "https://localhost.example.com"}, True),
    ({"EDGE_HSTS": "off", "EDGE_PUBLIC_URL": "https://api.example.com"}, False),
], ids=["localhost", "a name", "off"])
def test_a_developers_browser_gets_no_hsts(edge_alone, edge, sent):
    answer = ask(edge_alone(**edge), "GET", "/livez")
    assert ("Strict-Transport-Security" in answer.headers) == sent


# -- no portal is up --


@pytest.fixture(scope="module")
def lonely(own_stack):
    """A stack whose only portal is stopped and started."""
    return own_stack(portals=1)


def test_without_portals_the_api_works_and_people_get_a_page(lonely):
    site = Site.of(lonely)
    account, client = site.open_account(), Client(site)
    lonely.parts["portal-1"].kill()
    wait_for(lambda: ask(site, "GET", "/portal").status_code == 503, 10, "the edge notices")
    for method, path in (("GET", "/"), ("GET", "/tools/hash-generate"), ("POST", "/portal/sign-in")):
        answer = ask(site, method, path, "a=b" if method == "POST" else None, FORM)
        assert answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0
        assert "Nothing was done" in check_error_page(answer)
    assert client.call(account, "hash-generate", {"input": "a"}).status_code == 200
    assert client.get("/nothing").status_code == 404
    lonely.start_part("portal-1")
    wait_for(lambda: is_served(site), 10, "the edge finds it again")


def is_served(site):
    return http_status(http.client.HTTPSConnection("localhost", site.tls_port, timeout=30,
                                                   context=site.trust()), "/portal/sign-in") == 200


def test_a_hanging_portal_is_taken_out(lonely):
    """A request after its health checks have failed does not wait for it."""
    site = Site.of(lonely)
    line = site.connection(own_address(), 2)
    lonely.parts["portal-1"].freeze()
    try:
        wait_for(lambda: http_status(line, "/portal/sign-in") == 503, 30, "it is left")
    finally:
        lonely.parts["portal-1"].thaw()
    wait_for(lambda: is_served(site), 10, "the edge finds it again")


# -- too many requests --


def post_often(site, path, count):
    """Statuses of this many POSTs over connections of one address."""
    address = own_address()
    line = site.connection(address, 30)
    statuses = []
    for _ in range(count):
        answer = ask(site, "POST", path, "a=b", FORM, connection=line)
        statuses.append(answer.status_code)
        if answer.headers.get("Connection", "").lower() == "close":
            line.close()
    line.close()
    return statuses, address


def test_an_address_sends_60_forms_a_minute(site):
    statuses, address = post_often(site, "/portal/no-such-page", FORMS + 3)
    assert 429 not in statuses[:FORMS], statuses
    assert statuses[FORMS:] == [429] * 3
    refused = ask(site, "POST", "/portal/sign-in", "a=b", FORM, address=address)
    assert refused.status_code == 429 and refused.headers["Retry-After"] == "60"
    check_error_page(refused)
    assert ask(site, "GET", "/portal/sign-in", address=address).status_code == 200    # reads still work
    assert ask(site, "POST", "/hooks/x", "{}", address=address).status_code != 429  # so do webhooks,
    assert ask(site, "POST", "/v1/x", "{}", address=address).status_code == 404       # calls,
    assert ask(site, "POST", "/portal/x", "a=b", FORM).status_code != 429            # and other addresses


def test_a_processor_sends_600(site):
    statuses, _ = post_often(site, "/hooks/x", HOOKS + 2)
    assert 429 not in statuses[:HOOKS]
    assert statuses[HOOKS:] == [429] * 2


def test_a_rejected_form_over_http2_gets_its_page(site):
    """If it were rejected before its body was read, the stream would close with an error
    instead."""
    client = raw.H2(site, own_address())
    for _ in range(FORMS + 1):
        stream = client.begin("POST", "/portal/x", [("content-type", FORM["Content-Type"])])
        client.send(stream, b"a=" + b"b" * 20000, end=True)
        answer = client.answer(stream)
    client.close()
    assert answer.status_code == 429
    check_error_page(answer)


def test_a_slow_form_waits_at_the_edge(site):
    head = "POST /portal/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n"
    with raw.connect_tls(site, own_address()) as line:
        line.sendall(head.encode() + b"email=")
        [answer] = raw.parse(raw.read_to_end(line))
    assert answer.status_code == 408
    assert "Nothing was done" in check_error_page(answer)


# -- pages of the edge --


@pytest.mark.parametrize("file", PAGE_FILES, ids=lambda file: file.name)
def test_error_pages(file):
    [answer] = raw.parse(file.read_bytes())
    assert file.name == f"{answer.status_code}.http"
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    check_error_page(answer)
    assert ("Retry-After" in answer.headers) == (answer.status_code in (429, 503))


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_page_promises_nothing_of_a_form_that_was_passed_on(status):
    text = (PAGES / f"{status}.http").read_text()
    assert "may have been done" in text and "Nothing was done" not in text


def test_there_is_a_page_for_each_of_these():
    assert {file.stem for file in PAGE_FILES} == {"403", "408", "429", "500", "502", "503", "504"}
