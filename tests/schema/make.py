"""tests/schema/make.py [--build build] - writes VERSION.sql.gz, a dump of a database of this
version with rows of every part of the product, and VERSION.json, what must be true of it for ever.

A release runs it once. tests/api/operator/test_schema.py reads the dumps of all releases into
the newest schema.
"""

import argparse
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "deploy/local")]
from kit.database.apps import Apps  # noqa: E402
from kit.database.buyers import Account  # noqa: E402
from kit.database.ledger import BATCH, admission, charge, hold, items, refund, settlement  # noqa: E402
from kit.database.orders import Portal, paid, unpaid  # noqa: E402
from kit.database.roots import Notary  # noqa: E402
from kit.database.scratch import maker, own_cluster  # noqa: E402
from postgres import BIN  # noqa: E402

CAPTURE, PAY = 1, 6
RESPONSE = b'{"hash": "stored"}'
SELLER = {"lines": ["Tollgate Ltd", "Dublin"], "tax_id": "IE1234567FA"}
ACME = {"company": "Acme GmbH", "line1": "Weg 1", "city": "Berlin", "country": "DE", "tax_type": "eu_vat",
        "tax_id": "DE123456789"}
PLAN = "plans:\n  business:\n    global_per_minute: 240\n    classes:\n      security: { endpoint_per_minute: 60 }\n"


def sha256(text):
    return hashlib.sha256(text.encode()).digest()


def batch(db, settles=(), admits=()):
    """The outcomes of items, as a gateway sends them."""
    return [outcome for outcome, in db.sql(f"select outcome from {BATCH}", items(*settles), items(*admits),
                                           role="tollgate_gateway")]


class Customer:
    """An account with a token, whose calls cost the price of hash-generate."""

    def __init__(self, db, name, *options):
        self.db = db
        self.account = db.ask("account", "create", name, "--credits", "1000")["account"]
        self.token = db.ask("token", "create", self.account, *options)["token"]
        [(self.tool, self.price)] = db.sql("select tool_id, price from tool where name = 'hash-generate'")

    def admission(self, number, **columns):
        return admission(self.account, number, sha256(self.token), self.tool, self.price, **columns)

    def pay(self):
        """A call of one write."""
        assert batch(self.db, admits=[self.admission(str(uuid.uuid4()), op=PAY)]) == ["captured"]

    def call_with_key(self, key, body, **columns):
        """A charged call whose response is stored; body None: in pieces."""
        number = str(uuid.uuid4())
        assert batch(self.db, admits=[self.admission(number, key=sha256(key), fingerprint=sha256("a request"),
                                                     ttl_ms=60000, **columns)]) == ["admitted"]
        if body is None:
            assert self.db.sql("select large_response_put(%s, %s, 0::smallint, 5, 'large')", self.account, number,
                               role="tollgate_gateway") == [(True,)]
        assert batch(self.db, [settlement(CAPTURE, self.account, number, headers="A: b\r\n",
                                          **({} if body is None else {"body": body}))]) == ["captured"]


def make_calls(db):
    """Calls of every kind; returns the customer with the keys "small" and "large"."""
    customer = Customer(db, "Ada", "--cap-daily", "500", "--name", "capped")
    db.ask("token", "create", customer.account, "--network", "192.0.2.0/24")
    for _ in range(3):
        customer.pay()
    customer.call_with_key("small", RESPONSE)
    customer.call_with_key("large", None, daily_limit=50)
    number = hold(db, customer.account, customer.price)
    assert batch(db, [settlement(2, customer.account, number)]) == ["voided"]
    refund(db, charge(db, customer.account, customer.price))
    hold(db, customer.account, customer.price)  # stays open
    db.ask("account", "grant", customer.account, "-7", "--note", "a correction")
    closed = Customer(db, "Bob")
    closed.pay()
    db.ask("account", "close", closed.account)
    return customer


def make_plan(db, folder, account):
    (folder / "plans.yaml").write_text(PLAN)
    db.ask("plan", "apply", folder / "plans.yaml")
    db.ask("account", "plan", account, "business", "--note", "a contract")


