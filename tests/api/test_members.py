"""tests/api/test_members.py - what the database does for the members portal (gateway/sql/006-members.sql).

The functions are called as the portal's role calls them; the clock is moved by the setting of the ledger.
"""

import hashlib
import itertools
import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest

from kit.database.scratch import cluster, db, empty, migrated, new_database  # noqa: F401 - fixtures

pytestmark = pytest.mark.xdist_group("tollctl")  # one worker, so that one cluster is enough

PORTAL, OPERATOR = "tollgate_portal", "tollgate_operator"
DAY_MS = 86400000
NUMBERS = itertools.count(1)


def new_id():
    return str(uuid.uuid4())


def digest():
    return hashlib.sha256(new_id().encode()).digest()


class Members:
    """A database as the portal sees it, at a time of its own."""

    def __init__(self, db):
        self.db = db
        self.shift_ms = 0

    def sql(self, statement, *values, role=PORTAL):
        return self.db.sql(f"set tollgate.clock_shift_ms = {self.shift_ms}; " + statement, *values, role=role)

    def one(self, statement, *values, role=PORTAL):
        [row] = self.sql(statement, *values, role=role)
        return row[0] if len(row) == 1 else row

    def link(self, kind, email, member=None, hours=24):
        link = new_id()
        self.sql("insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)"
                 " values (%s, %s, %s, %s, %s, ledger_now(), ledger_now() + %s * interval '1 hour')",
                 link, kind, member, email, email.lower(), hours)
        return link

    def open(self, link, grant=100, name="Ada"):
        """(outcome, account, member)"""
        account, member = new_id(), new_id()
        return self.one("select member_open(%s, %s, %s, %s, 'hash', %s)", link, account, member, name, grant), \
            account, member

    def member(self, email=None):
        """(account, member), new."""
        outcome, account, member = self.open(self.link("signup", email or f"m{next(NUMBERS)}@example.com"))
        assert outcome == "done"
        return account, member

    def session(self, member, hours=12, is_half=False):
        session = new_id()
        self.sql("insert into session (session_id, cookie, member_id, is_half, is_kept, created_at, seen_at,"
                 " expires_at) values (%s, %s, %s, %s, false, ledger_now(), ledger_now(),"
                 " ledger_now() + %s * interval '1 hour')", session, digest(), member, is_half, hours)
        return session

    def token(self, account, token=None, name="ci", scopes=(), days=None, caps=(None, None), session=None):
        """(outcome, token)"""
        token = token or new_id()
        return self.one("select token_add(%s, %s, %s, %s, 'aaaa', %s::text[],"
                        " ledger_now() + %s * interval '1 day', %s, %s, %s)",
                        account, token, digest(), name, list(scopes), days, *caps, session), token

    def version(self, account):
        return self.one("select xmin::text from account_balance where account_id = %s", account)

    def live_tokens(self, account):
        return self.one("select count(*) from token where account_id = %s and revoked_at is null"
                        " and (expires_at <= ledger_now()) is not true", account)

    def take(self, *buckets):
        keys, each_ms, burst = zip(*buckets)
        return self.one("select throttle_take(%s::bytea[], %s::bigint[], %s::integer[])",
                        [key.encode() for key in keys], list(each_ms), list(burst))

    def give(self, *buckets):
        keys, each_ms, _ = zip(*buckets)
        self.sql("select throttle_give(%s::bytea[], %s::bigint[])", [key.encode() for key in keys], list(each_ms))


@pytest.fixture
def members(db):
    return Members(db)


# -- sign-up --


def test_an_address_that_is_proved_opens_an_account(members):
    outcome, account, member = members.open(members.link("signup", "Ada@example.com"))
    assert outcome == "done"
    assert members.sql("select account_id::text, email, email_key, password, low_at, low_armed, totp_secret"
                       " from member where member_id = %s", member) == [
        (account, "Ada@example.com", "ada@example.com", "hash", 20, True, None)]
    assert members.db.standing(account) == (100, 0, 100, 0, 0)
    assert members.sql("select kind, amount, reference::text from ledger_entry") == [(1, 100, account)]
    assert members.sql("select actor, action, account_id::text, detail from audit_log where action = 'sign-up'") == [
        (f"member:{member}", "sign-up", account, None)]
    members.db.ask("verify")


