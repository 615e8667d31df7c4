"""tests/api/ledger/test_token_manage.py - token_manage() and the notices before a token expires, as
the roles call them. tests/api/tokens/test_tokens.py has the API."""

import hashlib
import json
import uuid

import psycopg2
import pytest

from kit.database.ledger import ITEMS, admission, items
from kit.database.scratch import allow_shifts, cluster, migrated, new_database, shared_db as db  # noqa: F401 - fixtures

HERE = "192.0.2.7"
DAY_MS = 86400000
ACTS = ("list", "get", "create", "change", "revoke", "rotate")
SETTINGS = {"list": {"limit": 10}, "create": {"name": "made"}, "change": {"name": "other"}}


class Desk:
    """An account with a member, an API token, and a management token."""

    def __init__(self, db, scopes="{tokens:read,tokens:write}", networks=None):
        self.db = db
        self.account = db.ask("account", "create", "Ada", "--credits", "1000")["account"]
        self.member = str(uuid.uuid4())
        db.sql("insert into member (member_id, account_id, email, email_key, password, password_at, created_at)"
               " values (%s, %s, %s, %s, 'x', now(), now())", self.member, self.account,
               f"{self.member}@example.com", f"{self.member}@example.com")
        made = db.ask("token", "create", self.account)
        self.token, self.digest = made["token_id"], hashlib.sha256(made["token"].encode()).digest()
        self.management, self.secret = str(uuid.uuid4()), hashlib.sha256(self.account.encode()).digest()
        db.sql("insert into token (account_id, token_id, digest, name, last4, scopes, networks, created_at, expires_at,"
               " kind) values (%s, %s, %s, 'platform', 'aaaa', %s, %s, ledger_now(), ledger_now() + interval '90 days', 5)",
               self.account, self.management, self.secret, scopes, networks)

    def manage(self, act, token=None, settings=None, digest=None, by=None, address=HERE, account=None):
        """(outcome, result)"""
        token = token or (str(uuid.uuid4()) if act == "create" else self.token)
        if settings is None:
            settings = {"id": str(uuid.uuid4())} if act == "rotate" else SETTINGS.get(act, {})
        new = digest or uuid.uuid4().bytes + uuid.uuid4().bytes
        return self.db.sql("select * from token_manage(%s, %s, %s, %s, %s, %s, %s, 'zzzz')", account or self.account,
                           by or self.secret, address, act, token, json.dumps(settings), new,
                           role="tollgate_gateway")[0]

    def outcome(self, act, **more):
        return self.manage(act, **more)[0]

    def row(self, columns, token=None):
        return self.db.sql(f"select {columns} from token where token_id = %s", token or self.token)[0]

    def call(self, digest, tool="hash-generate", amount=1, **columns):
        [(number,)] = self.db.sql("select coalesce((select tool_id from tool where name = %s), 0)", tool)
        call = items(admission(self.account, uuid.uuid4(), digest, number, amount, endpoint_limit=300,
                               global_limit=300) | columns)
        return self.db.sql(f"select outcome from ledger_batch('{{}}', {ITEMS.format('%s')}, false, array[%s]::inet[])", call,
                           HERE, role="tollgate_gateway")[0][0]

    def mails(self, template):
        return self.db.sql("select data from mail where member_id = %s and template = %s order by created_at, mail_id",
                           self.member, template)


@pytest.fixture
def desk(db):
    return Desk(db)


# -- who may --


