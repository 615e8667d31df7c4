"""tests/kit/site.py - a running stack as the tests see it, in any process."""

import contextlib
import dataclasses
import getpass
import http.client
import itertools
import json
import os
import secrets
import ssl
import string
import time
import uuid
import zlib
from pathlib import Path

import psycopg2

from part import command


@dataclasses.dataclass
class Site:
    """Plain values only: the pytest process that owns the stack sends it to its workers."""

    base_url: str
    tls_port: int
    plain_port: int
    ca_file: str
    config: str
    log_directory: str
    tollctl_program: str
    database: str
    mail_directory: str  # the Maildir with the email of its portals
    admin: dict
    gateways: list
    addresses: dict  # of kit/world.py: web, bad_http, flaky_dns, decoy
    decoy_log: str
    models: str      # URL of kit/models/stub.py
    models_log: str
    green_log: str   # of kit/operators/green.py

    @classmethod
    def of(cls, stack, world=None):
        return cls(stack.base_url, stack.tls_port, stack.plain_port, str(stack.ca_file), str(stack.config),
                   str(stack.log_directory),
                   str(stack.build / "gateway" / "tollctl"), stack.database(), str(stack.mail_directory),
                   {name: list(address) for name, address in stack.admin.items()},
                   [list(address) for address in stack.gateways],
                   world.address if world else {}, str(world.decoy_log) if world else "",
                   world.models if world else "", str(world.models_log) if world else "",
                   str(world.green_log) if world else "")

    def as_dict(self):
        return dataclasses.asdict(self)

    def tollctl(self, *arguments):
        text = command(self.tollctl_program, "--config", self.config, *arguments)
        return json.loads(text) if "--json" in arguments else text

    def open_member(self, name, email, credits):
        """An account and its member, as `tollctl account create` and `tollctl member create` make
        them with PASSWORD, without the second that the hash of a password takes."""
        account, member = new_id(), new_id()
        run_again_if_lost(self.database, NEW_ACCOUNT + NEW_MEMBER, {
            "account": account, "name": name, "limits_off": False, "credits": credits, "member": member,
            "email": email, "hash": PASSWORD_HASH, "actor": getpass.getuser()})
        return account, member

    def trust(self, alpn=("http/1.1",)):
        """TLS context of a client that trusts only this stack."""
        context = ssl.create_default_context(cafile=self.ca_file)
        context.set_alpn_protocols(list(alpn))
        return context

    def fresh_address(self):
        """A source address for one client only."""
        return own_address()

    def connection(self, address, timeout_s):
        """HTTPS to the edge, from that address."""
        return http.client.HTTPSConnection("localhost", self.tls_port, timeout=timeout_s,
                                           source_address=(address, 0), context=self.trust())

    def connect(self):
        """Connection to the database as its owner; every statement commits."""
        connection = psycopg2.connect(self.database)
        connection.autocommit = True
        return connection

    def open_account(self, credits=100, limits_off=False):
        """A fresh account with a token, as `tollctl account create` and `tollctl token create` make
        them, in a fiftieth of their time: thousands of tests need one."""
        account, token_id, token = new_id(), new_id(), new_token()
        run_again_if_lost(self.database, NEW_ACCOUNT + NEW_TOKEN, {
            "account": account, "name": "test", "limits_off": limits_off, "credits": credits, "token_id": token_id,
            "token": token.encode(), "last4": token[-4:]})
        return Account(account, token, token_id)

    def make_management(self, account, *scopes):
        """A management token of the account, written as the portal writes it; as an Account."""
        token, number = new_token("tg_mgmt_"), str(uuid.uuid4())
        with contextlib.closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute("insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at,"
                           " kind) values (%s, %s, sha256(%s), 'platform', %s, %s::text[], ledger_now(),"
                           " ledger_now() + interval '90 days', 5)",
                           (account.id, number, token.encode(), token[-4:], list(scopes)))
        return Account(account.id, token, number)


