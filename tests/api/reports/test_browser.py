"""tests/api/reports/test_browser.py - pages in Chromium: what is measured, what a hostile page
cannot reach, and that every visit ends.

A browser takes many seconds to start on a small machine, so `make check` runs the visits.
The pages are tests/sites/hostile-pages.net. The decoy of kit/world.py records connections.
"""

import base64
import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kit.client import Client
from kit.operators.browser_service import BrowserService
from kit.site import Site
from kit.world import World
from part import wait_for

pytestmark = pytest.mark.xdist_group("browser")

PAGES = "http://hostile-pages.net"
SHORT_MS = 20000  # of a visit that uses all of its time


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("browser-world"))
    with world:
        yield world


@pytest.fixture(scope="module")
def stack(world, own_stack):
    """Its svc-reports knows the browser service, which may not be running."""
    return own_stack(settings=world.settings | {"reports.browser_url": "http://127.0.0.1:1"})


@pytest.fixture(scope="module")
def service(request, site, tmp_path_factory):
    build = request.config.getoption("build")
    with BrowserService(build, site.config, tmp_path_factory.mktemp("browser")) as service:
        yield service


@pytest.fixture
def decoy(site):
    """The forbidden address; fails after a connection to it."""
    log = Path(site.decoy_log)
    before = log.read_text() if log.exists() else ""
    yield site.addresses["decoy"]
    after = log.read_text() if log.exists() else ""
    assert after == before, after.removeprefix(before)


@pytest.fixture
def inner():
    """host:port of servers on loopback addresses, which are forbidden; fails after a connection."""
    visits = []
    servers = [socket.create_server(("127.0.0.1", 0)), socket.create_server(("::1", 0), family=socket.AF_INET6)]
    ports = [server.getsockname()[1] for server in servers]

    def serve(server):
        while True:
            try:
                line, peer = server.accept()
            except OSError:
                return
            visits.append(peer)
            line.close()

    for server in servers:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
    yield [f"127.0.0.1:{ports[0]}", f"localhost:{ports[0]}", f"127.1:{ports[0]}", f"0.0.0.0:{ports[0]}",
           f"2130706433:{ports[0]}", f"[::1]:{ports[1]}", f"[::ffff:127.0.0.1]:{ports[0]}"]
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    assert not visits


def rating(browser, name):
    return next(metric for metric in browser["metrics"] if metric["id"] == name)


# -- the service --


@pytest.mark.check
def test_a_page_is_measured(service):
    answer = service.visit(f"{PAGES}/poor.html")
    assert "error" not in answer and answer["problems"] == [] and answer["is_loaded"], answer
    metrics = answer["metrics"]
    assert metrics["url"] == f"{PAGES}/poor.html" and metrics["http_status"] == 200
    assert metrics["largest_contentful_paint_ms"] >= metrics["first_contentful_paint_ms"] > 0
    assert metrics["largest_element"] == "h1"
    assert 0.05 < metrics["layout_shift"] < 0.5
    assert metrics["blocking_ms"] > 0  # a task of 400 ms, or its part after the first paint
    assert answer["accessibility"]["violations"][0]["nodes"] == 1
    assert base64.b64decode(answer["screenshot"])[8:12] == b"WEBP"


@pytest.mark.check
def test_a_good_page_has_no_shift_and_no_violation(service):
    answer = service.visit(f"{PAGES}/good.html")
    assert answer["metrics"]["layout_shift"] == 0
    assert answer["accessibility"]["violations"][0]["nodes"] == 0


@pytest.mark.check
def test_the_network_has_no_way_out(service):
    """Of the processes of a visit: another network, with a loopback device and no route; the
    sandbox is on."""
    thread = threading.Thread(target=service.visit, args=("http://silent.slowhost.net/", 120000))
    thread.start()
    try:
        wait_for(lambda: any("--type=renderer" in words for words in list(service.processes().values())), 60,
                 "a renderer runs")
        for pid, words in service.processes().items():
            assert "--no-sandbox" not in words
            if "--type=renderer" in words:
                wait_for(lambda pid=pid: "\nSeccomp:\t2\n" in Path(f"/proc/{pid}/status").read_text(), 30, "its sandbox")
                continue
            assert Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
            devices = Path(f"/proc/{pid}/net/dev").read_text().splitlines()[2:]
            assert [line.split(":")[0].strip() for line in devices] in (["lo"], [])
            assert len(Path(f"/proc/{pid}/net/route").read_text().splitlines()) <= 1  # a heading
    finally:
        thread.join()


