"""tests/kit/apps/app_crowd.py - many callers of one connected app at once, while its access token
changes."""

import copy
import threading
from concurrent.futures import ThreadPoolExecutor

from kit.portal.buckets import Buckets

HASH = {"input": "a", "algorithm": "SHA-256"}
AFTER = (200, 401, 429)  # 401: with the token before; 429: the limit of the address


def age(site, ledger, member):
    """More than half of the access token's life is over, and it may be refreshed at once."""
    ledger.rows("update token set expires_at = now() + interval '1 hour' where account_id = %s and kind = 3", member.account)
    ledger.rows("update oauth_grant set issued_at = now() - interval '7 hours' where account_id = %s", member.account)
    [[token]] = ledger.rows("select token_id::text from token where account_id = %s and kind = 3", member.account)
    Buckets(site, ledger).leave("refresh", token, 10)


class Crowd:
    """Callers of one app at once, each with the newest access token that it has seen. cap: the code
    of the error that ends its calls."""

    def __init__(self, app, callers, cap):
        self.app, self.callers, self.cap = app, callers, cap
        self.is_over = threading.Event()
        self.charged = self.capped = self.unauthorized = 0
        self._lock = threading.Lock()

    def _call(self, caller):
        caller.tokens = self.app.tokens
        answer = caller.call("hash-generate", HASH)
        result = answer.json().get("result") if answer.status_code == 200 else None
        with self._lock:
            self.unauthorized += answer.status_code == 401
            if result and not result["isError"]:
                self.charged += 1
            elif result:
                error = result["_meta"]["tollgate/error"]["errors"][0]["code"]
                assert error == self.cap, error
                self.capped += 1
        assert answer.status_code in AFTER, answer

    def _run(self):
        caller = copy.copy(self.app)
        caller.address = self.app.site.fresh_address()
        while not self.is_over.is_set():
            self._call(caller)

    def __enter__(self):
        self._pool = ThreadPoolExecutor(self.callers)
        self._runs = [self._pool.submit(self._run) for _ in range(self.callers)]
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for run in self._runs:
            run.result()
        self._pool.shutdown()
