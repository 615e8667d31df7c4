"""tests/api/test_apps.py - the database functions for connected apps (gateway/sql/009-apps.sql):
each rule, races, and random schedules against a model (kit/database/apps.py)."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest

from kit.database.apps import CODE_S, DAY_S, GRACE_S, HOUR_S, REFRESH_S, TTL_S, Apps, digest, play, sha256
from kit.database.scratch import cluster, db as own_db, migrated, new_database, shared_db as db  # noqa: F401 - fixtures

SCHEDULES = 60


def new_id():
    return str(uuid.uuid4())


class Connection:
    """A member with a session, and a connected app."""

    def __init__(self, apps, **changed):
        self.apps = apps
        self.account, self.member = apps.member()
        self.session = apps.session(self.member)
        self.token, self.code = new_id(), new_id()
        assert apps.consent(self.session, self.code, self.token, **changed) == "done"

    def exchange(self, **changed):
        return self.apps.exchange(self.account, self.code, **changed)

    def refresh(self, number, **changed):
        return self.apps.refresh(self.account, self.token, number, **changed)

    def update(self, **changed):
        """A new consent, its code exchanged."""
        self.code = new_id()
        assert self.apps.consent(self.session, self.code, self.token, is_update=True, **changed) == "done"
        return self.exchange()

    def grant(self):
        return self.apps.grant(self.account, self.token)

    def wait(self, seconds):
        self.apps.now_s += seconds


@pytest.fixture
def apps(db):
    apps = Apps(db)
    yield apps
    apps.close()


@pytest.fixture
def fresh(apps):
    """Consented, not exchanged."""
    return Connection(apps)


@pytest.fixture
def connected(fresh):
    assert fresh.exchange().outcome == "done"
    return fresh


# -- consent --


def test_a_consent_leaves_only_a_code(apps, fresh):
    assert fresh.grant() is None
    assert apps.owner("select count(*) from token where account_id = %s", fresh.account) == [(0,)]


@pytest.mark.parametrize("changed, outcome", [
    ({"scopes": ["utils", "account"]}, "done"),
    ({"scopes": ["hash-generate"]}, "scope"),
    ({"scopes": ["nothing"]}, "scope"),
    ({"scopes": [None]}, "scope"),
    ({"is_update": True}, "gone"),
])
def test_consents(apps, changed, outcome):
    account, member = apps.member()
    assert apps.consent(apps.session(member), new_id(), new_id(), **changed) == outcome


@pytest.mark.parametrize("changed", [
    {"scopes": []}, {"name": ""}, {"name": "x" * 61}, {"client_name": "x" * 61}, {"redirect_uri": "x" * 513},
    {"state": "x" * 1025}, {"challenge": "\\x00"}, {"client_key": "\\x00"}, {"cap_daily": -1},
    {"cap_total": 10**9 + 1}, {"name": None}, {"token_id": None}, {"code_id": None}])
def test_a_consent_outside_the_bounds_is_an_error(apps, changed):
    account, member = apps.member()
    with pytest.raises(psycopg2.Error):
        apps.consent(apps.session(member), new_id(), new_id(), **changed)


def test_what_a_consent_cannot_choose(apps):
    """The account, the session and the times are the function's."""
    other = Connection(apps)
    mine = Connection(apps, account_id=other.account, session_id=other.session, used_at="2020-01-01",
                      expires_at="2999-01-01", ends_at="2999-01-01", days=1)
    assert apps.owner("select account_id::text, session_id::text, used_at, expires_at - created_at < interval '301 s',"
                      " ends_at - created_at <= interval '1 day' from oauth_code where code_id = %s", mine.code) == [
        (mine.account, mine.session, None, True, True)]


def test_a_consent_again(apps, fresh):
    form = (fresh.session, fresh.code, fresh.token)
    assert apps.consent(*form) == apps.consent(*form, network="203.0.113.0/24", agent="Chrome") == "again"
    fresh.wait(5)
    assert fresh.exchange().outcome == "done"
    assert apps.consent(*form) == "again"
    assert apps.consent(fresh.session, new_id(), fresh.token) == "changed"


