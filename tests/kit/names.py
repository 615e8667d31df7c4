"""tests/kit/names.py - hostile names. Each network that customers may not reach has names with such
an address, alone and together with a public one; each address has many spellings."""

import ipaddress

# An address of each network of common/net/guard.c, and of each form that embeds IPv4.
INNER = (
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1",
    "127.255.255.254", "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255",
    "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1",
    "192.168.255.255", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::7f00:1", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1",
    "100::1", "100:0:0:1::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1",
    "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1", "4000::1",
    "5f00::1", "8000::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "febf::1", "fec0::1", "ff02::1",
    "2600::5efe:7f00:1", "2600::200:5efe:7f00:1",
)
LOCAL_NAMES = ("localhost", "LOCALHOST", "localhost.", "a.localhost", "printer.local", "db.internal",
               "metadata.google.internal", "router.home.arpa", "abc.onion", "metadata", "intranet")


def inner_name(number):
    return f"n{number}.inner-name.com"


def mixed_name(number):
    return f"n{number}.mixed-name.com"


def zone(address):
    """Records: nN.inner-name.com has INNER[N]; nN.mixed-name.com has it and a public address; more
    by hand."""
    for number, inner in enumerate(INNER):
        kind = "AAAA" if ":" in inner else "A"
        yield f"{inner_name(number)}. {kind} {inner}"
        yield f"{mixed_name(number)}. {kind} {inner}"
        yield f"{mixed_name(number)}. A {address['web']}"
    yield f"decoy.inner-name.com. A {address['decoy']}"
    yield f"decoy6.inner-name.com. AAAA ::ffff:{address['decoy']}"
    yield "alias.inner-name.com. CNAME decoy.inner-name.com."
    yield f"decoy.mixed-name.com. A {address['web']}"
    yield f"decoy.mixed-name.com. A {address['decoy']}"
    yield "empty.inner-name.com. TXT nothing"
    yield "fickle-name.com. NS ns.fickle-name.com."  # answered by flaky_dns.py
    yield f"ns.fickle-name.com. A {address['flaky_dns']}"


def spellings(address):
    """Hosts of URLs that all mean this IPv4 address to some parser."""
    a, b, c, d = ipaddress.IPv4Address(address).packed
    number = int(ipaddress.IPv4Address(address))
    yield from (f"{a}.{b}.{c}.{d}", f"{a}.{b}.{c}.{d}.", f"{a}.{b}.{c << 8 | d}", f"{a}.{b << 16 | c << 8 | d}",
                f"{number}", f"{number}.", f"0x{number:x}", f"0X{number:X}", f"0{number:o}",
                f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}", f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"0x{a:x}.{b}.0{c:o}.{d}",
                f"0x0000{a:x}.{b}.{c}.{d}", f"000{a:o}.{b}.{c}.{d}", f"0x{a:x}.{b << 16 | c << 8 | d}",
                f"[::ffff:{a}.{b}.{c}.{d}]", f"[::ffff:{a:02x}{b:02x}:{c:02x}{d:02x}]",
                f"[0:0:0:0:0:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}]", f"[::{a}.{b}.{c}.{d}]",
                f"[::ffff:0:{a}.{b}.{c}.{d}]", f"[64:ff9b::{a}.{b}.{c}.{d}]",
                f"[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]",
                f"{a}%2e{b}%2e{c}%2e{d}", "".join(f"%{ord(ch):02x}" for ch in f"{a}.{b}.{c}.{d}"))
    dotted = f"{a}.{b}.{c}.{d}"
    yield dotted.replace(".", "。")
    yield dotted.replace(".", "．")
    yield dotted.replace(".", "｡")
    yield dotted.translate({ord(str(n)): 0xff10 + n for n in range(10)})            # full-width digits
    yield dotted.translate({ord(str(n)): 0x1d7ce + n for n in range(10)})           # bold digits
    yield dotted.translate({ord("0"): "⓪"} | {ord(str(n)): chr(0x245f + n) for n in range(1, 10)})
    yield f"0ⓧ{number:x}"
    yield f"{dotted}\u00ad"                                                          # soft hyphen
    yield f"{a}.{b}\u200b.{c}.{d}"


def misleading_urls(address, good):
    """URLs that some parsers read as `good` and others as the address."""
    yield from (
        f"http://{good}@{address}/", f"http://{good}:80@{address}/", f"http://{address}#@{good}/",
        f"http://{good}\\@{address}/", f"http://{address}\\@{good}/", f"http://{address}\\.{good}/",
        f"http://{good}%00@{address}/", f"http://{good}%00.{address}/", f"http://{address}%2f@{good}/",
        f"http://{address}%23@{good}/", f"http://{address}?@{good}/", f"http://{address}:80#@{good}:80/",
        f"http://{address}\t/", f"http://{good}\n@{address}/", f"http://{good} @{address}/", f"http:\\\\{address}\\",
        f"http:/\\{address}/", f"http:/{address}/", f"http:///{address}/", f"http:{address}/", f"//{address}/",
        f"/\\{address}/", f"{address}", f"{address}:80", f"ftp://{address}/", f"gopher://{address}:6379/_INFO",
        f"file://{address}/etc/passwd", "file:///etc/passwd", f"dict://{address}:6379/info",
        f"ldap://{address}/", f"jar:http://{address}!/", f"url:http://{address}/", f"view-source:http://{address}/",
        f"http://[{address}]/", f"http://[::ffff:{address}%25eth0]/", f"http://[fe80::1%25{address}]/",
        f"HtTp://{address}/", f"http://{address}:080/", f"http://{address}:6379/", f"http://{address}:22/",
        f"http://a:b@{address}/", f"http://@{address}/", f"http://{good}.@{address}", f"http://{address}./",
    )
