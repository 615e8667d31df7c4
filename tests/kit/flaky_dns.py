"""tests/kit/flaky_dns.py READY ADDRESS WEB DECOY - authoritative DNS for fickle-name.com, badly
behaved:

    rebind*.fickle-name.com    A: the web server for the first query, then the decoy; TTL 0
    silent.fickle-name.com     no response; the same for names outside this zone
    servfail., refused.        that rcode
    loop.fickle-name.com       CNAME to loop2, which is a CNAME to loop
    many.fickle-name.com       80 addresses
    long.fickle-name.com       a chain of 8 CNAMEs
    together-GROUP-N-I         a mail server, after queries for N different I of the group
"""

import asyncio
import sys
from pathlib import Path

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

ZONE = "fickle-name.com."


class Server(asyncio.DatagramProtocol):
    def __init__(self, web, decoy):
        self.web, self.decoy, self.seen = web, decoy, set()
        self.waiting = {}  # group: {label: the queries that wait}

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, peer):
        question = dns.message.from_wire(data).question[0]
        label = question.name.to_text().lower().removesuffix(ZONE).rstrip(".")
        if label.startswith("together-") and question.rdtype == dns.rdatatype.MX:
            self.hold(label, data, peer)
        else:
            self.send(data, peer)

    def send(self, data, peer):
        answer = answer_to(self, data)
        if answer:
            self.transport.sendto(answer, peer)

    def hold(self, label, data, peer):
        """Respond when all of the group have arrived."""
        _, group, wanted, _ = label.split("-")
        waiting = self.waiting.setdefault(group, {})
        waiting.setdefault(label, []).append((data, peer))
        if len(waiting) >= int(wanted):
            for questions in waiting.values():
                while questions:
                    self.send(*questions.pop())


def records(server, label, kind):
    """(owner, type, data) of the records for a name, which are one set."""
    name = f"{label}.{ZONE}"
    if label.startswith("rebind") and kind == "A":
        first = label not in server.seen
        server.seen.add(label)
        return [(name, "A", server.web if first else server.decoy)]
    if label.startswith("together-"):
        return [(name, "MX", "10 mail1.harbour-tools.com.")] if kind == "MX" else []
    if label in ("loop", "loop2"):
        return [(name, "CNAME", f"{'loop2' if label == 'loop' else 'loop'}.{ZONE}")]
    if label == "many" and kind == "A":
        return [(name, "A", f"93.184.{n}.1") for n in range(80)]
    if label.startswith("long"):
        number = int(label[4:] or 0)
        if number < 8:
            return [(name, "CNAME", f"long{number + 1}.{ZONE}")]
        return [(name, "A", server.web)] if kind == "A" else []
    if label == "ns" and kind == "A":
        return [(name, "A", server.transport.get_extra_info("sockname")[0])]
    return []


def answer_to(server, data):
    query = dns.message.from_wire(data)
    question = query.question[0]
    label = question.name.to_text().lower().removesuffix(ZONE).rstrip(".")
    kind = dns.rdatatype.to_text(question.rdtype)
    if label == "silent" or not question.name.to_text().lower().endswith(ZONE):
        return None
    reply = dns.message.make_response(query)
    reply.flags |= dns.flags.AA
    if label in ("servfail", "refused"):
        reply.set_rcode(dns.rcode.from_text(label.upper()))
    answers = records(server, label, kind)
    if answers:
        owner, rdtype, _ = answers[0]
        reply.answer.append(dns.rrset.from_text(owner, 0, "IN", rdtype, *(value for _, _, value in answers)))
    if not label and kind == "NS":
        reply.answer.append(dns.rrset.from_text(ZONE, 0, "IN", "NS", f"ns.{ZONE}"))
    if len(reply.to_wire(max_size=65535)) > 1200 and not server.is_stream:
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.AA | dns.flags.TC
    return reply.to_wire(max_size=65535)


async def main(ready, address, web, decoy):
    loop = asyncio.get_running_loop()
    _, server = await loop.create_datagram_endpoint(lambda: Server(web, decoy), (address, 53))

    async def stream(reader, writer):
        try:
            data = await reader.readexactly(int.from_bytes(await reader.readexactly(2), "big"))
            server.is_stream = True
            answer = answer_to(server, data)
            server.is_stream = False
            writer.write(len(answer).to_bytes(2, "big") + answer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server.is_stream = False
    await asyncio.start_server(stream, address, 53)
    Path(ready).touch()
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
