"""tests/api/ledger/test_roots_against.py - `tollctl verify --against`: a history that was changed
consistently, and root files that were changed."""

import json
import shutil

import pytest

from kit.database.ledger import RECHAIN, WITHOUT_TRIGGERS, charge
from kit.database.roots import notary  # noqa: F401 - a fixture
from kit.database.roots import Key, read_roots
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

pytestmark = pytest.mark.xdist_group("roots")


def against(notary, *files, key=None, more=()):
    """(exit status, the answer's part about the roots)"""
    words = [word for file in files or [notary.file] for word in ("--against", file)]
    status, out, err = notary.db.run("verify", *words, "--key", key or notary.key.public, *more, "--json")
    assert err == ""
    answer = json.loads(out)
    assert status == (0 if answer["ok"] else 1)
    assert answer["roots"]["ok"] == (answer["roots"]["findings"] == [])
    return status, answer["roots"]


def finding(notary, *files, **options):
    """The text of the only finding."""
    status, roots = against(notary, *files, **options)
    [found] = roots["findings"]
    assert (status, roots["count"]) == (1, 1)
    return found


def story(notary):
    """Three roots: over entries 1 and 2, 3 and 4, and 5. Returns their times."""
    times = [notary.run()["time"]]
    for charges in (2, 1):
        for _ in range(charges):
            charge(notary.db, notary.account, 1)
        times.append(notary.run()["time"])
    return times


def test_a_right_history(notary):
    times = story(notary)
    status, roots = against(notary)
    assert (status, roots) == (0, {"roots": 3, "from": times[0], "to": times[2], "accounts": 1, "earlier_roots": False,
                                   "newer_root": None, "cuts": [], "ok": True, "count": 0, "findings": []})
    charge(notary.db, notary.account, 1)
    out = notary.db.tell("verify", "--against", notary.file, "--key", notary.key.public)
    assert " -  the history of each account is the one of the signed roots " in out and out.count(" ok\n") == 18


# What is changed, so that everything adds up afterwards; the entry that a root shows to differ, and
# the last one that is right.
CHANGES = [
    ("the reference of a charge", "update ledger_entry set reference = gen_random_uuid() where seq = 4", (4, 2)),
    ("the time of a grant", "update ledger_entry set at = at - interval '1 day' where seq = 1", (2, None)),
    ("the tool of the newest charge", "update ledger_entry set tool_id = tool_number('qr-generate') where seq = 5",
     (5, 4)),
    ("the token of a charge", "update ledger_entry set token_id = gen_random_uuid() where seq = 3", (4, 2)),
    ("the price of two charges, exchanged", "update ledger_entry set amount = amount - 1, balance_after ="
     " balance_after - 1 where seq = 3; update ledger_entry set amount = amount + 1 where seq = 2;"
     " update ledger_entry set balance_after = balance_after + 1 where seq in (2, 3)", (2, None)),
]


