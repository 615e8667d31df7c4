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


def report(db, now, *backups, error=""):
    """The type of backup that is due at that time."""
    info = [{"name": "tollgate", "status": {"code": 0, "message": "ok"}, "backup": list(backups)}]
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
        "is_only": True, "reported_at": None, "full_at": None, "backup_at": None, "oldest_at": None, "backups": 0,
        "bytes": 0, "error": "x" * 1000}
    report(db, NIGHT, backup("full", NIGHT - 2 * DAY), backup("diff", NIGHT - DAY, stored=20))
    at = {name: datetime.fromisoformat(value) for name, value in state(db).items() if name.endswith("_at")}
    assert at.pop("reported_at") - NIGHT < timedelta(minutes=5)
    assert at == {"full_at": NIGHT - 2 * DAY, "backup_at": NIGHT - DAY, "oldest_at": NIGHT - 2 * DAY + timedelta(minutes=1)}
    assert (state(db)["backups"], state(db)["bytes"], state(db)["error"]) == (2, 1020, None)


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
    report(db, now, backup("full", now - timedelta(hours=27)))
    assert status(db) == "the newest backup is older than 26 hours"
    report(db, now, backup("full", now - timedelta(hours=25)))
    assert status(db) == "no segment of the write-ahead log was archived for 5 minutes"
    report(db, now - timedelta(minutes=16), backup("full", now - timedelta(hours=25)))
    assert status(db) == "the backup service has not reported for 15 minutes"
