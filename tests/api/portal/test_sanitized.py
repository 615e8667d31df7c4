"""tests/api/portal/test_sanitized.py - each route of the portal once under AddressSanitizer and
UBSan, with and without a session. A finding, also a leak at the end, is a line of its log that is
not JSON."""

import json
from pathlib import Path

import pytest
import yaml

from kit.portal.table import Cast, Scene
from kit.portal.visitor import Visitor
from kit.site import Ledger, Site
from part import wait_for

HERE = Path(__file__).parent
PORTAL = "portal-1"
pytestmark = pytest.mark.xdist_group("portal-sanitized")


def first_rows():
    """The first row of each route that shows a page, else the first one."""
    rows = {}
    for file in sorted((HERE / "rows").glob("*.yaml")):
        for row in yaml.safe_load(file.read_text()) or []:
            known = rows.get(row["route"])
            if known is None or known["status"] >= 300 > row["status"]:
                rows[row["route"]] = row
    return list(rows.values())


@pytest.fixture(scope="module")
def stack(own_stack, request):
    """The portal of the sanitizers' build; its log must contain log lines only."""
    stack = own_stack(gateways=1, daemons=1, portals=1)
    part = stack.parts[PORTAL]
    program = Path(request.config.getoption("build_san")) / "portal" / "tollgate-portal"
    assert program.exists(), f"{program} is not there: `make build-san`"
    part.stop()
    part.argv[0] = str(program)
    part.env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    part.ready_s = 60
    stack.start_part(PORTAL)
    wait_for(lambda: Visitor(Site.of(stack)).get("/portal/sign-in").status_code == 200, 30, "the edge's sight of it")
    yield stack
    part.stop()
    assert not list(strange_lines(part.log)), "see above"


def strange_lines(log):
    for line in log.read_text(errors="replace").splitlines():
        try:
            json.loads(line)
        except ValueError:
            print(line)
            yield line


@pytest.fixture(scope="module")
def cast(stack):
    site = Site.of(stack)
    connection = site.connect()
    yield Cast(site, Ledger(connection))
    connection.close()


@pytest.mark.parametrize("row", [pytest.param(row, id=row["route"]) for row in first_rows()])
def test_route(cast, row):
    assert Scene(cast, row).play().status_code == row["status"]
