"""tests/kit/ambiguous_http.py - requests that two HTTP parsers may read differently.

Each family is a function that yields rows: a name, the protocol, the bytes, and the allowed
outcomes: a set of statuses, with CLOSED if the edge may close the connection or stream without a
response. In every case the bytes must count as at most one request. The families cover what RFC
9112 and RFC 9113 leave to the implementation: the number of fields, the bytes in them, repeated
fields, and the length and end of a body.
"""

import dataclasses
import itertools
import json

from kit import frames

CLOSED = 0
REFUSED = {400, CLOSED}
EITHER = {200, *REFUSED}  # the edge may choose, as long as the bytes are at most one request
TOOL = "hash-generate"
BODY = b'{"input":"a"}'
LENGTH = ("Content-Length", str(len(BODY)))
CHUNKS = b"d\r\n" + BODY + b"\r\n0\r\n\r\n"
CHUNKED = ("Transfer-Encoding", "chunked")

FIELDS_MAX = 59  # deploy/edge/haproxy.cfg: more fields return 431
PARSED_MAX = 255  # tune.http.maxhdr of the edge, less the end mark: more fields close the connection
# Over HTTP/2, HAProxy 2.6 parses twice tune.http.maxhdr, less the end mark and the pseudo fields
# except :authority, which is Host; 3.0 parses as many as of HTTP/1.
PARSED_MAX_H2 = 508

_numbers = itertools.count(1)


@dataclasses.dataclass
class Row:
    name: str
    is_h2: bool
    data: bytes
    wanted: set
    id: str  # its X-Request-Id
    is_head: bool = False


