"""tests/faults/test_order_stories.py - fifty random stories of orders (tests/check/payments.py runs
more), and all possible changes of an account's orders at once."""

import random
from concurrent.futures import ThreadPoolExecutor


from kit.database.orders import PACKS, Portal, paid
from kit.database.schedules import HOLD_MS, Crew, id_of, tell_stories
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures


def test_random_stories(db):
    tell_stories(db, random.SystemRandom().randrange(1 << 32), 50)
    assert db.ask("verify", "--whole")["ok"]


def test_all_at_once(db):
    """No deadlock, nothing lost: eight connections change two accounts that buy, spend, owe and get
    refunds, with real locks."""
    rng = random.Random()
    truth = {}  # order: refunded, disputed; what a read finds that begins now or later

    def read(portal, account, order):
        number = portal.begin(account, order)
        if number is not None:
            refunded, disputed = truth[order]
            portal.apply(account, order, number, paid(order, refunded=refunded, disputed=disputed))
            portal.done(account, order, number)

    def hand(accounts):
        with Crew(db) as crew:
            portal = crew.portal(rng)
            for _ in range(60):
                account, token = rng.choice(accounts)
                order = rng.choice(orders[account])
                truth[order] = rng.choice([(0, 0), (500, 0), (500, 1500), (0, 1500)])
                portal.event("charge.refunded", ref=f"pi_{order}")
                read(portal, account, order)
                hold = id_of(rng)
                if crew.admit(account, hold, token, rng.randint(1, 900), rng.choice([None, HOLD_MS])) == "admitted":
                    crew.end_call(account, hold, rng.random() < 0.5)
                crew.operator.sql("select ledger_credit(%s, 5::smallint, 1, %s, 'x')", account, id_of(rng))
                rng.choice([lambda: portal.one("select order_collect(10)"), portal.due, lambda: portal.open(account),
                            lambda: portal.one("select order_cancel(%s, null)", account)])()

    with Crew(db) as crew, Portal(db) as portal:
        accounts = [crew.open_account(id_of(rng)) for _ in range(2)]
        orders = {account: [portal.buy(account) for _ in range(3)] for account, _ in accounts}
        truth.update((order, (0, 0)) for mine in orders.values() for order in mine)
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(hand, accounts) for _ in range(8)]:
                done.result()
        portal.at(60)  # the other read has finished
        for account, _ in accounts:
            for order in orders[account]:
                read(portal, account, order)
        portal.one("select order_collect(10)")
        for order, (refunded, disputed) in truth.items():
            credits, price = PACKS[2]
            assert sum(portal.row(order, "reversed", "owed")) == credits * min(price, refunded + disputed) // price
    assert db.sql("select count(*) from account_balance b where held > 0 or posted > 0 and exists"
                  " (select from purchase_order o where o.account_id = b.account_id and o.owed > 0)") == [(0,)]
    assert db.ask("verify", "--whole")["ok"]
