"""tests/ha/cluster.py - a stack on the database of tests/ha/nodes.py: gateway-1 connects through
HAProxy, gateway-2 and the portal with a list of hosts."""

import contextlib
import time

from kit.load import SETTINGS, Load, long_calls, metric
from kit.models import providers
from stack import Stack

BACK_S = 30       # maximum time until paid calls succeed again
CLIENTS = 4       # for each gateway


class HaStack(Stack):
    def __init__(self, directory, build, database, settings=None):
        passwords = {f"{name}password_file": str(database.password_file) for name in ("db.", "db.owner_", "portal.db_")}
        super().__init__(directory, build, gateways=2, portals=1, settings=SETTINGS | passwords | (settings or {}))
        self.cluster.release()  # the stack's usual cluster, which was not started
        self.cluster = database

    def database(self, role="tollgate_owner"):
        return self.cluster.url(role, password=True) + " target_session_attrs=read-write"

    def _start_database(self):
        self.cluster.start()

    def _gateway_parts(self):
        for part in super()._gateway_parts():
            if part.name == "gateway-1":
                part.env["TOLLGATE_DB_URL"] = self.cluster.balanced_url("tollgate_gateway")
            yield part


def write_providers(world):
    """A model that may take as long as its tool."""
    [usual] = providers.USUAL["providers"]
    providers.write(world.directory, world.models, providers.USUAL | {"providers": [usual | {"timeout_ms": 45_000}]})


class Crowds:
    """Clients of each gateway, while in `with`, and calls of ai-chat through the edge that take
    most of their budget. calls: all; long: those of ai-chat, which are there after `with`."""

    def __init__(self, stack, books):
        self._stack, self._site = stack, books.site
        self.accounts = [books.site.open_account(1000000, limits_off=True) for _ in range(3)]
        self.of = [Load(books.site, self.accounts, CLIENTS, [gateway]) for gateway in stack.gateways]
        self.long = []
        self._ends = contextlib.ExitStack()

    def __enter__(self):
        self.long = self._ends.enter_context(long_calls(self._site, self.accounts, self._jobs))
        for crowd in self.of:
            crowd.__enter__()
        self.wait_for_answers(30)
        return self

    def __exit__(self, *_):
        for crowd in self.of:
            crowd.stop()
        self._ends.close()

    def _jobs(self):
        return metric(self._stack, "svc-ai-1", "tollgate_jobs_running")

    @property
    def calls(self):
        return [call for crowd in self.of for call in crowd.calls] + self.long

    @property
    def faults(self):
        return [fault for crowd in self.of for fault in crowd.faults]

    def wait_for_answers(self, count, status=200, seconds=BACK_S, of=(0, 1)):
        for n in of:
            self.of[n].wait_for_answers(count, status, seconds)

    def wait_back(self, since, seconds=BACK_S, of=(0, 1)):
        """Wait until these gateways charge calls again that began after `since` and after the last
        failed one. Returns the longest time without a charged call at one of them."""
        silences = []
        for n in of:
            self.of[n].wait_for_answers(20, seconds=max(1, since + seconds - time.monotonic()))
            silences.append(silence(self.of[n].calls, since))
        return max(silences)


def silence(calls, since):
    """The longest time between two charged calls, from `since` on."""
    answered = sorted(call.ended for call in list(calls) if call.status == 200)
    times = [since, *(moment for moment in answered if moment > since)]
    return max((b - a for a, b in zip(times, times[1:])), default=0.0)
