"""tests/api/portal/test_playground_answers.py - the playground with rare responses of a gateway: a
separate portal calls a stand-in that responds as each row says."""

import http.client
import http.server
import json
import os
import re
import threading
import urllib.parse
from pathlib import Path

import pytest

from kit.portal import html
from kit.portal.member import Member
from kit.site import own_address
from part import Part
from ports import Ports

PORTS = Ports()
UNCLEAR = "Run again: you are never charged twice for this run."
FINE = {"X-Credits-Charged": "1", "X-Credits-Remaining": "99", "X-Request-Id": "0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d"}


def envelope(code, message):
    return json.dumps({"result": {}, "success": False, "errors": [{"code": code, "message": message}]}).encode()


class StandIn(http.server.ThreadingHTTPServer):
    """Responds with `script` = (status, headers, body, bytes of the body that are sent) and stores
    the requests."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = None
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.asked.append((self.path, self.headers, self.rfile.read(int(self.headers["Content-Length"]))))
        status, headers, body, sent = self.server.script
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:sent])
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def stand_in():
    server = StandIn()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def portal(site, stand_in, request):
    """Plain HTTP of a portal; nothing listens at its first gateway, and the others are the
    stand-in."""
    port, admin = PORTS.reserve(), PORTS.reserve()
    program = Path(site.tollctl_program).parents[1] / "portal" / "tollgate-portal"
    part = Part("portal-aside", [program, "--config", site.config], Path(site.log_directory) / f"portal-aside-{os.getpid()}.log",
                lambda: is_ready(admin),
                env={"TOLLGATE_PORTAL_LISTEN": f"127.0.0.1:{port}", "TOLLGATE_PORTAL_ADMIN": f"127.0.0.1:{admin}",
                     "TOLLGATE_PORTAL_GATEWAYS": f"127.0.0.1:{PORTS.reserve()},127.0.0.1:{stand_in.server_port}"})
    part.start()
    part.wait_ready()
    yield port
    part.stop()


def is_ready(admin):
    line = http.client.HTTPConnection("127.0.0.1", admin, timeout=2)
    try:
        line.request("GET", "/readyz")
        return line.getresponse().status == 200
    except OSError:
        return False
    finally:
        line.close()


class Reader:
    """A member of that portal; the test plays the edge."""

    def __init__(self, site, port):
        self.cookies = Member(site, credits=0).sign_in().cookies
        self.address = own_address()
        self.site = site
        self.port = port

    def ask(self, method, path, fields=None):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        line.request(method, path, urllib.parse.urlencode(fields) if fields else None,
                     {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
                      "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                      "X-Forwarded-For": self.address, "X-Forwarded-Proto": "https"})
        answer = line.getresponse()
        return answer.status, html.parse(answer.read().decode())

    def run(self, tool="hash-generate", **fields):
        _, page = self.ask("GET", f"/tools/{tool}")
        fields = hidden(page) | {"v-input": "abc"} | fields
        status, page = self.ask("POST", f"/tools/{tool}/run", fields)
        return status, page.one("main").text, hidden(page)["run"] == fields["run"]

    def frames(self, tool):
        """Addresses of the frames of a run's page."""
        _, page = self.ask("GET", f"/tools/{tool}")
        _, page = self.ask("POST", f"/tools/{tool}/run", hidden(page) | {"v-bytes": "1", "v-format": "html"})
        return [frame.get("src") for frame in page.all("iframe")]


def hidden(page):
    form = [form for form in page.all("form") if (form.get("action") or "").endswith("/run#run")][0]
    return {field.get("name"): field.get("value") for field in form.all("input") if field.get("type") == "hidden"}


@pytest.fixture(scope="module")
def reader(site, portal):
    return Reader(site, portal)


