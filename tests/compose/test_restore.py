"""tests/compose/test_restore.py - the database is lost under traffic, and deploy/docker/restore
brings it back: with all that was charged up to half a minute before, at a point in time, from a
damaged repository, and on a new machine. The tests run in order, on their own stack."""

import os
import time

import pytest
from containers import ComposeSite, Containers
from kit.load import Books
from part import wait_for
from recovery import (MEASURED_S, POSTGRES, RESTORE, RPO_S, RTO_S, SETTINGS, check_rejected, lose_the_database,
                      make_repository, measured, pay, start, status, wait_until_archived, wait_until_backed_up)

REPORTED_S = 120  # a report is due each minute


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return make_repository(tmp_path_factory)


@pytest.fixture(scope="module")
def stack(engine, repository):
    with Containers("tollgate-restore", EDGE_SUBNET="10.213.5.0/24", BUS_PREFIX="10.213.133",
                    MONITORING_SUBNET="10.213.69.0/24", BACKUPS=str(repository), **SETTINGS) as stack:
        stack.compose("build")  # all, because a restore starts all: now, and not in the time that is measured
        start(stack)
        yield stack


def test_the_first_backup(stack):
    """Without a command: the service makes a full backup when the stack starts, as soon as the
    database is migrated."""
    wait_until_backed_up(stack)
    assert "no report was written" not in stack.compose("logs", "backup")
    assert status(stack)["backups"] == 1
    for name in ("backup_report", "backup", "backup_full", "wal_archived"):
        wait_for(lambda: time.time() - measured(stack, f"tollgate_{name}_timestamp_seconds") < 600, MEASURED_S, name)
    assert measured(stack, "tollgate_backup_bytes") > 1_000_000


def test_the_disk_is_lost_under_traffic(stack, site, books):
    """Each charge that is older than half a minute is back, and no other one."""
    rpo_s, rto_s = lose_the_database(stack, site, books)
    assert rpo_s <= RPO_S and rto_s <= RTO_S
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def test_a_point_in_time(stack, site, books):
    """The time has fractions of a second, in which a call may have been paid."""
    account = site.open_account(100)
    time.sleep(1 - time.time() % 1)
    pay(site, account)
    [[wanted]] = books.rows("select clock_timestamp()::text")
    pay(site, account)
    wait_until_archived(books)
    stack.run_script(RESTORE, "--yes", "--to", wanted)
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    assert books.charged(account) == 1
    pay(site, account)
    assert books.charged(account) == 2
    assert stack.tollctl("verify", "--json")["ok"]
    wait_for(lambda: status(stack)["backups"] == 3, REPORTED_S, "a report: each restore has made one, and deleted none")


@pytest.mark.parametrize("wanted", ["2001-01-01 00:00:00+00", "2101-01-01 00:00:00+00"])
def test_a_time_without_a_backup(stack, wanted):
    assert "backup: " in check_rejected(stack, "--to", wanted)


@pytest.mark.parametrize("damage", ["cut", "removed"])
def test_a_damaged_repository(stack, site, books, repository, damage):
    """PostgreSQL takes a segment of the log that is missing or damaged for the end of the log. That
    is found before anything is removed."""
    account = site.open_account(100)
    newest_backup = sorted(repository.glob("backup/tollgate/2*"))[-1].stat().st_mtime
    for _ in range(3):
        wait_until_archived(books)
    segments = sorted(repository.glob("archive/tollgate/*/*/*.zst"), key=lambda file: file.name)
    damaged = [file for file in segments if file.stat().st_mtime > newest_backup][-2]
    kept = damaged.read_bytes()
    if damage == "cut":
        damaged.write_bytes(kept[:100])
    else:
        damaged.unlink()
    try:
        assert "is missing or damaged" in check_rejected(stack)
    finally:
        damaged.write_bytes(kept)
        os.chown(damaged, POSTGRES, POSTGRES)
    pay(site, account)


def test_a_new_machine(stack, site, books):
    """Only the repository and the portals' files are left."""
    account = site.open_account(100)
    pay(site, account)
    portal = stack.pipe("run", "--rm", "-T", "init", "export", "portal")
    wait_until_archived(books)
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