@pytest.mark.parametrize("act", ACTS)
def test_only_a_management_token_that_may(desk, db, act):
    stranger = Desk(db)
    assert desk.outcome(act, by=desk.digest) == "scope_denied"  # an API token
    assert desk.outcome(act, by=b"\0" * 32) == "auth_invalid"
    assert desk.outcome(act, by=stranger.secret) == "auth_invalid"  # of another account
    assert desk.outcome(act, account=str(uuid.uuid4())) == "auth_invalid"
    wrong = "tokens:write" if act in ("list", "get") else "tokens:read"
    assert Desk(db, "{%s,usage,requests,invoices}" % wrong).outcome(act) == "scope_denied"
    bound = Desk(db, networks="{198.51.100.0/24}")
    assert bound.outcome(act) == "ip_not_allowed" and bound.outcome(act, address="198.51.100.7") == "done"
    assert bound.outcome(act, address=None) == "ip_not_allowed"
    assert desk.outcome(act) == "done"
    db.sql("update account set state = 'suspended' where account_id = %s", desk.account)
    assert desk.outcome(act) == "account_suspended"
    db.sql("update account set state = 'active' where account_id = %s", desk.account)
    for values, refusal in (("expires_at = ledger_now()", "auth_expired"), ("revoked_at = ledger_now()", "auth_revoked")):
        db.sql(f"update token set {values} where token_id = %s", desk.management)
        assert desk.outcome(act) == refusal


@pytest.mark.parametrize("kind", [2, 3, 5])
@pytest.mark.parametrize("act", ["get", "change", "revoke", "rotate"])
def test_other_kinds_are_not_seen(desk, db, kind, act):
    other, digest = str(uuid.uuid4()), uuid.uuid4().bytes * 2
    db.sql("insert into token (account_id, token_id, digest, last4, scopes, created_at, expires_at, kind, session_id,"
           " spent_total) values (%s, %s, %s, 'aaaa', %s, ledger_now(), ledger_now() + interval '1 day', %s, %s, %s)",
           desk.account, other, digest, "{usage}" if kind == 5 else "{}", kind,
           str(uuid.uuid4()) if kind == 2 else None, 0 if kind == 3 else None)
    before = desk.row("digest, name, revoked_at, expires_at", other)
    assert desk.outcome(act, token=other) == "none"
    assert desk.outcome(act, by=digest) == "scope_denied"  # nor may it manage
    assert desk.outcome(act, token=str(uuid.uuid4())) == "none"
    assert desk.row("digest, name, revoked_at, expires_at", other) == before
    _, page = desk.manage("list")
    assert [token["id"] for token in page["tokens"]] == [desk.token]


def test_a_management_token_makes_no_call(desk, db):
    """Whatever amount, tool and way: nothing is charged, and verify agrees."""
    tools = db.sql("select name, price from tool where price > 0")
    for name, price in tools:
        assert desk.call(desk.secret, name, price) == "scope_denied"
        assert desk.call(desk.secret, name, price, ttl_ms=60000) == "scope_denied"
        assert desk.call(desk.secret, name, 0) == "scope_denied"
    assert desk.call(desk.secret, "no tool", 0) == "captured"  # it counts in the windows
    assert db.sql("select count(*) from ledger_entry where account_id = %s and kind = 3", desk.account) == [(0,)]
    db.ask("verify", "--account", desk.account)
    db.sql("insert into hold (account_id, hold_id, amount, tool_id, token_id, state, created_at, expires_at)"
           " values (%s, %s, 1, 1, %s, 3, now(), now())", desk.account, str(uuid.uuid4()), desk.management)
    status, out, _ = db.run("verify", "--account", desk.account)
    assert status != 0 and "manages tokens, and has paid for calls" in out


# -- what happens --