ANSWERS = [
    ("an answer", 200, FINE, b'{"result":{"n":1.10},"success":true,"errors":[]}', None,
     ["Charged 1 credit, 99 left, ", '"n": 1.10'], False),
    ("an answer that was kept", 200, FINE | {"Idempotency-Replayed": "true"}, b"{}", None,
     ["This run was already charged and is not charged again, 99 left"], False),
    ("one that is under way", 409, {}, envelope("idempotency_in_progress", "it still runs"), None,
     ["This run is still in progress. " + UNCLEAR], True),
    ("an outcome that is not known", 503, {}, envelope("outcome_unknown", "not confirmed in time"), None,
     ["This run may have been charged. " + UNCLEAR], True),
    ("a failure", 503, {}, envelope("no_worker", "nobody is there"), None,
     ["Nothing was charged.", "no_worker", "nobody is there"], False),
    ("a failure that is no JSON", 502, {"Content-Type": "text/html"}, b"<script>alert(1)</script>", None,
     ["Nothing was charged.", "Status 502"], False),
    ("half an answer", 200, FINE, b'{"result":{"n":1.10},"success":true,"errors":[]}', 10,
     ["No response arrived. " + UNCLEAR], True),
    ("a picture of a type that the contract does not name", 200, FINE | {"Content-Type": "image/png"}, b"\x89PNG", None,
     ["Charged 1 credit", "PNG"], False),
    ("text with markup", 200, FINE | {"Content-Type": "text/html; charset=utf-8"}, b"<img src=x onerror=alert(1)>", None,
     ["<img src=x onerror=alert(1)>"], False),
    ("a long table", 200, FINE, json.dumps({"result": {"rows": [{"n": n} for n in range(150)]}}).encode(), None,
     ["The first 100 of 150. The JSON has all of them."], False),
    ("more than a view has", 200, FINE, json.dumps({"result": {f"a{n}": {"b": n} for n in range(99)}}).encode(), None,
     ["This is the beginning. The JSON has everything."], False),
    ("markup in names and values", 200, FINE, b'{"result":{"<img src=x>":"<script>","l":[{"<b>":"</td><i>"}]}}', None,
     ["<img src=x>", "<script>", "</td><i>"], False),
    ("an image that is none", 200, FINE, b'{"result":{"svg_base64":"\\" onerror=\\"x","images":[1]}}', None,
     ["Charged 1 credit"], False),
    ("an answer of 1 MiB", 200, FINE, b'{"result":"' + b'<"\\u0000' * ((1 << 20) // 8) + b'"}', None,
     ["Charged 1 credit", '<"'], False),
]


@pytest.mark.parametrize("status, headers, body, sent, words, is_same_run", [pytest.param(*row[1:], id=row[0])
                                                                             for row in ANSWERS])
def test_an_answer(reader, stand_in, status, headers, body, sent, words, is_same_run):
    stand_in.script = (status, headers, body, sent)
    code, text, kept = reader.run("token-counter", **{"v-text": "abc"})  # its result may have 1 MiB
    assert code == 200
    for word in words:
        assert word in text, text[:800]
    assert kept == is_same_run


def test_a_page_above_its_limit_is_cut_and_says_so(reader, stand_in):
    body = b'"' * (14 << 20)  # six bytes each in HTML
    stand_in.script = (200, FINE | {"Content-Type": "text/html"}, body, None)
    code, text, _ = reader.run("openapi-validate", **{"v-spec": "{}"})
    assert code == 200 and "Charged 1 credit" in text
    assert f"{len(body)} bytes in total; call the API to get all of them" in text
    assert (256 << 10) <= text.count('"') < (257 << 10)


def test_the_request_to_the_gateway(reader, stand_in):
    """With our token, for the member's address, under the id of the form; the edge's fields once
    each."""
    stand_in.script = (200, FINE, b"{}", None)
    stand_in.asked.clear()
    _, page = reader.ask("GET", "/tools/hash-generate")
    fields = hidden(page) | {"v-input": "a\r\nb"}
    reader.ask("POST", "/tools/hash-generate/run", fields)
    [(path, headers, body)] = stand_in.asked
    assert re.fullmatch(r"/v1/client/[0-9a-f-]{36}/tools/hash-generate", path)
    assert json.loads(body) == {"input": "a\nb"}
    assert headers["Idempotency-Key"] == fields["run"] and headers["Content-Type"] == "application/json"
    assert headers.get_all("X-Forwarded-For") == [reader.address] and headers.get_all("X-Forwarded-Proto") == ["https"]
    assert re.fullmatch(r"Bearer tg_live_[0-9A-Za-z]{38}", headers["Authorization"])
    assert "Cookie" not in headers


# -- reports --

REPORT = FINE | {"Content-Type": "text/html; charset=utf-8"}
HOSTILE = b"<!doctype html><html><head><title>x</title></head><body><script>alert(1)</script></body></html>"


def test_a_report_repeats_its_run(reader, stand_in):
    """The same request with the same key: the gateway replays its response."""
    stand_in.script = (200, REPORT, HOSTILE, None)
    [address] = reader.frames("carbon-footprint")
    status, _ = reader.ask("GET", address)
    (path, first, body), (again_path, again, again_body) = stand_in.asked[-2:]
    assert status == 200 and (path, body) == (again_path, again_body)
    for name in ("Idempotency-Key", "Authorization"):
        assert first[name] == again[name]


@pytest.mark.parametrize("script", [(503, {}, envelope("no_worker", "nobody is there"), None),
                                    (200, FINE, b"{}", None), (200, REPORT, HOSTILE, 10)],
                         ids=["a failure", "no report", "half a report"])
def test_a_report_that_does_not_come(reader, stand_in, script):
    stand_in.script = (200, REPORT, HOSTILE, None)
    [address] = reader.frames("carbon-footprint")
    stand_in.script = script
    status, page = reader.ask("GET", address)
    assert status == 503 and "The report could not be loaded. Reload the page." in page.text


def test_a_page_of_another_tool_is_text(reader, stand_in):
    stand_in.script = (200, REPORT, HOSTILE, None)
    assert reader.frames("hash-generate") == []
