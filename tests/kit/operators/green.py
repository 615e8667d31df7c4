"""tests/kit/operators/green.py READY ADDRESS LOG - a list of green hosts on port 8000: GET
/greencheck/<host>, in the form of the Green Web Foundation. The first label of the host selects the
behavior:

    green      green, with a provider               grey    not green
    down       500                                  slow    nothing for a minute
    garbage    not JSON                             odd     green is a word
    long       a provider of 300 characters         huge    a megabyte

Any other host is green. Each request is a line of LOG. On port 80 it is a site without https:
nothing listens on 443.
"""

import asyncio
import contextlib
import json
import sys
from pathlib import Path

ANSWERS = {
    "grey": {"green": False, "url": "x"},
    "odd": {"green": "yes"},
    "long": {"green": True, "hosted_by": "ü" * 300},
    "huge": {"green": True, "hosted_by": "x" * (1 << 20)},
}


def answer(label):
    body = json.dumps(ANSWERS.get(label, {"green": True, "hosted_by": "Windmill Hosting", "url": "x"})).encode()
    if label == "garbage":
        body = b"<html>green</html>"
    status = "500 No" if label == "down" else "200 OK"
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return (head + "Connection: close\r\n\r\n").encode() + body


async def main(ready, address, log):
    async def handle(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            line = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[0]
            host = line.split(" ")[1].removeprefix("/greencheck/")
            with Path(log).open("a") as out:
                out.write(f"{host}\n")
            if host.startswith("slow."):
                await asyncio.sleep(60)
            writer.write(answer(host.split(".")[0]))
            await writer.drain()
        writer.close()

    async def show_page(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Plain</title>")
            await writer.drain()
        writer.close()

    await asyncio.start_server(handle, address, 8000)
    await asyncio.start_server(show_page, address, 80)
    Path(ready).touch()
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
