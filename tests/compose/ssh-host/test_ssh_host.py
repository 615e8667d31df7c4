"""tests/compose/ssh-host/test_ssh_host.py - the repository of backups is on a host over SSH,
mounted with the options of docs/operate/backup-and-restore.md: the database is lost under traffic,
and the host is away for a while. The tests run in order, on their own stack."""

import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from containers import ROOT, Containers
from part import Part, command, wait_for
from recovery import (RPO_S, RTO_S, SETTINGS, check_rejected, lose_the_database, pay, reachable, start, status,
                      wait_until_archived, wait_until_backed_up)

PAGE = (ROOT / "docs/operate/backup-and-restore.md").read_text()
FAILED_S = 180    # a segment is due each half minute
REPORTED_S = 240  # a report is due each minute


class Host:
    """An SSH server that serves files only, and its folder as this machine's administrator mounts
    it."""

    def __init__(self, folder):
        self._folder = folder
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self._port = unused.getsockname()[1]
        self.mounted = folder / "mnt"
        self.kept = folder / "kept"
        for name in (self.mounted, self.kept):
            name.mkdir()
        for name in ("host", "client"):
            command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
        (folder / "sshd_config").write_text(
            f"Port {self._port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/client.pub\nPermitRootLogin prohibit-password\n"
            f"Subsystem sftp internal-sftp\nForceCommand internal-sftp -d {self.kept}\n")
        key = (folder / "host.pub").read_text()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self._port} {key}")
        Path("/run/sshd").mkdir(exist_ok=True)
        self._server = Part("sshd", ["/usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd_config"], folder / "log",
                            self._answers)

    def _answers(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self._port)) == 0

    def start(self):
        self._server.start()
        self._server.wait_ready()

    def stop(self):
        """Also close its connections."""
        server = self._server.pid
        sessions = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        self._server.stop()
        for session in sessions:
            os.kill(int(session), signal.SIGKILL)

    def mount(self):
        """With the options of the page's line in /etc/fstab."""
        [options] = re.findall(r"fuse\.sshfs (\S+) 0 0", PAGE)
        options = [option for option in options.split(",") if not option.startswith(("_netdev", "x-systemd.", "Identity"))]
        options += [f"port={self._port}", f"IdentityFile={self._folder}/client",
                    f"UserKnownHostsFile={self._folder}/known_hosts"]
        command("sshfs", f"root@127.0.0.1:{self.kept}", self.mounted, "-o", ",".join(options))

    def unmount(self):
        subprocess.run(["umount", "--lazy", self.mounted])


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = Host(reachable(tmp_path_factory.mktemp("ssh")))
    host.start()
    try:
        host.mount()
        yield host
    finally:
        host.unmount()
        host.stop()


@pytest.fixture(scope="module")
def stack(engine, host):
    repository = host.mounted / "tollgate"
    repository.mkdir(mode=0o700)
    with Containers("tollgate-ssh", EDGE_SUBNET="10.213.9.0/24", BUS_PREFIX="10.213.137",
                    MONITORING_SUBNET="10.213.73.0/24", BACKUPS=str(repository), **SETTINGS) as stack:
        stack.compose("build")
        start(stack)
        yield stack


def test_the_first_backup(stack, host):
    wait_until_backed_up(stack)
    assert status(stack)["backups"] == 1
    assert list(host.kept.glob("tollgate/backup/tollgate/2*F"))


def test_the_disk_is_lost_under_traffic(stack, site, books):
    rpo_s, rto_s = lose_the_database(stack, site, books)
    assert rpo_s <= RPO_S and rto_s <= RTO_S
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def test_the_host_is_away(stack, site, books, host):
    """A restore removes nothing, calls continue, and the log is archived when the host is back."""
    account = site.open_account(100)
    host.stop()
    try:
        check_rejected(stack)
        pay(site, account)
        wait_for(lambda: books.rows("select last_failed_time > last_archived_time from pg_stat_archiver")[0][0], FAILED_S,
                 "a segment was not archived")
        wait_for(lambda: not status(stack)["ok"], REPORTED_S, "a report that says so")
    finally:
        host.start()
    wait_until_archived(books)
    wait_until_backed_up(stack)
    pay(site, account)
    assert books.charged(account) == 2
