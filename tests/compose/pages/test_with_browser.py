"""tests/compose/pages/test_with_browser.py - the commands of docs/operate/browser.md, and then an
audit with Chromium and axe-core in a container. Runs on the stack of test_compose.py."""

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import images
import pytest
from kit.client import Client
from kit.operators.acme import commands, section
from part import wait_for

PAGE = "docs/operate/browser.md"
SITE = b"<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1><img src=/flower.png></html>"
MEASURED_S = 180  # an audit waits 15 s for the browser: a busy machine may need several
PRICE = 10


class Shop(BaseHTTPRequestHandler):
    """A page whose image has no alternative text."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(SITE)))
        self.end_headers()
        self.wfile.write(SITE)

    def log_message(self, *_):
        pass


@pytest.fixture
def shop(stack):
    """http://shop.example.com/ for the browser service and svc-reports; at port 80 of this
    machine's address in their network."""
    address = stack.gate("outside")
    with ThreadingHTTPServer((address, 80), Shop) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.with_files("tests/compose/pages/browser.yaml", SITE_ADDRESS=address)
        yield "http://shop.example.com/"
        server.shutdown()
    stack.with_files()
    stack.up("--no-deps", "svc-reports")
    stack.wait_healthy("svc-reports")


@pytest.fixture
def browser(stack, shop):
    """Set up with the page's commands. The engine's older builder also builds the stages above this
    one: instead of Grafana's image, which cannot be pulled, they get another."""
    images.make_npm()
    stack.variables |= {"NPM_IMAGE": images.NPM, "GRAFANA_IMAGE": images.BASE}
    for command, _ in commands(section(PAGE, "Set it up")):
        stack.run_script("bash", "-euc", command.replace("docker compose ", "docker-compose "))
    yield
    stack.compose("rm", "--force", "--stop", "browser")
    (stack.directory / ".env").unlink()
    for name in ("NPM_IMAGE", "GRAFANA_IMAGE"):
        del stack.variables[name]


def test_an_audit_in_a_browser(stack, site, books, shop, browser):
    """It needs no setting of this machine's engine, and its real axe-core finds the image."""
    stack.wait_healthy("browser", "svc-reports")
    account, client, results = site.open_account(10000), Client(site), []

    def measured():
        answer = client.call(account, "performance-audit", {"url": shop, "browser": True, "samples": 1})
        assert answer.status_code == 200, answer
        results.append(answer.result)
        return answer.result["browser"]["status"] == "ok"

    wait_for(measured, MEASURED_S, "a visit in time")
    result = results[-1]
    assert "image-alt" in [rule["id"] for rule in result["browser"]["accessibility"]["violations"]]
    assert base64.b64decode(result["screenshot"][0]["b64_json"])[8:12] == b"WEBP"
    assert books.charged(account) == PRICE * len(results)
