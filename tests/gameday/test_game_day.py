"""tests/gameday/test_game_day.py - an operator's day: an older version is installed, rolled,
upgraded, rolled back and upgraded again, breaks in many ways, and loses its database. Each step is
a command of docs/operate. Customers call tools of all groups without a pause: no step loses a call,
each trouble raises its alerts, and at the end the ledger has what the customers got, and nothing
else.

The tests run in order, on one stack. The newer version is this checkout with another migration."""

import contextlib
import os
import subprocess
import time

import pytest
from containers import DAEMONS, check_replaced, first, ids_of
from day import BUILDS, Day, check_out
from part import command, wait_for
from recovery import (POSTGRES, RPO_S, RTO_S, lose_the_database, make_repository, wait_until_archived,
                      wait_until_backed_up)

ROLL, UPGRADE, CERTIFICATE = (f"deploy/docker/{name}" for name in ("roll", "upgrade", "certificate"))
ROLLED = [*DAEMONS, "gateway", "portal"]
# A crash is seen by the start of the new process, and three are an alert.
CRASHES = 3
SEEN_S = 60


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return make_repository(tmp_path_factory)


@pytest.fixture(scope="module")
def day(engine, repository):
    day = Day(repository)
    try:
        day.install()
        yield day
    finally:
        day.end()


@pytest.fixture(scope="module")
def morning(day):
    """When the day began, by time.monotonic()."""
    return time.monotonic()


def builds(stack):
    """What the running programs say that they are."""
    programs = {"gateway": "tollgate-gateway", "portal": "tollgate-portal"}
    return {stack.execute(container, programs.get(service, service), "--version")[1].split("(")[1].split(")")[0]
            for service in ROLLED for container in stack.ids(service)}


def test_install(day, morning):
    wait_until_backed_up(day.stack)
    assert builds(day.stack) == {BUILDS["older"]}
    [said] = day.stack.said("deploy/docker/check")
    assert said.startswith("check: prometheus runs, but COMPOSE_PROFILES")  # Debian has no Grafana
    assert day.stack.tollctl("verify", "--json")["ok"]


def test_roll(day):
    before = ids_of(day.stack, *ROLLED)
    with day.without_loss():
        day.stack.run_script(ROLL, *ROLLED)
    check_replaced(before, ids_of(day.stack, *ROLLED))
    assert builds(day.stack) == {BUILDS["older"]}


def test_upgrade(day):
    check_out(day.stack, "newer")
    begun = time.monotonic()
    with day.without_loss():
        day.stack.run_script(UPGRADE)
    assert builds(day.stack) == {BUILDS["newer"]}
    assert "MixedVersions" in day.alerts(begun, "pending", "firing")


def test_go_back(day):
    """The older programs run with the newer schema. Their own `migrate` rejects it, as the page
    says."""
    check_out(day.stack, "older")
    with day.without_loss():
        day.stack.run_script(ROLL, *ROLLED)
    assert builds(day.stack) == {BUILDS["older"]}
    with pytest.raises(subprocess.CalledProcessError):
        day.stack.pipe("run", "--rm", "-T", "migrate")


def test_upgrade_again(day):
    check_out(day.stack, "newer")
    with day.without_loss():
        day.stack.run_script(UPGRADE)
    assert builds(day.stack) == {BUILDS["newer"]}


def test_no_alert_fired_so_far(day, morning):
    """Except that instances start again and again, if the machine is quick: all were replaced four
    times."""
    assert day.alerts(morning, "firing") - {"InstanceRestarting"} == {"Watchdog"}


def test_the_new_edge_and_database(day):
    """Calls fail meanwhile, and are free."""
    for service in ("edge", "db"):
        old = day.stack.ids(service)
        day.stack.up("--no-deps", service)
        day.stack.wait_healthy(service)
        assert day.stack.ids(service) != old
    with day.without_loss():
        assert day.stack.tollctl("verify", "--json")["ok"]


# -- troubles --


@contextlib.contextmanager
def stopped(day, *services):
    day.stack.compose("stop", *services)
    yield
    day.stack.compose("start", *services)
    day.stack.wait_healthy(*services)


@contextlib.contextmanager
def missing_instances(day):
    one, _ = day.stack.ids("gateway")
    command("docker", "stop", one)
    with stopped(day, "svc-chat", "portal"):
        yield
    command("docker", "start", one)
    day.stack.wait_healthy("gateway")


