"""tests/compose/certificates/test_acme_in_containers.py - a certificate by ACME with HTTP-01, with
the commands and files of docs/operate/certificates.md. tests/api/edge/test_acme.py has the other
challenge, other clients and calls meanwhile."""

import contextlib
import ssl

import pytest
from containers import Containers
from kit.operators.acme import NAME, Authority, Machine, blocks, commands, follow, section
from part import wait_for

PAGE = "docs/operate/certificates.md"


@pytest.fixture(scope="module")
def stack(engine):
    """Only what the certificate needs. The settings are in .env, and nowhere else."""
    with Containers("tollgate-acme", EDGE_SUBNET="10.213.7.0/24", BUS_PREFIX="10.213.135",
                    MONITORING_SUBNET="10.213.71.0/24", HOST_NAMES=NAME) as stack:
        stack.compose("build", "edge", "init")
        (stack.directory / ".env").write_text("".join(f"{name}={value}\n" for name, value in stack.variables.items()))
        stack.up("edge")
        wait_for(lambda: presented(stack), 60, "the edge presents its first certificate")
        yield stack


class Operator(Machine):
    def run(self, command):
        return super().run(command.replace("docker compose ", "docker-compose "))


def presented(stack):
    """The certificate that clients see, in PEM; "" if the edge does not respond."""
    with contextlib.suppress(OSError):
        return ssl.get_server_certificate(("127.0.0.1", stack.tls_port))
    return ""


def test_http_01(stack, tmp_path):
    first = presented(stack)
    service, _ = blocks(section(PAGE, "Install and renew"), "ini")
    [crontab] = blocks(section(PAGE, "Install and renew"), "sh")
    with Authority(tmp_path, stack.variables["HTTP_PORT"]) as authority:
        machine = Operator(tmp_path, authority, stack.directory, stack.variables["HTTP_PORT"])
        follow(machine, commands(section(PAGE, "HTTP-01")))
        machine.service(service)
        second = presented(stack)
        assert second != first
        machine.cron(crontab)
        assert presented(stack) not in (first, second)
    assert (tmp_path / "lego/certificates/api.example.com.crt").read_text().startswith(presented(stack))