def test_create(desk):
    new, digest = str(uuid.uuid4()), uuid.uuid4().bytes * 2
    settings = {"id": new, "name": "ci", "scopes": ["utils", "tls-check", "account"], "cap_daily": 5, "cap_total": 9,
                "networks": ["192.0.2.0/24"], "is_strict": True, "expires_at": "2100-01-01T00:00:00Z"}
    assert desk.outcome("create", token=new, settings=settings) == "late"
    settings["expires_at"] = "2030-01-01T00:00:00.000Z"
    outcome, shown = desk.manage("create", token=new, settings=settings, digest=digest)
    assert outcome == "done"
    assert {key: shown[key] for key in settings} == settings
    assert (shown["state"], shown["spent_today"], shown["spent_total"], shown["created_by"]) == (
        "active", 0, 0, f"token:{desk.management}")
    assert "digest" not in shown and digest.hex() not in json.dumps(shown)
    assert desk.call(digest) == "captured"
    assert desk.manage("get", token=new)[1]["spent_total"] == 1
    assert desk.outcome("create", token=new, settings=settings) == "exists"
    assert desk.outcome("create", settings=settings | {"scopes": ["no-such-tool"]}) == "scope"
    assert desk.outcome("create", settings=settings | {"expires_at": "2020-01-01T00:00:00Z"}) == "past"
    assert desk.db.sql("select actor, action, detail, network from audit_log where account_id = %s and actor like 'token:%%'",
                       desk.account) == [(f"token:{desk.management}", "token created", f"token {new}", "192.0.2.0/24")]
    for bad in ({}, {"name": ""}, {"name": "x" * 61}, {"name": "x", "networks": ["10.0.0.0/7"]},
                {"name": "x", "cap_total": -1}):
        with pytest.raises(psycopg2.Error):
            desk.manage("create", settings=bad)


def test_limits(desk, db):
    for _ in range(49):
        assert desk.outcome("create") == "done"
    assert desk.outcome("create") == "full"
    assert desk.outcome("revoke") == "done"
    for _ in range(11):  # each revokes what it made
        new = str(uuid.uuid4())
        assert desk.outcome("create", token=new) == "done" and desk.outcome("revoke", token=new) == "done"
    outcome, result = desk.manage("create")
    [(retry_ms,)] = db.sql("select extract(epoch from min(created_at) + interval '1 hour' - now()) * 1000 from token"
                           " where account_id = %s and created_by like 'token:%%'", desk.account)
    assert outcome == "hourly" and retry_ms - 1 <= result["retry_ms"] <= 3600_000  # the ledger's clock has whole ms
    db.sql("update token set created_at = created_at - interval '1 hour' where account_id = %s and created_by like 'token:%%'",
           desk.account)
    assert desk.outcome("create") == "done"


def test_an_account_that_will_be_deleted(desk, db):
    db.sql("update account set delete_at = now() + interval '14 days' where account_id = %s", desk.account)
    assert desk.outcome("create") == "leaving"


def test_change(desk):
    assert desk.outcome("change", settings={"cap_daily": 5}) == "uncounted"
    assert desk.outcome("change", settings={"networks": ["10.0.0.0/8"], "is_strict": True, "name": "new",
                                            "expires_at": "2031-01-01T00:00:00Z"}) == "done"
    assert desk.row("name, networks::text, is_strict, scopes") == ("new", "{10.0.0.0/8}", True, [])
    assert desk.call(desk.digest) == "ip_not_allowed"
    assert desk.outcome("change", settings={"networks": None}) == "done"
    assert desk.call(desk.digest) == "captured"
    assert desk.outcome("change", settings={"expires_at": "2032-01-01T00:00:00Z"}) == "later"
    assert desk.outcome("change", settings={"expires_at": "2020-01-01T00:00:00Z"}) == "past"
    assert desk.outcome("change", settings={"expires_at": "2030-01-01T00:00:00Z"}) == "done"
    assert desk.outcome("change", settings={}) == "done"
    assert desk.row("name, is_strict") == ("new", True)
    assert desk.outcome("change", settings={"scopes": ["utils"]}) == "done" and desk.row("scopes") == ([],)
    desk.outcome("revoke")
    assert desk.outcome("change") == "ended" == desk.outcome("rotate")


def test_change_caps(desk):
    new = str(uuid.uuid4())
    desk.manage("create", token=new, settings={"name": "x", "cap_daily": 5, "cap_total": 9})
    assert desk.outcome("change", token=new, settings={"cap_daily": 7}) == "done"
    assert desk.row("cap_daily, cap_total", new) == (7, 9)
    assert desk.outcome("change", token=new, settings={"cap_daily": None, "cap_total": None}) == "done"
    assert desk.row("cap_daily, cap_total, spent_total", new) == (None, None, 0)
    assert desk.outcome("change", token=new, settings={"cap_total": 3}) == "done"


