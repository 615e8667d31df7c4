"""tests/api/edge/test_acme.py - the edge gets its certificate by ACME, with the commands and files
of docs/operate/certificates.md, from Debian's pebble with Debian's lego and certbot. Docker and
systemd are stand-ins (kit/operators/acme.py)."""

import re
from collections import Counter

import pytest

from kit import pki
from kit.client import Client
from kit.load import Line, Load
from kit.operators.acme import TSIG_SECRET, Authority, Edge, MachineWithoutContainers, blocks, commands, follow, section
from part import wait_for

PAGE = "docs/operate/certificates.md"
DEBIAN = "docs/operate/debian/README.md"
SERVICE, _ = blocks(section(PAGE, "Install and renew"), "ini")
[CRONTAB] = blocks(section(PAGE, "Install and renew"), "sh")
HTTP, DNS = "--http --http.port 127.0.0.1:0", "--dns rfc2136"


@pytest.fixture(scope="module")
def edge(site, tmp_path_factory):
    edge = Edge(site, tmp_path_factory.mktemp("keys"))
    edge.restart()
    yield edge
    edge.kill()


@pytest.fixture(scope="module")
def authority(edge, tmp_path_factory):
    with Authority(tmp_path_factory.mktemp("authority"), edge.plain_port) as authority:
        edge.trust(authority.root())
        yield authority


@pytest.fixture
def machine(authority, edge, tmp_path):
    return MachineWithoutContainers(tmp_path, authority, edge)


class ShortLine(Line):
    """A new connection, and so a new handshake, for each call, from a new address."""

    def open(self):
        return True

    def call(self, *arguments, **more):
        self._client = Client(self._site)
        assert super().open(), "no handshake"
        try:
            return super().call(*arguments, **more)
        finally:
            self.close()


class Traffic:
    """Calls over a connection that stays, and over new ones. At the end none was lost."""

    def __init__(self, edge):
        account = edge.site.open_account(10000, limits_off=True)
        self._loads = [Load(edge.site, [account], clients=1, pause_s=pause_s, line=line)
                       for line, pause_s in ((Line, 0.6), (ShortLine, 0.02))]  # 20 calls of an address in 10 s

    def __enter__(self):
        for load in self._loads:
            load.__enter__()
            load.wait_for_answers(1)

    def __exit__(self, *_):
        for load in self._loads:
            before = len(load.calls)
            wait_for(lambda: load.faults or len(load.calls) > before + 1, 60, "more calls")  # noqa: B023
            load.stop()
            assert not load.faults, load.faults
            assert {call.status for call in load.calls} == {200}, Counter(call.status for call in load.calls)


def check_taken(edge, machine, before):
    """The edge presents the ACME client's certificate, which is new."""
    presented = edge.presented()
    assert presented != before
    assert (machine.folder / "lego/certificates/api.example.com.crt").read_text().startswith(presented)
    return presented


def test_http_01(edge, machine):
    """The first certificate, and two renewals: by the timer and by cron. Then the engine is
    down."""
    first = edge.presented()
    follow(machine, commands(section(PAGE, "HTTP-01")))
    assert edge.presented() == first
    with Traffic(edge):
        machine.service(SERVICE)
        presented = check_taken(edge, machine, first)
        machine.cron(CRONTAB)
        presented = check_taken(edge, machine, presented)
    machine.program("docker", "exit 1")
    with pytest.raises(AssertionError):
        machine.service(SERVICE)
    assert edge.presented() == presented


def test_dns_01(edge, machine):
    """Without a thumbprint, which HTTP-01 needs."""
    edge.restart(EDGE_ACME_THUMBPRINT="")
    before = edge.presented()
    [variables] = blocks(section(PAGE, "DNS-01"), "sh")
    (machine.folder / "lego").mkdir()
    (machine.folder / "lego/dns.env").write_text(
        variables.replace("ns.example.com", f"127.0.0.1:{machine.authority.dns_port}").replace("<secret>", TSIG_SECRET))
    follow(machine, commands(section(PAGE, "DNS-01")))
    assert HTTP in SERVICE
    machine.service(SERVICE.replace(HTTP, DNS))
    check_taken(edge, machine, before)


def test_another_account_gets_no_certificate(edge, machine):
    edge.restart(EDGE_ACME_THUMBPRINT="NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    run = commands(section(PAGE, "HTTP-01"))[-1][0]
    with pytest.raises(AssertionError, match="key authorization file from the server did not match"):
        machine.run(run)
    assert not list(machine.folder.rglob("api.example.com.crt"))


def test_debian_packages(edge, machine):
    """The commands that differ. The edge is reloaded if the certificate is new, and only then."""
    instead = commands(section(DEBIAN, "A certificate by ACME"))
    before, after = split_at_echo(commands(section(PAGE, "HTTP-01")))
    assert after.pop(0)[0] == "deploy/docker/apply" and after.pop(1)[0].startswith("lego ")
    follow(machine, [*before, *instead, *after])
    [last] = blocks(section(DEBIAN, "A certificate by ACME"), "ini")
    for number in (1, 2):
        edge.trust(write_certificate(machine.folder / "lego/certificates"))
        for _ in range(2):
            machine.service(last)
            assert machine.reloads.read_text() == number * "reload tollgate-edge\n"
        assert edge.pem.read_text().startswith((machine.folder / "lego/certificates/api.example.com.crt").read_text())


def split_at_echo(listed):
    """The commands before and after the one that writes the thumbprint."""
    place = next(place for place, (command, _) in enumerate(listed) if command.startswith("echo "))
    return listed[:place], listed[place + 1:]


def write_certificate(folder):
    folder.mkdir(exist_ok=True)
    made = pki.root().issue("api.example.com", key="ec:SECP256R1", self_signed=True)
    (folder / "api.example.com.crt").write_bytes(made.pem())
    (folder / "api.example.com.key").write_bytes(made.key_pem())
    return made.pem().decode()


@pytest.mark.check
def test_certbot(edge, machine):
    before = edge.presented()
    follow(machine, commands(section(PAGE, "certbot")))
    [last] = blocks(section(PAGE, "certbot"), "ini")
    with Traffic(edge):
        machine.service(SERVICE.partition("ExecStart=")[0] + last)
        presented = edge.presented()
        assert presented != before
        machine.run("certbot -q renew --no-random-sleep-on-renew")  # as certbot.timer does
        machine.service(SERVICE.partition("ExecStart=")[0] + last)
        assert edge.presented() != presented