@pytest.mark.parametrize("changed", [
    {"cap_daily": 5}, {"cap_daily": None}, {"cap_total": 1}, {"scopes": ["chat"]}, {"name": "x"}, {"days": 1},
    {"client": "another"}, {"redirect_uri": "https://evil.test/"}, {"challenge": "\\x" + "00" * 32}, {"needs_key": True},
    {"token_id": "00000000-0000-0000-0000-000000000000"}])
def test_a_consent_again_with_other_values(apps, fresh, changed):
    """It is not taken for the first one, and does not change it."""
    before = apps.owner("select to_jsonb(c) from oauth_code c where code_id = %s", fresh.code)
    assert apps.consent(fresh.session, fresh.code, fresh.token, **changed) == "changed"
    assert apps.consent(apps.session(fresh.member), fresh.code, fresh.token) == "changed"  # another session
    assert apps.owner("select to_jsonb(c) from oauth_code c where code_id = %s", fresh.code) == before


@pytest.mark.parametrize("changed", [{"client": "another"}, {"redirect_host": "other.test"}])
def test_an_update_of_another_app(apps, connected, changed):
    assert apps.consent(connected.session, new_id(), connected.token, is_update=True, **changed) == "gone"


def test_an_update_of_another_account(apps, connected):
    account, member = apps.member()
    assert apps.consent(apps.session(member), new_id(), connected.token, is_update=True) == "gone"


@pytest.mark.parametrize("state", ["suspended", "closed"])
def test_a_consent_of_an_account_that_is_not_active(apps, fresh, state):
    apps.owner("update account set state = %s where account_id = %s", state, fresh.account)
    assert apps.consent(fresh.session, new_id(), new_id()) == ("suspended" if state == "suspended" else "session")


def test_a_consent_of_an_account_under_deletion(apps, fresh):
    apps.owner("update account set delete_at = ledger_now() where account_id = %s", fresh.account)
    assert apps.consent(fresh.session, new_id(), new_id()) == "leaving"
    assert fresh.exchange().outcome == "refused"


def test_fifty_connections(apps):
    account, member = apps.member()
    session = apps.session(member)
    codes = [new_id() for _ in range(51)]
    tokens = [new_id() for _ in codes]
    for code, token in zip(codes, tokens):
        assert apps.consent(session, code, token) == "done"
    assert [apps.exchange(account, code).outcome for code in codes] == ["done"] * 50 + ["refused"]
    assert apps.consent(session, new_id(), new_id()) == "full"
    assert apps.consent(session, new_id(), tokens[0], is_update=True) == "done"
    assert apps.one("select oauth_end(%s, %s, 'member')", account, tokens[1]) == "done"
    assert apps.exchange(account, codes[50]).outcome == "done"


# -- exchange --


def test_an_exchange(apps, fresh):
    answer = fresh.exchange()
    assert answer == ("done", fresh.token, 1, 1, None, TTL_S, ["utils"])
    grant = fresh.grant()
    assert (grant["state"], grant["is_revoked"], grant["spent_total"], grant["cap_daily"]) == (1, False, 0, 100)
    assert grant["digest"] == digest(fresh.token, 1).hex()
    assert apps.call(fresh.account, fresh.token, 1)


@pytest.mark.parametrize("changed", [
    {"client": "another"}, {"uri": "https://app.test/back/"}, {"uri": ""}, {"verifier": "another"}, {"verifier": ""}])
def test_a_wrong_exchange_changes_nothing(apps, fresh, changed):
    assert fresh.exchange(**changed).outcome == "refused"
    assert fresh.grant() is None
    assert fresh.exchange().outcome == "done"
    assert fresh.exchange(**changed).outcome == "refused"  # of a used code: the connection stays
    assert fresh.grant()["state"] == 1


