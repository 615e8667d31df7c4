"""tests/api/operator/test_tollctl_plans.py - plans for the operator: `tollctl plan …`, `tollctl
account plan`, and what `tollctl verify` proves of them. A separate PostgreSQL."""

import threading
import uuid

import psycopg2
import pytest

from kit.check import ROOT
from kit.database.ledger import wait_for_a_waiter
from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures

EXAMPLE = ROOT / "examples" / "plans.yaml"
BUSINESS = """
plans:
  business:
    global_per_minute: 300
    is_public: true
    classes:
      security: {endpoint_per_minute: 60}
      ai: {endpoint_per_minute: 0, daily_per_tool: 200}
"""
SETTINGS = {"global_per_minute": "300", "address_exempt": "false", "is_public": "true",
            "security.endpoint_per_minute": "60", "ai.endpoint_per_minute": "0", "ai.daily_per_tool": "200"}


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "plans.yaml"
        path.write_text(text)
        return path

    return write


def settings_of(db, plan="business"):
    return {row["setting"]: row["value"] for row in db.ask("plan", "show", plan)["settings"]}


def changes_of(answer):
    return {row["setting"]: (row["before"], row["after"]) for row in answer["changes"]}


def test_a_file_is_applied(db, file):
    first = db.ask("plan", "apply", file(BUSINESS))
    assert first["changed"] is True and changes_of(first) == {name: (None, value) for name, value in SETTINGS.items()}
    assert settings_of(db) == SETTINGS
    assert db.ask("plan", "apply", file(BUSINESS)) == {"changes": [], "changed": False}
    other = BUSINESS.replace("300", "200").replace("endpoint_per_minute: 60", "class_per_minute: 7").replace(
        "    is_public: true\n", "    address_exempt: true\n")
    wanted = {"global_per_minute": ("300", "200"), "address_exempt": ("false", "true"), "is_public": ("true", "false"),
              "security.endpoint_per_minute": ("60", None), "security.class_per_minute": (None, "7")}
    dry = db.ask("plan", "apply", file(other), "--dry-run")
    assert dry["changed"] is False and changes_of(dry) == wanted and settings_of(db) == SETTINGS
    assert changes_of(db.ask("plan", "apply", file(other))) == wanted
    assert changes_of(db.ask("plan", "apply", file("plans: {business: {global_per_minute: 200}}"))) == {
        "address_exempt": ("true", "false"), "ai.daily_per_tool": ("200", None),
        "ai.endpoint_per_minute": ("0", None), "security.class_per_minute": ("7", None)}
    assert [row[1:] for row in db.audit()] == [("plan apply", None, "plan business")] * 3


def test_plans_of_other_files_stay(db, file):
    db.ask("plan", "apply", file(BUSINESS))
    db.ask("plan", "apply", file("plans: {small: {global_per_minute: 90}}"))
    assert [(row["plan"], row["global_per_minute"], row["accounts"]) for row in db.ask("plan", "list")["plans"]] == [
        ("small", 90, 0), ("business", 300, 0)]
    assert db.sql("select plan_id = tool_number(name) from plan") == [(True,), (True,)]


def test_the_shipped_example(db):
    """Its classes are those of the tools."""
    assert db.ask("plan", "apply", EXAMPLE)["changed"] is True
    assert settings_of(db) == {
        "global_per_minute": "300", "address_exempt": "false", "is_public": "true",
        "security.endpoint_per_minute": "60", "email-single.class_per_minute": "60", "ai.endpoint_per_minute": "60",
        "ai.daily_per_tool": "200", "report.endpoint_per_minute": "30"}


def test_one_bad_plan_stops_the_others(db, file):
    two = "plans: {good: {global_per_minute: 9}, zz: {global_per_minute: 9, classes: {ais: {daily_per_tool: 1}}}}"
    assert "no tool has the class ais" in db.refuse(1, "plan", "apply", file(two))
    assert "unknown plan good" in db.refuse(1, "plan", "show", "good")
    assert "plans.a: global_per_minute must be a whole number from 1 to 300" in db.refuse(
        1, "plan", "apply", file("plans: {a: {}}"))


def test_two_names_with_one_number(db, file):
    db.sql("insert into plan (plan_id, name, global_per_minute) values (tool_number('twin'), 'other', 5)")
    assert "the plans twin and other have the same number; rename one of them" in db.refuse(
        1, "plan", "apply", file("plans: {twin: {global_per_minute: 9}}"))


