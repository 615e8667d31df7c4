"""tests/api/portal/test_strictness.py - what kit/portal/page.py rejects: a valid page, with one
change in each row. If a check accepted everything, the other tests of pages would be worthless."""

from email.message import Message

import pytest

from kit.client import Answer
from kit.portal.page import HEADERS, POLICY, Page

GOOD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Error: Sign in</title></head>
<body><a href="#main">Skip</a><header><a href="/">Home</a></header>
<main id="main"><section id="errors"><ul><li><a href="#f">It is wrong.</a></li></ul></section><h1>Sign &amp; in</h1>
<form method="post" action="/portal/x"><input type="hidden" name="csrf" value="m">
<label for="f">Name</label><input id="f" name="name" aria-invalid="true" aria-describedby="e"><p id="e">Wrong</p>
<button>Send</button></form>
<table><caption>Calls</caption><tr><th scope="col">A</th></tr>
<tr><td><time datetime="2026-11-23T10:00:00Z">10:00</time></td></tr></table>
</main><footer>x</footer></body></html>"""

CHANGES = [  # the text in the page, and its replacement
    ("a tag that is not closed", "</form>", ""),
    ("wrong nesting", "</h1>", "</h2>"),
    ("a bare ampersand", "&amp;", "&"),
    ("no title", "<title>Error: Sign in</title>", ""),
    ("errors that the title does not mention", "Error: Sign in", "Sign in"),
    ("two h1", "<h1>", "<h1>One</h1><h1>"),
    ("a level left out", "</form>", "</form><h3>x</h3>"),
    ("no language", ' lang="en"', ""),
    ("no way past the head", '<a href="#main">Skip</a>', ""),
    ("a field without a label", '<label for="f">Name</label>', ""),
    ("an id twice", '<p id="e">', '<p id="f">'),
    ("a description that is not there", 'aria-describedby="e"', 'aria-describedby="d"'),
    ("a form without its mark", 'name="csrf"', 'name="other"'),
    ("a form without a button", "<button>Send</button>", ""),
    ("a password that comes back", '<input id="f"',
     '<input type="password" value="x" autocomplete="new-password" id="f"'),
    ("a password without autocomplete", '<input id="f"', '<input type="password" id="f"'),
    ("a table without a caption", "<caption>Calls</caption>", "<caption></caption>"),
    ("a head without scope", ' scope="col"', ""),
    ("rows of different widths", "<tr><td>", "<tr><td></td><td>"),
    ("a time that no program reads", "2026-11-23T10:00:00Z", "10 o'clock"),
    ("a link to a script", 'href="/"', 'href="javascript:x"'),
    ("a link to another host", 'href="/"', 'href="//evil.test/"'),
    ("a picture of another host", "Skip</a>", 'Skip</a><img alt="" src="https://evil.test/x.png">'),
    ("a picture without words", "Skip</a>", 'Skip</a><img src="/static/x.png">'),
    ("a script in the page", "<footer>x", "<footer><script>x()</script>"),
    ("a handler in an attribute", "<h1>", '<h1 onclick="x()">'),
    ("a style in an attribute", "<h1>", '<h1 style="color:red">'),
    ("a frame", "<footer>x", '<footer><iframe src="/x"></iframe>'),
]
LACKS = [*((name, None) for name in HEADERS), ("Content-Security-Policy", None), ("Permissions-Policy", "camera=()"),
         ("Content-Security-Policy", "default-src *"), ("Content-Encoding", "gzip"), ("Content-Type", "text/html")]


def answer(text, changed=()):
    headers = Message()
    policy = "; ".join(f"{name} {value}" for name, value in POLICY.items())
    sent = HEADERS | {"Content-Type": "text/html; charset=utf-8", "Permissions-Policy": "clipboard-write=(self)",
                      "Content-Security-Policy": f"{policy}; form-action 'self'"} | dict(changed)
    for name, value in sent.items():
        if value is not None:
            headers[name] = value
    return Answer(400, headers, text.encode())


def test_a_good_page_passes():
    page = Page("/portal/forgot", answer(GOOD))
    assert page.h1 == "Sign & in" and page.errors == ["It is wrong."]
    assert page.form("/portal/x").filled({"name": "Jane"}) == [("csrf", "m"), ("name", "Jane")]
    assert page.table("Calls") == [{"A": "10:00"}]
    with pytest.raises(AssertionError):
        page.form("/portal/x").filled({"other": "Jane"})


@pytest.mark.parametrize("before, after", [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_a_bad_page_fails(before, after):
    assert before in GOOD
    with pytest.raises((AssertionError, TypeError)):
        Page("/portal/forgot", answer(GOOD.replace(before, after, 1)))


@pytest.mark.parametrize("name, value", LACKS)
def test_bad_headers_fail(name, value):
    with pytest.raises((AssertionError, AttributeError, TypeError)):
        Page("/portal/forgot", answer(GOOD, {name: value}))
