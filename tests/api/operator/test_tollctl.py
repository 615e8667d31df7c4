"""tests/api/operator/test_tollctl.py - the operator's command line, with a separate PostgreSQL.

Each test gets a fresh migrated database. It covers what tollctl shows, makes and rejects;
test_verify.py covers the proofs.
"""

import getpass
import hashlib
import json
import os
import re
import stat
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg2
import pytest

from kit.database.ledger import NOBODY, charge, hold, wait_for_a_waiter
from kit.database.scratch import account, cluster, db, empty, migrated, new_database  # noqa: F401 - fixtures

ROOT = Path(__file__).resolve().parents[3]
MIGRATIONS = [file.stem[4:] for file in sorted((ROOT / "gateway" / "sql").glob("*.sql"))]
USAGE, UNAVAILABLE, CONFIG = 64, 69, 78


# -- the command line --


def test_help_lists_every_command(db):
    text = db.tell("--help")
    for command in ("account create", "account show", "account list", "account suspend", "account resume",
                    "account close", "account grant", "account limits", "token create", "token list",
                    "token revoke", "app list", "app show", "app revoke", "app block", "app unblock", "app blocks", "ledger show", "verify", "pack list", "audit list", "db migrate",
                    "db status", "keys create", "config sample", "member create", "member list", "member show",
                    "member lock", "member unlock", "member sign-out", "member set-email", "member set-password",
                    "member reset-2fa", "member delete", "mail list", "mail retry", "order list", "order show",
                    "order refresh", "order accept", "order reject", "order events", "invoice list", "invoice show",
                    "invoice export", "invoice next", "pack add", "pack retire",
                    "plan apply", "plan list", "plan show", "plan remove", "account plan"):
        assert f"\n  {command} " in text
        assert db.tell(*command.split(), "--help").startswith(f"usage: tollctl {command}")


def test_help_of_a_group_lists_its_commands_only(db):
    text = db.tell("account", "--help")
    assert "\n  account create" in text and "\n  token" not in text


LINES = [
    ((), "no command"),
    (("acount", "list"), "unknown command acount"),
    (("account", "create"), "NAME is missing"),
    (("account", "create", "a", "b"), "unexpected argument b"),
    (("account", "create", "a", "--credit", "5"), "unknown option --credit"),
    (("account", "create", "a", "--credits"), "--credits needs a value: --credits N"),
    (("account", "create", "a", "--credits", "--json"), "--credits needs a value"),
    (("account", "create", "a", "--credits", "-1"), "--credits must be a whole number from 0"),
    (("account", "create", "a", "--credits", "1000000000001"), "to 1000000000000"),
    (("account", "create", "a", "--credits", "1", "--credits", "2"), "--credits is given twice"),
    (("account", "create", "a", "--limits-off=yes"), "--limits-off takes no value"),
    (("account", "create", ""), "NAME must have 1 to 200 characters"),
    (("account", "create", "x" * 201), "NAME must have 1 to 200 characters"),
    (("account", "create", "a\nb"), "NAME must be UTF-8 text on one line"),
    (("account", "create", b"a\xff"), "NAME must be UTF-8"),
    (("account", "show", "42"), "ACCOUNT must be an id"),
    (("account", "grant", NOBODY, "5"), "--note is missing"),
    (("account", "grant", NOBODY, "0", "--note", "n"), "CREDITS must not be 0"),
    (("account", "grant", NOBODY, "5x", "--note", "n"), "CREDITS must be a whole number"),
    (("account", "limits", NOBODY), "give either --on or --off"),
    (("account", "limits", NOBODY, "--on", "--off"), "give either --on or --off"),
    (("token", "create", NOBODY, "--expires-in", "0"), "--expires-in must be a whole number from 1"),
    (("ledger", "show", NOBODY, "--limit", "0"), "--limit must be a whole number from 1"),
    (("--config",), "--config needs a value"),
    (("a\x1b[2J\nb",), "unknown command a [2J b"),
]


@pytest.mark.parametrize("arguments, message", LINES, ids=[message for _, message in LINES])
def test_bad_usage(migrated, arguments, message):
    status, out, err = subprocess_run(migrated, arguments)
    assert (status, out) == (USAGE, "")
    assert err.startswith(f"tollctl: ") and message in err and err.count("\n") == 1