class Writer:
    """Writes the usual paid call of an account, with the changes of a row."""

    def __init__(self, account):
        self.path = account.path(f"tools/{TOOL}")
        self.token = account.token

    def h1(self, name, fields, body, wanted, line=None, leave_out=()):
        id = f"row-{next(_numbers)}"
        head = [line or f"POST {self.path} HTTP/1.1"]
        head += [f"{name}: {value}" for name, value in (*self._ordinary(id, leave_out), *fields)]
        data = "".join(text + "\r\n" for text in (*head, "")).encode("latin-1") + body
        return Row(f"h1 {name}", False, data, wanted, id, head[0].startswith("HEAD"))

    def h2(self, name, fields, body, wanted, pseudo=None, leave_out=(), tail=b""):
        """body None: the stream ends with its head, unless frames follow it in `tail`."""
        id = f"row-{next(_numbers)}"
        ordinary = [(name.lower(), value) for name, value in self._ordinary(id, ("Host", *leave_out))]
        is_end = body is None and not tail
        data = frames.head([*(pseudo or self.pseudo()), *ordinary, *fields], frames.END_STREAM if is_end else 0)
        if body is not None:
            data += frames.body(body, 0 if tail else frames.END_STREAM)
        return Row(f"h2 {name}", True, data + tail, wanted, id)

    def both(self, name, fields, wanted, wanted_h2=None, body=BODY, length=None, **more):
        """The same call over either protocol; content-length is last, with the given value if there
        is one."""
        fields = [*fields, ("Content-Length", str(len(body)) if length is None else length)]
        yield self.h1(name, fields, body, wanted, **more)
        yield self.h2(name, [(n.lower(), v) for n, v in fields], body, wanted_h2 or wanted, **more)

    def pseudo(self, **changed):
        """The pseudo fields of HTTP/2, without those that are None."""
        values = {"method": "POST", "scheme": "https", "path": self.path, "authority": "localhost"} | changed
        return [(f":{name}", value) for name, value in values.items() if value is not None]

    def _ordinary(self, id, leave_out):
        fields = {"Host": "localhost", "Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                  "X-Request-Id": id}
        return [(name, value) for name, value in fields.items() if name not in leave_out]

    def prefix(self):
        """A body that begins a request. Its last field would swallow the first line of the next
        customer."""
        return (b"GET /v1/smuggled HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: smuggled\r\n"
                b"X-Forwarded-Proto: https\r\nX-Forwarded-For: 9.9.9.9\r\nX-Junk: ")

    def whole(self):
        """A body that is a paid call."""
        inner = json.dumps({"input": "somebody else chose this"}).encode()
        return (f"POST {self.path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: smuggled\r\n"
                f"X-Forwarded-Proto: https\r\nX-Forwarded-For: 9.9.9.9\r\nAuthorization: Bearer {self.token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(inner)}\r\n\r\n").encode() + inner


# -- number and size of fields --

COUNTS = [6, 20, 40, *range(57, 68), 70, 80, 90, 99, 100, 101, 115, 116, 120, 150, 200, 254, 255, 256, 300, 400,
          508, 509, 600, 1000]


def many_fields(write):
    for count in COUNTS:
        room = count - 5  # Host or :authority, three more common fields, and the length
        fields = [(f"x-{n}", "a") for n in range(room)]
        body = BODY if count <= FIELDS_MAX else write.prefix()
        length = ("content-length", str(len(body)))
        for is_last in (True, False):
            name = f"{count} fields, the length {'last' if is_last else 'first'}"
            order = [*fields, length] if is_last else [length, *fields]
            for make, parsed in ((write.h1, PARSED_MAX), (write.h2, PARSED_MAX_H2)):
                wanted = {200} if count <= FIELDS_MAX else {431} if count <= parsed else {CLOSED}
                if PARSED_MAX < count <= parsed:
                    wanted = {431, CLOSED}
                yield make(name, order, body, wanted)


def hidden_requests(write):
    """civetweb drops this many fields silently. The repeats make it likely that another customer's
    call is next."""
    for count in (61, 62, 63, 64, 65, 70, 80, 95, 100, 105):
        for body in (write.prefix(), write.whole()):
            length = ("content-length", str(len(body)))
            for make in (write.h1, write.h2):
                fields = [(f"x-{n}", "a") for n in range(count - 5)]
                yield make(f"{count} fields before a hidden request", [*fields, length], body, {431})


def large_fields(write):
    for size in (1000, 8000, 16000):
        yield from write.both(f"a field of {size} bytes", [("x-a", "a" * size)], {200})
    for size in (16384, 20000, 30000, 40000, 60000):
        yield from write.both(f"a field of {size} bytes", [("x-a", "a" * size)], {431})
        yield from write.both(f"a name of {size} bytes", [("x" * size, "a")], {431, CLOSED})
    for size in (100000, 200000):
        yield from write.both(f"a field of {size} bytes", [("x-a", "a" * size)], {431, CLOSED})
    for size in (8000, 8300, 20000, 60000):
        line = f"POST {write.path}?{'q' * size} HTTP/1.1"
        wanted = {200} if size == 8000 else {414, 431}
        yield write.h1(f"a query of {size} bytes", [LENGTH], BODY, wanted, line=line)
    yield from write.both("forty crumbs of a cookie", [("cookie", f"c{n}=1") for n in range(40)], {200})


# -- repeated fields --

SINGLE = {"Authorization": "Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": "key-{n}"}
OTHER = {
    "Authorization": ["Bearer tg_live_other", "Basic eDp5", "", "bearer {token}"],
    "Content-Type": ["text/plain", "application/json; charset=utf-8", "", "Application/JSON"],
    "Idempotency-Key": ["other", "", "KEY"],
}


def twice(write):
    for field, good in SINGLE.items():
        good = good.format(token=write.token, n=next(_numbers))
        yield from write.both(f"{field} twice the same", [(field, good)] * 2, {200}, leave_out=[field])
        yield write.h1(f"{field} in two spellings", [(field, good), (field.upper(), good), LENGTH], BODY, {200},
                       leave_out=[field])
        for other in OTHER[field]:
            other = other.format(token=write.token)
            for values in ((good, other), (other, good), (good, good, other)):
                fields = [(field, value) for value in values]
                yield from write.both(f"{field}: {' and '.join(values)[:60]}", fields, {400}, leave_out=[field])


NO_MATTER = [
    ("X-Forwarded-For", ["203.0.113.9"], {200}),
    ("X-Forwarded-For", ["203.0.113.9", "nobody"], {200}),
    ("X-Forwarded-Proto", ["http"], {200}),
    ("X-Forwarded-Proto", ["http", "https"], {200}),
    ("Forwarded", ["for=203.0.113.9;proto=http"] * 2, {200}),
    ("Accept", ["a/b", "c/d"], {200}),
    ("Cookie", ["a=1", "b=2"], {200}),
    ("Content-Encoding", ["gzip", "identity"], {415}),
    ("Content-Encoding", ["identity"], {415}),
    ("traceparent", ["x", "y"], {200}),
    ("TE", ["trailers"], {200}),
    ("Trailer", ["x-a", "x-b"], {200}),
    ("Content-Range", ["bytes 0-1/2"], {200}),
    ("Range", ["bytes=0-1"], {200}),
    ("Expect", ["100-continue"], {200}),
    ("Expect", ["100-continue", "else"], {200}),
    ("Expect", ["else"], {200}),
    ("If-None-Match", ["*"], {200}),
    ("Max-Forwards", ["0"], {200}),
    ("Via", ["1.1 a", "2 b"], {200}),
    ("X-HTTP-Method-Override", ["GET"], {200}),
    ("X-Original-URL", ["/livez"], {200}),
    ("X-Rewrite-URL", ["/livez"], {200}),
    ("X-Forwarded-Host", ["other"], {200}),
    ("Proxy-Authorization", ["x"], {200}),
    ("HTTP2-Settings", ["AAMAAABkAAQAAP__"], {200}),
]
CONNECTION = [  # between the client and the edge; HTTP/2 has none of them
    ("Connection", "close"),
    ("Connection", "keep-alive, x"),
    ("Connection", "content-length"),
    ("Connection", "x-forwarded-for, authorization"),
    ("Keep-Alive", "timeout=1"),
    ("Upgrade", "websocket"),
    ("Proxy-Connection", "close"),
]


def no_matter(write):
    """Fields that belong to the edge, and fields without a meaning here."""
    for name, values, wanted in NO_MATTER:
        yield from write.both(f"{name}: {', '.join(values)}", [(name, value) for value in values], wanted)
    for name, value in CONNECTION:
        yield from write.both(f"{name}: {value}", [(name, value)], {200}, {CLOSED})
    upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"), LENGTH]
    yield write.h1("an upgrade to a web socket", upgrade, BODY, {200, CLOSED})  # closed by HAProxy 3.0


# -- length of a body --

SAME = ["13", "013", " 13", "13 ", "\t13", "13, 13", "13,13,13"]
WRONG = ["+13", "-13", "-0", "13.0", "0xd", "1e1", "", " ", "13;", "13 13", "13,14", ",13", "13,", "a", "13a", "1_3",
         '"13"', "9223372036854775808", "18446744073709551629", "99999999999999999999"]
HUGE = ["16777217", "999999999", "2147483647", "2147483648", "4294967295", "4294967309", "9223372036854775807"]
ZEROS = ["0000000013"]  # the edge of HAProxy 2.6 takes it for a huge one, and that of 3.0 reads 13
PAIRS = [("13", "14"), ("14", "13"), ("13", "+13"), ("13", ""), ("0", "13")]


def lengths(write):
    for values, h1, h2 in ((SAME, {200}, {200, CLOSED}), (WRONG, {CLOSED}, {CLOSED}), (HUGE, {413}, {413, CLOSED}),
                           (ZEROS, {200, 413}, {200, 413, CLOSED})):
        for value in values:
            yield write.h1(f"Content-Length: {value!r}", [("Content-Length", value)], BODY, h1)
            yield write.h2(f"content-length: {value!r}", [("content-length", value)], BODY, h2)
    for first, second in PAIRS:
        yield from write.both(f"lengths {first!r} and {second!r}", [("Content-Length", first)], {CLOSED}, length=second)
    for first, second in (("13", "13"), ("13", "013")):
        yield from write.both(f"lengths {first} and {second}", [("Content-Length", first)], {200, CLOSED},
                              length=second)
    for value in ("0", "1", "12"):  # the rest is not a valid request, so the edge closes the connection
        yield write.h1(f"a length of {value} for 13", [("Content-Length", value)], BODY, {400})
    for value in ("0", "1", "12", "14", "100"):
        yield write.h2(f"a length of {value} for 13", [("content-length", value)], BODY, {CLOSED})
    for value in ("5", "13", "70000", "16777217"):
        yield write.h2(f"a length of {value} for no body", [("content-length", value)], None, {400, 413, CLOSED})
    for name in ("Content-Length ", "Content_Length", "Content-Length\t", "X-Content-Length"):
        yield write.h1(f"{name!r} with Content-Length", [(name, "4"), LENGTH], BODY, {200, CLOSED})
    yield write.h1("a length behind a fold", [("Content-Length", "\r\n 13")], BODY, {200})
    yield write.h1("a length cut by a fold", [("Content-Length", "1\r\n 3")], BODY, {CLOSED})


OTHER_CODINGS = ["", "identity", "xchunked", "chunkedx", "chunked, chunked", "chunked,", ",chunked", "gzip, chunked",
                 "chunked, gzip", "gzip", "chunked;q=1", '"chunked"', "chunked\x0b", "\x0bchunked", "chunked, identity",
                 "identity, chunked"]
IDENTITY = ("Transfer-Encoding", "identity")
MORE_CODINGS = [
    [CHUNKED, LENGTH],
    [LENGTH, CHUNKED],
    [CHUNKED, CHUNKED],
    [CHUNKED, IDENTITY],
    [IDENTITY, CHUNKED],
    [("Transfer-Encoding ", "chunked"), LENGTH],
    [("Transfer_Encoding", "chunked"), CHUNKED],
    [("Transfer-Encoding", "\r\n chunked")],
]


def codings(write):
    for value in ("chunked", "Chunked", "CHUNKED", " chunked", "chunked ", "\tchunked"):
        yield write.h1(f"Transfer-Encoding: {value!r}", [("Transfer-Encoding", value)], CHUNKS, {200})
    for value in OTHER_CODINGS:
        yield write.h1(f"Transfer-Encoding: {value!r}", [("Transfer-Encoding", value)], CHUNKS, EITHER)
        yield write.h2(f"transfer-encoding: {value!r}", [("transfer-encoding", value)], BODY, {CLOSED})
    for fields in MORE_CODINGS:
        yield write.h1(f"{fields}", fields, CHUNKS, EITHER)
    for name in ("transfer-encoding", "Transfer-Encoding", "transfer-encodinG"):
        yield write.h2(f"{name} with a length", [(name, "chunked"), ("content-length", "13")], BODY, {CLOSED})


CHUNK_FORMS = [
    ("lower case", b"d\r\n%s\r\n0\r\n\r\n", {200}),
    ("upper case", b"D\r\n%s\r\n0\r\n\r\n", {200}),
    ("zeros before", b"000d\r\n%s\r\n0000\r\n\r\n", {200}),
    ("an extension", b"d;a=b\r\n%s\r\n0;c\r\n\r\n", {200}),
    ("a quoted extension", b'd;a="\r\n\r\n%s\r\n0\r\n\r\n', EITHER),
    ("a long extension", b"d;" + b"a" * 3000 + b"\r\n%s\r\n0\r\n\r\n", {200}),
    ("blanks behind", b"d  \r\n%s\r\n0\r\n\r\n", EITHER),
    ("a blank before", b" d\r\n%s\r\n0\r\n\r\n", EITHER),
    ("line feeds alone", b"d\n%s\n0\n\n", EITHER),
    ("a line feed behind the size", b"d\n%s\r\n0\r\n\r\n", EITHER),
    ("a return alone", b"d\r%s\r\n0\r\n\r\n", REFUSED),
    ("no end behind the data", b"d\r\n%s0\r\n\r\n", REFUSED),
    ("a plus", b"+d\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("a minus", b"-d\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("0x", b"0xd\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("no size", b"\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("one too small", b"c\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("one too large, ended by a line feed alone", b"e\r\n%s\r\n0\r\n\r\n", EITHER),
    ("two too large", b"f\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("beyond 64 bits", b"1000000000000000d\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("an underscore", b"d_\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("NUL", b"d\0\r\n%s\r\n0\r\n\r\n", REFUSED),
    ("no last chunk, a request in its place", b"d\r\n%s\r\nGET /v1/smuggled HTTP/1.1\r\n\r\n", REFUSED),
]


def chunks(write):
    for name, form, wanted in CHUNK_FORMS:
        yield write.h1(f"chunks: {name}", [CHUNKED], form % BODY, wanted)
    for size in (1, 2, 5, 12):
        parts = [BODY[at:at + size] for at in range(0, len(BODY), size)]
        data = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))
        yield write.h1(f"chunks of {size}", [CHUNKED], data, {200})


TRAILERS = [
    ("one", [("x-a", "b")], {200}),
    ("an empty one", [("x-a", "")], {200}),
    ("twenty", [(f"x-{n}", "b") for n in range(20)], {200}),
    ("seventy", [(f"x-{n}", "b") for n in range(70)], EITHER),
    ("a long one", [("x-a", "b" * 5000)], EITHER),
    ("an address", [("x-forwarded-for", "203.0.113.9")], EITHER),
    ("a token", [("authorization", "Bearer x")], EITHER),
    ("a length", [("content-length", "100")], EITHER),
    ("a coding", [("transfer-encoding", "chunked")], EITHER),
    ("a host", [("host", "other")], EITHER),
    ("a connection", [("connection", "close")], EITHER),
    ("a method", [(":method", "GET")], REFUSED),
    ("a request", [("get /v1/smuggled http/1.1", "x")], EITHER),
    ("a line feed", [("x-a", "b\nGET /v1/smuggled HTTP/1.1")], REFUSED),
    ("a capital", [("X-A", "b")], EITHER),
]


def trailers(write):
    """civetweb does not read them, and closes the shared connection without announcing it."""
    for name, fields, wanted in TRAILERS:
        lines = b"".join(f"{n}: {v}\r\n".encode("latin-1") for n, v in fields)
        end = frames.head(fields, frames.END_STREAM)
        for _ in range(4):
            yield write.h1(f"trailers: {name}", [CHUNKED], b"d\r\n" + BODY + b"\r\n0\r\n" + lines + b"\r\n", wanted)
            yield write.h2(f"trailers: {name}", [], BODY, wanted, tail=end)
        yield write.h2(f"trailers: {name}, behind a length", [("content-length", "13")], BODY, wanted, tail=end)


_SPLIT = frames.body(BODY[:5], 0) + frames.body(BODY[5:])
_PADDED = frames.frame(frames.DATA, frames.PADDED | frames.END_STREAM, b"\7" + BODY + bytes(7))
_PAD_TOO_LONG = frames.frame(frames.DATA, frames.PADDED | frames.END_STREAM, b"\xff" + BODY)
_CANCEL = frames.frame(frames.RST_STREAM, 0, bytes([0, 0, 0, 8])) + frames.frame(frames.GOAWAY, 0, bytes(8), stream=0)
STREAM_FORMS = [
    ("two frames", _SPLIT, {200}),
    ("an empty frame first", frames.body(b"", 0) + frames.body(BODY), {200}),
    ("an empty frame last", frames.body(BODY, 0) + frames.body(b""), {200}),
    ("padding", _PADDED, {200, CLOSED}),  # HAProxy 2.6 passes the request on, then closes the connection
    ("padding longer than the frame", _PAD_TOO_LONG, {CLOSED}),
    ("data behind the end", frames.body(BODY) + frames.body(b"GET /v1/smuggled HTTP/1.1\r\n\r\n"), {200, CLOSED}),
    ("a head behind the end", frames.body(BODY) + frames.head([("x-a", "b")], frames.END_STREAM), {200, CLOSED}),
    ("trailers that end nothing", frames.body(BODY, 0) + frames.head([("x-a", "b")]), EITHER),
    ("half a body and a reset", frames.body(BODY[:5], 0) + _CANCEL, {CLOSED}),
]


def stream_forms(write):
    """Ways to cut a body into frames, RFC 9113 6.1, 8.1."""
    for name, tail, wanted in STREAM_FORMS:
        yield write.h2(f"{name}, no length", [], None, wanted, tail=tail)
        yield write.h2(f"{name}, a length", [("content-length", "13")], None, wanted, tail=tail)
    for size in (0, 12, 14, 100):
        yield write.h2(f"a body of {size} for a length of 13", [("content-length", "13")], b"a" * size, {CLOSED})


# -- bytes in names and values --

ODD_BYTES = [0, 1, 8, 9, 10, 11, 12, 13, 31, 32, 127, 128, 160, 173, 255, *map(ord, ':;,"(/@[{=?<\\')]


def odd_names(write):
    for byte in map(chr, ODD_BYTES):
        for name in (byte + "x-forwarded-for", "x-forw" + byte + "arded-for", "x-forwarded-for" + byte):
            is_end = byte in "\n\r" or (byte == ":" and name[0] != ":")  # the length of a line, or of a shorter name
            fields = [LENGTH, (name, "203.0.113.9")]
            yield write.h1(f"{name!r}", fields, BODY, EITHER if is_end else REFUSED)
            yield write.h2(f"{name!r}", [(n.lower(), v) for n, v in fields], BODY, {CLOSED})
    for name in ("X-Forwarded-For", "content-Length", "authoriZation", "A", ""):  # HAProxy 2.6 ignores a Z
        yield write.h2(f"{name!r}", [(name, "203.0.113.9"), ("content-length", "13")], BODY, REFUSED)


LINES_INSIDE = ["\r\nX-Forwarded-For: 203.0.113.9", "\r\nContent-Length: 0", "\n\nGET /v1/smuggled HTTP/1.1",
                "\r\n\r\nGET /v1/smuggled HTTP/1.1"]


def odd_values(write):
    for byte in map(chr, ODD_BYTES[:15]):
        wanted = {200} if byte >= "\x80" or byte == " " else EITHER if byte in "\t\r\n" else REFUSED
        for value in (byte + "ab", "a" + byte + "b", "ab" + byte):
            yield from write.both(f"a value {value!r}", [("x-a", value)], wanted)
        token = f"Bearer {write.token[:9]}{byte}{write.token[9:]}"
        yield from write.both(f"a token with {byte!r}", [("Authorization", token)], {403, *REFUSED},
                              leave_out=["Authorization"])
    for line in LINES_INSIDE:
        yield write.h2(f"a value with {line!r}", [("x-a", "b" + line), ("content-length", "13")], BODY, {CLOSED})


# -- the first line, and its equivalent in HTTP/2 --


FIRST_LINES = [  # PATH is replaced by the path of the call
    ("POST PATH HTTP/1.0", {200}),
    ("POST PATH HTTP/1.1", {200}),
    ("POST PATH HTTP/1.2", {400}),
    ("POST PATH HTTP/2.0", {400}),
    ("POST PATH HTTP/0.9", REFUSED),
    ("POST PATH http/1.1", {CLOSED}),
    ("POST PATH HTTP/1.1 ", EITHER),
    ("POST  PATH HTTP/1.1", EITHER),
    ("POST\tPATH\tHTTP/1.1", EITHER),
    (" POST PATH HTTP/1.1", REFUSED),
    ("\r\n\r\nPOST PATH HTTP/1.1", {200}),
    ("POST PATH#a HTTP/1.1", REFUSED),
    ("POST PATH?a#b HTTP/1.1", REFUSED),
    ("POST PATH?a?b&c HTTP/1.1", {200}),
    ("POST PATH%20 HTTP/1.1", {404}),
    ("POST PATH%00 HTTP/1.1", {400}),
    ("POST PATH/ HTTP/1.1", {404}),
    ("POST /PATH HTTP/1.1", {404}),
    ("POST https://localhostPATH HTTP/1.1", {200}),
    ("POST http://localhostPATH HTTP/1.1", {200}),
    ("POST ftp://localhostPATH HTTP/1.1", EITHER),
    ("POST https://otherPATH HTTP/1.1", REFUSED),
    ("POST //localhostPATH HTTP/1.1", {404}),
    ("POST * HTTP/1.1", REFUSED),
    ("POST localhost:443 HTTP/1.1", REFUSED),
    ("post PATH HTTP/1.1", {405}),
    ("PUT PATH HTTP/1.1", {405}),
    ("GET PATH HTTP/1.1", {405}),
    ("HEAD PATH HTTP/1.1", {405}),
    ("PRI PATH HTTP/1.1", {405, *REFUSED}),
    ("CONNECT PATH HTTP/1.1", REFUSED | {405}),
    ("P\0OST PATH HTTP/1.1", REFUSED),
    ("POST PATH\xe9 HTTP/1.1", REFUSED),
    ("POST PATH\0 HTTP/1.1", REFUSED),
    ("POST PATH\x7f HTTP/1.1", REFUSED),
    ("POST /v1/../PATH HTTP/1.1", {404}),
    ("POST /v1/%2e%2e/livez HTTP/1.1", {404}),
    ("POST /v1\\livez HTTP/1.1", {404, 400}),
]


def first_lines(write):
    for line, wanted in FIRST_LINES:
        yield write.h1(f"{line!r}", [LENGTH], BODY, wanted, line=line.replace("PATH", write.path))
    for method in ("GET", "HEAD"):
        for body in (write.prefix(), write.whole()):
            name, length = f"{method} with a request for a body", ("Content-Length", str(len(body)))
            yield write.h1(name, [length], body, {200}, line=f"{method} /livez HTTP/1.1")
            yield write.h2(name, [], body, {200}, pseudo=write.pseudo(method=method, path="/livez"))


PSEUDO_FIELDS = [
    ({"method": None}, {CLOSED}),
    ({"scheme": None}, {CLOSED}),
    ({"path": None}, {CLOSED}),
    ({"authority": None}, {400}),
    ({"status": "200"}, {CLOSED}),
    ({"unknown": "x"}, {CLOSED}),
    ({"method": ""}, {CLOSED}),
    ({"method": "post"}, {405}),
    ({"method": "PO ST"}, REFUSED),
    ({"method": "POST\r\n"}, {CLOSED}),
    ({"method": "GET /v1/smuggled HTTP/1.1\r\nX: "}, {CLOSED}),
    ({"method": "POST\xe9"}, REFUSED),
    ({"method": "PUT"}, {405}),
    ({"method": "PRI"}, {405, CLOSED}),
    ({"path": ""}, {CLOSED}),
    ({"path": "*"}, {404, *REFUSED}),
    ({"path": "livez"}, REFUSED),
    ({"path": "PATH HTTP/1.1\r\nX: y"}, {CLOSED}),
    ({"path": "PATH "}, REFUSED),
    ({"path": "PATH\t"}, REFUSED),
    ({"path": "PATH\0"}, REFUSED),
    ({"path": "PATH#a"}, REFUSED),
    ({"path": "PATH\x7f"}, REFUSED),
    ({"path": "PATH\x80"}, REFUSED),
    ({"path": "PATH\xff"}, REFUSED),
    ({"path": "PATH?\xe9"}, REFUSED),
    ({"path": "PATH?a?b"}, {200}),
    ({"path": "/PATH"}, {404}),
    ({"path": "https://localhostPATH"}, REFUSED),
    ({"path": "/v1/%00"}, {400}),
    ({"scheme": "http"}, {200}),
    ({"scheme": "HTTPS"}, {200}),
    ({"scheme": "ftp"}, EITHER),
    ({"scheme": ""}, REFUSED),
    ({"scheme": "ht tp"}, REFUSED),
    ({"scheme": "https://other/x?"}, REFUSED),
    ({"authority": ""}, {400}),
    ({"authority": "a b"}, REFUSED),
    ({"authority": "a, b"}, REFUSED),
    ({"authority": "a@b"}, REFUSED),
    ({"authority": "localhost/v1/smuggled?"}, REFUSED),
    ({"authority": "a\r\nX: y"}, {CLOSED}),
    ({"authority": "\xe9"}, REFUSED),
    ({"authority": "[::1]:443"}, {200}),
]


def pseudo_fields(write):
    length, plain = [("content-length", "13")], write.pseudo()
    for changed, wanted in PSEUDO_FIELDS:
        values = {name: value and value.replace("PATH", write.path) for name, value in changed.items()}
        yield write.h2(f"{changed}", length, BODY, wanted, pseudo=write.pseudo(**values))
    for name, pseudo, wanted in (
        ("one twice", [*plain, plain[2]], {CLOSED}),
        ("one behind a field", [*plain[:3], ("x-a", "b"), plain[3]], {CLOSED}),
        ("Host with them", [*plain, ("host", "localhost")], {200}),
        ("another Host with them", [*plain, ("host", "other")], {200}),
        ("Host for :authority", [*plain[:3], ("host", "localhost")], {200}),
        ("two Hosts for :authority", [*plain[:3], ("host", "localhost"), ("host", "other")], EITHER),
        ("a bad Host for :authority", [*plain[:3], ("host", "a b")], REFUSED),
    ):
        yield write.h2(f"pseudo fields, {name}", length, BODY, wanted, pseudo=pseudo)


def tunnels(write):
    """CONNECT, and extended CONNECT (RFC 8441), which HAProxy 2.6 turns into a GET with Upgrade.
    3.0 closes the stream unless it is for a web socket."""
    for protocol in ("websocket", "WebSocket", "h2c", "connect-udp", "x\r\ny"):
        pseudo = write.pseudo(method="CONNECT", protocol=protocol)
        wanted = {CLOSED} if "\r" in protocol else {405} if protocol.lower() == "websocket" else {405, CLOSED}
        for body in (None, b"", write.prefix(), write.whole()):
            yield write.h2(f"extended CONNECT {protocol!r}, {len(body or b'')} bytes", [], body, wanted, pseudo=pseudo)
    yield write.h2("extended CONNECT with a length", [("content-length", "13")], BODY, {405, CLOSED},
                   pseudo=write.pseudo(method="CONNECT", protocol="websocket"))
    tunnel = write.pseudo(method="CONNECT", scheme=None, path=None)
    yield write.h2("CONNECT", [], write.prefix(), {405}, pseudo=tunnel)
    yield write.h2("CONNECT with a path", [], None, {CLOSED}, pseudo=[*tunnel, (":path", "/livez")])


FAMILIES = [many_fields, hidden_requests, large_fields, twice, no_matter, lengths, codings, chunks, trailers,
            stream_forms, odd_names, odd_values, first_lines, pseudo_fields, tunnels]
