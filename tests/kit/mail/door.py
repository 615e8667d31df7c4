"""tests/kit/mail/door.py - the clear-text part of a mail server: it talks until the client asks for
TLS, then passes the connection on to a TLS server. It records every command."""

import contextlib
import dataclasses
import socket
import threading

HERE = "127.0.0.1"

# The greeting, and the response to each command of the client; TLS follows the last response.
TALKS = {
    "smtp": (b"220-mail.example ESMTP\r\n220 ready\r\n",
             [(b"EHLO", b"250-mail.example\r\n250-SIZE 1000\r\n250 STARTTLS\r\n"), (b"STARTTLS", b"220 go ahead\r\n")]),
    "imap": (b"* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n",
             [(b"a1 STARTTLS", b"* CAPABILITY IMAP4rev1\r\na1 OK begin\r\n")]),
    "pop3": (b"+OK POP3 ready\r\n", [(b"STLS", b"+OK begin\r\n")]),
}
REFUSALS = {"smtp": b"454 not now\r\n", "imap": b"a1 NO not now\r\n", "pop3": b"-ERR not now\r\n"}


@dataclasses.dataclass
class Door:
    protocol: str
    backend: int             # the port of the TLS server
    refuses: bool = False    # TLS is not available
    greeting: bytes = None   # instead of the usual one
    drips: bool = False      # a byte a packet

    def __post_init__(self):
        self.heard = []
        self.connections = 0
        self.listener = socket.create_server((HERE, 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            connection, _ = self.listener.accept()
            self.connections += 1
            threading.Thread(target=self._hold, args=(connection,), daemon=True).start()

    def _hold(self, connection):
        with connection:
            try:
                if self._talk(connection):
                    self._pass_on(connection)
            except OSError:
                pass  # the client has closed the connection

    def _say(self, connection, words):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in ([words[i:i + 1] for i in range(len(words))] if self.drips else [words]):
            connection.sendall(piece)

    def _talk(self, connection):
        greeting, steps = TALKS[self.protocol]
        self._say(connection, greeting if self.greeting is None else self.greeting)
        for word, answer in steps:
            line = b""
            while not line.endswith(b"\n"):
                byte = connection.recv(1)
                if not byte:
                    return False
                line += byte
            self.heard.append(line)
            is_last = word == steps[-1][0]
            if not line.startswith(word) or (is_last and self.refuses):
                self._say(connection, REFUSALS[self.protocol])
                return False
            self._say(connection, answer)
        return True

    def _pass_on(self, connection):
        with socket.create_connection((HERE, self.backend), 5) as backend:
            back = threading.Thread(target=self._copy, args=(backend, connection), daemon=True)
            back.start()
            self._copy(connection, backend)
            back.join(10)

    @staticmethod
    def _copy(source, sink):
        """Until one side closes; then neither waits for more."""
        try:
            while data := source.recv(4096):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, sink):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
