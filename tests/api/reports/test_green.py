"""tests/api/reports/test_green.py - the green hosting service is queried once a day for a host,
with the host name only."""

import time
from pathlib import Path

WORKERS = 2  # of svc-reports (conftest.py), each with its own cache


def asked(site, host):
    log = Path(site.green_log)
    return log.read_text().splitlines().count(host) if log.exists() else 0


def check(api, account, host):
    return api.call(account, "carbon-footprint", {"url": f"https://{host}/private?token=x", "bytes": 1000000}).result


def test_a_response_is_cached(site, api, account):
    host = f"kept-{time.time_ns()}.carbon-cases.net"
    assert [check(api, account, host)["green_hosting"] for _ in range(4)] == [True] * 4
    assert 1 <= asked(site, host) <= WORKERS
    assert "token" not in Path(site.green_log).read_text()


def test_a_failure_is_not_cached(site, api, account):
    host = f"down.n{time.time_ns()}.carbon-cases.net"
    assert [check(api, account, host)["green_hosting"] for _ in range(2)] == [None] * 2
    assert asked(site, host) == 2


def test_the_request_overrides_the_lookup(site, api, account):
    host = f"grey.n{time.time_ns()}.carbon-cases.net"
    request = {"url": f"https://{host}/", "bytes": 1000000, "green": True}
    assert api.call(account, "carbon-footprint", request).result["green_hosting"] is True
    assert asked(site, host) == 0
