"""tests/api/test_members.py - the database functions of the members portal
(gateway/sql/006-members.sql).

The functions are called as the portal's role calls them; the setting of the ledger moves the clock.
"""

import hashlib
import itertools
import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest

from kit.database.scratch import cluster, db, empty, migrated, new_database  # noqa: F401 - fixtures

PORTAL, OPERATOR = "tollgate_portal", "tollgate_operator"
DAY_MS = 86400000
NUMBERS = itertools.count(1)


def new_id():
    return str(uuid.uuid4())


def digest():
    return hashlib.sha256(new_id().encode()).digest()


class Members:
    """A database as the portal sees it, with a separate clock."""

    def __init__(self, db):
        self.db = db
        self.shift_ms = 0

    def sql(self, statement, *values, role=PORTAL):
        return self.db.sql(f"set tollgate.clock_shift_ms = {self.shift_ms}; " + statement, *values, role=role)

    def one(self, statement, *values, role=PORTAL):
        [row] = self.sql(statement, *values, role=role)
        return row[0] if len(row) == 1 else row

    def owner(self, statement, *values):
        """What no function of the portal does."""
        return self.sql(statement, *values, role="tollgate_owner")

    def link(self, kind, email, member=None, hours=24):
        link = new_id()
        self.owner("insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)"
                   " values (%s, %s, %s, %s, %s, ledger_now(), ledger_now() + %s * interval '1 hour')",
                   link, kind, member, email, email.lower(), hours)
        return link

    def is_open(self, link, kind):
        return self.one("select (link_open(%s, %s)).link_id is not null", link, kind, role="tollgate_owner")

    def open(self, link, name="Ada", network="192.0.2.0/24"):
        """(outcome, account, member)"""
        account, member = new_id(), new_id()
        return self.one("select member_open(%s, %s, %s, %s, 'hash', %s)", link, account, member, name, network), \
            account, member

    def policy(self, **changed):
        self.owner("update signup_policy set " + ", ".join(f"{name} = {value}" for name, value in changed.items()))

    def member(self, email=None):
        """(account, member), new."""
        outcome, account, member = self.open(self.link("signup", email or f"m{next(NUMBERS)}@example.com"))
        assert outcome == "done"
        return account, member

    def session(self, member, hours=12, is_half=False):
        session = new_id()
        assert self.one("select session_open(%s, %s, %s, %s, false, '192.0.2.0/24', 'Firefox') is not null",
                        session, digest(), member, self.one("select password from member where member_id = %s", member))
        self.owner("update session set expires_at = ledger_now() + %s * interval '1 hour', is_half = %s"
                   " where session_id = %s", hours, is_half, session)
        return session

    def member_of(self, account):
        return self.one("select member_id::text from member where account_id = %s", account)

    def token(self, account, token=None, name="ci", scopes=(), days=None, caps=(None, None), session=None):
        """(outcome, token), made in a session of the account's member."""
        token = token or new_id()
        session = session or self.session(self.member_of(account))
        return self.one("select token_add(%s, %s, %s, %s, 'aaaa', %s::text[],"
                        " ledger_now() + %s * interval '1 day', %s, %s)",
                        session, token, digest(), name, list(scopes), days, *caps), token

    def own_token(self, session):
        """The playground's token of a session: its outcome."""
        return self.one("select token_add_own(%s, %s, %s, 'aaaa')", session, new_id(), digest())

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


def test_no_grant_no_entry(members):
    members.policy(grant_credits=0)
    outcome, account, _ = members.open(members.link("signup", "a@example.com"))
    assert outcome == "done" and members.db.standing(account) == (0, 0, 0, 0, 0)
    assert members.one("select count(*) from ledger_entry") == 0
    members.db.ask("verify")


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


def test_another_accounts_token_is_unknown(members):
    account, _ = members.member()
    other, _ = members.member()
    _, token = members.token(account)
    assert members.one("select token_end(%s, %s)", other, token) == "none"
    assert members.token(other, token)[0] == "done"  # and does not show that its id is in use
    assert members.live_tokens(account) == 1


