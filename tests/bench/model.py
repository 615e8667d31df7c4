"""tests/bench/model.py - a queueing model of paid calls: from the CPU time that each part takes for
a call, it computes the rate and the waiting of clients, also on other machines.

Events in virtual time. CPUs are pools that several parts may share; a pool gives its CPUs to the
jobs that wait for them in turns, QUANTUM_US each, as a kernel does. A call passes, for its client:

    load generator, edge, gateway, [start] daemon, gateway, [batch] gateway, edge, load generator

[batch]: each gateway sends the charges that wait as one batch, at most BATCH_MAX, over one
connection: batch_us of a CPU of the database, and item_us more for each charge, then commit_us for
the disk. Meanwhile charges gather for the next batch. [start]: a call that arrives during a batch
starts when the next one is sent (docs/decisions/007-one-write.md).
"""

import collections
import dataclasses
import heapq
import itertools
import random

QUANTUM_US = 200
BATCH_MAX = 128  # gateway/ledger/state.h


@dataclasses.dataclass(frozen=True)
class Costs:
    """Microseconds of CPU for a call, unless it says otherwise."""
    load: float    # the load generator; 0: it runs elsewhere
    edge: float
    gateway: float
    daemon: float
    batch: float   # of the database, for a batch of any size
    item: float    # the same, for each charge of it
    log: float     # the same, for each line of the request log, outside of the call's path
    commit: float  # the disk, no CPU, for a batch


class Pool:
    """CPUs in virtual time."""

    def __init__(self, clock, cpus):
        self._clock, self._free, self._waiting, self.busy_us = clock, cpus, collections.deque(), 0.0

    def run(self, us, then):
        """us: the mean of an exponential distribution."""
        self._waiting.append((self._clock.random(us), then))
        self._start()

    def _start(self):
        while self._free and self._waiting:
            us, then = self._waiting.popleft()
            turn = min(us, QUANTUM_US)
            self._free -= 1
            self.busy_us += turn
            self._clock.after(turn, lambda: self._end(us - turn, then))

    def _end(self, left, then):
        self._free += 1
        if left > 0:
            self._waiting.append((left, then))
        else:
            then()
        self._start()


class Clock:
    def __init__(self):
        self.now, self._events, self._order, self._dice = 0.0, [], itertools.count(), random.Random(1)

    def random(self, mean):
        return self._dice.expovariate(1 / mean) if mean > 0 else 0

    def after(self, us, work):
        heapq.heappush(self._events, (self.now + us, next(self._order), work))

    def run_until(self, us):
        while self._events and self._events[0][0] <= us:
            self.now, _, work = heapq.heappop(self._events)
            work()


class Ledger:
    """The ledger's thread of one gateway, and its connection."""

    def __init__(self, clock, database, costs):
        self._clock, self._database, self._costs = clock, database, costs
        self._charges, self._starts, self._is_busy, self.batches, self.items = [], [], False, 0, 0

    def start(self, then):
        if self._is_busy:
            self._starts.append(then)
        else:
            then()

    def charge(self, then):
        self._charges.append(then)
        self._send()

    def _send(self):
        starts, self._starts = self._starts, []
        if not self._is_busy and self._charges:
            self._is_busy = True
            batch, self._charges = self._charges[:BATCH_MAX], self._charges[BATCH_MAX:]
            self.batches, self.items = self.batches + 1, self.items + len(batch)
            cpu = self._costs.batch + self._costs.item * len(batch)
            self._database.run(cpu, lambda: self._clock.after(self._clock.random(self._costs.commit),
                                                                   lambda: self._end(batch)))
            self._database.run(self._costs.log * len(batch), lambda: None)
        for then in starts:
            then()

    def _end(self, batch):
        self._is_busy = False
        for then in batch:
            then()
        self._send()


def simulate(costs, clients, pools, gateways=1, seconds=2.0):
    """clients: each waits for its response before it sends the next call. pools: {name: CPUs}, with
    the parts that share them joined by +, as in {"edge+load": 1, "gateway+daemon+database": 1}.
    Returns rate a second, p50_ms, p99_ms, items a batch, and how busy each pool is."""
    clock = Clock()
    shared = {name: Pool(clock, cpus) for name, cpus in pools.items()}
    pool = {part: shared[name] for name in pools for part in name.split("+")}
    ledgers = [Ledger(clock, pool["database"], costs) for _ in range(gateways)]
    waits, warm_up = [], seconds * 1e6 / 4

    def call(ledger):
        began = clock.now

        def end():
            if clock.now >= warm_up:
                waits.append(clock.now - began)
            call(ledger)
        steps = [lambda go: pool["load"].run(costs.load / 2, go), lambda go: pool["edge"].run(costs.edge / 2, go),
                 lambda go: pool["gateway"].run(costs.gateway / 3, go), ledger.start,
                 lambda go: pool["daemon"].run(costs.daemon, go), lambda go: pool["gateway"].run(costs.gateway / 3, go),
                 ledger.charge,
                 lambda go: pool["gateway"].run(costs.gateway / 3, go), lambda go: pool["edge"].run(costs.edge / 2, go),
                 lambda go: pool["load"].run(costs.load / 2, go)]

        def step(number):
            if number == len(steps):
                end()
            else:
                steps[number](lambda: step(number + 1))
        step(0)

    for number in range(clients):
        clock.after(number * 10, lambda ledger=ledgers[number % gateways]: call(ledger))
    clock.run_until(seconds * 1e6)
    waits.sort()
    return {"rate": len(waits) / (seconds * 0.75), "p50_ms": waits[len(waits) // 2] / 1000,
            "p99_ms": waits[len(waits) * 99 // 100] / 1000,
            "items": sum(one.items for one in ledgers) / max(1, sum(one.batches for one in ledgers)),
            "busy": {name: one.busy_us / (pools[name] * seconds * 1e6) for name, one in shared.items()}}
