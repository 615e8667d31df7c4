"""tollgate-cli jobs: run a file of calls, each charged once, also after interruptions.

Two files keep the state:

- FILE.results.jsonl has a record for each line that was run.
- FILE.results.jsonl.journal has the id of the run, and for each line, before it is sent, its key
  and the time.

The key of a line is derived from the run's id and the line's text. So a line that was sent before
an interruption is sent again with the same key, and the server returns the response of the first
time. Lines may be added and corrected between runs.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import hashlib
import json
import os
import queue
import sys
import threading
import time
import uuid
from pathlib import Path

from . import TollgateError
from .status import ADVICE, FAILED, INTERRUPTED, OK, UsageError, is_unknown, status_of

try:
    import fcntl
except ImportError:  # on Windows, nothing keeps two processes from the same run
    fcntl = None

PARALLEL_MAX = 16
WINDOW_S = 60  # of the rate limits
KEY_LIFE_S = 23 * 3600  # the server keeps a key for 24 hours; the rest is for clocks that differ
PROGRESS_LINES = 100


def add_arguments(parser):
    parser.add_argument("file", help="one call a line")
    parser.add_argument("--output", help="the file of results; default FILE.results.jsonl")
    parser.add_argument("--yes", action="store_true", help="do not ask before it costs credits")
    parser.add_argument("--parallel", type=int, default=4,
                        help=f"calls at the same time, 1 to {PARALLEL_MAX}; default 4")
    parser.add_argument("--resend-expired", action="store_true",
                        help="also send lines whose key has expired, which may charge them twice")


def say(text):
    print(text, file=sys.stderr, flush=True)


# -- files --


class Job:
    """A line of the file. nth counts lines with the same text."""

    def __init__(self, number, tool, request, text, nth):
        self.number = number
        self.tool = tool
        self.request = request
        self.text = text
        self.nth = nth

    def key(self, run):
        return hashlib.sha256(f"{run}\n{self.nth}\n{self.text}".encode()).hexdigest()


def read_jobs(file):
    try:
        lines = Path(file).read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as fault:
        raise UsageError(f"{file} cannot be read: {fault}") from fault
    seen = collections.Counter()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text:
            seen[text] += 1
            yield Job(number, *parse_line(file, number, text), text, seen[text])


def parse_line(file, number, text):
    with contextlib.suppress(ValueError):
        job = json.loads(text)
        json.dumps(job, allow_nan=False, ensure_ascii=False).encode()  # what can be read can be sent
        if isinstance(job, dict) and job.keys() == {"tool", "request"} and isinstance(job["tool"], str) \
                and isinstance(job["request"], dict):
            return job["tool"], job["request"]
    raise UsageError(f'{file}:{number}: not a call: write {{"tool": "hash-generate", "request": {{"input": "hello"}}}}')


def parse_records(file, text):
    """Lines of JSON. The last one is left out if an interruption cut it."""
    try:
        return [json.loads(line) for line in text.split("\n")[:-1]]
    except ValueError as fault:
        raise UsageError(f"{file} is damaged: choose another --output, which runs all lines again") from fault


def append(out, record):
    out.write(json.dumps(record, ensure_ascii=False) + "\n")
    out.flush()
    os.fsync(out.fileno())


def rewrite(file, records):
    """At once, so that an interruption leaves the old file or the new one."""
    made = file.with_name(f"{file.name}.new")
    with made.open("w", encoding="utf-8") as out:
        for record in records:
            append(out, record)
    made.replace(file)


class Journal:
    """The run's id, and when each line whose outcome is not known was first sent."""

    def __init__(self, file, client):
        self.file = file.open("a+", encoding="utf-8")
        self.lock(file)
        self.file.seek(0)
        text = self.file.read()
        self.file.truncate(len(text[:text.rfind("\n") + 1].encode()))
        owner = {"url": client.base_url, "account": client.account_path}
        records = parse_records(file, text)
        if not records:
            records = [{"run": str(uuid.uuid4())} | owner]
            append(self.file, records[0])
        if records[0] != records[0] | owner:
            raise UsageError(f"{file} belongs to another server or account: log in to that one, or choose another "
                             "--output")
        self.run = records[0]["run"]
        self.sent_at = {record["key"]: record["at"] for record in records[1:]}

    def lock(self, file):
        try:
            if fcntl:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            raise UsageError(f"{file} is in use: another tollgate-cli runs these jobs") from fault

    def is_expired(self, key):
        return time.time() - self.sent_at.get(key, time.time()) > KEY_LIFE_S

    def note(self, key):
        """Before the line is sent."""
        append(self.file, {"key": key, "at": self.sent_at.setdefault(key, time.time())})


# -- the price --


def in_credits(count, width=0):
    return f"{count!s:>{width}} credit{'' if count == 1 else 's'}"


def credits_of(client):
    """None: this token must not see the balance."""
    try:
        return client.credits()["credits"]
    except TollgateError as error:
        if "scope_denied" not in error.codes:
            raise
        return None


def show_price(client, todo):
    """Print what the lines cost. Raises UsageError for a tool that does not exist."""
    prices = {tool["name"]: tool["credits"] for tool in client.tools()["tools"]}
    unknown = next((job for job in todo if job.tool not in prices), None)
    if unknown:
        raise UsageError(f"line {unknown.number}: the server has no tool {unknown.tool}: tollgate-cli tools lists them")
    for tool, count in sorted(collections.Counter(job.tool for job in todo).items()):
        say(f"{count:>7} x {tool:<32} {prices[tool]:>3} = {in_credits(count * prices[tool], width=7)}")
    total, credits = sum(prices[job.tool] for job in todo), credits_of(client)
    say(f"{len(todo)} lines cost at most {in_credits(total)}." +
        (f" The account has {credits}." if credits is not None else ""))
    if credits is not None and total > credits:
        say("The credits do not suffice for all lines. The run will stop when they are used up.")


