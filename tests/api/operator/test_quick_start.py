"""tests/api/operator/test_quick_start.py - README's first lines as they stand: `make run`'s program
starts everything, prints a call, which succeeds, and finds its data again."""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import pytest

from kit.check import ROOT
from stack import cluster_home

pytestmark = pytest.mark.xdist_group("quick-start")

README = (ROOT / "README.md").read_text()
RESPONSE = re.search(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[1]
LAST = "Ctrl-C stops everything."


@pytest.fixture
def directory():
    """As root, the database is outside of it, below a folder of the same name."""
    with tempfile.TemporaryDirectory(prefix="tollgate-quick-start-") as folder:
        directory = Path(folder) / f"quick-start-{uuid.uuid4().hex[:8]}"
        yield directory
        shutil.rmtree(cluster_home(directory), ignore_errors=True)


class Run:
    """The program of `make run`, as long as the context lasts."""

    def __init__(self, build, directory):
        self._argv = [sys.executable, "-u", ROOT / "deploy/local/run.py", "--build", Path(build).resolve(),
                      "--directory", directory]

    def __enter__(self):
        self._process = subprocess.Popen(self._argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.output = ""
        for line in self._process.stdout:
            self.output += line
            if line.strip() == LAST:
                return self
        raise AssertionError(self.output)

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGINT)
        rest, _ = self._process.communicate(timeout=120)
        self.output += rest

    def value(self, name):
        return re.search(rf"^  {name} +(\S+)", self.output, re.MULTILINE)[1]

    def pasted(self):
        """The response to the call that it prints."""
        call = re.search(r"Paste this:\n\n(.*?)\n\n", self.output, re.DOTALL)[1]
        done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def test_the_first_lines_of_the_readme(request, directory):
    with Run(request.config.getoption("build"), directory) as first:
        assert re.search(r"^Tollgate is running at https://localhost:\d+$", first.output, re.MULTILINE)
        assert first.pasted() == json.loads(RESPONSE)
        account, credits = first.value("account"), int(first.value("credits").rstrip(","))
        demo = json.loads((directory.parent / "demo.json").read_text())
        assert (demo["account"], demo["token"]) == (account, first.value("token"))
        assert account in (directory.parent / "mcp.json").read_text()
    assert "Stopping" in first.output
    with Run(request.config.getoption("build"), directory) as again:
        assert (again.value("account"), int(again.value("credits").rstrip(","))) == (account, credits - 2)
