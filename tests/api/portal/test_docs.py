"""tests/api/portal/test_docs.py - the documentation under /docs: it is complete, and no link is
broken."""

import re
from urllib.parse import urljoin, urlsplit

import pytest

from kit.check import ROOT
from kit.portal import html
from kit.portal.visitor import Visitor

SOURCES = {"quickstart": "docs/quickstart.md", "concepts": "docs/concepts.md",
           "python": "docs/clients/python.md", "typescript": "docs/clients/typescript.md", "cli": "docs/clients/cli.md",
           "errors": "docs/api/errors.md",
           "idempotency": "docs/api/idempotency.md", "limits": "docs/api/limits.md", "account": "docs/api/account.md",
           "tokens": "docs/api/tokens.md",
           "agents": "docs/api/agents.md", "model-data": "docs/operate/model-data.md", "versions": "docs/versions.md", "security": "SECURITY.md",
           "changelog": "CHANGELOG.md"}
ADDRESSES = {"quickstart": ["https://…"], "agents": ["https://localhost:8443", "{base_url}"]}
PATHS = ["/docs", *(f"/docs/{page}" for page in SOURCES)]
SKIPPED = re.compile(r"<!-- portal: skip -->.*?<!-- portal: end -->", re.DOTALL)
FENCE = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
CODE = re.compile(r"^\| \d+ \| `(\w+)` \|", re.MULTILINE)


@pytest.fixture(scope="module")
def visitor(site):
    return Visitor(site)


@pytest.fixture(scope="module")
def pages(visitor):
    return {path: visitor.get(path) for path in PATHS}


def source(page):
    return SKIPPED.sub("", (ROOT / SOURCES[page]).read_text())


def headings(page):
    return [(len(level), text.replace("`", "")) for level, text in HEADING.findall(FENCE.sub("", source(page)))]


def ids(page):
    return {element.get("id") for element in page.root.walk() if element.has("id")}


@pytest.mark.parametrize("path", PATHS)
def test_page(visitor, pages, path):
    page = pages[path]
    assert page.status_code == 200 and page.title == f"{page.h1} – Tollgate"
    [description] = [meta.get("content") for meta in page.root.all("meta") if meta.get("name") == "description"]
    assert re.fullmatch(r"[A-Z][^<>{}]{10,150}\.", description)
    assert not re.search(r"\]\(|<!--|\{\{|&#|\|---", page.text)
    assert [link.get("href") for link in page.root.one("footer").all("a") if link.text == "Docs"] == ["/docs"]


@pytest.mark.parametrize("path", PATHS)
def test_head(visitor, pages, path):
    head = visitor.request("HEAD", path)
    assert (head.status_code, head.body) == (200, b"")
    assert head.headers["Content-Type"] == pages[path].headers["Content-Type"]


@pytest.mark.parametrize("page", SOURCES)
def test_page_is_complete(site, pages, page):
    """All headings, blocks of code byte for byte, rows of tables."""
    shown = pages[f"/docs/{page}"]
    assert [(int(h.tag[1]), h.text) for h in shown.main.all(*html.HEADINGS)] == headings(page)
    blocks = FENCE.findall(source(page))
    for address in ADDRESSES.get(page, []):
        blocks = [block.replace(address, site.base_url) for block in blocks]
    assert [pre.raw_text() for pre in shown.main.all("pre")] == blocks
    rows = [line for line in FENCE.sub("", source(page)).splitlines() if line.startswith("| ")]
    assert sum(len(table.all("tr")) for table in shown.main.all("table")) == len(rows)


def test_index_lists_pages_and_headings(pages):
    links = [(link.text, link.get("href")) for link in pages["/docs"].main.all("a")]
    for page in SOURCES:
        [(_, title), *rest] = headings(page)
        assert (title, f"/docs/{page}") in links
        assert [text for text, href in links if href.startswith(f"/docs/{page}#")] == [text for _, text in rest]


def test_links_and_anchors_resolve(visitor, pages):
    known, broken = dict(pages), []
    for path, page in pages.items():
        for href in page.links:
            to = urlsplit(urljoin(path, href))
            if to.scheme:
                continue
            if to.path not in known:
                known[to.path] = visitor.get(to.path)
            target = known[to.path]
            if target.status_code != 200 or to.fragment and to.fragment not in ids(target):
                broken.append((path, href, target.status_code))
    assert not broken
    assert {"/tools", "/openapi.json", "/llms.txt"} <= known.keys()


def test_each_error_has_an_anchor(pages):
    codes = CODE.findall(source("errors"))
    assert len(codes) > 80 and set(codes) <= ids(pages["/docs/errors"])


def test_only_links_lead_elsewhere(pages):
    """Nothing is loaded from another origin, and pages need no script: kit/portal/page.py checks
    each."""
    for page in pages.values():
        for element in page.main.walk():
            assert element.tag not in ("img", "script", "link"), element
        assert all(button.has("hidden") for button in page.main.all("button"))


@pytest.mark.parametrize("path, status", [("/docs/nothing", 404), ("/docs/index", 404), ("/docs/README.md", 404),
                                          ("/docs/api/errors", 404)])
def test_no_such_page(visitor, path, status):
    page = visitor.get(path)
    assert page.status_code == status and "This page does not exist" in page.text


@pytest.mark.parametrize("path", ["/docs/", "/docs/errors/"])
def test_a_slash_too_many(visitor, path):
    answer = visitor.get(path, follow=False)
    assert (answer.status_code, answer.headers["Location"]) == (303, path.rstrip("/"))


def test_methods(visitor):
    page = visitor.post("/docs/errors", {})
    assert (page.status_code, page.headers["Allow"]) == (405, "GET, HEAD")
