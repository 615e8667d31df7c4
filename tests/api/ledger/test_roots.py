"""tests/api/ledger/test_roots.py - `tollctl ledger root`: signed roots in a file outside the
database."""

import base64
import re
import subprocess

import pytest

from kit.check import ROOT
from kit.database.ledger import WITHOUT_TRIGGERS, charge
from kit.database.roots import notary  # noqa: F401 - a fixture
from kit.database.roots import Key, Notary, leaf, merkle_root, read_roots, root_of_path
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

pytestmark = pytest.mark.xdist_group("roots")


def test_blocks(notary):
    first = notary.run()
    assert (first["accounts"], first["changed"], first["file"]) == (1, 1, str(notary.file))
    notary.run()
    others = [notary.db.ask("account", "create", str(n), "--credits", "5")["account"] for n in range(6)]
    charge(notary.db, notary.account, 3)
    third = notary.run()
    assert (third["accounts"], third["changed"]) == (7, 7)
    blocks = read_roots(notary.file)
    assert [len(block.heads) for block in blocks] == [1, 0, 7]
    assert blocks[2].heads == notary.heads()
    assert {head[0] for head in blocks[2].heads} == {notary.account, *others}
    assert blocks[2].entries == notary.db.sql("select count(*) from ledger_entry")[0][0]
    assert (blocks[2].root, blocks[2].time) == (third["root"], third["time"])
    for block in blocks:
        signed, signature = block.line.encode().rsplit(b" ", 1)
        assert notary.key.has_signed(signed, base64.b64decode(signature), notary.folder)
        assert not notary.key.has_signed(signed + b" ", base64.b64decode(signature), notary.folder)
    assert notary.file.stat().st_mode & 0o777 == 0o640


def test_an_empty_ledger(db, tmp_path):
    notary = Notary(db, tmp_path)
    assert notary.run()["accounts"] == 0
    assert read_roots(notary.file)[0].root == merkle_root([]).hex()


def test_paths(notary):
    """Each path leads from its account's head to the root, for trees of 1 to 12 leaves."""
    for number in range(12):
        notary.db.ask("account", "create", str(number), "--credits", "5")
        notary.run()
    charge(notary.db, notary.account, 3)
    notary.run()
    heads = {account: (seq, head) for account, seq, head in notary.heads()}
    roots = {block.time: block for block in read_roots(notary.file)}
    assert {account: seq for account, (seq, _) in notary.proofs().items()} == {
        account: seq for account, (seq, _) in heads.items()}
    count = 0
    for account, seq, at, index, path in notary.db.sql(
            "select p.account_id::text, p.seq, r.line, p.leaf, p.path from ledger_proof p join ledger_root r"
            " using (root_at) order by root_at"):
        [(head,)] = notary.db.sql("select encode(hash, 'hex') from ledger_entry where account_id = %s and seq = %s",
                                  account, seq)
        block = roots[at.split()[1]]
        assert block.line == at
        assert root_of_path(leaf(account, seq, head), index, block.accounts, bytes(path)) == block.root
        count += 1
    assert count == 13 + 1


# ---- refusals ----

DAMAGES = [
    ("the newest entry is gone", "delete from ledger_entry where account_id = %(account)s and seq = %(seq)s;"
     " update account_balance b set seq = b.seq - 1, head = e.hash from ledger_entry e"
     " where b.account_id = %(account)s and e.account_id = b.account_id and e.seq = b.seq - 1",
     "the database does not have entry %(seq)s of the file"),
    ("another hash", "update ledger_entry set hash = sha256('x') where account_id = %(account)s and seq = %(seq)s;"
     " update account_balance set head = sha256('x') where account_id = %(account)s",
     "the database does not have entry %(seq)s of the file"),
    ("all entries are gone", "delete from ledger_entry where account_id = %(account)s;"
     " update account_balance set seq = 0 where account_id = %(account)s",
     "the database does not have entry %(seq)s of the file"),
    ("the account is gone", "delete from ledger_entry where account_id = %(account)s;"
     " delete from account_balance where account_id = %(account)s",
     "the database does not have entry %(seq)s of the file"),
    ("only the entry is gone", "delete from ledger_entry where account_id = %(account)s and seq = %(seq)s",
     "its head is not the hash of its newest entry, %(seq)s"),
]