def subprocess_run(database, arguments):
    """As run(), for arguments that are bytes too."""
    done = subprocess.run([*database._argv, *arguments], capture_output=True, text=True,
                          env=os.environ | {"TOLLGATE_DB_OWNER_URL": database.url()})
    return done.returncode, done.stdout, done.stderr


def test_a_group_alone_lists_its_commands(db):
    status, out, err = db.run("token")
    assert (status, out) == (USAGE, "") and "token revoke" in err and "account create" not in err


def migrate_error(db, *options):
    status, out, err = db.run("db", "migrate", *options)
    assert (status, out) == (1, "")
    return err


def test_globals_may_come_after_the_command(db, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text("contracts_dir: /nowhere\n")
    assert "/nowhere" in migrate_error(db, f"--config={other}")


def test_configuration_from_the_environment(db, tmp_path):
    file = tmp_path / "tollgate.yaml"
    file.write_text("contracts_dir: /nowhere\n")
    done = subprocess.run([db._argv[0], "db", "migrate"], capture_output=True, text=True,
                          env=os.environ | {"TOLLGATE_CONFIG": str(file), "TOLLGATE_DB_OWNER_URL": db.url()})
    assert "/nowhere" in done.stderr


def test_the_sample_is_a_configuration(db, tmp_path):
    """With every key at its default: a new account's grant is the same as without a
    configuration."""
    file = tmp_path / "sample.yaml"
    file.write_text(db.tell("config", "sample"))
    assert db.ask("config", "sample")["sample"] == file.read_text()
    done = subprocess.run([db._argv[0], "account", "create", "a", "--json", "--config", str(file)],
                          capture_output=True, text=True, env=os.environ | {"TOLLGATE_DB_OWNER_URL": db.url()})
    assert json.loads(done.stdout)["credits"] == 100


@pytest.mark.parametrize("text, names", [
    ("{", "bad.yaml"), ("ledger: { signup: 1 }\n", "ledger.signup"),
    ("db: { owner_password_file: /nowhere }\n", "/nowhere")])
def test_bad_configuration(db, tmp_path, text, names):
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    assert names in db.refuse(CONFIG, "account", "create", "a", "--config", file)


def test_no_database(cluster, new_database):
    database = new_database()
    database._name = "missing"
    for command in (("account", "list"), ("verify",)):
        assert "cannot be reached" in database.refuse(UNAVAILABLE, *command)


def test_no_tables(empty):
    assert "tollctl db migrate" in empty.refuse(1, "account", "list")


def test_the_gateways_role_is_not_enough(db):
    done = subprocess.run([*db._argv, "account", "create", "a"], capture_output=True, text=True,
                          env=os.environ | {"TOLLGATE_DB_OWNER_URL": db.url("tollgate_gateway")})
    assert done.returncode == 1 and "must be the owner" in done.stderr


def test_an_answer_that_cannot_be_written_is_a_failure(db):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*db._argv, "pack", "list"], stdout=full, stderr=subprocess.PIPE, text=True,
                              env=os.environ | {"TOLLGATE_DB_OWNER_URL": db.url()})
    assert done.returncode == 1 and "could not be written" in done.stderr


# -- migrations --


def test_migrate_twice(empty):
    first = empty.ask("db", "migrate")
    assert [(row["version"], row["name"]) for row in first["applied"]] == list(enumerate(MIGRATIONS, 1))
    assert empty.ask("db", "migrate") == {"applied": [], "prices": [], "version": len(MIGRATIONS)}
    assert "nothing to do" in empty.tell("db", "migrate")
    assert empty.sql("select count(*) from audit_log where action = 'db migrate'") == [(len(MIGRATIONS),)]


def test_migrate_prints_each_with_its_time(empty):
    lines = empty.tell("db", "migrate").splitlines()
    assert [re.fullmatch(r"applied (\d{3}) ([\w-]+) in \d+ ms", line).groups() for line in lines] == [
        (f"{version:03}", name) for version, name in enumerate(MIGRATIONS, 1)]


