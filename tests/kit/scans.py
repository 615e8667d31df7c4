"""tests/kit/scans.py - svc-security with every slot taken."""

import concurrent.futures
import itertools
import time

from kit.client import Client
from kit.load import metric

DAEMON = "svc-security-1"
SLOTS = 256  # of svc-security/main.c


def running(stack):
    return metric(stack, DAEMON, "tollgate_jobs_running")


class Scans:
    """As many calls at once as the daemon has slots, of (tool, request) in turn, each from an address of its
    own; the account has no limits."""

    def __init__(self, site, account, requests):
        self._site, self._account = site, account
        self._pool = concurrent.futures.ThreadPoolExecutor(SLOTS)
        self._asked = [self._pool.submit(self._ask, *request)
                       for request in itertools.islice(itertools.cycle(requests), SLOTS)]

    def _ask(self, tool, request):
        begin = time.monotonic()
        return tool, Client(self._site).call(self._account, tool, request), time.monotonic() - begin

    def under_way(self):
        return sum(not asked.done() for asked in self._asked)

    def answers(self):
        """[(tool, answer, seconds)] of all."""
        answers = [asked.result() for asked in self._asked]
        self._pool.shutdown()
        return answers
