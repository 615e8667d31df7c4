"""tests/kit/agents/line.py - a client of kit/load.py that calls over MCP."""

import json
import time

from kit.load import BROKEN, TOOL, Call, Line


class AgentLine(Line):
    """The same calls by MCP; the status is the one that REST would return."""

    def call(self, account, tool=TOOL, request=None, headers=None, method="POST"):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": tool, "arguments": {"input": "abc"} if request is None else request}}
        begun = time.monotonic()
        status, got, content = self.request(account, "mcp", json.dumps(message), headers)
        codes, replayed = (), False
        if status != BROKEN:
            status, codes, replayed, content = self._read(status, json.loads(content))
        return Call(account, status, got.get("X-Request-Id", ""), codes, replayed, begun,
                    time.monotonic() - begun), content

    def _read(self, status, message):
        """(status, codes, whether it was replayed, the result in REST's form)"""
        if "result" not in message:
            data = message["error"].get("data", {"errors": [{"code": str(message["error"]["code"])}]})
            return status, tuple(error["code"] for error in data["errors"]), False, b""
        result = message["result"]
        meta = result["_meta"]
        if result["isError"]:
            error = meta["tollgate/error"]
            return error["status"], tuple(item["code"] for item in error["errors"]), False, b""
        return status, (), meta.get("tollgate/replayed", False), json.dumps({"result": result["structuredContent"]})