@pytest.mark.parametrize("role", ["tollgate_gateway", "tollgate_portal", "tollgate_operator"])
@pytest.mark.parametrize("statement", [
    "update ledger_entry set amount = 1", "delete from ledger_entry", "truncate ledger_entry",
    "delete from account", "update audit_log set actor = 'x'", "drop table ledger_entry",
    "alter table ledger_entry disable trigger all",
    "insert into schema_migration (version, name, sha256) values (9, 'x', 'x')",
    # money moves only in functions that keep the books
    "insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, at)"
    " values (gen_random_uuid(), 1, 5, 1, 1, gen_random_uuid(), now())",
    "update account_balance set posted = posted + 1, granted = granted + 1",
    "insert into account_balance (account_id, posted, granted) values (gen_random_uuid(), 1, 1)",
    "insert into hold (account_id, hold_id, amount, tool_id, created_at, expires_at)"
    " values (gen_random_uuid(), gen_random_uuid(), 1, 1, now(), now())",
    "update hold set state = 3", "delete from idempotency", "delete from large_response", "delete from daily_quota",
    "select ledger_settle('{}', '{}', now())",
    "select ledger_refund(null::hold, now())"])
def test_nobody_but_the_owner_can_change_what_was_written(empty, role, statement):
    empty.ask("db", "migrate")
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        empty.sql(statement, role=role)


@pytest.mark.parametrize("statement", [
    "select digest from token", "select * from account_balance", "select body from idempotency",
    "select bytes from large_response",
    "update account set limits_off = true", "insert into audit_log (actor, action) values ('x', 'x')",
    "select ledger_credit(gen_random_uuid(), 5::smallint, 1, gen_random_uuid(), 'x')",
    "select ledger_end_call(gen_random_uuid(), gen_random_uuid())"])
def test_a_gateway_cannot_act_as_operator(empty, statement):
    """A compromised one can neither give credits nor read tokens and responses."""
    empty.ask("db", "migrate")
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        empty.sql(statement, role="tollgate_gateway")


def test_migrations_at_once(empty):
    processes = [empty.start("db", "migrate", "--json") for _ in range(6)]
    answers = [(process.communicate(timeout=60), process.returncode) for process in processes]
    assert [status for _, status in answers] == [0] * 6, answers
    applied = [len(json.loads(out)["applied"]) for (out, _), _ in answers]
    assert sorted(applied) == [0] * 5 + [len(MIGRATIONS)]


def test_status(empty):
    before = empty.ask("db", "status")
    assert before["pending"] == len(MIGRATIONS)
    assert [(row["name"], row["state"], row["at"]) for row in before["migrations"]] == [
        (name, "pending", None) for name in MIGRATIONS]
    assert empty.sql("select to_regclass('schema_migration')") == [(None,)]  # reading changes nothing
    empty.ask("db", "migrate")
    after = empty.ask("db", "status")
    assert after["pending"] == 0
    assert {row["state"] for row in after["migrations"]} == {"applied"}
    assert all(row["at"].endswith("Z") for row in after["migrations"])


def test_a_migration_that_fails_leaves_nothing(empty):
    empty.sql("create table ledger_entry ()")  # 001 makes it too, before its end
    assert "migration 1 (accounts)" in empty.refuse(1, "db", "migrate")
    assert empty.sql("select to_regclass('account')") == [(None,)]
    assert empty.sql("select count(*) from schema_migration") == [(0,)]
    empty.sql("drop table ledger_entry")
    assert len(empty.ask("db", "migrate")["applied"]) == len(MIGRATIONS)


DISAGREEMENTS = [
    ("update schema_migration set sha256 = repeat('0', 64) where version = 2", "002-ledger.sql", "changed"),
    ("delete from schema_migration where version = 2", "migration 3 but not 2", "pending"),
    ("insert into schema_migration values (99, 'future', '')", "older than the database", "unknown"),
]


@pytest.mark.parametrize("damage, message, state", DISAGREEMENTS, ids=["checksum", "gap", "newer"])
def test_migrate_rejects(db, damage, message, state):
    db.sql(damage)
    assert message in db.refuse(1, "db", "migrate")
    status, out, _ = db.run("db", "status", "--json")
    assert status == 1 and message in json.loads(out)["problem"]
    assert state in {row["state"] for row in json.loads(out)["migrations"]}


# -- accounts --