def test_no_grant_is_no_entry(members):
    _, account, _ = members.open(members.link("signup", "a@example.com"), grant=0)
    assert members.db.standing(account) == (0, 0, 0, 0, 0)
    assert members.one("select count(*) from ledger_entry") == 0
    members.db.ask("verify")


@pytest.mark.parametrize("grant", [-1, 10001])
def test_a_grant_is_bounded(members, grant):
    with pytest.raises(psycopg2.errors.RaiseException):
        members.open(members.link("signup", "a@example.com"), grant=grant)


def test_a_link_opens_one_account(members):
    link = members.link("signup", "a@example.com")
    assert [members.open(link)[0], members.open(link)[0]] == ["done", "used"]
    assert members.one("select count(*) from account") == 1


def test_links_that_open_no_account(members):
    _, member = members.member("a@example.com")
    assert members.open(new_id())[0] == "used"
    assert members.open(members.link("reset", "b@example.com", member))[0] == "used"
    late = members.link("signup", "b@example.com")
    members.shift_ms = DAY_MS
    assert members.open(late)[0] == "used"
    assert members.open(members.link("signup", "A@example.com"))[0] == "taken"


@pytest.mark.parametrize("is_one_link", [True, False])
def test_sign_ups_of_one_address_at_once_open_one_account(members, is_one_link):
    links = [members.link("signup", "a@example.com") for _ in range(1 if is_one_link else 16)] * (
        16 if is_one_link else 1)
    with ThreadPoolExecutor(16) as pool:
        outcomes = [outcome for outcome, _, _ in pool.map(members.open, links)]
    assert sorted(outcomes) == sorted(["done"] + ["used" if is_one_link else "taken"] * 15)
    assert members.sql("select count(*), sum(granted) from account_balance") == [(1, 100)]
    members.db.ask("verify")


# -- tokens --


def test_a_token_is_made_once(members):
    account, _ = members.member()
    before = members.version(account)
    outcome, token = members.token(account)
    assert outcome == "done" and members.version(account) != before
    assert members.token(account, token)[0] == "again"
    assert members.live_tokens(account) == 1
    assert members.sql("select kind, name, last4, scopes, expires_at, session_id from token") == [
        (1, "ci", "aaaa", [], None, None)]


def test_a_token_that_ended_is_not_made_again(members):
    account, _ = members.member()
    _, token = members.token(account)
    before = members.version(account)
    end = "select token_end(%s, %s)"
    assert [members.one(end, account, token) for _ in range(2)] == ["done", "again"]
    assert members.version(account) != before
    assert members.token(account, token)[0] == "again" and members.live_tokens(account) == 0


def test_another_accounts_token_is_none(members):
    account, _ = members.member()
    other, _ = members.member()
    _, token = members.token(account)
    assert members.one("select token_end(%s, %s)", other, token) == "none"
    assert members.token(other, token)[0] == "done"  # and tells nobody that its id is in use
    assert members.live_tokens(account) == 1


def test_fifty_tokens_are_enough(members):
    account, member = members.member()
    session = members.session(member)
    tokens = [members.token(account)[1] for _ in range(49)]
    assert members.token(account, session=session)[0] == "done"  # the playground's is not counted
    assert members.token(account, days=1)[0] == "done"
    assert members.token(account)[0] == "full"
    members.sql("select token_end(%s, %s)", account, tokens[0])
    assert [members.token(account)[0] for _ in range(2)] == ["done", "full"]
    members.shift_ms = DAY_MS  # one has expired
    assert [members.token(account)[0] for _ in range(2)] == ["done", "full"]


def test_the_last_place_is_given_once(members):
    account, _ = members.member()
    for _ in range(49):
        members.token(account)
    with ThreadPoolExecutor(8) as pool:
        outcomes = [outcome for outcome, _ in pool.map(lambda _: members.token(account), range(8))]
    assert sorted(outcomes) == ["done"] + ["full"] * 7


@pytest.mark.parametrize("options, outcome", [
    ({"scopes": ["no-such"]}, "scope"), ({"scopes": ["account"]}, "done"), ({"scopes": ["utils", "qr-generate"]}, "done"),
    ({"days": 0}, "past"), ({"days": -1}, "past"), ({"days": 3653}, "done")])
