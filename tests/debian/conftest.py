"""tests/debian/conftest.py - the packages of the current commit, and one machine for all tests of
this folder, which run in order.

TOLLGATE_PACKAGES names a folder of packages to install instead of those that are built here.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("deploy/local", "tests", "tests/compose", "tests/debian")]

import machine  # noqa: E402
from stack import interruptible  # noqa: E402


def build(folder):
    """The packages for one machine. lintian's complaints and a failed build are errors."""
    done = subprocess.run([ROOT / "scripts/deb", folder], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(Path(folder).glob("*.deb"))


@pytest.fixture(scope="session")
def built():
    return build(machine.CACHE / "packages")


@pytest.fixture(scope="session")
def packages(request):
    given = os.environ.get("TOLLGATE_PACKAGES")
    return sorted(Path(given).glob("*.deb")) if given else request.getfixturevalue("built")


@pytest.fixture(scope="session")
def first(packages):
    interruptible()
    machine.make_base()
    with machine.Machine("tollgate-first", packages) as first:
        yield first
