"""tests/api/operator/test_tollctl_apps.py - connected apps for the operator: `tollctl app …`, and
what `tollctl verify` proves of them. A separate PostgreSQL."""

import json
import uuid

import psycopg2
import pytest

from kit.database.apps import DAY_S, REFRESH_S, Apps, sha256
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures


class Connected:
    """A member's app with a cap, which has refreshed once."""

    def __init__(self, db, client="client", host="app.test"):
        self.apps = Apps(db)
        self.account, member = self.apps.member()
        self.token, code = str(uuid.uuid4()), str(uuid.uuid4())
        consent = self.apps.consent(self.apps.session(member), code, self.token, client, days=30, name="Editor",
                                    redirect_host=host)
        assert (consent, self.apps.exchange(self.account, code, client).outcome) == ("done", "done")
        assert self.apps.refresh(self.account, self.token, 1, client).outcome == "done"


@pytest.fixture
def connected(db):
    connected = Connected(db)
    yield connected
    connected.apps.close()


def state_of(db, connected):
    [app] = db.ask("app", "list", connected.account)["apps"]
    return app["app"], app["state"]


def test_an_app_is_listed(db, connected):
    db.sql("update token set spent_total = 7, spent_today = 3, spent_day = utc_day(ledger_now())")
    [app] = db.ask("app", "list", connected.account)["apps"]
    shown = db.ask("app", "show", connected.account, connected.token)
    assert app.items() <= shown.items()
    assert {name: app[name] for name in ("app", "name", "state", "client", "redirect_host", "scopes", "cap_daily",
                                         "spent_today", "cap_total", "spent_total")} == {
        "app": connected.token, "name": "Editor", "state": "active", "client": "registered",
        "redirect_host": "app.test", "scopes": ["utils"], "cap_daily": 100, "spent_today": 3, "cap_total": None,
        "spent_total": 7}
    assert (shown["client_name"], shown["refreshes"], shown["access_token"]) == ("An app", 2, "tg_live_…aaaa")
    assert shown["ended_at"] is None and shown["ended_by"] is None


def test_yesterdays_spending_is_not_todays(db, connected):
    db.sql("update token set spent_total = 7, spent_today = 3, spent_day = utc_day(ledger_now()) - 1")
    assert db.ask("app", "show", connected.account, connected.token)["spent_today"] == 0


def test_the_host_of_a_clients_document(db, connected):
    db.sql("update oauth_grant set client_host = 'claude.example'")
    assert db.ask("app", "show", connected.account, connected.token)["client"] == "claude.example"


def test_an_app_is_revoked(db, connected):
    answer = db.ask("app", "revoke", connected.account, connected.token)
    assert answer == {"account": connected.account, "app": connected.token, "state": "revoked", "changed": True}
    assert db.audit()[-1][1:] == ("app revoke", connected.account, f"token {connected.token}")
    shown = db.ask("app", "show", connected.account, connected.token)
    assert (shown["state"], shown["ended_by"]) == ("revoked", "operator") and shown["ended_at"]
    assert not connected.apps.call(connected.account, connected.token, 1)
    assert connected.apps.refresh(connected.account, connected.token, 2).outcome == "refused"
    before = db.audit()
    assert db.ask("app", "revoke", connected.account, connected.token)["changed"] is False
    assert db.audit() == before


@pytest.mark.parametrize("command", ["show", "revoke"])
def test_an_app_of_another_account(db, connected, command):
    other = db.ask("account", "create", "other")["account"]
    assert db.ask("app", "list", other)["apps"] == []
    assert "has no connected app" in db.refuse(1, "app", command, other, connected.token)
    token = db.ask("token", "create", connected.account)["token_id"]
    assert "has no connected app" in db.refuse(1, "app", command, connected.account, token)
    assert state_of(db, connected) == (connected.token, "active")


# -- blocked clients --

KEY = sha256("client").hex()


def consent(connected):
    """The outcome of one more consent, and of its exchange."""
    apps, (_, member) = connected.apps, connected.other
    code = str(uuid.uuid4())
    outcome = apps.consent(apps.session(member), code, str(uuid.uuid4()), client_host="docs.client.test")
    return outcome, apps.exchange(connected.other[0], code).outcome


@pytest.fixture
def blocked(db, connected):
    """A function that blocks; unblocked at the end."""
    connected.other = connected.apps.member()

    def block(client, *options):
        return db.ask("app", "block", client, "--why", "harms members", *options)

    yield block
    db.sql("delete from oauth_block")


@pytest.mark.parametrize("client, stored", [
    ("app.test", "app.test"), ("APP.test.", "app.test"), ("docs.client.test", "docs.client.test"),
    ("client.test", "client.test"), (KEY, KEY), (KEY.upper(), KEY)])
