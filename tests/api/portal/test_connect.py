"""tests/api/portal/test_connect.py - /portal/connect: the links that install the server in a host,
as strings. Each host's own page says what they must be: docs/api/agents.md has the sources."""

import base64
import json
from urllib.parse import unquote, urlsplit

import pytest

from kit.portal.member import Member

CURSOR = "cursor://anysphere.cursor-deeplink/mcp/install?name=tollgate&config="
VSCODE = "vscode:mcp/install?"


@pytest.fixture(scope="module")
def visitor(site):
    return Member(site).sign_in()


@pytest.fixture(scope="module")
def page(visitor):
    return visitor.get("/portal/connect")


def test_the_link_of_cursor(site, page):
    link = page.link("Add to Cursor")
    assert link.startswith(CURSOR)
    encoded = link.removeprefix(CURSOR)
    assert not set(encoded) & set("+/= ")  # a query would read + as a blank
    assert json.loads(base64.b64decode(unquote(encoded), validate=True)) == {"url": f"{site.base_url}/mcp"}


def test_the_link_of_vs_code(site, page):
    host = urlsplit(site.base_url).netloc.replace(":", "%3A")
    assert page.link("Add to VS Code") == (
        f"{VSCODE}%7B%22name%22%3A%22tollgate%22%2C%22type%22%3A%22http%22%2C"
        f"%22url%22%3A%22https%3A%2F%2F{host}%2Fmcp%22%7D")
    assert json.loads(unquote(page.link("Add to VS Code").removeprefix(VSCODE))) == {
        "name": "tollgate", "type": "http", "url": f"{site.base_url}/mcp"}


def test_the_command_lines(site, page):
    assert {name: page.element(name).raw_text() for name in ("server", "claude_code", "codex_cli", "mcp_remote")} == {
        "server": f"{site.base_url}/mcp",
        "claude_code": f"claude mcp add --transport http tollgate {site.base_url}/mcp",
        "codex_cli": f"codex mcp add tollgate --url {site.base_url}/mcp\ncodex mcp login tollgate",
        "mcp_remote": f"npx -y mcp-remote {site.base_url}/mcp"}


@pytest.mark.parametrize("path", ["/portal", "/portal/security", "/tools", "/"])
def test_the_pages_that_lead_there(visitor, path):
    assert "/portal/connect" in visitor.get(path).links
