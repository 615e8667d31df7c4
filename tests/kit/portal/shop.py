"""tests/kit/portal/shop.py - fixtures for payments: a processor, portals that use it, orders and
visitors.

A module imports those that it uses; `stack` is made once per module. Faults of the processor end
with the test.
"""

import psycopg2
import pytest

from kit.portal.member import Member
from kit.portal.payments import Orders
from kit.portal.processor import Processor
from kit.site import Site

GRANT = 100  # credits of a new account


@pytest.fixture(scope="module")
def processor(tmp_path_factory):
    processor = Processor(tmp_path_factory.mktemp("processor"))
    yield processor
    processor.close()


@pytest.fixture(scope="module")
def stack(own_stack, processor):
    """Two portals that look for due work fifty times a second."""
    return own_stack(gateways=1, daemons=0, portals=2, settings={"portal.poll_ms": 250} | processor.settings())


@pytest.fixture
def orders(stack, processor):
    """Orders in the stack's database; none waits when the test is over."""
    processor.behave()
    database = psycopg2.connect(stack.database())
    database.autocommit = True
    orders = Orders(database, processor)
    yield orders
    processor.behave()
    orders.forsake()
    orders.settle()
    orders.database.close()


@pytest.fixture
def member(stack):
    return Member(Site.of(stack), credits=GRANT)


@pytest.fixture
def visitor(member):
    return member.sign_in()
