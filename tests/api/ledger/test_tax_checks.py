"""tests/api/ledger/test_tax_checks.py - tax numbers in their registers, in the database: when
portals ask the processor, and what its answers change. tests/api/portal/test_credits.py has the
pages.
"""

import json

import psycopg2
import pytest

from kit.database.buyers import account, portal, shop  # noqa: F401 - fixtures
from kit.database.orders import Portal
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures

HOUR, DAY = 3600, 86400
ACME = {"company": "Acme GmbH", "line1": "Weg 1", "city": "Berlin", "country": "DE", "tax_type": "eu_vat",
        "tax_id": "DE123456789"}


def save(portal, account, **changes):
    details = {name: value for name, value in (ACME | changes).items() if value is not None}
    assert portal.one("select billing_save(%s, %s)", account.session(), json.dumps(details)) is True


def due(portal, account):
    """[(version, number, customer)] of the account to ask about; those of other tests are asked
    about, too."""
    return portal.sql("select version, tax_id, customer from tax_check_due(1000) where account_id = %s", account)


def note(portal, account, version, state, customer=None):
    portal.one("select tax_check_note(%s, %s, %s, %s)", account, version, customer, state)


def checks(portal, account):
    return portal.sql("select version, state, customer, next_at is null from tax_check where account_id = %s order by version",
                      account)


def test_a_number_is_asked_about_at_once_and_each_hour(portal, account):
    save(portal, account)
    assert due(portal, account) == [(1, "DE123456789", None)] and due(portal, account) == []
    note(portal, account, 1, "pending", "cus_1")
    portal.at(HOUR - 60)
    assert due(portal, account) == []
    portal.at(HOUR + 60)
    assert due(portal, account) == [(1, "DE123456789", "cus_1")]
    note(portal, account, 1, "verified")
    portal.at(2 * DAY)
    assert due(portal, account) == [] and checks(portal, account) == [(1, "verified", "cus_1", True)]


@pytest.mark.parametrize("state", ["unverified", "unavailable"])
def test_other_answers_are_final(portal, account, state):
    save(portal, account)
    due(portal, account)
    note(portal, account, 1, state, "cus_1")
    portal.at(DAY)
    assert due(portal, account) == [] and checks(portal, account) == [(1, state, "cus_1", True)]


def test_three_days_are_enough(portal, account):
    """Also when the processor itself does not answer."""
    save(portal, account)
    portal.at(3 * DAY - 60)
    assert len(due(portal, account)) == 1
    note(portal, account, 1, "pending")
    assert checks(portal, account) == [(1, "pending", None, False)]
    portal.at(3 * DAY + HOUR)
    assert len(due(portal, account)) == 1
    note(portal, account, 1, "pending")
    assert checks(portal, account) == [(1, "unavailable", None, True)]


@pytest.mark.parametrize("changes", [
    {"tax_type": None, "tax_id": None}, {"tax_type": "us_ein", "tax_id": "123456789"},
    {"tax_type": "ch_vat", "tax_id": "CHE123456789MWST"}])
def test_numbers_without_a_register(portal, account, changes):
    save(portal, account, **changes)
    assert due(portal, account) == [] and checks(portal, account) == []


def test_another_number_ends_the_check_of_the_one_before(portal, account):
    save(portal, account)
    save(portal, account, tax_id="DE987654321")
    assert due(portal, account) == [(2, "DE987654321", None)]
    note(portal, account, 1, "verified", "cus_1")  # an answer that comes late
    assert checks(portal, account) == [(1, "pending", None, True), (2, "pending", None, False)]
    save(portal, account, tax_type=None, tax_id=None)
    portal.at(DAY)
    assert due(portal, account) == []


@pytest.mark.parametrize("state, is_asked", [("verified", False), ("pending", True)])
def test_the_same_number_in_a_new_version(portal, account, state, is_asked):
    save(portal, account)
    due(portal, account)
    note(portal, account, 1, state, "cus_1")
    save(portal, account, company="Acme AG")
    assert checks(portal, account)[1] == (2, state, "cus_1", not is_asked)
    portal.at(2 * HOUR)
    assert due(portal, account) == ([(2, "DE123456789", "cus_1")] if is_asked else [])


def test_two_portals_ask_once(portal, shop, account):
    save(portal, account)
    with Portal(shop) as other:
        portal.sql("begin")
        assert len(due(portal, account)) == 1 and due(other, account) == []
        portal.sql("commit")
        assert due(other, account) == []


def test_a_closed_account_is_asked_about_no_longer(portal, shop, account):
    save(portal, account)
    shop.sql("update account set state = 'closed' where account_id = %s", account)
    assert due(portal, account) == [] and checks(portal, account) == []


@pytest.mark.parametrize("statement", ["insert into tax_check (account_id) values (gen_random_uuid())",
                                       "update tax_check set state = 'verified'", "delete from tax_check"])
def test_portals_write_by_these_functions_alone(shop, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        shop.sql(statement, role="tollgate_portal")
