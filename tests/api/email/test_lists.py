"""tests/api/email/test_lists.py - an operator's list of domains, changed while the worker runs.
Domains on it are judged without a DNS query."""

import json
import signal
import tempfile
from pathlib import Path

import pytest

from kit.contracts import CONTRACTS, send
from kit.client import Client
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("own stack")

DAEMON = "svc-email-1"
FIRST = "# ours\n*.reload-mail.com\n"
SECOND = "*.reload-mail.com\na.reload-mail.com\n"
UNSORTED = "b.reload-mail.com\na.reload-mail.com\n"


class Lists:
    def __init__(self, own_stack):
        self.file = Path(tempfile.mkdtemp(prefix="tollgate-lists-")) / "disposable.txt"
        self.file.write_text(FIRST)
        self.stack = own_stack(settings={"data.disposable_file": str(self.file), "egress.only": ["127.0.0.0/8"]})
        site = Site.of(self.stack)
        self.account = site.open_account()
        self.client = Client(site)

    @property
    def log(self):
        return self.stack.parts[DAEMON].log

    def lines(self, message):
        lines = (json.loads(line) for line in self.log.read_text().splitlines())
        return [line for line in lines if line["msg"] == message and line["data_file"] == "addresses"]

    def read_again(self, text, message="read again"):
        """SIGHUP with this list; returns what the log says about it."""
        before = len(self.lines(message))
        self.file.write_text(text)
        self.stack.parts[DAEMON].signal(signal.SIGHUP)
        wait_for(lambda: len(self.lines(message)) > before, 10, "the list is not read again")
        return self.lines(message)[-1]

    def signal_of(self, email):
        answer = send(self.client, self.account, CONTRACTS["email-validator"], {"email": email}).result
        assert answer["verdict"] == "disposable" and not answer["cached"], answer
        return answer["signals"][0]["code"]


@pytest.fixture(scope="module")
def lists(own_stack):
    return Lists(own_stack)


def test_a_changed_list_applies_to_the_next_call(lists):
    assert lists.signal_of("jane@a.reload-mail.com") == "disposable_subdomain"
    lists.read_again(SECOND)
    assert lists.signal_of("jane@a.reload-mail.com") == "disposable_domain"
    lists.read_again(FIRST)
    assert lists.signal_of("jane@a.reload-mail.com") == "disposable_subdomain"


def test_a_list_with_a_mistake_changes_nothing(lists):
    lists.read_again(SECOND)
    line = lists.read_again(UNSORTED, "not read again, the old stays")
    assert str(lists.file) in line["error"] and "line 2" in line["error"], line
    assert lists.signal_of("jane@a.reload-mail.com") == "disposable_domain"
    lists.log.write_text("")  # the test expects this error line