def test_account_create(db):
    answer = db.ask("account", "create", "Ada")
    assert answer == {"account": answer["account"], "credits": 100}
    assert uuid.UUID(answer["account"]).version == 7
    assert db.standing(answer["account"]) == (100, 0, 100, 0, 0)
    assert db.sql("select seq, kind, amount, balance_after, reference::text from ledger_entry") == [
        (1, 1, 100, 100, answer["account"])]
    assert db.audit() == [(getpass.getuser(), "account create", answer["account"], "Ada, 100 credits")]


def test_account_create_without_credits_and_limits(db):
    account = db.ask("account", "create", "a", "--credits", 0, "--limits-off")["account"]
    assert db.standing(account) == (0, 0, 0, 0, 0)
    assert db.sql("select count(*) from ledger_entry") == [(0,)]
    assert db.ask("account", "show", account)["limits_off"] is True


def test_account_show(db, account):
    token = db.ask("token", "create", account)
    answer = db.ask("account", "show", account.upper())
    assert {key: answer[key] for key in ("account", "name", "state", "limits_off", "posted", "held", "available",
                                         "granted", "purchased", "used")} == {
        "account": account, "name": "Ada", "state": "active", "limits_off": False, "posted": 100, "held": 0,
        "available": 100, "granted": 100, "purchased": 0, "used": 0}
    assert [row["token_id"] for row in answer["tokens"]] == [token["token_id"]]
    assert [row["kind"] for row in answer["entries"]] == ["signup_grant"]
    text = db.tell("account", "show", account)
    assert re.search(r"^available +100$", text, re.MULTILINE) and "\ntokens\n" in text


def test_account_list(db):
    for number in range(3):
        db.ask("account", "create", f"Customer {number}")
    answer = db.ask("account", "list", "--limit", 2)
    assert [row["name"] for row in answer["accounts"]] == ["Customer 2", "Customer 1"]
    assert answer["total"] == 3
    assert "There are more" in db.tell("account", "list", "--limit", 2)
    assert [row["name"] for row in db.ask("account", "list", "--name", "MER 1")["accounts"]] == ["Customer 1"]
    assert db.ask("account", "list", "--name", "%")["accounts"] == []


def test_names_cannot_steer_the_terminal(db, account):
    db.sql("update account set name = %s where account_id = %s", "\x1b[2Jé\u202e", account)
    text = db.tell("account", "list")
    assert "\ufffd[2Jé\ufffd" in text and "\x1b" not in text and "\u202e" not in text
    assert db.ask("account", "show", account)["name"] == "\x1b[2Jé\u202e"


def test_suspend_resume_close(db, account):
    def change(verb, *more):
        answer = db.ask("account", verb, account, *more)
        assert answer["account"] == account
        return answer["state"], answer["changed"]

    assert change("suspend", "--reason", "unpaid") == ("suspended", True)
    assert change("suspend") == ("suspended", False)
    assert change("resume") == ("active", True)
    assert change("close") == ("closed", True)
    assert change("close") == ("closed", False)
    assert "is closed for good" in db.refuse(1, "account", "resume", account)
    assert "is closed for good" in db.refuse(1, "account", "suspend", account)
    assert "is closed for good" in db.refuse(1, "token", "create", account)
    assert [(action, detail) for _, action, _, detail in db.audit()[1:]] == [
        ("account suspend", "unpaid"), ("account resume", None), ("account close", None)]


def test_grant(db, account):
    answer = db.ask("account", "grant", account, 50, "--note", "sorry")
    assert answer == {"account": account, "reference": answer["reference"], "amount": 50, "available": 150,
                      "changed": True}
    assert db.standing(account) == (150, 0, 150, 0, 0)
    assert db.sql("select kind, amount, balance_after, reference::text, note from ledger_entry where seq = 2") == [
        (5, 50, 150, answer["reference"], "sorry")]
    assert db.audit()[-1][1:] == ("account grant", account, f"50 credits, reference {answer['reference']}: sorry")


def test_grant_happens_once_by_reference(db, account):
    reference = str(uuid.uuid4())
    grant = ("account", "grant", account, 50, "--note", "n", "--reference", reference)
    assert db.ask(*grant)["changed"] is True
    assert db.ask(*grant)["changed"] is False
    assert db.standing(account)[0] == 150
    assert "was already used for an adjustment of 50" in db.refuse(
        1, "account", "grant", account, 51, "--note", "n", "--reference", reference)
    assert len(db.audit()) == 2