def test_what_a_token_may_say(members, options, outcome):
    account, _ = members.member()
    assert members.token(account, **options)[0] == outcome


@pytest.mark.parametrize("options", [{"name": ""}, {"name": "x" * 61}, {"days": 3654}])
def test_what_a_form_lets_nobody_say(members, options):
    account, _ = members.member()
    with pytest.raises(psycopg2.errors.RaiseException):
        members.token(account, **options)


@pytest.mark.parametrize("caps, spent", [((None, None), None), ((5, None), 0), ((None, 50), 0), ((0, 0), 0)])
def test_a_token_may_have_caps(members, caps, spent):
    account, _ = members.member()
    _, token = members.token(account, caps=caps)
    seen = "select cap_daily, cap_total, spent_total from token where token_id = %s"
    assert members.one(seen, token) == (*caps, spent)
    before = members.version(account)
    assert members.one("select token_cap(%s, %s, 7, null)", account, token) is (spent is not None)
    assert members.one(seen, token) == ((7, None, 0) if spent is not None else (None, None, None))
    assert members.version(account) != before


@pytest.mark.parametrize("verb, state", [("suspend", "suspended"), ("close", "closed")])
def test_an_account_that_is_not_active_gets_no_token(members, verb, state):
    account, _ = members.member()
    members.db.ask("account", verb, account)
    assert members.token(account)[0] == state


def test_a_playground_token_ends_with_its_session(members):
    account, member = members.member()
    session, other = members.session(member), members.session(member)
    assert [members.token(account, session=one, name="", days=9999)[0] for one in (session, other)] == ["done"] * 2
    assert members.one("select bool_and(t.expires_at = s.expires_at and t.kind = 2)"
                       " from token t join session s using (session_id)") is True
    assert members.db.ask("token", "list", account)["tokens"] == []
    before = members.version(account)
    assert members.one("select session_end(%s, %s, null)", member, session) == 1
    assert members.live_tokens(account) == 1 and members.version(account) != before
    assert members.token(account, session=session)[0] == "session"
    assert members.one("select session_end(%s, null, null)", member) == 1
    assert members.live_tokens(account) == 0


def test_a_playground_token_needs_a_session_of_the_member(members):
    account, member = members.member()
    _, stranger = members.member()
    assert members.token(account, session=members.session(stranger))[0] == "session"
    assert members.token(account, session=members.session(member, is_half=True))[0] == "session"
    assert members.token(account, session=new_id())[0] == "session"


def test_sessions_end_but_one(members):
    _, member = members.member()
    _, other = members.member()
    sessions = [members.session(member) for _ in range(3)]
    stays = members.session(other)
    assert members.one("select session_end(%s, %s, null)", member, stays) == 0  # another member's
    assert members.one("select session_end(%s, null, %s)", member, sessions[1]) == 2
    assert {row[0] for row in members.sql("select session_id::text from session")} == {sessions[1], stays}


# -- changing and taking back an address --


def email_of(members, member):
    return members.one("select email from member where member_id = %s", member)


def change(members, member, address, session):
    """Ask for another address and open its link; returns (outcome, undo link)."""
    link = members.link("email", address, member)
    undo = members.link("undo", email_of(members, member), member, hours=168)
    return members.one("select email_change(%s, %s, %s)", link, member, session), undo


def test_a_change_of_address(members):
    _, member = members.member("old@example.com")
    here, elsewhere = members.session(member), members.session(member)
    reset = members.link("reset", "old@example.com", member)
    link = members.link("email", "new@example.com", member)
    _, stranger = members.member()
    assert members.one("select email_change(%s, %s, %s)", link, stranger, None) == "used"  # not his
    assert members.one("select email_change(%s, %s, %s)", link, member, here) == "done"
    assert members.one("select email_change(%s, %s, %s)", link, member, here) == "used"
    assert email_of(members, member) == "new@example.com"
    assert members.sql("select session_id::text from session") == [(here,)] and elsewhere
    assert members.one("select link_open(%s, 'reset') is null", reset) is True


def test_an_address_that_may_come_back_is_nobody_elses(members):
    _, member = members.member("old@example.com")
    _, stranger = members.member("x@example.com")
    _, undo = change(members, member, "new@example.com", None)
    signup = members.link("signup", "Old@example.com", hours=500)
    assert members.open(signup)[0] == "taken"
    assert change(members, stranger, "old@example.com", None)[0] == "taken"
    assert change(members, stranger, "new@example.com", None)[0] == "taken"
    members.shift_ms = 7 * DAY_MS
    assert members.one("select email_undo(%s)", undo) == "used"
    assert members.open(signup)[0] == "done"


