#!/usr/bin/python3
"""examples/tollgate.py - call Tollgate with Python's standard library.

It reads the file that `make run` writes:  examples/tollgate.py [var/demo.json]
"""

import json
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid

ATTEMPTS = 5
TIMEOUT_S = 60


class CallError(Exception):
    """A response other than 200: its status and errors, each with code and message."""

    def __init__(self, status, errors):
        super().__init__("; ".join(f"{error['code']}: {error['message']}" for error in errors))
        self.status = status
        self.errors = errors


class Tollgate:
    def __init__(self, base_url, account, token, ca_file=None):
        self.base = f"{base_url}/v1/client/{account}"
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.trust = ssl.create_default_context(cafile=ca_file)

    def call(self, tool, request):
        """One call, charged at most once: each attempt has the same key."""
        return self._request(f"tools/{tool}", json.dumps(request).encode(), {"Idempotency-Key": str(uuid.uuid4())})

    def credits(self):
        return self._request("account/credits")["credits"]

    def _request(self, path, body=None, headers=None):
        message = urllib.request.Request(f"{self.base}/{path}", body, self.headers | (headers or {}))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with urllib.request.urlopen(message, timeout=TIMEOUT_S, context=self.trust) as response:
                    return json.load(response)["result"]
            except urllib.error.HTTPError as error:
                wait_s = error.headers["Retry-After"]
                if wait_s is None or attempt == ATTEMPTS:
                    raise CallError(error.code, json.load(error)["errors"]) from None
                time.sleep(int(wait_s))  # on 409, 429 and 503, in seconds
            except OSError:  # the response got lost: the same key makes the retry safe
                if attempt == ATTEMPTS:
                    raise
                time.sleep(1)


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else "var/demo.json") as file:
        demo = json.load(file)
    tollgate = Tollgate(demo["base_url"], demo["account"], demo["token"], demo["ca_file"])
    print("hash:", tollgate.call("hash-generate", {"input": "hello"})["hash"])
    try:
        tollgate.call("hash-generate", {"algorithm": "MD5"})
    except CallError as error:
        print("error:", error)
    print("credits:", tollgate.credits())


if __name__ == "__main__":
    main()
