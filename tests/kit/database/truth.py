"""tests/kit/database/truth.py - the expected result of a story of orders: the processor's state,
and a model of the ledger.

schedules.py makes the stories, and compares.
"""

import uuid
from dataclasses import dataclass, field

from kit.database.orders import paid

TTL_S = 3600
UNPAID = ("new", "open", "processing", "failed", "expired", "cancelled", "review")


def id_of(rng):
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


# -- the processor's state --


@dataclass
class Checkout:
    order: str
    price: int
    expires_at: float
    wrong: dict  # facts that do not match
    status: str = "open"
    paid: str = "unpaid"
    intent: str = None
    refunded: int = 0
    disputed: int = 0
    past: list = field(default_factory=list)  # (time, facts), the oldest first

    @property
    def total(self):
        return self.wrong.get("amount", self.price) if self.paid == "paid" else 0

    def facts(self):
        return paid(self.order, price=self.price, status=self.status, paid=self.paid, intent_status=self.intent,
                    payment_ref=f"pi_{self.order}" if self.intent else None, refunded=self.refunded,
                    disputed=self.disputed) | self.wrong

    def keep(self, now):
        """Remember the facts of this time."""
        self.past.append((now, self.facts()))

    def read(self, at):
        """The facts of that time; those of the creation, if it is later."""
        return ([self.past[0][1]] + [facts for time, facts in self.past if time <= at])[-1]


WRONG = [{"currency": "EUR"}, {"amount": 7}, {"discount": 100}, {"order": None}, {"live": False},
         {"paid": "no_payment_required", "amount": 0, "discount": 500}]


class Processor:
    """Makes each order's checkout once, and stores every event. With lag_s, a read shows the state
    of up to that many seconds ago, as from a replica, while events report the newest one."""

    def __init__(self, rng, lag_s=0):
        self._rng, self._lag_s = rng, lag_s
        self.checkouts = {}
        self.events = []   # all, in the order of its event list
        self.mailbag = []  # webhooks in flight
        self.now = 0

    def create(self, order, price):
        if order not in self.checkouts:
            wrong = self._rng.choice(WRONG) if self._rng.random() < 0.2 else {}
            self.checkouts[order] = Checkout(order, price, self.now + TTL_S, wrong)
            self.checkouts[order].keep(self.now)
        return self.checkouts[order]

    def read(self, order):
        return self.checkouts[order].read(self.now - self._rng.uniform(0, self._lag_s))

    def tell(self, kind, checkout):
        checkout.keep(self.now)
        is_named = kind.startswith("checkout.") or self._rng.random() < 0.5  # otherwise it only has its payment
        order = checkout.order if is_named and checkout.wrong.get("order", "") is not None else None
        ref = f"cs_{checkout.order}" if kind.startswith("checkout.") else f"pi_{checkout.order}"
        refunded = checkout.refunded if kind == "charge.refunded" else None
        event = (f"evt_{id_of(self._rng)}", kind, ref, order, refunded, self.now)
        self.events.append(event)
        self.mailbag += [event] * self._rng.choice([0, 1, 1, 1, 2, 3])

    def pass_time(self, seconds):
        self.now += seconds
        for checkout in self.checkouts.values():
            if checkout.status == "open" and checkout.expires_at <= self.now:
                self.expire(checkout)

    def expire(self, checkout):
        if checkout.status == "open":
            checkout.status = "expired"
            self.tell("checkout.session.expired", checkout)

    def pay(self, checkout, is_late):
        checkout.status, checkout.intent = "complete", "processing" if is_late else "succeeded"
        checkout.paid = "unpaid" if is_late else "paid"
        self.tell("checkout.session.completed", checkout)

    def decide_late(self, checkout, is_good):
        checkout.intent = "succeeded" if is_good else "requires_payment_method"
        checkout.paid = "paid" if is_good else "unpaid"
        self.tell(f"checkout.session.async_payment_{'succeeded' if is_good else 'failed'}", checkout)

    def move_money(self, checkout):
        """A refund, or its failure; a dispute, or its end."""
        left = checkout.total - checkout.refunded
        kind = self._rng.choice(["refund", "refund", "fail", "dispute", "dispute", "won"])
        if kind == "refund" and left > 0:
            checkout.refunded += self._rng.choice([left, self._rng.randint(1, left)])
            self.tell("charge.refunded", checkout)
        elif kind == "fail" and checkout.refunded:
            checkout.refunded -= self._rng.randint(1, checkout.refunded)
            self.tell("refund.failed", checkout)
        elif kind == "dispute" and checkout.total:
            checkout.disputed = self._rng.choice([checkout.total, self._rng.randint(1, checkout.total)])
            self.tell("charge.dispute.created", checkout)
        elif kind == "won" and checkout.disputed:
            checkout.disputed = 0
            self.tell("charge.dispute.closed", checkout)


