"""tests/faults/test_payments.py - fifty random stories of orders; tests/check/payments.py tells more of them."""

import random

import pytest

from kit.database.schedules import tell_stories
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

pytestmark = pytest.mark.xdist_group("tollctl")  # one worker, so that one cluster is enough


def test_random_stories(db):
    tell_stories(db, random.SystemRandom().randrange(1 << 32), 50)