def test_an_account_gets_and_loses_a_plan(db, file, account):
    db.ask("plan", "apply", file(BUSINESS))
    assert db.ask("account", "show", account)["plan"] is None
    assert "unknown plan busines" in db.refuse(1, "account", "plan", account, "busines", "--note", "n")
    assert "unknown account" in db.refuse(1, "account", "plan", str(uuid.uuid4()), "business", "--note", "n")
    db.refuse(64, "account", "plan", account, "business")
    got = db.ask("account", "plan", account, "business", "--note", "bought 5,000")
    assert got == {"account": account, "plan": "business", "before": None, "changed": True}
    shown = db.ask("account", "show", account)
    assert shown["plan"] == "business" and shown["plan_since"]
    assert [row["account"] for row in db.ask("account", "list", "--plan", "business")["accounts"]] == [account]
    assert db.ask("account", "list", "--plan", "small")["total"] == 0
    again = db.ask("account", "plan", account, "business", "--note", "n")
    assert again["changed"] is False and db.ask("account", "show", account)["plan_since"] == shown["plan_since"]
    assert "1 accounts have the plan business" in db.refuse(1, "plan", "remove", "business")
    assert db.ask("account", "plan", account, "none", "--note", "over")["before"] == "business"
    assert db.ask("plan", "remove", "business")["changed"] is True
    assert "unknown plan business" in db.refuse(1, "plan", "remove", "business")
    assert [row[1:] for row in db.audit()][-3:] == [
        ("account plan", account, "business, before: none: bought 5,000"),
        ("account plan", account, "none, before: business: over"), ("plan remove", None, "plan business")]
    assert db.sql("select count(*) from plan_limit") == [(0,)]


def test_a_change_is_mailed_to_the_member(db, file, account):
    db.ask("plan", "apply", file(BUSINESS))
    db.sql("insert into member (member_id, account_id, email, email_key, password, password_at, created_at)"
           " values (gen_random_uuid(), %s, 'a@example.com', 'a@example.com', '', now(), now())", account)
    for plan in ("business", "business", "none"):
        db.ask("account", "plan", account, plan, "--note", "n")
    assert db.sql("select recipient, template, data from mail order by created_at") == [
        ("a@example.com", "plan-changed", {"plan": "business", "calls": "300"}), ("a@example.com", "plan-changed", {})]


def test_a_plan_that_somebody_is_getting_stays(db, file, account):
    """Removal waits for the assignment, and then finds the account; or the assignment comes second
    and finds no plan."""
    db.ask("plan", "apply", file(BUSINESS))
    connection = psycopg2.connect(db.url("tollgate_operator"))
    try:
        with connection.cursor() as cursor:
            cursor.execute("select plan_assign(%s, 'business')", [account])
            refused = []
            removal = threading.Thread(target=lambda: refused.append(db.refuse(1, "plan", "remove", "business")))
            removal.start()
            wait_for_a_waiter(cursor)
            connection.commit()
            removal.join()
        assert refused and db.ask("account", "show", account)["plan"] == "business"
    finally:
        connection.close()


def test_a_change_waits_for_a_call(db, file, account):
    """An account changes its plan under its lock, as a call is admitted."""
    db.ask("plan", "apply", file(BUSINESS))
    connection = psycopg2.connect(db.url())
    try:
        with connection.cursor() as cursor:
            cursor.execute("select from account_balance where account_id = %s for no key update", [account])
            done = []
            change = threading.Thread(target=lambda: done.append(
                db.ask("account", "plan", account, "business", "--note", "n")))
            change.start()
            wait_for_a_waiter(cursor)
            assert not done
            connection.commit()
            change.join()
        assert done[0]["changed"] is True
    finally:
        connection.close()


def test_only_the_operator_changes_plans(db):
    for statement in ("update account set plan_id = null", "insert into plan values (1, 'x', 1)",
                      "update plan set global_per_minute = 1", "delete from plan_limit",
                      "select plan_write('x', '{}')", "select plan_assign(gen_random_uuid(), null)"):
        for role in ("tollgate_gateway", "tollgate_portal"):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                db.sql(statement, role=role)


DAMAGE = {
    "the plan is gone": "set session_replication_role = replica; delete from plan;",
    "no time": "alter table account drop constraint account_check; update account set plan_at = null",
    "calls out of order": "update account_balance set ring_at = array[2, 1], ring_tool = array[1, 1]",
    "a call without a time": "update account_balance set ring_at = array[null, 1], ring_tool = array[1, 1]",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_verify_finds_damage(db, file, account, name):
    db.ask("plan", "apply", file(BUSINESS))
    db.ask("account", "plan", account, "business", "--note", "n")
    assert db.ask("verify")["ok"] is True
    db.sql(DAMAGE[name], role="postgres")
    status, out, _ = db.run("verify")
    assert status == 1 and [line for line in out.splitlines() if "FAILED" in line or "failed" in line.lower()], out
    assert account in out
