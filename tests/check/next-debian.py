"""tests/check/next-debian.py - `make test` of the current commit on a bare Debian 13, with the
packages that scripts/packages names there, and without a network.

    /usr/bin/python3 tests/check/next-debian.py [COMMAND ...]     # another command, such as make product

build-trixie/ keeps the system and its builds, so that the next run is quick. Needs root.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests"), str(ROOT / "tests" / "compose")]

import images  # noqa: E402
from part import command  # noqa: E402

SUITE = images.NEXT_SUITE
KEPT = ROOT / f"build-{SUITE}"
SYSTEM = KEPT / "system"
PLACE = "srv/tollgate"
ENVIRONMENT = ["env", "-i", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "TERM=dumb",
               "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
# In its own namespaces: all that the tests start ends with them, and their mounts are gone.
ENTER = """
set -eu
mount --make-rprivate /
mount --bind "$0" "$0" # tests make namespaces, whose root must be a mount
mount -t proc proc "$0/proc"
mount --rbind /sys "$0/sys"
mount --rbind /dev "$0/dev"
mount -t tmpfs tmpfs "$0/run"
mount -t tmpfs tmpfs "$0/tmp"
ip link set lo up 2>/dev/null || true
exec chroot "$0" "$@"
"""


def say(text):
    print(f"next-debian: {text}", flush=True)


def make_system():
    if SYSTEM.exists():
        return
    say(f"debootstrap {SUITE}")
    fresh = KEPT / "system.new"
    shutil.rmtree(fresh, ignore_errors=True)
    KEPT.mkdir(exist_ok=True)
    sources = [line.replace(images.SUITE, SUITE) for line in images.debian_sources()]
    command("debootstrap", "--variant=minbase", "--include=ca-certificates,git,make", SUITE, fresh, sources[0].split()[1])
    (fresh / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
    (fresh / "etc/apt/apt.conf.d/90machine").write_text(images.apt_options())
    fresh.rename(SYSTEM)


def run(*argv, network):
    """In the system; its end is the program's."""
    spaces = ["--mount", "--pid", "--fork", "--kill-child"] + ([] if network else ["--net"])
    done = subprocess.run(["unshare", *spaces, "sh", "-c", ENTER, SYSTEM, *ENVIRONMENT, "sh", "-c",
                           f'cd /{PLACE} && exec "$@"', "sh", *argv])
    if done.returncode != 0:
        sys.exit(f"next-debian: {' '.join(argv)} failed with status {done.returncode}")


def copy_commit():
    """Into the same folder each time, with the builds of the last run."""
    place = SYSTEM / PLACE
    if not place.exists():
        command("git", "clone", "--quiet", ROOT, place)
    command("git", "-C", place, "fetch", "--quiet", ROOT, "HEAD")
    command("git", "-C", place, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="*", default=["make", "test"])
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("next-debian: only root can make a bare system; use sudo")
    make_system()
    copy_commit()
    for file in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(file, SYSTEM / file[1:])
    run("apt-get", "-q", "update", network=True)
    run("scripts/packages", "build", "run", "test", "browser", network=True)
    say(f"{' '.join(options.command)} on Debian {(SYSTEM / 'etc/debian_version').read_text().strip()}")
    run(*options.command, network=False)


if __name__ == "__main__":
    main()
