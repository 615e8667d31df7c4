"""tests/check/enumeration_timing.py - whether the response time shows if an address has an account.

    /usr/bin/python3 tests/check/enumeration_timing.py [--build build] [--pairs 300]

asks /portal/sign-in (with a wrong password), /portal/forgot and /portal/sign-up for a member's
address and for an unknown one, in turns, through the edge. The medians may differ by 5 % and a
quarter of a millisecond, which is more than an attacker can measure over any network. Needs an idle
machine.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.portal.member import Member, fresh_email  # noqa: E402
from kit.portal.visitor import Visitor  # noqa: E402
from kit.site import Ledger, Site, own_address  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

SETTINGS = {"egress.only": ["127.0.0.0/8"], "portal.password_hash_concurrency": 1}
SHARE, FLOOR_S = 0.05, 0.00025
ASKED = {"/portal/sign-in": {"password": "not the password"}, "/portal/forgot": {}, "/portal/sign-up": {}}
EXPECTED = {"/portal/sign-in": 403, "/portal/forgot": 200, "/portal/sign-up": 200}


class Browser:
    """One browser, from another address each time, so that no bucket and no limit of the edge
    applies."""

    def __init__(self, site):
        self._site = site
        self._visitor = Visitor(site)
        self._mark = dict(self._visitor.get("/portal/forgot").form("/portal/forgot").sent())["csrf"]

    def seconds(self, path, email):
        line = self._site.connection(own_address(), 30)
        line.connect()
        body = urlencode({"csrf": self._mark, "email": email} | ASKED[path])
        headers = self._visitor._headers("POST", None)
        begun = time.perf_counter()
        line.request("POST", path, body, headers)
        answer = line.getresponse()
        answer.read()
        spent = time.perf_counter() - begun
        line.close()
        assert answer.status == EXPECTED[path], (path, answer.status)
        return spent


def measure(site, ledger, path, pairs):
    browser, member = Browser(site), Member(site)
    known, unknown = [], []
    for i in range(pairs + 5):  # the first ones warm up
        ledger.rows("delete from throttle")
        turns = [(known, member.email), (unknown, fresh_email("nobody"))]
        for times, email in turns if i % 2 else reversed(turns):
            times.append(browser.seconds(path, email))
    return statistics.median(known[5:]), statistics.median(unknown[5:])


def judge(path, known, unknown):
    allowed = max(SHARE * min(known, unknown), FLOOR_S)
    is_good = abs(known - unknown) <= allowed
    print(f"{path}: a member's {known * 1000:.3f} ms, nobody's {unknown * 1000:.3f} ms, may differ by"
          f" {allowed * 1000:.3f} ms: {'good' if is_good else 'THEY DIFFER'}", flush=True)
    return is_good


def main():
    parser = argparse.ArgumentParser(description="Compare response times for known and unknown addresses.")
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--pairs", type=int, default=300)
    options = parser.parse_args()
    interruptible()
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-timing-"), options.build, settings=SETTINGS, portals=1)
    with stack:
        site = Site.of(stack)
        ledger = Ledger(site.connect())
        verdicts = [judge(path, *measure(site, ledger, path, options.pairs)) for path in ASKED]
    stack.remove()
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