@pytest.mark.parametrize("damage, why", [pytest.param(*row[1:], id=row[0]) for row in DAMAGES])
def test_a_changed_history(notary, damage, why):
    notary.run()
    values = {"account": f"'{notary.account}'", "seq": notary.heads()[0][1]}
    notary.db.sql(WITHOUT_TRIGGERS + damage % values, role="postgres")
    error = notary.refuse()
    assert f"account {notary.account}: " in error and why % values in error


FILES = [
    ("a changed line", lambda text: text.replace("head ", "head 0", 1), "line 1: is not a line of a root file"),
    ("a changed root", lambda text: text.replace("Z 1 ", "Z 2 ", 1), "line 2: the signature is not of this key"),
    ("the first block is missing", lambda text: "".join(text.splitlines(True)[2:]), "its first blocks are missing"),
    ("the last block cut off", lambda text: "".join(text.splitlines(True)[:-1]),
     "ends with the root of"),
    ("another file", lambda text: "".join(text.splitlines(True)[:2]), "it was cut off, or is another file"),
]


def test_a_changed_file(notary):
    for _ in range(3):
        notary.run()
    whole = notary.file.read_text()
    for name, edit, why in FILES:
        notary.file.write_text(edit(whole))
        assert why in notary.refuse(), name


def test_keys(notary, tmp_path):
    good = notary.key
    notary.run()
    notary.key = Key(tmp_path, "other")
    assert "another key signed it" in notary.refuse()
    good.private.chmod(0o640)
    notary.key = good
    assert "other users can read it; run chmod 600" in notary.refuse()
    good.private.chmod(0o600)
    for words in (["-algorithm", "ed448"], ["-algorithm", "ed25519", "-aes256", "-pass", "pass:x"]):
        subprocess.run(["openssl", "genpkey", *words, "-out", good.private], check=True, capture_output=True)
        assert "is not a private Ed25519 key in PEM without a password" in notary.refuse()
    good.private.write_bytes(good.public.read_bytes())
    assert "is not a private Ed25519 key" in notary.refuse()
    good.private.unlink()
    assert "cannot be opened: No such file" in notary.refuse()


def test_files_that_cannot_be_used(notary, tmp_path):
    for notary.file, why in ((tmp_path, "cannot be opened: Is a directory"),
                             (tmp_path / "no" / "file", "cannot be opened: No such file"),
                             (tmp_path / "pipe", "is not a file")):
        if notary.file.name == "pipe":
            subprocess.run(["mkfifo", notary.file], check=True)
        assert why in notary.db.refuse(1, *notary.arguments())
    assert notary.db.sql("select from ledger_root") == []
    assert "--to is missing" in notary.db.refuse(64, "ledger", "root", "--key", notary.key.private)


# ---- interrupted runs ----

def test_a_torn_block(notary):
    """The bytes of a run that was killed while it wrote are cut off. Nothing of it was stored."""
    notary.run()
    for missing in ("a byte", "half of the root", "the root", "half of a head"):
        whole = notary.file.read_bytes()
        stored = notary.db.sql("select max(root_at) from ledger_root")[0]
        charge(notary.db, notary.account, 3)
        notary.run()
        for table in ("ledger_proof", "ledger_root"):
            notary.db.sql(f"delete from {table} where root_at > %s", *stored)
        block = notary.file.read_bytes()[len(whole):]
        head = block.index(b"\n") + 1
        kept = {"a byte": len(block) - 1, "half of the root": head + 40, "the root": head, "half of a head": 30}
        notary.file.write_bytes(whole + block[:kept[missing]])
        out = notary.db.tell(*notary.arguments())
        assert "incomplete block of an interrupted run, which was cut off" in out
    blocks = read_roots(notary.file)
    assert [len(block.heads) for block in blocks] == [1] * 5
    assert notary.proofs() == {notary.account: (notary.heads()[0][1], blocks[4].time)}


def test_a_run_that_ended_before_it_stored(notary):
    notary.run()
    charge(notary.db, notary.account, 3)
    second = notary.run()
    notary.db.sql("delete from ledger_proof where root_at = %s; ", second["time"])
    notary.db.sql("delete from ledger_root where root_at = %s; ", second["time"])
    third = notary.run()
    assert third["changed"] == 0
    assert notary.proofs() == {notary.account: (notary.heads()[0][1], third["time"])}
    assert len(read_roots(notary.file)) == 3


def test_a_database_that_refuses(notary):
    """The file is written first. What could not be stored is stored with the next root."""
    notary.db.sql("alter table ledger_root add check (false)")
    assert "is in the file, but is not stored for proofs" in notary.db.refuse(1, *notary.arguments())
    assert len(read_roots(notary.file)) == 1
    notary.db.sql("alter table ledger_root drop constraint ledger_root_check")
    notary.run()
    assert len(read_roots(notary.file)) == 2 and len(notary.proofs()) == 1


