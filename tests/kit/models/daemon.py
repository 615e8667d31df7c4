"""tests/kit/models/daemon.py - the svc-ai of a stack, whose providers a test changes while it
runs."""

import http.client
import json
import signal

from kit.models import providers
from part import wait_for

NAME = "svc-ai-1"


def settings(folder):
    """Of a stack whose providers' file is in this folder."""
    return {"ai.providers_file": str(folder / "providers.yaml"), "egress.resolver": "system", "svc.concurrency": 128}


class Daemon:
    """A provider's base_url is `models` and its `base`; the first file must exist before the stack
    starts."""

    def __init__(self, stack, folder, models):
        self.stack, self.folder, self.models = stack, folder, models

    @property
    def part(self):
        return self.stack.parts[NAME]

    def write(self, config):
        providers.write(self.folder, self.models, config)

    def lines(self, message):
        return [line for line in map(json.loads, self.part.log.read_text().rpartition("\n")[0].splitlines()) if line["msg"] == message]

    def reload(self, message="read again"):
        before = len(self.lines(message))
        self.part.signal(signal.SIGHUP)
        wait_for(lambda: len(self.lines(message)) > before, 10, "the providers are not read again")

    def use(self, *listed, **more):
        self.write({"providers": list(listed), **more})
        self.reload()

    def readyz(self):
        connection = http.client.HTTPConnection(*self.stack.admin[NAME], timeout=5)
        connection.request("GET", "/readyz")
        return json.loads(connection.getresponse().read())
