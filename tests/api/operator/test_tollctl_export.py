"""tests/api/operator/test_tollctl_export.py - `tollctl account export` and `member export` print
what the member downloads in the portal."""

import json
import re


from kit.database.orders import Portal, paid
from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures
from kit.portal.member import Member

CHANGING = {"exported_at", "seen_at"}  # from one export to the next


def export(db, *arguments):
    document = json.loads(db.tell(*arguments))
    assert document.pop("is_whole") is True
    return document


def test_an_account_without_a_member(db, account):
    """As the operator's role, which reads no secrets."""
    with Portal(db) as portal:
        order = portal.order(account)
        portal.read(account, order, paid(order))
    document = export(db, "account", "export", account)
    assert document["member"] is None and document["account"]["account_id"] == account
    assert [entry["amount"] for entry in document["ledger"]] == [100, 1500]
    assert [row["order_id"] for row in document["orders"]] == [order] and len(document["invoices"]) == 1
    assert document["audit"][-1]["action"] == "account export"
    assert json.loads(db.tell("account", "export", account, "--json"))["is_whole"] is True


def test_of_a_member(db, account, tmp_path):
    """By address in any case, or id."""
    file = tmp_path / "password"
    file.write_text("correct horse battery\n")
    member = db.ask("member", "create", account, "Ada@Example.com", "--password-file", file)["member"]
    for named in ("ada@example.com", member):
        document = export(db, "member", "export", named)
        assert document["member"]["member_id"] == member and document["account"]["account_id"] == account
        assert document["audit"][-1]["action"] == "member export"


def test_who_is_unknown(db):
    nobody = "018f3a5e-0000-7000-8000-000000000000"
    assert "unknown account" in db.refuse(1, "account", "export", nobody)
    assert "unknown member" in db.refuse(1, "member", "export", nobody)
    assert "unknown member" in db.refuse(1, "member", "export", "eve@example.com")
    assert "MEMBER must be an id or an email address" in db.refuse(1, "member", "export", "eve")
    assert [row for row in db.audit() if row[1].endswith("export")] == []


def without(document):
    """As text, without what changes, and without the exports' own audit entries."""
    rows = [row for row in document["audit"] if not row["action"].endswith("export")]
    text = json.dumps(document | {"audit": rows}, sort_keys=True)
    return re.sub(f'"({"|".join(CHANGING)})": "[^"]*"', "", text)


def test_it_is_the_portals(site):
    member = Member(site)
    visitor = member.sign_in()
    page = visitor.submit(visitor.get("/portal/account").form("/portal/account/export"))
    assert without(json.loads(page.body)) == without(json.loads(site.tollctl("account", "export", member.account)))
