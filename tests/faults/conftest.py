"""tests/faults/conftest.py - what the fault tests share. Each module makes its own stack."""

import pytest

from kit.load import Books


@pytest.fixture
def books(stack):
    return Books(stack)
