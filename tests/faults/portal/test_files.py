"""tests/faults/portal/test_files.py - a file that breaks off looks broken: nobody takes a part of a
ledger for the whole."""

import http.client
import re
import subprocess

import pytest

from kit.client import TIMEOUT_S
from kit.portal.files import add_entries, begin_to_read
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from kit.site import Ledger, Site
from part import wait_for
from stack import http_status

pytestmark = pytest.mark.xdist_group("portal-files")

ENTRIES = 300_000  # far more than all buffers on the way hold
BEGUN = 100_000    # bytes
READ_S = 60


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=1, daemons=0, portals=1)


@pytest.fixture(scope="module")
def member(stack):
    site = Site.of(stack)
    member = Member(site)
    ledger = Ledger(site.connect())
    add_entries(ledger, member.account, ENTRIES)
    return member


@pytest.fixture
def visitor(member):
    return member.sign_in()


def is_ready(stack):
    return http_status(http.client.HTTPConnection(*stack.admin["portal-1"], timeout=TIMEOUT_S)) == 200


@pytest.fixture(params=["portal-1", "postgres"])
def breakage(stack, request):
    """What breaks the portal that writes the file; it is back for the next test."""
    yield stack.parts[request.param].kill if request.param == "portal-1" else stack.parts[request.param].stop
    if not stack.parts[request.param].alive:
        # the portal must know of it now, or the edge would take the portal as down in a later test
        wait_for(lambda: not is_ready(stack), READ_S, "the portal is not ready")
        stack.start_part(request.param)
    wait_for(lambda: is_ready(stack), READ_S, "the portal is ready")
    wait_for(lambda: Visitor(Site.of(stack)).get("/portal/sign-in").status_code == 200, READ_S, "the edge's sight of it")


def read_on(line, size):
    """The response after its first line: this many bytes, or all that comes; its head ends in an
    empty line."""
    line.settimeout(READ_S)
    answer = b""
    while len(answer) < size:
        try:
            piece = line.recv(1 << 16)
        except OSError:  # it was reset
            piece = b""
        if not piece:
            break
        answer += piece
    return answer


def body_and_size(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    return body, int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1])


def test_over_http_1(visitor, breakage):
    line = begin_to_read(visitor)
    answer = read_on(line, BEGUN)
    breakage()
    body, size = body_and_size(answer + read_on(line, 1 << 30))
    line.close()
    assert BEGUN / 2 < len(body) < size


def test_over_http_2(visitor, breakage, tmp_path):
    """For them, a response without a length that breaks off looks complete (HAProxy 2.6)."""
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    file = tmp_path / "ledger.csv"
    reader = subprocess.Popen(["curl", "-sS", "--http2", "--limit-rate", "1M", "--cacert", visitor.site.ca_file,
                               "--cookie", cookies, "-w", "%{http_version} %{http_code}", "-o", file,
                               f"{visitor.site.base_url}/portal/ledger.csv"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: file.exists() and file.stat().st_size > BEGUN, READ_S, "the beginning of the file")
    breakage()
    out, words = reader.communicate(timeout=READ_S)
    assert out == "2 200" and file.read_bytes().count(b"\r\n") < ENTRIES
    assert reader.returncode != 0, words


def test_a_complete_file_has_the_announced_size(visitor):
    answer = visitor.get("/portal/ledger.csv")
    assert len(answer.body) == int(answer.headers["Content-Length"])
    assert answer.body.count(b",adjustment,") == ENTRIES
