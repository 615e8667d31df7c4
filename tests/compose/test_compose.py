"""tests/compose/test_compose.py - the whole product in containers: it starts, is isolated, scales,
and survives crashes. The tests run in this order on one stack; test_operations.py continues with
it."""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import images
import pytest
from containers import ABANDONED_S, ADMIN_PORT, CALLS, CLIENTS, DAEMONS, SCANNERS, busy, first
from kit.client import Client
from kit.site import Account
from part import command, wait_for

RUNNING = ["edge", "gateway", "portal", "db", *DAEMONS]
OVER_BASE_MIB = 120


# -- `docker compose up` in a fresh checkout --


@pytest.mark.parametrize("image", ["edge", "gateway", "portal", "init", "tollctl", *DAEMONS])
def test_images_are_small(stack, image):
    over = images.mebibytes(f"tollgate/{image}:local") - images.mebibytes(images.BASE)
    assert over <= OVER_BASE_MIB


def test_each_group_has_a_call():
    assert CALLS.keys() == set(DAEMONS), "add a call to CALLS in containers.py for each group whose tools all call other sites"


@pytest.mark.parametrize("group", CALLS)
def test_a_call_of_each_group_is_paid(site, books, group):
    tool, request, price = CALLS[group]
    account = site.open_account()
    answer = Client(site).call(account, tool, request)
    assert answer.status_code == 200, answer
    assert answer.headers["X-Credits-Charged"] == str(price)
    assert books.charged(account) == price


@pytest.fixture(scope="module")
def operators_account(stack):
    return stack.tollctl("account", "create", "Jane", "--json")["account"]


def test_the_operators_first_commands(stack, site):
    account = json.loads(stack.compose("run", "--rm", "tollctl", "account", "create", "Jane", "--json"))["account"]
    token = json.loads(stack.compose("run", "--rm", "tollctl", "token", "create", account, "--json"))
    assert Client(site).credits(Account(account, token["token"], token["token_id"])) == 100


