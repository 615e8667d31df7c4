"""tests/kit/operators/collector.py - a collector of traces: it takes OTLP/HTTP with JSON, and keeps
the spans."""

import http.server
import json
import threading


class Collector(http.server.ThreadingHTTPServer):
    """Keeps the spans that it gets, in order; status: of its responses."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1/traces"
        self.status = 200
        self.spans = []
        self.resources = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def of(self, call):
        """{name: span} of a call, with its attributes as one object."""
        return {span["name"]: span for span in list(self.spans) if span["attributes"]["call_id"] == call}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/json")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.status == 200:
            [resource] = body["resourceSpans"]
            self.server.resources.append(values(resource["resource"]))
            self.server.spans += [span | {"attributes": values(span)} for span in resource["scopeSpans"][0]["spans"]]
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def values(holder):
    """Attributes as {key: value}; OTLP's JSON has 64-bit integers as strings."""
    return {each["key"]: int(each["value"]["intValue"]) if "intValue" in each["value"] else each["value"]["stringValue"]
            for each in holder["attributes"]}
