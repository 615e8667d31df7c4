"""tests/check/pages.py - the members portal in browsers: every page and error state, whole
journeys.

    /usr/bin/python3 tests/check/pages.py [--build build] [--only WORDS] [--write-docs]

Each page in light and dark, 360, 768 and 1280 px wide: axe-core finds nothing up to WCAG 2.2 AA,
nothing scrolls sideways from 320 px on, the console stays empty, and no other host is contacted. On
a phone, 390 px wide, a page above 6,000 px has an index, lists fit, and the buttons of each row of
a table are in sight. Search, snippets and reports work without JavaScript. Some pages are also
opened without JavaScript, and invoices are printed: each on one A4 page.

Screenshots of all of them are in the build's folder `screens` afterwards. Then a visitor's journey
(kit/portal/journey.py), with a mouse, without JavaScript, and by keyboard alone, and with each of
them a purchase on the page of a payment processor, and the connection of an app
(kit/apps/app_ways.py).

Run by `make check`; needs chromium, and npm for axe-core (kit/portal/axe.py).
"""

import argparse
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.apps import app_ways  # noqa: E402
from kit.portal import axe  # noqa: E402
from kit.portal.browser import WAYS, Browser  # noqa: E402
from kit.portal.journey import Journey, Shopping  # noqa: E402
from kit.portal.processor import Processor  # noqa: E402
from kit.portal.screens import IN_DOCS, SCREENS, Actors  # noqa: E402
from kit.site import Site  # noqa: E402
from part import Failure as StackFailure  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

WIDTHS = (360, 768, 1280)
PHONE = 390
SCHEMES = ("light", "dark")
DOCS_WIDTH = 1120
PHONES = (320, PHONE)  # WCAG 1.4.10, and a usual phone
SHEET = re.compile(rb"/Type\s*/Page\b")
A4 = re.compile(rb"/MediaBox\s*\[\s*0\s+0\s+59[45](?:\.\d+)?\s+84[12](?:\.\d+)?\s*\]")
SELLER = {
    "payments.seller": "Tollgate Pay-per-use Tools for Programmers Designated Activity Company | "
                       "Unit 17, The Old Distillery Business and Technology Park | Smithfield North | "
                       "Dublin D07 XY00 | Ireland | Registered in Ireland, number 123456",
    "payments.seller_tax_id": "IE1234567FA",
    "payments.invoice_note": "No tax is charged, because the seller is a small enterprise whose supplies are exempt "
                             "under the special scheme of Title XII, Chapter 1, of Directive 2006/112/EC.",
}
TALL = 6000  # of a page on a phone, unless it has an index
UNREACHED = """
const found = [];
const height = document.documentElement.scrollHeight;
if (height > %d && !document.querySelector('main nav ul'))
    found.push(`is ${height} px high, without an index`);
for (const table of document.querySelectorAll('table.list'))
    if (table.parentElement.scrollWidth > table.parentElement.clientWidth + 1)
        found.push(`${table.caption.textContent} must be moved sideways`);
for (const button of document.querySelectorAll('table form button')) {
    const place = button.getBoundingClientRect();
    if (place.width && (place.left < 0 || place.right > document.documentElement.clientWidth))
        found.push(`${button.ariaLabel ?? button.textContent} is out of sight`);
}
return found;
""" % TALL
WIDE = """
const limit = document.documentElement.clientWidth;
return document.documentElement.scrollWidth <= limit ? [] :
    [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > limit + 1)
        .slice(-3).map(e => e.outerHTML.slice(0, 160));
"""


def look(browser, screen, script, folder):
    """Problems of the current page, each a line."""
    for scheme in SCHEMES:
        for width in WIDTHS:
            browser.show(width, scheme=scheme)
            for violation in axe.violations(browser, script):
                yield f"{screen.name}, {width} px, {scheme}: {violation}"
            browser.screenshot(folder / f"{screen.name}-{width}-{scheme}.png")
    yield from look_for_wide(browser, screen.name)
    browser.show(PHONE)
    for problem in browser.driver.execute_script(UNREACHED):
        yield f"{screen.name}, {PHONE} px: {problem}"
    browser.show(WIDTHS[-1])
    if screen.is_printed:
        yield from print_it(browser, screen.name, folder / f"{screen.name}.pdf")


def look_for_wide(browser, name):
    for width in PHONES:
        browser.show(width)
        for element in browser.driver.execute_script(WIDE):
            yield f"{name}, {width} px: must be moved sideways to see {element}"


def print_it(browser, name, file):
    pdf = browser.pdf()
    file.write_bytes(pdf)
    sheets, a4 = len(SHEET.findall(pdf)), len(A4.findall(pdf))
    if (sheets, a4) != (1, 1):
        yield f"{name}: printed on {sheets} pages, {a4} of them A4"


def look_without_script(site, actors, only):
    with Browser(site, "plain") as browser:
        for screen in SCREENS:
            if not screen.is_plain or only not in screen.name:
                continue
            try:
                forget_tries(site)
                screen.open(browser, actors)
                yield from look_for_wide(browser, f"{screen.name}, without JavaScript")
            except AssertionError as problem:
                yield f"{screen.name}, without JavaScript: {problem}"