def make_orders(db):
    """{order: its state}"""
    buyer = Account(db)
    with Portal(db) as portal:
        portal.sql("select billing_save(%s, %s)", buyer.session(), json.dumps(ACME))
        orders = []
        for story in ([paid], [paid, lambda order: paid(order, refunded=500)],
                      [paid, lambda order: paid(order, disputed=1500, lost=1500)],
                      [lambda order: unpaid(order, "expired")], []):  # the last one stays open
            orders.append(portal.order(buyer))
            portal.event(order=orders[-1])
            for facts in story:
                portal.read(buyer, orders[-1], facts(orders[-1]))
        portal.one("select cardinality(invoice_issue('INV', %s, 100))", json.dumps(SELLER))
        return {order: portal.row(order, "state") for order in orders}


def make_app(db):
    """A connected app that refreshed once: {account, token}."""
    apps = Apps(db)
    account, member = apps.member()
    token, code = str(uuid.uuid4()), str(uuid.uuid4())
    assert apps.consent(apps.session(member), code, token) == "done"
    assert apps.exchange(account, code).outcome == "done"
    assert apps.refresh(account, token, 1).outcome == "done"
    apps.close()
    return {"account": account, "token": token}


def make_requests(db, customer):
    """A request in the log, and a call whose outcome is unknown."""
    record = {"token": 1, "id": str(uuid.uuid4()), "age_ms": 0, "tool_id": customer.tool, "route": "hash-generate",
              "surface": 1, "replayed": 0, "status": 200, "credits": customer.price, "total_us": 1500, "bytes_in": 20,
              "bytes_out": 200, "ignored": 0, "network": "192.0.2.0/24"}
    db.sql("select request_write(gen_random_uuid(), 1, array[%s::uuid], array[%s::bytea],"
           " array[jsonb_populate_record(null::request_record, %s)], '{}')", customer.account, sha256(customer.token),
           json.dumps(record), role="tollgate_gateway")
    db.sql("select unknown_outcome_write(array[%s::uuid], array[gen_random_uuid()], '{unknown}', '{0}')",
           customer.account, role="tollgate_gateway")


def standing(db):
    """{account: its sums and its newest entry's hash}"""
    return {row[0]: list(row[1:]) for row in db.sql(
        "select account_id::text, posted, held, granted, purchased, used, seq, encode(head, 'hex')"
        "  from account_balance order by account_id")}


def fill(db, folder):
    """Rows of every part; returns what must stay true."""
    customer = make_calls(db)
    make_plan(db, folder, customer.account)
    make_requests(db, customer)
    facts = {"account": customer.account, "token": customer.token, "orders": make_orders(db), "app": make_app(db)}
    notary = Notary(db, folder)
    notary.run()
    assert db.sql("select usage_count_up(%s, %s)", customer.account, sha256(customer.token),
                  role="tollgate_gateway") == [(True,)]
    db.ask("verify")  # stores what was verified
    return facts | {"root": notary.file.read_text().splitlines()[-1], "standing": standing(db)}


def dump(url, *options):
    """The dump as text, without the lines that only psql of the same day knows."""
    text = subprocess.run([BIN / "pg_dump", "--dbname", url, *options], check=True, capture_output=True, text=True).stdout
    return re.sub(r"^\\(un)?restrict .*\n", "", text, flags=re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=HERE.parents[1] / "build")
    options = parser.parse_args()
    [version] = re.findall(r"^  version: '(.+)',$", (HERE.parents[1] / "meson.build").read_text(), re.M)
    with tempfile.TemporaryDirectory() as folder, own_cluster() as cluster:
        db = maker(cluster, options.build, Path(folder))()
        db.ask("db", "migrate")
        facts = fill(db, Path(folder))
        (HERE / f"{version}.sql.gz").write_bytes(gzip.compress(dump(db.url("postgres")).encode(), mtime=0))
    (HERE / f"{version}.json").write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
