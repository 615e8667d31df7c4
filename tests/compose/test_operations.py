"""tests/compose/test_operations.py - the procedures of docs/operate, with the pages' commands, and
under traffic where a page promises that no call is lost. Runs after test_compose.py, on its
stack."""

import contextlib
import io
import json
import os
import re
import ssl
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

import images
import pytest
from containers import (CALLS, CLIENTS, DAEMONS, ComposeSite, Containers, Forwarder, Prometheus, busy, check_replaced,
                        first, ids_of)
from cryptography import x509
from kit.client import Client
from kit.load import Books, long_calls
from part import Failure, command, wait_for

pytestmark = pytest.mark.usefixtures("scaled")
ROLL, RELOAD, APPLY, CERTIFICATE = (f"deploy/docker/{name}" for name in ("roll", "reload", "apply", "certificate"))
WIDEN = Path(__file__).parents[1] / "faults" / "widen.sql"
RUNBOOKS_URL = "https://docs.example.com/runbooks"
FOUND_S = 90  # the first scrape of a target is within its interval: 10 s, for the certificate 60 s


class Traffic:
    """Clients that call without a pause while a procedure runs. At the end no call was lost, and
    the ledger matches the clients' responses."""

    def __init__(self, site, books, clients=CLIENTS):
        self._books = books
        self._accounts, self._crowd = busy(site, books, clients)

    def __enter__(self):
        self._crowd.__enter__()
        self._crowd.wait_for_answers(100)
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self._crowd.wait_for_answers(100)
        finally:
            self._crowd.stop()
            lost = self._lost()
            print("\n".join(lost or ["no call was lost"]))  # pytest shows it if the test fails
        if kind is None:
            assert not self._crowd.faults, self._crowd.faults
            assert not lost, lost
            self._books.check(self._accounts, self._crowd.calls)

    def _lost(self):
        """The calls without a 200: status and codes, how many, when, and the commands that ran
        then."""
        lost = {}
        for call in self._crowd.calls:
            if call.status != 200:
                lost.setdefault((call.status or "unanswered", *call.codes), []).append(call)
        return [self._tell(what, calls) for what, calls in lost.items()]

    def _tell(self, what, calls):
        zero = self._crowd.calls[0].begun
        begin, end = min(call.begun for call in calls), max(call.ended for call in calls)
        done = getattr(self._books.stack, "done", [])  # not all kinds of stacks have it
        doing = [line for line, begun, ended in done if begun < end and ended > begin]
        return (f"{len(calls)} of {len(self._crowd.calls)} calls {' '.join(map(str, what))}, from {begin - zero:.1f} s"
                f" to {end - zero:.1f} s: {'; '.join(doing) or 'between two commands'}")


@pytest.fixture
def traffic(site, books):
    return Traffic(site, books)


# -- settings --


def test_changed_settings(stack, traffic):
    """`apply` rolls what they change and nothing else. A second `apply` does nothing."""
    before, kept = ids_of(stack, "gateway", "portal", *DAEMONS), ids_of(stack, "edge", "db")
    stack.variables["LOG_LEVEL"] = "debug"
    with traffic:
        stack.run_script(APPLY)
    check_replaced(before, ids_of(stack, *before))
    assert ids_of(stack, "edge", "db") == kept
    assert stack.run_script(APPLY) == "apply: nothing has changed\n"


def test_numbers_are_applied(stack, traffic):
    """A larger number applies at once, a smaller one after a yes. Stopping containers finish their
    calls."""
    before = ids_of(stack, "svc-chat", "svc-utils", "gateway", "edge", "db")
    with traffic:
        stack.variables["SVC_CHAT"] = "3"
        assert stack.run_script(APPLY).startswith("apply: svc-chat: 3 instead of 2\n")
        assert len(stack.ids("svc-chat")) == 3 and before["svc-chat"] < set(stack.ids("svc-chat"))
        stack.variables["SVC_CHAT"] = "2"
        with pytest.raises(subprocess.CalledProcessError):
            stack.pipe(program=APPLY)
        assert len(stack.ids("svc-chat")) == 3
        stack.pipe(program=APPLY, given=b"y\n")
    now = ids_of(stack, *before)
    assert len(now.pop("svc-chat")) == 2
    assert now == {service: ids for service, ids in before.items() if service != "svc-chat"}


