"""tests/kit/portal/files.py - files with many entries, and clients that do not read them."""

import socket

from kit.client import TIMEOUT_S
from kit.database.ledger import chained

ENTRIES = chained("""
    select account_id, seq + n as seq, 5 as kind, 1 as amount, posted + n as balance_after,
           gen_random_uuid() as reference, null::smallint as tool_id, null::uuid as token_id, now() as at
      from account_balance, generate_series(1, {count}) n where account_id = %(account)s""",
                  head="(select head from account_balance where account_id = %(account)s)") + """;
    update account_balance b
       set posted = posted + {count}, granted = granted + {count}, seq = b.seq + {count}, head = e.hash
      from ledger_entry e
     where b.account_id = %(account)s and e.account_id = b.account_id and e.seq = b.seq + {count}"""


def add_entries(ledger, account, count):
    """Adjustments of one credit, as fast as the database can; the books still add up afterwards."""
    with ledger._connection.cursor() as cursor:
        cursor.execute(ENTRIES.format(count=count), {"account": account})


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