def test_one_reference_at_once(db, account):
    reference = str(uuid.uuid4())
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: db.ask("account", "grant", account, 5, "--note", "n", "--reference",
                                                 reference), range(8)))
    assert sorted(answer["changed"] for answer in answers) == [False] * 7 + [True]
    assert db.standing(account)[0] == 105


def test_a_correction_takes_what_is_available_and_no_more(db, account):
    hold(db, account, 30)
    assert "70 credits available, so 71 cannot be taken" in db.refuse(
        1, "account", "grant", account, "-71", "--note", "n")
    assert db.ask("account", "grant", account, "-70", "--note", "n")["available"] == 0
    assert db.standing(account) == (30, 30, 30, 0, 0)


def test_corrections_at_once_take_no_more_than_is_there(db, account):
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: db.run("account", "grant", account, "-30", "--note", "n")[0], range(8)))
    assert sorted(done) == [0] * 3 + [1] * 5
    assert db.standing(account)[0] == 10


def test_limits(db, account):
    assert db.ask("account", "limits", account, "--off") == {
        "account": account, "limits_off": True, "changed": True}
    assert db.ask("account", "limits", account, "--off")["changed"] is False
    assert db.ask("account", "limits", account, "--on")["limits_off"] is False
    assert [row[1:] for row in db.audit()[1:]] == [("account limits", account, "off"),
                                                   ("account limits", account, "on")]


@pytest.mark.parametrize("arguments", [
    ("account", "show", NOBODY), ("account", "suspend", NOBODY), ("account", "limits", NOBODY, "--on"),
    ("account", "grant", NOBODY, "5", "--note", "n"), ("token", "create", NOBODY), ("token", "list", NOBODY),
    ("token", "revoke", NOBODY, NOBODY), ("app", "list", NOBODY), ("app", "show", NOBODY, NOBODY),
    ("app", "revoke", NOBODY, NOBODY), ("ledger", "show", NOBODY)], ids=" ".join)
def test_unknown_account(migrated, arguments):
    assert f"unknown account {NOBODY}" in migrated.refuse(1, *arguments)


def test_a_writer_waits_for_the_lock_of_the_balance(db, account):
    """tollctl waits for the lock, and then sees what a call changed."""
    connection = psycopg2.connect(db.url())
    with connection.cursor() as cursor:
        cursor.execute("select 1 from account_balance where account_id = %s for no key update", (account,))
        process = db.start("account", "grant", account, "-100", "--note", "n")
        wait_for_a_waiter(cursor)
        cursor.execute("select ledger_credit(%s, 5::smallint, -1, %s, 'first')", (account, str(uuid.uuid4())))
        connection.commit()
    connection.close()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1 and "99 credits available" in err


# -- tokens --


def test_token_create(db, account):
    answer = db.ask("token", "create", account, "--name", "laptop")
    assert answer.keys() == {"account", "token_id", "token"} and answer["account"] == account
    assert re.fullmatch(r"tg_live_[0-9A-Za-z]{38}", answer["token"])
    assert db.sql("select token_id::text, name, last4, digest = sha256(%s), scopes, expires_at from token",
                  answer["token"].encode()) == [
        (answer["token_id"], "laptop", answer["token"][-4:], True, [], None)]
    assert answer["token"] not in str(db.audit())
    assert db.audit()[-1][1:] == ("token create", account, f"token {answer['token_id']}, scopes: all")


def test_a_token_is_shown_once(db, account):
    text = db.tell("token", "create", account)
    token = re.search(r"tg_live_\w{38}", text)[0]
    assert "shown only now" in text
    for command in (("token", "list", account), ("account", "show", account), ("audit", "list")):
        assert token not in db.tell(*command)
    assert f"tg_live_…{token[-4:]}" in db.tell("token", "list", account)


def test_token_expires(db, account):
    db.ask("token", "create", account, "--expires-in", 3600)
    assert db.sql("select extract(epoch from expires_at - created_at)::int from token") == [(3600,)]
    assert db.ask("token", "list", account)["tokens"][0]["state"] == "active"
    db.sql("update token set expires_at = now() - interval '1 second'")
    assert db.ask("token", "list", account)["tokens"][0]["state"] == "expired"