def test_an_exchange_that_must_be_signed(apps):
    fresh = Connection(apps, needs_key=True)
    assert fresh.exchange().outcome == "refused"
    assert fresh.exchange(has_key=True).outcome == "done"
    assert fresh.refresh(1).outcome == "refused"
    assert fresh.refresh(1, has_key=True).outcome == "done"
    assert apps.revoke(fresh.account, fresh.token, 2) == "none"
    assert apps.revoke(fresh.account, fresh.token, access_no=1) == "none"
    assert fresh.grant()["state"] == 1
    assert apps.revoke(fresh.account, fresh.token, 2, has_key=True) == "done"


def test_a_code_of_another_account(apps, fresh):
    account, _ = apps.member()
    assert apps.exchange(account, fresh.code).outcome == "refused"


def test_a_code_twice(connected):
    assert connected.exchange().outcome == "replayed"
    assert (connected.grant()["ended_by"], connected.grant()["is_revoked"]) == ("replay", True)
    assert connected.exchange().outcome == "refused"
    assert connected.refresh(1).outcome == "refused"


@pytest.mark.parametrize("seconds, outcome", [(CODE_S - 1, "done"), (CODE_S + 1, "refused")])
def test_a_code_lives_five_minutes(fresh, seconds, outcome):
    fresh.wait(seconds)
    assert fresh.exchange().outcome == outcome


@pytest.mark.parametrize("end", [
    "select session_end(%(member)s, null, null)",
    "select session_end(%(member)s, %(session)s, null)",
    "update session set is_half = true where session_id = %(session)s",
    "update member set locked_at = ledger_now() where member_id = %(member)s",
    "update account set state = 'closed' where account_id = %(account)s",
    "select token_end(%(account)s, null)",
    "select deletion_request(%(session)s)",
])
def test_a_code_ends_with_its_session(apps, fresh, end):
    apps.owner(end.replace("%(member)s", f"'{fresh.member}'").replace("%(session)s", f"'{fresh.session}'")
               .replace("%(account)s", f"'{fresh.account}'"))
    assert fresh.exchange().outcome == "refused"
    assert fresh.grant() is None


def test_a_suspended_account_exchanges_and_refreshes(apps, fresh):
    apps.owner("update account set state = 'suspended' where account_id = %s", fresh.account)
    assert fresh.exchange().outcome == "done"
    assert fresh.refresh(1).outcome == "done"


@pytest.mark.parametrize("end", ["expires_at = ledger_now()", "ends_at = ledger_now()", "session_id = gen_random_uuid()"])
def test_a_used_code_that_is_over_ends_nothing(apps, connected, end):
    apps.owner(f"update oauth_code set {end} where code_id = %s", connected.code)
    assert connected.exchange().outcome == "refused"
    assert connected.grant()["state"] == 1


def test_an_exchange_takes_over_no_other_token(apps, fresh):
    apps.owner("insert into token (account_id, token_id, digest, last4, created_at)"
               " values (%s, %s, sha256('x'), 'aaaa', ledger_now())", fresh.account, fresh.token)
    assert fresh.exchange().outcome == "refused"
    assert apps.owner("select kind, digest = sha256('x') from token where token_id = %s", fresh.token) == [(1, True)]


def test_a_portal_cannot_choose_a_longer_life(apps, fresh, monkeypatch):
    monkeypatch.setattr("kit.database.apps.TTL_S", 10 * DAY_S)
    assert fresh.exchange().expires_in <= DAY_S
    fresh.wait(DAY_S - 10)
    assert fresh.refresh(1).expires_in <= DAY_S


def test_an_outdated_number_is_asked_again(connected):
    assert connected.exchange(access_no=1).outcome == "replayed"  # a used code is judged first
    other = Connection(connected.apps)
    assert other.exchange(access_no=2).outcome == "retry"
    assert other.exchange().outcome == "done"
    assert other.refresh(1, access_no=2).outcome == "retry"
    assert other.refresh(1).refresh_no == 2


