"""tests/kit/portal/page.py - a page of the portal as a Visitor sees it, with the checks for every
page."""

import re
from urllib.parse import urlsplit

from kit.check import HSTS
from kit.portal import html

POLICY = {
    "default-src": "'none'", "style-src": "'self'", "script-src": "'self'", "img-src": "'self' data:",
    "connect-src": "'self'", "frame-ancestors": "'none'", "base-uri": "'none'",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Strict-Transport-Security": HSTS,
}
BACK_TO_AN_APP = r"http://(localhost|127\.0\.0\.1|\[::1\])[:/]|cursor://[a-z]"
INTO_A_HOST = r"cursor://anysphere\.cursor-deeplink/mcp/install\?name=[a-z]|vscode:mcp/install\?%7B"
OPENED_BY_APPS = ("/oauth/", "/portal/sign-in")  # an opener must see that the window is open
TYPED = ("input", "select", "textarea")
UNLABELLED = ("hidden", "submit", "button", "reset")  # types of <input>


class Page:
    """An HTML response. url: path and query of the request."""

    def __init__(self, url, answer):
        self.url = url
        self.answer = answer
        self.status_code = answer.status_code
        self.headers = answer.headers
        self.root = html.parse(answer.body.decode("utf-8"))
        self.text = self.root.one("body").text
        self.title = self.root.one("head").one("title").text  # images have titles, too
        check_page(self)

    @property
    def main(self):
        return self.root.one("main")

    @property
    def h1(self):
        return self.root.one("h1").text

    @property
    def errors(self):
        """Sentences of the summary at the top of main."""
        return [item.text for found in self.root.walk() if found.get("id") == "errors" for item in found.all("li")]

    @property
    def links(self):
        return [element.get("href") for element in self.root.all("a")]

    def link(self, words):
        """The target of the link with these words."""
        [href] = {a.get("href") for a in self.root.all("a") if a.text == words}
        return href

    @property
    def forms(self):
        return [Form(self, element) for element in self.root.all("form")]

    def form(self, action, number=0):
        """The form that is sent to this path; number: of several."""
        found = [form for form in self.forms if urlsplit(form.action).path == action]
        assert len(found) > number, f"{self.url} has no form for {action}, but {[f.action for f in self.forms]}"
        return found[number]

    def table(self, caption):
        """Rows of the table with this caption, each a dict by the header's texts."""
        [table] = [t for t in self.root.all("table") if caption in t.one("caption").text]
        head = [th.text for th in table.all("tr")[0].all("th")]
        return [dict(zip(head, (cell.text for cell in row.all("th", "td")))) for row in table.all("tr")[1:]]

    def element(self, name):
        """The one with this id."""
        [found] = [element for element in self.root.walk() if element.get("id") == name]
        return found

    def __repr__(self):
        return f"<{self.status_code} {self.url} {self.title!r} {self.text[:600]!r}>"


class Form:
    """A form and what it would send now."""

    def __init__(self, page, element):
        self.page = page
        self.element = element
        self.method = (element.get("method") or "get").upper()
        self.action = element.get("action") or page.url
        self.controls = [e for e in element.all(*TYPED) if e.get("name")]

    @property
    def names(self):
        return {control.get("name") for control in self.controls}

    def sent(self):
        """[(name, value)], without a button's."""
        return [(control.get("name"), value) for control in self.controls for value in values_of(control)]

    def filled(self, typed):
        """The same with these values; a value: text, a list of texts, True or False of a
        checkbox, None to leave the field out. A value that the page would not let a person send
        is a failure."""
        assert typed.keys() <= self.names, f"no such field: {sorted(typed.keys() - self.names)} of {sorted(self.names)}"
        rest = [(name, value) for name, value in self.sent() if name not in typed]
        return rest + [(name, value) for name, wish in typed.items() for value in self._choose(name, wish)]

    def _choose(self, name, wish):
        controls = [control for control in self.controls if control.get("name") == name]
        if wish is None or wish is False:
            return []
        if wish is True:
            assert controls[0].get("type") == "checkbox", f"{name} is not a checkbox"
            return [controls[0].get("value", "on")]
        wishes = [str(item) for item in (wish if isinstance(wish, list) else [wish])]
        offered = [value for control in controls for value in offered_by(control)]
        assert None in offered or set(wishes) <= set(offered), f"{name} offers {offered}, not {wishes}"
        return wishes


