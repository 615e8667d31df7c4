"""tests/api/reports/test_green.py - who knows green hosts is asked about a host once a day, and about nobody's secrets."""

import time
from pathlib import Path

DAEMONS = 2  # of svc-reports (conftest.py), each of which keeps its own answers


def asked(site, host):
    log = Path(site.green_log)
    return log.read_text().splitlines().count(host) if log.exists() else 0


def check(api, account, host):
    return api.call(account, "carbon-footprint", {"url": f"https://{host}/private?token=x", "bytes": 1000000}).result


def test_an_answer_is_kept(site, api, account):
    host = f"kept-{time.time_ns()}.carbon-cases.net"
    assert [check(api, account, host)["green_hosting"] for _ in range(4)] == [True] * 4
    assert 1 <= asked(site, host) <= DAEMONS
    assert "token" not in Path(site.green_log).read_text()


def test_no_answer_is_not(site, api, account):
    host = f"down.n{time.time_ns()}.carbon-cases.net"
    assert [check(api, account, host)["green_hosting"] for _ in range(2)] == [None] * 2
    assert asked(site, host) == 2


def test_who_says_it_himself_is_believed(site, api, account):
    host = f"grey.n{time.time_ns()}.carbon-cases.net"
    request = {"url": f"https://{host}/", "bytes": 1000000, "green": True}
    assert api.call(account, "carbon-footprint", request).result["green_hosting"] is True
    assert asked(site, host) == 0