def test_fifty_tokens_are_enough(members):
    account, member = members.member()
    session = members.session(member, hours=100)
    tokens = [members.token(account, session=session)[1] for _ in range(49)]
    assert members.own_token(session) == "done"  # the playground's is not counted
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
def test_the_fields_of_a_token(members, options, outcome):
    account, _ = members.member()
    assert members.token(account, **options)[0] == outcome


@pytest.mark.parametrize("options", [{"name": ""}, {"name": "x" * 61}, {"days": 3654}])
def test_values_that_forms_reject(members, options):
    account, _ = members.member()
    with pytest.raises(psycopg2.errors.RaiseException):
        members.token(account, **options)


@pytest.mark.parametrize("caps, spent", [((None, None), None), ((5, None), 0), ((None, 50), 0), ((0, 0), 0)])
def test_a_token_may_have_caps(members, caps, spent):
    account, _ = members.member()
    _, token = members.token(account, caps=caps)
    seen = "select cap_daily, cap_total, spent_total from token where token_id = %s"
    assert members.one(seen, token) == (*caps, spent)
    session = members.session(members.member_of(account))
    before = members.version(account)
    assert members.one("select token_recap(%s, %s, 7, null)", session, token) is (spent is not None)
    assert members.one(seen, token) == ((7, None, 0) if spent is not None else (None, None, None))
    assert members.version(account) != before


def test_an_account_under_deletion_gets_no_token(members):
    account, member = members.member()
    session = members.session(member)
    assert members.one("select deletion_request(%s) is not null", session)
    assert members.token(account, session=session)[0] == members.own_token(session) == "leaving"
    assert "asked for its deletion" in members.db.refuse(1, "token", "create", account)
    assert members.one("select deletion_cancel(%s)", session)
    assert members.token(account, session=session)[0] == members.own_token(session) == "done"


@pytest.mark.parametrize("verb, state", [("suspend", "suspended"), ("close", "session")])
def test_an_account_that_is_not_active_gets_no_token(members, verb, state):
    account, member = members.member()
    session = members.session(member)
    members.db.ask("account", verb, account)
    assert members.token(account, session=session)[0] == state
    assert members.own_token(session) == state


def test_a_playground_token_ends_with_its_session(members):
    account, member = members.member()
    session, other = members.session(member), members.session(member)
    assert [members.own_token(one) for one in (session, other)] == ["done"] * 2
    assert members.one("select bool_and(t.expires_at = s.expires_at and t.kind = 2)"
                       " from token t join session s using (session_id)") is True
    assert members.db.ask("token", "list", account)["tokens"] == []
    before = members.version(account)
    assert members.one("select session_end(%s, %s, null)", member, session) == 1
    assert members.live_tokens(account) == 1 and members.version(account) != before
    assert members.own_token(session) == "session"
    assert members.one("select session_end(%s, null, null)", member) == 1
    assert members.live_tokens(account) == 0


def dead_sessions(members, member):
    """By the fault of each."""
    half, ended, idle, locked = (members.session(member, is_half=n == 0) for n in range(4))
    members.sql("select session_end(%s, %s, null)", member, ended)
    members.owner("update session set seen_at = ledger_now() - interval '2 hours' where session_id = %s", idle)
    return {"half": half, "ended": ended, "idle": idle, "unknown": new_id(), "locked": locked}


