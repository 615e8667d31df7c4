"""tests/compose/pages/test_pages.py - the commands of docs/operate and docs/runbooks as they are
written.

Each command is run by this file or by a test that page_commands.py names, or that file says why no
test can. Runs after test_operations.py, on its stack.
"""

import contextlib
import os
import pty
import re
import subprocess
import threading
import urllib.parse
from pathlib import Path

import page_commands
import pytest
from containers import CALLS, Prometheus, first
from kit.client import Client
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from kit.site import PASSWORD
from part import wait_for
from test_operations import import_providers

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
HERE = page_commands.run_here(DOCS)
SOURCES = ("common", "gateway", "portal", "svc-*", ":(exclude)*/tests/*")
APPLY = "deploy/docker/apply"
TOOL, GROUP = "ai-chat", "ai"  # for <tool> and <group>: its calls fail, because no model server runs
DATABASE_AWAY_CALLS = 5
MAIL_TRIED_S = 120
SILENT = "docker compose run --rm init"  # if there is nothing to do

# These need not find anything on this stack. What they search must be in the sources.
NEED_NOT_FIND = {
    'grep "an oauth request failed"', 'grep "balance is not compared"', 'grep "app replayed"', "grep numbered",
    "grep '\"key_group\"'", "grep 'the daily budget of a model provider is spent'", "grep '\"level\":\"warn\"' | grep '\"order_id\"'",
    "portal | grep '\"level\":\"error\"'", "gateway | grep '\"level\":\"error\"'", "grep '\"level\":\"error\"' | grep '\"tool\"'", "grep -E '\"msg\":\"(outcome|not settled)'",
}


def test_each_command_has_a_test():
    """page_commands.py has no command and no test that does not exist."""
    told = [command for page, text in page_commands.pages(DOCS).items() if page not in page_commands.PAGES_OF
            for command in page_commands.commands(text)]
    assert len(told) > 200
    for beginnings in [*page_commands.COMMANDS_OF.values(), page_commands.NOBODY]:
        assert [each for each in beginnings if not any(command.startswith(each) for command in told)] == []
    assert set(page_commands.PAGES_OF) <= set(page_commands.pages(DOCS))
    tests = [*page_commands.COMMANDS_OF, *(test for tests in page_commands.PAGES_OF.values() for test in tests)]
    assert [test for test in tests if not (ROOT / test).is_file()] == []


class Operator:
    """Types the commands of pages in the stack's checkout, at a terminal."""

    def __init__(self, stack, **values):
        self._stack, self.values = stack, values
        self._written = {"docker compose ": "docker-compose ", "localhost:8443": f"localhost:{stack.tls_port}",
                         "tollgate_bus": f"{stack.project}_bus", "tollgate_edge": f"{stack.project}_edge"}

    def words(self, command):
        """The command for this machine, with values for the texts in <...>."""
        for written, here in self._written.items():
            command = command.replace(written, here)
        return re.sub(r"<([a-zA-Z-]+)>", lambda found: self.values[found[1]], command)

    def run(self, command, **variables):
        """(exit status, output, errors). Answers a question with yes."""
        ours, theirs = pty.openpty()
        try:
            os.write(ours, b"y\n")
            done = subprocess.run(["bash", "-o", "pipefail", "-c", self.words(command)], cwd=self._stack.directory,
                                  env=os.environ | self._stack.variables | variables, stdin=theirs, capture_output=True, text=True,
                                  timeout=300)
        finally:
            os.close(ours)
            os.close(theirs)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def operator(stack, site):
    """On a stack that had troubles: its database was away, a worker died, and a call of a tool
    failed. Its containers have other numbers, as after an upgrade. Prometheus runs, and the files
    of the pages exist."""
    import_providers(stack)
    stack.up("--no-deps", "prometheus")
    stack.up("--no-deps", f"svc-{GROUP}")
    stack.wait_healthy(f"svc-{GROUP}")
    stack.run_script("deploy/docker/roll", f"svc-{GROUP}", "gateway", "portal")
    stack.crash(first(stack, f"svc-{GROUP}"))
    stack.wait_healthy(f"svc-{GROUP}")
    member = Member(site)
    fails(site, site.open_account(), TOOL, {"prompt": "Hello"})
    lose_database(stack, site, member)
    for name, text in {"password": f"{PASSWORD}\n", "mail.password": "secret\n", "plans.yaml": plans()}.items():
        (stack.directory / name).write_text(text)
    with contextlib.closing(site.connect()) as idle:
        yield Operator(stack, account=site.open_account().id, email=member.email, service="svc-utils", group=GROUP, tool=TOOL,
                       pid=str(idle.info.backend_pid))
    stack.compose("rm", "--force", "--stop", "prometheus")
    stack.scale(**{f"svc_{GROUP}": 1})


