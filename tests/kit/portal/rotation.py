"""tests/kit/portal/rotation.py - the portals' secret as deploy/docker/init rotates it, without
containers."""

import os
import secrets
import subprocess

from stack import ROOT

INIT = ROOT / "deploy/docker/init"


class Rotation:
    """init's folder of keys; only the portals have one in it."""

    def __init__(self, folder, secret=None):
        self._keys, self._programs = folder / "keys", folder / "programs"
        self.portal = self._keys / "portal"
        self.portal.mkdir(parents=True)
        self._programs.mkdir()
        chown = self._programs / "chown"  # this machine has no user of that name
        chown.write_text("#!/bin/sh\n")
        chown.chmod(0o755)
        (self.portal / "portal.secret").write_text((secret or secrets.token_hex(32)) + "\n")

    def lines(self):
        return (self.portal / "portal.secret").read_text().split()

    def try_init(self, *words):
        """The finished process."""
        return subprocess.run([INIT, *words], capture_output=True, text=True, check=False, timeout=60,
                              env=os.environ | {"KEYS": str(self._keys), "PATH": f"{self._programs}:{os.environ['PATH']}"})

    def init(self, *words):
        """The lines of portal.secret after this command."""
        done = self.try_init(*words)
        assert done.returncode == 0, done.stderr
        return self.lines()