def test_apply_asks_before_it_replaces_a_service(stack, site, books):
    stack.variables |= {"EDGE_FORM_RATE_PER_IP": "70", "SIGNUP_MX_CHECK": "off"}
    before = ids_of(stack, "edge", "db", "gateway", "portal")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        stack.pipe(program=APPLY, given=b"n\n")
    assert re.match(rb"apply: edge is replaced: .*\napply: rolling portal\napply: continue", refused.value.stdout)
    assert ids_of(stack, *before) == before
    stack.run_script(APPLY, "--yes")
    now = ids_of(stack, *before)
    check_replaced({name: before[name] for name in ("edge", "portal")}, now)
    assert (now["db"], now["gateway"]) == (before["db"], before["gateway"])
    stack.wait_healthy("edge")
    site.edge_is_gone()
    account = site.open_account()
    tool, request, price = CALLS["svc-utils"]
    wait_for(lambda: Client(site).call(account, tool, request).status_code == 200, 30, "the new edge has a gateway")
    assert books.charged(account) == price


def test_a_reloaded_service_restarts(engine, stack, site):
    """After a crash and after a reboot (of the tests' own engine only): the engine must not count a
    reloaded container as stopped by hand."""
    services = ["gateway", "portal", *DAEMONS]
    stack.run_script(RELOAD, *services)
    for service in services:
        for container in stack.ids(service):
            stack.crash(container)
    engine.restart()
    stack.wait_healthy("db", "edge", *services)
    site.forget_trust()
    assert Client(site).call(site.open_account(), *CALLS["svc-utils"][:2]).status_code == 200


# -- upgrade --


def test_upgrade(stack, traffic):
    """With a migration that changes the result of functions: the old gateways continue."""
    before = ids_of(stack, "gateway", "portal", *DAEMONS)
    with traffic:
        stack.compose("build")
        for service in ("init", "tollctl"):
            make_newer(f"tollgate/{service}:local")
        stack.feed((stack.directory / "deploy/database/roles.sql").read_text() +
                   stack.compose("run", "--rm", "-T", "init", "passwords"),
                   "exec", "-T", "db", "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres")
        stack.compose("run", "--rm", "migrate")
        stack.feed(WIDEN.read_text(), "exec", "-T", "db", "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d",
                   "tollgate")
        stack.run_script("deploy/docker/upgrade")
    check_replaced(before, ids_of(stack, *before))
    for service, image in (("init", "init"), ("migrate", "tollctl")):  # `start` runs these containers
        container, = stack.ids(service)
        assert stack.inspect(container)["Image"] == image_id(f"tollgate/{image}:local")


def make_newer(image):
    """Give the name to a new image with the same content."""
    subprocess.run(["docker", "build", "--quiet", "--tag", image, "-"], input=f"FROM {image}\nLABEL newer=yes\n", text=True,
                   check=True, capture_output=True)


def image_id(image):
    return command("docker", "image", "inspect", "--format", "{{.Id}}", image).strip()


@pytest.mark.parametrize("how", ["not ready", "ended"])
def test_a_roll_that_fails_leaves_nothing(stack, traffic, how):
    """The new gateways are ready and have calls, the new daemons are not: the script removes all
    new containers, and the next roll starts as many as before. The same after an interruption."""
    services = ["svc-utils", "gateway"]
    before = ids_of(stack, *services)
    with traffic:
        roll = subprocess.Popen([ROLL, *services], cwd=stack.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, env=os.environ | stack.variables | {
                                    "SVC_CONCURRENCY": "many", "READY_S": "20" if how == "not ready" else "600"})
        if how == "ended":
            wait_for(lambda: all(map(stack.is_healthy, stack.ids("gateway"))) and
                     len(stack.ids("gateway")) == 2 * len(before["gateway"]), 60, "the new gateways are ready")
            roll.terminate()
        said = roll.communicate(timeout=120)[0]
        assert roll.returncode == {"not ready": 1, "ended": 143}[how], said
        assert "removing the new ones" in said
        assert how == "ended" or "TOLLGATE_SVC_CONCURRENCY must be" in said  # from the removed container's log
        assert ids_of(stack, *services) == before
        stack.run_script(ROLL, *services)
    check_replaced(before, ids_of(stack, *services))


