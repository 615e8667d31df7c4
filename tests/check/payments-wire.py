"""tests/check/payments-wire.py - checks that Stripe's own client accepts the stand-in for Stripe
(tests/kit/portal/processor.py), which the portal's tests depend on, and that its balance
transactions have the members and types of that client's declarations. It also sends five events of
an order to two portals, in each of their 120 orders: the result is always the same.

    /usr/bin/python3 tests/check/payments-wire.py [--build build]

The client is the npm package stripe, pinned by stripe/package-lock.json and installed into the
build folder.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

import psycopg2  # noqa: E402

from kit.portal.payments import BACK, CREDITS, EVENTS, Hook, Orders, tell_in_order  # noqa: E402
from kit.portal.processor import Processor  # noqa: E402
from kit.site import Site  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

SETTINGS = {"egress.only": ["127.0.0.0/8", "::1"], "portal.poll_ms": 20}
STEPS = 6
PINNED = Path(__file__).resolve().parent / "stripe"


def install(build):
    home = build / "stripe"
    home.mkdir(parents=True, exist_ok=True)
    for file in PINNED.iterdir():
        shutil.copy(file, home)
    if not (home / "node_modules" / "stripe").exists():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home,
                       check=True)
    return home


def obey(processor, wish):
    """What the client cannot do itself."""
    if wish["do"] == "pay":
        processor.pay(wish["session"])
    elif wish["do"] == "refunds":
        for _ in range(wish["count"]):
            processor.refund(wish["session"], 10)
        processor.end_refund(next(reversed(processor.refunds)))
    elif wish["do"] == "dispute":
        processor.dispute(wish["session"])
        processor.move("payout", "payout", -100)
        processor.move("stripe_fee", "fee", -25)
    elif wish["do"] == "sign":
        headers, body = processor.sign(processor.events[0])
        return {"header": headers["Stripe-Signature"], "body": body}
    return {}


def run(home, processor):
    stub = {"url": processor.url, "key": processor.key, "secret": processor.secret}
    environment = os.environ | {"NODE_EXTRA_CA_CERTS": str(processor.ca_file), "STUB": json.dumps(stub)}
    done = 0
    with subprocess.Popen(["node", "client.mjs"], cwd=home, env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as client:
        for line in client.stdout:
            said = json.loads(line)
            if "did" in said:
                print(f"ok  {said['did']}")
                done += 1
            else:
                print(json.dumps(obey(processor, said)), file=client.stdin, flush=True)
    return client.returncode == 0 and done == STEPS


def check_transactions(home, processor):
    """Each balance transaction is what the client's declarations say: no member is missing, none is
    unknown, and each has its type."""
    shown = processor.do_balance({}, {"created[gte]": "0", "created[lt]": str(1 << 40), "limit": "100"})["data"]
    (home / "transactions.ts").write_text(
        f'import Stripe from "stripe";\nexport const all: Stripe.BalanceTransaction[] = {json.dumps(shown, indent=1)};\n')
    checked = subprocess.run(["tsc", "--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--module",
                              "nodenext", "transactions.ts"], cwd=home, stdout=subprocess.PIPE, text=True)
    print(checked.stdout or f"ok  {len(shown)} balance transactions as declared")
    return checked.returncode == 0


def tell_all(stack, processor):
    """Each event goes to one of two portals, in turns."""
    hooks = itertools.cycle([Hook(stack, "portal-1"), Hook(stack, "portal-2")])
    account = Site.of(stack).open_account(0).id

    def tell(event):
        assert next(hooks).send(*processor.sign(event)).status_code == 200
    orders = Orders(psycopg2.connect(stack.database()), processor)
    orders.database.autocommit = True
    ways = list(itertools.permutations(range(EVENTS)))
    for way in ways:
        end = tell_in_order(orders, processor, tell, account, way)
        assert end == ("paid", BACK, 0), f"sent in the order {way}: {end}"
    assert orders.posted(account) == len(ways) * (CREDITS - BACK)
    print(f"ok  {len(ways)} orders of {EVENTS} events")


def tell_all_at_portals(build, processor):
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-payments-"), build, gateways=1, daemons=0, portals=2,
                  settings=SETTINGS | processor.settings())
    with stack:
        tell_all(stack, processor)
        stack.tollctl("verify", "--whole")
    stack.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    options = parser.parse_args()
    interruptible()
    home = install(options.build.resolve())
    with tempfile.TemporaryDirectory() as folder:
        processor = Processor(folder)
        try:
            ok = run(home, processor) and check_transactions(home, processor)
            processor.forget()
            tell_all_at_portals(options.build, processor)
        finally:
            processor.close()
    sys.exit(0 if ok else "Stripe's client does not accept the stand-in")


if __name__ == "__main__":
    main()