@pytest.mark.parametrize("what", ["half", "ended", "idle", "unknown", "locked"])
def test_a_session_that_is_not_live_changes_nothing(members, what):
    """Whatever a request does in a session, it requires a session that is complete and not
    closed."""
    account, member = members.member("owner@example.com")
    _, token = members.token(account, caps=(5, None))
    session = dead_sessions(members, member)[what]
    if what == "locked":
        members.owner("update member set locked_at = ledger_now()")
    look = ("select (select array_agg(m::text) from member m), (select array_agg(t::text order by token_id) from token t),"
            " (select array_agg(l::text order by number) from link l), (select array_agg(a::text) from account a),"
            " (select count(*) from recovery_code)")
    before = members.one(look, role="tollgate_owner")
    assert members.token(account, session=session)[0] == "session"
    assert members.own_token(session) == "session"
    for statement, answer in [
            ("token_recap(%s, {token}, 7, null)", False), ("account_rename(%s, 'x')", False),
            ("low_balance_set(%s, 7)", False), ("password_set(%s, 'x')", False), ("deletion_request(%s)", None),
            ("deletion_cancel(%s)", False), ("two_factor_on(%s, 'x', 1, gen_random_uuid())", "session"),
            ("two_factor_off(%s)", "session"), ("recovery_set(%s, '{{x}}')", False),
            ("email_request(%s, gen_random_uuid(), gen_random_uuid(), 'x@example.com', 'x@example.com', true)", False),
            ("email_change(gen_random_uuid(), %s)", "session")]:
        assert members.one("select " + statement.format(token=f"'{token}'"), session) == answer, statement
    assert members.one(look, role="tollgate_owner") == before


def test_a_session_is_opened_by_the_password_that_is_set(members):
    """A sign-in whose password was compared before the password changed opens nothing; two-factor
    makes it incomplete."""
    _, member = members.member()
    session = members.session(member)
    opens = "select session_open(gen_random_uuid(), %s, %s, %s, false, '', '')"
    assert members.one(opens, digest(), member, "hash") is False
    assert members.one("select two_factor_on(%s, 'x', 1, %s)", session, new_id()) == "done"
    assert members.one(opens, digest(), member, "hash") is True
    assert members.one("select password_set(%s, 'other')", session) is True
    assert members.one(opens, digest(), member, "hash") is None
    assert members.one(opens, digest(), member, "other") is True
    members.owner("update member set locked_at = ledger_now()")
    assert members.one(opens, digest(), member, "other") is None


def test_a_half_session_does_not_outlive_its_time(members):
    _, member = members.member()
    session = members.session(member, is_half=True, hours=-1)
    assert members.one("select session_renew(%s, %s)", session, digest()) is False
    session = members.session(member, is_half=True)
    assert members.one("select session_renew(%s, %s)", session, digest()) is True


def test_another_password_revokes_an_intruders_access(members):
    _, member = members.member("owner@example.com")
    here, elsewhere = members.session(member), members.session(member)
    members.sql("select device_add(%s, %s)", digest(), member)
    link, undo = ask_change(members, elsewhere, "new@example.com")
    reset = members.link("reset", "owner@example.com", member)
    assert members.one("select password_set(%s, 'other')", here) is True
    assert [members.is_open(one, kind) for one, kind in ((link, "email"), (reset, "reset"), (undo, "undo"))] == [
        False, False, True]
    assert members.sql("select session_id::text from session") == [(here,)]
    assert members.owner("select count(*) from device") == [(0,)]


def test_a_reset_link_is_for_the_address_it_was_mailed_to(members):
    """A change that was requested during an undo is committed after it, with the intruder's
    address."""
    _, member = members.member("owner@example.com")
    theirs = members.link("reset", "x@intruder.test", member)
    ours = members.link("reset", "owner@example.com", member)
    assert members.sql("select * from password_reset(%s, 'theirs', false)", theirs) == []
    assert len(members.sql("select * from password_reset(%s, 'ours', false)", ours)) == 1


def test_sessions_end_but_one(members):
    _, member = members.member()
    _, other = members.member()
    sessions = [members.session(member) for _ in range(3)]
    stays = members.session(other)
    assert members.one("select session_end(%s, %s, null)", member, stays) == 0  # another member's
    assert members.one("select session_end(%s, null, %s)", member, sessions[1]) == 2
    assert {row[0] for row in members.sql("select session_id::text from session")} == {sessions[1], stays}


# -- changing and regaining an address --


def email_of(members, member):
    return members.one("select email from member where member_id = %s", member)


def ask_change(members, session, address):
    """Request another address; returns its link and the undo link."""
    link, undo = new_id(), new_id()
    assert members.one("select email_request(%s, %s, %s, %s, %s, true)", session, link, undo, address, address.lower())
    return link, undo


