"""tests/gameday/conftest.py - the engine of tests/compose for the game day."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests"), str(ROOT / "tests" / "compose")]

import images  # noqa: E402
from engine import Engine  # noqa: E402
from stack import interruptible  # noqa: E402


@pytest.fixture(scope="session")
def engine():
    interruptible()
    with Engine() as engine:
        images.make_all()
        yield engine