def test_revoke(desk):
    assert desk.call(desk.digest) == "captured"
    outcome, shown = desk.manage("revoke")
    assert (outcome, shown["state"]) == ("done", "revoked")
    assert desk.call(desk.digest) == "auth_revoked"
    assert desk.manage("revoke") == (outcome, shown)  # again, with the time of the first
    assert desk.db.sql("select count(*) from audit_log where account_id = %s and action = 'token revoked'",
                       desk.account) == [(1,)]


def test_rotate(desk, db):
    db.sql("update token set scopes = '{utils}', networks = '{192.0.2.0/24}', is_strict = true, name = 'ci'"
           " where token_id = %s", desk.token)
    new, digest = str(uuid.uuid4()), uuid.uuid4().bytes * 2
    outcome, shown = desk.manage("rotate", settings={"id": new, "grace_s": 3600}, digest=digest)
    assert outcome == "done"
    assert [shown[name] for name in ("id", "name", "scopes", "networks", "is_strict", "expires_at")] == [
        new, "ci", ["utils"], ["192.0.2.0/24"], True, None]
    assert desk.call(digest) == "captured" == desk.call(desk.digest)
    assert desk.row("round(extract(epoch from expires_at - ledger_now()) / 10), notices, revoked_at") == (360, 2, None)
    last = str(uuid.uuid4())
    assert desk.outcome("rotate", token=new, settings={"id": last}) == "done"
    assert desk.call(digest) == "auth_revoked"
    assert desk.outcome("rotate", token=last, settings={}) == "id"
    assert desk.outcome("rotate", token=last, settings={"id": new}) == "exists"


def test_rotation_does_not_prolong_the_old_one(desk):
    assert desk.outcome("change", settings={"expires_at": "2030-01-01T00:00:00Z"}) == "done"
    desk.db.sql("update token set expires_at = ledger_now() + interval '1 minute' where token_id = %s", desk.token)
    desk.manage("rotate", settings={"id": str(uuid.uuid4()), "grace_s": 604800})
    assert desk.row("expires_at <= ledger_now() + interval '1 minute'") == (True,)


def test_rotate_with_caps(desk):
    """Two rows would have the caps twice: the row stays, with its counters."""
    token, digest, again = str(uuid.uuid4()), uuid.uuid4().bytes * 2, uuid.uuid4().bytes * 2
    desk.manage("create", token=token, settings={"name": "x", "cap_total": 2}, digest=digest)
    assert desk.call(digest) == "captured"
    assert desk.outcome("rotate", token=token, settings={"grace_s": 1}) == "grace"
    outcome, shown = desk.manage("rotate", token=token, settings={"id": str(uuid.uuid4()), "grace_s": 0}, digest=again)
    assert (outcome, shown["id"], shown["spent_total"], shown["last4"]) == ("done", token, 1, "zzzz")
    assert [desk.call(digest), desk.call(again), desk.call(again)] == ["auth_invalid", "captured", "spending_cap_total"]


def test_rotation_beside_fifty(desk):
    for _ in range(49):
        desk.manage("create")
    assert desk.outcome("create") == "full"
    assert desk.outcome("rotate", settings={"id": str(uuid.uuid4()), "grace_s": 60}) == "done"


