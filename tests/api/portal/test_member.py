"""tests/api/portal/test_member.py - actions of a member that take several steps: tokens that work,
a second factor, an address that an intruder takes and the owner regains."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from kit.client import Client
from kit.portal.mailbox import Mailbox
from kit.portal.member import PASSWORD, Member, fresh_email
from kit.portal.visitor import Visitor
from kit.site import Account


@pytest.fixture(scope="module")
def mailbox(site):
    return Mailbox(site.mail_directory)


def make_token(visitor, **typed):
    page = visitor.get("/portal/security")
    page = visitor.submit(page.form("/portal/tokens"), **typed)
    assert page.status_code == 200, page
    return page


def path_of(letter):
    return re.sub(r"^https://[^/]+", "", letter.link)


# -- tokens --


def test_the_shown_line_works_until_the_token_is_revoked(site):
    member = Member(site)
    visitor = member.sign_in()
    line = make_token(visitor, name="curl").element("line").raw_text()

    def run():
        done = subprocess.run(["sh", "-c", line + " -s -w '\\n%{http_code}'"], capture_output=True, text=True, timeout=60)
        body, _, status = done.stdout.rpartition("\n")
        return int(status), json.loads(body)

    status, body = run()
    assert status == 200, body
    security = visitor.get("/portal/security")
    [row] = security.table("API tokens")
    assert row["Name"] == "curl" and row["May call"] == "everything" and row["Last used"] != "never"
    page = visitor.submit(next(form for form in security.forms if form.action.endswith("/revoke")
                               and "/tokens/" in form.action))
    assert "The token was revoked." in page.text and "No tokens yet." in page.text
    status, body = run()
    assert (status, body["errors"][0]["code"]) == (403, "auth_revoked")


def test_another_like_it(site):
    member = Member(site)
    visitor = member.sign_in()
    make_token(visitor, name="ci", expires="30", may="some", scope=["chat", "account"], cap_daily="50")
    page = visitor.get("/portal/security")
    form = visitor.get(page.link("Duplicate")).form("/portal/tokens")
    sent = form.sent()
    assert [value for name, value in sent if name == "scope"] == ["chat", "account"]
    assert {name: value for name, value in sent if name not in ("scope", "csrf", "id")} == {
        "name": "ci", "expires": "30", "until": dict(sent)["until"], "may": "some", "cap_daily": "50", "cap_total": "",
        "networks": ""}
    assert visitor.submit(form).status_code == 200
    [first, second] = visitor.get("/portal/security").table("API tokens")
    assert {key: first[key] for key in ("Name", "May call", "Spending caps")} == {
        key: second[key] for key in ("Name", "May call", "Spending caps")}
    other = Member(site).sign_in()
    form = other.get(page.link("Duplicate").split("#")[0]).form("/portal/tokens")
    assert dict(form.sent())["name"] == ""  # another account's token is treated as unknown


def test_a_name_is_shown_as_it_is(site):
    visitor = Member(site, name="</main><script>alert(1)</script>").sign_in()
    name = "\"><img src=x onerror=alert(1)>'{{csrf}}"
    assert f"“{name}”" in make_token(visitor, name=name).text
    page = visitor.get("/portal/security")
    assert page.table("API tokens")[0]["Name"] == name and not page.root.all("img")
    assert dict(visitor.get("/portal/account").form("/portal/account/name").sent())["name"].startswith("</main>")


# -- a second factor --


def read_picture(page, folder):
    """The content of the QR code, in the colors of portal.css."""
    svg = re.search(rb"<svg class=\"qr\".*?</svg>", page.answer.body)[0]
    svg = svg.replace(b"<svg ", b'<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    (folder / "qr.svg").write_bytes(svg)
    subprocess.run(["rsvg-convert", "-w", "600", "-b", "white", "-o", folder / "qr.png", folder / "qr.svg"], check=True,
                   timeout=30)
    return subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", folder / "qr.png"], check=True,
                          capture_output=True, text=True, timeout=30).stdout.strip()


def test_an_app_reads_the_secret_from_the_screen(site, tmp_path):
    member = Member(site)
    page = member.sign_in().get("/portal/two-factor")
    secret = page.element("secret").text.replace(" ", "")
    assert read_picture(page, tmp_path) == (
        f"otpauth://totp/Tollgate:{member.email.replace('@', '%40')}?secret={secret}&issuer=Tollgate")


def test_a_second_factor(site, ledger):
    member = Member(site)
    visitor = member.sign_in()
    picture = visitor.get("/portal/two-factor").root.one("svg")
    assert picture.get("role") == "img" and picture.get("aria-label")
    codes = member.turn_on_two_factor(visitor)
    assert len(set(codes)) == 10 and all(re.fullmatch(r"[0-9a-z]{5}-[0-9a-z]{5}", code) for code in codes)
    assert "10 recovery codes left" in visitor.get("/portal/security").text
    stored = ledger.rows("select encode(totp_secret, 'hex'), (select string_agg(encode(code, 'hex'), ' ')"
                         " from recovery_code r where r.member_id = m.member_id) from member m where member_id = %s",
                         member.id)[0]
    assert all(code.encode().hex() not in stored[1] for code in codes)

    def give(code):
        other = Visitor(site)
        page = member.give_password(other)
        return other.submit(page.form("/portal/sign-in/code"), code=code)

    used = member.code()
    assert give(used).status_code == 200
    again = give(used)
    assert again.status_code == 403 and "The code is wrong or was already used." in again.text
    assert give(codes[0].upper().replace("-", " ")).status_code == 200
    assert give(codes[0]).status_code == 403
    assert "9 recovery codes left" in visitor.get("/portal/security").text


def test_a_code_counts_once_however_many_come_at_once(site, ledger):
    from concurrent.futures import ThreadPoolExecutor
    member = Member(site)
    visitor = member.sign_in()
    recovery = member.turn_on_two_factor(visitor)[0]
    visitors = [Visitor(site) for _ in range(4)]
    forms = [member.give_password(other).form("/portal/sign-in/code") for other in visitors]
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda pair: pair[0].submit(pair[1], code=recovery), zip(visitors, forms)))
    assert sorted(page.status_code for page in pages) == [200, 403, 403, 403]


def test_another_members_offer_is_invalid(site):
    mine, other = Member(site).sign_in(), Member(site).sign_in()
    theirs = dict(other.get("/portal/two-factor").form("/portal/two-factor").sent())["offer"]
    page = mine.submit(mine.get("/portal/two-factor").form("/portal/two-factor"), code="123456", offer=theirs, confirm_password=PASSWORD)
    assert page.status_code == 400 and "This form is no longer valid. Reload the page and try again." in page.text


# -- the password --


def test_a_changed_password_closes_other_sessions_only(site):
    member = Member(site)
    here, elsewhere = member.sign_in(), member.sign_in()
    before = dict(here.cookies)
    page = here.submit(here.get("/portal/password").form("/portal/password"), current=member.password,
                       password="seven umbrellas in a yellow field")
    assert "Your password was changed." in page.text
    assert here.cookies["__Host-session"] != before["__Host-session"]
    assert elsewhere.get("/portal/security").url.startswith("/portal/sign-in")
    thief = Visitor(site)
    thief.cookies = before
    assert thief.get("/portal/security").url.startswith("/portal/sign-in")
    assert member.give_password(Visitor(site)).status_code == 403
    member.password = "seven umbrellas in a yellow field"
    member.sign_in()


# -- another address --


def ask_email(member, visitor, email):
    page = visitor.submit(visitor.get("/portal/account").form("/portal/account/email"), email=email)
    page = member.confirm(visitor, page)
    assert page.status_code == 200 and "Check the new mailbox." in page.text, page


def open_link(visitor, letter):
    """GET only shows a form; the form acts."""
    path = path_of(letter)
    return visitor.submit(visitor.get(path).form(path))


def test_a_new_address_is_proved_where_it_was_asked_for(site, mailbox):
    member = Member(site)
    visitor, elsewhere = member.sign_in(), member.sign_in()
    new = fresh_email("new")
    ask_email(member, visitor, new)
    [letter] = mailbox.wait(new, "Confirm your new email address")
    assert new not in letter.text and member.name not in letter.text
    outsider = Visitor(site)
    assert outsider.get(path_of(letter)).url.startswith("/portal/sign-in?next=/portal/email/")
    other = Member(site).sign_in()
    assert "This link was already used or has expired." in other.get(path_of(letter)).text
    assert member.email in visitor.get("/portal/account").text
    page = open_link(visitor, letter)
    assert "Your email address was changed." in page.text and new in page.text
    assert elsewhere.get("/portal/account").url.startswith("/portal/sign-in")
    assert "This link was already used or has expired." in visitor.get(path_of(letter)).text
    member.email = new
    member.sign_in()


def test_an_address_that_another_member_takes_first(site, mailbox):
    member, quicker = Member(site), Member(site)
    one, two = member.sign_in(), quicker.sign_in()
    new = fresh_email("new")
    ask_email(member, one, new)
    ask_email(quicker, two, new)
    letters = mailbox.wait(new, "Confirm your new email address", count=2)
    paths = [path_of(letter) for letter in letters]
    pages = [visitor.get(path) for path in paths for visitor in (two,)]
    [path] = [page.url for page in pages if page.status_code == 200]
    assert "Your email address was changed." in two.submit(two.get(path).form(path)).text
    [path] = [other for other in paths if other != path]
    page = one.submit(one.get(path).form(path))
    assert page.status_code == 400 and "Another account already uses this email address." in page.text
    assert member.email in one.get("/portal/account").text


def status_of_call(site, member, token):
    return Client(site).call(Account(member.account, token, None), "hash-generate", {"input": "a"}).status_code


def give_new_password(member, visitor, letter, **ticked):
    """By the link of an email."""
    path = path_of(letter)
    member.password = "seven umbrellas in a yellow field"
    page = visitor.submit(visitor.get(path).form(path), password=member.password, **ticked)
    assert "Your password was set." in page.text


def test_an_intruder_who_changes_the_address_twice_is_shut_out(site, mailbox, ledger):
    owner = Member(site)
    old = owner.email
    keeps = make_token(owner.sign_in(), name="old").element("token").text
    ledger.rows("update token set created_at = now() - interval '8 days' where account_id = %s", owner.account)
    intruder = owner.sign_in()
    first, second = fresh_email("intruder"), fresh_email("intruder")
    ask_email(owner, intruder, first)
    [notice] = mailbox.wait(old, "Your email address will be changed")
    assert first in notice.text
    open_link(intruder, mailbox.wait(first, "Confirm your new")[0])
    ask_email(owner, intruder, second)
    [their_undo] = mailbox.wait(first, "Your email address will be changed")
    open_link(intruder, mailbox.wait(second, "Confirm your new")[0])
    owner.turn_on_two_factor(intruder)
    token = make_token(intruder, name="intruder").element("token").text
    assert status_of_call(site, owner, token) == status_of_call(site, owner, keeps) == 200

    taken = Visitor(site)  # meanwhile nobody else can take the address
    page = taken.submit(taken.get("/portal/sign-up").form("/portal/sign-up"), email=old)
    assert "Check your email" in page.text

    page = open_link(Visitor(site), their_undo)  # it only restores the intruder's own address
    assert "Your account is recovered" in page.text and first in page.text
    visitor = Visitor(site)
    page = visitor.get(path_of(notice))
    ticked = {box.get("value"): box.has("checked") for box in page.root.all("input") if box.get("type") == "checkbox"}
    assert sorted(ticked.values()) == [False]  # the other undo revoked the intruder's
    page = visitor.submit(page.form(path_of(notice)))
    assert "Your account is recovered" in page.text and old in page.text
    assert intruder.get("/portal").url.startswith("/portal/sign-in")
    for letter in (their_undo, notice):
        assert "This link was already used or has expired." in Visitor(site).get(path_of(letter)).text
    owner.secret = None
    assert owner.give_password(Visitor(site)).status_code == 403  # the password is void
    give_new_password(owner, Visitor(site), mailbox.wait(old, "Choose a new password")[0])
    visitor = owner.sign_in()
    assert old in visitor.get("/portal/account").text
    assert "Off." in visitor.get("/portal/security").text
    assert (status_of_call(site, owner, token), status_of_call(site, owner, keeps)) == (403, 200)
    acts = [row["Event"] for row in visitor.get("/portal/audit").table("Activity")]
    assert "Email address change undone" in acts and acts.count("Email address changed") == 2


def test_tokens_of_an_intruder_are_chosen_on_the_page(site, mailbox, ledger):
    """The owner may select tokens; one that the page did not show is revoked, too."""
    owner = Member(site)
    visitor = owner.sign_in()
    for name in ("old", "ended", "kept", "new"):
        make_token(visitor, name=name)
    ledger.rows("update token set created_at = created_at - interval '8 days' where account_id = %s"
                " and name in ('old', 'ended')", owner.account)
    ids = {name: str(token) for name, token in ledger.rows("select name, token_id from token where account_id = %s",
                                                           owner.account)}
    ask_email(owner, visitor, fresh_email("intruder"))
    [notice] = mailbox.wait(owner.email, "Your email address will be changed")
    page = Visitor(site).get(path_of(notice))
    boxes = {box.get("value"): box.has("checked") for box in page.root.all("input") if box.get("type") == "checkbox"}
    assert boxes == {ids["old"]: False, ids["ended"]: False, ids["kept"]: True, ids["new"]: True}
    make_token(visitor, name="late")
    shown = dict(page.form(path_of(notice)).sent())["shown"]
    other = Visitor(site)
    csrf = dict(other.get(path_of(notice)).form(path_of(notice)).sent())["csrf"]
    other.post(path_of(notice), [("csrf", csrf), ("shown", shown), ("end", ids["ended"]), ("end", ids["new"]),
                                 ("end", "nonsense")])
    assert {name for name, in ledger.rows("select name from token where account_id = %s and revoked_at is null",
                                          owner.account)} == {"old", "kept"}


def test_two_factor_that_an_intruder_turned_on_is_undone(site, mailbox):
    owner = Member(site)
    owner.turn_on_two_factor(owner.sign_in())
    [letter] = mailbox.wait(owner.email, "Two-factor sign-in was changed")
    page = open_link(Visitor(site), letter)
    assert "Your account is recovered" in page.text and owner.email in page.text
    owner.secret = None
    give_new_password(owner, Visitor(site), mailbox.wait(owner.email, "Choose a new password")[0])
    assert "Off." in owner.sign_in().get("/portal/security").text


def test_a_deletion_is_undone_with_the_change_of_address(site, mailbox, ledger):
    owner = Member(site)
    intruder = owner.sign_in()
    page = intruder.submit(intruder.get("/portal/account").form("/portal/account/delete"), typed_email=owner.email)
    assert "This account will be deleted" in owner.confirm(intruder, page).text
    ask_email(owner, intruder, fresh_email("intruder"))
    open_link(Visitor(site), mailbox.wait(owner.email, "Your email address will be changed")[0])
    assert ledger.rows("select delete_at from account where account_id = %s", owner.account) == [(None,)]


# -- deletion --


# More rows than a piece of the export has.
EVERY_PART = [
    "insert into daily_quota select '{account}', mod(i, 7), date '2020-01-01' + i, 1 from generate_series(1, 600) i",
    "insert into usage_day select '{account}', date '2020-01-01' + mod(i, 300), mod(i, 7), gen_random_uuid(), 1, 1, 1, 1"
    "  from generate_series(1, 600) i",
    "insert into idempotency (account_id, key_hash, fingerprint, hold_id, expires_at)"
    " select '{account}', sha256(i::text::bytea), sha256('x'), gen_random_uuid(), now() from generate_series(1, 600) i",
    "insert into large_response (account_id, hold_id, piece, size, bytes, expires_at)"
    " select '{account}', '{member}', mod(i, 100), 1, '', now() from generate_series(1, 100) i",
    "insert into large_response (account_id, hold_id, piece, size, bytes, expires_at)"
    " select '{account}', gen_random_uuid(), 0, 1, '', now() from generate_series(1, 500) i",
    "insert into hold (account_id, hold_id, amount, tool_id, state, created_at, expires_at)"
    " select '{account}', gen_random_uuid(), 0, 1, 3, now(), now() + interval '1 day' from generate_series(1, 600) i",
    "insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)"
    " select gen_random_uuid(), 'reset', '{member}', 'x', 'x', now(), now() from generate_series(1, 600) i",
    "insert into mail (mail_id, member_id, recipient, template, state, created_at, next_at)"
    " select gen_random_uuid(), '{member}', 'x', 'none', 4, now(), now() from generate_series(1, 600) i",
    "insert into order_reversal select '{account}', gen_random_uuid(), gen_random_uuid(), 1, 1, 0, now()"
    "  from generate_series(1, 600) i",
    "insert into billing_version (account_id, version, company, at) select '{account}', i, 'x', now()"
    "  from generate_series(1, 600) i",
    "insert into invoice (account_id, invoice_id, order_id, step, kind, reason, is_test, order_number, credits, buyer,"
    "  payment, taxes, net, tax, total, currency, made_at, series, number, name, issued_at, seller)"
    " select '{account}', gen_random_uuid(), gen_random_uuid(), 0, 'invoice', 'paid', true, 1, 1, '{{}}', '{{}}', '[]',"
    "  1, 0, 1, 'USD', now(), 'X-2020', i, 'X-2020-' || i, now(), '{{}}' from generate_series(1, 600) i",
    "insert into request_log select '{account}', now(), gen_random_uuid(), null, gen_random_uuid(), null, 'credits', 1,"
    " false, 200, null, 0, 1, null, null, 0, 0, 0, null from generate_series(1, 600) i",
    "insert into request_day select '{account}', date '2020-01-01' + mod(i, 300), mod(i, 7), mod(i, 2)::text, mod(i, 5), 1"
    "  from generate_series(1, 600) i",
    "insert into request_loss select '{account}', date '2020-01-01' + i * interval '1 hour', now(), 1"
    "  from generate_series(1, 600) i",
    "insert into token (account_id, token_id, digest, last4, created_at, kind, spent_total, revoked_at)"
    " select '{account}', gen_random_uuid(), sha256(random()::text::bytea), 'aaaa', now(), 3, 0, now()"
    "  from generate_series(1, 300) i",
    "insert into oauth_grant (account_id, token_id, member_id, client_key, client_host, client_name, redirect_host,"
    "  needs_key, access_no, issued_at, first_no, refresh_no, rotated_at, refresh_until, state, created_at,"
    "  connected_at, network, ended_at, ended_by)"
    " select '{account}', token_id, '{member}', sha256('x'), '', 'x', 'x', false, 1, now(), 1, 1, now(), now(), 2, now(),"
    "  now(), 'x', now(), 'member' from token where account_id = '{account}' and kind = 3",
    "insert into oauth_code (account_id, code_id, token_id, is_update, session_id, client_key, client_host, client_name,"
    "  needs_key, redirect_uri, redirect_host, challenge, name, scopes, network, agent, created_at, expires_at)"
    " select '{account}', gen_random_uuid(), gen_random_uuid(), false, gen_random_uuid(), sha256('x'), '', 'x', false,"
    "  'x', 'x', sha256('x'), 'x', '{{utils}}', 'x', 'x', now(), now() from generate_series(1, 300) i",
]
# What these would leave behind for `tollctl verify`, which reads all accounts.
EVERY_PART_ENDS = ["delete from order_reversal where account_id = '{account}'", "delete from usage_day where account_id = '{account}'",
                   "delete from daily_quota where account_id = '{account}'", "delete from hold where account_id = '{account}'",
                   "alter table invoice disable trigger invoice_is_final; delete from invoice where account_id = '{account}';"
                   "alter table invoice enable trigger invoice_is_final"]


def test_leaving_and_staying(site):
    member = Member(site)
    visitor = member.sign_in()
    make_token(visitor, name="ci")
    page = visitor.submit(visitor.get("/portal/account").form("/portal/account/delete"), typed_email=member.email.upper())
    page = member.confirm(visitor, page)
    assert "This account will be deleted" in page.text
    assert "No tokens yet." in visitor.get("/portal/security").text
    page = visitor.submit(page.form("/portal/account/keep"))
    assert "The account will not be deleted." in page.text and "Delete account" in page.text


def test_the_export_is_all_of_it(site, ledger):
    member = Member(site)
    visitor = member.sign_in()
    make_token(visitor, name="ci")
    ledger.rows("insert into audit_log (at, actor, action, account_id) select now() - i * interval '1 second', 'portal',"
                " 'line ' || i, %s from generate_series(1, 600) i", member.account)
    answer = visitor.submit(visitor.get("/portal/account").form("/portal/account/export"))
    document = json.loads(answer.body)
    assert list(document) == ["member", "account", "tokens", "orders", "ledger", "audit", "connected_apps", "consents",
                              "sessions", "known_browsers", "links", "mail", "order_reversals", "billing_details",
                              "invoice_emails", "invoices", "holds", "daily_use", "usage_by_day", "requests", "requests_by_day",
                              "requests_not_recorded", "stored_responses", "large_responses", "is_whole"]
    assert len(document["sessions"]) == len(document["known_browsers"]) == 1
    assert "token-made" in {letter["template"] for letter in document["mail"]}
    assert document["is_whole"] is True and document["member"]["email"] == member.email and document["account"]["posted"] == 100
    assert [token["name"] for token in document["tokens"]] == ["ci"]
    assert [(entry["seq"], entry["amount"]) for entry in document["ledger"]] == [(1, 100)]
    actions = [line["action"] for line in document["audit"]]
    assert len([action for action in actions if action.startswith("line ")]) == 600
    assert actions[-1] == "export" and actions[0] == "line 600"
    ats = [line["at"] for line in document["audit"]]
    assert ats == sorted(ats)


def test_the_export_of_an_account_with_rows_in_every_part(site, ledger):
    member = Member(site)
    visitor = member.sign_in()
    for statement in EVERY_PART:
        ledger.rows(statement.format(account=member.account, member=member.id))
    answer = visitor.submit(visitor.get("/portal/account").form("/portal/account/export"))
    for statement in EVERY_PART_ENDS:
        ledger.rows(statement.format(account=member.account))
    document = json.loads(answer.body)
    counts = {name: len(part) for name, part in document.items() if isinstance(part, list)}
    assert counts["daily_use"] == counts["usage_by_day"] == counts["stored_responses"] == 600
    assert counts["holds"] == counts["large_responses"] == 600 and counts["links"] == 600
    assert counts["mail"] >= 600 and counts["order_reversals"] == 600
    assert counts["billing_details"] == counts["invoices"] == 600
    assert counts["connected_apps"] == counts["consents"] == 300
    assert counts["requests"] == counts["requests_by_day"] == counts["requests_not_recorded"] == 600
    for name in ("requests", "requests_not_recorded", "holds", "stored_responses", "connected_apps", "order_reversals",
                 "billing_details", "invoices"):
        rows = [json.dumps(row) for row in document[name]]
        assert len(set(rows)) == len(rows), name


# -- secrets --


def test_secrets_are_in_no_row_and_in_no_log(site, ledger, mailbox):
    """Each secret that was given to somebody is not in a dump of the tables, in no log, and in no
    metric."""
    member = Member(site)
    visitor = member.sign_in()
    token = make_token(visitor, name="ci").element("token").text
    codes = member.turn_on_two_factor(visitor)
    ask_email(member, visitor, fresh_email("new"))
    path = path_of(mailbox.wait(member.email, "Your email address will be changed")[0])
    assert Visitor(site).get(path).status_code == 200
    secrets = [token, member.password, member.secret, path.rpartition("/")[2], *codes, visitor.cookies["__Host-session"],
               visitor.cookies["__Host-device"]]

    tables = [name for (name,) in ledger.rows("select tablename from pg_tables where schemaname = 'public'")]
    rows = "\n".join(str(row) for table in tables
                     for row in ledger.rows(f"select t::text from {table} t where t::text like '%%' || %s || '%%'"
                                            " or t::text like '%%' || %s || '%%'", member.id, member.account))
    assert member.email in rows
    for secret in secrets:
        assert secret not in rows and secret.encode().hex() not in rows, secret

    folder = Path(site.log_directory)
    for secret in secrets:
        assert [file.name for file in folder.glob("*.log") if secret.encode() in file.read_bytes()] == [], secret
    for file in folder.glob("portal*.log"):
        assert member.email.encode() not in file.read_bytes()
