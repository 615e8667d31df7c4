"""tests/kit/database/roots.py - `tollctl ledger root`, and a root file as a reader without our code
sees it: lines, hashes, signatures by openssl.

A test file imports the fixture, and those of scratch.py that it needs.
"""

import hashlib
import subprocess
import uuid
from typing import NamedTuple

import pytest

from kit.database.ledger import charge

ZEROS = "0" * 64


class Root(NamedTuple):
    """A block of the file."""
    cut: str
    lost: list   # of (account, first, last)
    heads: list  # of (account, seq, hash)
    time: str
    accounts: int
    entries: int
    root: str
    line: str

    @property
    def digest(self):
        return hashlib.sha256(self.line.encode()).hexdigest()


class Key:
    """A key pair in two PEM files."""

    def __init__(self, folder, name="ledger"):
        self.private, self.public = folder / f"{name}.pem", folder / f"{name}.pub"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.private], check=True,
                       capture_output=True)
        self.private.chmod(0o600)
        subprocess.run(["openssl", "pkey", "-in", self.private, "-pubout", "-out", self.public], check=True)

    def has_signed(self, message, signature, folder):
        files = folder / "message", folder / "signature"
        for file, content in zip(files, (message, signature)):
            file.write_bytes(content)
        return subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", self.public, "-rawin", "-in",
                               files[0], "-sigfile", files[1]], capture_output=True).returncode == 0


def leaf(account, seq, head):
    return hashlib.sha256(b"\0" + uuid.UUID(account).bytes + seq.to_bytes(8, "big") + bytes.fromhex(head)).digest()


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def merkle_root(leaves):
    """RFC 9162 section 2.1.1"""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    left = 1
    while 2 * left < len(leaves):
        left *= 2
    return node(merkle_root(leaves[:left]), merkle_root(leaves[left:]))


def root_of_path(hashed, index, leaves, path):
    """The root to which a path leads, in a tree of that many leaves (section 2.1.3.2)."""
    last = leaves - 1
    for step in (path[at:at + 32] for at in range(0, len(path), 32)):
        if index % 2 or index == last:
            hashed = node(step, hashed)
            while index % 2 == 0 and index:
                index, last = index // 2, last // 2
        else:
            hashed = node(hashed, step)
        index, last = index // 2, last // 2
    return hashed.hex() if last == 0 else None


def read_roots(file, start=ZEROS):
    """The blocks of a file, whose links, digests and newest Merkle root are right."""
    blocks, cut, lost, heads, before, present = [], "", [], [], "", {}
    for line in file.read_text().splitlines():
        kind, *words = line.split(" ")
        if kind == "root":
            time, accounts, entries, root, digest, previous, _ = words
            assert (digest, previous) == (hashlib.sha256(before.encode()).hexdigest(), start)
            blocks.append(Root(cut, lost, heads, time, int(accounts), int(entries), root, line))
            present |= {account: (seq, head) for account, seq, head in heads}
            start, cut, lost, heads, before = blocks[-1].digest, "", [], [], ""
            continue
        before += line + "\n"
        if kind == "cut":
            cut, = words
        elif kind == "lost":
            lost.append((words[0], int(words[1]), int(words[2])))
        else:
            assert kind == "head"
            heads.append((words[0], int(words[1]), words[2]))
    assert before == ""
    leaves = [leaf(account, *present[account]) for account in sorted(present) if present[account][0] > 0]
    assert merkle_root(leaves).hex() == blocks[-1].root
    return blocks


class Notary:
    """`ledger root` for a database, with a key and a file. Use it with a copy of the database to
    see what happens after a restore."""

    def __init__(self, db, folder):
        self.db, self.folder, self.key, self.file = db, folder, Key(folder), folder / "ledger.roots"

    def arguments(self, *more):
        return ("ledger", "root", "--key", self.key.private, "--to", self.file, *more)

    def run(self, *more):
        return self.db.ask(*self.arguments(*more))

    def refuse(self, *more):
        """The message; the file stays as it is."""
        before = self.file.read_bytes() if self.file.exists() else None
        error = self.db.refuse(1, *self.arguments(*more))
        assert (self.file.read_bytes() if self.file.exists() else None) == before
        return error

    def heads(self):
        return self.db.sql("select account_id::text, seq, encode(head, 'hex') from account_balance where seq > 0"
                           " order by account_id")

    def proofs(self):
        """{account: (seq, time of the root)} of the newest path of each account."""
        return {row[0]: row[1:] for row in self.db.sql(
            "select account_id::text, seq, to_char(root_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
            "  from ledger_proof order by seq")}


@pytest.fixture
def notary(db, tmp_path):
    notary = Notary(db, tmp_path)
    notary.account = db.ask("account", "create", "Ada", "--credits", "100")["account"]
    charge(db, notary.account, 2)
    return notary
