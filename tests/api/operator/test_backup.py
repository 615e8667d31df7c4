"""tests/api/operator/test_backup.py - when a backup is due, and `tollctl backup status`.

tests/compose/test_restore.py makes and restores real backups.
"""

import json
from datetime import datetime, timedelta, timezone

import psycopg2
import pytest

from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

pytestmark = pytest.mark.xdist_group("backup")
DAY = timedelta(days=1)
NIGHT = datetime(2030, 5, 15, 3, 0, 0, tzinfo=timezone.utc)  # a Wednesday, at BACKUP_TIME
DAILY = "03:00"


def backup(type, began_at, seconds=60, stored=1000):
    """A backup in pgBackRest's output, with what is read of it and some of what is not."""
    begun = int(began_at.timestamp())
    return {"label": f"{began_at:%Y%m%d-%H%M%S}{type[0].upper()}", "type": type, "error": False,
            "timestamp": {"start": begun, "stop": begun + seconds},
            "info": {"delta": 9 * stored, "size": 10 * stored, "repository": {"delta": stored, "size": 2 * stored}}}


def report(db, now, *backups, error="", unread=None):
    """The type of backup that is due at that time. unread: why pgBackRest cannot read the
    repository."""
    status = {"code": 99, "message": unread} if unread else {"code": 0, "message": "ok"}
    info = [{"name": "tollgate", "status": {"code": status["code"], "message": "other" if unread else "ok"},
             "repo": [{"key": 1, "cipher": "none", "status": status}], "backup": list(backups)}]
    shift_ms = int((now - datetime.now(timezone.utc)).total_seconds() * 1000)
    [[due]] = db.sql(f"set local tollgate.clock_shift_ms = {shift_ms}; select backup_report(%s, %s, %s)",
                     json.dumps(info), DAILY, error)
    return due


def state(db):
    return db.sql("select to_jsonb(s) from backup_state s")[0][0]


@pytest.mark.parametrize("now, backups, due", [
    (NIGHT, [], "full"),
    (NIGHT, [("diff", NIGHT - DAY)], "full"),
    (NIGHT + timedelta(hours=20), [("full", NIGHT + timedelta(minutes=1))], None),
    (NIGHT + DAY - timedelta(minutes=1), [("full", NIGHT)], None),
    (NIGHT + DAY + timedelta(minutes=1), [("full", NIGHT)], "diff"),
    (NIGHT + DAY + timedelta(minutes=2), [("full", NIGHT), ("diff", NIGHT + DAY + timedelta(minutes=1))], None),
    (NIGHT + 6 * DAY + timedelta(minutes=1), [("full", NIGHT), ("diff", NIGHT + 5 * DAY)], "diff"),
    (NIGHT + 7 * DAY + timedelta(minutes=1), [("full", NIGHT), ("diff", NIGHT + 6 * DAY)], "full"),
    (NIGHT + 7 * DAY + timedelta(minutes=1), [("full", NIGHT + timedelta(hours=11)), ("diff", NIGHT + 6 * DAY)], "full"),
    (NIGHT - timedelta(minutes=1), [("full", NIGHT - DAY - timedelta(hours=9))], "diff"),
], ids=["none", "no-full", "same-day", "not-yet", "next-day", "done", "sixth-day", "week", "week-from-afternoon", "missed"])
def test_due(db, now, backups, due):
    assert report(db, now, *(backup(*each) for each in backups)) == due


def test_a_report(db):
    """One row, with the newest report."""
    report(db, NIGHT - DAY, error="x" * 5000)
    assert state(db) | {"reported_at": None} == {
        "is_only": True, "reported_at": None, "moved_at": None, "full_at": None, "backup_at": None, "oldest_at": None, "backups": 0,
        "bytes": 0, "error": "x" * 1000}
    report(db, NIGHT, backup("full", NIGHT - 2 * DAY), backup("diff", NIGHT - DAY, stored=20))
    at = {name: datetime.fromisoformat(value) for name, value in state(db).items() if name.endswith("_at") and value}
    assert at.pop("reported_at") - NIGHT < timedelta(minutes=5)
    assert at == {"full_at": NIGHT - 2 * DAY, "backup_at": NIGHT - DAY, "oldest_at": NIGHT - 2 * DAY + timedelta(minutes=1)}
    assert (state(db)["backups"], state(db)["bytes"], state(db)["error"]) == (2, 1020, None)


