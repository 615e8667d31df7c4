"""tests/bench/run.py - `make bench`: the cost of a paid call compared with a bare charge, on this
machine, now.

Each row has a separate stack:

- the time inside the workers, tool by tool (tools.py)
- pgbench with single charges in the same PostgreSQL
- wrk through the edge over many accounts with normal limits: 64 clients, whose waiting counts, and
  256, which keep the CPUs busy
- one account without limits
- rejected calls
- paid calls with 10,000 connected, silent clients (fewer where open files are limited: the edge
  needs two per client)
- two gateways with the same hundred accounts, and one that joins (gateways.py)
- what a queueing model predicts, and what is measured then (capacity.py, model.py)
- a utility while svc-security runs as many scans as it can (isolation.py)
- calls over MCP and over REST, with caps and without, lists of tools and rejections
- calls of connected apps and of tokens, and what apps ask of two portals (apps.py)
- the members portal with a large account (portal.py), and during a flood of sign-ins (flood.py)
- only on request: books of a million accounts (books.py), and a third of the full load while the
  books are proved, backed up or pruned (upkeep.py)

Compare the ratios: each is the middle one of three or seven that were measured in turns, so they do
not depend on the machine. Exit status 1 if a response was wrong, or the ledger does not add up.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import secrets
import string
import subprocess
import sys
import tempfile
import uuid
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg2
import psycopg2.extras

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "deploy" / "local"), str(HERE.parent)]

import apps  # noqa: E402
import books  # noqa: E402
import capacity  # noqa: E402
import flood  # noqa: E402
import gateways  # noqa: E402
import isolation  # noqa: E402
import portal  # noqa: E402
import tools  # noqa: E402
import upkeep  # noqa: E402
from cost import cpu_seconds, cpu_spent, proportional_mb, resident_mb  # noqa: E402
from kit.database.ledger import RECHAIN  # noqa: E402
from kit.network import own_network  # noqa: E402
from kit.world import World  # noqa: E402
from part import Failure, command  # noqa: E402
from postgres import BIN  # noqa: E402
from stack import ROOT, Stack, interruptible  # noqa: E402

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
CREDITS = 10**9
WRK_CONNECTIONS = 64
FULL_CONNECTIONS = 256
PGBENCH_CLIENTS = 32
LISTING_CLIENTS, LISTING_PAUSE_MS = 40, 90  # some 400 lists a second
ROUNDS = 3
NEARBY_ROUNDS = 7  # where two loads differ by less than one of them differs between rounds
ADMITTED_FIRST = 60  # calls of the account that uses up its minute
TOOL = "tools/hash-generate"
PHRASE = '{"input":"The quick brown fox jumps over the lazy dog"}'
FLOOD_S = 60


def new_token():
    """As common/text/token.h describes it."""
    text = "tg_live_" + "".join(secrets.choice(BASE62) for _ in range(32))
    rest, check = zlib.crc32(text.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        check = BASE62[digit] + check
    return text + check


def open_accounts(database, count, limits_off, cap=None):
    """Accounts with tokens, optionally with caps, written directly, because tollctl would take
    minutes; (account, token) pairs."""
    pairs = [(str(uuid.uuid4()), new_token()) for _ in range(count)]
    ids = [(account,) for account, _ in pairs]
    tokens = [(account, str(uuid.uuid4()), hashlib.sha256(token.encode()).digest(), token[-4:])
              for account, token in pairs]
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        def insert(statement, rows, template):
            psycopg2.extras.execute_values(cursor, statement, rows, template, page_size=1000)
        insert("insert into account (account_id, name, limits_off, created_at) values %s", ids,
               f"(%s, 'bench', {limits_off}, now())")
        insert("insert into account_balance (account_id, posted, granted, seq) values %s", ids,
               f"(%s, {CREDITS}, {CREDITS}, 1)")
        insert("insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, at, hash)"
               " values %s", ids, f"(%s, 1, 1, {CREDITS}, {CREDITS}, gen_random_uuid(), now(), '')")
        cursor.execute(RECHAIN)
        caps = f"{cap}, {cap}, 0" if cap else "null, null, null"
        insert("insert into token (account_id, token_id, digest, last4, created_at, cap_daily, cap_total, spent_total)"
               " values %s", tokens, f"(%s, %s, %s, %s, now(), {caps})")
    return pairs


def prepare_bare_charges(stack, accounts):
    """Their tables. Paid calls must not pay for vacuum in the background."""
    with psycopg2.connect(stack.database()) as connection, connection.cursor() as cursor:
        cursor.execute("""
            create schema bench;
            create table bench.balance (id integer primary key, posted bigint not null,
                seq bigint not null) with (fillfactor = 40, autovacuum_enabled = off);
            create table bench.entry (id integer, seq bigint, amount bigint, balance_after bigint,
                at timestamptz, primary key (id, seq)) with (autovacuum_enabled = off);""")
        cursor.execute("insert into bench.balance select n, %s, 0 from generate_series(1, %s) n",
                       (CREDITS, accounts))


def settle_down(stack):
    """Vacuum and analyze the loaded tables now, so that autovacuum does not run during the first
    loads."""
    command(BIN / "psql", "-X", "-q", "-h", stack.cluster.socket, "-U", "postgres", "-d", "tollgate",
            "-c", "vacuum analyze", "-c", "checkpoint")


def bare_charges(stack, accounts, seconds):
    """Single charges of pgbench; their rate a second."""
    text = command(BIN / "pgbench", "-h", stack.cluster.socket, "-U", "tollgate_owner", "-n", "-M", "prepared",
                   "-c", PGBENCH_CLIENTS, "-j", 2, "-T", seconds, "-D", f"accounts={accounts}",
                   "-f", HERE / "charge.sql", "tollgate")
    return {"rate": float(re.search(r"tps = ([\d.]+)", text)[1])}


def calls(stack, pairs, seconds, body=PHRASE, connections=WRK_CONNECTIONS, urls=None, path=TOOL, pause_ms=0):
    """Load through the edge, or on these gateways; wrk's report about it, with each part's CPU time
    in µs a call. pause_ms: of a connection, between two calls."""
    with tempfile.NamedTemporaryFile("w", suffix=".accounts") as file:
        file.writelines(f"{account} {token}\n" for account, token in pairs)
        file.flush()
        before = cpu_seconds(stack)
        urls = urls or [stack.base_url]
        with ThreadPoolExecutor() as pool:
            loads = list(pool.map(lambda url: wrk(url, file.name, body, connections // len(urls), seconds, path, pause_ms),
                                  urls))
        after = cpu_seconds(stack)
    result = {key: sum(load[key] for load in loads) for key in ("calls", "refused", "broken")}
    result |= {key: max(load[key] for load in loads) for key in ("seconds", "p50_ms", "p99_ms")}
    result["rate"] = result["calls"] / result["seconds"]
    result["cpu_us"] = {name: seconds * 1e6 / max(1, result["calls"])
                        for name, seconds in cpu_spent(before, after).items()}
    return result


def wrk(url, accounts, body, connections, seconds, path, pause_ms):
    text = command("wrk", "-t", 2, "-c", connections, "-d", f"{seconds}s", "-s", HERE / "call.lua", url, "--",
                   accounts, body, path, pause_ms)
    return json.loads(re.search(r"^RESULT (.*)$", text, re.MULTILINE)[1])


def middle_round(reference, load, figure="rate", rounds=ROUNDS):
    """Both in turns, because a shared machine's speed changes; the round with the middle ratio of
    the figures."""
    loads = [(reference(), load()) for _ in range(rounds)]
    return sorted(loads, key=lambda pair: pair[1][figure] / pair[0][figure])[rounds // 2]


def refused_calls(stack, pairs, seconds):
    """Loads that are rejected, by status. The account of the 429s uses up its minute first."""
    outsiders = [(account, new_token()) for account, _ in pairs]
    busy = open_accounts(stack.database(), 1, limits_off=False)
    return {403: lambda: calls(stack, outsiders, seconds), 400: lambda: calls(stack, pairs, seconds, "{}"),
            429: lambda: calls(stack, busy, seconds)}


def calls_beside_idle_clients(stack, count, pairs, seconds):
    """The same load with this many connected clients; adds how many stayed and the edge's
    memory."""
    idle = subprocess.Popen(["/usr/bin/python3", HERE / "idle.py", "localhost", str(stack.tls_port),
                             str(count)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if idle.stdout.readline() != "connected\n":
            raise Failure("the idle clients could not connect")
        load = calls(stack, pairs, seconds)
        load["edge_mb"] = resident_mb([stack.parts["edge"]])
        load["idle"] = int(idle.communicate()[0])
    finally:
        idle.kill()
        idle.wait()
    return load


def tell(name, load, other_rate, other, refused=0):
    """Print a load compared with another's rate. refused: the share of its calls that must be
    rejected."""
    print(f"{name:36}{load['rate']:9.0f}/s   = {load['rate'] / other_rate:.2f} of {other}   "
          f"p50 {load['p50_ms']:.1f} ms   p99 {load['p99_ms']:.1f} ms")
    print("    CPU µs a call: " + "  ".join(f"{part} {us:.0f}" for part, us in load["cpu_us"].items()), flush=True)
    if load["broken"] or abs(load["refused"] - refused * load["calls"]) > ADMITTED_FIRST * refused:
        raise Failure(f"{name}: of {load['calls']} calls {load['refused']} were rejected, {load['broken']} broke")


def bench_tools(stack, _, options):
    (pair,) = open_accounts(stack.database(), 1, limits_off=True)
    tools.measure(stack, *pair, options.calls)


def bench_isolation(stack, world, options):
    (pair,) = open_accounts(stack.database(), 1, limits_off=True)
    isolation.measure(stack, world, pair, options.seconds)


def bench_agents(stack, _, options):
    """The cost of agents: a call over MCP and the same over REST, with caps and without, a list and
    a rejection."""
    many = open_accounts(stack.database(), options.accounts, limits_off=True)
    capped = open_accounts(stack.database(), options.accounts, limits_off=True, cap=CREDITS)
    settle_down(stack)
    paid = partial(calls, stack, many, options.seconds)
    for pairs in (many, capped):
        calls(stack, pairs, options.seconds)  # not counted, as above
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": "hash-generate", "arguments": json.loads(PHRASE)}}
    rest, mcp = middle_round(paid, partial(paid, body=json.dumps(message), path="mcp?tools=hash-generate"),
                             rounds=NEARBY_ROUNDS)
    tell("paid, over MCP", mcp, rest["rate"], "REST")
    print(f"    p99 {mcp['p99_ms'] / rest['p99_ms']:.2f} of REST")
    free, bound = middle_round(paid, lambda: calls(stack, capped, options.seconds), rounds=NEARBY_ROUNDS)
    tell("paid, by tokens with caps", bound, free["rate"], "without")
    listing = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    refused, listed = middle_round(partial(paid, body="{}"), partial(paid, body=listing, path="mcp"))
    tell("all tools listed", listed, refused["rate"], "rejected with 400")
    print(f"    CPU of the gateway {listed['cpu_us']['gateway-1'] / refused['cpu_us']['gateway-1']:.1f} of a 400's")

    def beside_lists():
        with ThreadPoolExecutor() as pool:
            lists = pool.submit(calls, stack, many, options.seconds, listing, LISTING_CLIENTS, path="mcp",
                                pause_ms=LISTING_PAUSE_MS)
            return paid() | {"lists": lists.result()["rate"]}

    alone, beside = middle_round(paid, beside_lists, rounds=NEARBY_ROUNDS)
    tell(f"paid, with {beside['lists']:.0f} lists a second", beside, alone["rate"], "alone")
    stack.tollctl("verify")


def bench_apps(stack, _, options):
    """Calls of connected apps at /mcp and of tokens at the account's URL, with equal caps; rejected
    tokens at both; and paid calls while apps refresh."""
    capped = open_accounts(stack.database(), options.accounts, limits_off=True, cap=CREDITS)
    accounts = [account for account, _ in capped]
    connected = [app[:2] for app in apps.connect(stack.database(), accounts, CREDITS)]
    refreshed = list(apps.refreshes(stack, apps.connect(stack.database(), accounts, CREDITS)))
    settle_down(stack)
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "hash-generate", "arguments": json.loads(PHRASE)}})
    load = partial(calls, stack, seconds=options.seconds, body=message)
    by_token = partial(load, capped, path="mcp?tools=hash-generate")
    by_app = partial(load, connected, path="/mcp?tools=hash-generate")
    for first in (by_token, by_app):
        first()  # not counted, as above
    token, app = middle_round(by_token, by_app, rounds=NEARBY_ROUNDS)
    tell("paid, by apps", app, token["rate"], "by tokens, over MCP")
    print(f"    p99 {app['p99_ms'] / token['p99_ms']:.2f} of tokens'")
    forbidden, unknown = middle_round(
        partial(load, [(account, new_token()) for account in accounts], path="mcp"),
        partial(load, [(account, apps.new_token(account)) for account in accounts], path="/mcp"), rounds=NEARBY_ROUNDS)
    tell("unknown tokens of apps, 401", unknown, forbidden["rate"], "other unknown tokens, 403", refused=1)
    print(f"    CPU of the gateway {unknown['cpu_us']['gateway-1'] - forbidden['cpu_us']['gateway-1']:+.1f} µs of a 403's")
    apps.tell_programs(stack, options.seconds)

    def beside_refreshes():
        with ThreadPoolExecutor() as pool:
            asked = pool.submit(apps.refresh, stack, refreshed, options.seconds)
            return by_token() | {"refreshes": asked.result()}

    alone, beside = middle_round(by_token, beside_refreshes, "p99_ms", NEARBY_ROUNDS)
    done = beside["refreshes"]
    tell(f"paid, with {done['rate']:.0f} refreshes a second", beside, alone["rate"], "alone")
    print(f"    p99 {beside['p99_ms'] / alone['p99_ms']:.2f} of alone   refresh p95 {done['p95_ms']:.1f} ms,"
          f" portals {done['cpu_us']:.0f} µs of CPU each{apps.told_busy(done)}")
    quiet = apps.refresh(stack, refreshed, options.seconds)
    late = quiet["p95_ms"] > apps.REFRESH_GOAL_MS
    print(f"{'refreshes alone':36}{quiet['rate']:9.0f}/s   p95 {quiet['p95_ms']:.1f} ms"
          f"{f'   goal {apps.REFRESH_GOAL_MS} ms' if late else ''}{apps.told_busy(quiet)}")
    stack.tollctl("verify")


def bench_gateways(stack, _, options):
    pairs = open_accounts(stack.database(), gateways.ACCOUNTS, limits_off=True)
    urls = [f"http://{address}:{port}" for address, port in stack.gateways]
    alone = partial(calls, stack, pairs, options.seconds, urls=urls[:1])
    both = partial(calls, stack, pairs, options.seconds, urls=urls)
    alone()  # not counted: a token's first call in five minutes is noted
    one, two = middle_round(alone, lambda: gateways.with_conflicts(stack, both))
    tell(f"paid, {gateways.ACCOUNTS} accounts, 2 gateways", two, one["rate"], "one gateway")
    gateways.tell_conflicts(two)
    edge = partial(calls, stack, pairs, options.seconds)
    whole, joined = middle_round(edge, lambda: gateways.while_one_joins(stack, edge), "p99_ms")
    tell("paid, a gateway joins", joined, whole["rate"], "without")
    print(f"    p99 {joined['p99_ms'] / whole['p99_ms']:.2f} of without")
    stack.tollctl("verify")


def bench_capacity(stack, _, options):
    many = open_accounts(stack.database(), options.accounts, limits_off=False)
    settle_down(stack)

    def load(clients, urls=None):
        return calls(stack, many, options.seconds, connections=clients, urls=urls)

    def shared(clients, urls):
        """Each gateway has its own accounts, as behind the edge."""
        parts = [many[n::len(urls)] for n in range(len(urls))]
        with ThreadPoolExecutor() as pool:
            loads = list(pool.map(lambda url, pairs: calls(stack, pairs, options.seconds, connections=clients // len(urls),
                                                           urls=[url]), urls, parts))
        return {"rate": sum(one["rate"] for one in loads)} | {
            key: max(one[key] for one in loads) for key in ("p50_ms", "p99_ms")}

    capacity.measure(stack, load, shared)
    stack.tollctl("verify")


def bench_portal(stack, world, options):
    (pair,) = open_accounts(stack.database(), 1, limits_off=True)
    portal.tell_idle(stack)
    member = portal.member_with_history(stack, world)
    settle_down(stack)
    portal.measure(stack, member, options.pages)
    isolation.share_processors(stack, world)  # as during scans: the portal's part has the share from compose.yaml
    flood.measure(stack, world, pair, FLOOD_S)
    stack.tollctl("verify")


def bench_calls(stack, _, options):
    print("memory when idle, MB: " + "  ".join(f"{name} {proportional_mb(part):.0f}" for name, part in stack.parts.items()
                                               if re.match("gateway|svc|portal|edge", name)), flush=True)
    many = open_accounts(stack.database(), options.accounts, limits_off=False)
    hot = open_accounts(stack.database(), 1, limits_off=True)
    prepare_bare_charges(stack, options.accounts)
    settle_down(stack)

    def paid(connections=WRK_CONNECTIONS):
        return calls(stack, many, options.seconds, connections=connections)

    paid()  # not counted: a token's first call in five minutes is noted, and here all come at once
    for connections in (WRK_CONNECTIONS, FULL_CONNECTIONS):
        bare, load = middle_round(lambda: bare_charges(stack, options.accounts, options.seconds),
                                  partial(paid, connections))
        print(f"{f'bare charges, {PGBENCH_CLIENTS} clients':36}{bare['rate']:9.0f}/s", flush=True)
        tell(f"paid, {connections} clients", load, bare["rate"], "bare charges")
    many_accounts, load = middle_round(paid, lambda: calls(stack, hot, options.seconds))
    tell("paid, one account", load, many_accounts["rate"], "many accounts")
    for status, refused in refused_calls(stack, many, options.seconds).items():
        charged, load = middle_round(paid, refused)
        tell(f"rejected, {status}", load, charged["rate"], "paid", refused=1)
    alone, beside = middle_round(paid, lambda: calls_beside_idle_clients(stack, options.idle, many, options.seconds),
                                 "p99_ms")
    tell(f"paid, with {beside['idle']} idle clients", beside, alone["rate"], "alone")
    print(f"    p99 {beside['p99_ms'] / alone['p99_ms']:.2f} of alone   edge {beside['edge_mb']:.0f} MB resident")
    stack.tollctl("verify")


def bench_books(stack, _, options):
    """Calls of each set before and after the books have grown, compared with bare charges at both
    times."""
    sets = [open_accounts(stack.database(), count, limits_off=True) for count in (books.BUSY, books.RARE)]
    prepare_bare_charges(stack, books.RARE)

    def load():
        settle_down(stack)
        for pairs in sets:
            calls(stack, pairs, options.seconds)  # not counted, as above
        bare = partial(bare_charges, stack, books.RARE, options.seconds)
        return [middle_round(bare, partial(calls, stack, pairs, options.seconds)) for pairs in sets]

    small = load()
    books.fill(stack.database(), options.books - books.BUSY - books.RARE)
    large = load()
    for pairs, before, after in zip(sets, small, large):
        for count, (bare, paid) in ((books.BUSY + books.RARE, before), (options.books, after)):
            tell(f"paid, {len(pairs)} of {count} accounts", paid, bare["rate"], "bare charges")
        books.tell_growth(before, after)
    for words in ((), (), ("--whole",)):
        books.tell_verify(stack, *words)


def bench_upkeep(stack, _, options):
    many = open_accounts(stack.database(), options.accounts, limits_off=True)
    books.fill(stack.database(), upkeep.ACCOUNTS)
    settle_down(stack)
    calls(stack, many, options.seconds)  # not counted: each token's first use is noted
    full = calls(stack, many, options.seconds)
    alone = partial(calls, stack, many, options.seconds,
                    pause_ms=round(WRK_CONNECTIONS * 1000 / (full["rate"] / 3) - full["p50_ms"]))
    pruning = upkeep.Pruning(stack)
    settle_down(stack)
    for name, together in {"verify --whole": partial(upkeep.repeated, partial(upkeep.verify, stack), alone),
                           "a backup": partial(upkeep.repeated, partial(upkeep.back_up, stack), alone),
                           "pruning": partial(pruning.during, alone)}.items():
        upkeep.tell_p99(name, *middle_round(alone, together, "p99_ms"))
    stack.tollctl("verify")


# The measurements, in this order, and the options of their stacks.
BENCHES = {
    "tools": (bench_tools, {}),
    "calls": (bench_calls, {"portals": 1}),
    "agents": (bench_agents, {}),
    "apps": (bench_apps, {"portals": 2}),
    "gateways": (bench_gateways, {"gateways": 2}),
    "capacity": (bench_capacity, {"gateways": 2}),
    "isolation": (bench_isolation, {}),
    "portal": (bench_portal, {"portals": 1}),
    "books": (bench_books, {"postgres": {"shared_buffers": "256MB"}}),  # compose.yaml's
    "upkeep": (bench_upkeep, {"postgres": {"shared_buffers": "256MB"}}),
}
ORDINARY = [name for name in BENCHES if name not in ("books", "upkeep")]


def run(name, options):
    """One of them, on a stack without address limits."""
    measure, parts = BENCHES[name]
    world = World(tempfile.mkdtemp(prefix="tollgate-bench-world-"))
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-bench-"), options.build, **parts,
                  settings=world.settings | {"egress.only": ["127.0.0.0/8"],
                                             "limits.unlimited_addresses": ["127.0.0.0/8"]},
                  edge={"EDGE_MAX_CONNECTIONS_PER_IP": 2000, "EDGE_CONNECTION_RATE_PER_IP": 100000,
                        "EDGE_MAX_REQUESTS_PER_IP": 2000, "EDGE_REQUEST_RATE_PER_IP": 1000000,
                        "EDGE_MAX_CONNECTIONS": max(options.idle + 2 * WRK_CONNECTIONS, 2 * FULL_CONNECTIONS)})
    try:
        with world, stack:
            measure(stack, world, options)
    finally:
        stack.remove()
        world.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--accounts", type=int, default=20000)
    parser.add_argument("--seconds", type=int, default=8, help="of each load")
    parser.add_argument("--calls", type=int, default=300, help="of each tool")
    parser.add_argument("--pages", type=int, default=100, help="times that each page of the portal is asked for")
    parser.add_argument("--only", nargs="+", choices=BENCHES, default=ORDINARY, help="and not the others")
    parser.add_argument("--books", type=int, default=1_000_000, help="accounts of large books")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    parser.add_argument("--idle", type=int, default=min(10000, files // 2 - 200), help="clients that only stay")
    options = parser.parse_args()
    inside = own_network()
    if inside:
        os.execvp(inside[0], [*inside, sys.executable, *sys.argv])
    interruptible()
    try:
        for name in options.only:
            run(name, options)
    except Failure as failure:
        sys.exit(f"make bench: {failure}")


if __name__ == "__main__":
    main()
