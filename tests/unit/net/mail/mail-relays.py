"""mail-relays.py PROGRAM - mail_send() with real relays, working and broken.

PROGRAM is mail.c, which sends one message when it gets a relay. 0.0.0.0 leads to this machine, but
is not a loopback address: encryption is required there. Prints TAP: one line a case.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from email.utils import parsedate_to_datetime
from pathlib import Path

TESTS = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "deploy" / "local")]

from kit import pki  # noqa: E402
from kit.portal import mailbox  # noqa: E402

LOCAL, ELSEWHERE = "127.0.0.1", "0.0.0.0"
TIMEOUT_MS = 5000


class Bench:
    """A program, certificates, and a relay for each case."""

    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)
        self.root = pki.root()
        self.good = self.context("good", [ELSEWHERE, LOCAL])
        self.foreign = self.context("foreign", ["198.51.100.1"])
        self.ca_file = self.write("root.pem", self.root.pem())
        self.count = 0

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def context(self, name, names):
        leaf = self.root.issue(name, names=names)
        return mailbox.tls_context(self.write(f"{name}.pem", b"".join(c.pem() for c in leaf.sent())),
                                   self.write(f"{name}.key", leaf.key_pem()))

    def relay(self, **more):
        self.count += 1
        return mailbox.Relay(self.folder / str(self.count), **more)

    def send(self, url, user="", password="", timeout_ms=TIMEOUT_MS, **env):
        env = os.environ | {"TOLLGATE_EGRESS_CA_FILE": self.ca_file} | env
        done = subprocess.run([self.program, url, user, password, str(timeout_ms)], env=env, capture_output=True,
                              text=True, timeout=60, check=True)
        return done.stdout.splitlines()[-1]  # before it, what the egress logs


def expect(got, want):
    assert re.match(want, got), f"{got!r}, not {want!r}"


def a_message(bench):
    relay = bench.relay()
    expect(bench.send(f"smtp://{LOCAL}:{relay.port}"), r"accepted: ; strays 0")
    letter, = relay.mailbox.letters()
    relay.close()
    message = letter.message
    want = {"X-Envelope-From": "mail@portal.test", "X-Envelope-To": "jane+x@example.test",
            "From": "Tollgate <mail@portal.test>", "To": "jane+x@example.test", "Reply-To": "help@portal.test",
            "Subject": "Confirm your address", "Auto-Submitted": "auto-generated",
            "Message-ID": "<0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d@portal.test>"}
    for name, value in want.items():
        assert message.get_all(name) == [value], f"{name}: {message.get_all(name)}"
    assert abs(parsedate_to_datetime(message["Date"]).timestamp() - time.time()) < 30
    assert message.get_content_type() == "multipart/alternative"
    parts = list(message.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert all(part.get_content_charset() == "utf-8" for part in parts)
    assert all(part["Content-Transfer-Encoding"] == "quoted-printable" for part in parts)
    assert letter.text == "Grüße = €\n.\n.. dots\n" + "0123456789" * 14 + "\n", repr(letter.text)
    assert letter.html == "<p>Grüße</p>\n"
    assert max(len(line) for line in bytes(message).splitlines()) <= 78


def starttls(bench):
    relay = bench.relay(host=ELSEWHERE, tls=bench.good)
    expect(bench.send(f"smtp://{ELSEWHERE}:{relay.port}"), "accepted")
    relay.close()


def no_starttls(bench):
    relay = bench.relay(host=ELSEWHERE)
    expect(bench.send(f"smtp://{ELSEWHERE}:{relay.port}"), r"later: .*SSL")
    assert not relay.mailbox.letters()
    relay.close()


def foreign_certificate(bench):
    relay = bench.relay(host=ELSEWHERE, tls=bench.foreign)
    expect(bench.send(f"smtp://{ELSEWHERE}:{relay.port}"), r"later: .*(SSL|certificate)")
    assert not relay.mailbox.letters()
    relay.close()


def unknown_authority(bench):
    relay = bench.relay(host=ELSEWHERE, tls=bench.good)
    expect(bench.send(f"smtp://{ELSEWHERE}:{relay.port}", TOLLGATE_EGRESS_CA_FILE=""), r"later: .*(SSL|cert)")
    assert not relay.mailbox.letters()
    relay.close()


def smtps(bench):
    relay = bench.relay(tls=bench.good, is_tls_at_once=True)
    expect(bench.send(f"smtps://{LOCAL}:{relay.port}"), "accepted")
    relay.close()


def smtps_foreign(bench):
    relay = bench.relay(tls=bench.foreign, is_tls_at_once=True)
    expect(bench.send(f"smtps://{LOCAL}:{relay.port}"), r"later: .*(SSL|certificate)")
    assert not relay.mailbox.letters()
    relay.close()


def login(bench):
    relay = bench.relay(user=("portal", "right"))
    expect(bench.send(f"smtp://{LOCAL}:{relay.port}", "portal", "right"), "accepted")
    expect(bench.send(f"smtp://{LOCAL}:{relay.port}", "portal", "wrong"), r"later: the relay replied 535")
    expect(bench.send(f"smtp://{LOCAL}:{relay.port}"), r"later: the relay replied 530")
    assert len(relay.mailbox.letters()) == 1
    relay.close()


def nobody_there(bench):
    expect(bench.send(f"smtp://{LOCAL}:1"), r"later: ")


def forbidden(bench):
    expect(bench.send("smtp://198.51.100.1:25"), r"later: egress\.only does not allow .*; strays 1")


# How a relay behaves, the expected message, and the number of messages it accepts.
MANNERS = [
    (mailbox.GREETS_554, r"later: the relay replied 554", 0),
    (mailbox.BUSY_421, r"later: the relay replied 421", 0),
    (mailbox.BUSY_450, r"deferred: the relay replied 450", 0),
    (mailbox.UNKNOWN_550, r"refused: the relay replied 550", 0),
    (mailbox.REFUSES_554, r"refused: the relay replied 554", 0),
    (mailbox.WANTS_LOGIN_530, r"later: the relay replied 530", 0),
    (mailbox.HANGS, r"later: the relay did not respond in time", 0),
    (mailbox.DROPS_AT_DATA, r"later: ", 0),
    (mailbox.DROPS_AFTER_250, r"later: ", 1),
    (mailbox.HANGS_AT_QUIT, r"accepted: ;", 1),
]


def misbehaviour(manner, want, kept):
    def case(bench):
        relay = bench.relay()
        relay.be(manner)
        begin = time.monotonic()
        timeout_ms = 500 if manner in (mailbox.HANGS, mailbox.HANGS_AT_QUIT) else TIMEOUT_MS
        expect(bench.send(f"smtp://{LOCAL}:{relay.port}", timeout_ms=timeout_ms), want)
        assert time.monotonic() - begin < 5, "the deadline did not hold"
        assert relay.misbehaved == 1
        assert len(relay.mailbox.letters()) == kept
        relay.close()
    case.__name__ = f"a relay that {manner}"
    return case


CASES = [a_message, starttls, no_starttls, foreign_certificate, unknown_authority, smtps, smtps_foreign, login,
         nobody_there, forbidden, *(misbehaviour(*row) for row in MANNERS)]


def run(case, bench):
    try:
        case(bench)
        return True
    except Exception as error:  # each case is printed
        print(f"# {type(error).__name__}: {error}")
        return False


def main(program):
    print(f"1..{len(CASES)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        for number, case in enumerate(CASES, 1):
            ok = run(case, bench)
            failed += not ok
            print(f"{'' if ok else 'not '}ok {number} - {case.__name__.replace('_', ' ')}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
