"""tests/faults/conftest.py - what the fault tests have in common. Each module makes a stack of its own."""

import pytest

from kit.load import Books


@pytest.fixture
def books(stack):
    return Books(stack)
