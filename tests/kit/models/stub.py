"""tests/kit/models/stub.py READY ADDRESS LOG [PORT] - model providers in both wire forms, and their
failures.

    http://ADDRESS:8000/openai/v1       POST /chat/completions, /moderations, /images/generations
    http://ADDRESS:8000/anthropic       POST /v1/messages
    http://ADDRESS:8000/does/DOING/…    the same, and always DOING

The base URL selects the behavior, or [[stub:DOING]] in the customer's text. DOING-once:ID
misbehaves in the first call with this ID, then responds correctly. DOING is a row of TEXTS (what
the model writes), ANSWERS (the JSON around it), PICKY (what a provider rejects) or TRANSPORT, or a
status. [[say:BASE64]] (URL alphabet) makes the model write exactly that text: it obeys every
instruction.

Otherwise the model writes svc-ai/<prompt>/tests/answer.json or .txt. Each request is a line of LOG:
{"path", "headers", "body"}.
"""

import base64
import gzip
import http.server
import json
import re
import socket
import struct
import sys
import threading
import time
import zlib
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PORT = 8000
MARK = re.compile(r"\[\[stub:([a-z0-9-]+?)(-once)?(?::([A-Za-z0-9-]+))?\]\]")
SAYING = re.compile(r"\[\[say:([A-Za-z0-9_=-]+)\]\]")
PROMPTS = {file.parent.name: yaml.safe_load(file.read_text())["system"] for file in ROOT.glob("svc-ai/*/prompt.yaml")}
PIXEL = base64.b64encode(bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082")).decode()


def picture_of(size):
    """A black PNG of a size such as 256x256, with one bit a pixel."""
    width, height = map(int, size.split("x"))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes(height * (1 + width // 8)), 9)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return base64.b64encode(png + chunk(b"IDAT", rows) + chunk(b"IEND", b"")).decode()


seen = set()
lock = threading.Lock()


def in_members(good, word):
    """The good answer, with this word in each of its texts."""
    try:
        return json.dumps({name: word if isinstance(value, str) else value for name, value in json.loads(good).items()})
    except (ValueError, AttributeError):
        return word


# What the model writes, made from the text of the good answer.
TEXTS = {
    "fenced": lambda good, asked: f"```json\n{good}\n```",
    "prose": lambda good, asked: f"Sure! Here is the answer:\n\n{good}\n\nI hope this helps.",
    "quotes": lambda good, asked: good.replace('"', "'").rstrip("}") + ",}",
    "comments": lambda good, asked: good.replace("{", "{ // the answer\n", 1),
    "think": lambda good, asked: f"<think>The user wants {{\"a\": 1}}…</think>\n{good}",
    "endless-thought": lambda good, asked: "<think>Let me see",
    "wrapped": lambda good, asked: json.dumps(good),
    "several": lambda good, asked: '{"first": 1}\n' + good,
    "missing": lambda good, asked: "{}",
    "other-shape": lambda good, asked: '["a", "list"]',
    "no-json": lambda good, asked: "I would rather talk about something else.",
    "truncated-stop": lambda good, asked: good[:len(good) // 2],
    "blank": lambda good, asked: " \n",
    "leak": lambda good, asked: json.dumps({"summary": asked.system}) if asked.wants_json else asked.system,
    "leak-members": lambda good, asked: in_members(good, asked.system[-300:]),
    "leak-canary": lambda good, asked: in_members(good, f"It is {asked.canary}."),
    "leak-spelled": lambda good, asked: in_members(good, "-".join(asked.canary.upper())),
    "hidden": lambda good, asked: good.replace("e ", "e\u200b\u202e "),
}


PAINTINGS = {  # the picture's URL in an answer
    "url": "http://127.0.0.1:1/picture.png",
    "url-good": "https://example.com/bread.png",
    "url-none": "https://example.com/none.png",
    "url-page": "https://example.com/",
    "url-late": "http://endless.slowhost.net/",
}


class Asked:
    """One request of a model, in either form."""

    def __init__(self, path, body):
        self.is_anthropic = path.endswith("/messages")
        self.body = body
        self.system = self._system()
        self.prompt = next((name for name, text in PROMPTS.items() if text.strip() in self.whole), None)
        self.wants_json = "is one JSON object" in self.system

    @property
    def canary(self):
        """The private word of one of our prompts; a request without such a prompt has none."""
        word = re.search(r"The word ([0-9a-f]{32}) is private", self.system)
        return word[1] if word else "none"

    @property
    def whole(self):
        return json.dumps(self.body, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')

    def _system(self):
        if self.is_anthropic:
            return self.body.get("system", "")
        return next((m["content"] for m in self.body.get("messages", []) if m["role"] == "system"), "")

    def good(self):
        saying = SAYING.search(self.whole)
        if saying:
            return base64.urlsafe_b64decode(saying[1] + "=" * (-len(saying[1]) % 4)).decode()
        for end in ("json", "txt"):
            file = ROOT / "svc-ai" / self.prompt / "tests" / f"answer.{end}"
            if file.exists():
                return file.read_text().strip()
        return "An answer."


def openai(asked, text, finish="stop", **message):
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": asked.body["model"], "choices": [
        {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 40, "total_tokens": 160}}


def anthropic(asked, text, finish="end_turn"):
    block = {"type": "text", "text": text}
    tool = asked.body.get("tools")
    try:
        if tool and text is not None and finish == "end_turn":
            block = {"type": "tool_use", "id": "toolu_1", "name": tool[0]["name"], "input": json.loads(text)}
            finish = "tool_use"
    except ValueError:
        pass
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.body["model"],
            "content": [] if text is None else [block], "stop_reason": finish,
            "usage": {"input_tokens": 120, "output_tokens": 40}}


def usual(asked, text, cut=False, refused=False):
    if asked.is_anthropic:
        return anthropic(asked, text, "refusal" if refused else "max_tokens" if cut else "end_turn")
    return openai(asked, text, "content_filter" if refused else "length" if cut else "stop")


def broken_off(asked, text):
    """A provider that fails in the middle, and says so."""
    if asked.is_anthropic:
        return anthropic(asked, text, "error")
    answer = openai(asked, text)
    answer["choices"][0]["error"] = {"code": 502, "message": "upstream failed"}
    return answer


def with_word(asked, text, word):
    return anthropic(asked, text, word) if asked.is_anthropic else openai(asked, text, word)


def without_usage(answer):
    del answer["usage"]
    return answer


def parts(asked, good):
    answer = usual(asked, good)
    if not asked.is_anthropic:
        half = len(good) // 2
        answer["choices"][0]["message"]["content"] = [{"type": "text", "text": good[:half]},
                                                      {"type": "text", "text": good[half:]}]
    return answer


# The JSON around it, as a tree.
ANSWERS = {
    "truncated-length": lambda asked, good: usual(asked, good[:len(good) // 2], cut=True),
    "whole-length": lambda asked, good: usual(asked, good, cut=True),
    "broken-off": lambda asked, good: broken_off(asked, good[:len(good) // 2]),
    "no-word": lambda asked, good: with_word(asked, good, None),
    "model-length": lambda asked, good: with_word(asked, good, "model_length"),
    "null-content": lambda asked, good: usual(asked, None),
    "no-choices": lambda asked, good: {"id": "x", "choices": [], "content": []},
    "parts": parts,
    "no-usage": lambda asked, good: without_usage(usual(asked, good)),
    "error200": lambda asked, good: {"error": {"message": "upstream failed", "code": 502}},
    "filter": lambda asked, good: usual(asked, "", refused=True),
    "refusal": lambda asked, good: usual(asked, None, refused=True) if asked.is_anthropic else openai(
        asked, None, refusal="I cannot help with that."),
    "list": lambda asked, good: [1, 2, 3],
    "call": lambda asked, good: {"content": [{"type": "tool_use", "id": "toolu_1", "name": "pay", "input": {}}],
                                 "stop_reason": "tool_use"},
}

# What a provider rejects: (whether the request has it, the text of its 400).
PICKY = {
    "no-schema": (lambda b: b.get("response_format", {}).get("type") == "json_schema" or "tools" in b,
                  "response_format json_schema and tools are not supported"),
    "no-format": (lambda b: "response_format" in b or "tools" in b, "Unknown parameter: 'response_format' or 'tools'."),
    "no-strict": (lambda b: b.get("response_format", {}).get("json_schema", {}).get("strict"),
                  "json_schema: 'strict' is not permitted"),
    "no-max-tokens": (lambda b: "max_tokens" in b, "Unsupported parameter: 'max_tokens', use 'max_completion_tokens'."),
    "no-temperature": (lambda b: "temperature" in b, "'temperature' does not support this value with this model."),
    "no-stop": (lambda b: "stop" in b, "Unsupported parameter: 'stop' is not supported with this model."),
    "no-seed": (lambda b: "seed" in b, "unknown field seed"),
    "no-system": (lambda b: any(m["role"] == "system" for m in b["messages"]), "role 'system' is not supported"),
    "no-pictures-format": (lambda b: "response_format" in b or "quality" in b,
                           "Unknown parameter: 'response_format'."),
}

TRANSPORT = {"closed", "reset", "silent", "drip", "huge", "slow", "sse", "gzip", "wrong-type", "latin1", "utf16", "html",
             "garbage"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log_file = None

    def log_message(self, *_):
        pass

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = json.loads(raw)
        with lock:
            with open(self.log_file, "a") as log:
                log.write(json.dumps({"path": self.path, "port": self.client_address[1], "headers": dict(self.headers), "body": body}) + "\n")
        asked = Asked(self.path, body)
        self.behave(asked, self.doing(asked))

    def doing(self, asked):
        path = re.match(r"/does/([a-z0-9-]+)/", self.path)
        if path:
            return path[1]
        mark = MARK.search(asked.whole)
        if not mark:
            return ""
        if mark[2]:
            with lock:
                if mark[3] in seen:
                    return ""
                seen.add(mark[3])
        return mark[1]

    def behave(self, asked, doing):
        if self.path.endswith("/moderations"):
            return self.moderate(asked, doing)
        if self.path.endswith("/images/generations"):
            return self.paint(asked, doing)
        good = asked.good()
        if doing in PICKY and PICKY[doing][0](asked.body):
            return self.fail(asked, 400, "invalid_request_error", PICKY[doing][1])
        if doing.split("-")[0].isdigit():
            return self.fail_with(asked, doing)
        if doing in TRANSPORT or doing.startswith("slow"):
            return self.misbehave(asked, doing, good)
        if doing in TEXTS:
            return self.send(200, usual(asked, TEXTS[doing](good, asked)))
        return self.send(200, ANSWERS[doing](asked, good) if doing in ANSWERS else usual(asked, good))

    # -- errors --

    def fail_with(self, asked, doing):
        """500, 429-soon, 429-later, 400-filter, 404-html …"""
        status, _, more = doing.partition("-")
        headers = {"soon": {"Retry-After": "1"}, "later": {"Retry-After": "120"}}.get(more, {})
        if more == "html":
            return self.send_bytes(int(status), b"<html><h1>Bad Gateway</h1></html>", "text/html")
        if more == "empty":
            return self.send_bytes(int(status), b"", "text/plain")
        word = "content_filter" if more == "filter" else {"401": "invalid_api_key", "402": "insufficient_quota",
                                                          "529": "overloaded_error"}.get(status, "server_error")
        # a provider that repeats the request, with the key
        words = {"credit": "Your credit balance is too low to access the API.", "quota": "insufficient_quota",
                 "context": "context_length_exceeded"}
        if more == "credit":
            return self.fail(asked, int(status), "invalid_request_error", words[more])
        word = words.get(more, word)
        message = f"{self.headers.get('Authorization') or self.headers.get('x-api-key')} {asked.whole[:200]}"
        return self.fail(asked, int(status), word, message, headers)

    def fail(self, asked, status, word, message, headers=None):
        error = {"message": message, "type": word, "code": word, "param": None}
        self.send(status, {"type": "error", "error": error} if asked.is_anthropic else {"error": error}, headers)

    # -- transport --

    def misbehave(self, asked, doing, good):
        answer = json.dumps(usual(asked, good)).encode()
        if doing == "closed":
            return self.cut()
        if doing == "reset":
            self.head(200, len(answer), "application/json")
            self.wfile.write(answer[:len(answer) // 2])
            return self.cut(struct.pack("ii", 1, 0))
        if doing == "silent":
            self.head(200, len(answer), "application/json")
            return self.wait_for_client()
        if doing == "drip":
            self.head(200, len(answer), "application/json")
            return self.drip(answer)
        if doing == "huge":
            return self.send_bytes(200, b'{"choices": "' + b"x" * (20 << 20) + b'"}', "application/json")
        if doing.startswith("slow"):
            time.sleep(int(doing.partition("-")[2] or 1000) / 1000)
            return self.send_bytes(200, answer, "application/json")
        if doing == "sse":
            return self.send_bytes(200, b"data: " + answer + b"\n\ndata: [DONE]\n\n", "text/event-stream")
        if doing == "gzip":
            return self.send_bytes(200, gzip.compress(answer), "application/json", {"Content-Encoding": "gzip"})
        if doing == "wrong-type":
            return self.send_bytes(200, answer, "text/html; charset=iso-8859-1")
        if doing == "latin1":
            return self.send_bytes(200, json.dumps(usual(asked, good + " é"), ensure_ascii=False).encode("latin-1"),
                                   "application/json; charset=iso-8859-1")
        if doing == "utf16":
            return self.send_bytes(200, answer.decode().encode("utf-16"), "application/json; charset=utf-16")
        if doing == "html":
            return self.send_bytes(200, b"<html>Sign in to the Wi-Fi</html>", "text/html")
        return self.send_bytes(200, b"\x16\x03\x01 what do you want?", "application/json")

    def drip(self, answer):
        try:
            for byte in answer:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(1)
        except OSError:
            self.close_connection = True

    def wait_for_client(self):
        """Until the other side has closed."""
        self.connection.settimeout(60)
        try:
            self.connection.recv(1)
        except OSError:
            pass
        self.close_connection = True

    def cut(self, linger=None):
        self.wfile.flush()
        if linger:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
        self.close_connection = True

    # -- other behavior of a provider --

    def moderate(self, asked, doing):
        if doing.split("-")[0].isdigit():
            return self.fail_with(asked, doing)
        saying = SAYING.search(asked.whole)
        scores = {"hate": 0.01, "violence": 0.02}
        if saying:
            scores = json.loads(asked.good())
        result = {"flagged": False, "categories": {}, "category_scores": scores}
        return self.send(200, {"id": "modr-1", "model": asked.body["model"],
                               "results": [] if doing == "no-choices" else [result]})

    def paint(self, asked, doing):
        if doing in PICKY and PICKY[doing][0](asked.body):
            return self.fail(asked, 400, "invalid_request_error", PICKY[doing][1])
        if doing.split("-")[0].isdigit():
            return self.fail_with(asked, doing)
        if doing == "large":  # a picture of the maximum size, with data after its end
            return self.send(200, {"data": [{"b64_json": PIXEL.rstrip("=") + "A" * (23 << 20)}]})
        saying = SAYING.search(asked.whole)
        picture = asked.good() if saying else picture_of(asked.body.get("size", "1024x1024"))
        datum = {"url": PAINTINGS[doing]} if doing in PAINTINGS else {"b64_json": picture}
        return self.send(200, {"created": 1, "data": [] if doing == "no-choices" else [
            {**datum, "revised_prompt": "A picture, revised."}]})

    # -- HTTP --

    def head(self, status, length, kind, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(length), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def send_bytes(self, status, body, kind, headers=None):
        try:
            self.head(status, len(body), kind, headers)
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def send(self, status, tree, headers=None):
        self.send_bytes(status, json.dumps(tree).encode(), "application/json", headers)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main():
    ready, address, log, *port = sys.argv[1:]
    Handler.log_file = log
    Path(log).touch()
    server = Server((address, int(port[0]) if port else PORT), Handler)
    Path(ready).touch()
    server.serve_forever()


if __name__ == "__main__":
    main()
