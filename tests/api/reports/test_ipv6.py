"""tests/api/reports/test_ipv6.py - a site without an IPv4 address.

The world's sites are in 127.0.0.0/8. This test starts its own server on ::1, under its name in
kit/names.py, and its own stack that may connect to it.
"""

import http.server
import socket
import tempfile
import threading

import pytest

from kit import names
from kit.client import Client
from kit.site import Site
from kit.world import World

pytestmark = pytest.mark.xdist_group("ipv6")

HOST = names.inner_name(names.INNER.index("::1"))
SHEET = "body { color: black }\n" * 100
PAGE = "<!doctype html><html lang=en><title>Six</title><link rel=stylesheet href=/a.css><h1>By IPv6 alone</h1></html>"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        is_sheet = self.path == "/a.css"
        body = (SHEET if is_sheet else PAGE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/css" if is_sheet else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    daemon_threads = True


@pytest.fixture(scope="module")
def here(own_stack):
    world = World(tempfile.mkdtemp(prefix="tollgate-ipv6-"))
    with world:
        settings = world.settings
        yield Site.of(own_stack(settings=settings | {"egress.allow": [*settings["egress.allow"], "::1"]}), world)
    world.remove()


@pytest.fixture(scope="module")
def url():
    server = Server(("::1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    yield f"http://{HOST}:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def ask(here, url):
    def call(tool, **more):
        answer = Client(here).call(here.open_account(), tool, {"url": url, **more})
        assert answer.status_code == 200, answer
        return answer.result
    return call


def test_its_speed_is_measured(ask, url):
    result = ask("performance-audit", samples=1)
    assert result["final_url"] == url
    assert result["timings"]["dns_ms"] > 0 and result["timings"]["tcp_ms"] > 0
    assert result["page"]["failed_requests"] == 0
    assert [resource["decoded_bytes"] for resource in result["resources"]] == [len(SHEET)]


def test_its_carbon_is_measured(ask):
    result = ask("carbon-footprint")
    assert result["measured_requests"] == 2
    assert result["bytes"] > len(SHEET) + len(PAGE)


def test_other_groups_reach_it_for_an_audit(ask):
    wanted = ["security_headers", "seo", "technologies", "performance"]
    sections = ask("website-audit", sections=wanted)["sections"]
    assert {name: sections[name]["status"] for name in wanted} == dict.fromkeys(wanted, "ok")