def test_his_own_address_is_not_taken(members):
    _, member = members.member("old@example.com")
    change(members, member, "new@example.com", None)
    assert change(members, member, "old@example.com", None)[0] == "done"
    assert change(members, member, "old+tag@example.com", None)[0] == "done"


def test_an_intruders_changes_are_undone(members):
    """He changes the address twice, turns on two-factor and asks for deletion; the owner has the first undo link."""
    account, member = members.member("owner@example.com")
    session = members.session(member)
    members.token(account, session=session)
    outcome, undo = change(members, member, "first@intruder.test", session)
    assert outcome == "done"
    outcome, his_undo = change(members, member, "second@intruder.test", session)
    assert outcome == "done"
    his_reset = members.link("reset", "second@intruder.test", member)
    his_change = members.link("email", "third@intruder.test", member)
    members.sql("insert into device values (%s, %s, ledger_now())", digest(), member)
    members.shift_ms = 60000
    members.sql("update member set totp_secret = 'x', totp_at = ledger_now(),"
                " delete_at = ledger_now() + interval '14 days' where member_id = %s", member)
    members.sql("insert into recovery_code values (%s, 'code', null)", member)

    assert members.one("select email_undo(%s)", undo) == "done"
    assert members.sql("select email, email_key, password, totp_secret, totp_at, delete_at from member") == [
        ("owner@example.com", "owner@example.com", "", None, None, None)]
    assert members.one("select email_undo(%s)", his_undo) == "used"
    assert members.one("select email_change(%s, %s, null)", his_change, member) == "used"
    assert members.one("select link_open(%s, 'reset') is null", his_reset) is True
    assert members.one("select email_undo(%s)", undo) == "used"
    assert members.live_tokens(account) == 0
    for table in ("session", "device", "recovery_code"):
        assert members.one(f"select count(*) from {table}") == 0, table


def test_undoing_leaves_what_was_set_before(members):
    _, member = members.member("owner@example.com")
    members.sql("update member set totp_secret = 'x', totp_at = ledger_now(),"
                " delete_at = ledger_now() + interval '14 days'")
    members.sql("insert into recovery_code values (%s, 'code', null)", member)
    members.shift_ms = 60000
    _, undo = change(members, member, "new@example.com", None)
    assert members.one("select email_undo(%s)", undo) == "done"
    assert members.one("select totp_secret is not null and delete_at is not null from member") is True
    assert members.one("select count(*) from recovery_code") == 1


# -- deletion --


def test_a_member_is_deleted_when_his_time_has_come(members):
    account, member = members.member("Ada@example.com")
    members.token(account)
    members.session(member)
    members.sql("insert into audit_log (actor, action, account_id, network, agent)"
                " values ('portal', 'sign-in', %s, '192.0.2.1', 'Firefox')", account)
    members.sql("insert into mail (mail_id, member_id, recipient, template, created_at, next_at)"
                " values (%s, %s, 'Ada@example.com', 'reset', ledger_now(), ledger_now())", new_id(), member)
    delete = "select member_delete(%s)"
    assert members.one(delete, member) == "early"
    members.sql("update member set delete_at = ledger_now() + interval '14 days'")
    assert members.one(delete, member) == "early"
    members.shift_ms = 14 * DAY_MS
    before = members.version(account)
    assert [members.one(delete, member), members.one(delete, member)] == ["done", "none"]
    assert members.version(account) != before
    assert members.sql("select state, name from account") == [("closed", "deleted")]
    assert members.live_tokens(account) == 0
    assert members.sql("select recipient, template, member_id from mail") == [("Ada@example.com", "closed", None)]
    for table in ("member", "session", "link"):
        assert members.one(f"select count(*) from {table} where member_id is not null") == 0, table
    assert members.sql("select actor, action, network, agent from audit_log where account_id = %s order by at",
                       account) == [(f"member:{member}", "sign-up", None, None), ("portal", "sign-in", None, None),
                                    ("portal", "deleted", None, None)]
    assert members.one("select count(*) from ledger_entry") == 1
    members.db.ask("verify")
    assert members.open(members.link("signup", "ada@example.com"))[0] == "done"  # he comes back


