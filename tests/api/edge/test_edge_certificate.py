"""tests/api/edge/test_edge_certificate.py - the expiry of the edge's certificate as a metric, and a
new certificate without a restart (deploy/edge/take-certificate)."""

import datetime
import http.client
import os
import re
import ssl
from pathlib import Path

import pytest

from kit import pki
from kit.site import ROOT, own_address
from part import Part, command, wait_for
from ports import Ports
from stack import EDGE_CONFIG, http_status

PORTS = Ports()
TLS_PORT, ADMIN_PORT, AGE_DAYS = 8443, 8404, 3650
ENDS = ["2027-01-31", "2027-12-31", "2028-02-28", "2028-02-29", "2028-03-01", "2032-10-30", "2049-12-31", "2050-01-01",
        "2099-12-31"]


class Edge:
    """An edge with a certificate and no backends."""

    def __init__(self, folder):
        self.address, self._file = own_address(), folder / "edge.pem"
        self.show_soon("2027-06-15")
        self._env = {"EDGE_CERTIFICATE": self._file, "EDGE_GATEWAY_1": "127.0.0.1", "EDGE_MAX_CONNECTIONS": 100,
                     "EDGE_CONTROL": f"127.0.0.1:{PORTS.reserve()}",
                     "EDGE_LISTEN_ADMIN": f"{self.address}:{ADMIN_PORT}",
                     "EDGE_LISTEN_TLS": f"{self.address}:{TLS_PORT}", "EDGE_LISTEN_PLAIN": f"{self.address}:8080"}
        self.part = Part("edge", ["/usr/sbin/haproxy", "-db", "-f", EDGE_CONFIG], folder / "edge.log",
                         lambda: http_status(self.admin(), "/livez") == 200, env=self._env)

    def admin(self):
        return http.client.HTTPConnection(self.address, ADMIN_PORT, timeout=5)

    def show_soon(self, day):
        """Write a new certificate that expires on that day, with its key, to the edge's file."""
        days = (datetime.date.fromisoformat(day) - datetime.datetime.utcnow().date()).days
        made = pki.root().issue("localhost", key="ec:SECP256R1", days=AGE_DAYS + days, begins=-AGE_DAYS,
                                self_signed=True)
        self._file.write_bytes(made.pem() + made.key_pem())

    def take(self):
        command("bash", ROOT / "deploy/edge/take-certificate",
                env=os.environ | {name: str(value) for name, value in self._env.items()})

    def presented(self):
        """The day on which the certificate that clients see expires."""
        pem = ssl.get_server_certificate((self.address, TLS_PORT))
        return pki.x509.load_pem_x509_certificate(pem.encode()).not_valid_after.date().isoformat()

    def told(self):
        connection = self.admin()
        connection.request("GET", "/metrics/certificate")
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; version=0.0.4")
        seconds, = re.fullmatch(rb"tollgate_edge_certificate_expiry_timestamp_seconds (\d+)\n", answer.read()).groups()
        return datetime.datetime.utcfromtimestamp(int(seconds)).isoformat()


@pytest.fixture(scope="module")
def edge(tmp_path_factory):
    edge = Edge(tmp_path_factory.mktemp("edge"))
    edge.part.start()
    edge.part.wait_ready()
    yield edge
    edge.part.stop()


@pytest.mark.parametrize("day", ENDS)
def test_the_expiry_is_a_metric(edge, day):
    """As soon as the edge uses it, and not before."""
    before = edge.told()
    edge.show_soon(day)
    assert edge.told() == before
    edge.take()
    assert edge.presented() == day
    assert edge.told() == f"{day}T00:00:00"


class MountedEdge(Edge):
    """Its certificate is a Secret of cert-manager, mounted by kubelet: tls.crt and tls.key are
    links into a folder that is replaced as a whole."""

    def __init__(self, folder):
        self._secret, self._version = folder / "secret", 0
        self._secret.mkdir()
        for name in ("tls.crt", "tls.key"):
            (self._secret / name).symlink_to(Path("..data", name))
        super().__init__(folder)
        self._env["EDGE_CERTIFICATE"] = self._secret / "tls.crt"
        self.part.env["EDGE_CERTIFICATE"] = str(self._secret / "tls.crt")
        self.watcher = Part("watcher", ["bash", ROOT / "deploy/edge/watch-certificate"], folder / "watcher.log",
                            lambda: True, env=self._env | {"CERTIFICATE_CHECK_S": "0.1"})

    def show_soon(self, day):
        super().show_soon(day)
        certificate, _, key = self._file.read_text().partition("-----BEGIN EC PRIVATE KEY-----")
        self._version += 1
        data = self._secret / f"..{self._version}"
        data.mkdir()
        (data / "tls.crt").write_text(certificate)
        (data / "tls.key").write_text(f"-----BEGIN EC PRIVATE KEY-----{key}")
        (self._secret / "..new").symlink_to(data.name)
        (self._secret / "..new").rename(self._secret / "..data")


@pytest.fixture
def mounted(tmp_path):
    edge = MountedEdge(tmp_path)
    edge.part.start()
    edge.part.wait_ready()
    edge.watcher.start()
    yield edge
    edge.watcher.stop()
    edge.part.stop()


def test_a_renewed_secret_is_taken_by_itself(mounted):
    """The process stays, and so do connections."""
    assert mounted.presented() == "2027-06-15"
    customer = http.client.HTTPSConnection(mounted.address, TLS_PORT, context=ssl._create_unverified_context(), timeout=5)
    customer.connect()
    pid = mounted.part.pid
    for day in ("2027-09-13", "2027-12-12"):
        mounted.show_soon(day)
        wait_for(lambda: mounted.presented() == day, 30, "the new certificate")  # noqa: B023
    assert http_status(customer, "/v1/tools") == 503  # on the connection of before: no gateway
    assert mounted.part.pid == pid and mounted.part.alive


def test_the_metric_is_only_at_the_admin_port(edge):
    customers = http.client.HTTPSConnection(edge.address, TLS_PORT, context=ssl._create_unverified_context(), timeout=5)
    assert http_status(customers, "/metrics/certificate") == 404