def test_scopes(db, account):
    scopes = ("--scope", "utils", "--scope", "hash-generate", "--scope", "account")
    db.ask("token", "create", account, *scopes)
    assert [row["scopes"] for row in db.ask("token", "list", account)["tokens"]] == [
        ["utils", "hash-generate", "account"]]
    assert "unknown tool or group hash, mail" in db.refuse(
        1, "token", "create", account, "--scope", "hash", "--scope", "utils", "--scope", "mail")
    assert "must be a tool or group" in db.refuse(1, "token", "create", account, "--scope", "a,b")


def test_token_revoke(db, account):
    token = db.ask("token", "create", account)["token_id"]
    other = db.ask("account", "create", "b")["account"]
    assert "has no token" in db.refuse(1, "token", "revoke", other, token)
    answer = db.ask("token", "revoke", account, token)
    assert answer == {"account": account, "token_id": token, "state": "revoked", "changed": True}
    before = db.ask("token", "list", account)["tokens"][0]
    assert before["state"] == "revoked"
    assert db.ask("token", "revoke", account, token)["changed"] is False
    assert db.ask("token", "list", account)["tokens"][0] == before
    assert db.audit()[-1][1:] == ("token revoke", account, f"token {token}")


# -- ledger, packs, audit --


def register(db, *tools):
    """As `db migrate` does; the prices that changed."""
    names, prices = zip(*tools)
    return db.sql("select * from tool_register(%s::text[], %s::text[], %s::text[], %s::bigint[])",
                  list(names), ["g"] * len(names), ["c"] * len(names), list(prices))


def numbers(db, *tools, role="tollgate_gateway"):
    names, prices = zip(*tools)
    return [number for number, in db.sql("select tool_numbers(%s::text[], %s::bigint[])", list(names), list(prices),
                                         role=role)]


def test_tool_numbers(db):
    """By the names alone, whatever was there before and in any order; at a price on record."""
    names = ["old-tool", "new-tool", "other-tool"]
    expected = [int(hashlib.sha256(name.encode()).hexdigest()[:7], 16) % 32767 + 1 for name in names]
    register(db, ("other-tool", 3))
    register(db, ("new-tool", 2), ("old-tool", 1))
    assert numbers(db, ("old-tool", 1), ("new-tool", 2), ("other-tool", 3)) == expected
    assert numbers(db, ("new-tool", 1), ("no-tool", 1), ("old-tool", 1)) == [None, None, expected[0]]


def test_two_prices_of_a_tool_are_on_record(db):
    """During a roll, gateways of the previous version continue; older ones fail at their start."""
    assert register(db, ("a-tool", 5)) == []
    assert register(db, ("a-tool", 7)) == [("a-tool", 5, 7)]
    assert register(db, ("a-tool", 7)) == []
    assert [bool(numbers(db, ("a-tool", price))[0]) for price in (5, 7, 8)] == [True, True, False]
    assert register(db, ("a-tool", 8)) == [("a-tool", 7, 8)]
    assert [bool(numbers(db, ("a-tool", price))[0]) for price in (5, 7, 8)] == [False, True, True]


