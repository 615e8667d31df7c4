"""deploy/local/mailbox.py HOST:PORT MAILDIR - a mail server that stores all mail in MAILDIR.

The relay of a local stack: it speaks SMTP and forwards nothing. Each message becomes a file in
MAILDIR/new, unchanged, with X-Envelope-From and X-Envelope-To in front.
"""

import asyncio
import itertools
import os
import signal
import sys
import time
from pathlib import Path

from aiosmtpd.smtp import SMTP

MESSAGE_MAX_BYTES = 1 << 20


class Keeper:
    """The handler that aiosmtpd calls for each message. It writes the Maildir itself: the standard
    library's module has the same name as this file."""

    def __init__(self, maildir):
        self.maildir = Path(maildir)
        self.numbers = itertools.count(1)
        for folder in ("cur", "new", "tmp"):
            (self.maildir / folder).mkdir(parents=True, exist_ok=True)

    def keep(self, envelope):
        """Writes into tmp, then renames into new, so that readers never see a partial message."""
        head = "".join(f"X-Envelope-{name}: {value}\r\n" for name, value in
                       [("From", envelope.mail_from), ("To", ", ".join(envelope.rcpt_tos))])
        name = f"{time.time_ns()}.{os.getpid()}_{next(self.numbers)}.mailbox"
        (self.maildir / "tmp" / name).write_bytes(head.encode() + envelope.content)
        (self.maildir / "tmp" / name).rename(self.maildir / "new" / name)

    async def handle_DATA(self, server, session, envelope):
        self.keep(envelope)
        return "250 kept"


def protocol(keeper, **more):
    """The SMTP protocol of one connection."""
    return SMTP(keeper, hostname="mailbox.test", data_size_limit=MESSAGE_MAX_BYTES, **more)


async def serve(host, port, keeper):
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    await loop.create_server(lambda: protocol(keeper), host, port)
    await stopped.wait()


def main(place, maildir):
    host, _, port = place.rpartition(":")
    asyncio.run(serve(host, int(port), Keeper(maildir)))


if __name__ == "__main__":
    main(*sys.argv[1:])
