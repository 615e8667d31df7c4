"""tests/compose/major/test_major.py - the database moves from PostgreSQL 15 to 17 under traffic,
and back, with the commands of docs/operate/database.md. The tests run in order, on their own
stack."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import images
import pytest
from containers import ROOT, Containers, busy, first
from part import command, wait_for
from recovery import SERVICES, SETTINGS, pay, start, status, wait_until_backed_up

PAGE = (ROOT / "docs/operate/database.md").read_text()
UPGRADE = "deploy/docker/upgrade-database"
BUILT = ["edge", "gateway", "portal", "svc-utils", "db", "init", "migrate", "tollctl"]
QUESTION = "[y/N] "
RUN_S = 400  # of an upgrade, on a busy machine
# PostgreSQL 17 does not have this column.
OLD_VIEW = "create view old_view as select buffers_backend from pg_stat_bgwriter"


@pytest.fixture(scope="module")
def stack(engine):
    images.make_next_postgres()
    with Containers("tollgate-major", IMAGE="tollgate-major", EDGE_SUBNET="10.213.8.0/24", BUS_PREFIX="10.213.136",
                    MONITORING_SUBNET="10.213.72.0/24", **SETTINGS) as stack:
        use_image(stack, stack.variables.pop("POSTGRES_IMAGE"))
        stack.compose("build", *BUILT)
        start(stack)
        wait_until_backed_up(stack)
        yield stack


@pytest.fixture(scope="module")
def end(stack):
    """What a test found out, for the next one: the time at which the old database ended."""
    return {}


def use_image(stack, image):
    """The operator's settings of the version are in .env."""
    with open(stack.directory / ".env", "a", encoding="utf-8") as settings:
        settings.write(f"POSTGRES_IMAGE={image}\n")