def quickstart(stack):
    """The commands of docs/quickstart.md, "In containers"; this module's stack is already up."""
    section = (stack.directory / "docs/quickstart.md").read_text().partition("### In containers\n")[2]
    block = re.search(r"^```console\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1]
    commands = [line.removeprefix("$ ") for line in block.splitlines()]
    assert commands.pop(0) == "deploy/docker/compose up -d"
    return [text.replace("docker compose ", "docker-compose ") for text in commands]


def test_the_quickstart(stack, site):
    """Its commands print an account and a token, and write the certificate."""
    def run(text):
        return stack.run_script("bash", "-euc", text)
    open_account, create_token, write_certificate = quickstart(stack)
    account = re.search(r"^account +(\S+)$", run(open_account), re.MULTILINE)[1]
    token = re.search(r"^token +(\S+)$", run(create_token.replace("ACCOUNT", account)), re.MULTILINE)[1]
    run(write_certificate)
    assert Client(site).credits(Account(account, token, "")) == 500
    ssl.create_default_context(cafile=stack.directory / "ca.pem")  # fails if it is not a certificate


OPERATORS = [  # a command of tollctl, and a word of its output
    ("account list", "Jane"), ("account show {account}", "100"), ("account grant {account} 5 --note gift", "105"),
    ("account limits {account} --off", ""), ("account suspend {account}", ""), ("account resume {account}", ""),
    ("token list {account}", ""), ("ledger show {account}", "gift"), ("audit list", ""), ("db status", ""),
    ("verify", ""), ("config sample", "admin:"),
]


@pytest.mark.parametrize("command, answer", OPERATORS)
def test_the_operators_commands(stack, operators_account, command, answer):
    assert answer in stack.tollctl(*command.format(account=operators_account).split())


def test_no_tollctl_stays(stack):
    """It leaves no container, and no token in a log."""
    assert stack.compose("ps", "-q", "tollctl") == ""


def test_it_is_published_on_this_machine(stack, site):
    connection = http.client.HTTPSConnection("localhost", stack.tls_port, timeout=10, context=site.trust())
    connection.request("GET", "/openapi.json")
    answer = connection.getresponse()
    assert answer.status == 200
    document = json.loads(answer.read())
    assert document["servers"] == [{"url": f"https://localhost:{stack.tls_port}"}]
    paths = document["paths"]
    assert {tool for tool, _, _ in CALLS.values()} <= {path.rsplit("/", 1)[1] for path in paths}


def test_init_and_migrate_change_nothing_the_second_time(stack):
    before = stack.compose("run", "--rm", "init", "status")
    stack.compose("run", "--rm", "init")
    assert stack.compose("run", "--rm", "init", "status") == before
    assert "nothing to do" in stack.compose("run", "--rm", "migrate")


# -- checks before a start; nothing is changed --


def refused(stack, script, *arguments, **changed):
    """The lines that a script prints before it exits with 78."""
    before = command("docker", "ps", "--all", "--quiet", "--no-trunc")
    done = subprocess.run([f"deploy/docker/{script}", *arguments], cwd=stack.directory, capture_output=True, text=True,
                          env=os.environ | stack.variables | changed)
    assert (done.returncode, done.stdout) == (78, ""), done
    assert command("docker", "ps", "--all", "--quiet", "--no-trunc") == before
    return done.stderr.splitlines()


@pytest.mark.parametrize("start", [["compose", "up", "-d"], ["compose", "--profile", "observability", "up"], ["apply"]])
def test_a_taken_port(stack, start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line, = refused(stack, *start, HTTPS_PORT=str(port))
    assert line.startswith(f"check: HTTPS_PORT: port {port} of this machine is in use")


def test_too_few_open_files(stack):
    assert refused(stack, "compose", "up", "-d", OPEN_FILES="4096", EDGE_MAX_CONNECTIONS="2000") == \
        ["check: OPEN_FILES: 4096 is too low; EDGE_MAX_CONNECTIONS=2000 needs 4257"]


def test_more_open_files_than_the_engine_gives(stack):
    files = int(Path("/proc/sys/fs/nr_open").read_text()) + 1  # more than the kernel allows
    assert refused(stack, "compose", "up", "-d", OPEN_FILES=str(files)) == \
        [f"check: OPEN_FILES: the engine does not allow {files}; EDGE_MAX_CONNECTIONS=1900 needs 4057"]


def test_settings_in_a_file_count_as_well(stack):
    env = stack.directory / ".env"
    env.write_text("OPEN_FILES=1000\nOPEN_FILES='1500'\n")
    try:
        assert refused(stack, "apply", OPEN_FILES="", EDGE_MAX_CONNECTIONS="100") == \
            ["check: OPEN_FILES: 1500 is too low; EDGE_MAX_CONNECTIONS=100 needs 2048"]
    finally:
        env.unlink()


def test_its_own_ports_are_not_taken(stack):
    assert stack.run_script("deploy/docker/check") == ""


# -- isolation --


@pytest.mark.parametrize("service", RUNNING)
def test_a_container_is_confined(stack, service):
    container = first(stack, service)
    found = stack.inspect(container)
    host = found["HostConfig"]
    assert found["Config"]["User"] not in ("", "root", "0")
    assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"] and not host["CapAdd"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["PidsLimit"] > 0 and host["Memory"] > 0
    status = stack.execute(container, "cat", "/proc/1/status")[1]
    assert re.search(r"^CapEff:\s0+$", status, re.MULTILINE) and re.search(r"^CapBnd:\s0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s1$", status, re.MULTILINE)
    assert not re.search(r"^Uid:\s0\s", status, re.MULTILINE)
    assert "Read-only file system" in stack.execute(container, "touch", "/etc/x")[1]


@pytest.mark.parametrize("service", RUNNING)
def test_long_work_goes_behind_calls(stack, service):
    """Scans, model answers and password hashes get less CPU when it is scarce."""
    weight = stack.inspect(first(stack, service))["HostConfig"]["CpuShares"] or 1024  # Docker's default
    assert weight == (256 if service in ("portal", *SCANNERS) else 1024)


@pytest.mark.parametrize("service", RUNNING)
def test_secrets_are_the_services_own(stack, service):
    """Only the service's user can read its secrets, and cannot write them."""
    container = first(stack, service)
    uid = stack.execute(container, "id", "-u")[1].strip()
    listed = stack.execute(container, "stat", "-c", "%n %u %a", "/run/tollgate", *secret_files(stack, container))[1]
    folder, *files = listed.splitlines()
    assert folder == "/run/tollgate 0 755" and files
    for line in files:
        name, owner, mode = line.split()
        assert (owner, mode) == (uid, "444" if name.endswith((".public", "certificate.pem")) else "400"), line
    assert "Read-only file system" in stack.execute(container, "touch", "/run/tollgate/x", user="root")[1]


def secret_files(stack, container):
    return stack.execute(container, "find", "/run/tollgate", "-type", "f")[1].split()


def test_who_has_which_secret(stack):
    have = {service: {name.rsplit("/", 1)[1] for name in secret_files(stack, first(stack, service))}
            for service in RUNNING}
    assert have["gateway"] == {"bus.secret", "bus.public", "allow.yaml", "ledger.secret", "gateway.password"}
    assert have["portal"] == {"portal.secret", "portal.password"}
    assert have["edge"] == {"edge.pem", "certificate.pem"}
    for service in DAEMONS:
        assert have[service] == {"bus.secret", "bus.public", "gateway.public"}
    secrets = [stack.execute(first(stack, s), "cat", "/run/tollgate/bus.secret")[1] for s in ["gateway", *DAEMONS]]
    assert len(set(secrets)) == len(secrets)


def test_no_gateway_is_the_operator(stack):
    """A gateway's environment and files have neither the operator's password nor its role nor
    tollctl."""
    password = re.search(r"tollgate_operator PASSWORD '(\w+)'", stack.compose("run", "--rm", "init", "passwords"))[1]
    gateway = first(stack, "gateway")
    assert not [line for line in stack.inspect(gateway)["Config"]["Env"] if "OWNER" in line]
    for text in (password, "tollgate_operator"):
        assert stack.execute(gateway, "grep", "-rlF", "-e", text, "/run/tollgate", "/usr/bin", "/usr/lib/tollgate",
                             "/usr/share/tollgate", "/proc/1/environ") == (1, "")
    assert "not found" in stack.execute(gateway, "tollctl", "account", "list")[1]


def test_the_operators_secret_is_tollctls_own(stack):
    listed = stack.compose("run", "--rm", "--entrypoint", "find", "tollctl", "/run/tollgate", "-type", "f", "-printf",
                           "%f %u %m\\n")
    assert listed.split() == ["operator.password", "tollctl", "400"]


def test_what_gateways_had_of_the_operator_is_taken_away(stack):
    """init removes it from a volume of an earlier version."""
    stack.compose("run", "--rm", "--entrypoint", "cp", "init", "/keys/tollctl/operator.password", "/keys/gateway/")
    assert "removed the operator's password" in stack.compose("run", "--rm", "init")
    assert "operator.password" not in " ".join(secret_files(stack, first(stack, "gateway")))
    assert stack.compose("run", "--rm", "init") == ""


def reaches(stack, container, host, port):
    line = f'timeout 2 bash -c "exec 3<>/dev/tcp/{host}/{port}" 2>/dev/null && echo yes'
    return stack.execute(container, "bash", "-c", line)[1].strip() == "yes"


@pytest.mark.parametrize("service", ["edge", *DAEMONS])
def test_the_database_is_for_gateways_and_portals_alone(stack, service):
    address = stack.address(first(stack, "db"), "database")
    assert reaches(stack, first(stack, "gateway"), address, 5432)
    assert reaches(stack, first(stack, "portal"), address, 5432)
    assert not reaches(stack, first(stack, service), address, 5432)
    assert not reaches(stack, first(stack, service), "db", 5432)


@pytest.mark.parametrize("service", [*DAEMONS, "db"])
def test_the_gateways_http_port_is_for_edge_and_portals_alone(stack, service):
    gateway = stack.inspect(first(stack, "gateway"))["NetworkSettings"]["Networks"]
    addresses = [network["IPAddress"] for network in gateway.values()]
    for caller in ("edge", "portal"):
        assert any(reaches(stack, first(stack, caller), address, 8081) for address in addresses)
    assert not any(reaches(stack, first(stack, service), address, 8081) for address in addresses)


@pytest.mark.parametrize("service", ["gateway", *DAEMONS])
def test_an_admin_port_is_not_for_the_neighbours(stack, service):
    """Others on its network get no response; test_operations.py shows that Prometheus does."""
    assert "200 OK" in stack.ask(first(stack, service), "127.0.0.1", ADMIN_PORT, "/readyz")
    for other in ("gateway", *DAEMONS):
        address = stack.address(first(stack, service), "bus")
        assert other == service or not stack.ask(first(stack, other), address, ADMIN_PORT, "/livez")


@pytest.mark.parametrize("service", [service for service in RUNNING if service not in ("edge", "portal", *SCANNERS)])
def test_what_need_not_go_out_cannot(stack, service):
    assert not reaches(stack, first(stack, service), stack.gate("public"), stack.tls_port)


@pytest.mark.parametrize("service", ["portal", *SCANNERS])
def test_what_must_go_out_can(stack, service):
    assert reaches(stack, first(stack, service), stack.gate("public"), stack.tls_port)


def test_customers_do_not_get_inside(stack, site, books):
    """The daemon's guard blocks targets that its network could reach."""
    account = site.open_account()
    for target in (stack.gate("public"), stack.gate("outside"), "gateway", "db.internal", "169.254.169.254"):
        answer = Client(site).call(account, "security-headers", {"url": f"https://{target}/"})
        assert answer.codes[0] in ("target_not_allowed", "invalid_url"), answer
    assert books.charged(account) == 0


# -- more instances --


def test_load_spreads_and_the_money_adds_up(stack, site, books, scaled):
    accounts, crowd = busy(site, books)
    with crowd:
        wait_for(lambda: all(spread(stack).values()), 60, "everybody has had calls")
        crowd.wait_for_answers(500)
    assert not crowd.faults
    assert set(crowd.statuses()) == {200}
    books.check(accounts, crowd.calls)


def spread(stack):
    """Number of calls of each gateway and each svc-utils."""
    had = {c: stack.metrics(c)["tollgate_http_responses_total"] for c in stack.ids("gateway")}
    had |= {c: stack.metrics(c)["tollgate_jobs_succeeded_total"] for c in stack.ids("svc-utils")}
    assert len(had) == 6
    return had


def test_a_limit_is_exact_for_all_gateways_together(site, books, scaled):
    """40 calls together through both gateways: the tool allows 30 a minute."""
    account = site.open_account(100)
    with ThreadPoolExecutor(20) as pool:
        statuses = Counter(pool.map(lambda _: Client(site).call(account, *CALLS["svc-utils"][:2]).status_code,
                                    range(40)))
    assert statuses == {200: 30, 429: 10}
    assert books.charged(account) == 30


def test_a_balance_is_exact_for_all_gateways_together(site, books, scaled):
    account = site.open_account(25, limits_off=True)
    with ThreadPoolExecutor(20) as pool:
        statuses = Counter(pool.map(lambda _: Client(site).call(account, *CALLS["svc-utils"][:2]).status_code,
                                    range(40)))
    assert statuses == {200: 25, 402: 15}
    assert books.charged(account) == 25


# -- crashes --


def test_a_worker_that_dies_costs_nothing(stack, site, books, scaled):
    """Its jobs run again on another."""
    accounts, crowd = busy(site, books)
    with crowd:
        crowd.wait_for_answers(100)
        stack.crash(first(stack, "svc-utils"))
        crowd.wait_for_answers(300)
    assert set(crowd.statuses()) == {200}, crowd.statuses()
    stack.wait_healthy("svc-utils")
    books.check(accounts, crowd.calls)


@pytest.mark.parametrize("service", ["gateway", "edge"])
def test_a_crash_costs_the_calls_in_flight_alone(stack, site, books, scaled, service):
    """Each client loses at most its call in flight; then another or the restarted one serves."""
    accounts, crowd = busy(site, books)
    with crowd:
        crowd.wait_for_answers(100)
        stack.crash(first(stack, service))
        crowd.wait_for_answers(300, seconds=60)
    lost = {status: count for status, count in crowd.statuses().items() if status != 200}
    assert sum(lost.values()) <= CLIENTS, lost
    assert not crowd.faults
    stack.wait_healthy(service)
    books.wait_until_nothing_is_held(ABANDONED_S)
    books.check(accounts, crowd.calls)


def test_the_database_crashes(stack, site, books, scaled):
    """Calls fail while it is down and succeed afterwards. Only calls with a 200 are charged."""
    accounts, crowd = busy(site, books)
    with crowd:
        crowd.wait_for_answers(100)
        stack.crash(first(stack, "db"))
        stack.wait_healthy("db")
        crowd.wait_for_answers(300, seconds=60)
    assert set(crowd.statuses()) <= {200, 503, 504}, crowd.statuses()
    books.wait_until_nothing_is_held(ABANDONED_S)
    books.check(accounts, crowd.calls)
