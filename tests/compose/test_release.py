"""tests/compose/test_release.py - images are pushed to a registry (Debian's), and a stack is pulled
from it."""

import json

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
    """The folder with the lists of the pushed images, the script's output, and the images' labels.
    The images are no longer on this machine."""
    tracker = tmp_path_factory.mktemp("tracker") / "tracker.json"
    variables = {"IMAGE": f"{registry}/tollgate", "TOLLGATE_VERSION": VERSION, "TOLLGATE_BUILD": BUILD,
                 "TRACKER": str(tracker)}
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
    return stack.directory / "build-release" / VERSION, said, labels


def test_what_is_in_each_image_is_listed(released):
    folder, said, _ = released
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


def names_in(folder, service):
    return {item["name"] for item in json.loads((folder / f"{service}.cdx.json").read_text())["components"]}


def test_a_stack_of_what_was_pulled(released, registry):
    """Nothing is built: the running images have the digests of the pushed ones."""
    folder, *_ = released
    pushed = dict(line.rsplit("/", 1)[1].split("@") for line in (folder / "images").read_text().split())
    assert pushed.keys() == set(SERVICES)
    stack = Containers("tollgate-pulled", IMAGE=f"{registry}/tollgate", TOLLGATE_VERSION=VERSION,
                       EDGE_SUBNET="10.213.4.0/24", BUS_PREFIX="10.213.132", MONITORING_SUBNET="10.213.68.0/24")
    try:
        stack.compose("pull", *SERVICES, "migrate")
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


def test_without_a_registry_nothing_is_pushed(stack):
    stack.variables["TOLLGATE_VERSION"] = "2.0"
    try:
        said = stack.run_script(RELEASE, "svc-utils")
    finally:
        del stack.variables["TOLLGATE_VERSION"]
    assert "nothing is pushed" in said
    assert not (stack.directory / "build-release/2.0/images").exists()
    command("docker", "image", "rm", "tollgate/svc-utils:2.0")
