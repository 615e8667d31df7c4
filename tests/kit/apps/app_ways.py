"""tests/kit/apps/app_ways.py - a member's browser connects an app, and comes back to it in each
way that apps have: a program of this machine, a site, a program that the browser starts, and a
popup."""

import html
import http.server
import ssl
import tempfile
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from kit import pki
from kit.apps.app import App
from kit.portal.browser import Browser
from kit.portal.member import Member
from part import wait_for

HOST = "app.example.com"  # only the browser resolves it
CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback"
NO_HANDLER = f"Failed to launch '{CURSOR}"  # this machine has no such program
WAIT_S = 60
KINDS = ("loopback", "https", "program")


# It notes whether the popup has looked closed.
PAGE = """<!doctype html><title>App</title><link rel=icon href="data:,"><h1>Back in the app</h1>
<button data-link="LINK">Connect</button><script>
window.seen = [];
function look(popup) { if (!seen.includes(popup.closed)) seen.push(popup.closed); }
document.querySelector('button').onclick = (event) => {
    const popup = window.open(event.target.dataset.link);
    setInterval(look, 20, popup);
};
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        place = self.server.place
        place.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        link = html.escape(place.link)
        self.wfile.write(PAGE.replace("LINK", link).encode())

    def log_message(self, *_):
        pass


class Place:
    """Where an app waits for its code: http on localhost, or https at HOST. Its page has a button
    that opens `link` in a popup."""

    def __init__(self, is_site):
        self.asked, self.link, self.certificate_file = [], "", None
        self._directory = tempfile.TemporaryDirectory(prefix="tollgate-app-")
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.place = self
        if is_site:
            self._be_secure()
        self.url = f"https://{HOST}" if is_site else "http://localhost"
        self.url += f":{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _be_secure(self):
        own = pki.root("Apps Root").issue(HOST, [HOST], key="ec:SECP256R1", eku=[pki.SERVER_AUTH])
        self.certificate_file = Path(self._directory.name) / "app.pem"
        self.certificate_file.write_bytes(own.pem() + own.key_pem())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate_file)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def back(self):
        """The paths with a code that were asked for."""
        return [path for path in self.asked if path.startswith("/back?")]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._directory.cleanup()


def agree(browser, member):
    """Sign in, and agree."""
    browser.wait_for_path("/portal/sign-in")
    wait_for(lambda: browser.has("main [name='email']"), WAIT_S, "the form")
    browser.fill("email", member.email)
    browser.fill("password", member.password)
    browser.press("Sign in")
    browser.wait_for_text("Connect an app")
    browser.press("Connect")


def exchange(app, url):
    answers = parse_qs(urlsplit(url).query)
    assert answers["state"] == [app.state] and answers["iss"] == [app.site.base_url], url
    answer = app.exchange(answers["code"][0])
    assert answer.status_code == 200, answer


def connect(site, way, kind):
    """From the app's link over sign-in and consent back to the app, which gets its tokens."""
    place = Place(kind == "https")
    app = App(site, redirect=CURSOR if kind == "program" else f"{place.url}/back")
    try:
        with Browser(site, way, place=place) as browser:
            browser.open(app.authorize_url())
            agree(browser, Member(site, credits=10))
            if kind == "program":
                browser.wait_for_text("Continue to")
                wait_for(lambda: started(browser), WAIT_S, "the browser starts the program")
                exchange(app, started(browser))
                browser.check_silence(expected=(NO_HANDLER,))
                return
            wait_for(place.back, WAIT_S, "the code arrives")
            browser.wait_for_text("Back in the app")
            browser.check_silence()
        [path] = place.back()
        exchange(app, path)
    finally:
        place.close()


def started(browser):
    return next((url for url in browser.navigations() if url.startswith(f"{CURSOR}?")), None)


def popup(site):
    """The page that has opened the popup sees it until the end, and the popup sees that page."""
    place = Place(True)
    app = App(site, redirect=f"{place.url}/back")
    place.link = site.base_url + app.authorize_url()
    try:
        with Browser(site, place=place) as browser:
            browser.open(f"{place.url}/start")
            browser.find("button").click()
            opener = browser.driver.current_window_handle
            wait_for(lambda: len(browser.driver.window_handles) == 2, WAIT_S, "the popup")
            [other] = set(browser.driver.window_handles) - {opener}
            browser.driver.switch_to.window(other)
            agree(browser, Member(site, credits=10))
            wait_for(place.back, WAIT_S, "the code arrives")
            browser.wait_for_text("Back in the app")
            assert browser.driver.execute_script("return window.opener !== null"), "the popup has no opener"
            browser.driver.switch_to.window(opener)
            assert browser.driver.execute_script("return window.seen.join()") == "false", "the popup looks closed"
        exchange(app, place.back()[0])
    finally:
        place.close()
