"""tests/kit/portal/mailbox.py - reads what deploy/local/mailbox.py stored, and a relay that
misbehaves on request."""

import asyncio
import dataclasses
import email
import email.message
import email.policy
import importlib.util
import re
import ssl
import threading
from pathlib import Path

from part import wait_for

SOURCE = Path(__file__).resolve().parents[3]
LINK = re.compile(r"https://\S+/portal/(?:verify|reset|email|invoice-email)/\S+")


def load_server():
    """deploy/local/mailbox.py, a program outside of any package."""
    spec = importlib.util.spec_from_file_location("local_mailbox", SOURCE / "deploy/local/mailbox.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclasses.dataclass(frozen=True)
class Letter:
    """A message as it was stored."""

    message: email.message.EmailMessage

    @property
    def to(self):
        return self.message["X-Envelope-To"]

    @property
    def subject(self):
        return self.message["Subject"]

    @property
    def id(self):
        return self.message["Message-ID"]

    @property
    def text(self):
        return self.message.get_body(("plain",)).get_content().replace("\r\n", "\n")

    @property
    def html(self):
        return self.message.get_body(("html",)).get_content().replace("\r\n", "\n")

    @property
    def link(self):
        """The link of the portal in it; None if there is none."""
        found = LINK.search(self.text)
        return found and found[0]


class Mailbox:
    """A Maildir, read only: any number of readers can use it."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def letters(self, to=None, subject=None):
        """The emails to an address whose subject contains these words, oldest first."""
        files = sorted((self.folder / "new").glob("*"))  # a name begins with the time
        all_letters = [Letter(email.message_from_bytes(file.read_bytes(), policy=email.policy.default))
                       for file in files]
        return [letter for letter in all_letters
                if (to is None or letter.to == to) and (subject is None or subject in letter.subject)]

    def wait(self, to=None, subject=None, count=1, seconds=10):
        """The same, waiting for a number of emails; Failure after the timeout."""
        wait_for(lambda: len(self.letters(to, subject)) >= count, seconds, f"{count} letters to {to} about {subject}")
        return self.letters(to, subject)


# The faults of a relay, and their stages.
GREETS_554, BUSY_421, BUSY_450, UNKNOWN_550, REFUSES_554, WANTS_LOGIN_530, HANGS, DROPS_AT_DATA, DROPS_AFTER_250, \
    HANGS_AT_QUIT = ("greets 554", "421", "450", "550", "554 after data", "530", "hangs", "drops at data",
                     "drops after 250", "hangs at QUIT")


def make_keeper(relay, maildir):
    """aiosmtpd's handler, which asks the relay for the behavior each time."""
    server_module = load_server()

    class Moody(server_module.Keeper):
        async def handle_MAIL(self, server, session, envelope, address, options):
            answers = {BUSY_421: "421 busy", WANTS_LOGIN_530: "530 login first"}
            if relay.manner in answers:
                return relay.misbehave(answers[relay.manner])
            envelope.mail_from = address
            return "250 sender"

        async def handle_RCPT(self, server, session, envelope, address, options):
            answers = {UNKNOWN_550: "550 nobody here", BUSY_450: "450 not now"}
            if relay.manner in answers:
                return relay.misbehave(answers[relay.manner])
            envelope.rcpt_tos.append(address)
            return "250 recipient"

        async def handle_DATA(self, server, session, envelope):
            manner = relay.manner
            if manner in (HANGS, DROPS_AT_DATA, REFUSES_554):
                relay.misbehave("")
            if manner == HANGS:
                await asyncio.sleep(3600)
            if manner == REFUSES_554:
                return "554 not this one"
            if manner != DROPS_AT_DATA:
                self.keep(envelope)
            if manner in (DROPS_AT_DATA, DROPS_AFTER_250):
                server.transport.abort()
            if manner == DROPS_AFTER_250:
                relay.misbehave("")
            return "250 kept"

        async def handle_QUIT(self, server, session, envelope):
            if relay.manner == HANGS_AT_QUIT:
                relay.misbehave("")
                await asyncio.sleep(3600)
            return "221 farewell"

    return server_module, Moody(maildir)


class Relay:
    """A mail server in this process. It misbehaves by `manner` as often as `times` says, then works
    again; None: always. With certificates it offers STARTTLS, or speaks TLS at once."""

    def __init__(self, maildir, host="127.0.0.1", tls=None, is_tls_at_once=False, user=None):
        self.maildir, self.host, self.user = Path(maildir), host, user
        self.manner, self.times, self.misbehaved = "", None, 0
        self.lock = threading.Lock()
        self.mailbox = Mailbox(maildir)
        self.module, self.keeper = make_keeper(self, maildir)
        self.tls = tls
        self.is_tls_at_once = is_tls_at_once
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(self._listen(0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def be(self, manner, times=None):
        with self.lock:
            self.manner, self.times, self.misbehaved = manner, times, 0

    def misbehave(self, answer):
        """Count one fault; returns the response for the caller to send."""
        with self.lock:
            self.misbehaved += 1
            if self.times is not None and self.misbehaved >= self.times:
                self.manner = ""
        return answer

    async def _listen(self, port):
        at_once = self.tls if self.is_tls_at_once else None
        return await self.loop.create_server(self._protocol, self.host, port, ssl=at_once)

    def shut(self):
        """From now on nothing listens."""
        self.loop.call_soon_threadsafe(self.server.close)

    def open(self):
        """Listen again, if nothing does."""
        if self.server.is_serving():
            return
        self.server = asyncio.run_coroutine_threadsafe(self._listen(self.port), self.loop).result()

    def _protocol(self):
        if self.manner == GREETS_554:
            self.misbehave("")
            return Unfriendly()
        more = {}
        if self.tls and not self.is_tls_at_once:
            more["tls_context"] = self.tls
        if self.user:
            more |= {"authenticator": self._is_login_right, "auth_require_tls": False, "auth_required": True}
        return self.module.protocol(self.keeper, **more)

    def _is_login_right(self, server, session, envelope, mechanism, data):
        from aiosmtpd.smtp import AuthResult
        return AuthResult(handled=False, success=(data.login.decode(), data.password.decode()) == self.user)

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()


class Unfriendly(asyncio.Protocol):
    """Sends 554 and closes the connection."""

    def connection_made(self, transport):
        transport.write(b"554 no service\r\n")
        transport.close()


def tls_context(certificate_file, key_file):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    return context
