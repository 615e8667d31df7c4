"""tests/bench/guesses.py HOST PORT ADDRESSES RATE - sign-ins that guess, from ADDRESSES addresses,
RATE a second.

Each address has one connection to the edge and its own form. Each guess is for another email
address, so only address limits apply. Prints a line when all are connected, guesses until the end
of its standard input, and prints the number of responses by status, as JSON.
"""

import asyncio
import collections
import json
import re
import resource
import ssl
import sys
from urllib.parse import urlencode

HEAD = "Host: localhost\r\nUser-Agent: guesses\r\nSec-Fetch-Site: same-origin\r\n"
MARK = re.compile(rb'name="csrf" value="([^"]+)"')
COOKIE = re.compile(rb"Set-Cookie: (__Host-form=[^;]+)", re.IGNORECASE)
SPARE_FILES = 64


class Guesser:
    """One address."""

    def __init__(self, number):
        self.address = f"127.8.{number // 250}.{number % 250 + 1}"
        self.statuses = collections.Counter()
        self._guesses = 0

    async def begin(self, host, port, trust):
        self._reader, self._writer = await asyncio.open_connection(host, port, ssl=trust, local_addr=(self.address, 0))
        head, body = await self._ask(f"GET /portal/sign-in HTTP/1.1\r\n{HEAD}\r\n")
        self._cookie, self._mark = COOKIE.search(head)[1].decode(), MARK.search(body)[1].decode()

    async def guess(self):
        self._guesses += 1
        form = urlencode({"csrf": self._mark, "email": f"guess{self._guesses}@{self.address}.example.com",
                          "password": "a wrong password that is long"})
        head, _ = await self._ask(f"POST /portal/sign-in HTTP/1.1\r\n{HEAD}Cookie: {self._cookie}\r\n"
                                  "Content-Type: application/x-www-form-urlencoded\r\n"
                                  f"Content-Length: {len(form)}\r\n\r\n{form}")
        self.statuses[int(head.split(b" ", 2)[1])] += 1

    async def _ask(self, request):
        self._writer.write(request.encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1])
        return head, await self._reader.readexactly(size)


async def repeat(guesser, first_s, every_s):
    """At the given rate, whatever a response takes, if it takes less than the pause to the next."""
    clock = asyncio.get_running_loop()
    due = clock.time() + first_s
    while True:
        await asyncio.sleep(max(0, due - clock.time()))
        await guesser.guess()
        due = max(due + every_s, clock.time())


async def main():
    host, port, addresses, rate = sys.argv[1], *map(int, sys.argv[2:])
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(addresses + SPARE_FILES, most), most))
    trust = ssl.create_default_context()
    trust.check_hostname = False
    trust.verify_mode = ssl.CERT_NONE  # the portal is measured, not its certificate
    guessers = [Guesser(n) for n in range(addresses)]
    for guesser in guessers:
        await guesser.begin(host, port, trust)
    print("connected", flush=True)
    tasks = [asyncio.create_task(repeat(guesser, n / rate, addresses / rate)) for n, guesser in enumerate(guessers)]
    end = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await asyncio.wait([end, *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        if task.done():
            task.result()  # it failed
        task.cancel()
    print(json.dumps(sum((guesser.statuses for guesser in guessers), collections.Counter())))


if __name__ == "__main__":
    asyncio.run(main())
