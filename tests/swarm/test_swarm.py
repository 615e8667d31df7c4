"""tests/swarm/test_swarm.py - the stack on three machines: deployed, called through each edge,
scaled, rolled without losing a call, and one machine is lost. The tests run in this order on one
swarm."""

import base64
import json
from collections import Counter

import pytest
import yaml
from containers import ADDRESSES, CALLS, DAEMONS, SCANNERS, busy
from kit.client import Client
from kit.load import long_calls
from part import wait_for
from swarm import STACK
from test_operations import Traffic, archive, import_providers

ROLLED = ["gateway", "portal", *DAEMONS]
SETTINGS = {"gateway": "GATEWAYS", "portal": "PORTALS"} | {name: name.replace("-", "_").upper() for name in DAEMONS}
CLIENTS = 2  # that call without a pause; three machines share two CPUs
LOST_S = 120  # until the swarm has noticed and runs the services elsewhere
ABANDONED_S = 30  # a call whose gateway is lost holds its credits for its time budget and a grace


@pytest.fixture
def traffic(site, books):
    return Traffic(site, books, CLIENTS)


def test_all_of_it_runs(swarm):
    assert sorted(swarm.services()) == sorted(["edge", *ROLLED])
    assert Counter(swarm.tasks("edge").values()) == {node.id(): 1 for node in swarm.nodes}
    for service in ROLLED:
        assert len(swarm.tasks(service)) == int(swarm.variables.get(SETTINGS[service], 2))


@pytest.mark.parametrize("number", range(3))
def test_calls_by_each_machine_are_paid(swarm, site, books, number):
    """One of each group."""
    account = site.open_account()
    client = Client(site.at(swarm.nodes[number]))
    for tool, request, _ in CALLS.values():
        answer = client.call(account, tool, request)
        assert answer.status_code == 200, answer
    assert books.charged(account) == sum(price for _, _, price in CALLS.values())


def test_people_have_their_pages(swarm, site):
    for node in swarm.nodes:
        assert Client(site.at(node)).get("/pricing").status_code == 200


def test_deploying_again_changes_nothing(swarm):
    before = swarm.tasks("edge", *ROLLED)
    swarm.deploy()
    assert swarm.tasks("edge", *ROLLED) == before


def test_each_has_its_own_secrets_alone(swarm):
    """As with Compose: readable by the service's user, under the names in compose.yaml."""
    for node in swarm.nodes:
        for service in ROLLED:
            for container in swarm.containers(node, service):
                listed = node.docker("exec", container, "sh", "-c",
                                     "id -u; stat -c '%n %u %a' /run/tollgate/*").splitlines()
                assert {line.split(maxsplit=1)[1] for line in listed[1:]} <= {f"{listed[0]} 400", f"{listed[0]} 444"}
                names = {line.split()[0].rsplit("/", 1)[1] for line in listed[1:]}
                if service in DAEMONS:
                    assert names == {"bus.secret", "gateway.public"}
                if service == "gateway":
                    assert names == {"bus.secret", "allow.yaml", "ledger.secret", "gateway.password"}


def test_kubernetes_gets_the_same_files(swarm):
    """Including the files of payments that an operator imported."""
    swarm.feed(archive(**{"stripe__key": b"key", "stripe__webhook-secret": b"secret"}),
               "run", "--rm", "--no-deps", "-T", "init", "import", "portal")
    made = {each["metadata"]["name"]: each["data"]
            for each in yaml.safe_load_all(swarm.run_script("deploy/kubernetes/secrets"))}
    for file in sorted(swarm.directory.glob("deploy/kubernetes/*/*.yaml")):
        for each in yaml.safe_load_all(file.read_text()):
            if each["kind"] not in ("Deployment", "Job"):
                continue
            pod = each["spec"]["template"]["spec"]
            for variable in pod["containers"][0]["env"]:
                path = variable.get("value", "")
                if path.startswith("/run/tollgate/"):
                    assert base64.b64decode(made[f"keys-{each['metadata']['name']}"][path.rsplit("/", 1)[1]])


def test_rolling(swarm, traffic):
    """Changed settings replace daemons, gateways and portals and nothing else; no call is lost. The
    environment has priority over .env, here for SVC_CHAT."""
    before, edges = swarm.tasks(*ROLLED), swarm.tasks("edge")
    (swarm.directory / ".env").write_text("# comment\nLOG_LEVEL='debug'\nSVC_CHAT=7\nCONTACT=Jane <jane@example.com>\n")
    with traffic:
        swarm.deploy()
    now = swarm.tasks(*ROLLED)
    assert len(now) == len(before) and not now.keys() & before.keys()
    assert swarm.tasks("edge") == edges


