"""tests/api/ledger/test_order_facts.py - `tollctl verify` compares a paid order with its facts,
pack and routes."""

import json

import pytest

from kit.database.ledger import RECHAIN
from kit.database.orders import Portal, new_id, paid
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures


@pytest.fixture(scope="module")
def shop(new_database, migrated):
    """A database with a paid order, one with a refund, and one that an operator accepted."""
    database = new_database(migrated._name)
    account = database.ask("account", "create", "buyer")["account"]
    with Portal(database) as portal:
        order = portal.buy(account)
        refunded = portal.order(account)
        portal.read(account, refunded, paid(refunded, refunded=300))
        odd = portal.order(account)
        portal.read(account, odd, paid(odd, currency="EUR"))
    database.ask("order", "accept", odd, "--note", "n")
    database.ask("verify", "--whole")
    return database, account, order


def violations(database):
    status, out, _ = database.run("verify", "--whole", "--json")
    return status, {check["invariant"] for check in json.loads(out)["checks"] if not check["ok"]}


INVENTED = """
    with b as (update account_balance set posted = posted + 5000, purchased = purchased + 5000, seq = seq + 1
                where account_id = %(account)s returning seq, posted),
    e as (insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, at, hash)
          select %(account)s, seq, 2, 5000, posted, %(new)s, now(), '' from b)
    insert into purchase_order (account_id, order_id, pack_id, credits, amount, currency, provider, state,
                                created_at, expires_at, paid_at, total)
    values (%(account)s, %(new)s, 3, 5000, 3900, 'USD', 'stripe', 'paid', now(), now(), now(), 3900)"""

@pytest.mark.parametrize("damage", [
    INVENTED,
    "update purchase_order set facts = null where order_id = %(order)s",
    "update purchase_order set session_ref = null where order_id = %(order)s",
    "update purchase_order set session_ref = 'cs_other' where order_id = %(order)s",
    "update purchase_order set payment_ref = 'pi_other' where order_id = %(order)s",
    "update purchase_order set facts = facts || '{\"order\": \"other\"}' where order_id = %(order)s",
    "update purchase_order set facts = facts || '{\"paid\": \"unpaid\"}' where order_id = %(order)s",
    "update purchase_order set facts = facts || '{\"amount\": 1400}' where order_id = %(order)s",
    "update purchase_order set facts = facts || '{\"currency\": \"EUR\"}' where order_id = %(order)s",
    "update purchase_order set total = 1 where order_id = %(order)s",
    "update purchase_order set amount = 1 where order_id = %(order)s",
    "update purchase_order set currency = 'EUR' where order_id = %(order)s",
    "update purchase_order set disputed = 1 where order_id = %(order)s",
    "update purchase_order set pack_id = 3 where order_id = %(order)s",
    "delete from order_route where ref = %(order)s",
    "delete from order_route where ref = 'pi_' || %(order)s",
    "update order_route set order_id = gen_random_uuid() where ref = 'cs_' || %(order)s"])
def test_contradictions(new_database, shop, damage):
    original, account, order = shop
    database = new_database(original._name)
    known = {"account": account, "order": order, "new": new_id()}
    database.sql("".join(damage % {k: f"'{v}'" for k, v in known.items()}).replace("%", "%%") + RECHAIN,
                 role="postgres")
    status, broken = violations(database)
    assert (status, 12 in broken) == (1, True)
    assert broken <= {12, 13}  # a dispute must also be taken back


@pytest.mark.parametrize("other", [{}, {"payment_ref": "pi_other"}, {"payment_ref": None}])
def test_a_newer_read_that_disagrees_is_not_a_violation(new_database, shop, other):
    """Alert OrdersMismatched reports it."""
    original, account, order = shop
    database = new_database(original._name)
    with Portal(database) as portal:
        portal.read(account, order, paid(order, amount=1) | other)
        assert portal.row(order, "state", "disagrees_at is not null") == ("paid", True)
    database.ask("verify", "--whole")


def test_a_pack_doubled_with_its_orders_and_entries(new_database, shop):
    """Packs, orders, entries and balances agree; only the hashes of the entries do not."""
    database = new_database(shop[0]._name)
    database.sql("""
        update pack set credits = credits * 2 where pack_id = 2;
        update purchase_order set credits = credits * 2, reversed = reversed * 2 where pack_id = 2;
        update order_reversal set credits = credits * 2;
        alter table ledger_entry disable trigger ledger_entry_is_final;
        update ledger_entry set amount = amount * 2 where kind in (2, 6);
        update ledger_entry e set balance_after = (select sum(amount) from ledger_entry o
                                                    where o.account_id = e.account_id and o.seq <= e.seq);
        alter table ledger_entry enable trigger ledger_entry_is_final;
        update account_balance b set posted = posted + purchased, purchased = purchased * 2""", role="postgres")
    assert violations(database) == (1, {3})