def change(members, session, address):
    """Request another address and open its link; returns (outcome, undo link)."""
    link, undo = ask_change(members, session, address)
    return members.one("select email_change(%s, %s)", link, session), undo


def undo_of(members, link, end=(), shown=()):
    return members.one("select email_undo(%s, %s, %s::uuid[], %s::uuid[])", link, new_id(), list(end), list(shown))


def test_a_change_of_address(members):
    _, member = members.member("old@example.com")
    here, elsewhere = members.session(member), members.session(member)
    reset = members.link("reset", "old@example.com", member)
    link, _ = ask_change(members, here, "new@example.com")
    _, outsider = members.member()
    assert members.one("select email_change(%s, %s)", link, members.session(outsider)) == "used"  # another member's
    assert members.one("select email_change(%s, %s)", link, here) == "done"
    assert members.one("select email_change(%s, %s)", link, here) == "used"
    assert email_of(members, member) == "new@example.com"
    assert members.sql("select session_id::text from session where member_id = %s", member) == [(here,)] and elsewhere
    assert not members.is_open(reset, "reset")


def test_an_address_that_may_come_back_is_reserved(members):
    _, member = members.member("old@example.com")
    _, outsider = members.member("x@example.com")
    _, undo = change(members, members.session(member), "new@example.com")
    signup = members.link("signup", "Old@example.com", hours=500)
    assert members.open(signup)[0] == "taken"
    theirs = members.session(outsider)
    assert change(members, theirs, "old@example.com")[0] == "taken"
    assert change(members, theirs, "new@example.com")[0] == "taken"
    members.shift_ms = 7 * DAY_MS
    assert undo_of(members, undo) == "used"
    assert members.open(signup)[0] == "done"


def test_a_members_own_address_is_not_taken(members):
    _, member = members.member("old@example.com")
    session = members.session(member)
    change(members, session, "new@example.com")
    assert change(members, session, "old@example.com")[0] == "done"
    assert change(members, session, "old+tag@example.com")[0] == "done"


def test_mails_of_a_change(members):
    """Whatever happens to the new address, there is one email to it, or to the member who has it,
    or to nobody."""
    _, member = members.member("owner@example.com")
    _, other = members.member("other@example.com")
    change(members, members.session(other), "elsewhere@example.com")  # other@example.com is reserved
    session = members.session(member)
    members.owner("delete from mail")
    for address in ("free@example.com", "elsewhere@example.com", "other@example.com"):
        ask_change(members, session, address)
    assert members.sql("select recipient, template, link_id is not null from mail order by created_at, mail_id") == [
        ("free@example.com", "email-confirm", True), ("elsewhere@example.com", "already", False),
        ("other@example.com", "none", False)]


def test_an_intruders_changes_are_undone(members):
    """With the password: two changes, two-factor, a deletion, tokens; the owner has the first undo
    link."""
    account, member = members.member("owner@example.com")
    _, old = members.token(account, name="old")
    members.owner("update token set created_at = created_at - interval '8 days'")
    session = members.session(member)
    assert members.one("select deletion_request(%s) is not null", session)
    _, seen = members.token(account, session=session)
    members.own_token(session)
    members.sql("select device_add(%s, %s)", digest(), member)
    members.owner("insert into billing_email select account_id, e.name, e.name, gen_random_uuid(), ledger_now() - age, ledger_now()"
                  " from account, (values ('books@example.com', interval '8 days'), ('x@intruder.test', '0')) e (name, age)")
    outcome, undo = change(members, session, "first@intruder.test")
    assert outcome == "done"
    outcome, their_undo = change(members, session, "second@intruder.test")
    assert outcome == "done"
    their_reset = members.link("reset", "second@intruder.test", member)
    their_change, _ = ask_change(members, session, "third@intruder.test")
    members.shift_ms = 60000
    assert members.one("select two_factor_on(%s, 'x', 1, %s)", session, new_id()) == "done"
    assert members.one("select recovery_set(%s, array['code'::bytea])", session)
    _, unseen = members.token(account, session=session)
    members.owner("update token set revoked_at = null where token_id = %s", old)  # the deletion revoked it

    assert undo_of(members, undo, end=[seen], shown=[seen, old]) == "done"
    assert members.sql("select email, email_key, password, totp_secret, totp_at, delete_at from member join account using (account_id)") == [
        ("owner@example.com", "owner@example.com", "", None, None, None)]
    assert undo_of(members, their_undo) == "used"
    assert members.one("select email_change(%s, %s)", their_change, session) == "session"
    assert not members.is_open(their_reset, "reset") and not members.is_open(their_change, "email")
    assert undo_of(members, undo) == "used"
    assert members.sql("select token_id::text from token where revoked_at is null") == [(old,)] and unseen
    assert members.sql("select email from billing_email") == [("books@example.com",)]
    for table in ("session", "device", "recovery_code"):
        assert members.one(f"select count(*) from {table}", role="tollgate_owner") == 0, table
    assert members.sql("select kind, email from link where used_at is null and kind = 'reset'") == [
        ("reset", "owner@example.com")]


