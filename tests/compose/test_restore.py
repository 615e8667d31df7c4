"""tests/compose/test_restore.py - the database is lost under traffic, and deploy/docker/restore
brings it back: with all that was charged up to half a minute before, at a point in time, from a
damaged repository, and on a new machine. The tests run in order, on their own stack."""

import json
import os
import subprocess
import time

import pytest
from containers import CALLS, PORTAL_ADMIN_PORT, ComposeSite, Containers, busy, first
from kit.client import Client
from kit.load import Books
from part import command, wait_for

RESTORE = "deploy/docker/restore"
SERVICES = ["edge", "gateway", "portal", "svc-utils", "backup"]
OTHERS = ("AI", "CHAT", "EMAIL", "REPORTS", "SECURITY")
POSTGRES = 999        # the user, in any image of PostgreSQL
FIRST_BACKUP_S = 180
ARCHIVED_S = 60       # archive_timeout, the segment's way into the repository, and a busy machine
RPO_S = 60            # the bounds of docs/operate/backup-and-restore.md
RTO_S = 180
MEASURED_S = 30        # portals read the database for their metrics every 10 s
BEFORE_S = 45         # of traffic, so that some of it is older than what may be lost


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A directory of the host, as of another disk: `down --volumes` does not delete it."""
    folder = tmp_path_factory.mktemp("repository")
    os.chown(folder, POSTGRES, POSTGRES)
    for parent in [folder, *folder.parents][:3]:
        parent.chmod(0o711)
    return folder


@pytest.fixture(scope="module")
def stack(engine, repository):
    stack = Containers("tollgate-restore", EDGE_SUBNET="10.213.5.0/24", BUS_PREFIX="10.213.133",
                       MONITORING_SUBNET="10.213.69.0/24", BACKUPS=str(repository),
                       UNLIMITED_ADDRESSES="0.0.0.0/0", EDGE_MAX_REQUESTS_PER_IP="1000", EDGE_REQUEST_RATE_PER_IP="100000",
                       **{f"SVC_{name}": "0" for name in OTHERS})
    try:
        stack.clear()
        stack.compose("build")  # all, because a restore starts all: now, and not in the time that is measured
        stack.up(*SERVICES)
        stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
        yield stack
    finally:
        stack.remove()


@pytest.fixture(scope="module")
def site(stack):
    return ComposeSite(stack)


@pytest.fixture(scope="module")
def books(stack, site):
    return Books(stack, site)


def status(stack):
    """`tollctl backup status`; {} until the backup service has reported."""
    done = subprocess.run(["docker-compose", "run", "--rm", "-T", "tollctl", "backup", "status", "--json"],
                          cwd=stack.directory, capture_output=True, env=os.environ | stack.variables)
    return json.loads(done.stdout) if done.stdout else {}


def wait_until_archived(stack, books):
    """Until the repository has all that was committed before."""
    begun = books.rows("select clock_timestamp()")[0][0]
    wait_for(lambda: books.rows("select last_archived_time > %s from pg_stat_archiver", begun)[0][0], ARCHIVED_S,
             "a segment was archived")


def pay(site, account):
    assert Client(site).call(account, *CALLS["svc-utils"][:2]).status_code == 200


def test_the_first_backup(stack):
    """Without a command: the service makes a full backup when the stack starts."""
    wait_for(lambda: status(stack).get("ok"), FIRST_BACKUP_S, "tollctl backup status says ok")
    assert status(stack)["backups"] == 1
    for name in ("backup_report", "backup", "backup_full", "wal_archived"):
        wait_for(lambda: time.time() - measured(stack, f"tollgate_{name}_timestamp_seconds") < 600, MEASURED_S, name)
    assert measured(stack, "tollgate_backup_bytes") > 1_000_000


def measured(stack, name):
    return stack.metrics(first(stack, "portal"), PORTAL_ADMIN_PORT)[name]


def test_the_disk_is_lost_under_traffic(stack, site, books):
    """Each charge that is older than half a minute is back, and no other one."""
    accounts, crowd = busy(site, books, clients=4)
    with crowd:
        crowd.wait_for_answers(100)
        time.sleep(BEFORE_S)
        command("docker", "rm", "--force", *stack.ids("db"), *stack.ids("backup"))
        lost_at, lost = time.monotonic(), time.time()
        command("docker", "volume", "rm", f"{stack.project}_database")
        stack.run_script(RESTORE, "--yes")
        crowd.wait_for_answers(100)
        rto_s = time.monotonic() - lost_at
    assert not crowd.faults, crowd.faults
    entries = set().union(*map(books.entries, accounts))
    told = {call.reference for call in crowd.calls if call.status == 200}
    unknown = {call.reference for call in crowd.calls if "outcome_unknown" in call.codes}
    missing = [call for call in crowd.calls if call.status == 200 and call.reference not in entries]
    rpo_s = max((lost_at - call.begun - call.seconds for call in missing), default=0)
    assert len(entries - told - unknown) <= sum(call.status == 0 for call in crowd.calls)
    assert all(call.begun < lost_at for call in missing), "a call after the restore is not charged"
    print(f"lost {len(missing)} of {len(told)} charged calls: those of the last {rpo_s:.1f} s; answers again after"
          f" {rto_s:.1f} s")
    assert rpo_s <= RPO_S and rto_s <= RTO_S
    assert books.rows("select count(*) from ledger_entry where at > to_timestamp(%s)", lost)[0][0] > 0
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def test_a_point_in_time(stack, site, books):
    """The time has fractions of a second, in which a call may have been paid."""
    account = site.open_account(100)
    time.sleep(1 - time.time() % 1)
    pay(site, account)
    [[wanted]] = books.rows("select clock_timestamp()::text")
    pay(site, account)
    wait_until_archived(stack, books)
    stack.run_script(RESTORE, "--yes", "--to", wanted)
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    assert books.charged(account) == 1
    pay(site, account)
    assert books.charged(account) == 2
    assert stack.tollctl("verify", "--json")["ok"]


@pytest.mark.parametrize("wanted", ["2001-01-01 00:00:00+00", "2101-01-01 00:00:00+00"])
def test_a_time_without_a_backup(stack, wanted):
    check_rejected(stack, "--to", wanted)


def check_rejected(stack, *arguments):
    """Nothing was stopped or changed."""
    before = {service: stack.ids(service) for service in SERVICES}
    begun = [stack.inspect(first(stack, service))["State"]["StartedAt"] for service in SERVICES]
    said = stack.said(RESTORE, "--yes", *arguments, status=1)
    assert "restore: nothing was changed" in said, said
    assert before == {service: stack.ids(service) for service in SERVICES}
    assert begun == [stack.inspect(first(stack, service))["State"]["StartedAt"] for service in SERVICES]


def test_a_damaged_repository(stack, site, repository):
    """A missing segment of the log is found before anything is removed."""
    account = site.open_account(100)
    segments = sorted(repository.glob("archive/tollgate/*/*/*.zst"), key=lambda file: file.name)
    newest_backup = sorted(repository.glob("backup/tollgate/2*"))[-1]
    damaged = [file for file in segments if file.stat().st_mtime > newest_backup.stat().st_mtime - 1][0]
    kept = damaged.read_bytes()
    damaged.write_bytes(kept[:100])
    try:
        check_rejected(stack)
    finally:
        damaged.write_bytes(kept)
    pay(site, account)


def test_a_new_machine(stack, site, books):
    """Only the repository and the portals' files are left."""
    account = site.open_account(100)
    pay(site, account)
    portal = stack.pipe("run", "--rm", "-T", "init", "export", "portal")
    wait_until_archived(stack, books)
    stack.clear()
    stack.compose("run", "--rm", "init")
    stack.pipe("run", "--rm", "-T", "init", "import", "portal", given=portal)
    said = stack.run_script(RESTORE, "--yes")
    assert all(f"{file}, of 20" in said for file in ("portal/portal.secret", "edge/edge.pem", "postgres/pgbackrest.conf"))
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    restored = ComposeSite(stack)
    assert Books(stack, restored).charged(account) == 1
    pay(restored, account)
    assert stack.tollctl("verify", "--json")["ok"]
