"""tests/kit/raw.py - bytes on the wire, for what no HTTP library would send."""

import http.client
import io
import socket

import h2.config
import h2.connection
import h2.events

from kit.client import Answer, TIMEOUT_S

# Sent after the bytes under test. The server responds to it and closes the connection if, and only
# if, it still knows where requests begin. So every exchange ends with a close by the server,
# without a wait.
SENTINEL = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def connect(address, host, port):
    return socket.create_connection((host, port), timeout=TIMEOUT_S, source_address=(address, 0))


def connect_tls(site, address, alpn=("http/1.1",), context=None):
    context = context or site.trust(alpn)
    return context.wrap_socket(connect(address, "127.0.0.1", site.tls_port), server_hostname="localhost")


def read_to_end(line):
    """All bytes until the peer closes; a reset counts as a close."""
    received = b""
    try:
        while chunk := line.recv(65536):
            received += chunk
    except ConnectionResetError:
        pass
    return received


def send_all(line, data):
    """Send; the peer may close before it has received everything."""
    try:
        line.sendall(data)
    except (BrokenPipeError, ConnectionResetError, OSError):
        pass


def exchange(line, data, sentinel=SENTINEL, is_head=False):
    """Send data and the sentinel, return all responses in order; is_head: the first has no body."""
    with line:
        send_all(line, data + sentinel)
        return parse(read_to_end(line), is_head)


class _Received(io.BytesIO):
    """A socket for http.client.HTTPResponse. Responses follow one another, so close() keeps it
    open."""

    def makefile(self, _mode):
        return self

    def close(self):
        pass


def read_answer(line):
    """The next response, also if the connection stays open."""
    response = http.client.HTTPResponse(line)
    response.begin()
    return Answer(response.status, response.headers, response.read())


def parse(received, is_head=False):
    """Split the bytes of one connection into its final responses, without 1xx."""
    stream = _Received(received)
    answers = []
    while stream.tell() < len(received):
        response = http.client.HTTPResponse(stream, method="HEAD" if is_head and not answers else None)
        response.begin()
        answers.append(Answer(response.status, response.headers, response.read()))
    return answers


class H2:
    """An HTTP/2 client: requests one after the other, or left half sent."""

    def __init__(self, site, address):
        self._line = connect_tls(site, address, alpn=("h2",))
        assert self._line.selected_alpn_protocol() == "h2"
        self._http = h2.connection.H2Connection(h2.config.H2Configuration(
            header_encoding="utf-8", validate_outbound_headers=False, normalize_outbound_headers=False))
        self._http.initiate_connection()
        self._flush()

    def begin(self, method, path, headers=(), end=False):
        """Send the head of a request; returns its stream."""
        stream = self._http.get_next_available_stream_id()
        self._http.send_headers(stream, [(":method", method), (":scheme", "https"), (":path", path),
                                         (":authority", "localhost"), *headers], end_stream=end)
        self._flush()
        return stream

    def send(self, stream, data, end=False):
        """Send a part of the body, as far as the peer's window allows."""
        while data:
            room = min(self._http.local_flow_control_window(stream), self._http.max_outbound_frame_size)
            if room == 0:
                self._receive()
                continue
            self._http.send_data(stream, data[:room])
            data = data[room:]
            self._flush()
        if end:
            self._http.end_stream(stream)
            self._flush()

    def reset(self, stream):
        self._http.reset_stream(stream)
        self._flush()

    def answer(self, stream):
        status, headers, body = 0, http.client.HTTPMessage(), b""
        while True:
            for event in self._receive():
                if getattr(event, "stream_id", None) != stream:
                    continue
                if isinstance(event, h2.events.ResponseReceived):
                    fields = dict(event.headers)
                    status = int(fields.pop(":status"))
                    for name, value in fields.items():
                        headers[name] = value
                elif isinstance(event, h2.events.DataReceived):
                    body += event.data
                    self._http.acknowledge_received_data(event.flow_controlled_length, stream)
                    self._flush()
                elif isinstance(event, h2.events.StreamReset):
                    raise ConnectionResetError(f"stream {stream} was reset")
                elif isinstance(event, h2.events.StreamEnded):
                    return Answer(status, headers, body)

    def close(self):
        self._line.close()

    def _receive(self):
        data = self._line.recv(65536)
        if not data:
            raise ConnectionResetError("the peer closed")
        events = self._http.receive_data(data)
        self._flush()
        return events

    def _flush(self):
        self._line.sendall(self._http.data_to_send())