def test_the_oldest_mailbox_wins(members):
    """An undo link revokes only links younger than itself, also if the clock stepped back in
    between."""
    _, member = members.member("owner@example.com")
    session = members.session(member)
    _, first = change(members, session, "first@intruder.test")
    members.shift_ms = -3600000
    _, second = change(members, session, "second@intruder.test")
    assert undo_of(members, second) == "done"
    assert email_of(members, member) == "first@intruder.test"
    assert undo_of(members, first) == "done"
    assert email_of(members, member) == "owner@example.com"


def test_undoing_leaves_what_is_older(members):
    _, member = members.member("owner@example.com")
    session = members.session(member, hours=500)
    assert members.one("select two_factor_on(%s, 'x', 1, %s)", session, new_id()) == "done"
    members.one("select recovery_set(%s, array['code'::bytea])", session)
    members.owner("update session set created_at = created_at + interval '8 days', is_kept = true")
    members.shift_ms = 8 * DAY_MS
    members.owner("update session set seen_at = ledger_now()")
    _, undo = change(members, session, "new@example.com")
    assert undo_of(members, undo) == "done"
    assert members.one("select totp_secret is not null from member") is True
    assert members.one("select count(*) from recovery_code") == 1


def test_new_recovery_codes_are_undone_alone(members):
    """The owner's two-factor is older, the codes are not."""
    _, member = members.member("owner@example.com")
    session = members.session(member)
    members.one("select two_factor_on(%s, 'x', 1, %s)", session, new_id())
    members.owner("update member set totp_at = totp_at - interval '9 days'")
    members.one("select recovery_set(%s, array['code'::bytea])", session)
    _, undo = change(members, session, "new@example.com")
    assert undo_of(members, undo) == "done"
    assert members.one("select totp_secret is not null from member") is True
    assert members.one("select count(*) from recovery_code") == 0


def test_a_deletion_waits_for_an_undo_link(members):
    _, member = members.member("owner@example.com")
    session = members.session(member, hours=500)
    members.one("select deletion_request(%s)", session)
    members.owner("update session set is_kept = true")
    members.shift_ms = 13 * DAY_MS
    members.owner("update session set seen_at = ledger_now()")
    _, undo = change(members, session, "new@example.com")
    members.shift_ms = 19 * DAY_MS
    assert members.one("select member_delete(%s)", member) == "early"
    assert undo_of(members, undo) == "done"


# -- deletion --


def test_a_member_is_deleted_in_time(members):
    account, member = members.member("Ada@example.com")
    members.token(account)
    members.session(member)
    members.sql("insert into audit_log (actor, action, account_id, network, agent)"
                " values ('portal', 'sign-in', %s, '192.0.2.1', 'Firefox')", account)
    members.sql("insert into mail (mail_id, member_id, recipient, template, created_at, next_at)"
                " values (%s, %s, 'Ada@example.com', 'reset', ledger_now(), ledger_now())", new_id(), member)
    delete = "select member_delete(%s)"
    assert members.one(delete, member) == "early"
    members.owner("update account set delete_at = ledger_now() + interval '14 days'")
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
    assert members.open(members.link("signup", "ada@example.com"))[0] == "done"  # they come back


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
    members.shift_ms = DAY_MS  # more than the maximum is not possible
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
    """Also if the planner saw an empty table when the plans were made."""
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


