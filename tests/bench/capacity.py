"""tests/bench/capacity.py - the model of model.py, compared with this machine: costs are measured
with one load, and the model predicts others, which are then measured, too.
"""

import os
import resource
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg2

import gateways
from cost import process_seconds
from model import Costs, simulate

FEW, SOME, MANY = 8, 64, 256  # clients
SYNCS = 200
PARTS = "load+edge+gateway+daemon+database"
EDGE_APART = {"load+edge": {0}, "gateway+daemon+database": {1}}
LANES = "select pid from pg_stat_activity where query like '%ledger_batch%' and pid <> pg_backend_pid()"
# What docs/performance.md predicts: a name, the number of gateways, and the pools of simulate().
MACHINES = [
    ("all on 2 CPUs", 1, {PARTS: 2}),
    ("all on 4 CPUs", 1, {PARTS: 4}),
    ("each part 2 CPUs", 1, {"load": 64, "edge": 2, "gateway": 2, "daemon": 2, "database": 2}),
    ("2 gateways, each part 2 CPUs, edge and gateways 4", 2,
     {"load": 64, "edge": 4, "gateway": 4, "daemon": 2, "database": 2}),
    ("4 gateways, edge and gateways 8, daemons and database 4", 4,
     {"load": 64, "edge": 8, "gateway": 8, "daemon": 4, "database": 4}),
    ("8 gateways, edge and gateways 16, daemons and database 8", 8,
     {"load": 64, "edge": 16, "gateway": 16, "daemon": 8, "database": 8}),
]
P99_MAX_MS = 100


def commit_us(stack):
    """The middle time to write a page and wait for the disk, where the database is."""
    with tempfile.NamedTemporaryFile(dir=Path(stack.cluster.socket).parent) as file:
        def sync():
            began = time.perf_counter()
            os.write(file.fileno(), bytes(8192))
            os.fdatasync(file.fileno())
            return time.perf_counter() - began
        return statistics.median(sync() for _ in range(SYNCS)) * 1e6


def asked(stack, query):
    """The rows of the database's superuser."""
    connection = psycopg2.connect(host=str(stack.cluster.socket), user="postgres", dbname="tollgate")
    with connection, connection.cursor() as cursor:
        cursor.execute(query)
        rows = cursor.fetchall()
    connection.close()
    return rows


def lanes(stack):
    """CPU seconds of the gateways' connections for batches."""
    return sum(process_seconds(pid) for pid, in asked(stack, LANES))


def written(stack):
    """Bytes of the write-ahead log so far, and of the entries with their indexes."""
    return asked(stack, "select pg_current_wal_lsn() - '0/0', pg_total_relation_size('ledger_entry')")[0]


def measured(stack, load):
    """The load's result, with what the ledger did and the load generator's CPU time, per call."""
    children, cpu, work = resource.getrusage(resource.RUSAGE_CHILDREN), lanes(stack), gateways.ledger_work(stack)
    result = load()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = gateways.ledger_work(stack)
    count = result["calls"]
    result["load_us"] = (after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime) * 1e6 / count
    result["lane_us"] = (lanes(stack) - cpu) * 1e6 / count
    result["items"] = (done["items"] - work["items"]) / (done["batches"] - work["batches"])
    return result


def part_us(result, name):
    return sum(us for part, us in result["cpu_us"].items() if part.startswith(name))


def costs_of(few, some, many, commit):
    """few and many have batches of different sizes: that gives the costs of a batch and an item."""
    item = (many["lane_us"] * many["items"] - few["lane_us"] * few["items"]) / (many["items"] - few["items"])
    return Costs(load=some["load_us"], edge=part_us(some, "edge"), gateway=part_us(some, "gateway"),
                 daemon=part_us(some, "svc-"), batch=(few["lane_us"] - item) * few["items"], item=item,
                 log=max(0, part_us(some, "postgres") - some["lane_us"]), commit=commit)


def processes(stack, part):
    """The processes of a part of the model."""
    names = {"edge": "edge", "gateway": "gateway-", "daemon": "svc-", "database": "postgres"}
    if part == "load":
        return [os.getpid()]
    return [pid for name, one in stack.parts.items() if name.startswith(names[part])
            for pid in (one.pid, *one.children())]


def place(pids, cpus):
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cpus)


@contextmanager
def placed(stack, pools):
    """Each pool's parts run on its CPUs."""
    try:
        for pool, cpus in pools.items():
            for part in pool.split("+"):
                place(processes(stack, part), cpus)
        yield
    finally:
        for pool in pools:
            for part in pool.split("+"):
                place(processes(stack, part), set(range(os.cpu_count())))


def tell(what, clients, predicted, result):
    print(f"{what:36}{clients:4} clients: {result['rate']:6.0f}/s, model {predicted['rate']:6.0f} = "
          f"{predicted['rate'] / result['rate']:.2f}   p50 {result['p50_ms']:.1f} and {predicted['p50_ms']:.1f} ms   "
          f"p99 {result['p99_ms']:.1f} and {predicted['p99_ms']:.1f} ms", flush=True)


def tell_machine(costs, name, count, pools):
    """The most calls a second with p99 below P99_MAX_MS, among numbers of clients."""
    best = max((simulate(costs, clients, pools, count, seconds=1) | {"clients": clients}
                for clients in (8, 16, 32, 64, 128, 256, 512, 1024)),
               key=lambda one: one["rate"] if one["p99_ms"] <= P99_MAX_MS else 0)
    busiest = max(best["busy"], key=lambda pool: best["busy"][pool])
    print(f"    {name}: {best['rate']:.0f}/s with {best['clients']} clients, p99 {best['p99_ms']:.0f} ms; "
          f"busiest: {busiest}, {best['busy'][busiest]:.0%}", flush=True)


def measure(stack, load, shared):
    """load(clients, urls): a load through the edge, or on this gateway without it; shared: on two,
    each with its own accounts."""
    load(SOME)  # not counted: a token's first call in five minutes is noted
    both, commit = {PARTS: os.cpu_count()}, commit_us(stack)
    few, some, many = (measured(stack, lambda clients=clients: load(clients)) for clients in (FEW, SOME, MANY))
    costs = costs_of(few, some, many, commit)
    before = written(stack)
    count = load(MANY)["calls"]
    wal, entries = (int(now - then) // count for now, then in zip(written(stack), before))
    print(f"a call writes {wal} bytes of write-ahead log, and {entries} bytes of entries with their indexes")
    print("costs, µs: " + "  ".join(f"{name} {value:.0f}" for name, value in vars(costs).items()), flush=True)
    for clients, result in ((SOME, some), (MANY, many)):
        tell("one gateway", clients, simulate(costs, clients, both), result)
    with placed(stack, EDGE_APART):
        for clients in (SOME, MANY):
            pools = {pool: len(cpus) for pool, cpus in EDGE_APART.items()}
            tell("edge and load generator on one CPU", clients, simulate(costs, clients, pools), load(clients))
    urls = [f"http://{address}:{port}" for address, port in stack.gateways]
    direct = costs_of(*(measured(stack, lambda clients=clients: load(clients, urls[:1])) for clients in (FEW, SOME, MANY)),
                      commit)
    for clients in (SOME, MANY):
        tell("two gateways, no edge", clients, simulate(direct, clients, both, gateways=2), shared(clients, urls))
    for machine in MACHINES:
        tell_machine(costs, *machine)
