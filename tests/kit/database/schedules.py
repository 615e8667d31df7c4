"""tests/kit/database/schedules.py - random stories of orders, compared with what the ledger must
do.

A story has one account. A processor (a few lines of Python) makes checkouts; they are paid,
refunded and disputed. It sends webhooks, which are lost, duplicated, late and out of order. In half
of the stories, its reads lag behind its events by 0 to 120 seconds.

Portals read orders in single steps, and anything may happen between two steps: time passes, another
portal reads, the portal dies during or after its transaction, or the processor fails for days, so
that orders are abandoned. Meanwhile calls spend, hold and fail, the operator grants and decides,
and the job collects what is owed.

The model (truth.py) follows each statement; after each one, books and model must match. At the end
all events are delivered, as reconciliation does. Then the processor's state alone determines the
account's balance.
"""

import hashlib
import random
import uuid

import psycopg2

from kit.database.ledger import BATCH, PRICED_TOOLS, admission, items, settlement
from kit.database.orders import PACKS, Portal
from kit.database.truth import TTL_S, Model, Order, Processor, id_of

STEPS = 120
MINUTE, HOUR, DAY = 60, 3600, 86400
LAG_S = 2 * MINUTE
HOLD_MS = 2_000_000_000  # no call times out in a story


class Dead(Exception):
    """The portal died at this point."""


# -- a story --