PASSWORD = "copper lantern over a quiet harbour"
# as common/text/passwords/hash.c makes it; with other parameters there, a sign-in replaces it
PASSWORD_HASH = ("$argon2id$v=19$m=65536,t=3,p=1$YdnY8n07y6WTeVHoTbG9Bw$"
                 "9C7Q6SFfY54fUm8uOBF/2PxIXdahQdH14mfK8nkxPS8")
NEW_ACCOUNT = """
insert into account (account_id, name, limits_off, created_at)
values (%(account)s, %(name)s, %(limits_off)s, ms_to_time(ledger_now_ms()));
insert into account_balance (account_id) values (%(account)s);
select ledger_credit(%(account)s, 1::smallint, %(credits)s, %(account)s, 'sign-up grant') where %(credits)s > 0;
"""
NEW_TOKEN = """
insert into token (account_id, token_id, digest, name, last4, scopes, created_at, is_strict, created_by)
values (%(account)s, %(token_id)s, sha256(%(token)s), '', %(last4)s, '{}', ms_to_time(ledger_now_ms()), false, 'operator')
"""
NEW_MEMBER = """
insert into member (member_id, account_id, email, email_key, password, password_at, created_at)
values (%(member)s, %(account)s, %(email)s, %(email)s, %(hash)s, ledger_now(), ledger_now());
insert into audit_log (actor, action, account_id, detail)
values (%(actor)s, 'account create', %(account)s, %(name)s || ', ' || %(credits)s || ' credits'),
       (%(actor)s, 'member create', %(account)s, 'member ' || %(member)s)
"""
LINES = {}  # of this process, one for each database


def run_again_if_lost(database, statements, values):
    """Run statements in one transaction, on a connection that stays open; once more if the database
    was restarted since then, in which case the first try had no effect."""
    for is_last in (False, True):
        try:
            if database not in LINES:
                LINES[database] = psycopg2.connect(database)
                LINES[database].autocommit = True
            with LINES[database].cursor() as cursor:
                cursor.execute(statements, values)
            return
        except (psycopg2.OperationalError, psycopg2.InterfaceError):
            LINES.pop(database, None)
            if is_last:
                raise


def new_id():
    """An id as the product makes them: version 7, whose order is that of creation (RFC 9562 section
    5.7)."""
    bits = time.time_ns() // 1_000_000 << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=bits))


def new_token(prefix="tg_live_", length=32):
    """As common/text/token.h describes it."""
    base62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
    text = prefix + "".join(secrets.choice(base62) for _ in range(length))
    rest, check = zlib.crc32(text.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        check = base62[digit] + check
    return text + check


@dataclasses.dataclass(frozen=True)
class Account:
    id: str
    token: str
    token_id: str

    def path(self, rest):
        return f"/v1/client/{self.id}/{rest}"


class Ledger:
    """What an account paid, according to the database."""

    def __init__(self, connection):
        self._connection = connection

    def rows(self, statement, *values):
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def charged(self, account):
        """Credits charged for calls, less refunds."""
        return int(self.rows("select coalesce(-sum(amount), 0) from ledger_entry"
                             " where account_id = %s and kind in (3, 4)", account.id)[0][0])

    def held(self, account):
        return self.rows("select held from account_balance where account_id = %s", account.id)[0][0]

    def calls_in_ring(self, account):
        return self.rows("select cardinality(ring_at) from account_balance where account_id = %s",
                         account.id)[0][0]

    def let_pass(self, account, milliseconds):
        """Move the account's calls of the last minute back in time by this much."""
        self.rows("update account_balance set ring_at = array("
                  "select at - %s from unnest(ring_at) with ordinality as r (at, n) order by n)"
                  " where account_id = %s", milliseconds, account.id)


_numbers = itertools.count(1)


def own_address():
    """A source address that no other test of this run uses, so that address limits do not leak."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    number = next(_numbers)
    return f"127.{16 + worker}.{number // 250}.{number % 250 + 1}"


ROOT = Path(__file__).resolve().parents[2]
