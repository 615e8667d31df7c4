"""tests/bench/portal.py - the portal's pages and files for an account with a million entries over a
thousand days, among a hundred thousand others.

One member requests each page, one after the other, over one connection to the edge. The times are
the client's, including TLS and the edge. On a busy machine, compare the CPU time of portal and
database instead: without waiting, a page takes their sum, and a file has as many rows a second as
that time allows.
"""

import datetime
import time
from pathlib import Path

from cost import cpu_seconds, cpu_spent, resident_mb, status_mb
from history import CROWD, add_crowd, add_history
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from kit.site import Ledger, Site
from part import Failure
from tools import percentile

IDLE_GOAL_MB = 20
PAGE_GOAL_MS = 20
FILE_GOAL = 100_000  # rows a second
FILE_GOAL_MB = 16    # in addition to the present ones
ENTRIES = 1_000_000
DAYS = 1000
TIMEOUT_S = 120


class Reader:
    """A member's browser that keeps its connection."""

    def __init__(self, site, member):
        visitor = member.sign_in(Visitor(site))
        self._line = site.connection(visitor.address, TIMEOUT_S)
        self._headers = visitor._headers("GET", None)

    def get(self, path):
        """The body of a response that arrived."""
        self._line.request("GET", path, headers=self._headers)
        answer = self._line.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Failure(f"{path}: {answer.status} {body[:300]}")
        return body

    def timed(self, path):
        """Milliseconds until the last byte."""
        begin = time.monotonic()
        self.get(path)
        return (time.monotonic() - begin) * 1000


def pages(token):
    """What each is, and its path."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    year = f"/portal/usage?from={today - datetime.timedelta(days=365)}&to={today}"
    return [
        ("dashboard", "/portal"),
        ("usage, 30 days", "/portal/usage"),
        ("usage, 30 days long ago", f"/portal/usage?from={today - datetime.timedelta(days=900)}"
                                    f"&to={today - datetime.timedelta(days=871)}"),
        ("usage, 366 days", year),
        ("usage, 366 days, a tool", f"{year}&tool=hash-generate"),
        ("usage, 366 days, a token", f"{year}&token={token}"),
        ("usage, 366 days, both", f"{year}&tool=hash-generate&token={token}"),
        ("usage, 366 days, playground", f"{year}&token=playground"),
        ("usage, 366 days, older calls", f"{year}&before={ENTRIES * 7 // 10}"),
        ("ledger", "/portal/ledger"),
        ("ledger, older", f"/portal/ledger?before={ENTRIES // 2}"),
        ("security", "/portal/security"),
    ]


def mark(is_good, goal):
    return "" if is_good else f"   goal {goal}"


def with_cost(stack, work):
    """What work() returns, and the CPU seconds of portal and database meanwhile."""
    before = cpu_seconds(stack)
    result = work()
    spent = cpu_spent(before, cpu_seconds(stack))
    return result, spent["portal-1"], spent["postgres"]


def measure_page(stack, reader, what, path, count):
    size = len(reader.get(path))
    times, portal, database = with_cost(stack, lambda: [reader.timed(path) for _ in range(count)])
    p95 = percentile(times, 95)
    print(f"    {what:30} p50 {percentile(times, 50):6.1f}   p95 {p95:6.1f} ms   CPU ms: portal"
          f" {portal * 1000 / count:4.1f}  database {database * 1000 / count:4.1f}   {size / 1024:4.0f} KB"
          f"{mark(p95 < PAGE_GOAL_MS, f'{PAGE_GOAL_MS} ms')}", flush=True)


def measure_file(stack, reader, what, path):
    """The peak of its memory is reset first (proc(5), clear_refs)."""
    part = stack.parts["portal-1"]
    Path(f"/proc/{part.pid}/clear_refs").write_text("5")
    before = status_mb(part.pid, "VmRSS")
    begin = time.monotonic()
    rows, portal, database = with_cost(stack, lambda: reader.get(path).count(b"\r\n") - 1)
    rate = rows / (time.monotonic() - begin)
    more = status_mb(part.pid, "VmHWM") - before
    print(f"    {what:30} {rows} rows   {rate:.0f}/s   CPU µs a row: portal {portal * 1e6 / rows:.1f}  database"
          f" {database * 1e6 / rows:.1f}, together {rows / (portal + database):.0f}/s   {more:+.1f} MB"
          f"{mark(rate >= FILE_GOAL and more < FILE_GOAL_MB, f'{FILE_GOAL}/s, {FILE_GOAL_MB} MB')}", flush=True)


def tell_idle(stack):
    """Before the first visitor."""
    idle = resident_mb([stack.parts["portal-1"]])
    print(f"{'portal, resident when idle':36}{idle:9.1f} MB{mark(idle <= IDLE_GOAL_MB, f'{IDLE_GOAL_MB} MB')}")


def member_with_history(stack, world):
    member = Member(Site.of(stack, world), credits=10 * ENTRIES)
    add_crowd(stack.database())
    add_history(stack.database(), member.account, ENTRIES, DAYS)
    return member


def measure(stack, member, count):
    """Print the times of its pages and files."""
    [(token,)] = Ledger(member.site.connect()).rows("select token_id::text from token where account_id = %s"
                                                    " and kind = 1 limit 1", member.account)
    reader = Reader(member.site, member)
    print(f"the portal's pages, {ENTRIES} entries in {DAYS} days among {CROWD} accounts, {count} times each")
    for what, path in pages(token):
        measure_page(stack, reader, what, path, count)
    measure_file(stack, reader, "ledger.csv", "/portal/ledger.csv")
    measure_file(stack, reader, "usage.csv, 366 days", pages(token)[3][1].replace("usage?", "usage.csv?"))