class Story:
    def __init__(self, crew, rng, tell=lambda line: None):
        self._crew, self._rng, self._tell = crew, rng, tell
        self._processor = Processor(rng, rng.choice([0, LAG_S]))
        self._model = Model()
        self._account, self._token = crew.open_account(id_of(rng))
        self._holds = {}
        self._jobs = []
        self._is_calm = False  # no faults: every response arrives
        self._is_silent = False  # the processor does not respond

    def run(self, steps):
        acts = {self.buy: 6, self.buy_again: 1, self.pay: 9, self.money: 10, self.webhook: 10, self.work: 5,
                self.look: 8, self.go_on: 12, self.kill: 1, self.wait: 3, self.spend: 9, self.end_call: 3,
                self.grant: 1, self.cancel: 1, self.decide: 3, self.collect: 1, self.fall_silent: 1}
        plan = self._rng.choices(list(acts), acts.values(), k=steps)
        end_at = self._rng.randrange(steps) if self._rng.random() < 0.05 else None
        for step, act in enumerate(plan):
            if step == end_at:
                self.close()
            self._tell(act.__name__)
            act()
            self.compare()
        self.come_to_rest()

    # Each statement runs to its end, or is rolled back by a death, or commits without a response.
    def _do(self, portal, statement, follow=lambda result: None):
        fate = 1 if self._is_calm else self._rng.random()
        if fate < 0.03:
            portal.connection.autocommit = False
            statement()
            portal.connection.rollback()
            portal.connection.autocommit = True
            raise Dead
        result = statement()
        follow(result)
        if fate < 0.06:
            raise Dead
        return result

    # actions of people

    def buy(self):
        pack = self._rng.choice(list(PACKS))
        self._begin(self._buying(id_of(self._rng), pack))

    def buy_again(self):
        """A reload, or a retry after a lost response."""
        new = [order for order in self._model.orders.values() if order.state == "new"]
        if new:
            order = self._rng.choice(new)
            self._begin(self._buying(order.id, next(k for k, v in PACKS.items() if v[0] == order.credits)))

    def _buying(self, order, pack):
        portal, model = self._crew.portal(self._rng), self._model

        def opened(answer):
            if answer == ("new", order):
                model.orders[order] = Order(order, *PACKS[pack])

        outcome, _ = self._do(portal, lambda: portal.open(self._account, order, pack), opened)
        if outcome not in ("new", "same"):
            return
        yield
        if model.orders[order].state != "new":
            return
        self._processor.create(order, PACKS[pack][1])
        yield

        def made(is_open):
            mine = model.orders[order]
            assert is_open == (mine.state in ("new", "open") and not mine.cancel_asked)
            mine.session = f"cs_{order}"
            mine.state = "open" if mine.state == "new" else mine.state

        self._do(portal, lambda: portal.session(self._account, order), made)

    def pay(self):
        checkouts = [c for c in self._processor.checkouts.values() if c.status == "open"]
        waiting = [c for c in self._processor.checkouts.values() if c.intent == "processing"]
        if waiting and self._rng.random() < 0.5:
            self._processor.decide_late(self._rng.choice(waiting), self._rng.random() < 0.6)
        elif checkouts:
            self._processor.pay(self._rng.choice(checkouts), self._rng.random() < 0.25)

    def money(self):
        checkouts = [c for c in self._processor.checkouts.values() if c.paid == "paid"]
        if checkouts:
            self._processor.move_money(self._rng.choice(checkouts))

    def cancel(self):
        mine = [o for o in self._model.orders.values() if o.state in ("new", "open", "processing")]
        if mine:
            order = self._rng.choice(mine)
            after = self._crew.portal(self._rng).one("select order_cancel(%s, %s)", self._account, order.id)
            order.cancel()
            assert after == order.state

    def decide(self):
        mine = [o for o in self._model.orders.values() if o.state == "review"]
        if mine:
            order, accept = self._rng.choice(mine), self._rng.random() < 0.6
            state = self._crew.operator.one("select order_decide(%s, %s, %s, 'seen', 'op')", self._account, order.id,
                                            accept)
            if accept:
                order.accepted = True
                self._model.become_paid(order)
            else:
                order.state = "rejected"
            assert state == order.state

    def grant(self):
        model = self._model
        amount = self._rng.choice([1, 50, 400, -min(30, model.posted - model.held)])
        if amount:
            self._crew.operator.one("select ledger_credit(%s, 5::smallint, %s, %s, 'grant')", self._account, amount,
                                    id_of(self._rng))
            model.posted += amount
            model.collect()

    def close(self):
        self._crew.owner.sql("select account_lock(%s)", self._account)
        self._crew.owner.sql("update account set state = 'closed' where account_id = %s", self._account)
        self._model.is_closed = True
        for order in self._model.orders.values():
            if order.state in ("new", "open", "processing"):
                order.cancel()

    def fall_silent(self):
        """The processor stops, or responds again."""
        self._is_silent = not self._is_silent

    # calls

    def spend(self):
        """A call that is charged at once or holds its price; of nearly all credits, or of few."""
        model = self._model
        there = max(1, model.posted - model.held)
        amount = self._rng.choice([1, there, there, there, max(1, there // 2)])
        is_brief = self._rng.random() < 0.5
        hold = id_of(self._rng)
        outcome = self._crew.admit(self._account, hold, self._token, amount, None if is_brief else HOLD_MS)
        if model.is_closed:
            assert outcome == "account_closed"
        elif amount > model.posted - model.held:
            assert outcome == "insufficient_credits"
        elif is_brief:
            assert outcome == "captured"
            model.posted -= amount
        else:
            assert outcome == "admitted"
            model.held += amount
            self._holds[hold] = amount

    def end_call(self, is_charged=None):
        if self._holds:
            hold, amount = self._holds.popitem()
            is_charged = self._rng.random() < 0.5
            assert self._crew.end_call(self._account, hold, is_charged) == ("captured" if is_charged else "voided")
            self._model.held -= amount
            self._model.posted -= amount if is_charged else 0

    # actions of portals

    def collect(self):
        self._crew.portal(self._rng).one("select order_collect(10)")
        if self._model.posted > self._model.held:
            self._model.collect()

    def webhook(self):
        if self._processor.mailbag:
            bag = self._processor.mailbag
            self._receive(bag.pop(self._rng.randrange(len(bag))))

    def _receive(self, event):
        event_id, kind, ref, order, refunded, created = event
        self._crew.portal(self._rng).event(kind, order, ref, event_id, refunded=refunded, created_s=created)
        if order and kind.startswith("checkout."):
            self._model.orders[order].has_event = True

    def work(self):
        portal = self._crew.portal(self._rng)
        before, due = dict(self._states()), sorted(portal.due())
        for order, state in self._states():
            if state != before[order]:  # no checkout was made in time
                assert (before[order], state) == ("new", "cancelled")
                self._model.orders[order].state = state
        for order in due:
            assert order in self._model.orders, "an order of another story is due"
            self._begin(self._reading(order))

    def _states(self):
        return self._crew.owner.sql("select order_id::text, state from purchase_order where account_id = %s",
                                    self._account)

    def look(self):
        """The order's page asks, whatever is due."""
        known = [o.id for o in self._model.orders.values() if o.id in self._processor.checkouts and o.session]
        if known:
            self._begin(self._reading(self._rng.choice(known)))

    def _reading(self, order):
        portal, mine = self._crew.portal(self._rng), self._model.orders[order]

        def begun(number):
            assert number in (None, mine.read_no + 1)
            mine.read_no = number or mine.read_no

        number = self._do(portal, lambda: portal.begin(self._account, order), begun)
        if number is None:
            return
        yield
        checkout = self._processor.checkouts[order]
        if mine.cancel_asked:
            self._processor.expire(checkout)
            yield
        facts = self._processor.read(order)
        yield
        if not self._is_calm and (self._is_silent or self._rng.random() < 0.1):
            state = portal.one("select payment_missed(%s, %s, %s, 'no answer')", self._account, order, number)
            if state:
                self._model.give_up(mine, state)
            return

        def applied(state):
            assert state == self._model.apply(mine, number, facts)

        if self._do(portal, lambda: portal.apply(self._account, order, number, facts), applied) != "stale":
            yield
            self._do(portal, lambda: portal.done(self._account, order, number))

    def _begin(self, job):
        """A job that is interleaved with others, or one that finishes before the next action."""
        self._jobs.append(job)
        while job in self._jobs and self._rng.random() < 0.8:
            self._step(job)

    def _step(self, job):
        try:
            next(job)
        except (StopIteration, Dead):
            self._jobs.remove(job)

    def go_on(self):
        if self._jobs:
            self._step(self._rng.choice(self._jobs))

    def kill(self):
        if self._jobs:
            self._jobs.pop(self._rng.randrange(len(self._jobs)))

    def wait(self, seconds=None):
        seconds = seconds or self._rng.choice([1, 6, 45, 45, 45, 10 * MINUTE, 35 * MINUTE, 26 * HOUR, 74 * HOUR])
        self._processor.pass_time(seconds)
        self._crew.wait(seconds)

    # the check

    def compare(self):
        model = self._model
        rows = self._crew.owner.sql(
            "select order_id::text, state, refunded, disputed, reversed, owed from purchase_order"
            " where account_id = %s order by number", self._account)
        assert rows == [(o.id, o.state, o.refunded, o.disputed, o.reversed, o.owed) for o in model.orders.values()]
        assert self._crew.owner.sql("select posted, held from account_balance where account_id = %s",
                                    self._account) == [(model.posted, model.held)]

    def come_to_rest(self):
        """No more faults, and every event is delivered at last."""
        self._jobs.clear()
        self._is_calm = True
        while self._holds:
            self.end_call()
        for checkout in self._processor.checkouts.values():
            if checkout.intent == "processing":
                self._processor.decide_late(checkout, self._rng.random() < 0.5)
        self.wait(TTL_S + MINUTE)  # every checkout has expired
        for event in self._processor.events:
            self._receive(event)
        for seconds in (6 * MINUTE, HOUR, HOUR, DAY, DAY):
            self.wait(seconds)
            self.work()
            while self._jobs:
                self.go_on()
            self.collect()
            self.compare()
        assert self._crew.portal(self._rng).due() == {}
        self.check_truth()

    def check_truth(self):
        """The balance from the processor's final state, the grants and the spending; it uses no
        intermediate step."""
        credits = back = 0
        for order in self._model.orders.values():
            checkout = self._processor.checkouts.get(order.id)
            if checkout is None or order.session is None and checkout.facts()["order"] is None:  # no order refers to it
                assert order.state == "cancelled", order
            elif checkout.paid == "paid" and not checkout.wrong:
                assert (order.state == "paid" or self._model.is_closed and order.state in ("review", "rejected")
                        or order.given_up and order.state == "rejected"), order
            elif checkout.facts()["paid"] != "unpaid" and checkout.status == "complete":
                assert order.state in ("review", "rejected") or order.accepted, order
            elif checkout.status == "complete":  # cancelled: before a checkout was known
                assert order.state in ("failed", "cancelled") or order.given_up, order
            else:
                assert order.state in ("expired", "cancelled") or order.given_up, order
            if order.state == "paid":
                credits += order.credits
                total = checkout.total if checkout.facts()["paid"] == "paid" else 0
                back += order.credits * min(total, checkout.refunded + checkout.disputed) // total if total else 0
        [(given, spent)] = self._crew.owner.sql(
            "select coalesce(sum(amount) filter (where kind = 5), 0)::bigint,"
            "       coalesce(sum(amount) filter (where kind = 3), 0)::bigint from ledger_entry where account_id = %s",
            self._account)
        have = given + spent + credits - back
        assert (self._model.posted, sum(o.owed for o in self._model.orders.values())) == (max(have, 0), max(-have, 0))
        owner = self._crew.owner
        before = str(uuid.UUID(int=uuid.UUID(self._account).int - 1))
        assert owner.sql("select * from ledger_verify(%s, %s, true)", before, self._account) == []
        assert owner.one("select count(*) from mail where template = 'receipt' and recipient = %s",
                         self._account) == sum(o.state == "paid" for o in self._model.orders.values())
        assert owner.sql("select e.event_id from payment_event e join purchase_order o using (order_id)"
                         " where o.account_id = %s and e.state <> 2", self._account) == []


class Crew:
    """The processes of a story's database: two portals, a gateway, the operator; all with the same
    clock."""

    def __init__(self, db):
        self._portals = [Portal(db), Portal(db)]
        self.gateway, self.operator, self.owner = (Portal(db, f"tollgate_{role}") for role in
                                                   ("gateway", "operator", "owner"))
        self._seconds = 0
        self.owner.sql("alter table tool drop constraint if exists tool_price_check,"
                       " drop constraint if exists tool_price_before_check")  # calls of nearly all credits
        self.owner.sql(PRICED_TOOLS.format(most=30000))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in (*self._portals, self.gateway, self.operator, self.owner):
            one.connection.close()

    def portal(self, rng):
        return rng.choice(self._portals)

    def wait(self, seconds):
        self._seconds += seconds
        for one in (*self._portals, self.gateway, self.operator, self.owner):
            one.at(self._seconds)

    def open_account(self, account):
        """(account, digest of its token)"""
        digest = hashlib.sha256(account.encode()).digest()
        self.owner.sql(
            "insert into account (account_id, name, limits_off, created_at) values (%(a)s, 'x', true, now());"
            "insert into account_balance (account_id) values (%(a)s);"
            "insert into token (account_id, token_id, digest, last4, created_at)"
            " values (%(a)s, gen_random_uuid(), %(d)s, '', now());"
            "insert into member (member_id, account_id, email, email_key, password, password_at, created_at)"
            " values (gen_random_uuid(), %(a)s, %(a)s, %(a)s, '', now(), now())".replace("%(a)s", f"'{account}'")
            .replace("%(d)s", f"'\\x{digest.hex()}'"))
        return account, digest

    def _batch(self, statement, *values):
        """As a gateway: it repeats the call when another process holds the account for long."""
        while True:
            try:
                return self.gateway.one(statement, *values)
            except psycopg2.errors.LockNotAvailable:
                pass

    def admit(self, account, hold, token, amount, ttl_ms):
        return self._batch(f"select outcome from {BATCH}", items(),
                           items(admission(account, hold, token, amount, amount, endpoint_limit=30, ttl_ms=ttl_ms)))

    def end_call(self, account, hold, is_charged):
        return self._batch(f"select outcome from {BATCH}", items(settlement(1 if is_charged else 2, account, hold)),
                           items())


def tell_stories(db, seed, count, tell=None):
    """This many stories from a seed on; AssertionError names the seed that failed."""
    with Crew(db) as crew:
        for number in range(seed, seed + count):
            try:
                Story(crew, random.Random(number), tell or (lambda line: None)).run(STEPS)
            except BaseException:
                print(f"again: /usr/bin/python3 tests/check/payments.py --stories 1 --seed {number}", flush=True)
                raise
