"""tests/api/reports/test_html_report.py - HTML reports are self-contained,
well-formed, and have the grade and warnings of the JSON result.

Every tool whose contract allows format html is tested.
"""

from html.parser import HTMLParser

import pytest

from kit.contracts import CONTRACTS

TYPE = "text/html; charset=utf-8"
TOOLS = [tool for tool, contract in CONTRACTS.items() if TYPE in contract.get("raw", [])]
PAGE = "https://brisk-cases.net/bombs.html"
VOID = {"meta"}
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "header", "section", "article", "h1", "h2", "h3", "p",
        "span", "dl", "div", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "pre"}
ATTRIBUTES = {"lang", "charset", "name", "content", "class", "style", "scope", "data-label"}


class Reader(HTMLParser):
    """Fails for a tag or attribute that html-report.c does not write, and for an unclosed tag."""

    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("tool", TOOLS)
def test_page_is_self_contained(api, account, tool):
    answer = api.call(account, tool, {"url": PAGE, "format": "html"})

    assert answer.status_code == 200, answer
    assert answer.headers["Content-Type"] == TYPE
    html = answer.body.decode()
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    assert "url(" not in html and "@import" not in html.split("</style>")[0]
    assert PAGE in reader.texts


@pytest.mark.parametrize("tool", TOOLS)
def test_page_has_the_texts_of_the_json(api, account, tool):
    request = {"url": "https://brisk-cases.net/lazy.html"}
    result = api.call(account, tool, request).result
    reader = Reader()
    reader.feed(api.call(account, tool, request | {"format": "html"}).body.decode())

    assert result.get("grade", result.get("rating")) in reader.texts
    assert all(warning in reader.texts for warning in result.get("warnings", []))


def test_such_tools_exist():
    assert len(TOOLS) >= 2
