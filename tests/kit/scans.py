"""tests/kit/scans.py - fills every slot of svc-security."""

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
    """One call for each slot of the worker at once, of (tool, request) in turn, each from its own
    source address; the account has no limits."""

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
        """[(tool, response, seconds)] of all."""
        answers = [asked.result() for asked in self._asked]
        self._pool.shutdown()
        return answers
