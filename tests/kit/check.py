"""tests/kit/check.py - checks for every API response, and matchers for expected results."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CODES = re.findall(r'^ERR\(\w+, (\d+), "(\w+)", (\w+)\)', (ROOT / "common/base/err.def").read_text(), re.MULTILINE)
STATUS_OF_CODE = {code: int(status) for status, code, _ in CODES}
PLATFORM_CODES = {code for _, code, origin in CODES if origin == "PLATFORM"}
RETRY_AFTER = {409, 429, 503}
FINAL = b'"code":"token_exists"'  # a repeated request gets the same answer
UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
TIMESTAMP = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"
HSTS = "max-age=63072000; includeSubDomains"
TYPES = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
    "timestamp": lambda v: isinstance(v, str) and re.search(TIMESTAMP, v),
    "uuid": lambda v: isinstance(v, str) and re.search(UUID, v),
}


def unique_keys(pairs):
    assert len(dict(pairs)) == len(pairs), f"duplicate keys in {pairs}"
    return dict(pairs)


def check_answer(answer, method="GET"):
    """Checks the envelope and headers that every response has, including the edge's own."""
    assert answer.headers["Strict-Transport-Security"] == HSTS, answer
    assert "Server" not in answer.headers or "/" not in answer.headers["Server"], answer
    if answer.status_code in RETRY_AFTER and FINAL not in answer.body:
        assert re.fullmatch(r"[1-9]\d{0,5}", answer.headers.get("Retry-After", "")), answer
    if method == "HEAD":
        assert answer.body == b"", answer
        return
    if "Access-Control-Allow-Origin" in answer.headers:
        check_document(answer)
        return
    if answer.status_code == 200 and answer.headers.get_content_type() != "application/json":
        return  # an image; the test case has its type
    assert answer.headers["Content-Type"].replace(" ", "").lower() in (
        "application/json", "application/json;charset=utf-8"), answer
    envelope = json.loads(answer.body.decode("utf-8"), object_pairs_hook=unique_keys)
    assert answer.headers["Cache-Control"] == "no-store", answer
    check_envelope(answer, envelope)


def check_document(answer):
    """Documents that are public, also for pages of other origins. tests/api/test_documents.py
    checks their content."""
    assert answer.status_code in (200, 304), answer
    assert answer.headers["Access-Control-Allow-Origin"] == "*", answer
    assert answer.headers["Cache-Control"] == "public, max-age=300", answer
    assert re.fullmatch(r'"[0-9a-f]{16}"', answer.headers["ETag"]), answer
    assert bool(answer.body) == (answer.status_code == 200), answer


def check_envelope(answer, envelope):
    assert set(envelope) == {"result", "success", "errors"}, answer
    assert envelope["success"] is (answer.status_code == 200), answer
    assert isinstance(envelope["result"], dict), answer
    if envelope["success"]:
        assert envelope["errors"] == [], answer
        return
    assert envelope["result"] == {} and envelope["errors"], answer
    for error in envelope["errors"]:
        assert set(error) == {"code", "message"}, answer
        assert STATUS_OF_CODE.get(error["code"]) == answer.status_code, answer
        assert isinstance(error["message"], str) and 10 <= len(error["message"]) <= 500, answer
        assert not re.search(r"\btg_live_\w|/build/|/usr/|/var/|\.c:\d|SQLSTATE", error["message"]), answer


def find(value, where):
    """The value at a field's name or at a JSON pointer (RFC 6901)."""
    steps = where[1:].split("/") if where.startswith("/") else [where]
    for step in steps:
        step = step.replace("~1", "/").replace("~0", "~")
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def check_value(got, want, where):
    """want: a value, "~ regex", "len N" or "is TYPE"."""
    verb, _, rest = want.partition(" ") if isinstance(want, str) else ("", "", "")
    if verb == "~":
        assert isinstance(got, str) and re.search(rest, got), f"{where}: {got!r} is not like {rest}"
    elif verb == "len":
        assert len(got) == int(rest), f"{where}: length of {got!r} is {len(got)}, not {rest}"
    elif verb == "is":
        assert TYPES[rest](got), f"{where}: {got!r} is not a {rest}"
    else:
        # as JSON, so that true does not equal 1
        assert json.dumps(got, sort_keys=True) == json.dumps(want, sort_keys=True), \
            f"{where}: {got!r} is not {want!r}"


def check_result(result, wanted):
    for where, want in wanted.items():
        try:
            got = find(result, where)
        except (KeyError, IndexError, ValueError, TypeError):
            raise AssertionError(f"{where}: is not in {result!r}") from None
        check_value(got, want, where)