@pytest.mark.parametrize("role", ["tollgate_gateway", "tollgate_portal", "tollgate_operator"])
def test_only_the_owner_sets_prices(migrated, role):
    for statement in ("select tool_register('{x}', '{g}', '{c}', '{1}')", "update tool set price = 1000"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            migrated.sql(statement, role=role)


def test_migrate_writes_the_contracts_prices(db):
    """It shows which prices have changed; gateways charge what it wrote."""
    db.sql("update tool set price = 2, price_before = null where name = 'hash-generate'")
    assert db.ask("db", "migrate")["prices"] == [{"tool": "hash-generate", "before": 2, "price": 1}]
    assert db.sql("select price, price_before from tool where name = 'hash-generate'") == [(1, 2)]
    assert db.sql("select detail from audit_log order by at desc limit 1") == [("hash-generate from 2 to 1 credits",)]
    db.sql("update tool set price = 3 where name = 'ai-chat'")
    assert "price of ai-chat from 3 to 10 credits" in db.tell("db", "migrate")
    assert "nothing to do" in db.tell("db", "migrate")


def test_ledger_show(db, account):
    charge(db, account, 3)
    entries = db.ask("ledger", "show", account)["entries"]
    assert [(row["seq"], row["kind"], row["amount"], row["balance_after"], row["tool"]) for row in entries] == [
        (2, "usage", -3, 97, "hash-generate"), (1, "signup_grant", 100, 100, None)]
    assert len(db.ask("ledger", "show", account, "--limit", 1)["entries"]) == 1
    assert re.search(r"^ +2 .* usage +-3 +97 +hash-generate ", db.tell("ledger", "show", account), re.MULTILINE)


@pytest.mark.parametrize("is_replayed, outcome, kinds", [(False, "refunded", [1, 3, 4]), (True, "captured", [1, 3])])
def test_ledger_settle(db, account, is_replayed, outcome, kinds):
    """A call is refunded once; but not if a replay of its response was sent."""
    number = charge(db, account, 3)
    db.sql("update hold set is_replayed = %s where hold_id = %s", is_replayed, number)
    for _ in range(2):
        assert db.ask("ledger", "settle", account, number)["outcome"] == outcome
    assert db.sql("select kind from ledger_entry where account_id = %s order by seq", account) == [(k,) for k in kinds]
    assert db.audit()[-1][1:] == ("ledger settle", account, f"call {number}: {outcome}")
    db.ask("verify")


def test_ledger_settle_of_a_hold(db, account):
    number = hold(db, account, 3)
    assert db.ask("ledger", "settle", account, number)["outcome"] == "voided"
    assert db.sql("select held from account_balance where account_id = %s", account) == [(0,)]
    status, _, errors = db.run("ledger", "settle", account, NOBODY)
    assert status == 1 and f"no call {NOBODY}" in errors
    db.ask("verify")


def test_ledger_new_secret(db):
    assert db.sql("select ledger_secret_agree('old')") == [(True,)]
    assert db.sql("select ledger_secret_agree('new')") == [(False,)]
    db.ask("ledger", "rotate-secret")
    assert db.sql("select ledger_secret_agree('new')") == [(True,)]
    assert db.audit()[-1][1] == "ledger rotate-secret"


def test_pack_list(db):
    assert db.ask("pack", "list")["packs"] == [
        {"pack": pack, "name": name, "credits": credits, "price_cents": price, "currency": "USD", "sold": True}
        for pack, name, credits, price in [(1, "Starter", 250, 500), (2, "Standard", 1500, 1500),
                                           (3, "Volume", 5000, 3900)]]


def test_audit_list(db, account):
    db.ask("account", "create", "b")
    db.ask("account", "suspend", account, "--reason", "unpaid")
    actions = db.ask("audit", "list", "--account", account)["actions"]
    assert [(row["action"], row["account"], row["detail"]) for row in actions] == [
        ("account suspend", account, "unpaid"), ("account create", account, "Ada, 100 credits")]


# -- keys --


def test_keys_new(db, tmp_path):
    answer = db.ask("keys", "create", tmp_path / "svc")
    secret, public = tmp_path / "svc.secret", tmp_path / "svc.public"
    assert answer == {"secret": str(secret), "public": str(public)}
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    for file in (secret, public):
        assert re.fullmatch(r"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}\n", file.read_text())
    assert secret.read_text() != public.read_text()


@pytest.mark.parametrize("there, other", [("secret", "public"), ("public", "secret")])
def test_keys_are_never_overwritten(db, tmp_path, there, other):
    (tmp_path / f"svc.{there}").write_text("precious")
    assert f"svc.{there} cannot be created" in db.refuse(1, "keys", "create", tmp_path / "svc")
    assert (tmp_path / f"svc.{there}").read_text() == "precious"
    assert not (tmp_path / f"svc.{other}").exists()


def test_keys_follow_no_link(db, tmp_path):
    (tmp_path / "svc.secret").symlink_to(tmp_path / "elsewhere")
    db.refuse(1, "keys", "create", tmp_path / "svc")
    assert not (tmp_path / "elsewhere").exists()


def test_keys_need_no_configuration(db, tmp_path):
    done = subprocess.run([db._argv[0], "keys", "create", tmp_path / "svc"],
                          env=os.environ | {"TOLLGATE_CONFIG": "/nowhere"})
    assert done.returncode == 0