def values_of(control):
    """What a browser sends of it without input."""
    if control.has("disabled"):
        return []
    if control.tag == "textarea":
        return [control.raw_text().removeprefix("\n")]
    if control.tag == "select":
        options = control.all("option")
        chosen = [o for o in options if o.has("selected")] or ([] if control.has("multiple") else options[:1])
        return [option.get("value", option.text) for option in chosen]
    kind = control.get("type", "text")
    if kind in ("checkbox", "radio"):
        return [control.get("value", "on")] if control.has("checked") else []
    return [] if kind in ("submit", "button", "reset") else [control.get("value", "")]


def offered_by(control):
    """Values that a person can choose; [None]: any text."""
    if control.tag == "select":
        return [option.get("value", option.text) for option in control.all("option")]
    return [control.get("value", "on")] if control.get("type") in ("checkbox", "radio") else [None]


# -- checks for each page --


def check_page(page):
    for check in (check_headers, check_skeleton, check_ids, check_labels, check_forms, check_tables, check_addresses,
                  check_nothing_runs, check_errors):
        try:
            check(page)
        except AssertionError as problem:
            raise AssertionError(f"{check.__name__} of {page.url} ({page.status_code}): {problem}") from None


def check_headers(page):
    headers = page.headers
    assert headers["Content-Type"].lower().replace(" ", "") == "text/html;charset=utf-8", headers["Content-Type"]
    own = {"Cross-Origin-Opener-Policy": "unsafe-none"} if page.url.startswith(OPENED_BY_APPS) else {}
    own |= {"Referrer-Policy": "no-referrer"} if page.url.startswith("/oauth/done/") else {}
    for name, value in (HEADERS | own).items():
        assert headers[name] == value, f"{name}: {headers[name]}"
    assert "clipboard-write=(self)" in headers["Permissions-Policy"], headers["Permissions-Policy"]
    policy = dict(part.strip().partition(" ")[::2] for part in headers["Content-Security-Policy"].split(";"))
    assert policy.pop("form-action", "").startswith("'self'")
    frames = {"frame-src": "'self'"} if page.root.all("iframe") else {}
    assert policy == POLICY | frames, policy
    assert "Content-Encoding" not in headers  # BREACH
    assert "/" not in headers.get("Server", "")


