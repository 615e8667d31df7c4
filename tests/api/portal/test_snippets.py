"""tests/api/portal/test_snippets.py - the calls on a tool's page run as they are: each language, a
POST and a GET, with the member's own account."""

import json
import os
import subprocess

import pytest

from kit.agents.host import Agent
from kit.portal.member import Member
from kit.site import Account

TOOLS = ["hash-generate", "placeholder-image", "json-to-code"]


@pytest.fixture(scope="module")
def member(site):
    return Member(site, credits=100)


@pytest.fixture(scope="module")
def visitor(member):
    return member.sign_in()


@pytest.fixture(scope="module")
def token(site, member):
    return site.tollctl("token", "create", member.account, "--name", "snippets", "--json")["token"]


@pytest.fixture
def run(site, token, tmp_path):
    (tmp_path / ".curlrc").write_text(f'silent\ncacert = "{site.ca_file}"\ninterface = "{site.fresh_address()}"\n')
    variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TOKEN": token, "SSL_CERT_FILE": str(site.ca_file),
                 "NODE_EXTRA_CA_CERTS": str(site.ca_file), "CURL_HOME": str(tmp_path)}

    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done
        return done.stdout
    return run


def snippet(visitor, tool, language):
    return visitor.get(f"/tools/{tool}").element(f"example-1{language}").raw_text()


def looks_right(tool, output):
    wanted = {"hash-generate": "ba7816bf8f01cfea", "placeholder-image": "<svg ", "json-to-code": "interface Project"}
    return wanted[tool] in output


@pytest.mark.parametrize("tool", TOOLS)
def test_curl(visitor, run, tool):
    assert looks_right(tool, run("sh", "-c", snippet(visitor, tool, "")))


@pytest.mark.parametrize("tool", TOOLS)
def test_python(visitor, run, tool):
    assert looks_right(tool, run("/usr/bin/python3", "-c", snippet(visitor, tool, "-python")))


@pytest.mark.parametrize("tool", TOOLS)
def test_typescript(visitor, run, tmp_path, tool):
    """These have no types, so that each Node.js with fetch runs them."""
    (tmp_path / "call.mjs").write_text(snippet(visitor, tool, "-typescript"))
    assert looks_right(tool, run("node", "call.mjs"))


@pytest.mark.parametrize("tool", TOOLS)
def test_c(site, visitor, run, tmp_path, tool):
    """libcurl trusts Debian's certificates: the test adds its own to the program."""
    text = snippet(visitor, tool, "-c").replace("    curl_easy_setopt(curl, CURLOPT_URL", "    curl_easy_setopt("
                                               f'curl, CURLOPT_CAINFO, "{site.ca_file}");\n    curl_easy_setopt(curl, CURLOPT_URL')
    (tmp_path / "call.c").write_text(text)
    run("cc", "-Wall", "-Wextra", "-Werror", "-o", "call", "call.c", "-lcurl")
    assert looks_right(tool, run("./call"))


def test_mcp(api, visitor, member, token):
    text = snippet(visitor, "hash-generate", "-mcp")
    server = json.loads(text)["mcpServers"]["tollgate"]
    assert server["headers"] == {"Authorization": "Bearer ${TOKEN}"}
    account = Account(member.account, token, "")
    path, query = server["url"].split("/v1/client/")[1].split("?")
    assert path == f"{member.account}/mcp"
    assert {tool["name"] for tool in Agent(api, account, query=f"?{query}").tools()} == {"hash-generate", "account-credits"}


def test_strangers_set_the_account(site):
    from kit.portal.visitor import Visitor
    page = Visitor(site).get("/tools/hash-generate")
    assert 'account = os.environ["ACCOUNT"]' in page.element("example-1-python").raw_text()
    assert "tg_live_" not in page.text
