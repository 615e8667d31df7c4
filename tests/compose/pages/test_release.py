"""tests/compose/pages/test_release.py - a whole release is built, listed, checked, signed and
pushed to a registry (Debian's). On a machine that has a Docker engine but no image, the commands of
docs/operate/registry.md and install.md lead to a paid call."""

import contextlib
import json
import os
import re
import shutil
import time

import images
import nodes
import page_commands
import pytest
from containers import DAEMONS, FREE_PORTS, copy_checkout
from kit.operators.acme import section
from part import Part, command
from ports import port_is_free

RELEASE = "deploy/docker/release"
VERSION = "1.0"
BUILD = "0123456789ab 2026-01-02"
TRACKER = {"glibc": {"CVE-2000-0001": {"releases": {"bookworm": {"status": "resolved", "fixed_version": "0"}}}}}
BAD = {"zeromq3": {"CVE-2000-0002": {"releases": {"bookworm": {"status": "open", "urgency": "high"}}}}}
BASES = ["BASE_IMAGE", "POSTGRES_IMAGE", "PROMETHEUS_IMAGE", "GRAFANA_IMAGE", "MODELS_IMAGE"]
IMAGES = sorted(["db", "edge", "gateway", "grafana", "init", "portal", "prometheus", "tollctl", *DAEMONS])
REGISTRY_PAGE, INSTALL_PAGE = "docs/operate/registry.md", "docs/operate/install.md"
# The page's limit for engines that allow fewer open files than the default.
OPEN_FILES = 16384


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The registry's files."""
    return tmp_path_factory.mktemp("registry")


@contextlib.contextmanager
def served(store, address):
    """The registry's name for clients of this address."""
    port = next(FREE_PORTS)
    config = store / f"{port}.yml"
    config.write_text(f"version: 0.1\nstorage: {{ filesystem: {{ rootdirectory: {store}/images }} }}\n"
                      f"http: {{ addr: '{address}:{port}' }}\nlog: {{ accesslog: {{ disabled: true }} }}\n")
    part = Part("registry", ["docker-registry", "serve", config], store / f"{port}.log", lambda: not port_is_free(port))
    part.start()
    part.wait_ready()
    try:
        yield f"{address}:{port}"
    finally:
        part.stop()


@pytest.fixture(scope="module")
def registry(engine, store):
    """For this machine, whose engine needs no TLS there."""
    with served(store, "127.0.0.1") as name:
        yield name


@pytest.fixture(scope="module")
def released(stack, registry, tmp_path_factory):
    """The folder with the lists of the pushed images, the output of `make release`, the images'
    labels and the public key. The images are no longer on this machine. Grafana's base image cannot
    be pulled here, so its image has another."""
    folder = tmp_path_factory.mktemp("release")
    tracker, key = folder / "tracker.json", folder / "release.key"
    command("minisign", "-G", "-W", "-s", key, "-p", folder / "release.pub")
    variables = {"IMAGE": f"{registry}/tollgate", "TOLLGATE_VERSION": VERSION, "TOLLGATE_BUILD": BUILD,
                 "TRACKER": str(tracker), "SIGNING_KEY": str(key), "GRAFANA_IMAGE": images.BASE}
    stack.variables |= variables
    try:
        tracker.write_text(json.dumps(TRACKER | BAD))
        [*_, problem, why] = stack.said(RELEASE, "svc-utils", status=1)
        assert "zeromq3" in problem and "CVE-2000-0002" in problem and "nothing is pushed" in why
        tracker.write_text(json.dumps(TRACKER))
        said = stack.run_script("make", "release")
    finally:
        for name in variables:
            del stack.variables[name]
    names = [f"{registry}/tollgate/{service}:{VERSION}" for service in IMAGES]
    labels = {name: json.loads(command("docker", "image", "inspect", name))[0]["Config"]["Labels"] for name in names}
    command("docker", "image", "rm", *names)
    public = (folder / "release.pub").read_text().splitlines()[1]
    return stack.directory / "build-release" / VERSION, said, labels, public


