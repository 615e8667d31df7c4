"""tests/kit/portal/comparison.py - fixtures of the comparison with the processor's balance: a shop,
the command, false claims, and a day that portals compare.
"""

import contextlib
import json
import os
import subprocess
import time
import uuid

import pytest

from kit.database.orders import paid
from kit.load import metric
from kit.portal.balance import AGO, Quiet, Shop, check_sums
from kit.portal.payments import Hook
from kit.portal.shop import GRANT
from kit.site import Site
from part import Failure, wait_for

DAY_S = 86400
PORTALS = ("portal-1", "portal-2")


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(GRANT).id


@pytest.fixture
def tell(processor, stack):
    hook = Hook(stack)

    def send(event):
        assert hook.send(*processor.sign(event)).status_code == 200
    return send


@pytest.fixture
def shop(processor, orders, tell, account):
    """Afterwards all that it did is long ago: no later test compares it."""
    processor.ago = AGO
    yield Shop(processor, orders, tell, account)
    processor.behave()
    orders.settle()
    wait_for(Quiet(orders), 30, "orders that no portal reads")
    orders.ask("update purchase_order set created_at = created_at - interval '400 days',"
               " paid_at = paid_at - interval '400 days', applied_at = applied_at - interval '400 days'")
    for txn in processor.transactions:
        txn["created"] -= 400 * 86400


@pytest.fixture
def reconcile(stack):
    def run(*options, wanted=None, lag=0, live_since=""):
        command = [stack.build / "gateway" / "tollctl", "--config", stack.config, "--json", "order", "reconcile",
                   "--balance", "--lag", str(lag), *options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120,
                              env=as_operator(stack) | {"TOLLGATE_PAYMENTS_LIVE_SINCE": live_since})
        said = json.loads(done.stdout) if done.stdout else done.stderr
        assert wanted is None or done.returncode == wanted, (done.returncode, said)
        if isinstance(said, dict):
            check_sums(said)
        return said
    return run


def as_operator(stack):
    return os.environ | {"TOLLGATE_DB_OWNER_URL": stack.database("tollgate_operator")}


# -- claims --


def claim(shop, provider="stripe", session="", **facts):
    """An order that the portals' password claims to be paid."""
    order = str(uuid.uuid4())
    shop.orders.one("select outcome from order_open(%s, %s, null, 2::smallint, %s, 3600)", shop.account, order, provider)
    if session:
        shop.orders.one("select order_session(%s, %s, %s, 'https://localhost/', null)", shop.account, order, session + order)
    assert apply(shop, order, session, **facts) == "paid"
    shop.is_earlier(order)
    return order


def apply(shop, order, session, **facts):
    number = shop.orders.one("select payment_begin(%s, %s)", shop.account, order)
    said = paid(order, session=session + order, payment_ref=f"pi_{order[:8]}") | facts
    return shop.orders.one("select payment_apply(%s, %s, %s, %s)", shop.account, order, number, json.dumps(said))


TEST_FACTS = {"live": False, "live_wanted": False, "is_test": True}
CLAIMS = {
    "a checkout of tests": {"session": "cs_test_"} | TEST_FACTS,
    "no checkout": TEST_FACTS,
    "the provider of tests": {"provider": "test"} | TEST_FACTS,
    "the provider of tests, for real": {"provider": "test"},
    "another provider": {"provider": "nobody"},
    "a real checkout": {"session": "cs_live_"},
}


@pytest.fixture
def live(shop, tmp_path):
    """A live key, with which the processor shows no tests."""
    before, file = shop.processor.key, tmp_path / "live"
    shop.processor.key, shop.processor.is_live = "rk_live_51TollgateStub", True
    file.write_text(shop.processor.key)
    yield "--key-file", file
    shop.processor.key, shop.processor.is_live = before, False


# -- a day --


@pytest.fixture
def day(shop, stack):
    """The day before yesterday, which portals compare when it is due."""
    return Day(shop, stack)


class Day:
    def __init__(self, shop, stack):
        self.shop, self.stack = shop, stack
        self.start = int(time.time()) // DAY_S * DAY_S - 2 * DAY_S

    def move(self, order):
        """The order, its events and its transactions were on that day."""
        seconds = int(time.time()) - self.start - DAY_S // 2
        orders = self.shop.orders
        wait_for(Quiet(orders), 30, "orders that no portal reads")
        for table, columns in (("purchase_order", ("created_at", "paid_at", "applied_at")),
                               ("payment_event", ("received_at",)), ("order_reversal", ("at",))):
            moved = ", ".join(f"{column} = {column} - interval '{seconds} seconds'" for column in columns)
            orders.ask(f"update {table} set {moved} where order_id = %s", order)
        for kind in ("charge", "refund", "adjustment"):
            for txn in self.shop.transactions_of(order, kind):
                txn["created"] -= seconds

    def compare(self):
        """Let a portal compare it, and the days since. A turn ends with a time on the hour, or with
        another attempt in ten minutes; meanwhile it has a lease."""
        orders = self.shop.orders
        orders.ask("update job set cursor = %s, due_at = ledger_now() where name = 'balance'", str(self.start))
        wait_for(lambda: orders.one("select due_at > now_at and (due_at = date_trunc('hour', due_at)"
                                    " or due_at < now_at + interval '10 minutes')"
                                    " from job, ledger_now() now_at where name = 'balance'"), 60, "a comparison")

    def restart(self, key, live_since=""):
        """The portals, with this key."""
        self.shop.processor.change_key(key)
        for part in PORTALS:
            self.stack.parts[part].stop()
            self.stack.parts[part].env["TOLLGATE_PAYMENTS_LIVE_SINCE"] = live_since
        for part in PORTALS:
            self.stack.parts[part].start()

    def found(self):
        return {(str(order), what, currency): (ledger, there) for order, what, currency, ledger, there in
                self.shop.orders.ask("select order_id, what, currency, ledger, processor from reconcile_difference")}

    def metric(self, name, labels=""):
        """The largest of the portals'; -1: none has it."""
        found = [-1]
        for part in PORTALS:
            with contextlib.suppress(Failure, ConnectionError):
                found.append(metric(self.stack, part, f"tollgate_payment_balance_{name}{labels}"))
        return max(found)