def test_an_update_keeps_what_was_spent(apps, connected):
    apps.owner("update token set spent_total = 7 where token_id = %s", connected.token)
    assert connected.refresh(1).refresh_no == 2
    answer = connected.update(scopes=["chat"], cap_daily=5, name="again")
    assert (answer.outcome, answer.access_no, answer.refresh_no, answer.scopes) == ("done", 2, 3, ["chat"])
    grant = connected.grant()
    assert (grant["first_no"], grant["spent_total"], grant["cap_daily"]) == (3, 7, 100)  # caps stay, too
    assert not apps.call(connected.account, connected.token, 1)
    assert apps.call(connected.account, connected.token, 2)
    for number in (1, 2):  # from before the update: they end nothing
        assert connected.refresh(number).outcome == "refused"
        assert apps.revoke(connected.account, connected.token, number) == "none"
    assert connected.refresh(3).outcome == "done"


def test_the_connection_ends_before_its_update(apps, connected):
    connected.code = new_id()
    assert apps.consent(connected.session, connected.code, connected.token, is_update=True) == "done"
    assert apps.one("select oauth_end(%s, %s, 'member')", connected.account, connected.token) == "done"
    assert connected.exchange().outcome == "refused"


def test_two_codes_of_one_connection(apps, fresh):
    """Made before either was exchanged: the second neither makes nor revives it."""
    second = new_id()
    assert apps.consent(fresh.session, second, fresh.token) == "done"
    assert fresh.exchange().outcome == "done"
    assert apps.exchange(fresh.account, second).outcome == "refused"
    assert apps.one("select oauth_end(%s, %s, 'member')", fresh.account, fresh.token) == "done"
    assert apps.exchange(fresh.account, second).outcome == "refused"
    assert fresh.grant()["is_revoked"]


def test_a_code_at_fifty_portals_at_once(db, fresh):
    def exchange(_):
        apps = Apps(db)
        try:
            return apps.exchange(fresh.account, fresh.code, access_no=1).outcome
        finally:
            apps.close()

    with ThreadPoolExecutor(10) as pool:
        outcomes = sorted(pool.map(exchange, range(50)))
    assert outcomes == ["done"] + ["refused"] * 48 + ["replayed"]
    assert fresh.grant()["is_revoked"]


# -- refresh --


def test_a_refresh_and_its_lost_answer(connected):
    first = connected.refresh(1)
    assert first[:5] == ("done", connected.token, 1, 2, 1) and first.scopes == ["utils"]
    again = connected.refresh(1)
    assert again[:5] == first[:5] and TTL_S >= first.expires_in >= again.expires_in > TTL_S - 5
    assert connected.refresh(2).refresh_no == 3


