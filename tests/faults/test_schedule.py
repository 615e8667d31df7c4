"""tests/faults/test_schedule.py - half a minute of random faults; a failure prints the seed for
schedule.py."""

import random

import pytest

import schedule

pytestmark = pytest.mark.xdist_group("schedule")

SECONDS = 30


def test_random_faults(own_stack):
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"again: /usr/bin/python3 tests/faults/schedule.py --seed {seed} --seconds {SECONDS}")
    crowd = schedule.run(own_stack(**schedule.OPTIONS), seed, SECONDS, print)
    assert crowd.statuses()[200] > 100
