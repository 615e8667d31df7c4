"""tests/api/security/test_guard.py - no request makes a tool connect to a forbidden address.

Tests every tool whose contract has a URL, a host or a domain. The decoy of kit/world.py records
connections; conftest.py checks it again at the end.
"""

import concurrent.futures
import ipaddress
import itertools
import time
import urllib.parse
from pathlib import Path

import pytest

from kit import names
from kit.client import Client
from kit.contracts import CONTRACTS, goes_out

AT_ONCE = 8
REFUSALS = {"target_not_allowed", "invalid_url", "invalid_host", "port_not_allowed"}
GOOD = "example.com"
NOT_FETCHED = {("ai-seo-generate", "url")}  # only repeated in the result
BESIDE = {"previous_url": {"spec": {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {}}}}
KEEPS_ORIGIN = {"exposed-files"}  # a redirect to another host is not an error
_unique = itertools.count()


def fields(wanted):
    """(tool, field) of the requests that have such a field."""
    return [pytest.param(tool, name, id=f"{tool}-{name}")
            for tool, contract in CONTRACTS.items() if goes_out(contract) for name in contract["request"]["properties"]
            if (name == wanted or name.endswith(f"_{wanted}")) and (tool, name) not in NOT_FETCHED]


URLS, HOSTS = fields("url"), fields("host")
BUDGET_S = {tool: contract["budget_ms"] / 1000 for tool, contract in CONTRACTS.items()}


@pytest.fixture
def caller(site):
    """Call a tool with many requests at once, without limits: [(request, response, seconds)]."""
    account = site.open_account(1_000_000, limits_off=True)

    def ask(tool, request):
        begin = time.monotonic()
        answer = Client(site).call(account, tool, BESIDE.get(next(iter(request)), {}) | request)
        return request, answer, time.monotonic() - begin

    def call(tool, requests):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda request: ask(tool, request), requests))

    return call


@pytest.fixture
def decoy(site):
    """The forbidden address; fails after a connection to it."""
    log = Path(site.decoy_log)
    before = log.read_text() if log.exists() else ""
    yield site.addresses["decoy"]
    after = log.read_text() if log.exists() else ""
    assert after == before, after.removeprefix(before)


def bracketed(address):
    return f"[{address}]" if ":" in address else address


def admitted(answers):
    """Results that were not rejected, or whose errors distinguish forbidden targets."""
    told_apart = {answer.message for _, answer, _ in answers if answer.codes[:1] == ["target_not_allowed"]}
    return [(request, answer) for request, answer, _ in answers
            if answer.status_code != 400 or answer.codes[0] not in REFUSALS or
            (len(told_apart) > 1 and answer.message in told_apart)]


def harmful(answers, tool):
    """Results that are not the tool's, are late, or contain text of the decoy."""
    return [(request, answer, seconds) for request, answer, seconds in answers
            if answer.status_code not in (200, 400, 502) or b"secret" in answer.body or seconds > BUDGET_S[tool]]


# -- URLs --


@pytest.mark.parametrize("tool, field", URLS)
def test_spellings_of_an_address(caller, decoy, tool, field):
    hosts = [*names.spellings(decoy), *names.spellings("127.0.0.1"), *names.spellings("169.254.169.254")]
    answers = caller(tool, [{field: f"{scheme}://{host}/"} for host in hosts for scheme in ("http", "https")])
    assert not admitted(answers)


@pytest.mark.parametrize("tool, field", URLS)
def test_misleading_urls(caller, decoy, tool, field):
    answers = caller(tool, [{field: url} for url in names.misleading_urls(decoy, GOOD)])
    assert not harmful(answers, tool)
    assert not [(request, answer) for request, answer, _ in answers
                if answer.status_code != 400 and f"//{GOOD}" not in request[field]]


@pytest.mark.parametrize("tool, field", URLS)
def test_special_networks(caller, decoy, tool, field):
    assert not admitted(caller(tool, [{field: f"http://{bracketed(inner)}/"} for inner in names.INNER]))


@pytest.mark.parametrize("tool, field", URLS)
def test_names_of_special_networks(caller, decoy, tool, field):
    hosts = [*(names.inner_name(n) for n in range(len(names.INNER))),
             *(names.mixed_name(n) for n in range(len(names.INNER))), *names.LOCAL_NAMES,
             "decoy.inner-name.com", "decoy6.inner-name.com", "alias.inner-name.com", "decoy.mixed-name.com"]
    assert not admitted(caller(tool, [{field: f"https://{host}/"} for host in hosts]))


