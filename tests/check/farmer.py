"""tests/check/farmer.py - an attacker who opens accounts for their free credits, mixed with honest
sign-ups.

    /usr/bin/python3 tests/check/farmer.py [--build build] [--seed N]

Two days in a scratch database: 10,000 attempts a day from 2,000 networks and 50 domains, whose mail
goes to one host on the first day and to public mail hosts on the second, mixed with 1,000 normal
sign-ups: 700 at mailbox providers, 300 at 150 domains, up to 5 a network. The budgets are those of
a new installation. The keys are those that portal/entry/mail-hosts.c finds for such domains;
tests/unit and tests/api/portal/test_signup_budgets.py prove that.
"""

import collections
import hashlib
import random
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import psycopg2

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.database.scratch import allow_shifts  # noqa: E402
from kit.database.seeded import arguments, own_database  # noqa: E402

ATTEMPTS, NETWORKS, DOMAINS = 10000, 2000, 50
AT_PROVIDERS, AT_DOMAINS, ORDINARY_DOMAINS, A_NETWORK = 700, 300, 150, 5
THREADS = 8
DAY_MS = 86400000
GRANT, OF_DOMAIN, ON_ONE_HOST = 100, 9, 1000


class SignUp(NamedTuple):
    who: str  # "farmer", "ordinary"
    domain: str
    keys: list
    network: str


def farm(day, host_keys):
    """The attacker's attempts of a day."""
    for n in range(ATTEMPTS):
        domain = f"farm{n % DOMAINS}-{day}.example"
        network = n % NETWORKS
        yield SignUp("farmer", domain, [f"domain {domain}", *host_keys], f"10.{network // 256}.{network % 256}.0/24")


def ordinary(day):
    """Providers have no budget; a third of the domains has a private mail host, the others a public
    one."""
    for n in range(AT_PROVIDERS + AT_DOMAINS):
        network = f"172.16.{n // A_NETWORK}.0/24"
        if n < AT_PROVIDERS:
            yield SignUp("ordinary", "gmail.com", [], network)
            continue
        domain = f"company{n % ORDINARY_DOMAINS}-{day}.example"
        own = [f"address 192.0.{n % ORDINARY_DOMAINS}.0/24", f"host {domain}"] if n % ORDINARY_DOMAINS % 3 == 0 else []
        yield SignUp("ordinary", domain, [f"domain {domain}", *own], network)


def open_account(line, number, sign_up):
    """The portal's steps: the form, the look-up, the link. Returns the outcome."""
    email = f"{sign_up.who}{number}@{sign_up.domain}"
    link = str(uuid.UUID(bytes=hashlib.sha256(f"{email} {number}".encode()).digest()[:16]))
    with line.cursor() as cursor:
        cursor.execute("select link_sign_up(%s, gen_random_uuid(), %s, %s)", (link, email, email))
        cursor.execute("select link_budgets(%s, %s::text[])", (link, sign_up.keys))
        cursor.execute("select member_open(%s, %s, gen_random_uuid(), 'x', 'hash', %s)", (link, link, sign_up.network))
        [[outcome]] = cursor.fetchall()
    return outcome


def run_day(database, day, sign_ups):
    """{(who, domain): outcomes}"""
    def work(part):
        line = psycopg2.connect(database.url("tollgate_portal"))
        line.autocommit = True
        with line.cursor() as cursor:
            cursor.execute(f"set tollgate.clock_shift_ms = {day * DAY_MS}")
        outcomes = [(sign_up, open_account(line, f"{day}-{number}", sign_up)) for number, sign_up in part]
        line.close()
        return outcomes

    numbered = list(enumerate(sign_ups))
    seen = collections.defaultdict(collections.Counter)
    with ThreadPoolExecutor(THREADS) as pool:
        for outcomes in pool.map(work, [numbered[n::THREADS] for n in range(THREADS)]):
            for sign_up, outcome in outcomes:
                seen[sign_up.who, sign_up.domain][outcome] += 1
    return seen


def gained(seen, who):
    """Credits, by domain."""
    return {domain: GRANT * outcomes["done"] for (person, domain), outcomes in seen.items() if person == who}


def judge(day, seen, has_one_host):
    farmer = gained(seen, "farmer")
    refused = sum(outcomes["withheld"] for (who, _), outcomes in seen.items() if who == "ordinary")
    print(f"day {day}: the farmer gains {sum(farmer.values())} credits of {ATTEMPTS} attempts, at most"
          f" {max(farmer.values())} of a domain; of {AT_PROVIDERS + AT_DOMAINS} honest sign-ups {refused} are rejected",
          flush=True)
    assert refused == 0, "honest sign-ups get no grant"
    assert sum(outcomes.total() for outcomes in seen.values()) == ATTEMPTS + AT_PROVIDERS + AT_DOMAINS
    if has_one_host:
        assert sum(farmer.values()) < ON_ONE_HOST, "one mail host gives too much"
    assert max(farmer.values()) <= GRANT * OF_DOMAIN, "a domain gives more than its budget"


def main():
    given = arguments(__doc__)
    rng = random.Random(given.seed)
    with own_database(given.build) as database:
        allow_shifts(database)
        for day, host_keys in enumerate([["address 198.51.100.0/24", "host barn.example"], []], 1):
            sign_ups = [*farm(day, host_keys), *ordinary(day)]
            rng.shuffle(sign_ups)
            judge(day, run_day(database, day, sign_ups), bool(host_keys))
        database.ask("verify", "--whole")
    print("the budgets hold")


if __name__ == "__main__":
    main()
