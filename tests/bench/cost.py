"""tests/bench/cost.py - the CPU time and memory of the parts of a stack."""

import os
import re
from pathlib import Path

TICKS_S = os.sysconf("SC_CLK_TCK")


def cpu_seconds(stack):
    """CPU time so far of each process of each part."""
    return {name: {pid: process_seconds(pid) for pid in (part.pid, *part.children())}
            for name, part in stack.parts.items() if part.alive}


def cpu_spent(before, after):
    """CPU time of each part in between; unknown for a process that has exited since."""
    return {name: sum(seconds - before.get(name, {}).get(pid, 0) for pid, seconds in processes.items())
            for name, processes in after.items()}


def process_seconds(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):  # it has exited since it was listed, as autovacuum workers do
        return 0
    return (int(fields[11]) + int(fields[12])) / TICKS_S  # utime and stime of proc(5)


def resident_mb(parts):
    """Resident memory of parts and their children."""
    return sum(status_mb(pid, "VmRSS") for part in parts for pid in (part.pid, *part.children()))


def proportional_mb(part):
    """The memory of a part and its children, with each shared page divided among those that map it
    (Pss of proc(5))."""
    return sum(int(size) for pid in (part.pid, *part.children())
               for size in re.findall(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)) / 1024


def status_mb(pid, name):
    """A size of a process, named as in proc(5): VmRSS is resident now, VmHWM the peak."""
    return int(re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024
