"""deploy/local/part.py - one process of a stack: started, watched, ended, its log kept.

A part dies with its parent, however the parent ends: the kernel sends it a signal (PR_SET_PDEATHSIG).
That signal belongs to the thread that started the part, so start parts from the main thread.
"""

import os
import signal
import subprocess
import time
from pathlib import Path

POLL_S = 0.02
LOG_TAIL_LINES = 15


class Failure(Exception):
    """Something a person has to see: what went wrong and what to do. Shown without a traceback."""


def wait_for(check, seconds, what):
    """Call check() until it returns something true, and return that; Failure after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"{what}: not within {seconds:g} s")
        time.sleep(POLL_S)


def command(*argv, **more):
    """Run a command to its end and return what it printed; Failure with its stderr if it fails."""
    try:
        done = subprocess.run([str(a) for a in argv], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, **more)
    except FileNotFoundError:
        raise Failure(f"{argv[0]} is not there; `make build` builds our programs, "
                      "`scripts/packages run` installs the others") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, argv))}\nexit {done.returncode}: "
                      f"{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Part:
    """argv as a child process; ready() tells whether it serves; user: run as that user (we are root)."""

    def __init__(self, name, argv, log, ready, env=None, user=None, stop_signal=signal.SIGTERM,
                 orphan_signal=signal.SIGKILL, ready_s=20, stop_s=40):
        self.name = name
        self.argv = [str(a) for a in argv]
        self.log = Path(log)
        self.env = {key: str(value) for key, value in (env or {}).items()}
        self.user = user
        self.stop_signal = stop_signal
        self.orphan_signal = orphan_signal
        self.ready_s = ready_s
        self.stop_s = stop_s
        self._ready = ready
        self._process = None
        self._ended_by_us = True

    @property
    def pid(self):
        return self._process.pid

    @property
    def alive(self):
        return self._process is not None and self._process.poll() is None

    @property
    def crashed(self):
        """It ended and nobody asked it to."""
        return not self._ended_by_us and not self.alive

    def start(self):
        as_user = [f"--reuid={self.user}", f"--regid={self.user}", "--init-groups"] if self.user else []
        orphan_signal = self.orphan_signal.name.removeprefix("SIG")
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", *as_user, "--pdeathsig", orphan_signal, "--", *self.argv],
                env=os.environ | self.env, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)  # Ctrl-C is for the parent, which stops the parts in order
        self._ended_by_us = False

    def wait_ready(self):
        def ready_or_dead():
            return not self.alive or self._ready()

        try:
            wait_for(ready_or_dead, self.ready_s, f"{self.name} is not ready")
        except Failure as failure:
            raise Failure(f"{failure}\n{self.tail()}") from None
        if not self.alive:
            raise Failure(self.obituary())

    def signal(self, number):
        self._process.send_signal(number)

    def ending(self):
        """From here on its end is no crash, whoever sends the signal."""
        self._ended_by_us = True

    def ask_to_end(self):
        """Its stop signal; wait() waits for what comes of it."""
        self.ending()
        if self.alive:
            self.signal(self.stop_signal)

    def stop(self):
        """Ask it to end, wait until it has, return its exit status; Failure if it does not end."""
        self.ask_to_end()
        return self.wait()

    def wait(self):
        if self._process is None:
            return 0
        try:
            return self._process.wait(self.stop_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"{self.name} did not end within {self.stop_s} s of {self.stop_signal.name}, "
                          f"it was killed\n{self.tail()}") from None

    def kill(self):
        """SIGKILL, as in a crash, but on purpose. Returns when its own children have ended, too: without
        its parent PostgreSQL's last server process ends only when it notices."""
        self.ending()
        if not self.alive:
            return
        children = self.children()
        self._process.kill()
        self._process.wait()
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), self.stop_s,
                 f"the children of {self.name} did not end")

    def children(self):
        """Process ids of its own child processes."""
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def freeze(self):
        """Stop it and its children in the middle of whatever they do; thaw() lets them go on."""
        for pid in (self.pid, *self.children()):
            os.kill(pid, signal.SIGSTOP)

    def thaw(self):
        for pid in (*self.children(), self.pid):
            os.kill(pid, signal.SIGCONT)

    def tail(self):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join([f"--- end of {self.log}", *text.splitlines()[-LOG_TAIL_LINES:], "---"])

    def obituary(self):
        status = self._process.returncode
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        hint = "\nStatus 78 means that its configuration was refused; the last line above says why." \
            if status == 78 else ""
        return f"{self.name} {how}\n{self.tail()}{hint}"