def test_a_full_disk(notary):
    """A block that cannot be written whole is cut off, and nothing is stored in the database."""
    notary.run()
    stored = notary.db.sql("select line from ledger_root"), notary.proofs()
    charge(notary.db, notary.account, 3)
    argv = notary.db._argv
    for room in (0, 1, 200):
        limit = notary.file.stat().st_size + room
        notary.db._argv = ["env", "--ignore-signal=XFSZ", "prlimit", f"--fsize={limit}", *argv]
        assert "cannot be written: File too large; nothing was changed" in notary.refuse()
        assert (notary.db.sql("select line from ledger_root"), notary.proofs()) == stored
    notary.db._argv = argv
    assert notary.run()["changed"] == 1
    assert len(read_roots(notary.file)) == 2


def test_two_runs_take_turns(notary):
    runs = [notary.db.start(*notary.arguments()) for _ in range(4)]
    assert [(run.communicate(timeout=60)[1], run.returncode) for run in runs] == [("", 0)] * 4
    assert [len(block.heads) for block in read_roots(notary.file)] == [1, 0, 0, 0]


def test_a_new_file_continues_the_old_one(notary):
    notary.run()
    last = read_roots(notary.file)[-1]
    notary.file.rename(notary.folder / "old.roots")
    assert notary.run("--new-file")["changed"] == 1
    [block] = read_roots(notary.file, start=last.digest)
    assert len(block.heads) == 1
    assert "has roots already; run this without --new-file" in notary.refuse("--new-file")


def test_a_file_that_is_not_there(notary):
    """An emptied, deleted or not mounted file is not replaced in silence."""
    assert notary.run("--new-file")["accounts"] == 1
    time = read_roots(notary.file)[-1].time
    why = f"has no root, but the database has roots up to {time}"
    notary.file.write_text("")
    assert why in notary.refuse() and why in notary.refuse("--after-restore")
    notary.file.write_text("head 1")
    assert why in notary.refuse()
    notary.file.unlink()
    assert why in notary.refuse()
    assert not notary.file.exists()
    notary.file.write_text("head 1")
    assert "which was cut off" in notary.db.tell(*notary.arguments("--new-file"))
    notary.run()


def test_paths_that_are_deleted(notary):
    """The statement of docs/operate/evidence.md: of old paths, the newest one of 10,000 entries."""
    statement = re.search(r"```sql\n(.*?)```", (ROOT / "docs/operate/evidence.md").read_text(), re.S)[1]
    notary.db.sql("insert into ledger_root select current_date - n, n, '' from generate_series(1, 100) n")
    notary.db.sql("insert into ledger_proof select account_id, s, current_date - n, 0, ''"
                  "  from account, (values (9000, 98), (9999, 97), (10000, 96), (12000, 95), (19000, 80), (19500, 70))"
                  " as v (s, n)")
    notary.db.sql(statement)
    assert notary.db.sql("select seq from ledger_proof order by 1") == [(9999,), (12000,), (19000,), (19500,)]


# ---- restores ----

def test_after_a_restore(notary, new_database):
    fresh = notary.db.ask("account", "create", "gone", "--credits", "5")["account"]
    notary.run()
    backup = new_database(notary.db._name)
    seq = dict(row[:2] for row in notary.heads())
    backup.sql(WITHOUT_TRIGGERS + f"delete from ledger_entry where account_id = '{fresh}';"
               f" update account_balance set seq = 0, posted = 0, granted = 0, head = decode(repeat('0', 64), 'hex')"
               f" where account_id = '{fresh}'", role="postgres")
    for _ in range(3):
        charge(notary.db, notary.account, 1)
        notary.run()
    notary.db = backup
    assert "or add --after-restore if a backup was restored" in notary.refuse()
    answer = notary.run("--after-restore")
    assert (answer["cut_accounts"], answer["lost_entries"]) == (2, 3 + 1)
    block = read_roots(notary.file)[-1]
    assert block.cut == block.time == answer["time"]
    assert block.lost == sorted([(notary.account, seq[notary.account] + 1, seq[notary.account] + 3), (fresh, 1, 1)])
    assert dict(head[:2] for head in block.heads) == {notary.account: seq[notary.account], fresh: 0}
    assert [row for row in notary.db.audit() if row[1] == "ledger root"][0][3] == (
        f"{answer['time']}: 2 accounts, 4 entries lost")
    charge(notary.db, notary.account, 1)
    assert notary.run()["changed"] == 1
    assert len(read_roots(notary.file)) == 6


