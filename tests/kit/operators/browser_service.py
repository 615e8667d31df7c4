"""tests/kit/operators/browser_service.py - the browser service of reports.browser_url, with
Debian's Chromium.

    with BrowserService(build, config, directory) as service:
        answer = service.visit("http://example.com/")
"""

import http.client
import json
import os
import shutil
import socket
import tempfile
from pathlib import Path

from part import Part
from ports import Ports

WAIT_S = 600
BUDGET_MS = 240000  # of a page that loads completely, on a machine that does much else
AXE = """
globalThis.axe = { version: "0.test", run: async page => ({ passes: [1, 2], incomplete: [3], violations: [{
    id: "image-alt", impact: "critical", help: "Images must have alternative text",
    helpUrl: "https://dequeuniversity.com/rules/axe/image-alt",
    nodes: [...page.querySelectorAll("img:not([alt])")].map(e => ({ html: e.outerHTML })) }] }) };
"""


class BrowserService:
    """config: a tollgate.yaml with the egress settings of a world."""

    def __init__(self, build, config, directory):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self._ports = Ports()
        self._address = ("127.0.0.1", self._ports.reserve())
        admin = self._ports.reserve()
        axe = self.directory / "axe.js"
        axe.write_text(AXE)
        # Chromium has a socket there, whose path has at most 107 bytes (unix(7))
        self.profiles = Path(tempfile.mkdtemp(prefix="tollgate-pages-"))
        self.part = Part("browser", [Path(build).resolve() / "browser" / "tollgate-browser", "--config", config],
                         self.directory / "browser.log", self._listens, env={
                             "TOLLGATE_BROWSER_LISTEN": f"{self._address[0]}:{self._address[1]}",
                             "TOLLGATE_BROWSER_ADMIN": f"127.0.0.1:{admin}",
                             "TOLLGATE_BROWSER_AXE_FILE": axe, "TMPDIR": self.profiles})

    @property
    def url(self):
        return f"http://{self._address[0]}:{self._address[1]}"

    def _listens(self):
        try:
            socket.create_connection(self._address, timeout=2).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        self.part.start()
        self.part.wait_ready()
        return self

    def __exit__(self, *_):
        self.part.stop()
        shutil.rmtree(self.profiles)
        self._ports.release()

    def ask(self, body, path="/visit", method="POST"):
        """(status, answer)"""
        line = http.client.HTTPConnection(*self._address, timeout=WAIT_S)
        line.request(method, path, body)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())

    def visit(self, url, budget_ms=BUDGET_MS):
        status, answer = self.ask(json.dumps({"url": url, "budget_ms": budget_ms}))
        assert status == 200, answer
        return answer

    def processes(self):
        """{pid: arguments} of the browsers' processes. Renderers have theirs as one text."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                arguments = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ").split()
            except OSError:
                continue
            if any(str(self.profiles) in each for each in arguments):
                found[int(folder.name)] = arguments
        return found

    def left_over(self):
        """Processes and profiles of visits that have ended."""
        return [*self.processes(), *os.listdir(self.profiles)]
