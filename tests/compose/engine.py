"""tests/compose/engine.py - a Docker engine: the running one, or a temporary one.

The temporary engine keeps images and build cache in build-compose/, so that the next run is quick,
and restores the machine's network.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from part import Failure, Part, command

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "build-compose" / "docker"
FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
BRIDGE = "docker0"

# Debian's programs first
os.environ["PATH"] = f"/usr/bin:{os.environ['PATH']}"


class Engine:
    def __init__(self):
        self._own = None
        self._scratch = None
        self._before = None

    def __enter__(self):
        if subprocess.run(["docker", "info"], capture_output=True).returncode == 0:
            return self
        if os.geteuid() != 0:
            raise Failure("no Docker engine answers, and only root can start one")
        self._scratch = Path(tempfile.mkdtemp(prefix="tollgate-docker-"))
        self._before = network_state()
        os.environ["DOCKER_HOST"] = f"unix://{self._scratch}/socket"
        DATA.mkdir(parents=True, exist_ok=True)
        self._own = Part("dockerd", ["dockerd", "--data-root", DATA, "--exec-root", self._scratch / "exec",
                                     "--pidfile", self._scratch / "pid", "--group", str(os.getgid()),
                                     "--host", os.environ["DOCKER_HOST"]],
                         self._scratch / "log", self._answers, orphan_signal=signal.SIGTERM, ready_s=60)
        self._own.start()
        self._own.wait_ready()
        return self

    def __exit__(self, *_):
        if self._own is None:
            return
        self._own.stop()
        restore_network(self._before)
        del os.environ["DOCKER_HOST"]
        shutil.rmtree(self._scratch, ignore_errors=True)

    def restart(self):
        """Restart it, like a reboot; only a temporary engine."""
        if self._own is not None:
            self._own.stop()
            self._own.start()
            self._own.wait_ready()

    def _answers(self):
        return subprocess.run(["docker", "info"], capture_output=True).returncode == 0


def network_state():
    return {"forwarding": FORWARDING.read_text(), "filters": command("iptables-save"),
            "had_bridge": Path("/sys/class/net", BRIDGE).exists()}


def restore_network(before):
    """A stopped engine leaves its bridge, its chains and a policy behind."""
    subprocess.run(["iptables-restore"], input=before["filters"] or EMPTY, text=True, check=True)
    if not before["had_bridge"]:
        command("ip", "link", "delete", BRIDGE)
    FORWARDING.write_text(before["forwarding"])


# without a loaded table iptables-save prints nothing, and restoring nothing would change nothing
EMPTY = """*nat
:PREROUTING ACCEPT
:INPUT ACCEPT
:OUTPUT ACCEPT
:POSTROUTING ACCEPT
COMMIT
*filter
:INPUT ACCEPT
:FORWARD ACCEPT
:OUTPUT ACCEPT
COMMIT
"""
