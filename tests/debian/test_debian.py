"""tests/debian/test_debian.py - docs/operate/debian/README.md, command by command, on a bare Debian
12: from the packages to a paid call, then settings, keys, a second machine, upgrade, going back,
removal. The tests run in this order on one machine. Times are printed; no test depends on them."""

import contextlib
import hashlib
import json
import re
import shutil
import time
from pathlib import Path

import conftest
import pytest
from kit.groups import GROUPS
from machine import Machine, connect
from part import command, wait_for

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/operate/debian/README.md").read_text()
SERVICES = {f"tollgate-{name}" for name in ("edge", "gateway", "portal", *GROUPS)}
ENV = "/etc/tollgate/tollgate.env"
KEYS = "/etc/tollgate/keys"
EXPOSURE_MAX = 20  # in tenths, of `systemd-analyze security`; HAProxy's own unit has 96
CHANGE_S = 60


def commands(heading, prompt="$ "):
    """The commands below a heading of the page, in order."""
    section = re.search(rf"^##+ {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    blocks = re.findall(r"^ *```console\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line.removeprefix(prompt).replace("apt ", "apt -y ", 1) for line in lines if line.startswith(prompt)]


CALL, = [text for text in commands("Install on one machine") if text.startswith("curl ")]


class Customer:
    """The page's commands for an account, with what they printed."""

    def __init__(self):
        self.words = {}

    def run(self, machine, text):
        """Replace <account> and <token>, run it, and keep what it prints."""
        for name, value in self.words.items():
            text = text.replace(f"<{name}>", value)
        printed = machine.run(text, "/srv/packages")
        self.words |= dict(re.findall(r"^(account|token) +(\S+)$", printed, re.MULTILINE))
        return printed

    def call(self, machine):
        """The page's call again; the credits before and after it."""
        before = self.credits(machine)
        answer = json.loads(self.run(machine, CALL))
        assert answer["success"] and answer["result"]["hash"] == hashlib.sha256(b"hello").hexdigest()
        assert self.credits(machine) == before - 1

    def credits(self, machine):
        return int(json.loads(machine.run(f"tollctl account show {self.words['account']} --json"))["posted"])


@pytest.fixture(scope="module")
def customer():
    return Customer()


# -- packages --


def test_two_builds_are_identical(built, packages, tmp_path):
    other = conftest.build(tmp_path / "another" / "folder")
    hashes = [{file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files} for files in (built, other)]
    for name, digest in hashes[0].items():
        print(digest, name)
    assert len(packages) == len(SERVICES) + len(["tollgate", "tollgate-common", "tollgate-tollctl"])
    assert hashes[0] == hashes[1]


# -- from apt install to a paid call --


def test_the_page_leads_to_a_paid_call(first, customer):
    begun = time.monotonic()
    for text in commands("Install on one machine"):
        if text.startswith("curl"):
            answer = json.loads(customer.run(first, text))
            print(f"\n{time.monotonic() - begun:.0f} s from apt install to a paid call, without Debian's downloads")
            assert answer["success"] and customer.credits(first) == 499
            first.run(f"tollctl account limits {customer.words['account']} --off")  # for the tests below
        else:
            customer.run(first, text)
    assert first.units() == SERVICES


def hashes_of_keys(machine):
    return machine.run(f"find {KEYS} -type f -exec sha256sum {{}} + | sort")


def test_setup_again_changes_nothing(first):
    before = hashes_of_keys(first)
    assert "nothing to do" in first.run("tollgate-setup")
    assert hashes_of_keys(first) == before


# -- isolation --


def test_the_units_are_valid(first):
    assert first.run("systemd-analyze verify --man=no /lib/systemd/system/tollgate-*.service 2>&1") == ""


@pytest.mark.parametrize("unit", sorted(SERVICES))
def test_a_service_is_confined(first, unit):
    first.run(f"systemd-analyze security --no-pager --threshold={EXPOSURE_MAX} {unit}")  # fails above
    status = first.run(f"cat /proc/{first.show(unit, 'MainPID')}/status")
    allowed = "0000000000000400" if unit == "tollgate-edge" else "0000000000000000"  # CAP_NET_BIND_SERVICE
    assert f"CapBnd:\t{allowed}" in status and f"CapEff:\t{allowed}" in status
    assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    assert first.run(f"id -un {re.search('Uid:.(.+?)	', status)[1]}").strip() == unit


@pytest.mark.parametrize("unit", sorted(SERVICES))
def test_secrets_are_the_services_own(first, unit):
    mine = first.run(f"find {KEYS} -type f ! -name '*.public' ! -name certificate.pem").split()
    readable = {file for file in mine if first.succeeds(f"runuser -u {unit} -- cat {file}")}
    assert readable == {file for file in mine if file.startswith(f"{KEYS}/{unit.removeprefix('tollgate-')}/")}
    assert {file.rsplit("/", 1)[0] for file in readable} == {f"{KEYS}/{unit.removeprefix('tollgate-')}"}


# -- settings --


def wait_ready(machine):
    wait_for(lambda: machine.succeeds("/usr/lib/tollgate/health 8404 /readyz"), CHANGE_S, "a gateway is ready")


@contextlib.contextmanager
def settings(machine, *lines):
    """The settings with these lines; afterwards as before, and the services restarted."""
    file = machine.root / ENV.removeprefix("/")
    before = file.read_text()
    file.write_text(before + "".join(f"{line}\n" for line in lines))
    try:
        yield
    finally:
        file.write_text(before)
        machine.run("systemctl restart 'tollgate-*'")
        machine.wait_active(SERVICES)
        wait_ready(machine)


def test_an_invalid_setting_stops_a_service_for_good(first):
    with settings(first, "TOLLGATE_NO_SUCH_KEY=1"):
        first.run("systemctl restart tollgate-svc-utils")
        wait_for(lambda: first.show("tollgate-svc-utils", "ActiveState") == "failed", CHANGE_S, "it has failed")
        assert first.show("tollgate-svc-utils", "ExecMainStatus") == "78"
        assert first.show("tollgate-svc-utils", "NRestarts") == "0"


def test_a_service_that_crashes_runs_again(first):
    pid = first.show("tollgate-svc-utils", "MainPID")
    first.run(f"kill -SEGV {pid}")
    wait_for(lambda: first.show("tollgate-svc-utils", "MainPID") not in (pid, "0"), CHANGE_S, "it is started again")
    assert int(first.show("tollgate-svc-utils", "NRestarts")) >= 1


def test_settings(first, customer):
    """The commands of the page; and 443 as the port."""
    (first.folder / "providers.yaml").write_text("providers: []\n")
    with settings(first, "HTTPS_PORT=443"):
        for text in commands("Settings"):
            first.run(text, "/srv/packages")
            first.wait_active(SERVICES)
        wait_ready(first)
        assert first.run("curl -s --cacert packages/ca.pem https://localhost/tools -o /dev/null -w '%{http_code}'") == "200"
        environment = first.run(f"cat /proc/{first.show('tollgate-svc-ai', 'MainPID')}/environ").split("\0")
        assert f"TOLLGATE_AI_PROVIDERS_FILE={KEYS}/svc-ai/providers.yaml" in environment
    customer.call(first)


# -- keys --


def test_a_certificate(first, customer):
    first.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=localhost "
              "-addext subjectAltName=DNS:localhost -keyout key.pem -out fullchain.pem", "/srv/packages")
    *_, certificate, reload_edge = commands("Keys and certificate")[:2]
    first.run(certificate, "/srv/packages")
    first.run(f"{reload_edge} && cp fullchain.pem ca.pem", "/srv/packages")
    wait_for(lambda: first.succeeds("cd packages && curl -s --cacert ca.pem https://localhost:8443/tools"), CHANGE_S,
             "the edge presents the new certificate")
    presented = "openssl s_client -connect localhost:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint"
    assert first.run(presented) == first.run("openssl x509 -noout -fingerprint -in packages/fullchain.pem")
    customer.call(first)


def test_a_new_key(first, customer):
    old = first.run(f"cat {KEYS}/svc-utils/bus.public")
    for text in commands("Keys and certificate")[2:]:
        first.run(text)
        first.wait_active(SERVICES)
    assert first.run(f"cat {KEYS}/svc-utils/bus.public") != old
    assert old not in first.run(f"cat {KEYS}/gateway/allow.yaml")
    wait_ready(first)
    customer.call(first)


def wait_workers(machine, count):
    """As the gateway counts those of svc-chat; polling with calls would meet the edge's limits."""
    line = f'tollgate_workers{{group="chat"}} {count}'
    wait_for(lambda: line in machine.run("curl -s http://127.0.0.1:9100/metrics || true").splitlines(), CHANGE_S, line)


def chat(machine, customer):
    tool = CALL.replace("hash-generate", "chatplatform-timestamp")
    return json.loads(customer.run(machine, tool.replace('{"input":"hello"}', "{}")))["success"]


def test_setup_creates_the_key_of_a_new_group(first, customer):
    """As after an upgrade to a version that adds a group."""
    first.run(f"systemctl stop tollgate-svc-chat && rm {KEYS}/svc-chat/*")
    first.run("systemctl start tollgate-svc-chat")  # without a key it does not start
    assert "tollgate-svc-chat" not in first.units()
    first.run("tollgate-setup")
    assert first.units() == SERVICES
    wait_workers(first, 1)
    assert chat(first, customer)


# -- a worker on another machine --


def test_a_worker_on_another_machine(first, customer, packages):
    wanted = [file for file in packages if file.name.startswith(("tollgate-common_", "tollgate-svc-chat_"))]
    with Machine("tollgate-other", wanted) as other, settings(first):
        connect(first, other)
        *open_bus, leave = commands("A worker on another machine", "first$ ")
        for text in open_bus:
            first.run(text, "/srv/packages")
        shutil.copy(first.folder / "svc-chat.tar", other.folder)
        for text in commands("A worker on another machine", "other$ "):
            other.run(text, "/srv/packages")
        assert other.units() == {"tollgate-svc-chat"}
        wait_workers(first, 2)
        try:
            first.run(leave)
            wait_workers(first, 1)
            assert chat(first, customer)
            other.run("systemctl stop tollgate-svc-chat")
            wait_workers(first, 0)
            assert not chat(first, customer)
        finally:
            first.run("systemctl enable --now tollgate-svc-chat")


# -- logs, backups, a reboot --


@pytest.mark.parametrize("heading", ["Services", "Logs", "Back up"])
def test_other_commands(first, heading):
    for text in commands(heading):
        assert first.run(text, "/srv/packages") or heading == "Back up"


def test_services_run_after_a_reboot(first, customer):
    first.restart()
    first.wait_active(SERVICES)
    wait_ready(first)
    assert first.units() == SERVICES
    customer.call(first)


# -- upgrade --


def with_version(packages, version, folder):
    """The same packages with another version."""
    folder.mkdir()
    for package in packages:
        tree = folder / "tree"
        command("dpkg-deb", "--raw-extract", package, tree)
        control = tree / "DEBIAN/control"
        text = control.read_text()
        old = re.search(r"^Version: (.+)$", text, re.MULTILINE)[1]
        control.write_text(text.replace(f"Version: {old}", f"Version: {version}").replace(f"(= {old})", f"(= {version})"))
        command("dpkg-deb", "-Zgzip", "--root-owner-group", "--build", tree, folder)
        shutil.rmtree(tree)
    return sorted(folder.glob("*.deb"))


def installed(machine):
    return set(machine.run("dpkg-query --show --showformat '${Version}\\n' 'tollgate*'").split())


def test_upgrade(first, customer, packages, tmp_path):
    """Calls that are made meanwhile are charged if, and only if, their response has status 200."""
    first.replace_packages(with_version(packages, "99.0", tmp_path / "newer"))
    first.run(f"cp {KEYS}/edge/certificate.pem packages/ca.pem")
    before, begun = customer.credits(first), time.monotonic()
    call = CALL.replace("curl ", "curl -s -o /dev/null -w '%{http_code}' ", 1)
    for name, value in customer.words.items():
        call = call.replace(f"<{name}>", value)
    clients = first.begin(f"cd packages; touch calling; while [ -e calling ]; do {call} || true; date +' %s.%N'; sleep 1; done")
    try:
        for text in commands("Upgrade"):
            first.run(text, "/srv/packages")
        print(f"\n{time.monotonic() - begun:.0f} s for the upgrade")
        first.wait_active(SERVICES)
        wait_ready(first)
    finally:
        first.run("rm packages/calling")
    answers = [line.split() for line in clients.communicate()[0].splitlines()]
    statuses = [status for status, _ in answers]
    served = [float(at) for status, at in answers if status == "200"]
    print({status: statuses.count(status) for status in sorted(set(statuses))},
          f"longest time without a 200: {max(after - at for at, after in zip(served, served[1:])):.1f} s")
    assert installed(first) == {"99.0"}
    assert set(statuses) <= {"200", "503", "000"}  # 000: the edge was being replaced
    assert before - customer.credits(first) == statuses.count("200") > 0
    customer.call(first)


def test_go_back(first, customer, packages):
    first.replace_packages(packages)
    for text in commands("Go back"):
        first.run(text, "/srv/packages")
    first.wait_active(SERVICES)
    wait_ready(first)
    assert "99.0" not in installed(first)
    first.run(f"cp {KEYS}/edge/certificate.pem packages/ca.pem")
    customer.call(first)


# -- removal --


def left_over(machine):
    """Processes of Tollgate's users."""
    return [line for line in machine.run("stat --format '%U %n' /proc/[0-9]* || true").splitlines() if line.startswith("tollgate-")]


def test_remove_keeps_the_data(first, customer):
    keys = hashes_of_keys(first)
    remove, = [text for text in commands("Remove") if text.startswith("apt -y remove")]
    first.run(remove)
    assert first.units() == set() and left_over(first) == []
    assert hashes_of_keys(first) == keys
    first.run("apt-get -y install ./*.deb && tollgate-setup", "/srv/packages")
    customer.call(first)


def test_purge_keeps_the_data_too(first, customer):
    keys = hashes_of_keys(first)
    first.run("apt-get -y purge 'tollgate*'")
    assert first.units() == set() and left_over(first) == []
    assert hashes_of_keys(first) == keys
    assert not first.succeeds(f"test -e {ENV}")
    assert first.run("runuser -l postgres -c \"psql -At -d tollgate -c 'select count(*) from account'\"") == "1\n"


def test_deletion(first):
    for text in commands("Remove"):
        if not text.startswith("apt "):
            first.run(text)
    assert "tollgate" not in first.run("runuser -l postgres -c 'psql -At -c \"select rolname from pg_roles\"; psql -Atl'")
    assert first.run("find /etc /lib /usr /var/lib -name '*tollgate*'") == ""