@pytest.mark.parametrize("change, places", [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_a_history_that_was_changed_consistently(notary, change, places):
    times = story(notary)
    entries, kept = places
    notary.db.sql(WITHOUT_TRIGGERS + "delete from hold; delete from usage_day; delete from usage_roll; " + change + RECHAIN,
                  role="postgres")
    notary.db.ask("verify", "--whole")
    found = finding(notary)
    assert found["account"] == notary.account
    at = {2: times[0], 4: times[1], 5: times[2]}
    rest = (f"entries after {kept} (root of {at[kept]}) may have been changed" if kept
            else "all entries up to it may have been changed")
    assert found["detail"] == f"entry {entries} is missing or differs from the root of {at[entries]}; {rest}"
    assert finding(notary, more=("--account", notary.account)) == found
    other = notary.db.ask("account", "create", "other", "--credits", "1")["account"]
    assert against(notary, more=("--account", other))[0] == 0
    status, out, _ = notary.db.run("verify", "--against", notary.file, "--key", notary.key.public)
    assert status == 1 and f"entry {entries} is missing" in out


def test_entries_that_are_gone(notary):
    """An account whose newest entries, or all entries, were deleted."""
    times = story(notary)
    notary.db.sql(WITHOUT_TRIGGERS + "delete from ledger_entry where seq > 3; update account_balance b set seq = 3,"
                  " head = e.hash, posted = e.balance_after, used = granted - e.balance_after from ledger_entry e"
                  " where e.seq = 3", role="postgres")
    assert finding(notary)["detail"].startswith(f"entry 4 is missing or differs from the root of {times[1]}; ")
    notary.db.sql(WITHOUT_TRIGGERS + "delete from hold; delete from ledger_entry; delete from account_balance;"
                  " delete from token; delete from ledger_proof; delete from account", role="postgres")
    assert finding(notary)["detail"].startswith(f"entry 2 is missing or differs from the root of {times[0]}; ")


# ---- restores ----

def test_after_a_restore(notary, new_database):
    notary.run()
    backup = new_database(notary.db._name)
    for _ in range(3):
        charge(notary.db, notary.account, 1)
        notary.run()
    notary.db = backup
    assert finding(notary)["detail"].startswith("entry 3 is missing")
    cut = notary.run("--after-restore")["time"]
    for _ in range(4):
        charge(notary.db, notary.account, 2)
    notary.run()
    status, roots = against(notary)
    assert (status, roots["cuts"]) == (0, [{"time": cut, "accounts": 1, "lost_entries": 3}])
    out = notary.db.tell("verify", "--against", notary.file, "--key", notary.key.public)
    assert cut in out and "lost_entries" in out
    notary.db.sql(WITHOUT_TRIGGERS + "update ledger_entry set at = at - interval '1 day' where seq = 2;" + RECHAIN,
                  role="postgres")
    assert finding(notary)["detail"].startswith("entry 2 is missing or differs")


def restored_to_before_the_file(notary, new_database):
    """A backup with the entries 1 to 3, the first two in a root. Then entry 4, the second root, and
    a new file, whose only root has entry 5 too. The backup is restored. Returns the older file and
    the times of the roots."""
    times = [notary.run()["time"]]
    charge(notary.db, notary.account, 1)
    backup = new_database(notary.db._name)
    charge(notary.db, notary.account, 1)
    times.append(notary.run()["time"])
    older = notary.file.rename(notary.folder / "older.roots")
    charge(notary.db, notary.account, 1)
    times.append(notary.run("--new-file")["time"])
    notary.db = backup
    return older, times


def test_a_restore_to_before_the_file(notary, new_database):
    """Before the cut is recorded, all files together show what is left. Afterwards all entries that
    the newest file has of the account count as lost."""
    older, times = restored_to_before_the_file(notary, new_database)
    assert f"ends with the root of {times[2]}, but the database has one of {times[0]}" in notary.refuse()
    alone, both = finding(notary), finding(notary, older, notary.file)
    assert alone["detail"] == (f"entry 5 is missing or differs from the root of {times[2]}; all entries up to it may have"
                               " been changed")
    assert both["detail"] == (f"entry 4 is missing or differs from the root of {times[1]}; entries after 2 (root of"
                              f" {times[0]}) may have been changed")
    cut = notary.run("--after-restore")
    assert cut["lost_entries"] == 5
    for files in ([notary.file], [older, notary.file]):
        status, roots = against(notary, *files)
        assert (status, roots["cuts"]) == (0, [{"time": cut["time"], "accounts": 1, "lost_entries": 5}])
        assert (roots["to"], roots["earlier_roots"], roots["newer_root"]) == (cut["time"], len(files) == 1, None)
    assert finding(notary, older)["detail"].startswith("entry 4 is missing or differs")


@pytest.mark.parametrize("is_cut", [False, True], ids=["before the cut", "after the cut"])
def test_a_change_after_a_restore_to_before_the_file(notary, new_database, is_cut):
    """The cut excuses what was changed before it, although an older file has the entry. So compare
    with all files first. What is changed later is found."""
    older, _ = restored_to_before_the_file(notary, new_database)
    if is_cut:
        notary.run("--after-restore")
    notary.db.sql(WITHOUT_TRIGGERS + "delete from hold; delete from usage_day; delete from usage_roll;"
                  " update ledger_entry set at = at - interval '1 day' where seq = 2;" + RECHAIN, role="postgres")
    if is_cut:
        assert finding(notary, older, notary.file)["detail"].startswith("entry 3 is missing or differs")
    else:
        found = finding(notary, older, notary.file)["detail"]
        assert found.startswith("entry 2 is missing or differs") and found.endswith("all entries up to it may have been changed")
        notary.run("--after-restore")
        assert against(notary, older, notary.file)[0] == 0


# ---- files ----

def edited(notary, edit):
    """A copy of the file with its lines edited."""
    file = notary.folder / "edited.roots"
    file.write_text("".join(edit(notary.file.read_text().splitlines(True))))
    return file


# Of the lines head, head, root, head, root, head, root.
FILES = [
    ("cut off in the last line", lambda lines: [*lines[:6], lines[6][:-2]], "ends with an incomplete block after the root"),
    ("cut off before the last root", lambda lines: lines[:6], "ends with an incomplete block after the root"),
    ("nothing left", lambda lines: [], "has no root"),
    ("a removed block", lambda lines: lines[:3] + lines[5:], "line 5: the root of"),
    ("the first block removed", lambda lines: lines[3:], "its first blocks are missing"),
    ("exchanged blocks", lambda lines: lines[:3] + lines[5:] + lines[3:5], "line 5: the root of"),
    ("a line without a signature", lambda lines: [*lines[:2], lines[2].rsplit(" ", 1)[0] + "\n", *lines[3:]],
     "line 3: is not a line of a root file"),
    ("a changed head", lambda lines: [lines[0].replace(" 2 ", " 3 "), *lines[1:]], "line 3: the lines before this root"),
    ("a removed head", lambda lines: lines[1:], "line 2: the lines before this root"),
    ("another text", lambda lines: ["hello\n"], "line 1: is not a line of a root file"),
]


def test_changed_files(notary):
    other = notary.db.ask("account", "create", "other", "--credits", "1")["account"]
    charge(notary.db, other, 1)
    story(notary)
    for name, edit, why in FILES:
        found = finding(notary, edited(notary, edit))
        assert found["account"] is None and why in found["detail"], name
    assert "another key signed it" in finding(notary, key=Key(notary.folder, "other").public)["detail"]


def test_the_last_blocks_removed(notary):
    """It may be an older copy. The newest root in the database shows that there is a newer one."""
    times = story(notary)
    status, roots = against(notary, edited(notary, lambda lines: lines[:4]))
    assert (status, roots["to"], roots["newer_root"]) == (0, times[1], times[2])


def test_several_files_and_keys(notary):
    story(notary)
    files, old = [notary.folder / f"{n}.roots" for n in range(3)], notary.key
    for file in files:
        notary.file.rename(file)
        charge(notary.db, notary.account, 1)
        notary.key = Key(notary.folder, file.stem)
        notary.run("--new-file")
    keys = [old.public, *(notary.folder / f"{n}.pub" for n in range(3))]
    more = [word for key in keys[1:] for word in ("--key", key)]
    files.append(notary.file)
    assert against(notary, *files, key=keys[0], more=more) == (0, against(notary, *files, key=keys[0], more=more)[1])
    status, roots = against(notary, *files[1:], key=keys[0], more=more)
    assert (status, roots["earlier_roots"], roots["roots"]) == (0, True, 3)
    assert "does not follow" in finding(notary, files[0], files[2], key=keys[0], more=more)["detail"]
    assert "does not follow" in finding(notary, files[1], files[0], key=keys[0], more=more)["detail"]
    assert "another key signed it" in finding(notary, *files, key=keys[0])["detail"]


def test_what_cannot_be_read(notary, tmp_path):
    notary.run()
    for options, status, why in (
            (("--against", tmp_path / "none", "--key", notary.key.public), 70, "none: cannot be opened: No such file"),
            (("--against", tmp_path, "--key", notary.key.public), 70, "is not a file"),
            (("--against", notary.file, "--key", tmp_path / "none"), 70, "none: cannot be opened"),
            (("--against", notary.file, "--key", notary.file), 70, "is not a public Ed25519 key"),
            (("--against", notary.file), 64, "--against needs the public key"),
            (("--key", notary.key.public), 64, "--key needs --against")):
        was, out, err = notary.db.run("verify", *options)
        assert (was, out) == (status, "") and why in err
        assert notary.db.run("verify", *options, "--json")[0] == status
