"""tests/api/ledger/test_request_write.py - the request log in SQL: who may write and read it, what
is written once, clocks that jump, days that end, pages that search."""

import datetime
import hashlib
import threading
import uuid

import psycopg2
import pytest

from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

GATEWAY, PORTAL = "tollgate_gateway", "tollgate_portal"
NOBODY = "00000000-0000-0000-0000-000000000000"
HOUR, DAY = 3_600_000, 86_400_000
COLUMNS = {"token": 1, "age_ms": 0, "client_id": None, "tool_id": None, "route": "credits", "surface": 1, "replayed": 0,
           "status": 200, "code": None, "credits": 0, "total_us": 1500, "queue_us": None, "tool_us": None,
           "bytes_in": 0, "bytes_out": 20, "ignored": 0, "network": "192.0.2.0/24"}


class Writer:
    """A gateway; shift_ms moves the database's clock."""

    def __init__(self, db):
        self.db, self.id, self.number, self.shift_ms = db, str(uuid.uuid4()), 0, 0
        self.account = db.ask("account", "create", "seen")["account"]
        self.digest = hashlib.sha256(db.ask("token", "create", self.account)["token"].encode()).digest()

    def sql(self, statement, *values, role="tollgate_owner"):
        return self.db.sql(f"set tollgate.clock_shift_ms = '{self.shift_ms}'; " + statement, *values, role=role)

    def write(self, *records, tokens=None, dropped=(), number=None):
        """Records are columns that differ from COLUMNS. Returns how many were written."""
        self.number = number or self.number + 1
        names = list(COLUMNS)
        names.insert(2, "id")
        rows = [tuple(({"id": str(uuid.uuid4())} | COLUMNS | record)[name] for name in names) for record in records]
        tokens = tokens or [(self.account, self.digest)]
        row = "(" + ", ".join(["%s"] * len(names)) + ")::request_record"
        return self.sql("select request_write(%s, %s, %s::uuid[], %s::bytea[], array[" + ", ".join([row] * len(rows)) +
                        "]::request_record[], array[" + ", ".join(["(%s, %s, %s)::request_dropped"] * len(dropped)) +
                        "]::request_dropped[])", self.id, self.number, [token[0] for token in tokens],
                        [token[1] for token in tokens], *(value for one in rows for value in one),
                        *(value for one in dropped for value in one), role=GATEWAY)[0][0]

    def count(self):
        return self.sql("select count(*) from request_log where account_id = %s", self.account)[0][0]

    def days(self):
        return [name for name, in self.sql("select inhrelid::regclass::text from pg_inherits"
                                           " where inhparent = 'request_log'::regclass order by 1")]

    def prune(self, days=30, role=PORTAL):
        return self.sql("select request_prune(%s, 1000)", days, role=role)[0][0]

    def make_clock_steady(self):
        self.sql("insert into prune_clock (seen_at, steady_since) select t, t - interval '1 day' from ledger_now() t"
                 " on conflict (is_one) do update set seen_at = excluded.seen_at, steady_since = excluded.steady_since")


@pytest.fixture
def writer(db):
    return Writer(db)


def day_name(shift_ms=0):
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(milliseconds=shift_ms)
    return f"request_log_{now:%Y%m%d}"


def test_a_batch_is_written_once(writer):
    assert writer.write({}, {"status": 404, "code": "x"}) == 2
    assert writer.write({}, number=1) == 0  # an earlier attempt committed it
    assert writer.write({}) == 1
    assert writer.count() == 3
    again = Writer.__new__(Writer)
    again.__dict__ |= writer.__dict__ | {"id": str(uuid.uuid4()), "number": 0}
    assert again.write({}) == 1  # another process


def test_only_for_tokens_it_has_seen(writer, db):
    victim = db.ask("account", "create", "victim")["account"]
    assert writer.write({}, tokens=[(victim, writer.digest)]) == 0
    assert writer.write({}, tokens=[(writer.account, b"x" * 32)]) == 0
    assert writer.write({"token": 2}) == 0
    assert writer.write({}, {"token": 2}, tokens=[(victim, writer.digest), (writer.account, writer.digest)]) == 1
    assert db.sql("select count(*) from request_log where account_id = %s", victim) == [(0,)]


@pytest.mark.parametrize("statement", [
    "select * from request_log", "insert into request_log (account_id) values (gen_random_uuid())",
    "delete from request_log", "truncate request_log", "select * from request_day", "select * from request_loss",
    "select request_prune(0, 1)", "select request_open_days('2020-01-01', '2030-01-01')", "drop table request_log",
    f"select request_page('{NOBODY}', now(), now(), '', '', '', '', 0, '', '', 1)"])
