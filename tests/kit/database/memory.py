"""tests/kit/database/memory.py - a folder in memory for the clusters of one run.

A test's database is some 600 files, and most of the time of its creation and removal goes into the
file system. In memory both take a third.
"""

import fcntl
import os
import re
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
NEEDED_BYTES = 12 << 30  # four files with 200 databases each, and WAL
PREFIX = "tollgate-clusters-"


def is_large_enough():
    if not os.access(MEMORY, os.W_OK):
        return False
    memory = os.statvfs(MEMORY)
    available_kib = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())[1]
    return min(memory.f_bavail * memory.f_frsize, int(available_kib) << 10) >= NEEDED_BYTES


def lock(folder):
    """A descriptor that holds the lock until it is closed; None if another process has it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def remove_left_over():
    """What killed runs have left occupies memory."""
    for folder in MEMORY.glob(f"{PREFIX}*"):
        descriptor = lock(folder)
        if descriptor is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)


class Memory:
    """The folder; None if there is too little memory. remove() ends it."""

    def __init__(self):
        self.folder = self._descriptor = None
        if is_large_enough():
            remove_left_over()
            self._make_folder()

    def _make_folder(self):
        """Until it is locked, its name is not one that another run would remove."""
        new = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=MEMORY))
        new.chmod(0o711)  # PostgreSQL runs as another user
        self._descriptor = lock(new)
        self.folder = new.rename(MEMORY / new.name[1:])

    def remove(self):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self._descriptor)
