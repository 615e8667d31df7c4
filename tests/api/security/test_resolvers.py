"""tests/api/security/test_resolvers.py - odd DNS-over-HTTPS resolvers, on a separate stack."""

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dns.flags
import dns.message
import dns.rrset
import pytest

from kit import pki
from kit.client import Client
from kit.site import Site

pytestmark = pytest.mark.xdist_group("own stack")
WIRE = "application/dns-message"


def wire(query, cut=False):
    """A complete response in wire format, or a truncated one (TC bit)."""
    reply = dns.message.make_response(query)
    if cut:
        reply.flags |= dns.flags.TC
    else:
        reply.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "A", "192.0.2.7"))
    return WIRE, reply.to_wire()


def shape(query, **more):
    """The same in the JSON format of Google and Cloudflare."""
    question = query.question[0]
    document = {"Status": 0, "TC": False, "RD": True, "RA": True, "AD": True, "CD": False,
                "Question": [{"name": question.name.to_text(), "type": int(question.rdtype)}],
                "Answer": [{"name": question.name.to_text(), "type": 1, "TTL": 60, "data": "192.0.2.7"}],
                "Comment": "Response from 192.0.2.1."}
    return json.dumps(document | more).encode()


ANSWERS = {  # by first label: responses by number of queries
    "json": lambda query, times: ("application/dns-json", shape(query)),
    "plainjson": lambda query, times: ("Application/JSON; charset=utf-8", shape(query)),
    "nojson": lambda query, times: ("application/dns-json", b"<html>"),
    "otherjson": lambda query, times: ("application/dns-json", shape(query, Question=[{"name": "x.com.", "type": 1}])),
    "longjson": lambda query, times: ("application/dns-json", shape(query, Comment="x" * 70000)),
    "cutjson": lambda query, times: ("application/dns-json", shape(query, TC=True)),
    "cutonce": lambda query, times: wire(query, cut=times == 1),
    "cut": lambda query, times: wire(query, cut=True),
    "whole": lambda query, times: wire(query),
}


class Resolver(ThreadingHTTPServer):
    """Responds by the first label of a name; `asked` has (method, label) of every request."""
    daemon_threads = True

    def __init__(self, context):
        super().__init__(("127.0.0.1", 0), Handler)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.asked = []

    @property
    def url(self):
        return f"https://127.0.0.1:{self.server_port}/dns-query"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        query = dns.message.from_wire(self.rfile.read(int(self.headers["Content-Length"])))
        label = query.question[0].name.labels[0].decode()
        self.server.asked.append((self.command, label))
        media_type, body = ANSWERS[label](query, self.server.asked.count((self.command, label)))
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def resolver(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resolver")
    root = pki.root("Resolver Root")
    leaf = root.issue("127.0.0.1", key="ec:SECP256R1")
    (folder / "leaf.pem").write_bytes(leaf.pem() + leaf.key_pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "leaf.pem")
    server = Resolver(context)
    server.ca_pem = root.pem()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def site(own_stack, resolver, tmp_path_factory):
    ca_file = tmp_path_factory.mktemp("ca") / "ca.pem"
    ca_file.write_bytes(resolver.ca_pem)
    return Site.of(own_stack(settings={"egress.resolver": "doh", "egress.doh_urls": [resolver.url],
                                       "egress.doh_ca_file": str(ca_file)}))


@pytest.fixture
def look_up(site, resolver):
    """Look up LABEL.example.com: the result, and the number of queries to the resolver."""
    account = site.open_account()
    api = Client(site)

    def call(label):
        asked = ("POST", label)
        before = resolver.asked.count(asked)
        answer = api.call(account, "dns-lookup", {"domain": f"{label}.example.com", "types": ["A"]})
        return answer, resolver.asked.count(asked) - before

    return call


@pytest.mark.parametrize(("label", "times"), [("whole", 1), ("json", 1), ("plainjson", 1), ("cutonce", 2)])
def test_answers(look_up, label, times):
    answer, asked = look_up(label)
    assert answer.status_code == 200, answer
    result = answer.json()["result"]
    assert result["statuses"] == {"A": "NOERROR"}
    assert result["records"]["A"] == [{"type": "A", "name": f"{label}.example.com", "data": "192.0.2.7", "ttl": 60}]
    assert result["dnssec_authenticated"] == label.endswith("json")
    assert asked == times


@pytest.mark.parametrize(("label", "times"), [("nojson", 1), ("otherjson", 1), ("longjson", 1), ("cut", 2),
                                              ("cutjson", 2)])
def test_no_answers(look_up, label, times):
    """There is no other resolver here, and a lookup without a response is free."""
    answer, asked = look_up(label)
    assert (answer.status_code, answer.codes) == (502, ["upstream_unavailable"]), answer
    assert answer.headers["X-Credits-Charged"] == "0"
    assert asked == times
