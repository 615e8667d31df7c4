"""tests/kit/transparency.py READY ADDRESS CERTIFICATE KEY - certificate transparency services, and
their failures.

One server implements all formats that subdomain-finder knows, at /crtsh, /certspotter, /merklemap,
/names and /lines; the domain is the parameter ?domain=. The domain selects the failure: for
FAILURE.SOURCE.ct-cases.net that source (or `all`) fails this way, the others respond normally:

    slow       sends nothing                    drip       a byte a second
    garbage    not JSON                         html       an error page with status 200
    truncated  JSON that breaks off             huge       17 MiB of names (of certspotter)
    reset      closes without a response        redirect   302 to another host
    limited    429                              broken     503
    flaky      503 the first time, then normal
    empty      a response without names         wrong      JSON of another shape
    objects    objects one after another, without a list
    endless    page after page                  later      429 from the second page on

The normal response is NAMES below the domain. crt.sh returns the first half of them, the others
all.
"""

import asyncio
import contextlib
import json
import ssl
import sys
import urllib.parse
from pathlib import Path

SOURCES = ("crtsh", "certspotter", "merklemap", "names", "lines")
BEGIN, AGAIN = "2024-03-01T00:00:00", "2026-10-01T12:30:00"
HTML = "<html><head><title>502 Bad Gateway</title></head><body>502</body></html>"
# of each domain: names in certificates, valid and invalid
NAMES = ["www.{d}", "WWW.{d}.", "*.wild.{d}", "shop.{d}", "mail1.{d}", "dangling.{d}", "nothing-there.{d}",
         "xn--mnchen-3ya.{d}", "{d}", "*.{d}", "not{d}", "someone@{d}", "a b.{d}", "*.*.{d}", "-_ok_-.{d}", "?.{d}",
         "{d}.elsewhere.net", "only-text.{d}", "münchen.{d}", "deep.down.www.{d}"]
seen = set()


def behaviour(source, domain):
    labels = domain.split(".")
    mine = domain.endswith(".ct-cases.net") and len(labels) == 4 and labels[1] in (source, "all")
    return labels[0] if mine else ""


def names_for(source, domain, count=len(NAMES)):
    names = [name.format(d=domain) for name in NAMES]
    return names[:count // 2] if source == "crtsh" else names[:count]


def crtsh(names, page):
    return json.dumps([{"issuer_ca_id": 1, "issuer_name": "C=US, O=\"An \\\"Authority\\\"\"", "id": number,
                        "common_name": name, "name_value": f"{name}\n{name}", "not_before": begin,
                        "not_after": "2027-01-01T00:00:00", "serial_number": "00", "result_count": 2}
                       for number, name in enumerate(names) for begin in (AGAIN, BEGIN)])


def certspotter(names, page):
    if page:
        return "[]"
    return json.dumps([{"id": str(1000 + number), "tbs_sha256": "ab", "dns_names": [name, "elsewhere.net"],
                        "not_before": BEGIN + "Z", "not_after": "2027-01-01T00:00:00Z", "revoked": False}
                       for number, name in enumerate(names)])


def merklemap(names, page):
    names = [] if page else names
    return json.dumps({"count": len(names), "results": [
        {"hostname": name, "subject_common_name": name, "first_seen": 1709251200} for name in names]})


def plain_names(names, page):
    return json.dumps({"names": names})


def lines(names, page):
    return "\n".join(f"{name},127.0.0.1" for name in names)


USUAL = {"crtsh": crtsh, "certspotter": certspotter, "merklemap": merklemap, "names": plain_names, "lines": lines}


def huge(domain):
    """More than a client should read, with as many names as needed; certspotter's form."""
    items = (f'{{"id":"{number}","dns_names":["host-{number:06}.{domain}"]}}' for number in range(120_000))
    return "[" + ",".join(items).ljust(17 << 20) + "]"


def answer(source, domain, page):
    """(status, body, more header lines); None: close without a response."""
    doing = behaviour(source, domain)
    usual = USUAL[source](names_for(source, domain), page)
    first_time = (source, domain) not in seen
    seen.add((source, domain))
    table = {
        "garbage": (200, "\x16\x03\x01 what do you want?"),
        "html": (200, HTML),
        "truncated": (200, usual[:len(usual) * 2 // 3]),
        "redirect": (302, "", "Location: /elsewhere"),
        "limited": (429, HTML, "Retry-After: 3600"),
        "broken": (503, HTML),
        "flaky": (503, HTML) if first_time else (200, usual),
        "empty": (200, USUAL[source]([], 0)),
        "wrong": (200, '{"code":"forbidden","message":"no"}'),
        "objects": (200, "\n".join(json.dumps(item) for item in json.loads(usual)) if source == "crtsh" else usual),
        "later": (429, HTML) if page else (200, usual),
    }
    if doing == "reset":
        return None
    if doing == "huge":
        return 200, huge(domain)
    if doing == "endless":
        body = [{"id": f"{page}-{n}", "dns_names": [f"page{page}-{n}.{domain}"]} for n in range(3)]
        return 200, json.dumps(body)
    return table.get(doing, (200, usual))


def page_of(query):
    """The number of previous pages."""
    after = query.get("after", query.get("page", ["0"]))[0]
    digits = "".join(c for c in after.split("-")[0] if c.isdigit())
    return int(digits or 0) + ("after" in query)


async def serve(reader, writer):
    raw = await reader.readuntil(b"\r\n\r\n")
    path, _, query = raw.decode("latin-1").split(" ")[1].partition("?")
    query = urllib.parse.parse_qs(query)
    source, domain = path.strip("/"), query.get("domain", query.get("q", [""]))[0].removeprefix("%.")
    if source not in SOURCES:
        writer.write(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
        return
    if behaviour(source, domain) == "slow":
        await asyncio.sleep(60)
        return
    if behaviour(source, domain) == "drip":
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n[")
        for _ in range(60):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(1)
    found = answer(source, domain, page_of(query))
    if found is None:
        return
    status, body, *more = found
    body = body.encode()
    head = "\r\n".join([f"HTTP/1.1 {status} Status", "Content-Type: application/json", f"Content-Length: {len(body)}",
                        *more, "", ""])
    writer.write(head.encode() + body)


async def main(ready, address, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def handle(reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError,
                                 ValueError):
            await serve(reader, writer)
            await writer.drain()
        writer.close()

    await asyncio.start_server(handle, address, 443, ssl=context)
    Path(ready).touch()
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