def confirm():
    if not sys.stdin.isatty():
        raise UsageError("not confirmed: add --yes to run it")
    print("Run them? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("not confirmed: nothing was run")


# -- running --


class Run:
    """Threads take jobs until none is left, or until an error that other lines would meet, too."""

    def __init__(self, client, journal, out):
        self.client = client
        self.journal = journal
        self.out = out
        self.jobs = queue.SimpleQueue()
        self.lock = threading.Lock()  # for the files and everything below
        self.succeeded = self.failed = self.charged = 0
        self.stop, self.reason = OK, ""  # an exit status

    def work(self):
        with contextlib.suppress(queue.Empty):
            while self.stop == OK:
                self.run(self.jobs.get_nowait())

    def run(self, job):
        key = job.key(self.journal.run)
        try:
            with self.lock:
                self.journal.note(key)
            response = self.send(job, key)
            with self.lock:
                self.succeed(job, key, response)
        except TollgateError as error:
            with self.lock:
                self.fail(job, key, error)
        except OSError as fault:  # a full disk
            with self.lock:
                self.stop, self.reason = FAILED, f"{fault}."

    def send(self, job, key):
        """Lines wait for each other's rate limits as long as it takes."""
        while True:
            try:
                return self.client.send(job.tool, job.request, idempotency_key=key)
            except TollgateError as error:
                is_full = error.status == 429 and error.retry_after_s is not None and error.retry_after_s <= WINDOW_S
                if not is_full or self.stop != OK:
                    raise
                time.sleep(error.retry_after_s)

    def succeed(self, job, key, response):
        self.succeeded += 1
        self.charged += response.credits_charged
        content = response.result
        append(self.out, {
            "line": job.number, "tool": job.tool, "success": True, "key": key,
            "credits_charged": response.credits_charged, "is_replayed": response.is_replayed,
            "request_id": response.request_id, "content_type": response.content_type,
            "result": {"base64": base64.b64encode(content).decode()} if isinstance(content, bytes) else content})
        self.show_progress()

    def fail(self, job, key, error):
        say(f"line {job.number}: {error.message}")
        append(self.out, {"line": job.number, "tool": job.tool, "success": False, "key": key,
                          "is_unknown": is_unknown(error), "status": error.status, "request_id": error.request_id,
                          "errors": error.errors})
        status = status_of(error)
        if status in ADVICE:
            self.stop, self.reason = status, ADVICE[status]
        else:
            self.failed += 1
            self.show_progress()

    def show_progress(self):
        if (self.succeeded + self.failed) % PROGRESS_LINES == 0:
            say(f"{self.succeeded} succeeded, {self.failed} failed, {self.jobs.qsize()} wait")


def run_all(run, todo, parallel):
    for job in todo:
        run.jobs.put(job)
    threads = [threading.Thread(target=run.work, daemon=True) for _ in range(min(parallel, len(todo)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Plan:
    """What is left to do, from the files."""

    def __init__(self, client, options):
        self.output = Path(options.output or f"{options.file}.results.jsonl")
        journal_file = self.output.with_name(f"{self.output.name}.journal")
        if self.output.exists() and not journal_file.exists():
            raise UsageError(f"{self.output} exists, but not its journal: choose another --output")
        lines = list(read_jobs(options.file))
        self.journal = Journal(journal_file, client)
        records = parse_records(self.output, self.output.read_text(encoding="utf-8")) if self.output.exists() else []
        for record in records:
            if not record["success"] and not record["is_unknown"]:
                self.journal.sent_at.pop(record["key"], None)  # it is known: not charged
        self.kept = [record for record in records if record["success"]]
        done = {record["key"] for record in self.kept}
        left = [job for job in lines if job.key(self.journal.run) not in done]
        self.done = len(lines) - len(left)
        self.todo, self.expired = [], []
        for job in left:
            is_expired = self.journal.is_expired(job.key(self.journal.run)) and not options.resend_expired
            (self.expired if is_expired else self.todo).append(job)


def run(client, options):
    """Returns the exit status."""
    if not 1 <= options.parallel <= PARALLEL_MAX:
        raise UsageError(f"--parallel must be from 1 to {PARALLEL_MAX}")
    plan = Plan(client, options)
    if plan.done:
        say(f"{plan.done} lines are done.")
    for job in plan.expired:
        say(f"line {job.number} is left out: it was sent more than 23 hours ago, and its response is missing. "
            "Sending it again may charge it twice. Look for it in the portal, on the page Usage; --resend-expired "
            "sends it.")
    if plan.todo:
        show_price(client, plan.todo)
        if not options.yes:
            confirm()
    rewrite(plan.output, plan.kept)
    with plan.output.open("a", encoding="utf-8") as out:
        return finish(Run(client, plan.journal, out), plan, options.parallel)


def finish(run, plan, parallel):
    try:
        run_all(run, plan.todo, parallel)
    except KeyboardInterrupt:
        say("Interrupted. The same command goes on from here, without a second charge.")
        return INTERRUPTED
    left = len(plan.todo) - run.succeeded - run.failed
    say(f"{run.succeeded} succeeded, {run.failed} failed, {left} not run; charged {in_credits(run.charged)}. "
        f"Results: {plan.output}")
    if run.stop != OK:
        say(f"Stopped. {run.reason} Then run the same command again.")
        return run.stop
    return FAILED if run.failed or plan.expired else OK
