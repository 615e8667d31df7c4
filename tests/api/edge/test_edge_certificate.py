"""tests/api/edge/test_edge_certificate.py - the expiry of the edge's certificate as a metric, and a
new certificate without a restart (deploy/edge/take-certificate)."""

import datetime
import http.client
import os
import re
import ssl

import pytest

from kit import pki
from kit.site import ROOT, own_address
from part import Part, command
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


def test_the_metric_is_only_at_the_admin_port(edge):
    customers = http.client.HTTPSConnection(edge.address, TLS_PORT, context=ssl._create_unverified_context(), timeout=5)
    assert http_status(customers, "/metrics/certificate") == 404