@contextlib.contextmanager
def crashes(day):
    def started():
        found = day.prometheus.ask("query?query=process_start_time_seconds{job=%22svc-chat%22}")
        return {each["value"][1] for each in (found or {"result": []})["result"]}

    for _ in range(CRASHES):
        before = started()
        day.stack.crash(first(day.stack, "svc-chat"))
        wait_for(lambda: started() - before, SEEN_S, "Prometheus sees the new process")
    yield


@contextlib.contextmanager
def hanging(day):
    """PostgreSQL accepts connections, and does not respond."""
    db = first(day.stack, "db")
    command("docker", "pause", db)
    try:
        yield
    finally:
        command("docker", "unpause", db)


@contextlib.contextmanager
def two_days_left(day):
    """Of the certificate; and the repository of backups cannot be written."""
    folder = day.stack.directory
    command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            "-keyout", folder / "key.pem", "-out", folder / "chain.pem")
    pem = (folder / "chain.pem").read_bytes() + (folder / "key.pem").read_bytes()
    day.stack.pipe(program=CERTIFICATE, given=pem)
    day.site.forget_trust()
    repository = day.stack.variables["BACKUPS"]
    os.chown(repository, 0, 0)
    os.chmod(repository, 0o500)
    try:
        yield
    finally:
        os.chown(repository, POSTGRES, POSTGRES)
        os.chmod(repository, 0o711)
    day.stack.run_script(CERTIFICATE, "--self-signed")
    day.site.forget_trust()
    wait_until_archived(day.books)


TROUBLES = {
    "missing instances": (missing_instances, {"NoWorker", "InstanceMissing", "PortalDown", "NoReadyPortal"}),
    "no gateway": (lambda day: stopped(day, "gateway"), {"GatewayDown", "NoReadyGateway"}),
    "no edge": (lambda day: stopped(day, "edge"), {"EdgeDown"}),
    "no database": (lambda day: stopped(day, "db"), {"DatabaseDown", "HighErrorRate"}),
    "crashes of a daemon": (crashes, {"InstanceRestarting"}),
    "a database that hangs": (hanging, {"DatabaseDown", "MostCallsFailing"}),
    "two days left": (two_days_left, {"CertificateExpiryImminent", "WalArchivingLate"}),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_trouble_raises_its_alerts(day, trouble):
    """After it, no call is lost."""
    happens, alerts = TROUBLES[trouble]
    with happens(day):
        day.wait_until_fired(alerts)
    with day.without_loss():
        assert day.stack.tollctl("verify", "--json")["ok"]


# -- the end of the day --


@pytest.fixture(scope="module")
def lost(day):
    """The database is lost, and restored when the alert has fired. Returns the times between which
    a charge may be lost, by time.monotonic()."""
    begun = time.monotonic()
    rpo_s, rto_s = lose_the_database(day.stack, day.site, day.books, lambda: day.wait_until_fired({"DatabaseDown"}))
    assert rpo_s <= RPO_S and rto_s <= RTO_S
    return begun - RPO_S, time.monotonic()


def test_the_database_is_lost(day, lost):
    with day.without_loss():
        assert day.stack.tollctl("verify", "--whole", "--json")["ok"]


def test_the_ledger_has_what_customers_got(day, lost):
    """Except charges of the last minute before the loss."""
    day.crowd.stop()
    calls = day.crowd.calls
    for call in day.stack.tollctl("ledger", "unknown", "--json")["calls"]:
        day.stack.tollctl("ledger", "settle", call["account"], call["id"])
    entries = {account.id: day.books.entries(account) for account in day.accounts}
    gone = [call for call in calls if call.status == 200 and call.reference not in entries[call.account.id]]
    assert all(lost[0] < call.begun < lost[1] for call in gone)
    references = {call.reference for call in gone}
    day.books.check(day.accounts, [call for call in calls if call.reference not in references])
    prices = day.crowd.prices
    for account in day.accounts:
        answered = entries[account.id] & prices.keys()
        nameless = entries[account.id] - answered
        least = sum(prices[reference] for reference in answered)
        assert least <= day.books.charged(account) <= least + max(prices.values()) * len(nameless)
    answers = sum(call.status == 200 for call in calls)
    print(f"{len(calls)} calls, {answers} answered with 200, {len(gone)} of these charges lost with the disk")
