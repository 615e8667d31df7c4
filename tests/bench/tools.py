"""tests/bench/tools.py - time inside the worker for each tool that only computes, one call after
the other.

The worker measures the times, from reading the request to the printed result; the gateway passes
them on in Server-Timing. Normal input is the examples of the tool's contract in turn; the worst
input is the largest body that was found to cost most. The times are wall-clock times: on a busy
machine the smallest is closest to the cost of a call.
"""

import base64
import http.client
import json
import re
import ssl
import urllib.parse

from kit.contracts import CONTRACTS, is_get

GOAL_MS = {"qr-generate": 5, "json-to-code": 5}  # of the median of normal input; 1 for all others
WORST_GOAL_MS = {"email-spam-check": 20, "email-header-analyzer": 20}  # 40 for all others
BODY_MAX = 65536


def body_of(request):
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()


def jwt_of(header, payload, signature_bytes):
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    return ".".join(part(data) for data in (header, payload, bytes(signature_bytes)))


def filled(request, name, item):
    """The request, filled up to the maximum body size with items in the list or object `name`,
    which is at its top or in its context."""
    def grown(count):
        target = request.get("context", request)
        items = [item(n) for n in range(count)]
        target[name] = dict(items) if items and isinstance(items[0], tuple) else items
        return request
    count = 1000
    while len(body_of(grown(count))) > BODY_MAX:
        count -= 1
    return grown(count)


def bounds(number, is_new):
    return {"type": "integer" if is_new else "number", "minimum": int(is_new), "maximum": 100 - number % 50 - is_new}


def operation(schema):
    content = {"content": {"application/json": {"schema": schema}}}
    return {"post": {"requestBody": content, "responses": {"200": content | {"description": "a"}}}}


def compared(parts_of):
    """A request of openapi-validate with two documents in which every schema changed, as many as
    fit. parts_of: their paths and schemas, of a number and whether they are the new ones."""
    def documents(count):
        for is_new in (False, True):
            paths, schemas = parts_of(count, is_new)
            yield {"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "paths": paths,
                   "components": {"schemas": schemas}}
    count = 400
    while len(body_of(dict(zip(("previous", "spec"), documents(count))))) > BODY_MAX:
        count -= 1
    return dict(zip(("previous", "spec"), documents(count)))


def own_schemas(count, is_new):
    def text(number):
        return {"type": "string", "minLength": 1 + is_new, "maxLength": 20 - is_new, "enum": ["a", "b", "c"][is_new:],
                "pattern": f"^[a-z]{{1,{9 - is_new}}}{number}?$"}
    return {f"/{n}": operation(text(n)) for n in range(count)}, {}