# -- forbidden targets --


def reach(service, hosts):
    answer = service.visit(f"{PAGES}/reach.html?{','.join(hosts)}")
    assert "error" not in answer, answer
    return answer


@pytest.mark.check
def test_a_page_does_not_reach_a_forbidden_address(service, decoy):
    assert reach(service, [decoy, f"{decoy}:8080", f"[::ffff:{decoy}]"])["refused_connections"] > 0


@pytest.mark.check
def test_a_page_does_not_reach_a_forbidden_name(service, decoy):
    hosts = ["decoy.inner-name.com", "alias.inner-name.com", "decoy.mixed-name.com"]
    assert reach(service, hosts)["refused_connections"] > 0


@pytest.mark.check
def test_a_page_does_not_reach_this_machine(service, inner):
    assert reach(service, inner)["refused_connections"] > 0


@pytest.mark.check
def test_a_page_does_not_reach_private_networks(service, decoy):
    hosts = ["169.254.169.254", "10.0.0.1", "192.168.0.1", "metadata", "gateway:8081", "[fd00::1]"]
    assert reach(service, hosts)["refused_connections"] > 0


@pytest.mark.check
def test_a_name_is_not_rebound(service, decoy):
    """The first query gives the web server, later ones the decoy: all connections go to the first
    address, and the page itself needs only one."""
    answer = reach(service, [f"rebind-browser-{time.time_ns()}.fickle-name.com"])
    assert answer["connections"] > 1


@pytest.mark.check
@pytest.mark.parametrize("place", ["http://{decoy}/", "https://{decoy}/", "http://decoy.inner-name.com/",
                                   "http://to.slowhost.net/?http://{decoy}/", "http://web.net:22/"])
def test_a_forbidden_page_is_not_visited(service, decoy, place):
    answer = service.visit(place.format(decoy=decoy))
    assert "could not load" in answer["error"], answer


# -- every visit ends --


@pytest.mark.check
@pytest.mark.parametrize("page", [
    "endless-script.html", "dialogs.html", "moving.html", "windows.html", "memory.html"])
def test_a_hostile_page(service, page):
    answer = service.visit(f"{PAGES}/{page}", SHORT_MS)
    assert "metrics" in answer or answer["error"]
    wait_for(lambda: not service.left_over(), 60, "the browser is gone")


@pytest.mark.check
@pytest.mark.parametrize("kind", ["silent", "drip", "endless", "bomb", "loop", "interim", "garbage", "reset",
                                  "bighead", "redrip"])
def test_a_hostile_server(service, kind):
    answer = service.visit(f"http://{kind}.slowhost.net/", SHORT_MS)
    assert "metrics" in answer or answer["error"]
    assert answer["bytes"] <= 33 << 20
    wait_for(lambda: not service.left_over(), 60, "the browser is gone")


@pytest.mark.check
def test_dialogs_are_closed(service):
    answer = service.visit(f"{PAGES}/dialogs.html")
    assert answer["dialogs"] == 60 and answer["is_loaded"]


# -- requests --


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"url": "http://a.com/"}', '{"url": 1, "budget_ms": 5000}',
                                  '{"url": "file:///etc/passwd", "budget_ms": 5000}',
                                  '{"url": "http://a.com/", "budget_ms": 999}',
                                  '{"url": "http://a.com/", "budget_ms": 300001}', "x" * 20000])
def test_an_invalid_request(service, body):
    status, answer = service.ask(body)
    assert status == 400 and answer["error"]


