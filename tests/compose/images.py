"""tests/compose/images.py - the base images of compose.yaml, made from Debian's packages.

Nothing is pulled: debootstrap makes debian:bookworm-slim and debian:trixie-slim, and the
Dockerfiles in this folder make replacements for the images of PostgreSQL and Prometheus. Packages
come from this machine's apt sources.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from part import command

HERE = Path(__file__).resolve().parent
BASE = "tollgate-test/debian:bookworm-slim"
NEXT_BASE = "tollgate-test/debian:trixie-slim"
POSTGRES = "tollgate-test/postgres:15"
NEXT_POSTGRES = "tollgate-test/postgres:17"
PROMETHEUS = "tollgate-test/prometheus:2"
MODELS = "tollgate-test/models:1"
NPM = "tollgate-test/npm:1"
OBJECT_STORE = "tollgate-test/object-store:1"
SUITE, NEXT_SUITE = "bookworm", "trixie"
NOT_SLIM = ["usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "var/cache/apt",
            "var/lib/apt/lists"]
# this machine's apt options for mirrors and dates
APT_OPTIONS = ("Acquire::http::Proxy ", "Acquire::https::Proxy ", "Acquire::Check-Valid-Until ",
               "Acquire::Check-Date ", "Acquire::Max-FutureTime ")


def variables():
    """Settings for compose.yaml; Debian has no Grafana."""
    return {"BASE_IMAGE": BASE, "POSTGRES_IMAGE": POSTGRES, "PROMETHEUS_IMAGE": PROMETHEUS,
            "MODELS_IMAGE": MODELS}


def make_all():
    if not exists(BASE):
        make_base()
    for tag, folder in ((POSTGRES, "postgres"), (PROMETHEUS, "prometheus")):
        command("docker", "build", "--quiet", "--tag", tag, "--build-arg", f"BASE_IMAGE={BASE}", HERE / folder)
    make_models()


def make_next_postgres():
    """PostgreSQL 17, from Debian 13."""
    if not exists(NEXT_BASE):
        make_base(NEXT_BASE, NEXT_SUITE)
    command("docker", "build", "--quiet", "--tag", NEXT_POSTGRES, "--build-arg", f"BASE_IMAGE={NEXT_BASE}",
            "--build-arg", "MAJOR=17", HERE / "postgres")


def make_models():
    """Build the stub in a separate folder, because .dockerignore excludes tests/."""
    with tempfile.TemporaryDirectory(prefix="tollgate-models-") as scratch:
        for folder in ("tests/kit/models", "svc-ai"):
            shutil.copytree(HERE.parents[1] / folder, Path(scratch) / folder)
        command("docker", "build", "--quiet", "--tag", MODELS, "--build-arg", f"BASE_IMAGE={BASE}",
                "--file", HERE / "models" / "Dockerfile", scratch)


def make_npm():
    """The base image with this machine's settings of npm."""
    with tempfile.TemporaryDirectory(prefix="tollgate-npm-") as scratch:
        (Path(scratch) / "authorities.pem").write_bytes(Path("/etc/ssl/certs/ca-certificates.crt").read_bytes())
        (Path(scratch) / "npmrc").write_text(f"registry={command('npm', 'config', 'get', 'registry').strip()}\n"
                                             "cafile=/etc/npm-authorities.pem\n")
        (Path(scratch) / "Dockerfile").write_text(f"FROM {BASE}\nCOPY npmrc /etc/npmrc\n"
                                                  "COPY authorities.pem /etc/npm-authorities.pem\n")
        command("docker", "build", "--quiet", "--tag", NPM, scratch)


def make_object_store():
    """Its packages are pinned by package-lock.json."""
    with tempfile.TemporaryDirectory(prefix="tollgate-object-store-") as scratch:
        shutil.copytree(HERE / "object-store", scratch, dirs_exist_ok=True)
        command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", cwd=scratch)
        command("docker", "build", "--quiet", "--tag", OBJECT_STORE, "--build-arg", f"BASE_IMAGE={BASE}", scratch)


def exists(tag):
    return subprocess.run(["docker", "image", "inspect", tag], capture_output=True).returncode == 0


def mebibytes(tag):
    return int(command("docker", "image", "inspect", "--format", "{{.Size}}", tag)) / 2**20


def make_base(tag=BASE, suite=SUITE):
    scratch = Path(tempfile.mkdtemp(prefix="tollgate-base-"))
    try:
        root = scratch / "root"
        sources = [line.replace(SUITE, suite) for line in debian_sources()]
        command("debootstrap", "--variant=minbase", suite, root, sources[0].split()[1])
        for folder in NOT_SLIM:
            for entry in (root / folder).iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        (root / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
        (root / "etc/apt/apt.conf.d/90machine").write_text(apt_options())
        command("tar", "-C", root, "-cf", scratch / "base.tar", ".")
        command("docker", "import", scratch / "base.tar", tag)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def debian_sources():
    """This machine's sources.list lines for Debian."""
    found = command("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
                    "Created-By: Packages", "Origin: Debian")
    if not found.split():
        raise RuntimeError("apt knows of no Debian packages; run apt-get update first")
    return [f"deb {line}" for line in dict.fromkeys(found.splitlines())]


def apt_options():
    return "".join(f"{line}\n" for line in command("apt-config", "dump").splitlines()
                   if line.startswith(APT_OPTIONS))
