"""tests/kit/agents/host.py - an agent's host: Model Context Protocol messages over HTTPS; checks
every response on arrival."""

import gzip
import json
import re

from kit.check import HSTS, STATUS_OF_CODE, check_envelope, unique_keys
from kit.client import Answer

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
META = "io.modelcontextprotocol/"
RPC_CODES = {-32700, -32600, -32601, -32602, -32020, -32022}


def check_answer(answer, asked=None):
    """Checks for every response of the endpoint, whatever was sent."""
    assert answer.headers["Strict-Transport-Security"] == HSTS, answer
    assert "Access-Control-Allow-Origin" not in answer.headers and "Mcp-Session-Id" not in answer.headers, answer
    if answer.status_code == 202:
        assert answer.body == b"", answer
        return
    assert answer.headers["Content-Type"].split(";")[0] == "application/json", answer
    assert answer.headers["Cache-Control"] == "no-store", answer
    message = json.loads(answer.body.decode("utf-8"), object_pairs_hook=unique_keys)
    if "success" in message:
        check_envelope(answer, message)  # the edge's own
        return
    assert message["jsonrpc"] == "2.0" and ("result" in message) != ("error" in message), answer
    if "error" in message:
        check_error(answer, message)
    else:
        assert answer.status_code == 200 and "id" in message, answer
        check_result(answer, message["result"], asked)


def check_error(answer, message):
    error = message["error"]
    assert 4 <= len(error["message"]) <= 500 and not re.search(r"tg_live_\w", error["message"]), answer
    if error["code"] in RPC_CODES:
        assert answer.status_code in (200, 400, 404), answer
        return
    assert "id" not in message and error["code"] == answer.status_code, answer
    assert error["data"]["errors"][0]["message"] == error["message"], answer
    assert {STATUS_OF_CODE[item["code"]] for item in error["data"]["errors"]} == {answer.status_code}, answer


def check_result(answer, result, asked):
    if asked == "modern":
        assert result["resultType"] == "complete", answer
        assert result["_meta"][META + "serverInfo"]["name"] == "tollgate", answer
    elif asked == "legacy":
        assert "resultType" not in result and META + "serverInfo" not in result.get("_meta", {}), answer
    if "content" not in result:
        return
    assert isinstance(result["isError"], bool) and result["content"], answer
    for block in result["content"]:
        assert block["type"] in ("text", "image"), answer
        assert block.get("mimeType", "image/png") in ("image/png", "image/jpeg", "image/webp", "image/gif"), answer
    blocks = result["content"]
    if "tollgate/ignored-fields" in result["_meta"]:
        assert blocks[-1]["text"].startswith("Ignored, because the tool has no such arguments: "), answer
        blocks = blocks[:-1]
    text = blocks[-1]["text"]
    if result["isError"]:
        assert "structuredContent" not in result and len(result["content"]) == 1, answer
        first = result["_meta"]["tollgate/error"]["errors"][0]
        assert STATUS_OF_CODE[first["code"]] == result["_meta"]["tollgate/error"]["status"], answer
        assert text.startswith(f"{first['code']}: "), answer
    elif "structuredContent" in result and not text.startswith("The result ("):
        assert json.loads(text) == result["structuredContent"], answer


def unpacked(response):
    body = response.read()
    return gzip.decompress(body) if response.headers["Content-Encoding"] == "gzip" else body


class Agent:
    """One client of one account; modern or legacy."""

    def __init__(self, api, account, era="legacy", query=""):
        self.api = api
        self.account = account
        self.era = era
        self.path = account.path("mcp") + query
        self.ids = 0

    def post(self, body, headers=None, method="POST", path=None):
        """A body, sent unchanged; a header may be a list of values, or None to leave it out."""
        sent = {"Authorization": f"Bearer {self.account.token}", "Content-Type": "application/json"} | (headers or {})
        body = body.encode() if isinstance(body, str) else body
        line = self.api.connect()
        try:
            line.putrequest(method, path or self.path, skip_accept_encoding=True)
            for name, value in sent.items():
                for one in value if isinstance(value, list) else [] if value is None else [value]:
                    line.putheader(name, one)
            if method == "POST":
                line.putheader("Content-Length", str(len(body)))
            line.endheaders(body if method == "POST" else None)
            response = line.getresponse()
            answer = Answer(response.status, response.headers, unpacked(response))
        finally:
            line.close()
        if method != "HEAD":
            check_answer(answer, self.era if "result" in (json.loads(answer.body or b"{}")) else None)
        return answer

    def head_of(self, message):
        """The header fields that a client of this era sends with a message."""
        if self.era == "legacy":
            return {"MCP-Protocol-Version": LEGACY}
        params = message.get("params") or {}
        more = {"Mcp-Name": params.get("name")} if message.get("method") == "tools/call" else {}
        return {"MCP-Protocol-Version": MODERN, "Mcp-Method": message.get("method")} | more

    def message_of(self, method, params=None, meta=None):
        self.ids += 1
        era = {META + "protocolVersion": MODERN, META + "clientCapabilities": {}} if self.era == "modern" else {}
        params = dict(params or {})
        if era or meta:
            params["_meta"] = era | (meta or {})
        return {"jsonrpc": "2.0", "id": self.ids, "method": method} | ({"params": params} if params else {})

    def ask(self, method, params=None, meta=None, headers=None):
        message = self.message_of(method, params, meta)
        answer = self.post(json.dumps(message), self.head_of(message) | (headers or {}))
        if "id" in answer.json():
            assert answer.json()["id"] == message["id"], answer
        return answer

    def tools(self):
        answer = self.ask("tools/list")
        assert answer.status_code == 200, answer
        return answer.json()["result"]["tools"]

    def call(self, tool, arguments=None, key=None, headers=None):
        meta = {"tollgate/idempotency-key": key} if key else None
        return self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, meta, headers)
