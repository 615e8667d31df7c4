"""tests/compose/test_release.py - images are pushed to a registry (Debian's), and a stack is pulled
from it."""

import json
import shutil

import images
import pytest
from containers import CALLS, FREE_PORTS, ComposeSite, Containers
from kit.client import Client
from part import Part, command
from ports import port_is_free

RELEASE = "deploy/docker/release"
VERSION = "1.0"
BUILD = "0123456789ab 2026-01-02"
TRACKER = {"glibc": {"CVE-2000-0001": {"releases": {"bookworm": {"status": "resolved", "fixed_version": "0"}}}}}
BAD = {"zeromq3": {"CVE-2000-0002": {"releases": {"bookworm": {"status": "open", "urgency": "high"}}}}}
BASES = ["BASE_IMAGE", "POSTGRES_IMAGE", "PROMETHEUS_IMAGE", "GRAFANA_IMAGE", "MODELS_IMAGE"]
SERVICES = ["db", "edge", "gateway", "init", "svc-utils", "tollctl"]


@pytest.fixture(scope="module")
def registry(engine, tmp_path_factory):
    """Its address on this machine, where an engine needs no TLS."""
    folder, port = tmp_path_factory.mktemp("registry"), next(FREE_PORTS)
    (folder / "config.yml").write_text(
        f"version: 0.1\nstorage: {{ filesystem: {{ rootdirectory: {folder}/images }} }}\n"
        f"http: {{ addr: '127.0.0.1:{port}' }}\nlog: {{ accesslog: {{ disabled: true }} }}\n")
    part = Part("registry", ["docker-registry", "serve", folder / "config.yml"], folder / "log",
                lambda: not port_is_free(port))
    part.start()
    part.wait_ready()
    yield f"127.0.0.1:{port}"
    part.stop()


@pytest.fixture(scope="module")
def released(stack, registry, tmp_path_factory):
    """The folder with the lists of the pushed images, the script's output, the images' labels and
    the public key. The images are no longer on this machine."""
    folder = tmp_path_factory.mktemp("release")
    tracker, key = folder / "tracker.json", folder / "release.key"
    command("minisign", "-G", "-W", "-s", key, "-p", folder / "release.pub")
    variables = {"IMAGE": f"{registry}/tollgate", "TOLLGATE_VERSION": VERSION, "TOLLGATE_BUILD": BUILD,
                 "TRACKER": str(tracker), "SIGNING_KEY": str(key)}
    stack.variables |= variables
    try:
        tracker.write_text(json.dumps(TRACKER | BAD))
        [*_, problem, why] = stack.said(RELEASE, *SERVICES, status=1)
        assert "zeromq3" in problem and "CVE-2000-0002" in problem and "nothing is pushed" in why
        tracker.write_text(json.dumps(TRACKER))
        said = stack.run_script(RELEASE, *SERVICES)
    finally:
        for name in variables:
            del stack.variables[name]
    names = [f"{registry}/tollgate/{service}:{VERSION}" for service in SERVICES]
    labels = {name: json.loads(command("docker", "image", "inspect", name))[0]["Config"]["Labels"] for name in names}
    command("docker", "image", "rm", *names)
    public = (folder / "release.pub").read_text().splitlines()[1]
    return stack.directory / "build-release" / VERSION, said, labels, public


def test_what_is_in_each_image_is_listed(released):
    folder, said, *_ = released
    for service in SERVICES:
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
    assert digests == dict(pushed) and len(digests) == len(SERVICES)
    bases = {item["name"] for item in statement["predicate"]["buildDefinition"]["resolvedDependencies"]}
    used = images.variables()
    assert {used["BASE_IMAGE"], used["POSTGRES_IMAGE"]} <= bases and "grafana/grafana:13.0.1" not in bases


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


def test_a_stack_of_what_was_pulled(released, registry):
    """Nothing is built: the running images have the digests of the signed list."""
    folder, _, _, public = released
    pushed = dict(line.rsplit("/", 1)[1].split("@") for line in (folder / "images").read_text().split())
    assert pushed.keys() == set(SERVICES)
    stack = Containers("tollgate-pulled", IMAGE=f"{registry}/tollgate", TOLLGATE_VERSION=VERSION,
                       EDGE_SUBNET="10.213.4.0/24", BUS_PREFIX="10.213.132", MONITORING_SUBNET="10.213.68.0/24")
    shutil.copytree(folder, stack.directory / "release")
    stack.with_files("release/images.yaml", RELEASE_KEY=public)
    try:
        assert "is signed by RELEASE_KEY" in stack.said("deploy/docker/compose", "pull", *SERVICES, "migrate")[0]
        stack.up("--no-build", "edge", "gateway", "svc-utils")
        stack.wait_healthy("edge", "gateway", "svc-utils")
        site = ComposeSite(stack)
        assert Client(site).call(site.open_account(), *CALLS["svc-utils"][:2]).status_code == 200
        for service in ("edge", "gateway", "svc-utils", "db"):
            image = stack.inspect(stack.ids(service)[0])["Image"]
            digests = json.loads(command("docker", "image", "inspect", image))[0]["RepoDigests"]
            assert f"{registry}/tollgate/{service}@{pushed[service]}" in digests
    finally:
        stack.remove()


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