def test_pages_of_the_list(desk, db):
    made = [desk.token]
    for number in range(6):
        made.append(str(uuid.uuid4()))
        desk.manage("create", token=made[-1], settings={"name": f"n{number}"})
    desk.manage("revoke", token=made[3])
    db.sql("update token set expires_at = ledger_now() where token_id = %s", made[4])

    def walk(limit, **more):
        seen, cursor = [], {}
        while True:
            _, page = desk.manage("list", settings={"limit": limit} | more | cursor)
            seen += [token["id"] for token in page["tokens"]]
            if not page["next_cursor"]:
                return seen
            assert len(page["tokens"]) == limit
            cursor = {"cursor": page["next_cursor"]}

    for limit in (1, 2, 3, 6, 7, 200):
        assert walk(limit) == made[::-1]
    assert walk(10, state="revoked") == [made[3]] and walk(10, state="expired") == [made[4]]
    assert walk(2, state="active") == [token for token in made[::-1] if token not in made[3:5]]


def test_mail_of_new_tokens_is_at_most_one_an_hour(desk, db):
    for _ in range(3):
        desk.manage("create")
    desk.manage("rotate", settings={"id": str(uuid.uuid4())})
    [(data,)] = desk.mails("token-made")
    assert data["by"] == "platform" and data["name"] == "made"
    db.sql("update mail set created_at = created_at - interval '1 hour' where member_id = %s", desk.member)
    desk.manage("create")
    assert len(desk.mails("token-made")) == 2


# -- notices --


@pytest.fixture
def portal(db):
    """A portal's session whose clock can be moved: (days) -> number of steps."""
    allow_shifts(db)
    connection = psycopg2.connect(db.url("tollgate_portal"))
    connection.autocommit = True

    def at(days):
        steps = 0
        with connection.cursor() as cursor:
            cursor.execute(f"set tollgate.clock_shift_ms = {int(days * DAY_MS)}")
            while True:
                cursor.execute("select token_notices_step()")
                if not cursor.fetchone()[0]:
                    return steps
                steps += 1
    yield at
    connection.close()


def expires_in(desk, days, token=None, lived=100):
    desk.db.sql("update token set expires_at = now() + %s * interval '1 day', created_at = now() - %s * interval '1 day'"
                " where token_id = %s", days, lived, token or desk.token)


def days_of(desk):
    return [data["days"] for data, in desk.mails("token-expires")]


def test_two_notices_once_each(desk, portal):
    expires_in(desk, 20)
    said = []
    for day in (0, 5.9, 6.1, 7, 16.9, 17.1, 18, 19.9, 20.1, 40):
        portal(day)
        said.append(len(days_of(desk)))
    assert said == [0, 0, 1, 1, 1, 2, 2, 2, 2, 2] and days_of(desk) == ["14", "3"]
    [(first,), _] = desk.mails("token-expires")
    assert first["last4"] == desk.row("last4")[0] and first["expires"].endswith(" UTC")


def test_none_where_life_is_shorter(desk, portal):
    expires_in(desk, 10, lived=0)
    portal(0)
    assert days_of(desk) == []
    portal(7.1)
    assert days_of(desk) == ["3"]
    expires_in(desk, 2, lived=0)
    desk.db.sql("update token set notices = 0 where token_id = %s", desk.token)
    portal(0), portal(1)
    assert days_of(desk) == ["3"]


def test_a_portal_that_was_down_sends_the_late_one_only(desk, portal):
    expires_in(desk, 20)
    portal(18)
    assert days_of(desk) == ["3"]
    other = Desk(desk.db)
    expires_in(other, 20)
    portal(21)
    assert days_of(other) == []


def test_none_for_ended_and_rotated_tokens(desk, db, portal):
    expires_in(desk, 10)
    desk.outcome("revoke")
    rotated = Desk(db)
    expires_in(rotated, 30)
    rotated.manage("rotate", settings={"id": str(uuid.uuid4()), "grace_s": 604800})
    closed = Desk(db)
    expires_in(closed, 10)
    db.sql("update account set state = 'closed' where account_id = %s", closed.account)
    portal(0)
    assert days_of(desk) == days_of(rotated) == days_of(closed) == []


def test_a_management_token_is_reported_too(desk, portal):
    expires_in(desk, 10, desk.management)
    portal(0)
    assert days_of(desk) == ["14"]
