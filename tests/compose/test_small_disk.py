"""tests/compose/test_small_disk.py - the database's disk fills up under traffic, and space is made
as docs/operate/troubleshooting.md says: failed calls are free, and no service is restarted."""

import errno
import os
import time

import pytest
from containers import ADMIN_PORT, CLIENTS, ComposeSite, Containers, busy, first
from kit.load import Books
from part import command, wait_for
from recovery import POSTGRES
from test_operations import Prometheus

SERVICES = ["edge", "gateway", "svc-utils", "prometheus"]
MIB = 2**20
SIZE = 256 * MIB
NEW_SEGMENT = "select pg_switch_wal()"  # makes PostgreSQL allocate a new log file of 16 MiB, unless a spare one exists
PAGED_S = 180  # until the alert fires: a rate over 1 minute, for 30 s
BACK_S = 120  # until PostgreSQL is back: the engine's restart delay grows up to a minute


class Disk:
    """A small disk with the database's volume and an old backup."""

    def __init__(self, folder):
        self._device = folder / "device"
        self._mounted = folder / "disk"
        self._backup = self._mounted / "old-backup.tar.gz"
        self.volume = self._mounted / "volume"

    def __enter__(self):
        self._mounted.mkdir()
        command("truncate", "--size", SIZE, self._device)
        command("mkfs.ext4", "-q", "-m", "0", self._device)
        command("mount", "-o", "loop", self._device, self._mounted)
        self.volume.mkdir(mode=0o700)
        os.chown(self.volume, POSTGRES, POSTGRES)
        return self

    def __exit__(self, *_):
        command("umount", self._mounted)

    def fill(self):
        """Use all of its space."""
        with open(self._backup, "ab", buffering=0) as backup:
            try:
                while True:
                    backup.write(bytes(MIB))
            except OSError as error:
                assert error.errno == errno.ENOSPC, error

    def remove_backups(self):
        self._backup.unlink()


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with Disk(tmp_path_factory.mktemp("disk")) as disk:
        yield disk


@pytest.fixture(scope="module")
def small(engine, disk):
    with Containers("tollgate-small", "tests/compose/small-disk.yaml", EDGE_SUBNET="10.213.3.0/24", BUS_PREFIX="10.213.131",
                    MONITORING_SUBNET="10.213.67.0/24", DATABASE_DISK=str(disk.volume),
                    ARCHIVE_SECONDS="0",  # the tests make new segments
                    UNLIMITED_ADDRESSES="0.0.0.0/0", EDGE_MAX_REQUESTS_PER_IP="1000", EDGE_REQUEST_RATE_PER_IP="100000") as stack:
        stack.compose("build", *SERVICES, "db", "init", "migrate", "tollctl")
        stack.up(*SERVICES)
        stack.wait_healthy("edge", "gateway", "svc-utils")
        yield stack


@pytest.fixture(scope="module")
def site(small):
    return ComposeSite(small)


@pytest.fixture(scope="module")
def books(small, site):
    return Books(small, site)


def starts(stack, *services):
    """{container: time of its last start}"""
    return {container: stack.inspect(container)["State"]["StartedAt"]
            for service in services for container in stack.ids(service)}


def tell_database(stack, statement):
    """Run it as superuser; PostgreSQL may be down."""
    stack.execute(first(stack, "db"), "psql", "-X", "-q", "-d", "postgres", "-c", statement)


def health(stack):
    """With the page's command."""
    return stack.run_script("sh", "-c", "docker inspect --format '{{json .State.Health.Log}}'"
                            " $(docker-compose ps -q db)")


def test_tables_find_no_room(small, site, books, disk):
    """PostgreSQL responds, calls fail and are free, and all four places show the reason. Then space
    is made."""
    prometheus, gateway = Prometheus(small), first(small, "gateway")
    begun = starts(small, "db", "gateway", "edge", "svc-utils")
    accounts, crowd = busy(site, books, clients=2)
    tell_database(small, "checkpoint")  # the next one, which may need space, is five minutes later
    tell_database(small, NEW_SEGMENT)
    with crowd:
        crowd.wait_for_answers(100)
        disk.fill()
        crowd.wait_for_answers(4, status=503)  # each waits for some seconds
        full = time.monotonic()
        wait_for(lambda: ("DatabaseWritesFailing", "disk") in firing(prometheus), PAGED_S, "the alert")
        ready = small.ask(gateway, "127.0.0.1", ADMIN_PORT, "/readyz")
        assert " 200 " in ready and "the disk of PostgreSQL is full" in ready
        assert small.is_healthy(gateway) and small.metrics(gateway)["tollgate_database_up"] == 1
        assert "the ledger cannot write" in command("docker", "logs", gateway)
        assert "the disk of the database has 0 MiB left" in health(small)
        assert set(crowd.statuses(since=full)) == {503}
        disk.remove_backups()
        crowd.wait_for_answers(100)
    check(books, accounts, crowd, {"ledger_unavailable"})
    assert starts(small, "db", "gateway", "edge", "svc-utils") == begun


def firing(prometheus):
    return {(alert["labels"]["alertname"], alert["labels"].get("cause"))
            for alert in (prometheus.ask("alerts") or {"alerts": []})["alerts"] if alert["state"] == "firing"}


def check(books, accounts, crowd, codes):
    """All other responses have one of the codes, and the ledger has exactly the calls with a
    200."""
    assert not crowd.faults, crowd.faults
    refused = {(call.status, *call.codes) for call in crowd.calls if call.status != 200}
    assert refused and refused <= {(503, code) for code in codes}, refused
    books.check(accounts, crowd.calls)


def test_the_log_finds_no_room(small, site, books, disk):
    """During a burst: PostgreSQL stops, and the engine restarts it when there is space."""
    begun, ended = starts(small, "gateway", "edge", "svc-utils"), restarts(small)
    accounts, crowd = busy(site, books, CLIENTS)

    def has_ended():
        tell_database(small, NEW_SEGMENT)  # until all spare log files are used
        return restarts(small) > ended

    with crowd:
        crowd.wait_for_answers(500)
        disk.fill()
        wait_for(has_ended, BACK_S, "PostgreSQL has ended")
        crowd.wait_for_answers(1, status=503)  # a gateway waits for some seconds
        disk.remove_backups()
        crowd.wait_for_answers(500, seconds=BACK_S)
    check(books, accounts, crowd, {"ledger_unavailable", "outcome_unknown"})
    assert starts(small, "gateway", "edge", "svc-utils") == begun
    small.wait_healthy("db")


def restarts(stack):
    return stack.inspect(first(stack, "db"))["RestartCount"]
