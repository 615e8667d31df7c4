"""tests/bench/flood.py - the effect on customers and members of 300 sign-ins a second that guess
passwords, from 500 addresses. The goal is little effect.

Paid calls are made at a fixed rate as in isolation.py, first on an idle system. During the flood a
signed-in member also reads the dashboard, one with a known device signs in repeatedly, and others
sign in on new devices: each of them once, from another network. Their times are compared with
the same alone, before the flood. The portal rejects sign-ins above its hashing capacity at once;
address limits stop the guesses.
"""

import itertools
import json
import subprocess
import threading
import time
from pathlib import Path

from cost import cpu_seconds, cpu_spent, resident_mb, status_mb
from isolation import RATE, times_of_calls
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from kit.site import Site
from part import Failure
from portal import Reader, mark
from tools import percentile

HERE = Path(__file__).resolve().parent
ADDRESSES = 500
GUESSES = 300  # a second
CALLS_GOAL = 1.5
PAGE_GOAL_MS = 100
SIGN_IN_GOAL_S = 3
RESIDENT_GOAL_MB = 220
PAGE_PAUSE_S = 0.1
PARTS = ("portal-1", "postgres", "edge", "gateway-1")
SIGN_IN_PAUSE_S = 3  # a known device may try twice a minute forever, and ten times at once
NEW_DEVICES_ALONE = 20
SPARE_MEMBERS = 10
RETRY_S = 2  # PASSWORD_RETRY_S of portal/password/hash-queue.h
TRIES_MAX = 10


class Repeated(threading.Thread):
    """Calls act() repeatedly, with pauses; the seconds that each took."""

    def __init__(self, act, pause_s):
        super().__init__(daemon=True)
        self.times, self.failure = [], None
        self._act, self._pause_s, self._end = act, pause_s, threading.Event()

    def run(self):
        try:
            while not self._end.wait(self._pause_s):
                begin = time.monotonic()
                self._act()
                self.times.append(time.monotonic() - begin)
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    def finish(self):
        self._end.set()
        self.join()
        if self.failure:
            raise Failure(f"during the flood: {self.failure!r}")
        return self.times


def sign_in_again(member, refused):
    """An attempt in a browser that its owner has used before; failed ones go to `refused`."""
    visitor = member.sign_in()

    def sign_in():
        visitor.cookies.pop("__Host-session", None)
        page = member.give_password(visitor)
        if page.status_code != 200 or not page.url.startswith("/portal"):
            refused.append(page.status_code)
    return sign_in


class Newcomers:
    """Members who sign in on a new device from a network that has not tried yet: act() is one of
    them, until signed in. A rejected one waits as the response says, and tries again."""

    def __init__(self, site, count):
        self.rejected = 0
        self._site = site
        self._members = [Member(site) for _ in range(count)]
        self._networks = itertools.count()

    def act(self):
        visitor = Visitor(self._site, f"127.9.{next(self._networks)}.1")
        member = self._members.pop()
        for _ in range(TRIES_MAX):
            page = member.give_password(visitor)
            if page.status_code == 200 and page.url.startswith("/portal"):
                return
            if page.status_code != 503:
                raise Failure(f"a sign-in on a new device: {page.status_code}")
            self.rejected += 1
            time.sleep(RETRY_S)
        raise Failure(f"no sign-in on a new device after {TRIES_MAX} attempts")

    def timed(self):
        begin = time.monotonic()
        self.act()
        return time.monotonic() - begin


def tell_newcomers(alone, beside, rejected):
    before, now = percentile(alone, 50), percentile(beside, 50)
    print(f"    {'sign-in of a new device, p50':30} {before * 1000:6.0f} ms alone   {now * 1000:6.0f} ms during it   "
          f"= {now / before:.2f};   p95 {percentile(alone, 95) * 1000:.0f} and {percentile(beside, 95) * 1000:.0f} ms,"
          f" at most {max(beside):.2f} s of {len(beside)}, {rejected} rejected"
          f"{mark(max(beside) <= SIGN_IN_GOAL_S and not rejected, f'{SIGN_IN_GOAL_S} s')}")


