"""deploy/local/part.py - one process of a stack: starts, watches and stops it, and keeps its log.

A part dies with its parent, however the parent ends: the kernel sends it a signal
(PR_SET_PDEATHSIG). The kernel sends it when the thread that started the part ends, so start parts
from the main thread.
"""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

POLL_S = 0.02
SPIN_S = 0.02  # processor time of one measurement
LOG_TAIL_LINES = 15


class Failure(Exception):
    """An error for the user, shown without a traceback: what failed and what to do."""


def slowness():
    """How many times longer than on an idle machine this process takes now; at least 1."""
    begun, used = time.monotonic(), time.thread_time()
    while time.thread_time() < used + SPIN_S:
        pass
    return max(1, (time.monotonic() - begun) / SPIN_S)


class Budget:
    """Seconds from now, as on an idle machine. When they have passed, the slowness is measured, and
    a busy machine gets that many times as long."""

    def __init__(self, seconds):
        self._begun = time.monotonic()
        self._seconds = self._allowed = seconds

    def passed(self):
        return time.monotonic() - self._begun

    def left(self):
        """Seconds; 0 when the budget is used up."""
        if self.passed() >= self._allowed:
            self._allowed = max(self._allowed, self._seconds * slowness())
        return max(0, self._allowed - self.passed())


def wait_for(check, seconds, what):
    """Call check() until it returns a true value, and return that. Raises Failure after a Budget of
    `seconds`."""
    budget = Budget(seconds)
    while True:
        value = check()
        if value:
            return value
        if not budget.left():
            raise Failure(f"{what}: timeout after {budget.passed():.1f} s")
        time.sleep(POLL_S)


def command(*argv, **more):
    """Run a command and return its standard output. Raises Failure with its standard error if it
    fails."""
    try:
        done = subprocess.run([str(a) for a in argv], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, **more)
    except FileNotFoundError:
        raise Failure(f"{argv[0]} does not exist; `make build` builds Tollgate's programs, "
                      "`scripts/packages run` installs the others") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, argv))}\nexit {done.returncode}: "
                      f"{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Part:
    """Runs argv as a child process. ready() returns whether it serves. user: the user to run as,
    when root."""

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
        """It ended without a request."""
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
        """Its end no longer counts as a crash, whatever the signal."""
        self._ended_by_us = True

    def ask_to_end(self):
        """Send the stop signal. wait() waits for the end."""
        self.ending()
        if self.alive:
            self.signal(self.stop_signal)

    def stop(self):
        """Stop it and return its exit status. Raises Failure if it does not end."""
        self.ask_to_end()
        return self.wait()

    def wait(self):
        if self._process is None:
            return 0
        budget = Budget(self.stop_s)
        while left := budget.left():
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(left)
        self.kill()
        raise Failure(f"{self.name} did not end within {budget.passed():.0f} s after {self.stop_signal.name} "
                      f"and was killed\n{self.tail()}")

    def kill(self):
        """Send SIGKILL, as for a crash. Returns when its children have ended too: PostgreSQL's
        server processes end only when they notice that their parent is gone."""
        self.ending()
        if not self.alive:
            return
        children = self.children()
        self._process.kill()
        self._process.wait()
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), self.stop_s,
                 f"the children of {self.name} did not end")

    def children(self):
        """Ids of its child processes."""
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def freeze(self):
        """Stop it and its children at once with SIGSTOP. thaw() continues them."""
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
        hint = "\nStatus 78: the configuration is invalid; the last line above says why." \
            if status == 78 else ""
        return f"{self.name} {how}\n{self.tail()}{hint}"
