"""tests/compose/parts.py - Meson sets up each part that an image builds.

Usage: parts.py ROOT
"""

import subprocess
import sys
import tempfile
from pathlib import Path


def main(root):
    groups = subprocess.run([root / "scripts/groups"], capture_output=True, text=True, check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory(prefix="tollgate-parts-") as build:
        command = ["meson", "setup", build, root]
        for part in ("common", "gateway", "portal", *("svc-" + line.split()[0] for line in groups)):
            done = subprocess.run([*command, f"-Donly={part}"], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"meson setup -Donly={part} fails; run it:\n{done.stdout[-2000:]}{done.stderr}")
            command = ["meson", "setup", "--reconfigure", build, root]


main(Path(sys.argv[1]))
