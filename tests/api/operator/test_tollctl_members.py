"""tests/api/operator/test_tollctl_members.py - members and their email by tollctl."""

import getpass
import uuid

import pytest

from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures

USAGE = 64
NOBODY = "018f3a5e-0000-7000-8000-000000000000"
PASSWORD = "correct horse battery"


@pytest.fixture
def password(tmp_path):
    file = tmp_path / "password"
    file.write_text(PASSWORD + "\n")
    return file


@pytest.fixture
def member(db, account, password):
    return db.ask("member", "create", account, "Ada@Example.com", "--password-file", password)["member"]


def audit(db):
    return [row for row in db.audit() if row[1].startswith(("member", "mail"))]


def session(db, member):
    db.sql("insert into session (session_id, cookie, member_id, is_half, is_kept, created_at, seen_at, expires_at,"
           " network, agent) values (gen_random_uuid(), sha256(random()::text::bytea), %s, false, false, ledger_now(),"
           " ledger_now(), ledger_now() + interval '1 hour', '192.0.2.0/24', 'Firefox')", member)


def link(db, member, kind="reset", email="ada@example.com"):
    db.sql("insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at, since)"
           " values (gen_random_uuid(), %s, %s, %s, %s, ledger_now(), ledger_now() + interval '1 hour',"
           " case %s when 'undo' then ledger_now() end)", kind, member, email, email, kind)


def mail(db, state=1, days=0, member=None):
    mail = str(uuid.uuid4())
    db.sql("insert into mail (mail_id, member_id, recipient, template, state, attempts, created_at, next_at, error)"
           " values (%s, %s, 'ada@example.com', 'reset', %s, 4, ledger_now() - %s * interval '1 day',"
           " ledger_now() + interval '1 hour', '421 later')", mail, member, state, days)
    return mail


def counts(db, member):
    return db.sql("select (select count(*) from session where member_id = %s),"
                  " (select count(*) from link where member_id = %s and used_at is null)", member, member)[0]


def test_create(db, account, password):
    answer = db.ask("member", "create", account, " Ada+tag@Example.com", "--password-file", password)
    assert answer == {"member": answer["member"], "account": account, "changed": True}
    assert uuid.UUID(answer["member"]).version == 7
    [(email, key, stored)] = db.sql("select email, email_key, password from member")
    assert (email, key) == ("Ada+tag@example.com", "ada@example.com")
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert audit(db) == [(getpass.getuser(), "member create", account, f"member {answer['member']}")]
    assert PASSWORD not in repr(db.sql("select * from audit_log"))


@pytest.mark.parametrize("text, says", [
    ("short\n", "Use at least 12 characters."), ("x" * 129, "Use at most 128 characters."),
    ("aaaaaaaaaaaaaaaa\n", "This password is easy to guess."), ("ada@example.com\n", "This password is easy to guess."),
    (PASSWORD + "\n" + PASSWORD + "\n", "--password-file must have one line"), ("", "Use at least 12"),
    ("correct horse\0battery\n", "NUL"), ("x" * 5000, "password")])
def test_a_password_follows_the_portals_rule(db, account, password, text, says):
    password.write_text(text)
    assert says in db.refuse(1, "member", "create", account, "ada@example.com", "--password-file", password)
    assert db.sql("select count(*) from member") == [(0,)]


def test_invalid_new_members(db, account, member, password):
    def refuse(which, email):
        return db.refuse(1, "member", "create", which, email, "--password-file", password)

    other = db.ask("account", "create", "b")["account"]
    assert "Enter an email address" in refuse(other, "not an address")
    assert "already has a member" in refuse(account, "b@example.com")
    assert "belongs to another member" in refuse(other, "ADA+x@example.com")
    assert "unknown account" in refuse(NOBODY, "b@example.com")
    link(db, member, "undo", "old@example.com")
    assert "can still reclaim it" in refuse(other, "old@example.com")
    assert "/nowhere" in db.refuse(1, "member", "create", other, "b@example.com", "--password-file", "/nowhere")
    assert "--password-file is missing" in db.refuse(USAGE, "member", "create", other, "b@example.com")
    db.ask("account", "close", other)
    assert "is closed" in refuse(other, "b@example.com")


def test_show_and_list(db, account, member):
    session(db, member)
    link(db, member)
    sent = mail(db, member=member)
    answer = db.ask("member", "show", "ADA@example.com")
    assert {key: answer[key] for key in ("member", "account", "email", "name", "state", "two_factor")} == {
        "member": member, "account": account, "email": "Ada@example.com", "name": "Ada", "state": "active",
        "two_factor": False}
    assert [(row["network"], row["agent"]) for row in answer["sessions"]] == [("192.0.2.0/24", "Firefox")]
    assert [row["kind"] for row in answer["links"]] == ["reset"]
    assert [row["mail"] for row in answer["mails"]] == [sent]
    assert db.ask("member", "show", member) == answer
    assert [row["member"] for row in db.ask("member", "list")["members"]] == [member]
    assert [row["member"] for row in db.ask("member", "list", "--email", "ADA@")["members"]] == [member]
    assert db.ask("member", "list", "--email", "bob")["members"] == []
    assert "Ada@example.com" in db.tell("member", "show", member)