def look_at_all(site, build, only):
    script = axe.source(build)
    folder = build / "screens"
    shutil.rmtree(folder, ignore_errors=True)
    actors = Actors(site)
    with Browser(site) as browser:
        for screen in SCREENS:
            if only not in screen.name:
                continue
            try:
                forget_tries(site)
                screen.open(browser, actors)
                yield from look(browser, screen, script, folder)
                browser.check_silence(statuses=(screen.status,) if screen.status >= 400 else (), expected=(app_ways.NO_HANDLER,))
            except (AssertionError, StackFailure) as problem:
                yield f"{screen.name}: {problem}"
    yield from look_without_script(site, actors, only)


def without_script(site):
    """Search, snippets, and a report in its frame."""
    forget_tries(site)
    _, visitor = Actors(site).visitor("viewer")
    try:
        with Browser(site, "plain") as browser:
            browser.open("/tools")
            browser.fill("q", "qr code")
            browser.press("Search")
            browser.wait_for_text("1 tool.")
            browser.press("QR code generator")
            assert "import json" not in browser.text, "all snippets are open"
            browser.find("details:has(#example-1-python) > summary").click()
            browser.wait_for_text("import json")
            browser.use_cookies(visitor.cookies)
            browser.open("/tools/carbon-footprint")
            for name, value in (("v-url", ""), ("v-bytes", "1000000"), ("v-format", "html")):
                browser.fill(name, value)
            browser.press("Run for 2 credits (100 left)")
            with browser.frame("iframe.report"):
                browser.wait_for_text("Carbon footprint")
            browser.check_silence()
    except AssertionError as problem:
        yield f"without script: {problem}"
    print("without script", flush=True)


def write_docs(site):
    """The screenshots for README.md and the docs."""
    actors = Actors(site)
    with Browser(site, width=DOCS_WIDTH) as browser:
        for screen, height in IN_DOCS:
            screen.open(browser, actors)
            browser.screenshot(ROOT / "docs" / "screens" / f"{screen.name}.png", height)


def forget_tries(site):
    """All browsers of this run have one address."""
    with site.connect() as connection, connection.cursor() as cursor:
        cursor.execute("delete from throttle")


def travel(site, way):
    begun = time.monotonic()
    forget_tries(site)
    try:
        with Browser(site, way) as browser:
            Journey(site, browser).walk()
    except AssertionError as problem:
        yield f"journey, {way}: {problem}"
    print(f"journey, {way}: {time.monotonic() - begun:.0f} s", flush=True)


def connect(site):
    """An app, in each way back to it, with each way of using the browser."""
    steps = [(f"{kind}, {way}", lambda way=way, kind=kind: app_ways.connect(site, way, kind))
             for kind in app_ways.KINDS for way in WAYS]
    for name, step in [*steps, ("popup", lambda: app_ways.popup(site))]:
        forget_tries(site)
        try:
            step()
        except (AssertionError, StackFailure) as problem:
            yield f"connect, {name}: {problem}"
        print(f"connect, {name}", flush=True)


def shop(site, processor, way):
    forget_tries(site)
    try:
        with Browser(site, way, processor=processor) as browser:
            Shopping(site, browser, processor).walk()
    except AssertionError as problem:
        yield f"shopping, {way}: {problem}"
    print(f"shopping, {way}", flush=True)


def shop_with_a_processor(build, settings):
    """The journeys of Shopping, in a separate stack: the other one's checkout moves no money."""
    with tempfile.TemporaryDirectory(prefix="tollgate-processor-") as directory:
        processor = Processor(directory)
        stack = Stack(tempfile.mkdtemp(prefix="tollgate-shop-"), build, daemons=0, portals=1,
                      settings=settings | processor.settings(), edge={"EDGE_FORM_RATE_PER_IP": 1000})
        try:
            with stack:
                for way in WAYS:
                    yield from shop(Site.of(stack), processor, way)
        finally:
            processor.close()
        stack.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", default="", help="screens whose names have these letters, and no journey")
    parser.add_argument("--write-docs", action="store_true", help="no tests: write the pictures of the docs")
    given = parser.parse_args()
    interruptible()
    directory = tempfile.mkdtemp(prefix="tollgate-pages-")
    settings = {"egress.only": ["127.0.0.0/8", "::1"], "portal.poll_ms": 50} | SELLER | (
        {"portal.curl_options": ""} if given.write_docs else {})
    with Stack(directory, given.build.resolve(), portals=1, settings=settings,
               edge={"EDGE_FORM_RATE_PER_IP": 1000}) as stack:
        problems = list(work(Site.of(stack), given))
    stack.remove()
    if not given.only and not given.write_docs:
        problems += shop_with_a_processor(given.build.resolve(), settings)
    print("\n".join(problems))
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


def work(site, given):
    if given.write_docs:
        write_docs(site)
        return
    yield from look_at_all(site, given.build.resolve(), given.only)
    for way in () if given.only else WAYS:
        yield from travel(site, way)
    if given.only in ("", "script"):
        yield from without_script(site)
    if given.only in ("", "oauth"):
        yield from connect(site)

if __name__ == "__main__":
    main()