def test_a_client_is_blocked(db, connected, blocked, client, stored):
    assert blocked(client) == {"client": stored, "state": "blocked", "changed": True}
    assert db.audit()[-1][1:] == ("app block", None, stored)
    [row] = db.ask("app", "blocks")["blocks"]
    assert (row["client"], row["why"]) == (stored, "harms members") and row["blocked_at"]
    assert consent(connected) == ("blocked", "refused")
    assert state_of(db, connected) == (connected.token, "active")
    assert connected.apps.refresh(connected.account, connected.token, 2).outcome == "done"
    assert blocked(client)["changed"] is False
    assert db.ask("app", "unblock", client) == {"client": stored, "state": "allowed"}
    assert db.ask("app", "blocks")["blocks"] == []
    assert consent(connected) == ("done", "done")


@pytest.mark.parametrize("client", ["pp.test", "x.app.test", "apptest.test", sha256("other").hex()])
def test_another_client_is_not_blocked(connected, blocked, client):
    blocked(client)
    assert consent(connected) == ("done", "done")


@pytest.mark.parametrize("client", ["bad.test", sha256("bad").hex()])
def test_a_blocked_client_is_revoked(db, connected, blocked, client):
    bad = Connected(db, "bad", "app.bad.test")
    answer = blocked(client, "--revoke")
    assert (answer["changed"], answer["revoked"]) == (True, 1)
    assert db.audit()[-1][1:] == ("app revoke", bad.account, f"token {bad.token}")
    shown = db.ask("app", "show", bad.account, bad.token)
    assert (shown["state"], shown["ended_by"], shown["client_key"]) == ("revoked", "operator", sha256("bad").hex())
    assert not bad.apps.call(bad.account, bad.token, 1)
    bad.apps.close()
    assert state_of(db, connected) == (connected.token, "active")
    assert blocked(client, "--revoke")["revoked"] == 0


def test_a_block_waits_for_codes_that_are_exchanged(db, connected, blocked):
    with psycopg2.connect(db.url("tollgate_owner")) as exchanging, exchanging.cursor() as cursor:
        cursor.execute("lock table oauth_block in row share mode")  # as oauth_exchange()
        with pytest.raises(psycopg2.errors.LockNotAvailable):
            db.sql("set lock_timeout = 50; select oauth_block_add('app.test', 'x')")
    exchanging.close()


@pytest.mark.parametrize("client", ["", "localhost", "127.0.0.1", "[::1]", "a b.test", "a..test", "https://app.test/", "ab" * 33])
def test_what_is_no_client(db, client):
    for command in (["block", client, "--why", "x"], ["unblock", client]):
        assert "CLIENT" in db.refuse(64, "app", *command)
    assert db.ask("app", "blocks")["blocks"] == []


def test_a_client_that_is_not_blocked(db):
    assert "app.test is not blocked" in db.refuse(1, "app", "unblock", "app.test")


@pytest.mark.parametrize("column", ["ends_at", "refresh_until"])
def test_an_app_expires_before_it_is_revoked(db, connected, column):
    db.sql(f"update oauth_grant set {column} = now() - interval '1 second'")
    assert state_of(db, connected) == (connected.token, "expired")
    assert db.ask("app", "revoke", connected.account, connected.token)["changed"] is True


# -- verify --


def failed(db):
    """{number of an invariant: the accounts of its findings}"""
    checks = json.loads(db.run("verify", "--whole", "--json")[1])["checks"]
    return {check["invariant"]: [finding["account"] for finding in check["findings"]]
            for check in checks if not check["ok"]}


@pytest.mark.parametrize("seconds, ended", [(0, False), (0, True), (REFRESH_S + DAY_S, False)])
def test_connections_that_are_right(db, connected, seconds, ended):
    """Also those that are over and not yet revoked."""
    if ended:
        db.ask("app", "revoke", connected.account, connected.token)
    db.sql("update oauth_grant set ends_at = ends_at - %s * interval '1 second',"
           " refresh_until = refresh_until - %s * interval '1 second'", seconds, seconds)
    db.sql("update token set expires_at = expires_at - %s * interval '1 second' where kind = 3", seconds)
    assert failed(db) == {}


DAMAGES = {
    "the token is revoked, the grant is active": "update token set revoked_at = now() where kind = 3",
    "the grant is ended, the token is not revoked":
        "update oauth_grant set state = 2, ended_at = now(), ended_by = 'member'",
    "the grant is gone": "delete from oauth_grant",
    "the token is gone": "alter table oauth_grant drop constraint oauth_grant_account_id_token_id_fkey;"
                         " delete from token where kind = 3",
    "the token is no app's": "update token set kind = 1 where kind = 3",
    "the token is not counted": "alter table token drop constraint token_app_check, drop constraint if exists"
                                " token_check; update token set spent_total = null, cap_daily = null where kind = 3",
    "the token outlives the member's choice":
        "update token t set expires_at = g.ends_at + interval '1 second' from oauth_grant g"
        " where g.token_id = t.token_id",
    "the token does not expire": "update token set expires_at = null where kind = 3",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_verify_finds(db, connected, damage):
    db.sql(damage, role="postgres")
    assert failed(db) == {14: [connected.account]}
