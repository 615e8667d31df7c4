"""tests/kit/portal/visitor.py - a browser without a window: cookies, forms, redirects, nothing
else.

    visitor = Visitor(site)
    page = visitor.get("/portal/sign-in")
    page = visitor.submit(page.form("/portal/sign-in"), email=…, password=…)    # follows the 303
    assert page.url == "/portal"

It checks each page (kit/portal/page.py) and each cookie on arrival. Headers that browsers add and
the portal checks can be changed or left out: `headers={"Sec-Fetch-Site": None}`.
"""

import http.cookies
import time
from urllib.parse import urlencode, urlsplit

from kit.client import Answer
from kit.portal.page import Page

TIMEOUT_S = 30
REDIRECTS_MAX = 5
BUSY = "Too many people are signing in. Try again in 2 seconds."
LATE = "This is not available at the moment. Try again in a few seconds."
LATE_S = 2  # DB_WAIT_MS of portal/main.c, the shortest wait after which a busy portal shows LATE
TRIES = 10
AGENT = "Mozilla/5.0 (X11; Linux x86_64) Visitor/1.0"
REPORTS_OWN = "; sandbox"  # of a report in a frame, which a tool made
EDGES_OWN = "style-src 'sha256-"  # of deploy/edge/pages


def is_overloaded(answer, seconds):
    """Does the page say that the portal was too busy, and did it come as late as it says?"""
    return isinstance(answer, Page) and answer.status_code == 503 and \
        (BUSY in answer.text or LATE in answer.text and seconds >= LATE_S)


class Visitor:
    def __init__(self, site, address=None, agent=AGENT):
        self.site = site
        self.address = address or site.fresh_address()
        self.agent = agent
        self.cookies = {}

    # -- requests --

    def get(self, path, headers=None, follow=True):
        return self.request("GET", path, None, headers, follow)

    def post(self, path, fields, headers=None, follow=True):
        """fields: a dict or pairs, sent unchanged. When a busy portal has done nothing, send them
        again, as its page asks for: a busy machine checks few passwords."""
        for _ in range(TRIES):
            begun = time.monotonic()
            answer = self.request("POST", path, urlencode(fields, doseq=True), headers, follow)
            if not is_overloaded(answer, time.monotonic() - begun):
                break
            time.sleep(int(answer.headers["Retry-After"]))
        return answer

    def submit(self, form, headers=None, follow=True, **typed):
        """A form as a person sends it; for names with other characters than letters: submit(form,
        **{"a-b": …})."""
        fields = form.filled(typed)
        if form.method == "GET":
            return self.get(f"{urlsplit(form.action).path}?{urlencode(fields)}", headers, follow)
        return self.post(form.action.partition("#")[0], fields, headers, follow)

    def request(self, method, path, body=None, headers=None, follow=True):
        """A Page, or an Answer without HTML. A redirect is followed by GET, unless follow is
        false."""
        for _ in range(REDIRECTS_MAX):
            path = path.partition("#")[0]  # only browsers ask for it
            answer = self._once(method, path, body, headers)
            if not follow or answer.status_code != 303:
                return answer
            method, path, body = "GET", self._target(answer), None
        raise AssertionError(f"more than {REDIRECTS_MAX} redirects, the last to {path}")

    def _once(self, method, path, body, headers):
        line = self.site.connection(self.address, TIMEOUT_S)
        try:
            line.request(method, path, body, self._headers(method, headers))
            response = line.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            line.close()
        assert answer.status_code not in (429, 503) or len(answer.headers.get_all("Retry-After") or []) == 1, path
        self._keep_cookies(answer)
        is_html = answer.headers.get_content_type() == "text/html"
        policy = answer.headers["Content-Security-Policy"] or ""
        if method == "HEAD" or not is_html or EDGES_OWN in policy or REPORTS_OWN in policy:
            return answer
        return Page(path, answer)

    def _headers(self, method, changed):
        own = {"User-Agent": self.agent, "Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Site": "same-origin",
               "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        if method == "POST":
            own |= {"Origin": self.site.base_url, "Content-Type": "application/x-www-form-urlencoded"}
        if self.cookies:
            own["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {name: value for name, value in (own | (changed or {})).items() if value is not None}

    def _target(self, answer):
        location = answer.headers["Location"]
        assert location.startswith("/") and not location.startswith("//"), f"a redirect to {location}"
        assert "Content-Encoding" not in answer.headers
        return location

    def _keep_cookies(self, answer):
        for line in answer.headers.get_all("Set-Cookie") or []:
            [(name, cookie)] = http.cookies.SimpleCookie(line).items()
            assert name.startswith("__Host-"), line
            assert cookie["secure"] and cookie["httponly"] and cookie["path"] == "/" and not cookie["domain"], line
            assert cookie["samesite"] == "Lax", line
            if cookie["max-age"] == "0" or cookie.value == "":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = cookie.value