# -- the expected state of the ledger --


@dataclass
class Order:
    id: str
    credits: int
    price: int
    state: str = "new"
    session: str = None
    has_event: bool = False  # one that names its checkout
    cancel_asked: bool = False
    accepted: bool = False
    given_up: bool = False
    total: int = 0
    refunded: int = 0
    disputed: int = 0
    reversed: int = 0
    owed: int = 0
    read_no: int = 0

    def target(self):
        if self.state != "paid" or not self.total:
            return 0
        return self.credits * min(self.total, self.refunded + self.disputed) // self.total

    def cancel(self):
        self.cancel_asked = True
        if self.state == "new" and self.session is None and not self.has_event:
            self.state = "cancelled"

    def fits(self, facts):
        return (facts["order"] == self.id and facts["session"] == (self.session or facts["session"])
                and facts["live"] is facts["live_wanted"] and facts["currency"] == "USD"
                and facts["amount"] - facts["tax"] == self.price and facts["discount"] == 0)


@dataclass
class Model:
    posted: int = 0
    held: int = 0
    is_closed: bool = False
    orders: dict = field(default_factory=dict)

    def settle(self, order):
        taken = min(order.target() - order.reversed, self.posted - self.held)
        self.posted -= taken
        order.reversed += taken
        order.owed = order.target() - order.reversed

    def collect(self):
        for order in self.orders.values():  # oldest first
            if order.owed:
                self.settle(order)

    def become_paid(self, order):
        order.state = "paid"
        self.posted += order.credits
        self.settle(order)
        self.collect()

    def give_up(self, order, state):
        """Nobody could read it for three days; the model does not know whether an event for it was
        delivered."""
        waited = order.state in ("new", "open", "processing")
        quiet = "cancelled" if order.cancel_asked else "expired"
        assert state == order.state and not waited or state == "review" and order.state in UNPAID or \
            state == quiet and order.state in ("new", "open")
        order.state, order.given_up = state, True

    def apply(self, order, number, facts):
        if number != order.read_no:
            return "stale"
        was, fits = order.state, order.fits(facts)
        order.session = facts["session"] if fits else order.session
        done, money = facts["status"] == "complete", facts["paid"]
        if was in UNPAID and done and money != "unpaid":
            order.total = facts["amount"] if money == "paid" else 0
            order.state = "paid" if fits and money == "paid" and not self.is_closed else "review"
            order.session = order.session or facts["session"]
        elif was in ("new", "open", "processing") and done:
            order.state = "failed" if facts["intent_status"] == "requires_payment_method" else "processing"
        elif was in ("new", "open") and facts["status"] == "expired":
            order.state = "cancelled" if order.cancel_asked else "expired"
        if was == "paid" and order.accepted and not order.total and money == "paid":
            order.total = facts["amount"]  # accepted while nobody could read it
        if was != "paid" or order.accepted or (facts["order"] == order.id and facts["live"]):
            order.refunded, order.disputed = facts["refunded"], facts["disputed"]
        if order.state == "paid" and was != "paid":
            self.become_paid(order)
        elif order.state == "paid":
            self.settle(order)
        self.collect()
        return order.state
