#!/usr/bin/python3
"""examples/tollgate.py - calls of Tollgate with Python's standard library.

`make run` writes the file that it reads:  examples/tollgate.py [var/demo.json]
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


class Refused(Exception):
    """An answer other than 200: its status and errors, each with code and message."""

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
        """One call, paid once at most: each attempt has the same key."""
        return self._ask(f"tools/{tool}", json.dumps(request).encode(), {"Idempotency-Key": str(uuid.uuid4())})

    def credits(self):
        return self._ask("account/credits")["credits"]

    def _ask(self, path, body=None, headers=None):
        asked = urllib.request.Request(f"{self.base}/{path}", body, self.headers | (headers or {}))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with urllib.request.urlopen(asked, timeout=TIMEOUT_S, context=self.trust) as answer:
                    return json.load(answer)["result"]
            except urllib.error.HTTPError as refusal:
                wait_s = refusal.headers["Retry-After"]
                if wait_s is None or attempt == ATTEMPTS:
                    raise Refused(refusal.code, json.load(refusal)["errors"]) from None
                time.sleep(int(wait_s))  # 409, 429 and 503 say when
            except OSError:  # it timed out or broke off: nobody knows whether it was done, so ask again
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
    except Refused as refused:
        print("refused:", refused)
    print("credits:", tollgate.credits())


if __name__ == "__main__":
    main()