def blocks(heading):
    """The commands of each block in a section of the page, with the tests' images."""
    section = re.split(r"^##", PAGE.split(f"# {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"^```console\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    names = {"postgres:15-bookworm": images.POSTGRES, "postgres:17-bookworm": images.NEXT_POSTGRES,
             "docker compose": "docker-compose"}
    for old, new in names.items():
        found = [block.replace(old, new) for block in found]
    return [[line.removeprefix("$ ") for line in block.splitlines()] for block in found]


[[*TO_NEW, LAST]] = blocks("A new major version of PostgreSQL")
UNCHANGED, BACK, RESTORED = blocks("Go back")


def run(stack, *lines):
    for line in lines:
        said = stack.run_script("bash", "-euc", line)
    return said


class Upgrade:
    """The page's last command in the background, until it asks."""

    def __init__(self, stack):
        assert LAST == UPGRADE
        self._process = subprocess.Popen([UPGRADE], cwd=stack.directory, env=os.environ | stack.variables, text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         start_new_session=True)
        self.said = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_for(lambda: QUESTION in self.said or self._process.poll() is not None, RUN_S, "it asks")
        assert QUESTION in self.said, self.said

    def _read(self):
        while letter := self._process.stdout.read(1):
            self.said += letter

    def answer(self):
        self._process.stdin.write("yes\n")
        self._process.stdin.flush()

    def signal(self, number):
        """To the shell and what it runs, as from a terminal."""
        os.killpg(self._process.pid, number)

    def wait(self):
        code = self._process.wait(RUN_S)
        self._reader.join()
        return code


def started(stack, *services):
    return {container: stack.inspect(container)["State"]["StartedAt"] for service in services for container in stack.ids(service)}


def in_database(stack, statement):
    code, text = stack.execute(first(stack, "db"), "psql", "-X", "-q", "-A", "-t", "-d", "tollgate", "-c", statement)
    assert code == 0, text
    return text.strip()


def version(books):
    return int(books.rows("show server_version_num")[0][0]) // 10000


def volume(stack):
    """The folder of an interrupted upgrade."""
    return Path(command("docker", "volume", "inspect", "--format", "{{.Mountpoint}}", f"{stack.project}_database").strip()) / "upgrade"


def wait_until_replaced(stack):
    wait_for((volume(stack) / "moved").exists, RUN_S, "the files are replaced")


def check_calls(books, accounts, crowd):
    """All responses are 200, or 503 and free."""
    assert not crowd.faults, crowd.faults
    assert set(crowd.statuses()) <= {200, 503, 0}, crowd.statuses()
    books.check(accounts, crowd.calls)


def test_a_rehearsal_that_fails(stack, site, books):
    """The database has what the new version does not accept: nothing is stopped."""
    in_database(stack, OLD_VIEW)
    run(stack, *TO_NEW)
    before = started(stack, *SERVICES)
    said = stack.said(UPGRADE, "--yes", status=1)
    assert said[-1] == "upgrade-database: nothing was changed" and any("buffers_backend" in line for line in said), said
    assert started(stack, *SERVICES) == before and not volume(stack).exists()
    in_database(stack, "drop view old_view")
    pay(site, site.open_account(100))


def test_a_load_that_fails(stack, site, books):
    """After the question: calls continue with the old version."""
    accounts, crowd = busy(site, books, clients=2)
    containers = {service: stack.ids(service) for service in SERVICES}
    with crowd:
        upgrade = Upgrade(stack)
        in_database(stack, OLD_VIEW)
        upgrade.answer()
        assert upgrade.wait() != 0
        assert "upgrade-database: the old database continues, and nothing was changed" in upgrade.said, upgrade.said
        crowd.wait_for_answers(50)
    in_database(stack, "drop view old_view")
    assert {service: stack.ids(service) for service in SERVICES} == containers and version(books) == 15
    assert not volume(stack).exists()
    check_calls(books, accounts, crowd)


def test_going_back_at_once(stack, site, books):
    """It is interrupted when the new version starts: the old files are complete."""
    accounts, crowd = busy(site, books, clients=2)
    with crowd:
        upgrade = Upgrade(stack)
        upgrade.answer()
        wait_until_replaced(stack)
        upgrade.signal(signal.SIGINT)
        assert upgrade.wait() != 0
        assert BACK[-1] in upgrade.said, upgrade.said  # it prints what to do
        run(stack, *BACK)
        crowd.wait_for_answers(50)
    assert version(books) == 15 and not volume(stack).exists()
    check_calls(books, accounts, crowd)


def test_the_upgrade(stack, site, books, end):
    """Each charge is there once, and backups continue."""
    accounts, crowd = busy(site, books, clients=4)
    run(stack, *TO_NEW)
    with crowd:
        crowd.wait_for_answers(200)
        upgrade = Upgrade(stack)
        upgrade.answer()
        assert upgrade.wait() == 0, upgrade.said
        crowd.wait_for_answers(200)
    print(upgrade.said)
    end["at"] = re.search(r"restore --to '(.*)'", upgrade.said)[1]
    assert version(books) == 17 and not volume(stack).exists()
    check_calls(books, accounts, crowd)
    assert stack.tollctl("verify", "--whole", "--json")["ok"]
    assert status(stack)["ok"] and status(stack)["backups"] == 1
    end["accounts"], end["charged"] = accounts, [books.charged(account) for account in accounts]


def test_an_upgraded_database(stack, books):
    """Roles have their settings, rights and passwords, and PostgreSQL its statistics."""
    assert in_database(stack, "select rolconfig from pg_roles where rolname = 'tollgate_portal'").count("=") == 4
    assert in_database(stack, "select has_database_privilege('public', 'tollgate', 'connect')") == "f"
    assert int(in_database(stack, "select count(*) from pg_stats where tablename = 'ledger_entry'")) > 0
    said = stack.run_script(UPGRADE, "--yes")
    assert "upgrade-database: PostgreSQL 17 runs" in said and version(books) == 17


def test_a_restore_of_the_new_version(stack, site, books):
    account = site.open_account(100)
    pay(site, account)
    wait_until_backed_up(stack)
    in_database(stack, "select pg_switch_wal()")
    stack.run_script("deploy/docker/restore", "--yes", "--no-start")
    stack.up("--no-deps", *SERVICES)
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    assert books.charged(account) == 1 and version(books) == 17


def test_going_back_later(stack, site, books, end):
    """By a restore of the old version's last moment: the new version's calls are lost."""
    *lines, restore = RESTORED
    run(stack, *lines, restore.replace("TIME", f"'{end['at']}'") + " --yes --no-start")
    stack.up("--no-deps", *SERVICES)
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    assert version(books) == 15
    kept = [books.charged(account) for account in end["accounts"]]
    assert all(0 < now < then for now, then in zip(kept, end["charged"])), (kept, end["charged"])
    assert stack.tollctl("verify", "--whole", "--json")["ok"]
    wait_until_backed_up(stack)
    pay(site, site.open_account(100))


def test_an_upgrade_that_is_killed(stack, site, books):
    """Again, from the restored database. The second run continues where the first was killed."""
    accounts, crowd = busy(site, books, clients=2)
    run(stack, *TO_NEW)
    with crowd:
        upgrade = Upgrade(stack)
        upgrade.answer()
        wait_until_replaced(stack)
        upgrade.signal(signal.SIGKILL)
        upgrade.wait()
        assert "continuing" in stack.run_script(UPGRADE, "--yes")
        crowd.wait_for_answers(50)
    assert version(books) == 17 and not volume(stack).exists()
    check_calls(books, accounts, crowd)
    assert status(stack)["ok"]
