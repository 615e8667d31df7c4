"""tests/api/edge/test_edge_challenges.py - over plain HTTP the edge answers the HTTP-01 challenges
of one ACME account (RFC 8555 section 8.3), and nothing else."""

import dataclasses
import http.client
from pathlib import Path

import pytest

from kit import raw
from kit.check import check_answer
from kit.client import Client
from kit.site import own_address
from part import Part
from ports import Ports
from stack import EDGE_CONFIG, http_status

PORTS = Ports()
THUMBPRINT = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
TOKEN = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-_A"
FOLDER = "/.well-known/acme-challenge/"
PATH = FOLDER + TOKEN
HOST = "Host: api.example.com"


@pytest.fixture(scope="module")
def start(site, tmp_path_factory):
    """Start an edge with these EDGE_… and no backends; returns its site."""
    parts = []

    def start(**env):
        alone = dataclasses.replace(site, tls_port=PORTS.reserve(), plain_port=PORTS.reserve())
        ready = lambda: http_status(http.client.HTTPSConnection(  # noqa: E731
            "localhost", alone.tls_port, timeout=2, context=alone.trust())) == 503
        parts.append(Part("edge", ["/usr/sbin/haproxy", "-db", "-f", EDGE_CONFIG],
                          tmp_path_factory.mktemp("edge") / "edge.log", ready, {
                              "EDGE_CERTIFICATE": Path(site.ca_file).with_name("edge.pem"), "EDGE_GATEWAY_1": "127.0.1.254",
                              "EDGE_LISTEN_TLS": f"127.0.0.1:{alone.tls_port}",
                              "EDGE_LISTEN_PLAIN": f"127.0.0.1:{alone.plain_port}",
                              "EDGE_MAX_CONNECTIONS": 100, "EDGE_BUFFERS": 200} | env))
        parts[-1].start()
        parts[-1].wait_ready()
        return alone

    yield start
    for part in parts:
        part.kill()


@pytest.fixture(scope="module")
def edge(start):
    return start(EDGE_ACME_THUMBPRINT=THUMBPRINT)


def exchange(site, *lines, body="", address=None):
    """The responses to these bytes and to the sentinel, which is not allowed here."""
    line = raw.connect(address or own_address(), "127.0.0.1", site.plain_port)
    return raw.exchange(line, "\r\n".join([*lines, "", body]).encode("latin-1"), is_head=lines[0].startswith("HEAD"))


def check_refusal(answer):
    """As without a thumbprint."""
    assert answer.status_code == 403
    assert answer.codes == ["https_required"]
    assert THUMBPRINT not in repr(answer)


@pytest.mark.parametrize("line", [f"GET {PATH} HTTP/1.1", f"GET http://api.example.com{PATH} HTTP/1.1",
                                  f"GET {PATH} HTTP/1.0"], ids=["usual", "absolute-form", "HTTP/1.0"])
def test_a_challenge(edge, line):
    answer, *_ = exchange(edge, line, HOST)
    assert answer.status_code == 200
    assert answer.body == f"{TOKEN}.{THUMBPRINT}".encode()
    assert dict(answer.headers) == {"cache-control": "no-store", "x-content-type-options": "nosniff",
                                    "content-type": "application/octet-stream", "content-length": str(len(answer.body)),
                                    **({"connection": "close"} if line.endswith("1.0") else {})}


def test_a_connection_stays_usable(edge):
    first, second, last = exchange(edge, f"GET {PATH} HTTP/1.1", HOST, "", f"GET {PATH}x HTTP/1.1", HOST)
    assert (first.body, second.body) == (f"{TOKEN}.{THUMBPRINT}".encode(), f"{TOKEN}x.{THUMBPRINT}".encode())
    check_refusal(last)


@pytest.mark.parametrize("size, status", [(21, 403), (22, 200), (128, 200), (129, 403), (8000, 403)])
def test_size_of_a_token(edge, size, status):
    """At least 128 bits (RFC 8555 section 8.3); the authorities' tokens have 43 characters."""
    answer, *_ = exchange(edge, f"GET {FOLDER}{'a' * size} HTTP/1.1", HOST)
    assert answer.status_code == status
    assert (THUMBPRINT.encode() in answer.body) == (status == 200)


