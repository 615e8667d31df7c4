"""tests/api/operator/test_tollctl_apps.py - `tollctl app …`, with a separate PostgreSQL."""

import uuid

import pytest

from kit.database.apps import Apps
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

pytestmark = pytest.mark.xdist_group("tollctl")  # one worker, so that one cluster is enough


class Connected:
    """A member's app with a cap, which has refreshed once."""

    def __init__(self, db):
        self.apps = Apps(db)
        self.account, member = self.apps.member()
        self.token, code = str(uuid.uuid4()), str(uuid.uuid4())
        consent = self.apps.consent(self.apps.session(member), code, self.token, days=30, name="Editor")
        assert (consent, self.apps.exchange(self.account, code).outcome) == ("done", "done")
        assert self.apps.refresh(self.account, self.token, 1).outcome == "done"


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


@pytest.mark.parametrize("column", ["ends_at", "refresh_until"])
def test_an_app_expires_before_it_is_revoked(db, connected, column):
    db.sql(f"update oauth_grant set {column} = now() - interval '1 second'")
    assert state_of(db, connected) == (connected.token, "expired")
    assert db.ask("app", "revoke", connected.account, connected.token)["changed"] is True