def test_a_bucket_can_be_refilled(members):
    bucket = ("device", 30000, 1)
    assert members.take(bucket) == 0
    members.give(bucket)
    assert members.take(bucket) == 0
    assert members.take(bucket) > 0


def test_concurrent_attempts_share_a_bucket(members):
    buckets = [("a", 3600000, 10), ("b", 3600000, 7)]
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda i: members.take(*(buckets if i % 2 else buckets[::-1])), range(24)))
    assert taken.count(0) == 7


# -- cleaning --


def test_expired_rows_are_deleted(members):
    account, member = members.member()
    idle, kept = members.session(member, hours=48), members.session(member, hours=720)
    members.owner("update session set is_kept = true where session_id = %s", kept)
    members.own_token(idle)
    members.sql("select device_add(%s, %s)", digest(), member)
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


def test_cleaning_runs_in_steps(members):
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
    "select digest from token", "select body from idempotency", "select bytes from large_response",
    "select large_response_get(gen_random_uuid(), '', '', 0::smallint)",
    "select large_response_replayed(gen_random_uuid(), '', '')", "delete from audit_log",
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
    "insert into member (member_id) values (gen_random_uuid())", "update member set password = ''",
    "insert into session (session_id) values (gen_random_uuid())", "update session set is_half = false",
    "select cookie from session", "delete from session", "insert into link (link_id) values (gen_random_uuid())",
    "update link set used_at = null", "delete from link", "select device from device", "delete from device",
    "update recovery_code set used_at = null", "delete from recovery_code", "update account set name = 'x'",
    "update account set withheld = 100", "select signup_grant(gen_random_uuid())",
    "select signup_budget_take('{}')", "update signup_policy set in_all = 1000000", "delete from signup_budget",
    "update tool set price = 0", "insert into test_clock default values",
    "select token_cap(gen_random_uuid(), gen_random_uuid(), 1, 1)", "select session_member(gen_random_uuid())",
    "select link_open(gen_random_uuid(), 'reset')",
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
    "select email_undo(gen_random_uuid(), gen_random_uuid(), '{}', '{}')",
    "select token_add(gen_random_uuid(), gen_random_uuid(), '', '', '', '{}', null)"])
def test_the_operator_reads_no_secrets(migrated, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        migrated.sql(statement, role=OPERATOR)


@pytest.mark.parametrize("table", ["member", "link", "session", "device", "recovery_code", "mail", "job", "throttle"])
def test_a_gateway_knows_no_members(migrated, table):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        migrated.sql(f"select count(*) from {table}", role="tollgate_gateway")


def test_definer_functions_use_their_own_tables(migrated):
    """Each definer function sets search_path with pg_temp last, and nobody may run it by
    default."""
    loose = migrated.sql(
        "select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef"
        " and (not exists (select from unnest(p.proconfig) c where c ~ '^search_path=.*public, pg_temp$')"
        "      or has_function_privilege('public', p.oid, 'execute'))")
    assert loose == []
    assert migrated.sql("select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace"
                        " and has_function_privilege('public', p.oid, 'execute')") == []


# -- an older cluster --


def test_migrating_needs_the_portals_role(cluster, new_database, empty):
    """A cluster that is older than the portal does not have its role; roles belong to the
    cluster."""
    rename = "alter role tollgate_{} rename to tollgate_{}"
    empty.sql(rename.format("portal", "elsewhere"), role="postgres")
    try:
        said = empty.refuse(1, "db", "migrate")
        assert re.search(r"the role tollgate_portal is missing: run deploy/database/roles.sql", said)
        assert empty.sql("select to_regclass('schema_migration')") == [(None,)]
    finally:
        empty.sql(rename.format("elsewhere", "portal"), role="postgres")
    assert empty.ask("db", "migrate")["applied"]
