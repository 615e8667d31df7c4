"""tests/kit/network.py - where the sites of kit/world.py may listen."""

import getpass
import os
import subprocess
from pathlib import Path

# The test sites use ports below 1024. An unprivileged user may bind them in a network namespace
# (network_namespaces(7)), then drops the capabilities that created it.
PREPARE = "ip link set lo up && echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start && exec setpriv"
LOWEST_PORT = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")


def own_network():
    """The start of a command line whose rest may bind those ports as this user."""
    if os.geteuid() == 0 or int(LOWEST_PORT.read_text()) == 0:
        return []
    unshare = ["unshare", "--map-current-user", "--keep-caps", "--net"]
    options = "--ambient-caps=-all --inh-caps=-all"
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:  # as in a chroot
        unshare = ["sudo", "unshare", "--net"]
        options = (f"--reuid={os.getuid()} --regid={os.getgid()} --init-groups env HOME='{Path.home()}'"
                   f" USER={getpass.getuser()} LOGNAME={getpass.getuser()}")
    return [*unshare, "sh", "-c", f'{PREPARE} {options} "$@"', "sh"]