# -- keys, passwords, certificates --


def test_rotate_a_groups_key(stack, traffic):
    old = stack.execute(first(stack, "svc-utils"), "cat", "/run/tollgate/bus.public")[1].strip()
    with traffic:
        stack.compose("run", "--rm", "init", "rotate", "svc-utils")
        stack.run_script(RELOAD, "gateway")
        stack.run_script(ROLL, "svc-utils")
        stack.compose("run", "--rm", "init", "forget", "svc-utils")
        stack.run_script(RELOAD, "gateway")
    assert old not in stack.execute(first(stack, "gateway"), "cat", "/run/tollgate/allow.yaml")[1]


def test_rotate_the_gateways_key(stack, traffic):
    old = stack.execute(first(stack, "gateway"), "cat", "/run/tollgate/bus.public")[1].strip()
    before = ids_of(stack, "gateway", *DAEMONS)
    with traffic:
        stack.compose("run", "--rm", "init", "rotate", "gateway")
        stack.run_script(ROLL, *DAEMONS, "gateway")
    check_replaced(before, ids_of(stack, *before))
    assert stack.execute(first(stack, "svc-chat"), "cat", "/run/tollgate/gateway.public")[1].strip() != old


@pytest.mark.parametrize("role", ["gateway", "operator", "owner", "portal"])
def test_rotate_a_database_password(stack, traffic, role):
    old = passwords(stack)
    assert opens(stack, role, old[role])
    with traffic:
        stack.feed(command("openssl", "rand", "-hex", "32"), "run", "--rm", "-T", "init", "password", role)
        stack.compose("exec", "-T", "db", "set-passwords")
        if role in ("gateway", "portal"):
            stack.run_script(ROLL, role)
    new = passwords(stack)
    assert opens(stack, role, new[role]) and not opens(stack, role, old[role])
    assert {name for name in old if old[name] != new[name]} == {role}
    assert stack.tollctl("db", "status")
    assert "nothing to do" in stack.compose("run", "--rm", "migrate")


def passwords(stack):
    """{role: password}, from the SQL that init prints."""
    return dict(re.findall(r"ALTER ROLE tollgate_(\w+) PASSWORD '(\w+)';",
                           stack.compose("run", "--rm", "init", "passwords")))


def opens(stack, role, password):
    """Does PostgreSQL accept the password over the network?"""
    connection = f"host=db dbname=tollgate user=tollgate_{role} password={password}"
    return stack.execute(first(stack, "db"), "psql", connection, "-c", "select 1")[0] == 0


def test_change_the_certificate(stack, site, traffic, tmp_path):
    pem = new_certificate(tmp_path, "localhost", "DNS:localhost")
    with traffic:
        stack.pipe(program=CERTIFICATE, given=pem.encode())
        assert presented(stack) == ssl.PEM_cert_to_DER_cert(pem.partition("-----BEGIN PRIV")[0])
        site.forget_trust()
    line, = stack.said("deploy/docker/check")
    assert re.fullmatch(r"check: the certificate expires on 20\d\d-\d\d-\d\d; replace it with deploy/docker/certificate", line)


def test_a_self_signed_certificate_is_renewed(stack, site, traffic):
    before = facts(stack)
    stack.variables["HOST_NAMES"] = "localhost api.example.com"
    with traffic:
        stack.run_script(CERTIFICATE, "--self-signed")
        site.forget_trust()
    key, names, days = facts(stack)
    assert key != before[0]
    assert names == ["localhost", "api.example.com"] and days == 800
    assert stack.said("deploy/docker/check") == []


def facts(stack):
    """The edge's certificate: key, names, and days of validity."""
    shown = x509.load_der_x509_certificate(presented(stack))
    names = shown.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return shown.public_key().public_numbers(), names.get_values_for_type(x509.DNSName), \
        (shown.not_valid_after - shown.not_valid_before).days


def presented(stack):
    return ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("localhost", stack.tls_port)))


def new_certificate(folder, name, alternative):
    """Self-signed, with its key, in PEM."""
    command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-addext", f"subjectAltName={alternative}",
            "-keyout", folder / "key.pem", "-out", folder / "chain.pem")
    return (folder / "chain.pem").read_text() + (folder / "key.pem").read_text()