def check_skeleton(page):
    root = page.root
    assert root.get("lang") == "en"
    assert page.title and root.one("main").get("id") == "main" and root.all("header") and root.all("footer")
    body = root.one("body")
    first = body.all("a")[0]
    assert first.get("href") == "#main", "the first link does not skip to the content"
    assert len(root.all("h1")) == 1, f"{len(root.all('h1'))} h1"
    assert page.h1, "h1 is empty"
    levels = [html.HEADINGS.index(h.tag) for h in root.one("main").all(*html.HEADINGS)]
    assert all(b - a <= 1 for a, b in zip(levels, levels[1:])) or "errors" in root.raw_text(), f"levels {levels}"
    for item in root.all("ul", "ol"):
        assert all(isinstance(c, str) and not c.strip() or not isinstance(c, str) and c.tag == "li"
                   for c in item.children), f"something else than <li> in {item}"
    for image in root.all("img"):
        assert image.has("alt"), f"{image} without alt"
    for time in root.all("time"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?", time.get("datetime", "")), time


def check_ids(page):
    ids = [element.get("id") for element in page.root.walk() if element.has("id")]
    assert all(ids), "an id is empty"
    twice = {name for name in ids if ids.count(name) > 1}
    assert not twice, f"duplicate ids: {sorted(twice)}"
    for element in page.root.walk():
        for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls", "data-copy"):
            for wanted in (element.get(name) or "").split():
                assert wanted in ids, f"{name} of {element} names nothing"
        if (element.get("href") or "").startswith("#"):
            assert element.get("href")[1:] in ids, f"{element} leads nowhere"


def check_labels(page):
    labelled = {label.get("for") for label in page.root.all("label") if label.text}
    for control in page.root.all(*TYPED):
        if control.tag == "input" and control.get("type", "text") in UNLABELLED:
            continue
        around = control.above("label")
        assert control.get("id") in labelled - {None} or around and around.text or control.get("aria-label"), \
            f"{control} has no label"
    for button in page.root.all("button"):
        assert button.text or button.get("aria-label"), "a button without words"
    for link in page.root.all("a"):
        assert link.text or link.get("aria-label") or any(i.get("alt") for i in link.all("img")), \
            f"{link} without words"


def check_forms(page):
    for form in page.forms:
        assert form.element.above("form") is None, "a form in a form"
        assert form.method in ("GET", "POST")
        if form.method == "POST":
            assert form.action.startswith("/"), f"a form is sent to {form.action}"
            assert len([c for c in form.controls if c.get("name") == "csrf"]) == 1, f"no csrf in {form.action}"
            assert any(b.get("type", "submit") == "submit" for b in form.element.all("button")), "no button"
        for control in form.controls:
            if control.get("type") == "password":
                assert control.get("autocomplete") in ("current-password", "new-password"), control
                assert not control.get("value"), "a password is sent back"


def check_tables(page):
    for table in page.root.all("table"):
        assert table.one("caption").text, "a table without a caption"
        assert table.all("th") and all(th.get("scope") in ("col", "row") for th in table.all("th")), "th without scope"
        widths = {sum(int(cell.get("colspan", 1)) for cell in row.children if not isinstance(cell, str))
                  for row in table.all("tr")}
        assert len(widths) == 1, f"rows of {sorted(widths)} cells in {table.one('caption').text!r}"


def check_addresses(page):
    """Our URL, or a configured https URL; nothing is loaded from other hosts."""
    for element in page.root.walk():
        for name in ("href", "src", "action", "formaction"):
            if element.has(name):
                value = element.get(name)
                assert re.match(r"/$|/[A-Za-z]|[#?][A-Za-z]|https://[a-z0-9]|mailto:", value) or \
                    page.url.startswith("/oauth/") and name == "href" and re.match(BACK_TO_AN_APP, value) or \
                    page.url == "/portal/connect" and name == "href" and re.match(INTO_A_HOST, value) or \
                    name == "src" and re.match(r"data:image/(png|jpeg|webp|svg\+xml);", value), f"{name} of {element}"
        if element.tag in ("script", "link", "img"):
            assert not re.match(r"https?:|//", element.get("src") or element.get("href") or ""), element


def check_nothing_runs(page):
    for element in page.root.walk():
        assert element.tag not in ("style", "object", "embed", "base", "meta") or \
            element.tag == "meta" and (not element.has("http-equiv") or page.url.startswith("/oauth/done/")), element
        if element.tag == "iframe":  # nothing in it runs, and it is not of this origin
            assert element.get("sandbox") == "" and element.get("title") and not element.children, element
            assert re.match(r"/tools/[a-z-]+/report/", element.get("src")), element
        assert not [name for name in element.attributes if name.startswith("on") or name == "style"], element
        if element.tag == "script":
            assert element.get("src") and not element.children, "a script in the page"


def check_errors(page):
    """WCAG 3.3.1: the title begins with the error, the summary is first in main and links to the
    fields."""
    errors = page.errors
    assert bool(errors) == page.title.startswith("Error: "), f"title {page.title!r}, errors {errors}"
    if errors:
        first = [child for child in page.main.children if not isinstance(child, str)][0]
        assert first.get("id") == "errors", "something is before the summary"
    for control in page.root.all(*TYPED):
        if control.get("aria-invalid") == "true":
            assert control.get("aria-describedby", "").strip(), f"{control} is wrong and does not say why"
