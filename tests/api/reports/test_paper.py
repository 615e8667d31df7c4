"""tests/api/reports/test_paper.py - a report as a page: it stands alone, is whole, and says what the JSON says.

Every tool whose contract has the field format with html is tried; a new one joins by itself.
"""

from html.parser import HTMLParser

import pytest

from kit.contracts import CONTRACTS

TYPE = "text/html; charset=utf-8"
TOOLS = [tool for tool, contract in CONTRACTS.items() if TYPE in contract.get("raw", [])]
PAGE = "https://brisk-cases.net/bombs.html"
VOID = {"meta"}
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "header", "section", "article", "h1", "h2", "h3", "p",
        "span", "dl", "div", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
ATTRIBUTES = {"lang", "charset", "name", "content", "class", "style", "scope", "data-label"}


class Reader(HTMLParser):
    """Fails where a tag or an attribute is not one of the writer's, or does not close."""

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
def test_page_stands_alone(api, account, tool):
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
def test_page_says_what_the_json_says(api, account, tool):
    request = {"url": "https://brisk-cases.net/lazy.html"}
    result = api.call(account, tool, request).result
    reader = Reader()
    reader.feed(api.call(account, tool, request | {"format": "html"}).body.decode())

    assert result.get("grade", result.get("rating")) in reader.texts
    assert all(warning in reader.texts for warning in result.get("warnings", []))


def test_there_are_such_tools():
    assert len(TOOLS) >= 2
