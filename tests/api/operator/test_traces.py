"""tests/api/operator/test_traces.py - gateways send spans of calls to a collector of OpenTelemetry
(traces.url), and no call depends on it."""

import time

import pytest

from kit.client import Client
from kit.operators.collector import Collector
from kit.load import metric
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("traces")
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
SENT_S = 30  # a batch is sent each second


@pytest.fixture(scope="module")
def collector():
    with Collector() as collector:
        yield collector
        collector.shutdown()


@pytest.fixture(scope="module")
def stack(own_stack, collector):
    return own_stack(settings={"traces.url": collector.url, "traces.sample_per_million": 1000000})


@pytest.fixture(scope="module")
def client(stack):
    site = Site.of(stack)
    client = Client(site)
    client.account = site.open_account(1000)
    return client


def call(client, tool="hash-generate", request=None, **headers):
    """Its response."""
    return client.call(client.account, tool, {"input": "abc"} if request is None else request, headers=headers)


def spans_of(collector, response, count):
    id = response.headers["X-Request-Id"]
    wait_for(lambda: len(collector.of(id)) == count, SENT_S, f"{count} spans of the call")
    return collector.of(id)


def test_a_call(collector, client):
    begun = time.time()
    response = call(client, traceparent=PARENT)
    spans = spans_of(collector, response, 3)
    whole, queue, tool = spans["hash-generate"], spans["queue"], spans["tool"]
    assert whole["traceId"] == PARENT[3:35] and whole["parentSpanId"] == PARENT[36:52]
    assert response.headers["traceparent"] == f"00-{whole['traceId']}-{whole['spanId']}-01"
    assert (whole["kind"], queue["kind"], tool["kind"]) == (2, 1, 1)
    assert queue["parentSpanId"] == tool["parentSpanId"] == whole["spanId"]
    assert {queue["traceId"], tool["traceId"]} == {whole["traceId"]}
    assert len({span["spanId"] for span in spans.values()}) == 3
    times = {name: (int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])) for name, span in spans.items()}
    assert begun * 1e9 - 1e7 <= times["hash-generate"][0] <= times["queue"][0]
    assert times["queue"][1] == times["tool"][0] <= times["tool"][1] <= times["hash-generate"][1] <= time.time() * 1e9
    assert whole["attributes"] | {"ledger_us": 0} == {
        "call_id": response.headers["X-Request-Id"], "account_id": client.account.id, "tool": "hash-generate",
        "surface": "rest", "http.response.status_code": 200, "credits_charged": 1, "ledger_us": 0}
    assert whole["attributes"]["ledger_us"] > 0 and "status" not in whole
    assert collector.resources[-1]["service.name"] == "gateway"


def test_a_new_trace(collector, client):
    whole = spans_of(collector, call(client), 3)["hash-generate"]
    assert "parentSpanId" not in whole


def test_a_rejected_call(collector, client):
    """An error of the customer: the span does not say that we failed, and the tool did not run."""
    response = call(client, request={"input": 7})
    whole = spans_of(collector, response, 1)["hash-generate"]
    assert whole["attributes"]["http.response.status_code"] == 400
    assert whole["attributes"]["error.type"] == response.json()["errors"][0]["code"]
    assert "status" not in whole


def test_no_spans_of_others(collector, client):
    """Neither of a request with an invalid token, nor of one that calls no tool."""
    bad = client.call(client.account, "hash-generate", {"input": "abc"}, headers={"Authorization": "Bearer x"})
    free = client.read(client.account, "account/credits")
    assert (bad.status_code, free.status_code) == (403, 200)
    spans_of(collector, call(client), 3)
    assert not collector.of(bad.headers["X-Request-Id"]) and not collector.of(free.headers["X-Request-Id"])


@pytest.mark.parametrize("status", [503, 400])
def test_a_collector_that_fails(stack, collector, client, status):
    """Spans are dropped and counted, calls continue."""
    collector.status = status
    name = 'tollgate_trace_spans_total{outcome="failed"}'
    failed = metric(stack, "gateway-1", name)
    assert call(client).status_code == 200
    wait_for(lambda: metric(stack, "gateway-1", name) == failed + 3, SENT_S, "three spans were dropped")
    collector.status = 200
    assert len(spans_of(collector, call(client), 3)) == 3