@pytest.mark.parametrize("age, changes", [(TTL_S // 2 - 5, False), (TTL_S // 2 + 5, True), (TTL_S + 5, True)])
def test_the_access_token_changes_in_its_second_half(connected, age, changes):
    connected.wait(age)
    answer = connected.refresh(1)
    assert (answer.access_no, answer.line) == ((2, None) if changes else (1, 1))
    assert (TTL_S if changes else TTL_S - age) - answer.expires_in in range(5)
    assert connected.apps.call(connected.account, connected.token, 1) is not changes


@pytest.mark.parametrize("later, outcome", [(GRACE_S - 1, "done"), (GRACE_S + 1, "replayed")])
def test_the_grace(connected, later, outcome):
    assert connected.refresh(1).outcome == "done"
    connected.wait(later)
    assert connected.refresh(1).outcome == outcome
    assert connected.grant()["state"] == (1 if outcome == "done" else 2)


def test_a_lost_answer_of_yesterday(apps, connected):
    """The access token that it issued was never used, so nobody else has the answer."""
    assert apps.call(connected.account, connected.token, 1)
    connected.wait(TTL_S - HOUR_S)
    assert connected.refresh(1).access_no == 2
    connected.wait(DAY_S)
    assert connected.refresh(1).outcome == "done"
    assert connected.refresh(1).outcome == "done"


def test_a_replay_after_the_answer_was_used(apps, connected):
    connected.wait(TTL_S - HOUR_S)
    assert apps.call(connected.account, connected.token, 1)  # less than five minutes before
    assert connected.refresh(1).access_no == 2
    assert apps.call(connected.account, connected.token, 2)
    connected.wait(GRACE_S + 1)
    assert connected.refresh(1).outcome == "replayed"
    assert not apps.call(connected.account, connected.token, 2)


def test_an_older_one_ends_the_connection(connected):
    assert connected.refresh(1).refresh_no == 2
    assert connected.refresh(2).refresh_no == 3
    assert connected.refresh(1).outcome == "replayed"


@pytest.mark.parametrize("changed", [{"client": "another"}])
def test_a_refresh_by_another_client_ends_nothing(connected, changed):
    assert connected.refresh(1, **changed).outcome == "refused"
    assert connected.refresh(1).outcome == "done"
    connected.wait(GRACE_S + 1)
    assert connected.refresh(1, **changed).outcome == "refused"
    assert connected.grant()["state"] == 1


@pytest.mark.parametrize("number", [0, -1, 2, 99])
def test_a_number_that_was_never_given(connected, number):
    assert connected.refresh(number).outcome == "refused"
    assert connected.grant()["state"] == 1


def test_a_refresh_token_lives_90_days_without_use(connected):
    connected.wait(REFRESH_S - 5)
    assert connected.refresh(1).outcome == "done"
    connected.wait(REFRESH_S - 5)
    assert connected.refresh(2).outcome == "done"
    connected.wait(REFRESH_S + 5)
    assert connected.refresh(3).outcome == "refused"


def test_the_members_end(apps):
    connected = Connection(apps, days=1)
    assert connected.exchange().expires_in == TTL_S
    connected.wait(DAY_S - HOUR_S)
    answer = connected.refresh(1)
    assert (answer.access_no, answer.expires_in) in ((2, HOUR_S), (2, HOUR_S - 1))
    connected.wait(HOUR_S - 10)
    assert connected.refresh(2).access_no == 2  # a new one would end no later
    connected.wait(20)
    assert connected.refresh(3).outcome == "refused"


def test_a_new_secret(connected):
    """The current access token is made under the line that gives it; if none does, a new one is
    issued."""
    assert connected.refresh(1, lines=(2, 1)).line == 2
    answer = connected.refresh(2, lines=(2, 3))
    assert (answer.line, answer.access_no) == (None, 2)
    assert connected.refresh(3, lines=(3, 2)).line == 2


def test_64_refreshes_at_once(db, connected):
    def refresh(_):
        apps = Apps(db)
        try:
            return apps.refresh(connected.account, connected.token, 1)[:5]
        finally:
            apps.close()

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(refresh, range(64))) == {("done", connected.token, 1, 2, 1)}


# -- the end --


@pytest.mark.parametrize("end, by", [
    ("select oauth_end(%(account)s, %(token)s, 'member')", "member"),
    ("select token_end(%(account)s, %(token)s)", "account"),
    ("select token_end(%(account)s, null)", "account"),
    ("select deletion_request(%(session)s)", "account"),
])
def test_the_ends(apps, connected, end, by):
    apps.sql(end.replace("%(token)s", f"'{connected.token}'").replace("%(session)s", f"'{connected.session}'")
             .replace("%(account)s", f"'{connected.account}'"))
    grant = connected.grant()
    assert (grant["state"], grant["ended_by"], grant["is_revoked"]) == (2, by, True)
    assert connected.refresh(1).outcome == "refused"
    assert not apps.call(connected.account, connected.token, 1)


def test_what_ends_no_connection(apps, connected):
    apps.sql("select session_end(%s, null, null)", connected.member)
    apps.sql("select password_set(%s, 'other')", apps.session(connected.member))
    assert connected.refresh(1).outcome == "done"


def test_an_end_twice_and_of_nothing(apps, connected):
    end = "select oauth_end(%s, %s, 'member')"
    assert apps.one(end, connected.account, connected.token) == "done"
    assert apps.one(end, connected.account, connected.token) == "again"
    assert apps.one(end, connected.account, new_id()) == "none"


def test_revocation_by_the_app(apps, connected):
    account, token = connected.account, connected.token
    assert connected.refresh(1).refresh_no == 2
    assert apps.revoke(account, token, 2, client="another") == "none"
    assert apps.revoke(account, token, 3) == "none"
    assert apps.revoke(account, new_id(), 2) == "none"
    assert apps.revoke(account, token, access_no=2) == "none"
    assert connected.grant()["state"] == 1
    assert apps.revoke(account, token, 1) == "done"
    assert connected.grant()["ended_by"] == "client"
    assert apps.revoke(account, token, 1) == "none"


def test_a_revocation_of_nothing_writes_nothing(apps, connected):
    """Anybody can name any account: nothing of it is locked or written."""
    row = "select xmin::text, ctid::text from account_balance where account_id = %s"
    before = apps.owner(row, connected.account)
    assert apps.revoke(connected.account, connected.token, access_no=9) == "none"
    assert apps.revoke(connected.account, connected.token, 1, client="another") == "none"
    assert apps.owner(row, connected.account) == before


def test_revocation_with_the_access_token(apps, connected):
    assert apps.revoke(connected.account, connected.token, access_no=1) == "done"
    assert connected.grant()["is_revoked"]


def test_the_owner_regains_an_account(apps, connected):
    """The undo link of an email change ends what was connected or updated since then."""
    old = Connection(apps)
    assert old.exchange().outcome == "done"
    since = apps.owner("select ledger_now()")[0][0]
    apps.owner("select oauth_end_since(%s, %s)", old.account, since)
    assert old.grant()["state"] == 1
    assert old.update().outcome == "done"
    waiting = new_id()
    assert apps.consent(old.session, waiting, new_id()) == "done"
    apps.owner("select oauth_end_since(%s, %s)", old.account, since)
    assert old.grant()["is_revoked"]
    assert apps.exchange(old.account, waiting).outcome == "refused"
    assert connected.grant()["state"] == 1  # another account's


def test_a_deleted_member_leaves_no_connection(apps, connected):
    apps.sql("select deletion_request(%s)", connected.session)
    connected.wait(15 * DAY_S)
    assert apps.one("select member_delete(%s)", connected.member) == "done"
    assert connected.grant() is None
    assert apps.owner("select count(*) from oauth_code where account_id = %s", connected.account) == [(0,)]
    assert apps.owner("select name, revoked_at is not null from token where account_id = %s", connected.account) == [
        ("", True)]


def test_cleaning(apps, connected):
    prune = "select portal_prune(1000)"
    apps.sql(prune)
    assert apps.owner("select count(*) from oauth_code where code_id = %s", connected.code) == [(1,)]
    connected.wait(DAY_S + 10)
    apps.sql(prune)
    assert apps.owner("select count(*) from oauth_code where code_id = %s", connected.code) == [(0,)]
    assert connected.grant()["state"] == 1
    connected.wait(REFRESH_S)
    while apps.one("select oauth_expire_step()"):
        pass
    assert (connected.grant()["ended_by"], connected.grant()["is_revoked"]) == ("expired", True)
    connected.wait(399 * DAY_S)
    apps.sql(prune)
    assert connected.grant()
    connected.wait(2 * DAY_S)
    apps.sql(prune)
    assert connected.grant() is None


def test_expiry_locks_one_account_a_step(apps, connected):
    """Others of it, and a connection that was updated meanwhile, stay."""
    other, updated = Connection(apps), Connection(apps)
    for connection in (other, updated):
        assert connection.exchange().outcome == "done"
    second = new_id()
    code = new_id()
    assert apps.consent(other.session, code, second) == "done"
    assert apps.exchange(other.account, code).outcome == "done"
    connected.wait(REFRESH_S + 5)
    updated.session = apps.session(updated.member)
    assert updated.update().outcome == "done"
    ended = "select count(*) from oauth_grant where account_id in (%s, %s) and state = 2 and ended_by = 'expired'"
    counts = set()
    while apps.one("select oauth_expire_step()"):
        counts |= {count for count, in apps.owner(ended, connected.account, other.account)}
    assert counts - {0} in ({1, 3}, {2, 3})
    assert updated.grant()["state"] == 1


# -- documents of clients --

STORE = "select oauth_document_store(%s, %s, %s)"


def left_s(apps, url):
    return apps.owner("select extract(epoch from fresh_until - ledger_now())::int from oauth_document where url = %s", url)[0][0]


@pytest.mark.parametrize("age, kept", [(0, 300), (-1, 300), (299, 300), (301, 301), (86400, 86400), (10**9, 86400)])
def test_how_long_a_document_is_fresh(apps, age, kept):
    url = f"https://{uuid.uuid4()}.test/c"
    apps.sql(STORE, url, "{}", age)
    assert left_s(apps, url) in (kept, kept - 1)


def test_keys_belong_to_a_document(apps):
    url = f"https://{uuid.uuid4()}.test/c"
    key = sha256(url)
    keys = "select oauth_keys_store(%s, %s, %s)"
    apps.sql(STORE, url, "{}", 300)
    apps.sql(keys, key, '{"another": 1}', "old")  # the document changed while its keys were fetched
    assert apps.document(url)["keys"] is None
    apps.sql(keys, key, "{}", "new")
    apps.sql(STORE, url, "{}", 300)
    assert apps.document(url)["keys"] == "new"
    apps.sql(STORE, url, '{"jwks_uri": 1}', 300)
    assert (apps.document(url)["keys"], apps.document(url)["keys_at"]) == (None, None)


@pytest.mark.parametrize("url, document", [("x" * 1001, "{}"), ("https://x.test/c", "x" * 10241)])
def test_a_document_outside_the_bounds_is_an_error(apps, url, document):
    with pytest.raises(psycopg2.Error):
        apps.sql(STORE, url, document, 300)


def test_the_2000_documents_that_were_read_last_stay(apps, connected):
    """Those of active grants do not count, and do not go."""
    [url, other, *_] = (f"https://{uuid.uuid4()}.test/c" for _ in range(2))
    named = Connection(apps, client=url, client_host="a.test")
    assert named.exchange(client=url).outcome == "done"
    apps.sql(STORE, url, "{}", 300)
    apps.sql(STORE, other, "{}", 300)
    apps.owner("insert into oauth_document (client_key, url, document, fresh_until, read_at)"
               " select sha256(gen_random_uuid()::text::bytea), 'https://flood.test/', '{}', now(),"
               " ledger_now() + interval '1 second' from generate_series(1, 2100)")
    apps.now_s += 3
    apps.sql(STORE, "https://newest.test/c", "{}", 300)
    assert apps.owner("select count(*) from oauth_document where url = 'https://flood.test/'") == [(1999,)]
    assert apps.document(url) and not apps.document(other)
    apps.owner("delete from oauth_document where url = 'https://flood.test/'")


def test_cleaning_of_documents_and_assertions(apps):
    url, named_url = (f"https://{uuid.uuid4()}.test/c" for _ in range(2))
    named = Connection(apps, client=named_url, client_host="a.test")
    assert named.exchange(client=named_url).outcome == "done"
    apps.sql(STORE, url, "{}", 300)
    apps.sql(STORE, named_url, "{}", 300)
    apps.now_s += 31 * DAY_S
    apps.sql("select portal_prune(1000)")
    assert apps.document(named_url) and not apps.document(url)
    used = uuid.uuid4().bytes * 2
    assert [apps.one("select oauth_assertion_use(%s)", used) for _ in range(3)] == [True, False, False]
    apps.now_s += 601
    apps.sql("select portal_prune(1000)")
    assert apps.owner("select count(*) from oauth_assertion where digest = %s", used) == [(0,)]


# -- rights --


@pytest.mark.parametrize("role", ["tollgate_portal", "tollgate_gateway"])
@pytest.mark.parametrize("statement", [
    "insert into oauth_grant select * from oauth_grant", "update oauth_grant set state = 2", "delete from oauth_code",
    "update oauth_code set used_at = null", "select digest from token", "select oauth_close(gen_random_uuid(), 'member')",
    "select oauth_touch(gen_random_uuid(), gen_random_uuid(), now())",
    "select oauth_end_since(gen_random_uuid(), now())", "select oauth_prune(1)", "select document from oauth_document",
    "delete from oauth_assertion", "select why from oauth_block", "delete from oauth_block",
    "select oauth_block_add('app.test', 'x')", "select oauth_block_remove('app.test')"])
def test_the_roles_only_call_functions(db, role, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        db.sql(statement, role=role)


# -- random schedules against the model --


def test_random_schedules_follow_the_model(apps):
    ends = [play(apps, seed) for seed in range(SCHEDULES)]
    assert sum(model.is_made for model in ends) > SCHEDULES / 2
    assert 0 < sum(model.is_ended for model in ends) < SCHEDULES
    assert max(model.access_no for model in ends) > 2


# What a mutation breaks: function, text, replacement. The schedules find each.
MUTATIONS = {
    "no grace": ("oauth_refresh", "g.rotated_at > now_at - oauth_life(p_grace_s)", "false"),
    "an endless grace": ("oauth_refresh", "g.rotated_at > now_at - oauth_life(p_grace_s)", "true"),
    "a lost answer is lost": ("oauth_refresh", "or g.issued_at >= g.rotated_at and "
                              "(t.last_used_at is null or t.last_used_at < g.issued_at)", ""),
    "an older one is taken": ("oauth_refresh", "p_no = g.refresh_no - 1", "p_no >= g.refresh_no - 2"),
    "an update does not count": ("oauth_refresh", "p_no between g.first_no and g.refresh_no", "p_no <= g.refresh_no"),
    "a replay ends nothing": ("oauth_refresh", "oauth_end(p_account, p_token, 'replay')", "'done'"),
    "the access token stays": ("oauth_refresh", "(t.expires_at - g.issued_at) / 2", "interval '0'"),
    "a code works twice": ("oauth_exchange", "c.used_at is not null", "false"),
    "a used code ends nothing": ("oauth_exchange", "oauth_end(p_account, c.token_id, 'replay')", "'done'"),
    "old tokens outlive an update": ("oauth_exchange", "first_no = oauth_grant.refresh_no + 1", "first_no = 1"),
    "a code does not expire": ("oauth_code_member", "c.expires_at > p_now", "true"),
    "an update revives": ("oauth_exchange", "case when c.is_update then g.state = 1", "case when c.is_update then true"),
    "an end leaves the token": ("oauth_end", "set revoked_at = ledger_now()", "set revoked_at = null"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_model_finds_mutations(own_db, name):
    function, text, replacement = MUTATIONS[name]
    [[source]] = own_db.sql("select pg_get_functiondef(oid) from pg_proc where proname = %s", function)
    pattern = r"\s+".join(re.escape(word) for word in text.split())
    broken, count = re.subn(pattern, lambda _: replacement, source)
    assert count == 1
    own_db.sql(broken)
    apps = Apps(own_db)
    try:
        with pytest.raises((AssertionError, psycopg2.Error)):
            for seed in range(400):
                play(apps, seed)
    finally:
        apps.close()