def test_rights_of_a_gateway(writer, db, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        db.sql(statement, role=GATEWAY)


@pytest.mark.parametrize("statement", [
    "insert into request_log (account_id) values (gen_random_uuid())", "delete from request_log",
    "update request_day set calls = 0", "delete from request_loss", "drop table request_log",
    f"select request_write('{NOBODY}', 1, '{{}}', '{{}}', '{{}}', '{{}}')"])
def test_rights_of_a_portal(db, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        db.sql(statement, role=PORTAL)


def test_a_gateway_reads_only_with_a_token(writer, db):
    writer.write({})
    ask = "select count(id) from request_find(%s, %s, '2020-01-01', '2100-01-01', '', '', '', '', 0, '', '', 50)"
    assert db.sql(ask, writer.account, writer.digest, role=GATEWAY) == [(1,)]
    assert db.sql(ask, writer.account, b"x" * 32, role=GATEWAY) == [(0,)]


@pytest.mark.parametrize("age_ms, want_ms", [(0, 0), (90_000, 90_000), (HOUR, HOUR), (-5_000, 0), (40 * DAY, DAY),
                                             (2**62, DAY)])
def test_times_are_of_the_databases_clock(writer, age_ms, want_ms):
    """A gateway reports only how long ago it was, and at most a day."""
    writer.write({"age_ms": age_ms})
    [(age,)] = writer.sql("select extract(epoch from ledger_now() - at) * 1000 from request_log where account_id = %s",
                          writer.account)
    assert want_ms - 1 <= age < want_ms + 600_000


@pytest.mark.parametrize("shift_ms", [-400 * DAY, -HOUR, HOUR, 5 * DAY, 3000 * DAY])
def test_a_clock_that_jumps_finds_a_day(writer, shift_ms):
    writer.write({})
    writer.shift_ms = shift_ms
    assert writer.write({}) == 1
    assert {day_name(), day_name(shift_ms)} <= set(writer.days())
    writer.shift_ms = 0
    assert writer.write({}) == 1 and writer.count() == 3


def test_two_gateways_open_the_same_day(writer):
    writer.shift_ms = 77 * DAY
    others = [Writer(writer.db) for _ in range(4)]
    for other in others:
        other.shift_ms = writer.shift_ms
    threads = [threading.Thread(target=other.write, args=({},)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.count() for other in others] == [1] * 4 and day_name(77 * DAY) in writer.days()


def test_days_end_as_a_whole(writer):
    """The oldest first, one a step; what is younger stays."""
    for days in (40, 32, 3):
        writer.shift_ms = -days * DAY
        writer.write({})
    writer.shift_ms = 0
    writer.make_clock_steady()
    old = [name for name in writer.days() if name < day_name(-30 * DAY)]
    assert len(old) == 6 and [writer.prune() for _ in range(7)] == [True] * 6 + [False]
    assert [name for name in writer.days() if name < day_name(-30 * DAY)] == [] and writer.count() == 1
    assert writer.sql("select sum(calls) from request_day where account_id = %s", writer.account) == [(3,)]
    assert writer.prune(0) is True  # the log was switched off


def test_nothing_ends_while_the_clock_jumps(writer):
    writer.write({})
    writer.make_clock_steady()
    writer.shift_ms = 60 * DAY
    before = writer.days()
    assert writer.prune() is False and writer.days() == before


def test_a_reader_delays_the_end_of_a_day(writer):
    """A backup, for example; neither it nor a writer waits."""
    writer.shift_ms = -50 * DAY
    writer.write({})
    writer.shift_ms = 0
    writer.make_clock_steady()
    reader = psycopg2.connect(writer.db.url())
    cursor = reader.cursor()
    cursor.execute("select count(*) from request_log")
    before = writer.days()
    assert writer.prune() is False and writer.days() == before
    assert writer.write({}) == 1
    reader.close()
    assert writer.prune() is True and before[0] not in writer.days()


def test_sums_by_day(writer, db):
    [(tool,)] = db.sql("select tool_id from tool where name = 'hash-generate'")
    call = {"tool_id": tool, "route": None}
    writer.write(call, call, call | {"code": "x", "total_us": 40_000_000}, call | {"route": "dry-run"}, {})
    writer.write(call)
    assert writer.sql("select tool_id, code, slow, calls from request_day where account_id = %s order by 1, 2, 3",
                      writer.account) == [(0, "", 0, 2), (tool, "", 0, 3), (tool, "x", 11, 1)]


def test_what_was_dropped(writer, db):
    """By account and hour; nothing for accounts that do not exist."""
    writer.write({}, dropped=[(writer.account, 5, 3), (NOBODY, 2 * HOUR, 7), (str(uuid.uuid4()), 5, 9)])
    writer.write({}, dropped=[(writer.account, 5, 4)])
    rows = db.sql("select account_id::text, sum(lost)::int from request_loss group by 1 order by 1")
    assert rows == sorted([(NOBODY, 7), (writer.account, 7)])
    ask = "select request_has_gaps(%s, %s, now() - %s * interval '1 hour', now() - %s * interval '1 hour')"
    assert db.sql(ask, writer.account, writer.digest, 1, 0, role=GATEWAY) == [(True,)]
    assert db.sql(ask, writer.account, writer.digest, 9, 4, role=GATEWAY) == [(False,)]
    assert db.sql(ask, writer.account, b"x" * 32, 1, 0, role=GATEWAY) == [(False,)]


PAGE = """select id::text, next from request_page(%s, '2020-01-01', '2100-01-01', '', '', %s, '', 0, '', %s, %s)"""


def test_pages_are_complete_and_search_a_part(writer, db):
    """25,000 records, one of which failed: the first page searches 20,000 and has none."""
    failed = str(uuid.uuid4())
    writer.write({"id": failed, "age_ms": HOUR, "status": 500, "code": "internal"})
    db.sql("insert into request_log select account_id, at + n * interval '1 ms', gen_random_uuid(), null, token_id, null,"
           " 'credits', 1, false, 200, null, 0, 1, null, null, 0, 0, 0, null"
           " from request_log cross join generate_series(1, 25000) n where account_id = %s", writer.account)
    [(none, cursor)] = db.sql(PAGE, writer.account, "failed", "", 50, role=PORTAL)
    assert none is None and cursor
    assert db.sql(PAGE, writer.account, "failed", cursor, 50, role=PORTAL) == [(failed, None)]
    seen, cursor = [], ""
    while cursor is not None:
        rows = db.sql(PAGE, writer.account, "", cursor, 9000, role=PORTAL)
        seen += [row[0] for row in rows if row[0]]
        cursor = rows[0][1]
    assert len(seen) == len(set(seen)) == 25001