def test_what_is_in_each_image_is_listed(released):
    folder, said, *_ = released
    for service in IMAGES:
        document = json.loads((folder / f"{service}.cdx.json").read_text())
        assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
        assert document["metadata"]["component"]["version"] == VERSION
        found = {item["name"]: item for item in document["components"]}
        assert len(found) == len(document["components"]) > 50 and "gcc" not in found
        assert f"tollgate/{service}:{VERSION} has {len(found)} packages" in said
        libc = found["libc6"]
        assert libc["purl"].startswith(f"pkg:deb/debian/libc6@{libc['version'].replace('+', '%2B')}?arch=")
        assert libc["purl"].endswith(f"&upstream=glibc%40{libc['version'].replace('+', '%2B')}")
    assert {"libzmq5"} <= names_in(folder, "svc-utils") and "postgresql-15" in names_in(folder, "db")


def test_images_and_programs_name_the_commit(released, registry):
    labels = released[2].values()
    named = {tuple(each[f"org.opencontainers.image.{name}"] for name in ("version", "revision", "licenses")) for each in labels}
    assert named == {(VERSION, BUILD, "MIT")}
    for service, program in (("gateway", "tollgate-gateway"), ("svc-utils", "svc-utils")):
        image = f"{registry}/tollgate/{service}:{VERSION}"
        command("docker", "pull", image)
        assert f"({BUILD})\n" in command("docker", "run", "--rm", "--entrypoint", program, image, "--version")


def test_a_release_says_what_it_is_made_of(released, registry):
    folder = released[0]
    document = json.loads((folder / "tollgate.cdx.json").read_text())
    assert document["metadata"]["component"]["version"] == VERSION
    licenses = {item["name"]: item["licenses"][0]["expression"] for item in document["components"]}
    assert licenses["pico.css"] == "MIT" and "npm" not in json.dumps(document)
    statement = json.loads((folder / "provenance.json").read_text())
    digests = {item["name"]: f"sha256:{item['digest']['sha256']}" for item in statement["subject"]}
    pushed = (line.split("@") for line in (folder / "images").read_text().split())
    assert digests == dict(pushed) and len(digests) == len(IMAGES)
    bases = {item["name"] for item in statement["predicate"]["buildDefinition"]["resolvedDependencies"]}
    assert bases == {images.BASE, images.POSTGRES, images.PROMETHEUS}


def test_only_a_release_with_its_signature_is_pulled(released, stack, tmp_path):
    """Each wrong file is rejected before a registry is asked."""
    folder, _, _, public = released
    release = stack.directory / "release"
    other = tmp_path / "other.pub"
    command("minisign", "-G", "-W", "-s", tmp_path / "other.key", "-p", other)

    def verify(status, key=public, change=None):
        shutil.rmtree(release, ignore_errors=True)
        shutil.copytree(folder, release)
        if change:
            change(release)
        given = {"COMPOSE_FILE": "compose.yaml:release/images.yaml", "RELEASE_KEY": key}
        stack.variables |= given
        try:
            return stack.said("deploy/docker/verify", status=status)[-1]
        finally:
            for name in given:
                del stack.variables[name]

    def damage(name):
        def change(release):
            text = (release / name).read_text()
            (release / name).write_text(text.replace("a", "b", 1))
        return change

    assert verify(0) == "verify: release is signed by RELEASE_KEY"
    assert "RELEASE_KEY is not set" in verify(78, key="")
    assert "not signed by RELEASE_KEY" in verify(78, key=other.read_text().splitlines()[1])
    assert "not signed by RELEASE_KEY" in verify(78, change=damage("SHA256SUMS"))
    assert "not the one that was signed" in verify(78, change=damage("images.yaml"))
    assert "is missing" in verify(78, change=lambda release: (release / "SHA256SUMS.minisig").unlink())
    shutil.rmtree(release)


def names_in(folder, service):
    return {item["name"] for item in json.loads((folder / f"{service}.cdx.json").read_text())["components"]}


