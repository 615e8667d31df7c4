"""tests/api/ledger/test_networks.py - the networks of a token, in the functions that use them."""

import hashlib
import uuid

import psycopg2
import pytest

from kit.database.ledger import ITEMS, admission, items
from kit.database.scratch import cluster, migrated, new_database, shared_db as db  # noqa: F401 - fixtures

NETWORKS = ["192.0.2.16/28", "10.0.0.0/8", "203.0.113.7/32", "2001:db8:0:8000::/49"]
ADDRESSES = {  # the edges of each, and forms of the same address
    "192.0.2.15": False, "192.0.2.16": True, "192.0.2.31": True, "192.0.2.32": False,
    "9.255.255.255": False, "10.0.0.0": True, "10.255.255.255": True, "11.0.0.0": False,
    "203.0.113.6": False, "203.0.113.7": True, "203.0.113.8": False,
    "2001:db8:0:7fff:ffff:ffff:ffff:ffff": False, "2001:db8:0:8000::": True,
    "2001:db8:0:ffff:ffff:ffff:ffff:ffff": True, "2001:db8:1::": False,
    "::a00:1": False, "::ffff:10.0.0.1": False,  # a gateway sends an IPv4-mapped address as IPv4
    None: False,
}


class Desk:
    """An account with credits, a token, and its calls by each function that decides."""

    def __init__(self, db, *options):
        self.db = db
        self.account = db.ask("account", "create", "Ada", "--credits", "1000")["account"]
        made = db.ask("token", "create", self.account, *options)
        self.token_id = made["token_id"]
        self.digest = hashlib.sha256(made["token"].encode()).digest()
        [(self.tool,)] = db.sql("select tool_number('hash-generate')")

    def call(self, **columns):
        return items(admission(self.account, uuid.uuid4(), self.digest, self.tool, 1, endpoint_limit=300,
                               global_limit=300) | columns)

    def batch(self, address, **columns):
        return self.db.sql(f"select outcome from ledger_batch('{{}}', {ITEMS.format('%s')}, false, array[%s]::inet[])",
                           self.call(**columns), address, role="tollgate_gateway")[0][0]

    def each(self, address):
        return self.db.sql(f"select outcome from ledger_admit_each({ITEMS.format('%s')}, array[%s]::uuid[],"
                           " ledger_now_ms(), 0, '{}', array[%s]::inet[])", self.call(), self.account, address)[0][0]

    def plain(self, address):
        """Does the set-based statement take the call?"""
        return self.db.sql(f"select cardinality(ledger_admit_plain({ITEMS.format('%s')}, array[%s]::uuid[],"
                           " ledger_now_ms(), 0, array[%s]::inet[]))", self.call(), self.account, address)[0][0] == 1

    def check(self, address):
        return self.db.sql("select outcome from token_check(array[%s]::uuid[], array[%s]::bytea[], array[%s]::inet[])",
                           self.account, self.digest, address, role="tollgate_gateway")[0][0]

    def preview(self, address):
        return self.db.sql("select outcome from admission_preview(%s, %s, %s::smallint, 1, 0, 0, 300, 0, %s)",
                           self.account, self.digest, self.tool, address, role="tollgate_gateway")[0][0]

    def books(self):
        return self.db.sql("select b.posted, b.held, b.seq, cardinality(b.ring_at), t.spent_total, t.last_used_at"
                           "  from account_balance b join token t using (account_id) where b.account_id = %s",
                           self.account)


@pytest.fixture
def desk(db):
    return Desk(db, "--cap-total", "900", *[word for network in NETWORKS for word in ("--network", network)])


@pytest.mark.parametrize("address", ADDRESSES, ids=str)
def test_the_edges_of_networks(desk, address):
    """By every function; a refusal leaves no mark in windows, caps, or anywhere else."""
    good, before = ADDRESSES[address], desk.books()
    refused = None if good else "ip_not_allowed"
    assert desk.check(address) == refused and desk.preview(address) == refused
    assert desk.plain(address) is good
    assert desk.each(address) == (refused or "captured")
    assert desk.batch(address) == (refused or "captured")
    assert desk.batch(address, ttl_ms=60000) == (refused or "admitted")
    assert (desk.books() == before) is not good


