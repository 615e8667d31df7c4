"""tests/kit/portal/files.py - files with many entries, and clients that do not read them."""

import socket

from kit.client import TIMEOUT_S
from kit.database.ledger import RECHAIN

ENTRIES = """
    with b as (update account_balance set posted = posted + {count}, granted = granted + {count}, seq = seq + {count}
                where account_id = %s returning account_id, posted, seq)
    insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, note, at, hash)
    select b.account_id, b.seq - {count} + n, 5, 1, b.posted - {count} + n, gen_random_uuid(), 'entry ' || n, now(), ''
      from b, generate_series(1, {count}) n""" + RECHAIN


def add_entries(ledger, account, count):
    """Adjustments of one credit, as fast as the database can; the books still add up afterwards."""
    ledger.rows(ENTRIES.format(count=count), account)


def begin_to_read(visitor, path="/portal/ledger.csv"):
    """A connection that received the first bytes of a file, and has room for a few kilobytes more;
    None if the portal responded with a wait."""
    line = visitor.site.trust().wrap_socket(slow_socket(visitor), server_hostname="localhost")
    headers = visitor._headers("GET", None) | {"Host": "localhost"}
    line.sendall(f"GET {path} HTTP/1.1\r\n".encode() +
                 "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n")
    head = line.recv(12)
    if head == b"HTTP/1.1 200":
        return line
    line.close()
    assert head == b"HTTP/1.1 503", head
    return None


def slow_socket(visitor):
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.bind((visitor.address, 0))
    line.settimeout(TIMEOUT_S)
    line.connect(("127.0.0.1", visitor.site.tls_port))
    return line
