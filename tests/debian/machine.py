"""tests/debian/machine.py - a bare Debian with systemd as its first process, in systemd-nspawn.

It has its own network, without a way out: packages of Debian are downloaded before it starts, with
this machine's apt sources, and kept in build-debian/ for the next run.

TOLLGATE_SUITE names another release than Debian 12's; its packages must be built there, and named
with TOLLGATE_PACKAGES.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import images
from part import Part, command, wait_for

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build-debian"
SUITE = os.environ.get("TOLLGATE_SUITE", images.SUITE)
BASE, ARCHIVES = CACHE / f"base-{SUITE}", CACHE / f"archives-{SUITE}"
NSPAWN = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe"]
ENVIRONMENT = ["env", "-i", "HOME=/srv", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
               "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
READY_S = 120


def make_base():
    """Without curl and certificates, the page's call could not be made; the rest is Debian's
    minimum."""
    if BASE.exists():
        return
    CACHE.mkdir(exist_ok=True)
    fresh = CACHE / "base.new"
    shutil.rmtree(fresh, ignore_errors=True)
    sources = [line.replace(images.SUITE, SUITE) for line in images.debian_sources()]
    command("debootstrap", "--variant=minbase", "--include=ca-certificates,curl,dbus,systemd,systemd-sysv", SUITE, fresh,
            sources[0].split()[1])
    (fresh / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
    (fresh / "etc/apt/apt.conf.d/90machine").write_text(images.apt_options())
    fresh.rename(BASE)


class Machine:
    """packages: they are in its folder /srv/packages."""

    def __init__(self, name, packages):
        self.name = name
        self.directory = Path(tempfile.mkdtemp(prefix="tollgate-debian-"))
        self.root = self.directory / "root"
        self.folder = self.root / "srv/packages"
        command("cp", "-a", "--reflink=auto", BASE, self.root)
        (self.root / "etc/hostname").write_text(f"{name}\n")
        self.replace_packages(packages)
        self._download()
        self._part = Part(name, [*NSPAWN, "-D", self.root, "-M", name, "--private-network", "--boot", *self._binds()],
                          self.directory / "log", self._is_running, orphan_signal=signal.SIGTERM, ready_s=READY_S,
                          stop_s=300)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory)

    def start(self):
        self._part.start()
        self._part.wait_ready()

    def stop(self):
        self._part.stop()
        shutil.rmtree(f"/run/systemd/nspawn/propagate/{self.name}", ignore_errors=True)

    def restart(self):
        self.stop()
        self.start()

    def replace_packages(self, packages):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for package in packages:
            shutil.copy2(package, self.folder)

    def _binds(self):
        return [f"--bind={ARCHIVES}:/var/cache/apt/archives"]

    def _download(self):
        """Indexes of packages, and the packages of Debian that the ones in the folder depend on."""
        (ARCHIVES / "partial").mkdir(parents=True, exist_ok=True)
        for arguments in ("update", "install -y --download-only /srv/packages/*.deb"):
            command(*NSPAWN, "-D", self.root, "-M", self.name, "--resolv-conf=copy-host", *self._binds(), *ENVIRONMENT,
                    "sh", "-c", f"apt-get -q {arguments}")

    # -- commands in it --

    @property
    def leader(self):
        """The id of its first process, on this machine."""
        return self._part.children()[0]

    def _enter(self, text, directory):
        return ["nsenter", "--target", str(self.leader), "--all", f"--wd={self.root}{directory}", *ENVIRONMENT, "sh", "-euc",
                text]

    def run(self, text, directory="/srv"):
        """Run a line of shell as root; returns its standard output."""
        return command(*self._enter(text, directory))

    def begin(self, text):
        """Run a line of shell in the background."""
        return subprocess.Popen(self._enter(text, "/srv"), stdout=subprocess.PIPE, text=True)

    def succeeds(self, text):
        return subprocess.run(self._enter(text, "/srv"), capture_output=True).returncode == 0

    def _is_running(self):
        return self._part.children() and self.succeeds("systemctl is-system-running | grep -qx running")

    def show(self, unit, name):
        return self.run(f"systemctl show -P {name} {unit}").strip()

    def units(self):
        """Tollgate's units that are active."""
        listed = self.run("systemctl list-units --plain --no-legend --state=active 'tollgate-*'")
        return {line.split()[0].removesuffix(".service") for line in listed.splitlines()}

    def wait_active(self, units):
        wait_for(lambda: units <= self.units(), READY_S, f"{', '.join(sorted(units))} are active")


def connect(first, other):
    """A network of both machines, 10.0.0.1 and 10.0.0.2. It ends with either."""
    command("ip", "link", "add", "lan", "netns", first.leader, "type", "veth", "peer", "name", "lan", "netns", other.leader)
    for number, machine in enumerate((first, other), 1):
        for arguments in (f"address add 10.0.0.{number}/24 dev lan", "link set lan up"):
            command("nsenter", "--target", machine.leader, "--net", "ip", *arguments.split())
