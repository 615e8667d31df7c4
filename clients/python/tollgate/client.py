"""Calls over HTTPS, each charged at most once."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from email.message import Message
from typing import Any, Mapping

VERSION = "1.0.0"
RETRIED = (409, 429, 503)  # with Retry-After
LONGEST_PAUSE_S = 8  # between attempts whose responses are lost


class TollgateError(Exception):
    """A call without a result.

    status: of the response; None if no complete response of Tollgate arrived
    errors, codes, message: what the response says; codes are in the page "Errors"
    request_id: for questions to the operator; None if no response arrived
    retry_after_s: when a retry can succeed; None: not before the cause is corrected
    help_url: the page of the server that says what to do; None: without a code
    idempotency_key: of the call; within 24 hours, a retry with it is charged at most once
    """

    def __init__(self, status: int | None, errors: list[dict[str, str]], message: str, request_id: str | None = None,
                 retry_after_s: float | None = None):
        super().__init__(message)
        self.status = status
        self.errors = errors
        self.codes = [error["code"] for error in errors]
        self.message = message
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        self.help_url: str | None = None
        self.idempotency_key: str | None = None


@dataclass(frozen=True)
class Response:
    """result: the tool's result; bytes if it is not JSON, for example an image"""

    result: Any
    content_type: str
    credits_charged: int
    credits_remaining: int | None
    request_id: str | None
    is_replayed: bool


class Client:
    """The part of `Tollgate` that is written by hand. Threads may share one object.

    ca_file: PEM file to trust instead of the system's certificates
    attempts: of one call, the first included
    timeout_s: of one attempt, without a byte from the server; longer than any tool takes
    max_total_s: no attempt starts later
    """

    get_tools: frozenset[str] = frozenset()

    def __init__(self, base_url: str, account: str, token: str, *, ca_file: str | None = None, attempts: int = 5,
                 timeout_s: float = 180, max_total_s: float = 300):
        if not base_url.startswith("https://"):
            raise ValueError("base_url must begin with https://, because the token is sent there")
        self.base_url = base_url.rstrip("/")
        self.account_path = f"/v1/client/{urllib.parse.quote(account, safe='')}"
        self.token = token
        self.attempts = attempts
        self.timeout_s = timeout_s
        self.max_total_s = max_total_s
        trust = ssl.create_default_context(cafile=ca_file)
        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=trust), EveryStatus)

    def send(self, tool: str, request: Mapping[str, Any], *, idempotency_key: str | None = None) -> Response:
        """Call a tool, also one that is newer than this package. Each attempt has the same key."""
        key = idempotency_key or str(uuid.uuid4())
        path = f"{self.account_path}/tools/{urllib.parse.quote(tool, safe='')}"
        body = None
        if tool in self.get_tools:
            path += f"?{query(request)}"
        else:
            body = json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
        try:
            return self._retry(path, body, {"Idempotency-Key": key})
        except TollgateError as error:
            error.idempotency_key = key
            raise

    def get(self, path: str) -> Any:
        """The result of a GET, for example of "/v1/tools"."""
        return self._retry(path, None, {}).result

    def _retry(self, path: str, body: bytes | None, headers: dict[str, str]) -> Response:
        start = time.monotonic()
        for attempt in range(1, self.attempts + 1):
            try:
                return self._attempt(path, body, headers, pause_s(attempt))
            except TollgateError as error:
                error.help_url = f"{self.base_url}/docs/errors#{error.codes[0]}" if error.codes else None
                wait_s = error.retry_after_s
                if wait_s is None or attempt == self.attempts or is_late(start, wait_s, self.max_total_s):
                    raise
            time.sleep(wait_s)
        raise ValueError("attempts must be at least 1")

    def _attempt(self, path: str, body: bytes | None, headers: dict[str, str], if_lost_s: float) -> Response:
        message = urllib.request.Request(f"{self.base_url}{path}", body, headers | {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
            "User-Agent": f"tollgate-client-python/{VERSION}"})
        try:
            with self._opener.open(message, timeout=self.timeout_s) as response:
                return read_response(response.status, response.headers, response.read(), if_lost_s)
        except (OSError, http.client.HTTPException) as fault:
            reason = getattr(fault, "reason", fault)
            is_untrusted = isinstance(reason, ssl.SSLCertVerificationError)
            raise TollgateError(None, [], f"no response: {reason}", None,
                                None if is_untrusted else if_lost_s) from fault


class EveryStatus(urllib.request.HTTPErrorProcessor):
    """Return each response. A redirect is not followed, so the token stays with this server."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


def query(request: Mapping[str, Any]) -> str:
    return urllib.parse.urlencode({name: value if isinstance(value, str) else json.dumps(value)
                                   for name, value in request.items()})


def pause_s(attempt: int) -> float:
    """Doubles, with jitter, so that not all clients of a server return at once."""
    return float(min(2 ** (attempt - 1), LONGEST_PAUSE_S)) * random.uniform(0.75, 1)


def is_late(start: float, wait_s: float, max_total_s: float) -> bool:
    return time.monotonic() - start + wait_s > max_total_s


def read_response(status: int, headers: Message, content: bytes, if_lost_s: float) -> Response:
    """The Response, or raise TollgateError."""
    request_id = headers["X-Request-Id"]
    is_json = headers.get_content_type() == "application/json"
    envelope = parse_envelope(content) if is_json else None
    if status == 200 and (envelope or not is_json):
        return Response(envelope["result"] if envelope else content, headers.get_content_type(),
                        number(headers["X-Credits-Charged"]) or 0, number(headers["X-Credits-Remaining"]),
                        request_id, headers["Idempotency-Replayed"] == "true")
    if envelope:
        errors = envelope["errors"]
        message = "; ".join(f"{error['code']}: {error['message']}" for error in errors)
        wait_s = number(headers["Retry-After"]) if status in RETRIED else None
        raise TollgateError(status, errors, message, request_id, wait_s)
    # Not a response of Tollgate, but of a proxy before it. From 500 on, Tollgate's may be lost.
    is_lost = status == 200 or status >= 500
    raise TollgateError(None, [], f"no response of Tollgate, but HTTP status {status}", request_id,
                        if_lost_s if is_lost else None)


def parse_envelope(content: bytes) -> dict[str, Any] | None:
    """None: not a whole envelope."""
    try:
        envelope = json.loads(content)
    except ValueError:
        return None
    is_envelope = isinstance(envelope, dict) and {"result", "success", "errors"} <= envelope.keys()
    return envelope if is_envelope else None


def number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None
