"""docs/tools/ matches the contracts, and its examples match the product's responses.

Each page's command runs in a shell unchanged. `make docs` (--write-pages) writes what this test
expects. A value that differs between calls needs `examples` in the contract's result: the page
shows the first of them instead. The addresses of the tests' world become those of RFC 5737.
"""

import email
import json
import subprocess

import pytest

from kit.contracts import CONTRACTS, send, shown
from kit.page import FOLDER, command, findings, index, page

ADVICE = "is not what the contracts and the product say: look at what changed, then run `make docs`"
DOCUMENTATION_NETWORK = "192.0.2"  # RFC 5737


@pytest.fixture
def writes(request):
    return request.config.getoption("--write-pages")


def run(text, site, account, directory):
    """What the command prints, with the content type of the response."""
    head = directory / "head"
    (directory / ".curlrc").write_text(f'silent\nshow-error\nfail-with-body\nhttp1.1\ncacert = "{site.ca_file}"\n'
                                       f'interface = "{site.fresh_address()}"\ndump-header = "{head}"\n')
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, timeout=60,
                          env={"PATH": "/usr/bin:/bin", "CURL_HOME": str(directory), "TOLLGATE": site.base_url,
                               "ACCOUNT": account.id, "TOKEN": account.token})
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    fields = head.read_text().partition("\n")[2]
    return done.stdout, email.message_from_string(fields).get_content_type()


def answer_of(contract, text, content_type, site):
    """As the page shows it: the envelope, or the text of a raw response."""
    if content_type in contract.get("raw", []):
        return text
    text = text.replace(site.addresses["web"].rpartition(".")[0], DOCUMENTATION_NETWORK)
    envelope = json.loads(text)
    return envelope | {"result": shown(contract["result"], envelope["result"])}


@pytest.mark.parametrize("tool", CONTRACTS)
def test_page(site, account, tmp_path, writes, tool):
    contract = CONTRACTS[tool]
    file = FOLDER / f"{tool}.md"

    text, content_type = run(command(contract), site, account, tmp_path)
    wanted = page(contract, answer_of(contract, text, content_type, site))

    if writes:
        file.write_text(wanted)
    assert file.exists(), f"{file.name} is missing: run `make docs`"
    assert file.read_text() == wanted, f"{file.name} {ADVICE}"


def values_of(value, name):
    """The values of all members of that name."""
    if isinstance(value, dict):
        yield from (item for key, item in value.items() if key == name)
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from values_of(below, name)


@pytest.mark.parametrize("tool, column", [("email-deliverability", "code"), ("email-header-analyzer", "code"),
                                          ("email-spam-check", "rule"), ("email-validator", "code"),
                                          ("jwt-decode", "code")])
def test_tables_have_the_codes_of_responses(api, account, tool, column):
    contract = CONTRACTS[tool]
    answer = send(api, account, contract, contract["examples"][0]["request"])
    rows = "\n".join(findings(contract)).splitlines()
    listed = {row.split("`")[1] for row in rows if row.startswith("| `")}
    codes = set(values_of(answer.result, column))
    assert codes and codes <= listed


def test_tables_have_the_names_of_results():
    contract = CONTRACTS["email-deliverability"]
    check = contract["result"]["properties"]["checks"]["items"]["properties"]
    rows = "\n".join(findings(contract)).splitlines()
    checks = {row.split(" | ")[1] for row in rows if row.startswith("| `")}
    assert checks == set(check["name"]["enum"])


def test_index(api, writes):
    file = FOLDER / "README.md"
    wanted = index(CONTRACTS, api.get("/openapi.json").json()["tags"])

    if writes:
        file.write_text(wanted)
    assert file.read_text() == wanted, f"{file.name} {ADVICE}"


def test_each_page_has_its_tool():
    pages = {file.stem for file in FOLDER.glob("*.md")} - {"README"}
    assert pages == CONTRACTS.keys()