def test_other_paths_and_methods(service):
    assert service.ask(None, "/", "GET")[0] == 404
    assert service.ask(None, "/visit", "GET")[0] == 405


# -- in the audits --


SEEN = {  # as a visit of poor.html is answered
    "metrics": {"url": f"{PAGES}/poor.html", "http_status": 200, "first_byte_ms": 12, "first_contentful_paint_ms": 180,
                "largest_contentful_paint_ms": 220, "largest_element": "h1", "layout_shift": 0.124, "blocking_ms": 351,
                "load_ms": 640},
    "accessibility": {"version": "4.14.1", "passed": 2, "unclear": 1, "violations": [
        {"id": "image-alt", "impact": "critical", "help": "Images must have alternative text", "nodes": 1,
         "help_url": "https://dequeuniversity.com/rules/axe/4.14/image-alt", "examples": ["<img src=a>"]}]},
    "screenshot": "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "problems": [], "is_loaded": True,
    "is_full": False, "dialogs": 0, "bytes": 2000, "connections": 2, "refused_connections": 0, "duration_ms": 900}


class Prepared(BaseHTTPRequestHandler):
    """Answers each visit with what a browser saw, without its time: an audit waits 15 seconds at
    most, and a busy machine may start no browser in those."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = json.dumps(SEEN).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def here(stack, world):
    """A stack whose svc-reports has such a service."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Prepared) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        text = stack.config.read_text().replace("http://127.0.0.1:1\n", f"http://127.0.0.1:{server.server_port}\n")
        assert str(server.server_port) in text
        stack.config.write_text(text)
        stack.restart("svc-reports-1")
        yield Site.of(stack, world)
        server.shutdown()


def audit(here, tool, **more):
    answer = Client(here).call(here.open_account(), tool, {"url": f"{PAGES}/poor.html", "browser": True, **more})
    assert answer.status_code == 200, answer
    return answer


def test_an_audit_without_the_service_still_answers(stack, world):
    result = audit(Site.of(stack, world), "performance-audit").result
    assert result["grade"] and result["screenshot"] == []
    assert result["browser"]["status"] == "failed"
    assert result["browser"]["reason"] == "The browser service did not respond in time."


@pytest.mark.parametrize("tool, more", [("performance-audit", {"samples": 1}),
                                        ("website-audit", {"sections": ["performance"]})])
def test_an_audit_has_the_measurements(here, tool, more):
    result = audit(here, tool, **more).result
    browser = result["browser"]
    assert browser["status"] == "ok"
    assert rating(browser, "total-blocking-time")["rating"] == "poor"
    assert rating(browser, "cumulative-layout-shift")["rating"] == "needs-improvement"
    assert browser["accessibility"]["violation_count"] == 1
    assert base64.b64decode(result["screenshot"][0]["b64_json"])[8:12] == b"WEBP"


@pytest.mark.parametrize("tool, more", [("performance-audit", {"samples": 1}),
                                        ("website-audit", {"sections": ["performance"]})])
def test_the_html_report_has_the_measurements(here, tool, more):
    answer = audit(here, tool, format="html", **more)
    html = answer.body.decode()
    assert "In a browser" in html and "Largest contentful paint" in html and "Rule image-alt" in html
    assert "needs improvement" in html and "&lt;img" in html and "<img src=a" not in html
    assert re.findall(r"<img[^>]* src=([^>]*)>", html) == [f'"data:image/webp;base64,{SEEN["screenshot"]}"']
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"


def test_a_browser_that_is_not_set_up(api, account):
    result = api.call(account, "performance-audit", {"url": "https://example.com/", "browser": True}).result
    assert result["browser"]["status"] == "not_set_up"
    assert result["browser"]["metrics"] == [] and result["screenshot"] == []


def test_a_browser_that_is_not_requested(api, account):
    result = api.call(account, "performance-audit", {"url": "https://example.com/"}).result
    assert result["browser"] is None and result["screenshot"] == []
    html = api.call(account, "performance-audit", {"url": "https://example.com/", "format": "html"}).body.decode()
    assert "Measurements in a browser were not requested." in html and "<img" not in html