def fails(site, account, tool, request):
    answer = Client(site).call(account, tool, request)
    assert answer.status_code >= 500, answer


def lose_database(stack, site, member):
    """For calls of the API and a page of the portal."""
    account, visitor = site.open_account(), member.sign_in()
    stop = threading.Thread(target=stack.compose, args=("stop", "db"))
    stop.start()  # as long as the edge's checks pass, the portal itself responds
    wait_for(lambda: visitor.get("/portal").status_code >= 500, 60, "pages fail")
    stop.join()
    for _ in range(DATABASE_AWAY_CALLS):
        fails(site, account, *CALLS["svc-utils"][:2])
    stack.compose("start", "db")
    stack.wait_healthy("db", "gateway", "portal")
    wait_for(lambda: visitor.get("/portal").status_code == 200, 60, "pages are shown again")


def plans():
    """The example of docs/operate/plans.md."""
    return re.search(r"^```yaml\n(plans:\n.*?)^```$", (DOCS / "operate/plans.md").read_text(), re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize("page", HERE)
def test_the_commands_of_a_page(operator, page):
    """Each succeeds and prints something, except for those that need not find anything here."""
    for command in HERE[page]:
        status, output, errors = operator.run(command, COMPOSE_PROFILES="observability")
        if any(command.endswith(each) for each in NEED_NOT_FIND):
            assert (status, bool(output)) in ((0, True), (1, False)), (command, output, errors)
        else:
            assert status == 0, (command, output, errors)
            assert output or command == SILENT or command.startswith("docker compose up "), (command, errors)


@pytest.mark.parametrize("query", page_commands.queries(DOCS))
def test_a_query_of_a_runbook(stack, operator, query):
    """Prometheus understands it, and its metrics are documented."""
    answer = Prometheus(stack).ask("query?" + urllib.parse.urlencode({"query": operator.words(query)}))
    assert answer is not None and answer["resultType"] in ("vector", "scalar")
    metrics = (DOCS / "operate/monitoring.md").read_text()
    for name in re.findall(r"tollgate_[a-z_]+", query):
        assert f"`{re.sub('_(bucket|sum|count)$', '', name)}`" in metrics, name


@pytest.mark.parametrize("search", NEED_NOT_FIND)
def test_what_is_not_found_could_be(search):
    found = re.findall(r"""grep (?:-E )?(?:'([^']*)'|"([^"]*)"|(\w+))""", search)
    assert len(found) == search.count("grep ")
    for words in found:
        text = re.sub(r'^"((level|msg)":")?|"$', "", "".join(words))
        assert subprocess.run(["git", "grep", "-q", "-E", "-e", text, "--", *SOURCES], cwd=ROOT).returncode == 0, text


def test_a_mail_relay(stack, operator, site):
    """The steps of docs/operate/mail.md. The relay has no address here, so a mail waits. Runs last,
    because new containers have no logs of the troubles."""
    steps = [command for command in page_commands.commands((DOCS / "operate/mail.md").read_text())
             if page_commands.begins(command, page_commands.COMMANDS_OF["tests/compose/pages/test_pages.py"]) or command == APPLY]
    assert len(steps) == 3

    def waits():
        mails = stack.tollctl("mail", "list", "--state", "waits", "--json")["mails"]
        return any(mail["recipient"] == operator.values["email"] and mail["error"] for mail in mails)

    try:
        for command in steps:
            status, output, errors = operator.run(command)
            assert status == 0, (command, output, errors)
        visitor = Visitor(site)
        visitor.submit(visitor.get("/portal/forgot").form("/portal/forgot"), email=operator.values["email"])
        wait_for(waits, MAIL_TRIED_S, "the mail waits after an attempt")
    finally:
        (stack.directory / ".env").unlink(missing_ok=True)
        stack.run_script(APPLY, "--yes")