def test_after_a_restore_between_roots(notary, new_database):
    """The backup has entries that no root covers, and nothing proves that they are the old ones."""
    notary.run()
    seq = notary.heads()[0][1]
    charge(notary.db, notary.account, 1)
    charge(notary.db, notary.account, 1)
    backup = new_database(notary.db._name)
    charge(notary.db, notary.account, 1)
    notary.run()
    notary.db = backup
    notary.run("--after-restore")
    assert read_roots(notary.file)[-1].lost == [(notary.account, seq + 1, seq + 3)]


def test_after_a_restore_with_fewer_new_calls_than_were_lost(notary, new_database):
    """The new entries have numbers of lost ones, and the newest number is below the last root."""
    notary.run()
    seq = notary.heads()[0][1]
    backup = new_database(notary.db._name)
    for _ in range(5):
        charge(notary.db, notary.account, 1)
    notary.run()
    notary.db = backup
    for _ in range(2):
        charge(notary.db, notary.account, 2)
    assert notary.run("--after-restore")["lost_entries"] == 5
    assert read_roots(notary.file)[-1].lost == [(notary.account, seq + 1, seq + 5)]


def test_after_a_restore_to_before_the_file(notary, new_database):
    """The newest root of the restored database is in an older file than the one that goes on."""
    notary.run()
    backup = new_database(notary.db._name)
    charge(notary.db, notary.account, 1)
    last = notary.run() and read_roots(notary.file)[-1]
    notary.file.rename(notary.folder / "old.roots")
    notary.run("--new-file")
    notary.db = backup
    assert "after a restore, add --after-restore\n" in notary.refuse()
    notary.run("--after-restore")
    assert read_roots(notary.file, start=last.digest)[-1].lost == [(notary.account, 1, last.heads[0][1])]


def test_a_torn_block_after_a_restore(notary, new_database):
    notary.run()
    backup = new_database(notary.db._name)
    charge(notary.db, notary.account, 1)
    notary.run()
    with notary.file.open("a") as file:
        file.write("head 1")
    notary.db = backup
    assert "incomplete block of an interrupted run, which was cut off" in notary.db.tell(
        *notary.arguments("--after-restore"))


def test_after_a_restore_with_new_calls(notary, new_database):
    """The numbers of the lost entries are in use again."""
    notary.run()
    seq = notary.heads()[0][1]
    charge(notary.db, notary.account, 1)
    backup = new_database(notary.db._name)
    notary.run()
    for _ in range(2):
        charge(notary.db, notary.account, 1)
        notary.run()
    notary.db = backup
    for _ in range(4):
        charge(notary.db, notary.account, 2)
    assert "does not have entry" in notary.refuse()
    notary.run("--after-restore")
    assert read_roots(notary.file)[-1].lost == [(notary.account, seq + 2, seq + 3)]


def test_after_a_second_restore(notary, new_database):
    notary.run()
    seq = notary.heads()[0][1]
    backup = new_database(notary.db._name)
    for lost in (2, 3):
        notary.db = new_database(backup._name)
        for _ in range(lost):
            charge(notary.db, notary.account, 1)
            notary.run(*["--after-restore"] if len(read_roots(notary.file)) == 3 else [])
    notary.db = backup
    notary.run("--after-restore")
    blocks = read_roots(notary.file)
    assert [block.lost for block in blocks if block.cut] == [[(notary.account, seq + 1, seq + 2)],
                                                            [(notary.account, seq + 1, seq + 3)]]


def test_after_restore_without_a_loss(notary):
    """A run of each hour with --after-restore would excuse every change."""
    notary.run()
    assert "run this without --after-restore" in notary.refuse("--after-restore")


# ---- rights ----

def test_rights(db):
    for role in ("tollgate_gateway", "tollgate_portal", "tollgate_operator"):
        granted = db.sql("select privilege_type, table_name from information_schema.role_table_grants"
                         " where grantee = %s and table_name in ('ledger_root', 'ledger_proof') order by 2", role)
        assert granted == ([] if role == "tollgate_gateway" else [("SELECT", "ledger_proof"), ("SELECT", "ledger_root")])
        writes = db.sql("select has_function_privilege(%s, f.oid, 'execute') from pg_proc f"
                        " where f.proname in ('ledger_root_add', 'ledger_proofs_add')", role)
        assert writes == [(role == "tollgate_operator",)] * 2
