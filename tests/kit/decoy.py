"""tests/kit/decoy.py READY ADDRESS LOG PORT... - listens where no connection is allowed, and logs
each connection with its first bytes."""

import asyncio
import sys
from pathlib import Path


async def main(ready, address, log, *ports):
    with open(log, "a", buffering=1) as visits:
        async def visit(reader, writer):
            port = writer.get_extra_info("sockname")[1]
            visits.write(f"port {port} from {writer.get_extra_info('peername')[0]}\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
            writer.close()

        for port in ports:
            await asyncio.start_server(visit, address, int(port))
        Path(ready).touch()
        await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