def test_a_gateway_that_sends_no_address_is_refused(desk, db):
    """As a gateway of the version before: it is never admitted unchecked."""
    batch = f"select outcome from ledger_batch('{{}}', {ITEMS.format('%s')}, false)"
    assert db.sql(batch, desk.call(), role="tollgate_gateway") == [("ip_not_allowed",)]
    check = "select outcome from token_check(array[%s]::uuid[], array[%s]::bytea[])"
    assert db.sql(check, desk.account, desk.digest) == [("ip_not_allowed",)]
    preview = "select outcome from admission_preview(%s, %s, %s::smallint, 1, 0, 0, 300, 0)"
    assert db.sql(preview, desk.account, desk.digest, desk.tool) == [("ip_not_allowed",)]
    free = Desk(db)
    assert db.sql(batch, free.call(), role="tollgate_gateway") == [("captured",)]


def test_after_expiry_and_before_scopes(desk, db):
    def change(values):
        db.sql(f"update token set {values} where token_id = %s", desk.token_id)

    change("scopes = '{email}'")
    assert desk.batch("192.0.2.16") == "scope_denied" and desk.batch("192.0.2.15") == "ip_not_allowed"
    change("expires_at = now() - interval '1 minute'")
    assert desk.batch("192.0.2.15") == "auth_expired" == desk.check("192.0.2.15")
    change("revoked_at = now()")
    assert desk.batch("192.0.2.15") == "auth_revoked" == desk.check("192.0.2.15")


def test_calls_of_one_batch_have_their_own_addresses(desk, db):
    """Two tokens of an account, and the place of an address in the batch."""
    other = db.ask("token", "create", desk.account)
    digest = hashlib.sha256(other["token"].encode()).digest()
    rows = [admission(desk.account, uuid.uuid4(), token, desk.tool, 1, endpoint_limit=300)
            for token in (desk.digest, digest, desk.digest, desk.digest)]
    outcomes = db.sql(f"select outcome from ledger_batch('{{}}', {ITEMS.format('%s')}, false, array[%s, %s, %s, %s]::inet[])"
                      " order by ord", items(*rows), "192.0.2.16", "192.0.2.15", "192.0.2.15", "203.0.113.7")
    assert outcomes == [("captured",), ("captured",), ("ip_not_allowed",), ("captured",)]


def test_a_change_holds_from_its_commit(desk, db):
    assert desk.batch("198.51.100.7") == "ip_not_allowed"
    db.sql("update token set networks = networks || '198.51.100.0/24'::cidr where token_id = %s", desk.token_id)
    assert desk.batch("198.51.100.7") == "captured"
    db.sql("update token set networks = null where token_id = %s", desk.token_id)
    assert desk.batch("8.8.8.8") == "captured" and desk.batch(None) == "captured"


@pytest.mark.parametrize("networks", [
    "{}", "{10.0.0.0/7}", "{0.0.0.0/0}", "{::/0}", "{2001:d00::/31}", "{::ffff:10.0.0.0/104}", "{10.0.0.0/8,NULL}",
    "{" + ",".join(f"10.{n}.0.0/16" for n in range(21)) + "}"])
def test_what_the_table_takes(desk, db, networks):
    with pytest.raises(psycopg2.errors.CheckViolation):
        db.sql("update token set networks = %s where token_id = %s", networks, desk.token_id)


def test_the_operators_command(db):
    account = db.ask("account", "create", "Ada")["account"]
    made = db.ask("token", "create", account, "--network", "::ffff:192.0.2.0/120", "--network", "2001:DB8::/32")
    [row] = db.ask("token", "list", account)["tokens"]
    assert row["token_id"] == made["token_id"] and row["networks"] == ["192.0.2.0/24", "2001:db8::/32"]
    assert "10.0.0.0/7 is too large: the prefix must be /8 or longer" in db.refuse(
        64, "token", "create", account, "--network", "10.0.0.0/7")
    many = [word for n in range(21) for word in ("--network", f"10.{n}.0.0/16")]
    assert "at most 20 networks" in db.refuse(64, "token", "create", account, *many)
    assert db.ask("token", "create", account)["token_id"]
    assert db.ask("token", "list", account)["tokens"][0]["networks"] is None
