"""tests/kit/portal/payments.py - orders in the database, and webhooks to portals.

    orders = Orders(database)
    order = orders.open(account)              # as a form does; or with a checkout of a processor
    Hook(stack, "portal-1").send(headers, body)
"""

import http.client
import time
import uuid

from kit.client import Answer
from part import wait_for

HOOK = "/hooks/stripe"
PACK, CREDITS, PRICE = 2, 1500, 1500
WAIT_S = 30


class Hook:
    """Webhooks to one portal, as the edge passes them on."""

    def __init__(self, stack, part="portal-1", address="203.0.113.7"):
        host, _, port = stack.parts[part].env["TOLLGATE_PORTAL_LISTEN"].rpartition(":")
        self._place, self._address = (host, int(port)), address

    def send(self, headers, body, path=HOOK, method="POST"):
        """An Answer; OSError or http.client.HTTPException if the connection breaks."""
        line = http.client.HTTPConnection(*self._place, timeout=WAIT_S)
        try:
            line.request(method, path, body.encode() if isinstance(body, str) else body,
                         {"X-Forwarded-For": self._address, "X-Forwarded-Proto": "https"} | headers)
            response = line.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            line.close()


EVENTS, BACK = 5, 500  # of tell_in_order(); a credit costs a cent


def tell_in_order(orders, processor, tell, account, way):
    """An order that is paid, refunded twice in part, disputed, and the dispute won: five events,
    sent in the order that `way` gives. Returns the order's state, and the refunded and disputed
    amounts."""
    order = orders.open(account)
    session = processor.session_of(order)
    events = [processor.pay(session), processor.refund(session, 300)[1], processor.refund(session, BACK - 300)[1]]
    dispute, told = processor.dispute(session, 1000)
    events += [told, processor.end_dispute(dispute, "won")]
    for number in way:
        tell(events[number])
    def is_done():
        orders.hurry_events(order)
        return orders.events(order) == [2] * EVENTS
    wait_for(is_done, WAIT_S, f"{EVENTS} events of {order} that are done")
    return orders.row(order, "state", "reversed", "disputed")


class Orders:
    """database: a connection of the owner, in autocommit mode; processor: kit/portal/processor.py,
    or None."""

    def __init__(self, database, processor=None):
        self.database, self.processor = database, processor

    def ask(self, statement, *values):
        with self.database.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def one(self, statement, *values):
        row, = self.ask(statement, *values)
        return row[0] if len(row) == 1 else row

    def open(self, account, pack=PACK, provider="stripe", has_checkout=True):
        """An order that waits to be paid; its id."""
        order = str(uuid.uuid4())
        outcome = self.one("select outcome from order_open(%s, %s, null, %s::smallint, %s, 3600)", account, order,
                           pack, provider)
        if outcome == "reuse":  # the portal would redirect a person to it
            self.ask("update purchase_order set expires_at = ledger_now() + interval '14 minutes'"
                     " where account_id = %s and state = 'open'", account)
            return self.open(account, pack, provider, has_checkout)
        assert outcome == "new", outcome
        if has_checkout:
            session = self.checkout(order)
            assert self.one("select order_session(%s, %s, %s, %s, null)", account, order, session["id"],
                            session["url"])
        return order

    def checkout(self, order):
        """The processor makes a checkout, and its response is lost."""
        account, credits, amount, currency, ends = self.one(
            "select account_id::text, credits, amount, lower(currency), extract(epoch from expires_at)::bigint"
            "  from purchase_order where order_id = %s", order)
        return self.checkout_of(order, account, credits, amount, currency, ends)

    def checkout_of(self, order, account, credits=CREDITS, amount=PRICE, currency="usd", ends=None):
        """A checkout as a portal makes it; the database need not have the order. account None: as
        an earlier version made it."""
        more = {"metadata[account_id]": account, "metadata[credits]": str(credits)} if account else {}
        ends = ends or int(time.time()) + 3600
        return self.processor.do_create({"Idempotency-Key": order}, more | {
            "mode": "payment", "line_items[0][quantity]": "1", "line_items[0][price_data][currency]": currency,
            "line_items[0][price_data][unit_amount]": str(amount),
            "line_items[0][price_data][product_data][name]": "credits", "client_reference_id": order,
            "metadata[order_id]": order, "payment_intent_data[metadata][order_id]": order,
            "customer_email": "jane@example.com", "success_url": "https://localhost/",
            "cancel_url": "https://localhost/", "expires_at": str(ends), "adaptive_pricing[enabled]": "false"})

    def state(self, order):
        return self.one("select state from purchase_order where order_id = %s", order)

    def row(self, order, *columns):
        return self.one(f"select {', '.join(columns)} from purchase_order where order_id = %s", order)

    def wait(self, order, state, seconds=WAIT_S):
        wait_for(lambda: self.state(order) == state, seconds, f"order {order} in state {state}")

    def wait_for_amounts(self, order, reversed_, owed, seconds=WAIT_S):
        wait_for(lambda: self.row(order, "reversed", "owed") == (reversed_, owed), seconds,
                 f"{order} with {reversed_} reversed, {owed} owed")

    def hurry(self):
        """Waiting reads become due now; a running read does not change."""
        self.ask("update purchase_order set next_at = ledger_now() where next_at > ledger_now()"
                 " and (read_until is null or read_until < ledger_now())")
        self.hurry_events()

    def hurry_events(self, order=None):
        """Of one order, or of all, except orders that a portal is reading: waiting for several of
        them could block it."""
        self.ask("update payment_event set next_at = ledger_now() where (provider, event_id) in"
                 " (select provider, event_id from payment_event"
                 "  where state = 1 and (%s::uuid is null or order_id = %s) for update skip locked)", order, order)

    def forsake(self):
        """As if the portal that reads had died long ago."""
        self.ask("update purchase_order set read_until = ledger_now() where read_until > ledger_now()")
        self.hurry()

    def posted(self, account):
        return self.one("select posted from account_balance where account_id = %s", account)

    def entries(self, account):
        """(kind, amount) of all entries that do not belong to calls, in order."""
        return self.ask("select kind, amount::integer from ledger_entry where account_id = %s and kind not in (3, 4)"
                        " order by seq", account)

    def events(self, order):
        """States of the order's events."""
        return [state for state, in self.ask("select state from payment_event where order_id = %s order by event_id",
                                             order)]

    def settle(self, seconds=WAIT_S):
        """Speed up until no event waits and no read is running."""
        def is_settled():
            self.hurry()
            return not self.ask("select 1 from payment_event where state = 1 union all"
                                " select 1 from purchase_order where read_until > ledger_now() limit 1")
        wait_for(is_settled, seconds, "events that are all done")


