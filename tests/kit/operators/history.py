"""tests/kit/operators/history.py - the files of an earlier commit."""

import subprocess
import tempfile
from pathlib import Path

from part import Failure

ROOT = Path(__file__).resolve().parents[3]


def unpack(commit, folder):
    """The commit's tree, in the folder, which may be missing."""
    with tempfile.TemporaryFile() as archive:
        if subprocess.run(["git", "-C", ROOT, "archive", commit], stdout=archive, check=False).returncode:
            raise Failure(f"git has no commit {commit}; `git fetch --unshallow` gets the history")
        archive.seek(0)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-x", "-C", folder], stdin=archive, check=True)
