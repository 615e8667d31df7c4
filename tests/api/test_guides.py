"""The blocks of README.md, docs/quickstart.md, docs/api, docs/clients and the clients' README.md
run, each page as one reader with a new account and the packages of clients/.

- `sh`, `python` and `js` blocks run in order, in one directory, and must succeed. The lines that
  export VARIABLES are left out, because the test sets these variables.
- A `json` or `text` block directly after one is its output. In text, `…` matches any characters. In
  JSON, a date matches any date, a time any time; `…` and the value of `name` match any value.
- `console` blocks have commands of operators. tests/compose/test_compose.py runs those of the
  quickstart.
"""

import json
import os
import re
import subprocess

import pytest

from kit.check import ROOT

PAGES = [ROOT / "README.md", ROOT / "docs" / "quickstart.md", *sorted((ROOT / "docs" / "api").glob("*.md")),
         *sorted((ROOT / "docs" / "clients").glob("*.md")), *sorted((ROOT / "clients").glob("*/README.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMES = [re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")]
VARIABLES = ("TOLLGATE", "ACCOUNT", "TOKEN", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
EXPORT = re.compile(rf"^export (?:{'|'.join(VARIABLES)})=.*\n", re.MULTILINE)
PIECE = "-->"  # <!-- examples/… -->: a piece of a file that test_examples.py runs
PROGRAMS = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": ["/usr/bin/python3", "-c"],
            "js": ["node", "--input-type=module", "-e"]}
PACKAGES = ROOT / "clients"
CLI = "#!/usr/bin/python3\nfrom tollgate.cli import main\nmain()\n"


def blocks(text):
    """(language, code, language and text of the output shown after it, or None twice) of each block
    that runs."""
    found = list(BLOCK.finditer(text))
    for block, after in zip(found, [*found[1:], None]):
        if block[1] in PROGRAMS and not text[:block.start()].endswith(f"{PIECE}\n"):
            is_output = after and after[1] in ("json", "text") and not text[block.end():after.start()].strip()
            yield block[1], EXPORT.sub("", block[2]), *((after[1], after[2]) if is_output else (None, None))


def is_like(shown, real, name=""):
    if shown == "…" or name == "name":
        return True
    for time in TIMES:
        if isinstance(shown, str) and time.fullmatch(shown):
            return isinstance(real, str) and time.fullmatch(real) is not None
    if isinstance(shown, dict):
        return isinstance(real, dict) and shown.keys() == real.keys() and all(
            is_like(value, real[key], key) for key, value in shown.items())
    return type(shown) is type(real) and shown == real


def check_output(language, shown, output):
    if language == "json":
        assert is_like(json.loads(shown), json.loads(output)), output
    else:
        pattern = ".*".join(map(re.escape, shown.split("…")))
        assert re.fullmatch(pattern, output.replace("\r", "")), output


def install_clients(folder):
    """Where a reader has them who followed the pages; returns the environment."""
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "tollgate-client").symlink_to(PACKAGES / "typescript")
    (folder / "bin").mkdir()
    (folder / "bin" / "tollgate-cli").write_text(CLI)
    (folder / "bin" / "tollgate-cli").chmod(0o755)
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder),
            "PYTHONPATH": str(PACKAGES / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT).with_suffix("")))
def test_blocks(site, account, tmp_path, page):
    # curl has its own address, so that it does not share the limit of 127.0.0.1 with other tests.
    (tmp_path / ".curlrc").write_text(f'interface = "{site.fresh_address()}"\n')
    variables = dict(zip(VARIABLES, (site.base_url, account.id, account.token, *3 * [site.ca_file])))
    variables |= install_clients(tmp_path) | {
        "CURL_HOME": str(tmp_path), "MANAGEMENT": site.make_management(account, "tokens:read", "tokens:write").token}
    for language, code, shown_in, shown in blocks(page.read_text()):
        done = subprocess.run([*PROGRAMS[language], code], cwd=tmp_path, env=variables, capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, (code, done)
        assert '"success":false' not in done.stdout or '"success": false' in (shown or ""), (code, done)
        if shown:
            check_output(shown_in, shown, done.stdout)


def test_what_is_found():
    text = ("<!-- examples/a -->\n```sh\nb\n```\n```sh\nexport ACCOUNT=…\ntrue\n```\n\n```json\n{}\n```\n"
            "```python\n1\n```\nText.\n```text\nx\n```\n```console\n$ x\n```\n")
    assert list(blocks(text)) == [("sh", "true\n", "json", "{}\n"), ("python", "1\n", None, None)]


@pytest.mark.parametrize("language, shown, output, is_shown", [
    ("json", '{"a": [1]}', '{"a":[1]}', True),
    ("json", '{"a": 1}', '{"a":2}', False),
    ("json", '{"a": 1}', '{"a":true}', False),
    ("json", '{"a": 1}', '{"a":1,"b":1}', False),
    ("json", '{"a": "…"}', '{"a":[1]}', True),
    ("json", '{"at": "2026-01-31T12:00:00.000Z"}', '{"at":"2027-01-31T12:00:01.001Z"}', True),
    ("json", '{"at": "2026-01-31T12:00:00.000Z"}', '{"at":"2027-01-31"}', False),
    ("json", '{"at": "2026-01-31"}', '{"at":"2027-01-31"}', True),
    ("text", "a: 1\nb: …\n", "a: 1\r\nb: 23\r\n", True),
    ("text", "a: 1\n", "a: 2\n", False),
    ("text", "a: 1\n", "a: 1\nb: 2\n", False)])
def test_outputs(language, shown, output, is_shown):
    try:
        check_output(language, shown, output)
    except AssertionError:
        assert not is_shown
    else:
        assert is_shown