@pytest.mark.parametrize("tool, field", URLS)
def test_redirects(caller, decoy, tool, field):
    """The decoy gets no connection, and all errors are the same."""
    places = [*(f"http://{host}/" for host in names.spellings(decoy)), f"//{decoy}/", f"https://{decoy}:8443/x",
              *(f"http://{bracketed(inner)}/" for inner in names.INNER), *names.misleading_urls(decoy, GOOD),
              "http://decoy.inner-name.com/", "http://decoy.mixed-name.com/", "http://localhost/"]
    requests = [{field: f"{scheme}://to.slowhost.net/?{urllib.parse.quote(place)}"} for place in places
                for scheme in ("http", "https")]
    answers = caller(tool, requests)
    assert not harmful(answers, tool)
    plain = [answer for request, answer, _ in answers
             if request[field].startswith("http://to.slowhost.net/?http%3A//decoy.") or
             request[field].endswith(f"?http%3A//{decoy}/")]
    if tool not in KEEPS_ORIGIN:
        assert {answer.codes[0] for answer in plain if answer.status_code == 400} <= {"target_not_allowed"}


@pytest.mark.parametrize("tool, field", URLS)
def test_rebinding(caller, decoy, tool, field):
    """Names that resolve to the web server at first, and to the decoy after that."""
    hosts = [f"rebind-{tool}-{next(_unique)}-{time.time_ns()}.fickle-name.com" for _ in range(10)]
    assert not harmful(caller(tool, [{field: f"http://{host}/"} for host in hosts]), tool)


SLOW = ("silent", "drip", "driphead", "redrip")  # each until the tool's limit; asked at the same time
QUICK = ("closes", "reset", "garbage", "http09", "badchunk", "short", "bighead", "manyheads", "interim", "loop", "bomb",
         "endless")


@pytest.mark.parametrize("tool, field", URLS)
@pytest.mark.parametrize("kinds", [pytest.param(SLOW, id="slow"), *(pytest.param((kind,), id=kind) for kind in QUICK)])
def test_trouble(caller, tool, field, kinds):
    """No site exceeds the tool's time limit or causes an internal error."""
    answers = caller(tool, [{field: f"{scheme}://{kind}.slowhost.net/"}
                            for kind in kinds for scheme in ("http", "https")])
    assert not harmful(answers, tool)


# -- hosts --


@pytest.mark.parametrize("tool, field", HOSTS)
def test_hosts(caller, decoy, tool, field):
    hosts = [*names.spellings(decoy), *names.INNER, *(bracketed(inner) for inner in names.INNER),
             *(names.inner_name(n) for n in range(len(names.INNER))),
             *(names.mixed_name(n) for n in range(len(names.INNER))), *names.LOCAL_NAMES,
             "decoy.inner-name.com", "decoy6.inner-name.com", "alias.inner-name.com", "decoy.mixed-name.com",
             f"{decoy}:443", f"https://{decoy}/", f"user@{decoy}", f"{GOOD}\\@{decoy}", f"{decoy}%00.{GOOD}"]
    assert not admitted(caller(tool, [{field: host} for host in hosts]))


@pytest.mark.parametrize("tool, field", HOSTS)
def test_rebinding_hosts(caller, decoy, tool, field):
    hosts = [f"rebind-{tool}-{next(_unique)}-{time.time_ns()}.fickle-name.com" for _ in range(10)]
    assert not harmful(caller(tool, [{field: host} for host in hosts]), tool)


# -- domains: only looked up in the DNS --


@pytest.mark.parametrize("tool, field", fields("domain"))
def test_domains(caller, decoy, tool, field):
    """IP literals are not domains in any notation. Internal names are only looked up."""
    answers = caller(tool, [{field: host} for host in names.spellings("127.0.0.1")])
    assert not [(request, answer) for request, answer, _ in answers
                if answer.status_code != 400 or answer.codes[0] not in ("invalid_domain", "invalid_ip")]
    assert not harmful(caller(tool, [{field: "decoy.inner-name.com"}, {field: "inner-name.com"}]), tool)


def test_the_decoy_is_an_address_of_ours(decoy):
    assert ipaddress.ip_address(decoy).is_loopback


# -- what egress.only allows --


def test_addresses_outside_egress_only_are_not_tried(caller):
    """example.com also has an IPv6 address, which no test may connect to; conftest.py finds such an
    attempt. One tool uses libcurl, the other its own sockets."""
    for tool, request in (("seo-analyze", {"url": f"http://{GOOD}:8081/"}), ("tls-check", {"host": GOOD, "port": 8444})):
        [(_, answer, _)] = caller(tool, [request])
        assert (answer.status_code, answer.codes) == (502, ["target_refused"])
        assert answer.headers["X-Credits-Charged"] == "0"
