"""Each tool under many calls: twenty at once return the same result, and calls leave nothing
behind.

The calls are the examples of the contracts. Tools that only compute are measured by the unit tests
growth-<group>; the others need the sites of these tests.
"""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kit.client import Client
from kit.contracts import CONTRACTS, goes_out, send, shown
from kit.groups import GROUPS

AT_ONCE = 20
TIMED = {"performance-audit": {"score", "grade", "checks", "opportunities"}}  # they depend on the load time of the page
OUTSIDE_GROUPS = {contract["group"] for contract in CONTRACTS.values() if goes_out(contract)}
OUTSIDE = [tool for tool, contract in CONTRACTS.items()
           if contract["group"] in OUTSIDE_GROUPS and "calls" not in contract]  # those need the bus


@pytest.mark.parametrize("tool", CONTRACTS)
def test_calls_at_once(site, ledger, tool):
    contract = CONTRACTS[tool]
    account = site.open_account(AT_ONCE * contract["credits"])
    site.tollctl("account", "limits", account.id, "--off")
    site.tollctl("account", "grant", account.id, str(AT_ONCE * contract["credits"]), "--note", "for all of them")
    client = Client(site)

    def call(_):
        answer = send(client, account, contract, contract["examples"][0]["request"])
        is_raw = answer.headers["Content-Type"] in contract.get("raw", [])
        return answer.status_code, answer.body if is_raw else untimed(shown(contract["result"], answer.result))

    def untimed(result):
        return {name: value for name, value in result.items() if name not in TIMED.get(tool, ())}

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(call, range(AT_ONCE)))
    assert answers[0][0] == 200
    assert answers == [answers[0]] * AT_ONCE
    assert ledger.charged(account) == AT_ONCE * contract["credits"]


@pytest.fixture
def program_of(request):
    folder = Path(request.config.getoption("--build")) / "tests" / "unit"
    return lambda contract: folder / f"growth-{contract['group']}"


@pytest.mark.parametrize("tool", OUTSIDE)
def test_growth(site, program_of, tool):
    done = subprocess.run([program_of(CONTRACTS[tool]), site.config, tool], capture_output=True, text=True, timeout=120)

    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_group_is_counted(program_of):
    missing = {program.name for program in map(program_of, CONTRACTS.values()) if not program.exists()}
    assert missing == set(), "meson setup --reconfigure finds new groups"
    assert {group for group, row in GROUPS.items() if row["outside"]} == {f"svc-{group}" for group in OUTSIDE_GROUPS}