def test_a_repository_that_was_used_before(db):
    """The log between its backups and now is not in it, so only a new full backup counts."""
    old, new = backup("full", NIGHT - 2 * DAY), backup("full", NIGHT)
    moved = NIGHT + timedelta(hours=1)
    assert report(db, moved - timedelta(minutes=1), new) is None
    assert [report(db, moved, old), report(db, moved + timedelta(minutes=1), old)] == ["full", "full"]
    assert (state(db)["backups"], state(db)["full_at"], state(db)["backup_at"], state(db)["oldest_at"]) == (1, None, None, None)
    late = backup("diff", moved + timedelta(minutes=2))
    assert report(db, moved + timedelta(minutes=4), old, late) == "full"
    made = backup("full", moved + timedelta(minutes=5))
    assert report(db, moved + timedelta(minutes=7), old, late, made) is None
    assert datetime.fromisoformat(state(db)["full_at"]) == moved + timedelta(minutes=5)


def test_a_new_repository(db):
    """A backup that fails there stays due, also if the repository before is used again."""
    old = backup("full", NIGHT)
    assert report(db, NIGHT + timedelta(minutes=2), old) is None
    assert report(db, NIGHT + timedelta(minutes=3)) == "full"
    assert report(db, NIGHT + timedelta(minutes=4), error="disk full") == "full"
    assert report(db, NIGHT + timedelta(minutes=5), old) == "full"
    assert state(db)["backup_at"] is None


def test_a_repository_that_cannot_be_read(db):
    """For some minutes: what was known of it stays, and no full backup follows."""
    old = backup("full", NIGHT)
    assert report(db, NIGHT + timedelta(minutes=2), old) is None
    before = state(db)
    assert report(db, NIGHT + DAY, unread="[HostConnectError] unable to connect") is None
    assert state(db) | {"reported_at": None} == before | {
        "reported_at": None, "error": "the repository cannot be read: [HostConnectError] unable to connect"}
    assert report(db, NIGHT + DAY + timedelta(minutes=2), old) == "diff"
    assert (state(db)["moved_at"], state(db)["error"]) == (None, None)


def test_expired_backups(db):
    """The newest one is still there: nothing is due."""
    old, new = backup("full", NIGHT - 6 * DAY), backup("full", NIGHT)
    assert report(db, NIGHT + timedelta(minutes=2), old, new) is None
    assert report(db, NIGHT + timedelta(minutes=3), new) is None
    assert state(db)["moved_at"] is None


def test_other_roles_cannot_report(db):
    for role in ("tollgate_gateway", "tollgate_portal", "tollgate_operator"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            db.sql("select backup_report('[]', '03:00', '')", role=role)
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            db.sql("delete from backup_state", role=role)


def status(db):
    code, out, err = db.run("backup", "status", "--json")
    assert err == ""
    found = json.loads(out)
    assert found["ok"] == (code == 0) == (found["status"] == "ok")
    return found["status"]


def test_status(db):
    """The first reason that applies; the cluster of these tests archives nothing."""
    now = datetime.now(timezone.utc)
    assert "no backup service has reported" in db.refuse(1, "backup", "status")
    report(db, now)
    assert status(db) == "there is no backup yet"
    report(db, now, error="disk full")
    assert status(db) == "the last backup failed"
    report(db, now, unread="[HostConnectError] unable to connect")
    assert status(db) == "the repository cannot be read"
    report(db, now, backup("full", now - timedelta(hours=27)))
    assert status(db) == "the newest backup is older than 26 hours"
    report(db, now, backup("full", now - timedelta(hours=25)))
    assert status(db) == "no segment of the write-ahead log was archived for 5 minutes"
    report(db, now - timedelta(minutes=16), backup("full", now - timedelta(hours=25)))
    assert status(db) == "the backup service has not reported for 15 minutes"
