"""tests/api/portal/test_table.py - the portal's routes, each row of the tables in rows/.
kit/portal/table.py documents their language; tests/lint/portal.py checks that every route has
rows."""

from pathlib import Path

import pytest
import yaml

from kit.portal.table import Cast, Scene

HERE = Path(__file__).parent
ROWS = [pytest.param(row, id=f"{file.stem}: {row['title']}")
        for file in sorted((HERE / "rows").glob("*.yaml")) for row in yaml.safe_load(file.read_text())]


@pytest.fixture(scope="module")
def cast(site, ledger):
    return Cast(site, ledger)


@pytest.mark.parametrize("row", ROWS)
def test_row(cast, row):
    assert Scene(cast, row).play().status_code == row["status"]


def test_titles_are_unique():
    titles = [parameter.id for parameter in ROWS]
    assert len(set(titles)) == len(titles)