def test_a_roll_waits_for_long_calls(swarm, site, books):
    """New gateways and new daemons, while calls take most of their budget."""
    import_providers(swarm)
    swarm.variables["STACK_FILES"] += " tests/swarm/models.yaml"
    swarm.deploy()
    account = site.open_account()
    wait_for(lambda: Client(site).call(account, "ai-chat", {"prompt": "Hello"}).status_code == 200, 60, "an answer")
    before, charged = swarm.tasks("gateway", "svc-ai"), books.charged(account)
    with long_calls(site, [account] * 3, lambda: sum(at_each(swarm, "svc-ai", "tollgate_jobs_running"))) as calls:
        (swarm.directory / ".env").write_text("LOG_LEVEL=warn\n")
        swarm.deploy()
    assert not swarm.tasks("gateway", "svc-ai").keys() & before.keys()
    assert [call.status for call in calls] == [200] * 3
    assert books.charged(account) == charged + 30


def test_rotate_a_groups_key(swarm, traffic):
    old, gateways = secrets_of(swarm, "svc-utils"), ever(swarm, "gateway")
    with traffic:
        swarm.compose("run", "--rm", "--no-deps", "init", "rotate", "svc-utils")
        swarm.deploy()
        swarm.compose("run", "--rm", "--no-deps", "init", "forget", "svc-utils")
        swarm.deploy()
    now = secrets_of(swarm, "svc-utils")
    assert len(ever(swarm, "gateway") - gateways) == 2 * len(swarm.tasks("gateway")), "once to learn, once to forget"
    assert now["/run/tollgate/bus.secret"] != old["/run/tollgate/bus.secret"]
    assert now["/run/tollgate/gateway.public"] == old["/run/tollgate/gateway.public"]


def ever(swarm, service):
    """Its running and former tasks; a swarm keeps five of each."""
    return set(swarm.docker("service", "ps", "--quiet", "--no-trunc", f"{STACK}_{service}").split())


def secrets_of(swarm, service):
    found = json.loads(swarm.docker("service", "inspect", f"{STACK}_{service}"))[0]
    return {each["File"]["Name"]: each["SecretName"]
            for each in found["Spec"]["TaskTemplate"]["ContainerSpec"]["Secrets"]}


def test_more_of_everything(swarm, site, traffic):
    """A name resolves to all addresses, so the new gateway gets calls too. An edge sends one
    address always to the same gateway, so the test needs many clients."""
    swarm.variables |= {"GATEWAYS": "3", "SVC_UTILS": "3"}
    account = site.open_account(10000, limits_off=True)

    def each_has_had_calls():
        for _ in ADDRESSES:
            assert Client(site).call(account, *CALLS["svc-utils"][:2]).status_code == 200
        responses = at_each(swarm, "gateway", "tollgate_http_responses_total")
        return len(responses) == 3 and all(responses)

    with traffic:
        swarm.deploy()
        wait_for(each_has_had_calls, 30, "each gateway has had calls")


def at_each(swarm, service, name):
    """The metric of each container of a service."""
    return [metric(node, container, name) for node in swarm.nodes for container in swarm.containers(node, service)]


def metric(node, container, name):
    line = 'exec 3<>/dev/tcp/127.0.0.1/9100 && printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3'
    text = node.docker("exec", container, "timeout", "5", "bash", "-c", line)
    return sum(float(row.rsplit(" ", 1)[1]) for row in text.splitlines() if row.startswith((f"{name}{{", f"{name} ")))


def test_a_machine_is_lost(swarm, site, books):
    """A machine with a gateway and busy daemons fails. Only its calls are lost, and its services
    run elsewhere later."""
    lost = next(node for node in swarm.nodes[1:] if "gateway" in (there := services_at(swarm, node)) and
                set(SCANNERS) & set(there))
    counts, gone = {service: len(on) for service, on in nodes_of(swarm).items()}, lost.id()
    site.use([node for node in swarm.nodes if node is not lost])
    accounts, crowd = busy(site, books, CLIENTS)
    with crowd:
        crowd.wait_for_answers(100)
        lost.is_cut_off(True)
        crowd.wait_for_answers(200)
        wait_for(lambda: counts == {service: sum(node != gone for node in on)
                                    for service, on in nodes_of(swarm).items()},
                 LOST_S, "what was there runs elsewhere")
    failed = {status: count for status, count in crowd.statuses().items() if status != 200}
    assert sum(failed.values()) <= CLIENTS, failed
    assert not crowd.faults
    books.wait_until_nothing_is_held(ABANDONED_S)
    books.check(accounts, crowd.calls)


def nodes_of(swarm):
    return {service: list(there.values()) for service, there in swarm.places(*ROLLED).items()}


def services_at(swarm, node):
    here = node.id()
    return [service for service, on in nodes_of(swarm).items() if here in on]
