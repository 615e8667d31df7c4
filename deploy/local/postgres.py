"""deploy/local/postgres.py - a private PostgreSQL cluster, behind a socket that only its user can
open. A new cluster gets the newest installed version; an existing one keeps its own.

PostgreSQL does not run as root. When root runs the stack, the cluster belongs to the user postgres
and is outside the checkout, which that user may not be able to read.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from part import Failure, Part, command

VERSIONS = Path("/usr/lib/postgresql")  # Debian has a folder for each major version
BIN = VERSIONS / max((path.parents[1].name for path in VERSIONS.glob("*/bin/postgres")), key=int, default="15") / "bin"
TEMPLATE = "CLUSTER_TEMPLATE"  # in the environment: an empty cluster to copy, because initdb takes a second
CLUSTERS = "CLUSTERS"  # in the environment: the folder of all clusters
ROLES = Path(__file__).resolve().parents[1] / "database" / "roles.sql"
SOCKET_PATH_MAX = 107  # sun_path of unix(7) without its final NUL


class Cluster:
    """Uses directory/data and directory/socket. settings: more keys of postgresql.conf."""

    def __init__(self, directory, log, settings=None):
        self.directory = Path(directory)
        self.data = self.directory / "data"
        self.socket = self._socket_directory()
        self._user = "postgres" if os.geteuid() == 0 else None
        self._bin = self._programs()
        options = {"listen_addresses": "", "unix_socket_directories": str(self.socket),
                   "max_connections": "200"} | (settings or {})
        self.part = Part("postgres",
                         [self._bin / "postgres", "-D", self.data,
                          *[f"--{key}={value}" for key, value in options.items()]],
                         log, self._accepts, user=self._user, ready_s=60,
                         stop_signal=signal.SIGINT, orphan_signal=signal.SIGINT)  # fast shutdown

    def url(self, role):
        """libpq connection string of the database tollgate for a role."""
        return f"host={self.socket} dbname=tollgate user={role}"

    def prepare(self):
        """Create the cluster unless it exists. The rename ensures that an incomplete one is never
        used."""
        self._own(self.socket)
        if self.data.exists():
            self._remove_stale_pid()
            return
        fresh = self.directory / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        if os.environ.get(TEMPLATE):
            command("cp", "-a", "--reflink=auto", os.environ[TEMPLATE], fresh)
        else:
            self._own(fresh)
            command(*self._as_user(), BIN / "initdb", "-D", fresh, "-U", "postgres", "-A", "trust",
                    "-E", "UTF8", "--locale=C.UTF-8", cwd="/")
        fresh.rename(self.data)

    def copy(self, other):
        """Make this a standby of a running cluster."""
        self._own(self.socket)
        self._own(self.directory)
        command(*self._as_user(), BIN / "pg_basebackup", "-h", other.socket, "-U", "postgres", "-D", self.data,
                "--checkpoint=fast", "--write-recovery-conf", cwd="/")

    def make_roles(self):
        """Create the roles and the database with deploy/database/roles.sql."""
        command(BIN / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.socket, "-U", "postgres",
                "-d", "postgres", "-f", ROLES)

    def release(self):
        """After the end: remove the socket folder outside the directory."""
        if self.directory not in self.socket.parents:
            shutil.rmtree(self.socket, ignore_errors=True)

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def _programs(self):
        """The folder of PostgreSQL's programs that can read the data."""
        version = self.data / "PG_VERSION"
        if not version.exists():
            return BIN
        programs = VERSIONS / version.read_text().strip() / "bin"
        if not programs.exists():
            raise Failure(f"{self.data} is of PostgreSQL {programs.parent.name}, which is not installed. "
                          "Install it, or remove the folder")
        return programs

    def _socket_directory(self):
        inside = self.directory / "socket"
        if len(str(inside / ".s.PGSQL.5432.lock")) <= SOCKET_PATH_MAX:
            return inside
        return Path(tempfile.mkdtemp(prefix="tollgate-"))

    def _own(self, directory):
        missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir()
            folder.chmod(0o711)  # independent of the umask, because the cluster's user must pass
        directory.chmod(0o700)
        if self._user:
            shutil.chown(directory, self._user, self._user)

    def _as_user(self):
        return ["setpriv", f"--reuid={self._user}", f"--regid={self._user}", "--init-groups", "--"] \
            if self._user else []

    def _accepts(self):
        return subprocess.run([BIN / "pg_isready", "-q", "-h", self.socket, "-U", "postgres"],
                              stdin=subprocess.DEVNULL).returncode == 0

    def _remove_stale_pid(self):
        """After a crash of the machine or container, the pid in this file may belong to another
        process, and PostgreSQL would not start. No other stack uses this cluster, because this one
        holds the lock."""
        pid_file = self.data / "postmaster.pid"
        if not pid_file.exists():
            return
        pid = int(pid_file.read_text().split()[0])
        executable = Path(f"/proc/{pid}/exe")
        if executable.exists() and executable.resolve() == self._bin / "postgres":
            raise Failure(f"PostgreSQL (pid {pid}) of a killed stack still runs in {self.data}.\n"
                          f"Wait until it has ended, or stop it: kill -INT {pid}")
        pid_file.unlink()
