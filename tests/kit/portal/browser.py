"""tests/kit/portal/browser.py - Debian's headless chromium, driven by selenium, and the errors it
reports.

    with Browser(site) as browser:
        browser.open("/portal/sign-in")
        browser.fill("email", "jane@example.com")
        browser.press("Sign in")
        browser.check_silence()     # no line on the console, no report of the policy, no other host

It trusts the stack's certificate only by its key (--ignore-certificate-errors-spki-list), and
resolves no other name. ways: "mouse"; "plain", without JavaScript; "keyboard", which reaches every
element with Tab.
"""

import base64
import hashlib
import json
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from part import wait_for

WAIT_S = 60  # for steps that take a second on an idle machine
TABS_MAX = 150  # of a page: an element further away is out of the keyboard's reach
WAYS = ("mouse", "plain", "keyboard")
GONE = (StaleElementReferenceException, WebDriverException)

# How long a page has certainly been shown: since it was first asked, or got the focus again.
SHOWN_FOR_MS = """
if (!performance.getEntriesByType("navigation")[0].loadEventEnd) return 0;
if (!window.shownSince) {
    const begin = () => { window.shownSince = performance.now(); };
    window.addEventListener("focus", begin);
    begin();
}
return performance.now() - window.shownSince;"""


def key_of(certificate_file):
    """How chromium names a key: Base64 of the SHA-256 of its SubjectPublicKeyInfo."""
    with open(certificate_file, "rb") as file:
        certificate = x509.load_pem_x509_certificate(file.read())
    key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


