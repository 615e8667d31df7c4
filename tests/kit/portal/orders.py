"""tests/kit/portal/orders.py - orders in every state, made by the database's functions from facts
in a processor's form. Orders that wait for payment have the provider `test`, which makes them
payable; others have `stripe`. Without a configured Stripe nothing reads them, so their state stays.

    orders = Orders(site, account, member)
    order = orders.make("paid", refunded=250)     # its id

While a pack has an open order there is no other for it: make the open one last.
"""

from kit.database.orders import PACKS, PROVIDER, Portal, paid, unpaid

STATES = ("rejected", "review", "cancelled", "expired", "failed", "processing", "paid", "new", "open")
RECEIPT = {"url": "https://pay.stripe.com/receipts/payment/CAcaFwoVYWNjdF8x", "name": "Jane Q. Doe", "country": "DE",
           "card": "Visa, ends in 4242"}


def facts(order, state, price, changes):
    """The facts from a processor that put an order into this state."""
    return {"paid": lambda: paid(order, price=price, receipt=RECEIPT),
            "review": lambda: paid(order, price=price, discount=100),
            "rejected": lambda: paid(order, price=price, discount=100),
            "processing": lambda: unpaid(order, "complete", price=price, intent_status="processing"),
            "failed": lambda: unpaid(order, "complete", price=price, intent_status="requires_payment_method"),
            "expired": lambda: unpaid(order, "expired", price=price),
            "cancelled": lambda: unpaid(order, "expired", price=price)}[state]() | changes


class Orders(Portal):
    """Of one member, in the database of a site."""

    def __init__(self, site, account, member):
        super().__init__(Shared(site))
        self.account = account
        self.member = member
        self._price = {}

    def make(self, state="open", pack=2, **changes):
        """changes: of the facts, amounts in minor units."""
        provider = "test" if state in ("new", "open") else PROVIDER
        outcome, order = self.open(self.account, pack=pack, member=self.member, provider=provider)
        assert outcome == "new", f"an order is {outcome}"
        self._price[order] = PACKS[pack][1]
        if state != "new":
            self.session(self.account, order)
        if state == "open":
            self.sql("insert into test_payment (order_id, status) values (%s, 'open')", order)
        if state == "cancelled":
            self.sql("select order_cancel(%s, %s)", self.account, order)
        if state not in ("new", "open"):
            self.tell(order, state, **changes)
        if state == "rejected":
            self.sql("select order_decide(%s, %s, false, 'no', 'operator')", self.account, order)
        assert self.row(order, "state") == state, f"an order is {self.row(order, 'state')}, not {state}"
        return order

    def tell(self, order, state, **changes):
        """The processor's facts that lead to this state."""
        self.read(self.account, order, facts(order, state, self._price[order], changes))

    def spend(self, left):
        """Spend all credits of the account except this many."""
        self.sql("select ledger_credit(account_id, 5::smallint, %s - posted, gen_random_uuid(), 'spent')"
                 "  from account_balance where account_id = %s", left, self.account)


class Shared:
    """A site's database; every connection is the owner's."""

    def __init__(self, site):
        self.site = site

    def url(self, _role):
        return self.site.database
