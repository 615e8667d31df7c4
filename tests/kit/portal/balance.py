"""tests/kit/portal/balance.py - a shop whose orders and balance transactions are compared, and the
report of `tollctl order reconcile --balance`.
"""

from part import wait_for

AGO = 3  # seconds between a transaction and the comparison: seconds are compared whole


class Quiet:
    """No order is due, and none was read since the last call."""

    def __init__(self, orders):
        self.orders, self.reads = orders, None

    def __call__(self):
        before = self.reads
        self.reads, busy = self.orders.one("select sum(read_no)::bigint, count(*) filter (where next_at is not null or"
                                           " read_until > ledger_now()) from purchase_order")
        self.orders.ask("update purchase_order set next_at = null where next_at is not null")
        return busy == 0 and self.reads == before


class Shop:
    def __init__(self, processor, orders, tell, account):
        self.processor, self.orders, self.tell, self.account = processor, orders, tell, account

    def buy(self):
        order = self.orders.open(self.account)
        session = self.processor.session_of(order)
        self.tell(self.processor.pay(session))
        self.orders.wait(order, "paid")
        self.is_earlier(order)
        return order, session

    def is_earlier(self, order):
        """The order is as old as its payment."""
        self.orders.ask("update purchase_order set created_at = created_at - interval '%s seconds'"
                        " where order_id = %s", AGO, order)

    def refund(self, order, session, amount, status="succeeded"):
        refund, event = self.processor.refund(session, amount, status)
        self.tell(event)
        wait_for(lambda: self.orders.row(order, "refunded") == self.refunded(session), 30, "the refund")
        return refund

    def refunded(self, session):
        intent = self.processor.sessions[session]["payment_intent"]
        return sum(r["amount"] for r in self.processor.refunds.values()
                   if r["payment_intent"] == intent and r["status"] not in ("failed", "canceled"))

    def dispute(self, order, session, **changes):
        dispute, event = self.processor.dispute(session, **changes)
        self.tell(event)
        wait_for(lambda: self.orders.row(order, "disputed") > 0, 30, "the dispute")
        return dispute

    def transactions_of(self, order, kind):
        session = self.processor.sessions[self.processor.session_of(order)]
        intent = self.processor.intents[session["payment_intent"]]
        sources = {intent["latest_charge"]["id"]} | {
            thing["id"] for thing in (*self.processor.refunds.values(), *self.processor.disputes.values())
            if thing["payment_intent"] == intent["id"]}
        return [txn for txn in self.processor.transactions if txn["source"] in sources and txn["type"] == kind]


def check_sums(report):
    """The tables add up to the cent."""
    for total in report["totals"]:
        listed = [row["difference"] for row in report["differences"]
                  if (row["what"], row["currency"]) == (total["what"], total["currency"])]
        assert total["difference"] == total["processor"] - total["ledger"] == sum(listed)
    for balance in report["balances"]:
        moved = [row for row in report["transactions"] if row["currency"] == balance["currency"]]
        assert balance["orders"] + balance["other"] == balance["total"] == sum(row["amount"] for row in moved)
        assert all(row["amount"] - row["fee"] == row["net"] for row in moved)
    assert report["ok"] == (report["differences"] == [])


def of(report):
    """The differences: {(order, what, currency): (ledger, processor)}."""
    return {(row["order"], row["what"], row["currency"]): (row["ledger"], row["processor"])
            for row in report["differences"]}


def total(report, what, currency="USD"):
    found = [row for row in report["totals"] if (row["what"], row["currency"]) == (what, currency)]
    return (found[0]["orders"], found[0]["ledger"], found[0]["processor"]) if found else None
