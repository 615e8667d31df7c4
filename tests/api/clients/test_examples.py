"""examples/: each does the same five things while responses fail: one call that gets 429 and
waits, one whose response is lost, a rejection shown with its code, and the balance; each is paid
for once."""

import json
import subprocess

import pytest

from kit.check import ROOT
from kit.contracts import CONTRACTS

HASH = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


def compiled(tmp_path):
    program = tmp_path / "tollgate"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "examples" / "tollgate.c", "-lcurl",
                    "-lcjson"], check=True)
    return program


@pytest.mark.parametrize("name", ["curl.sh", "tollgate.c"])
def test_example(edge, demo, account, ledger, tmp_path, name):
    edge.faults = [(429, 1), "lose"]
    program = compiled(tmp_path) if name.endswith(".c") else ROOT / "examples" / name
    done = subprocess.run([program, demo], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") or name == "curl.sh" and done.returncode == 0, done
    lines = done.stdout.splitlines()
    assert lines[0] == f"hash: {HASH}", done
    assert lines[1].startswith("error: missing_field: "), done
    assert lines[2:] == ["credits: 99"], done
    assert ledger.charged(account) == 1
    assert len(edge.keys) == 4 and len(set(edge.keys[:3])) == 1 and edge.keys[3] != edge.keys[0], edge.keys


def test_examples_are_short():
    assert {file.name for file in (ROOT / "examples").iterdir() if len(file.read_text().splitlines()) > 90} == set()


@pytest.mark.parametrize("name", ["claude-code", "cursor", "vscode"])
def test_configurations(name):
    """JSON, with a URL that shows few tools; no file contains the token."""
    config = json.loads((ROOT / "examples" / f"{name}.mcp.json").read_text())
    server = (config.get("mcpServers") or config["servers"])["tollgate"]
    base, _, query = server["url"].partition("?")
    assert base == "https://localhost:8443/v1/client/ACCOUNT/mcp"
    groups = {contract["group"] for contract in CONTRACTS.values()}
    assert query.startswith("groups=") and set(query.removeprefix("groups=").split(",")) <= groups
    assert server["headers"]["Authorization"].startswith("Bearer ${")
