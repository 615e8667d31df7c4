"""tests/compose/journal.py - deploy/docker/journald.yaml has each service of compose.yaml that
keeps logs."""

import pathlib
import sys

import yaml

sys.path.append(str(pathlib.Path(__file__).parents[1] / "lint"))

import lint  # noqa: E402

STACK, JOURNAL = "compose.yaml", "deploy/docker/journald.yaml"


def drivers(path):
    """{service: its log driver}; None: the engine's."""
    services = yaml.safe_load(path.read_text())["services"]
    return {name: service.get("logging", {}).get("driver") for name, service in services.items()}


def check(root):
    kept = {name for name, driver in drivers(root / STACK).items() if driver != "none"}
    journal = {name for name, driver in drivers(root / JOURNAL).items() if driver == "journald"}
    for name in sorted(kept - journal):
        yield f"{JOURNAL}: the logs of {name} do not go to the journal"
    for name in sorted(journal - kept):
        yield f"{JOURNAL}: {STACK} has no service {name} that keeps logs"


def example(title, stack, journal, problems):
    return title, {STACK: f"services:\n{stack}", JOURNAL: f"services:\n{journal}"}, problems


FILE, NONE, TO_JOURNAL = ("{ logging: { driver: " + driver + " } }" for driver in ("json-file", "none", "journald"))
EXAMPLES = [
    example("all", f"  a: {FILE}\n  b: {NONE}\n", f"  a: {TO_JOURNAL}\n", 0),
    example("the engine's driver", "  a: {}\n", f"  a: {TO_JOURNAL}\n", 0),
    example("a service is missing", f"  a: {FILE}\n  b: {FILE}\n", f"  a: {TO_JOURNAL}\n", 1),
    example("a service with another driver", f"  a: {FILE}\n", f"  a: {FILE}\n", 1),
    example("logs that nobody may keep, and an unknown service", f"  a: {NONE}\n", f"  a: {TO_JOURNAL}\n  b: {TO_JOURNAL}\n", 2),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, f"list the services of {STACK} in {JOURNAL}")