def beside_the_flood(stack, pair, seconds, watched):
    """Times of paid calls, and the number of guesses by status."""
    guesses = subprocess.Popen(["/usr/bin/python3", HERE / "guesses.py", "localhost", str(stack.tls_port),
                                str(ADDRESSES), str(GUESSES)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if guesses.stdout.readline() != "connected\n":
            raise Failure("the guessing clients could not connect")
        for one in watched:
            one.start()
        times = times_of_calls(stack, pair, seconds)
        return times, json.loads(guesses.communicate(timeout=60)[0])
    finally:
        guesses.kill()
        guesses.wait()


def measure(stack, world, pair, seconds):
    """Print each effect with its goal. pair: account and token, without limits."""
    site = Site.of(stack, world)
    part = stack.parts["portal-1"]
    member = Member(site)
    reader = Reader(site, member)
    pages = Repeated(lambda: reader.get("/portal"), PAGE_PAUSE_S)
    refused = []
    sign_ins = Repeated(sign_in_again(Member(site), refused), SIGN_IN_PAUSE_S)
    newcomers = Newcomers(site, NEW_DEVICES_ALONE + seconds // SIGN_IN_PAUSE_S + SPARE_MEMBERS)
    arrivals = Repeated(newcomers.act, SIGN_IN_PAUSE_S)
    times_of_calls(stack, pair, 1)  # connections of the gateway and the edge are made once
    alone = times_of_calls(stack, pair, seconds)
    arrivals_alone = [newcomers.timed() for _ in range(NEW_DEVICES_ALONE)]
    if newcomers.rejected:
        raise Failure("a sign-in on a new device is rejected before the flood")
    Path(f"/proc/{part.pid}/clear_refs").write_text("5")  # its peak starts now (proc(5))
    begun = cpu_seconds(stack)
    beside, statuses = beside_the_flood(stack, pair, seconds, [pages, sign_ins, arrivals])
    arrivals_beside = arrivals.finish()
    spent = cpu_spent(begun, cpu_seconds(stack))
    peak = status_mb(part.pid, "VmHWM")
    page_ms = percentile(pages.finish(), 95) * 1000
    sign_in_s = max(sign_ins.finish())
    before, now = percentile(alone, 99), percentile(beside, 99)
    print(f"{GUESSES} sign-ins a second from {ADDRESSES} addresses for {seconds} s: {sum(statuses.values())} answers,"
          f" {', '.join(f'{count} × {status}' for status, count in sorted(statuses.items()))}")
    print("    processor, of one: " + "  ".join(f"{name} {spent[name] / seconds:.0%}" for name in PARTS))
    print(f"    {f'paid calls at {RATE}/s, p99':30} {before:6.1f} ms alone   {now:6.1f} ms during it   "
          f"= {now / before:.2f}{mark(now <= CALLS_GOAL * before, CALLS_GOAL)}")
    print(f"    {'dashboard, p95':30} {page_ms:6.1f} ms{mark(page_ms <= PAGE_GOAL_MS, f'{PAGE_GOAL_MS} ms')}")
    print(f"    {'sign-in of a known device':30} {sign_in_s:6.2f} s at most of {len(sign_ins.times)},"
          f" {len(refused)} rejected{mark(sign_in_s <= SIGN_IN_GOAL_S and not refused, f'{SIGN_IN_GOAL_S} s')}")
    tell_newcomers(arrivals_alone, arrivals_beside, newcomers.rejected)
    print(f"    {'resident at its peak':30} {peak:6.0f} MB, {resident_mb([part]):.0f} MB afterwards"
          f"{mark(peak < RESIDENT_GOAL_MB, f'{RESIDENT_GOAL_MB} MB')}", flush=True)
