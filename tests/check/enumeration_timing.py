"""tests/check/enumeration_timing.py - whether the response time shows if an address has an account.

    /usr/bin/python3 tests/check/enumeration_timing.py [--build build] [--pairs 150]

asks /portal/sign-in (with a wrong password), /portal/forgot and /portal/sign-up for a member's
address and for an unknown one, in turns, through the edge. The median difference may be 5 % or a
quarter of a millisecond. It measures up to six times as many pairs if the machine is busy.
"""

import argparse
import math
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
ROUNDS = 6
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
    """Seconds for the member's address, and how much longer the unknown one of the pair took."""
    browser, member = Browser(site), Member(site)
    known, differences = [], []
    for i in range(pairs):
        ledger.rows("delete from throttle")
        seconds = {}
        turns = [("known", member.email), ("unknown", fresh_email("nobody"))]
        for who, email in turns if i % 2 else reversed(turns):
            seconds[who] = browser.seconds(path, email)
        known.append(seconds["known"])
        differences.append(seconds["unknown"] - seconds["known"])
    return known, differences


def bounds(values):
    """Between these two, the true median lies with a confidence of 99 %, whatever the distribution:
    the ranks n/2 -+ 2.576 sqrt(n)/2 (normal approximation of the binomial)."""
    values, reach = sorted(values), 1.288 * math.sqrt(len(values))
    return values[int(len(values) / 2 - reach)], values[math.ceil(len(values) / 2 + reach) - 1]


def judge(site, ledger, path, pairs):
    """Measure until the median difference is known well enough. On a busy machine that takes more
    pairs."""
    known, differences = [], []
    for _ in range(ROUNDS):
        for all_values, new in zip((known, differences), measure(site, ledger, path, pairs)):
            all_values += new
        allowed = max(SHARE * statistics.median(known), FLOOR_S)
        low, high = bounds(differences)
        if high <= allowed and low >= -allowed or low > allowed or high < -allowed:
            break
    is_good = -allowed <= low and high <= allowed
    print(f"{path}: {statistics.median(known) * 1000:.3f} ms for a member, {low * 1000:+.3f} to {high * 1000:+.3f} ms"
          f" more for an unknown address ({len(known)} pairs), may differ by {allowed * 1000:.3f} ms:"
          f" {'good' if is_good else 'THEY DIFFER, or the machine is too busy'}", flush=True)
    return is_good


def main():
    parser = argparse.ArgumentParser(description="Compare response times for known and unknown addresses.")
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--pairs", type=int, default=150)
    options = parser.parse_args()
    interruptible()
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-timing-"), options.build, settings=SETTINGS, portals=1)
    with stack:
        site = Site.of(stack)
        ledger = Ledger(site.connect())
        verdicts = [judge(site, ledger, path, options.pairs) for path in ASKED]
    stack.remove()
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
