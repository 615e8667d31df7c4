"""tests/kit/network.py - where the sites of kit/world.py may listen."""

import getpass
import os
import subprocess
from pathlib import Path

# The sites of the tests are on ports below 1024, which an ordinary user gets in a network namespace of
# his own (network_namespaces(7)); then he gives up the capabilities that made it.
PREPARE = "ip link set lo up && echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start && exec setpriv"
LOWEST_PORT = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")


def own_network():
    """The start of a command line that runs the rest where this user may bind those ports."""
    if os.geteuid() == 0 or int(LOWEST_PORT.read_text()) == 0:
        return []
    unshare = ["unshare", "--map-current-user", "--keep-caps", "--net"]
    options = "--ambient-caps=-all --inh-caps=-all"
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:  # as in a chroot
        unshare = ["sudo", "unshare", "--net"]
        options = (f"--reuid={os.getuid()} --regid={os.getgid()} --init-groups env HOME='{Path.home()}'"
                   f" USER={getpass.getuser()} LOGNAME={getpass.getuser()}")
    return [*unshare, "sh", "-c", f'{PREPARE} {options} "$@"', "sh"]