class Operator:
    """Types the commands of pages in a checkout on another machine."""

    def __init__(self, node, checkout):
        self._node, self._checkout = node, checkout
        self._values = {}

    def run(self, text):
        """A page's command, with values for the texts in <...>; its output."""
        text = re.sub(r"<(account|token)>", lambda found: self._values[found[1]], text.replace("docker compose ", "docker-compose "))
        printed = command("nsenter", f"--net=/run/netns/{self._node.name}", "--", "bash", "-euc", text,
                          cwd=self._checkout, env=os.environ | {"DOCKER_HOST": self._node.host})
        self._values |= dict(re.findall(r"^(account|token) +(\S+)$", printed, re.MULTILINE))
        return printed

    def posted(self):
        """The credits of the account."""
        return json.loads(self.run("docker compose run --rm -T tollctl account show <account> --json"))["posted"]


@pytest.fixture
def machine():
    """It has no image, and no route to other machines than this one."""
    with nodes.Nodes(1, swarm=False) as [node]:
        assert not node.docker("image", "ls", "--quiet")
        yield node


def test_pulled_images_lead_to_a_paid_call(released, store, machine, tmp_path, capsys):
    """By the pages' commands, as they are written. Nothing is built: the running images have the
    digests of the signed list. The time is printed."""
    folder, _, _, public = released
    checkout = tmp_path / "tollgate"
    copy_checkout(checkout)
    shutil.copytree(folder, checkout / "release")
    pull, up, *_ = page_commands.commands(section(REGISTRY_PAGE, "Verify what you pull"))
    _, _, *until_a_call = page_commands.commands(section(INSTALL_PAGE, "Install"))
    operator = Operator(machine, checkout)
    with served(store, nodes.OURS) as registry:
        (checkout / ".env").write_text(f"IMAGE={registry}/tollgate\nTOLLGATE_VERSION={VERSION}\nRELEASE_KEY={public}\n"
                                       f"COMPOSE_FILE=compose.yaml:release/images.yaml\nOPEN_FILES={OPEN_FILES}\n")
        times = [time.monotonic()]
        for text in [pull, up, *until_a_call]:
            printed = operator.run(text)
            times.append(time.monotonic())
    assert json.loads(printed)["success"]
    assert operator.posted() == 499
    with capsys.disabled():
        print(f"\n{times[1] - times[0]:.0f} s to pull from this machine, {times[-1] - times[1]:.0f} s from there to a paid call")
    pushed = {line.rsplit("/", 1)[1].partition("@")[0]: line.rpartition("@")[2] for line in (folder / "images").read_text().split()}
    assert sorted(pushed) == IMAGES
    running = machine.docker("inspect", "--format", "{{.Config.Image}}", *machine.docker("ps", "--quiet").split()).split()
    assert len(running) >= 11 and {image.rsplit("/", 1)[1] for image in running} <= {f"{name}@{digest}" for name, digest in pushed.items()}


def test_the_images_of_others_are_printed_by_digest(stack, registry):
    name = f"{registry}/debian:base"
    command("docker", "tag", images.BASE, name)
    command("docker", "push", "--quiet", name)
    [digest] = [pushed.split("@")[1] for pushed in json.loads(command("docker", "image", "inspect", name))[0]["RepoDigests"]
                if pushed.startswith(registry)]
    before = dict(stack.variables)
    stack.variables |= dict.fromkeys(BASES, name) | {"MODELS_IMAGE": f"{name}@sha256:{'0' * 64}"}
    try:
        assert stack.run_script("deploy/docker/pin", "--tls-verify=false").splitlines() == [
            f"{setting}={name}@{digest}" for setting in BASES]
        stack.variables["GRAFANA_IMAGE"] = f"{registry}/none:1"
        assert stack.said("deploy/docker/pin", "--tls-verify=false", status=69)[-1].endswith("none:1 (GRAFANA_IMAGE)")
    finally:
        stack.variables.clear()
        stack.variables |= before
    command("docker", "image", "rm", name)


def test_without_a_registry_nothing_is_pushed(stack):
    stack.variables["TOLLGATE_VERSION"] = "2.0"
    try:
        said = stack.run_script(RELEASE, "svc-utils")
    finally:
        del stack.variables["TOLLGATE_VERSION"]
    assert "nothing is pushed" in said
    assert not (stack.directory / "build-release/2.0/images").exists()
    command("docker", "image", "rm", "tollgate/svc-utils:2.0")