def test_lock_and_unlock(db, account, member):
    session(db, member)
    before = db.sql("select xmin::text from account_balance")
    assert [db.ask("member", "lock", member)["changed"] for _ in range(2)] == [True, False]
    assert counts(db, member) == (0, 0) and db.ask("member", "show", member)["state"] == "locked"
    assert db.sql("select xmin::text from account_balance") != before
    assert [db.ask("member", "unlock", "ada@example.com")["changed"] for _ in range(2)] == [True, False]
    assert db.ask("member", "show", member)["state"] == "active"
    assert [row[1:3] for row in audit(db)] == [
        ("member create", account), ("member lock", account), ("member unlock", account)]


def test_sign_out_closes_sessions_and_revokes_their_tokens(db, account, member):
    session(db, member)
    db.sql("select token_add_own(session_id, gen_random_uuid(), sha256('x'), 'aaaa') from session",
           role="tollgate_portal")
    assert db.ask("member", "sign-out", member)["changed"] is True
    assert counts(db, member) == (0, 0)
    assert db.sql("select count(*) from token where revoked_at is null") == [(0,)]


def test_set_email(db, account, member, password):
    session(db, member)
    link(db, member)
    db.ask("member", "set-email", member, "Ada.New@example.com")
    assert db.sql("select email, email_key from member") == [("Ada.New@example.com", "ada.new@example.com")]
    assert counts(db, member) == (1, 0)
    db.ask("member", "set-email", member, "ada.new+1@example.com")  # the member's current mailbox is free to them
    other = db.ask("account", "create", "b")["account"]
    db.ask("member", "create", other, "b@example.com", "--password-file", password)
    assert "belongs to another member" in db.refuse(1, "member", "set-email", member, "B@example.com")


def test_set_password(db, member, password):
    session(db, member)
    link(db, member)
    link(db, member, "undo")
    before = db.sql("select password from member")
    password.write_text("another horse battery")
    db.ask("member", "set-password", member, "--password-file", password)
    assert db.sql("select password from member") != before
    assert counts(db, member) == (0, 1)
    password.write_text("Ada@example.com")
    assert "easy to guess" in db.refuse(1, "member", "set-password", member, "--password-file", password)


def test_reset_2fa(db, member):
    assert db.ask("member", "reset-2fa", member)["changed"] is False
    db.sql("update member set totp_secret = 'x', totp_at = ledger_now()")
    db.sql("insert into recovery_code values (%s, 'code', ledger_now())", member)
    assert db.ask("member", "show", member)["two_factor"] is True
    assert db.ask("member", "reset-2fa", member)["changed"] is True
    assert db.sql("select (select count(totp_secret) from member), (select count(*) from recovery_code)") == [(0, 0)]


def test_delete(db, account, member):
    token = db.ask("token", "create", account)["token_id"]
    db.ask("member", "delete", "ada@example.com")
    assert db.sql("select count(*) from member") == [(0,)]
    shown = db.ask("account", "show", account)
    assert (shown["state"], shown["name"], shown["posted"]) == ("closed", "deleted", 100)
    assert [(row["token_id"], row["state"]) for row in shown["tokens"]] == [(token, "revoked")]
    assert [row[1] for row in audit(db)] == ["member create", "member delete"]
    assert "unknown member" in db.refuse(1, "member", "show", member)
    db.ask("verify")


@pytest.mark.parametrize("command", ["show", "lock", "unlock", "sign-out", "reset-2fa", "delete"])
def test_nobody(migrated, command):
    assert "unknown member" in migrated.refuse(1, "member", command, NOBODY)
    assert "unknown member" in migrated.refuse(1, "member", command, "nobody@example.com")
    assert "an id or an email address" in migrated.refuse(1, "member", command, "nobody")


def test_mail(db):
    waits, failed, sent, old = mail(db), mail(db, 3), mail(db, 2), mail(db, 3, days=8)
    listed = db.ask("mail", "list")["mails"]
    assert [(row["mail"], row["state"]) for row in listed][-1] == (old, "failed")
    assert {row["mail"] for row in db.ask("mail", "list", "--state", "failed")["mails"]} == {failed, old}
    assert len(db.ask("mail", "list", "--limit", 2)["mails"]) == 2
    assert "--state must be" in db.refuse(USAGE, "mail", "list", "--state", "lost")
    for one in (waits, failed):
        assert db.ask("mail", "retry", one) == {"mail": one, "template": "reset"}
        assert db.sql("select state, attempts, next_at <= ledger_now(), error from mail where mail_id = %s", one) == [
            (1, 0, True, None)]
    for one in (sent, old, NOBODY):
        assert "no mail" in db.refuse(1, "mail", "retry", one)
    assert [row[1] for row in audit(db)] == ["mail retry"] * 2


def test_a_mail_that_is_held(db):
    """Until the recipient's mail hosts are known: it is listed as such, and a retry looks them up
    again at once."""
    held = mail(db, 0)
    assert [(row["mail"], row["state"]) for row in db.ask("mail", "list", "--state", "held")["mails"]] == [(held, "held")]
    db.ask("mail", "retry", held)
    assert db.sql("select state, next_at <= ledger_now(), error from mail where mail_id = %s", held) == [(0, True, None)]
