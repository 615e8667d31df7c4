"""tests/kit/database/orders.py - orders as a portal and a processor make them, at the level of the
database."""

import json
import uuid

import psycopg2

PROVIDER = "stripe"
PACKS = {1: (250, 500), 2: (1500, 1500), 3: (5000, 3900)}  # credits, price in cents; 001-accounts.sql


def new_id():
    return str(uuid.uuid4())


def paid(order, /, **changes):
    """What a processor reports about a checkout that was paid in full; `price` is its price."""
    price = changes.pop("price", 1500)
    return {"status": "complete", "paid": "paid", "live": True, "live_wanted": True, "is_test": False,
            "currency": "USD", "amount": price, "tax": 0, "discount": 0, "order": order, "session": f"cs_{order}",
            "payment_ref": f"pi_{order}", "intent_status": "succeeded", "refunded": 0, "disputed": 0,
            "receipt": {"url": "https://example.com/r"}} | changes


def unpaid(order, status="open", /, **changes):
    return paid(order, status=status, paid="unpaid", payment_ref=None, intent_status=None, receipt=None) | changes


READS = {
    "open": lambda order: unpaid(order),
    "on its way": lambda order: unpaid(order, "complete", payment_ref=f"pi_{order}", intent_status="processing"),
    "declined": lambda order: unpaid(order, "complete", intent_status="requires_payment_method"),
    "given up": lambda order: unpaid(order, "complete", intent_status="canceled"),
    "expired": lambda order: unpaid(order, "expired"),
    "paid": lambda order: paid(order),
    "wrong": lambda order: paid(order, currency="EUR"),
    "free": lambda order: paid(order, paid="no_payment_required", amount=0, discount=1500),
}


class Portal:
    """One connection of a portal to a Database of kit.database.scratch, with a separate clock."""

    def __init__(self, db, role="tollgate_portal"):
        self.connection = psycopg2.connect(db.url(role))
        self.connection.autocommit = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def at(self, seconds):
        """Moves the clock forward by this much."""
        self.sql(f"set tollgate.clock_shift_ms = {int(seconds * 1000)}")

    def sql(self, statement, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def one(self, statement, *values):
        [[value]] = self.sql(statement, *values)
        return value

    def open(self, account, order=None, pack=2, provider=PROVIDER, ttl_s=3600, member=None):
        """(outcome, id)"""
        order = order or new_id()
        [(outcome, row)] = self.sql("select outcome, order_id::text from order_open(%s, %s, %s, %s::smallint, %s, %s)",
                                    account, order, member, pack, provider, ttl_s)
        return outcome, row or order

    def session(self, account, order, session=None):
        return self.one("select order_session(%s, %s, %s, %s, null)", account, order, session or f"cs_{order}",
                        f"https://checkout.stripe.com/{order}")

    def order(self, account, pack=2, **options):
        """An open order's id."""
        outcome, order = self.open(account, pack=pack, **options)
        assert outcome == "new" and self.session(account, order)
        return order

    def begin(self, account, order):
        return self.one("select payment_begin(%s, %s)", account, order)

    def apply(self, account, order, number, facts):
        return self.one("select payment_apply(%s, %s, %s, %s)", account, order, number, json.dumps(facts))

    def done(self, account, order, number):
        return self.one("select payment_events_done(%s, %s, %s)", account, order, number)

    def read(self, account, order, facts):
        """A complete read; returns the state afterwards."""
        number = self.begin(account, order)
        assert number is not None
        state = self.apply(account, order, number, facts)
        self.done(account, order, number)
        return state

    def buy(self, account, pack=2, order=None):
        """A paid order's id."""
        order = self.order(account, pack=pack, order=order)
        assert self.read(account, order, paid(order, price=PACKS[pack][1])) == "paid"
        return order

    def event(self, kind="checkout.session.completed", order=None, ref=None, event=None, provider=PROVIDER, state=1,
              refunded=None, created_s=0):
        """false: the event was known. created_s: whole seconds of the processor's clock."""
        return self.one("select payment_event_add(%s, %s, %s, %s, %s, true, to_timestamp(%s), sha256('x'),"
                        " %s::smallint, %s)",
                        provider, event or f"evt_{new_id()}", kind, ref, order, created_s, state, refunded)

    def due(self, provider=PROVIDER, limit=100):
        """{order: checkout} of what must be read."""
        return dict(self.sql("select order_id::text, session_ref from order_due(%s, %s)", provider, limit))

    def row(self, order, *columns):
        [row] = self.sql(f"select {', '.join(columns)} from purchase_order where order_id = %s", order)
        return row if len(columns) > 1 else row[0]