# -- the throttle --


def test_a_bucket_is_empty_and_fills_again(members):
    bucket = ("sign-in 192.0.2.1", 30000, 3)
    assert [members.take(bucket) for _ in range(3)] == [0, 0, 0]
    wait_ms = members.take(bucket)
    assert 29000 <= wait_ms <= 30000
    members.shift_ms = wait_ms - 5000
    assert 0 < members.take(bucket) <= 5000
    members.shift_ms = wait_ms
    assert members.take(bucket) == 0
    assert members.take(bucket) > 0
    members.shift_ms = DAY_MS  # more than full is not to be had
    assert [members.take(bucket) for _ in range(4)][:3] == [0, 0, 0]
    assert members.take(bucket) > 0


def test_all_buckets_or_none(members):
    wide, tight = ("wide", 1000, 100), ("tight", 60000, 1)
    assert members.take(wide, tight) == 0
    assert members.take(wide, tight) > 50000
    assert members.one("select count(*) from throttle where full_at > ledger_now() + interval '1001 ms'",
                       role="tollgate_owner") == 1
    assert members.take(wide) == 0


def test_buckets_are_found_by_their_keys(members):
    """Also where the planner learned that there is none, and plans were made then."""
    operator = psycopg2.connect(members.db.url("postgres"))
    operator.autocommit = True
    operator.cursor().execute("vacuum analyze throttle")
    operator.close()
    portal = psycopg2.connect(members.db.url(PORTAL))
    portal.autocommit = True
    with portal.cursor() as cursor:
        for n in range(300):
            bucket = [b"all", str(n).encode()], [1, 1]
            cursor.execute("select throttle_take(%s, %s, array[1000, 1])", bucket)
            cursor.execute("select throttle_give(%s, %s)", bucket)
    portal.close()
    assert members.sql("select seq_scan from pg_stat_user_tables where relname = 'throttle'", role="postgres") == [(0,)]


def test_what_was_taken_can_be_given_back(members):
    bucket = ("device", 30000, 1)
    assert members.take(bucket) == 0
    members.give(bucket)
    assert members.take(bucket) == 0
    assert members.take(bucket) > 0


def test_takers_at_once_get_what_there_is(members):
    buckets = [("a", 3600000, 10), ("b", 3600000, 7)]
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda i: members.take(*(buckets if i % 2 else buckets[::-1])), range(24)))
    assert taken.count(0) == 7


# -- cleaning --


def test_what_is_over_goes(members):
    account, member = members.member()
    idle, kept = members.session(member, hours=48), members.session(member, hours=720)
    members.sql("update session set is_kept = true where session_id = %s", kept)
    members.token(account, session=idle)
    members.sql("insert into device values (%s, %s, ledger_now())", digest(), member)
    members.take(("key", 1000, 1))
    members.sql("insert into mail (mail_id, recipient, template, data, state, created_at, next_at)"
                " values (%s, 'a@example.com', 'reset', '{}', 2, ledger_now(), ledger_now())", new_id())
    counts = ("select (select count(*) from link), (select count(*) from session), (select count(*) from device),"
              " (select count(*) from throttle), (select count(data) from mail), (select count(*) from mail)")
    prune = "select portal_prune(1000)"
    members.shift_ms = 7100000
    assert members.one(prune) is False and members.one(counts, role="tollgate_owner") == (1, 2, 1, 0, 1, 1)
    for shift_ms, left in [(7300000, (1, 1, 1, 0, 1, 1)), (47 * 3600000, (1, 1, 1, 0, 1, 1)),
                           (49 * 3600000, (0, 1, 1, 0, 1, 1)), (8 * DAY_MS, (0, 0, 1, 0, 0, 1)),
                           (31 * DAY_MS, (0, 0, 1, 0, 0, 0)), (367 * DAY_MS, (0, 0, 0, 0, 0, 0))]:
        members.shift_ms = shift_ms
        assert members.one(prune) is False
        assert members.one(counts, role="tollgate_owner") == left, shift_ms
        assert members.live_tokens(account) == 0