@pytest.mark.parametrize("damage", ["no certificate", "no key", "another's key"])
def test_a_wrong_certificate_is_rejected(stack, tmp_path, damage):
    before = presented(stack)
    good = new_certificate(tmp_path, "localhost", "DNS:localhost")
    certificate, key = good.split("-----BEGIN PRIVATE")
    pem = {"no certificate": f"-----BEGIN PRIVATE{key}", "no key": certificate,
           "another's key": certificate + "-----BEGIN PRIVATE" +
           new_certificate(tmp_path, "x", "DNS:x").split("-----BEGIN PRIVATE")[1]}[damage]
    with pytest.raises(subprocess.CalledProcessError):
        stack.pipe(program=CERTIFICATE, given=pem.encode())
    stack.compose("exec", "-T", "edge", "take-certificate")
    assert presented(stack) == before


# -- language models --


def archive(**files):
    """A tar archive of these files, name: content; __ in a name is a dot."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name.replace("__", "."))
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def import_providers(stack):
    listed = (stack.directory / "deploy/docker/models.yaml").read_bytes()
    stack.pipe("run", "--rm", "-T", "init", "import", "svc-ai", given=archive(providers__yaml=listed))
    stack.variables["AI_PROVIDERS_FILE"] = "/run/tollgate/providers.yaml"


def test_a_model_server_beside_the_stack(stack, site, books):
    """The profile models, with the stub's image. After this test svc-ai has a provider."""
    import_providers(stack)
    stack.variables["COMPOSE_PROFILES"] = "models"
    stack.up("--no-deps", "models", "svc-ai")
    stack.wait_healthy("svc-ai")
    account = site.open_account()
    wait_for(lambda: Client(site).call(account, "ai-chat", {"prompt": "Hello"}).status_code == 200, 30, "an answer")
    assert books.charged(account) == 10


def jobs_of(stack, service):
    """A function that counts the jobs that it runs."""
    return lambda: sum(stack.metrics(each)["tollgate_jobs_running"] for each in stack.ids(service))


@pytest.mark.parametrize("service", ["svc-ai", "gateway"])
def test_a_roll_waits_for_long_calls(stack, site, books, service):
    """After test_a_model_server_beside_the_stack."""
    account = site.open_account()
    with long_calls(site, [account] * 3, jobs_of(stack, "svc-ai")) as calls:
        told = stack.run_script(ROLL, service)
    assert [call.status for call in calls] == [200] * 3
    assert books.charged(account) == 30
    assert re.search(rf"^roll: {service}: [1-9]\d* calls still run after 1\d s$", told, re.MULTILINE)


def test_a_roll_that_does_not_wait_names_the_calls(stack, site, books):
    account = site.open_account()
    with long_calls(site, [account], jobs_of(stack, "svc-ai")) as calls:
        said = stack.said(ROLL, "--max-wait", "2", "svc-ai", status=75)
    [call] = calls
    assert f"roll:   ai-chat, request {call.reference}" in said, said
    assert (call.status, books.charged(account)) in {(200, 10), (503, 0)}


def test_all_is_stopped_and_started(stack, site):
    """With a profile's services, and after the upgrade of test_upgrade."""
    kept = ids_of(stack, "edge", "db", "gateway", "models", *DAEMONS)
    assert stack.said("deploy/docker/check") == []
    stack.compose("stop")
    assert not [service for service, ids in kept.items() for each in ids if stack.inspect(each)["State"]["Running"]]
    stack.compose("start")
    stack.wait_healthy("db", "gateway", "portal", "edge", *DAEMONS)
    assert ids_of(stack, *kept) == kept and stack.inspect(first(stack, "models"))["State"]["Running"]
    assert stack.inspect(first(stack, "migrate"))["State"]["ExitCode"] == 0
    site.edge_is_gone()
    account = site.open_account()
    wait_for(lambda: Client(site).call(account, *CALLS["svc-utils"][:2]).status_code == 200, 30, "it is answered")
    del stack.variables["COMPOSE_PROFILES"]
    assert stack.said("deploy/docker/check") == [
        "check: models runs, but COMPOSE_PROFILES does not contain models: stop, start and apply skip it"]
    stack.compose("rm", "--force", "--stop", "models")