def shared_schema(count, is_new):
    members = {f"p{n}": bounds(n, is_new) for n in range(count)}
    schema = {"type": "object", "required": list(members), "properties": members}
    return {f"/{n}": operation({"$ref": "#/components/schemas/s"}) for n in range(count // 2)}, {"s": schema}


def choices(count, is_new):
    members = {f"/{n}": operation({"$ref": "#/components/schemas/s"}) for n in range(count // 2)}
    base = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
    branches = [{"allOf": [base, {"properties": {"v": bounds(n, is_new)}}]} for n in range(count)]
    return members, {"s": {"anyOf": branches}}


def circle(count, is_new):
    def schema(number):
        return {"type": "object", "properties": {"a": bounds(number, is_new),
                                                 "b": {"$ref": f"#/components/schemas/s{(number + 1) % count}"}}}
    return ({f"/{n}": operation({"$ref": f"#/components/schemas/s{n}"}) for n in range(count)},
            {f"s{n}": schema(n) for n in range(count)})


def worst():
    """(what it is, tool, request)."""
    yield ("4,000 characters that NFKC makes six of, 1,000 blocked words", "chatplatform-moderate",
           filled({"text": "㌖" * 4000, "context": {}}, "blocked_words", lambda n: f"*{'ab' * (n % 24 + 1)}{n}*"))
    yield ("190 links to look-alikes, 1,000 blocked domains", "chatplatform-moderate",
           filled({"text": "http://dlscord.com/x " * 190, "context": {}}, "blocked_domains",
                  lambda n: f"{'a.' * 22}{n}.example"))
    yield ("10,000 characters that NFKC makes eighteen of", "chatplatform-text-sanitize",
           filled({"text": "ﷺ" * 10000, "normalize": "nfkc"}, "names",
                  lambda n: (str(80351110224678912 + n), "x" * 8)))
    yield ("10,000 characters of markdown", "chatplatform-text-sanitize",
           filled({"text": ("**a** __b__ `c` [d](e) *f*" * 400)[:10000]}, "names",
                  lambda n: (str(80351110224678912 + n), "x" * 28)))
    yield ("5,400 fields in an object", "chatplatform-embed-build",
           {"fields": {str(n): "v" for n in range(5400)}})
    yield ("1,200 subcommands", "chatplatform-command-validate",
           {"name": "a", "description": "b",
            "options": [{"type": 1, "name": f"c{n}", "description": "d"} for n in range(1200)]})
    yield ("HS512 over 24 KB against the well-known secrets", "jwt-decode",
           {"token": jwt_of(b'{"alg":"HS512"}', b'{"a":"%s"}' % (b"x" * 24000), 64)})
    yield ("16 HS512 signatures over 24 KB, 16 keys", "jwt-decode",
           {"token": json.dumps({"payload": "A" * 24000,
                                 "signatures": [{"protected": "eyJhbGciOiJIUzUxMiJ9", "signature": "A" * 86}] * 16}),
            "key": json.dumps({"keys": [{"kty": "oct", "k": f"AA{n:02}"} for n in range(16)]})})
    yield ("60 KB in all languages", "json-to-code",
           {"sample": [{f"key{n}": n, "list": [{f"k{n}": "x"}]} for n in range(1100)]})
    yield ("60 KB without a blank, 50 models", "token-counter", {"text": "xyzzy" * 12000})
    yield ("64 KB of one letter", "token-counter", {"text": "a" * 65000})
    yield ("64 KB of one letter", "hash-generate", {"input": "a" * 65000, "algorithm": "keccak-256"})
    yield ("5,000 fields in all languages", "json-to-code",
           {"sample": {f"k{n}": n for n in range(5000)}, "enums": True,
            "targets": ["json-schema", "typescript", "go", "python", "rust", "kotlin", "zod", "java", "csharp", "php"]})
    yield ("the largest code as PNG", "qr-generate",
           {"text": "1a" * 1400, "size": 4096, "format": "png", "margin": 0})
    yield ("200 letters in 4,000 pixels", "placeholder-image", {"text": "a" * 200, "size": "4000"})
    yield ("29 February, 100 runs in two directions", "cron-explain",
           {"expression": "0 0 29 2 1 2000-2099", "count": 100, "previous": 100, "day_match": "and",
            "timezone": "America/New_York", "dialects": True})
    yield ("a thousand characters", "password-strength", {"password": "aB3$" * 250})
    yield ("1,500 links to look-alikes", "email-spam-check",
           {"subject": "a", "body": "".join(f"http://\u0430pple-{n}.example/x\n" for n in range(1500))})
    yield ("900 links that show another host", "email-spam-check",
           {"subject": "a", "html": "".join(f"<a href=http://h{n}.example/x>http://paypa1-{n}.example</a> "
                                            for n in range(900))})
    yield ("19,900 elements in each other", "email-spam-check", {"subject": "a", "html": "<b>" * 19900})
    for what, parts_of in {"each operation with its own": own_schemas, "one for all operations": shared_schema,
                           "a choice of objects": choices, "a circle": circle}.items():
        yield (f"two documents of 32 KB, all schemas changed: {what}", "openapi-validate", compared(parts_of))
    yield ("200 hops", "email-header-analyzer", {"headers": "".join(
        f"Received: from h{n}.example.com (h{n}.example.net [93.184.{n}.7]) by h{n + 1}.example.com (Postfix)"
        f" with ESMTPS id {n} (version=TLS1_2 cipher=ECDHE-RSA-AES256-GCM-SHA384 bits=256/256) for <a@b.example>;"
        f" Mon, 23 Nov 2026 10:{n // 60:02}:{n % 60:02} +0000\n" for n in range(200))})


class Caller:
    """One connection, one account without limits."""

    def __init__(self, stack, account, token):
        context = ssl.create_default_context(cafile=stack.ca_file)
        self.line = http.client.HTTPSConnection("localhost", stack.tls_port, timeout=30, context=context)
        self.path = f"/v1/client/{account}/tools/"
        self.headers = {"Authorization": f"Bearer {token}"}

    def tool_ms(self, contract, request):
        """Milliseconds inside the daemon."""
        if is_get(contract):
            query = urllib.parse.urlencode(request)
            self.line.request("GET", f"{self.path}{contract['tool']}?{query}", headers=self.headers)
        else:
            self.line.request("POST", self.path + contract["tool"], body_of(request),
                              self.headers | {"Content-Type": "application/json"})
        answer = self.line.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise ValueError(f"{contract['tool']}: {answer.status} {text[:300]}")
        return float(re.search(r"tool;dur=([\d.]+)", answer.headers["Server-Timing"])[1])


def percentile(times, percent):
    return sorted(times)[min(len(times) - 1, len(times) * percent // 100)]


def line_of(name, times, goal_ms, what=""):
    median = percentile(times, 50)
    mark = "" if median < goal_ms else f"   above {goal_ms} ms"
    return (f"{name:30} least {min(times):7.3f}   p50 {median:7.3f}   p99 {percentile(times, 99):7.3f} ms"
            f"{mark}   {what}".rstrip())


def measure(stack, account, token, calls):
    """Print both tables."""
    caller = Caller(stack, account, token)
    print(f"time inside the worker, {calls} calls one after the other, the contracts' examples")
    for name, contract in CONTRACTS.items():
        if contract.get("open_world"):
            continue  # it waits for networks and providers
        requests = [example["request"] for example in contract["examples"]]
        times = [caller.tool_ms(contract, requests[n % len(requests)]) for n in range(calls)]
        print(line_of(name, times, GOAL_MS.get(name, 1)))
    print("the same with the largest input")
    for what, name, request in worst():
        times = [caller.tool_ms(CONTRACTS[name], request) for _ in range(max(20, calls // 10))]
        print(line_of(name, times, WORST_GOAL_MS.get(name, 40), what))