def test_cleaning_goes_in_steps(members):
    for _ in range(5):
        members.link("signup", "a@example.com", hours=-25)
    assert [members.one("select portal_prune(2)") for _ in range(3)] == [True, True, False]
    assert members.one("select count(*) from link") == 0


# -- rights --


@pytest.mark.parametrize("statement", [
    "insert into account (account_id, name, created_at) values (gen_random_uuid(), 'x', now())",
    "update account set state = 'active'", "update account set limits_off = true",
    "insert into token (account_id, token_id, digest, last4, created_at)"
    " values (gen_random_uuid(), gen_random_uuid(), '', '', now())",
    "update token set revoked_at = null", "update token set scopes = '{}'", "delete from token",
    "select digest from token", "select body from idempotency", "delete from audit_log",
    "insert into pack values (9, 'x', 1000000, 1)", "update pack set credits = 1000000",
    "select * from ledger_secret",
    "update pack set is_sold = true", "update purchase_order set state = 'paid'", "delete from purchase_order",
    "insert into purchase_order (account_id, order_id) values (gen_random_uuid(), gen_random_uuid())",
    "insert into order_route values ('stripe', 'x', gen_random_uuid(), gen_random_uuid())",
    "insert into order_reversal (account_id, reversal_id) values (gen_random_uuid(), gen_random_uuid())",
    "insert into payment_event (provider, event_id) values ('stripe', 'x')", "update payment_event set state = 2",
    "select ledger_book(gen_random_uuid(), 2::smallint, 1, gen_random_uuid(), 'x')",
    "select order_pay(gen_random_uuid(), gen_random_uuid())",
    "select order_settle(gen_random_uuid(), gen_random_uuid())",
    "select order_decide(gen_random_uuid(), gen_random_uuid(), true, 'x', 'x')",
    "select ledger_credit(gen_random_uuid(), 5::smallint, 1, gen_random_uuid(), 'x')",
    "select account_lock(gen_random_uuid())", "select ledger_end_call(gen_random_uuid(), gen_random_uuid())",
    "select token_check('{}', '{}')", "update usage_day set calls = 0", "delete from throttle",
    "select usage_set_checkpoint(gen_random_uuid(), gen_random_uuid())"])
def test_the_portal_writes_no_books(migrated, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        migrated.sql(statement, role=PORTAL)


@pytest.mark.parametrize("statement", [
    "select password from member", "select totp_secret from member", "select * from member",
    "select cookie from session", "insert into session (session_id) values (gen_random_uuid())",
    "delete from member", "insert into link (link_id) values (gen_random_uuid())",
    "insert into mail (mail_id) values (gen_random_uuid())", "select * from throttle",
    "select email_undo(gen_random_uuid())", "select token_add(gen_random_uuid(), gen_random_uuid(), '', '', '', '{}',"
    " null)"])
def test_the_operator_reads_no_secrets(migrated, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        migrated.sql(statement, role=OPERATOR)


@pytest.mark.parametrize("table", ["member", "link", "session", "device", "recovery_code", "mail", "job", "throttle"])
def test_a_gateway_knows_no_members(migrated, table):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        migrated.sql(f"select count(*) from {table}", role="tollgate_gateway")


def test_whoever_runs_with_the_owners_rights_finds_its_own_tables(migrated):
    """Each definer function sets search_path, ends it with pg_temp, and is nobody's by default."""
    loose = migrated.sql(
        "select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef"
        " and (not exists (select from unnest(p.proconfig) c where c ~ '^search_path=.*public, pg_temp$')"
        "      or has_function_privilege('public', p.oid, 'execute'))")
    assert loose == []
    assert migrated.sql("select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace"
                        " and has_function_privilege('public', p.oid, 'execute')") == []


# -- a cluster of before --


def test_migrating_needs_the_portals_role(cluster, new_database, empty):
    """A cluster that was made before there was a portal has not its role; roles are the cluster's."""
    rename = "alter role tollgate_{} rename to tollgate_{}"
    empty.sql(rename.format("portal", "elsewhere"), role="postgres")
    try:
        said = empty.refuse(1, "db", "migrate")
        assert re.search(r"no role tollgate_portal: run deploy/database/roles.sql", said)
        assert empty.sql("select to_regclass('schema_migration')") == [(None,)]
    finally:
        empty.sql(rename.format("elsewhere", "portal"), role="postgres")
    assert empty.ask("db", "migrate")["applied"]