class Browser:
    def __init__(self, site, way="mouse", width=1280, height=900, scheme="light", processor=None,
                 place=None):
        """processor: the payment page, kit/portal/processor.py; place: of an app, app_ways.py"""
        assert way in WAYS
        self.site = site
        self.way = way
        others = [other for other in (processor, place) if other]
        self.known = (site.base_url, *(other.url for other in others))
        keys = (site.ca_file, *(other.certificate_file for other in others if other.certificate_file))
        names = [f"MAP {urlsplit(place.url).hostname} 127.0.0.1"] if place and place.certificate_file else []
        self._requests, self._navigations = [], []
        self._profile = tempfile.mkdtemp(prefix="tollgate-chromium-")
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for word in (
                "--headless=new", f"--user-data-dir={self._profile}", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-extensions", "--hide-scrollbars", "--lang=en",
                f"--ignore-certificate-errors-spki-list={','.join(map(key_of, keys))}",
                f"--host-resolver-rules={', '.join([*names, 'MAP * ~NOTFOUND', 'EXCLUDE localhost'])}",
                *(["--no-sandbox"] if os.geteuid() == 0 else [])):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("goog:perfLoggingPrefs", {"enableNetwork": True, "enablePage": True})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(WAIT_S)
        self.show(width, height, scheme)
        if way == "plain":
            self.command("Emulation.setScriptExecutionDisabled", value=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)

    def command(self, name, /, **arguments):
        """One of Chrome's DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def show(self, width, height=900, scheme="light"):
        """The size of the window, and the preferred color scheme: light or dark."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                             {"name": "prefers-reduced-motion", "value": "reduce"}])

    # -- location and content --

    def open(self, path):
        """path: of our site, or a whole URL from an email."""
        self.driver.get(path if path.startswith("https://") else self.site.base_url + path)

    @property
    def path(self):
        return urlsplit(self.driver.current_url).path

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def find(self, selector):
        found = self.all(selector)
        assert found, f"{self.path} has no {selector}"
        return found[0]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def link(self, words):
        """Path and query of the link with these words."""
        target = urlsplit(self.driver.find_element(By.LINK_TEXT, words).get_attribute("href"))
        return f"{target.path}?{target.query}"

    def use_cookies(self, cookies):
        """Those of a Visitor, instead of the browser's."""
        self.command("Network.clearBrowserCookies")
        for name, value in cookies.items():
            self.command("Network.setCookie", url=self.site.base_url, name=name, value=value, path="/", secure=True,
                         httpOnly=True, sameSite="Lax")

    @contextmanager
    def frame(self, selector):
        """Within the document of a frame."""
        self.driver.switch_to.frame(self.find(selector))
        try:
            yield
        finally:
            self.driver.switch_to.default_content()

    def cookies(self):
        return {cookie["name"]: cookie["value"] for cookie in self.command("Network.getCookies")["cookies"]}

    def has(self, selector):
        return bool(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def wait_for_text(self, words):
        def is_shown():
            with suppress(*GONE):
                return words in self.text
        try:
            wait_for(is_shown, WAIT_S, f"{words!r} is shown")
        except Exception as failure:
            raise AssertionError(f"{failure}; {self.path} shows {self.text[:1500]!r}") from None

    def wait_for_path(self, path):
        wait_for(lambda: self.path == path, WAIT_S, f"{path} is shown instead of {self.path}")

    # -- actions of a person --

    def fill(self, name, value, within="main"):
        """The field of this name; value: text, or True and False of a checkbox. What hides it is
        opened first."""
        selector = f"[name='{name}']:not([type='hidden'])"
        field = self.find(f"{within} {selector}")
        for closed in self.driver.find_elements(By.CSS_SELECTOR, f"{within} details:not([open]):has({selector}) > summary"):
            self._press(closed, Keys.ENTER)
        if isinstance(value, bool):
            if field.is_selected() != value:
                self._press(field, Keys.SPACE)
            return
        if field.tag_name == "select":
            self._choose(field, value)
            return
        self._reach(field)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.DELETE)
        field.send_keys(value)

    def press(self, words, within=None, number=0):
        """A button or link with these words, in main before others; waits for the page that
        follows."""
        found = self._pressable(within) if within else self._pressable("main") + self._pressable("header")
        found = [element for element in found if element.is_displayed() and element.text.strip() == words]
        assert len(found) > number, f"{self.path} has no {words!r}: {self.text[:1500]!r}"
        before = self.find("html")
        self._wait_for_delay()
        self._press(found[number], Keys.ENTER)
        self._say_yes()

        def is_gone():
            try:
                before.is_enabled()
                return False
            except GONE:
                return True
        wait_for(is_gone, WAIT_S, f"a page after {words!r}")
        wait_for(lambda: self.has("h1") or "text/html" not in self.driver.page_source[:100], WAIT_S, "the page")

    def _wait_for_delay(self):
        """A form with data-delay ignores a press in the first half second after it appeared."""
        if self.way != "plain" and self.has("form[data-delay]"):
            wait_for(lambda: self.driver.execute_script(SHOWN_FOR_MS) > 600, WAIT_S, "the page is old")

    def _pressable(self, within):
        return self.driver.find_elements(By.CSS_SELECTOR, f"{within} button, {within} a[href]")

    def _press(self, element, key):
        if self.way != "keyboard":
            element.click()
            return
        self._reach(element)
        element.send_keys(key)

    def _say_yes(self):
        """Confirms a dialog, if the page shows one."""
        with suppress(NoAlertPresentException):
            self.driver.switch_to.alert.accept()

    def _choose(self, field, value):
        self._reach(field)
        if self.way != "keyboard":
            Select(field).select_by_visible_text(value)
            return
        wanted = [option.text for option in Select(field).options].index(value)
        for _ in range(len(Select(field).options)):
            field.send_keys(Keys.UP)
        for _ in range(wanted):
            field.send_keys(Keys.DOWN)

    def _reach(self, element):
        """By keyboard: Tab until the element has the focus, which must be visible."""
        if self.way != "keyboard":
            return
        for _ in range(TABS_MAX):
            focused = self.driver.switch_to.active_element
            if focused == element:
                assert self.driver.execute_script(SEEN, element), f"the focus of {element.get_attribute('outerHTML')}"
                return
            focused.send_keys(Keys.TAB)
        raise AssertionError(f"Tab does not lead to {element.get_attribute('outerHTML')[:200]}")

    # -- errors --

    def check_silence(self, statuses=(), expected=()):
        """Nothing on the console, which includes reports of the policy, except the expected
        statuses of the pages and lines with these words; and no request to another host."""
        lines = [entry["message"] for entry in self.driver.get_log("browser")
                 if not entry["message"].startswith("chrome://")]  # of the browser's own pages
        expected = [*expected] + [f"the server responded with a status of {status}" for status in statuses]
        lines = [line for line in lines if not any(words in line for words in expected)]
        assert not lines, lines
        others = [url for url in self.asked() if not url.startswith(tuple(f"{own}/" for own in self.known))]
        assert not others, others

    def _read_log(self):
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self._requests.append(message["params"]["request"]["url"])
            elif message["method"] == "Page.frameRequestedNavigation":
                self._navigations.append(message["params"]["url"])

    def asked(self):
        """URLs of hosts that pages requested since the last call."""
        self._read_log()
        urls, self._requests = self._requests, []
        return [url for url in urls if urlsplit(url).scheme in ("http", "https", "ws", "wss")]

    def navigations(self):
        """URLs that pages led to without a press, also of programs that the browser starts."""
        self._read_log()
        return self._navigations

    def pdf(self):
        """The page as printed, with the size and margins of its style sheet."""
        return base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=True)["data"])

    def screenshot(self, file, height=None):
        """The page down to its end, or its first `height` pixels."""
        height = height or self.driver.execute_script("return document.documentElement.scrollHeight")
        width = self.command("Page.getLayoutMetrics")["cssLayoutViewport"]["clientWidth"]
        picture = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                               clip={"x": 0, "y": 0, "width": width, "height": min(height, 6000), "scale": 1})
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(picture["data"]))


# Something around or in the element looks different without the focus.
SEEN = """
const e = arguments[0], s = getComputedStyle(e);
return e.matches(':focus-visible') &&
    (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== 'none');
"""