# -- monitoring --


@pytest.fixture(scope="module")
def prometheus(stack):
    stack.variables["RUNBOOKS_URL"] = RUNBOOKS_URL
    stack.up("--no-deps", "--build", "prometheus")
    yield Prometheus(stack)
    stack.compose("rm", "--force", "--stop", "prometheus")
    del stack.variables["RUNBOOKS_URL"]


def test_prometheus_finds_everybody(stack, prometheus):
    expected = Counter({service: len(stack.ids(service)) for service in ("edge", "gateway", "portal", *DAEMONS)})
    expected["certificate"] = expected["edge"]
    try:
        wait_for(lambda: prometheus.healthy() == expected, FOUND_S, "all targets are up")
    except Failure as failure:
        pytest.fail(f"{failure}: {dict(expected)} wanted, {dict(prometheus.healthy())} found, {prometheus.ill()}")


# Exist only with `price` in the providers' file, which the stack's model server does not have.
PRICED = ("tollgate_model_budget_", "tollgate_tool_cost_")


@pytest.fixture
def models(stack):
    """The model server, which svc-ai knows since test_a_model_server_beside_the_stack."""
    stack.up("--no-deps", "models")
    yield
    stack.compose("rm", "--force", "--stop", "models")


def test_alerts_and_panels_use_existing_metrics(stack, site, prometheus, models):
    """After a call of a model, and a message of an agent."""
    account = site.open_account()
    wait_for(lambda: Client(site).call(account, "ai-chat", {"prompt": "Hello"}).status_code == 200, 30, "an answer")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Authorization": f"Bearer {account.token}", "Content-Type": "application/json", "Accept": "application/json"}
    with contextlib.closing(Client(site).connect()) as connection:
        connection.request("POST", account.path("mcp"), json.dumps(ping), headers)
        assert connection.getresponse().status == 200
    folder = stack.directory / "deploy" / "observability"
    dashboards = [json.loads(file.read_text()) for file in (folder / "grafana" / "dashboards").glob("*.json")]
    asked = [target["expr"] for dashboard in dashboards for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [rule["query"] for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    assert len(asked) >= 25
    names = {name for expression in asked for name in re.findall(r"\b[a-z]+(?:_[a-z]+)+(?=[\[{)\s]|$)", expression)
             if not name.startswith(("histogram_", "group_left", *PRICED))} | {"up"}

    def missing():
        return names - set(prometheus.ask("label/__name__/values") or [])

    with contextlib.suppress(Failure):
        wait_for(lambda: not missing(), 30, "all are there")
    assert missing() == set()


def test_alerts_fire_when_they_should(stack):
    said = command("docker", "run", "--rm", "--volume",
                   f"{stack.directory}/tests/compose/alerts.yml:/tmp/alerts.yml:ro", "--user", "root",
                   "--entrypoint", "promtool", "tollgate/prometheus:local", "test", "rules", "/tmp/alerts.yml")
    assert "SUCCESS" in said


def test_alerts_link_their_runbooks(prometheus):
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"] if rule["type"] == "alerting"]
    links = {rule["name"]: rule["annotations"]["runbook_url"] for rule in rules}
    assert links and links == {name: f"{RUNBOOKS_URL}/{name}.md" for name in links}


# -- other machines --


def test_daemons_on_another_machine(stack, site, books):
    """The gateways' bus is published. A second project is the other machine."""
    stack.with_files("deploy/docker/publish-bus.yaml", BUS_ADDRESS="127.0.0.1")
    stack.up("--no-deps", "--scale", "gateway=2", "gateway")
    stack.wait_healthy("gateway")
    ports = [stack.published(gateway, 5570) for gateway in stack.ids("gateway")]
    other = Containers("tollgate-other", EDGE_SUBNET="10.213.1.0/24", BUS_PREFIX="10.213.129",
                       MONITORING_SUBNET="10.213.65.0/24")
    try:
        other.with_files("deploy/docker/elsewhere.yaml")
        other.compose("up", "--no-start", "--no-deps", "svc-chat")
        with Forwarder(other.gate("bus"), ports) as forwarder:
            other.variables["BUS_GATEWAYS"] = ",".join(f"{host}:{port}" for host, port in forwarder.addresses)
            other.feed(stack.pipe("run", "--rm", "-T", "init", "export", "svc-chat"),
                       "run", "--rm", "-T", "init", "import", "svc-chat")
            other.up("--no-deps", "svc-chat")
            other.wait_healthy("svc-chat")
            stack.compose("stop", "svc-chat")
            account = site.open_account()
            tool, request, price = CALLS["svc-chat"]
            answer = Client(site).call(account, tool, request)
            assert answer.status_code == 200, answer
            assert books.charged(account) == price
            stack.compose("start", "svc-chat")
            stack.wait_healthy("svc-chat")
    finally:
        other.remove()


def test_a_managed_database(engine, tmp_path):
    """A server with TLS outside the project, whose administrator is not a superuser."""
    pem = new_certificate(tmp_path, "managed", "DNS:managed.test")
    stack = Containers("tollgate-managed", EDGE_SUBNET="10.213.2.0/24", BUS_PREFIX="10.213.130",
                       MONITORING_SUBNET="10.213.66.0/24")
    try:
        stack.with_files("deploy/docker/elsewhere.yaml")
        stack.compose("up", "--no-start", "--no-deps", "gateway")
        address = managed_server(pem, f"{stack.project}_database", tmp_path)
        stack.compose("run", "--rm", "init")
        stack.feed((tmp_path / "chain.pem").read_text(), "run", "--rm", "-T", "init", "database-ca")
        roles = (stack.directory / "deploy/database/roles.sql").read_text() + \
            stack.compose("run", "--rm", "-T", "init", "passwords")
        subprocess.run(["docker", "exec", "-i", "tollgate-managed-server", "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
                        "host=managed.test user=admin dbname=postgres password=administrator"],
                       input=roles, text=True, check=True, capture_output=True)
        stack.variables["DATABASE"] = "host=managed.test sslmode=verify-full sslrootcert=/run/tollgate/database-ca.pem"
        stack.compose("run", "--rm", "--no-deps", "migrate")
        stack.up("--no-deps", "edge", "gateway", "portal", *DAEMONS)
        stack.wait_healthy("edge", "gateway", "portal", *DAEMONS)
        assert not stack.ids("db")
        site = ComposeSite(stack)
        site.database = f"host={address} dbname=tollgate user=postgres password=administrator"
        account = site.open_account()
        answer = Client(site).call(account, *CALLS["svc-utils"][:2])
        assert answer.status_code == 200, answer
        assert Books(stack, site).rows("select count(*) from pg_stat_ssl join pg_stat_activity using (pid)"
                                       " where usename in ('tollgate_gateway', 'tollgate_portal') and not ssl") == [(0,)]
    finally:
        subprocess.run(["docker", "rm", "--force", "--volumes", "tollgate-managed-server"], capture_output=True)
        stack.remove()


def managed_server(pem, network, folder):
    """Run PostgreSQL outside the project; returns its address."""
    (folder / "server.pem").write_text(pem)
    (folder / "server.pem").chmod(0o644)
    name = "tollgate-managed-server"
    command("docker", "run", "--detach", "--name", name, "--network", network, "--network-alias", "managed.test",
            "--volume", f"{folder}/server.pem:/tmp/server.pem:ro", "--env", "POSTGRES_PASSWORD_FILE=/tmp/password",
            "--user", "postgres", "--entrypoint", "sh", images.POSTGRES, "-c",
            "umask 077; echo administrator >/tmp/password; cp /tmp/server.pem /tmp/own.pem;"
            "exec docker-entrypoint.sh postgres -cssl=on -cssl_cert_file=/tmp/own.pem -cssl_key_file=/tmp/own.pem")
    wait_for(lambda: subprocess.run(["docker", "exec", name, "pg_isready", "-q", "-h", "127.0.0.1"]).returncode == 0,
             30, "the managed server accepts connections")
    command("docker", "exec", name, "psql", "-X", "-c",
            "create role admin login createrole createdb password 'administrator'")
    return json.loads(command("docker", "inspect", name))[0]["NetworkSettings"]["Networks"][network]["IPAddress"]