@pytest.mark.parametrize("path", [
    FOLDER, FOLDER.rstrip("/"), f"{PATH}/", f"{PATH}/{TOKEN}", f"{FOLDER}../{TOKEN}", f"{FOLDER}x/../{TOKEN}",
    f"{FOLDER}..%2f{TOKEN}", f"{FOLDER}../../{'v1/client/' * 3}", f"/x{PATH}", f"/x/..{PATH}", f"/{PATH}", f"{FOLDER}/{TOKEN}",
    f"{PATH}?", f"{PATH}?a=b", f"{PATH};a", f"{PATH}.", f"{PATH}=", f"{PATH}+", f"{PATH}%41", f"{PATH}%0d%0aX:%20a",
    f"{PATH}%00", f"{PATH}*", f"{FOLDER}%65{TOKEN}", f"{PATH}%[src]", f"{FOLDER}<script>{TOKEN}",
    PATH.replace("well", "WELL"), PATH.replace(".well", "%2ewell"), f"{FOLDER}{TOKEN[:21]}.{TOKEN[:21]}"])
def test_another_path(edge, path):
    answer, *_ = exchange(edge, f"GET {path} HTTP/1.1", HOST)
    check_refusal(answer)


@pytest.mark.parametrize("path", [f"{PATH}\xe9", f"{PATH}\x7f", f"{PATH}\x01", f"{PATH} a", f"{PATH}#a", PATH.replace("/", "\\")],
                         ids=["Latin-1", "DEL", "SOH", "space", "fragment", "backslash"])
def test_bytes_that_no_path_has(edge, path):
    """HAProxy closes the connection if it cannot parse them."""
    answers = exchange(edge, f"GET {path} HTTP/1.1", HOST)
    assert THUMBPRINT not in repr(answers)
    for answer in answers:
        check_refusal(answer)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "PROPFIND", "HEAD"])
def test_another_method(edge, method):
    answer, *_ = exchange(edge, f"{method} {PATH} HTTP/1.1", HOST, "Content-Length: 0")
    assert answer.status_code == 403
    assert method == "HEAD" or answer.codes == ["https_required"]


@pytest.mark.parametrize("header, body", [
    ("Content-Length: 5", "hello"), ("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"),
    ("Content-Length: 5", ""), ("Content-Length: 99999999999", "")])
def test_a_body(edge, header, body):
    """It is rejected without a wait for the rest."""
    answer, *_ = exchange(edge, f"GET {PATH} HTTP/1.1", HOST, header, body=body)
    check_refusal(answer)


@pytest.mark.parametrize("headers", [
    ["Host: evil.test"], [HOST, "X-Forwarded-Proto: https"], [HOST, f"X-Original-URL: {FOLDER}x"],
    [HOST, "X-HTTP-Method-Override: PUT"], [HOST, "Range: bytes=0-1"], [HOST, "If-None-Match: *"],
    [HOST, "Accept-Encoding: gzip"], [HOST, "Upgrade: h2c", "Connection: Upgrade"], [HOST, "Expect: 100-continue"]],
    ids=lambda headers: headers[-1].partition(":")[0])
def test_headers_change_nothing(edge, headers):
    """No authority's response depends on them, and none is repeated in it."""
    answer, *_ = exchange(edge, f"GET {PATH} HTTP/1.1", *headers)
    assert answer.status_code == 200
    assert answer.body == f"{TOKEN}.{THUMBPRINT}".encode()
    assert "evil" not in repr(dict(answer.headers))


def test_over_tls_it_is_a_path_that_no_part_serves(edge):
    answer = Client(edge).get(PATH)
    check_answer(answer)
    assert answer.status_code == 404
    assert THUMBPRINT.encode() not in answer.body


@pytest.mark.parametrize("thumbprint", ["", THUMBPRINT[:42], f"{THUMBPRINT}x", f"{THUMBPRINT}\r", f"\"{THUMBPRINT}\"",
                                        "%[path]" * 6 + "x", "a b'c"])
def test_without_a_valid_thumbprint_it_is_off(start, thumbprint):
    answer, *_ = exchange(start(EDGE_ACME_THUMBPRINT=thumbprint), f"GET {PATH} HTTP/1.1", HOST)
    check_refusal(answer)


def test_by_default_it_is_off(site):
    answer, *_ = exchange(site, f"GET {PATH} HTTP/1.1", HOST)
    check_refusal(answer)


def test_challenges_count_for_the_limits_of_an_address(start):
    edge = start(EDGE_ACME_THUMBPRINT=THUMBPRINT, EDGE_REQUEST_RATE_PER_IP=10)
    asked = [f"GET {PATH} HTTP/1.1", HOST, ""] * 30
    address = own_address()
    answers = exchange(edge, *asked[:-1], address=address)
    assert len(answers) == 10 and {answer.status_code for answer in answers} == {200}
    answer, *_ = exchange(edge, f"GET {PATH} HTTP/1.1", HOST)
    assert answer.status_code == 200  # other addresses
