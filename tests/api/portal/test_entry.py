"""tests/api/portal/test_entry.py - sign-up and sign-in beyond a table: cookies and CSRF tokens of
several browsers, links used twice and at once, guesses from many addresses, and no way to learn who
has an account."""

import base64
import os
import re
import time
from pathlib import Path

import pytest

from kit.portal.buckets import Buckets, address, device
from kit.portal.entry import at_once, forget, guess, link_to, sign_up
from kit.portal.member import PASSWORD, Member, fresh_email
from kit.portal.page import Page
from kit.portal.table import Cast
from kit.portal.visitor import Visitor
from part import wait_for

SESSION, DEVICE, FORM = "__Host-session", "__Host-device", "__Host-form"
OTHER = "seven umbrellas in a yellow field"
ELSEWHERE = "The form has expired or came from another site. Go back, reload the page and try again."
STRAY = "The form has expired. Check it and send it again."
USED = "This link was already used or has expired. Request a new one."
WRONG = "The email address or the password is wrong."


@pytest.fixture(scope="module")
def cast(site, ledger):
    return Cast(site, ledger)


@pytest.fixture(scope="module")
def buckets(site, ledger):
    return Buckets(site, ledger)


@pytest.fixture
def member(site):
    return Member(site)


def is_in(visitor):
    """With a session, the sign-in page redirects."""
    return visitor.get("/portal/sign-in", follow=False).status_code == 303


# -- cookies --


def test_the_cookies_of_a_sign_in(site, member):
    visitor = Visitor(site)
    page = visitor.get("/portal/sign-in")
    answer = visitor.submit(page.form("/portal/sign-in"), follow=False, email=member.email, password=member.password)
    lines = {line.split("=", 1)[0]: line for line in answer.headers.get_all("Set-Cookie")}
    value = "[A-Za-z0-9_-]{43}"
    flags = "; Path=/; Secure; HttpOnly; SameSite=Lax"
    assert lines.keys() == {SESSION, DEVICE}
    assert re.fullmatch(f"{SESSION}={value}{flags}", lines[SESSION])
    assert re.fullmatch(f"{DEVICE}={value}{flags}; Max-Age=31536000", lines[DEVICE])


def test_a_session_that_is_kept_outlives_the_browser(site, member):
    visitor = Visitor(site)
    page = visitor.get("/portal/sign-in")
    answer = visitor.submit(page.form("/portal/sign-in"), follow=False, email=member.email, password=member.password,
                            keep=True)
    [line] = [line for line in answer.headers.get_all("Set-Cookie") if line.startswith(SESSION)]
    assert line.endswith("; Max-Age=2592000")


def test_a_cookie_that_was_there_before_opens_nothing(site, member):
    """Fixation: a planted session cookie gives no access to the session that begins with it."""
    planted = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
    visitor = Visitor(site)
    visitor.cookies[SESSION] = planted
    member.sign_in(visitor)
    assert visitor.cookies[SESSION] != planted
    thief = Visitor(site)
    thief.cookies[SESSION] = planted
    assert not is_in(thief) and is_in(visitor)


def test_signing_in_again_closes_the_old_session(site, member):
    visitor = member.sign_in()
    old = visitor.cookies[SESSION]
    page = visitor.get("/portal/sign-in", follow=False)
    assert page.status_code == 303
    other = Member(site)
    blank = Visitor(site)
    blank.cookies[SESSION] = old
    mark = visitor.get("/portal/no-such-page").form("/portal/sign-out").sent()
    answer = blank.post("/portal/sign-in", [*mark, ("email", other.email), ("password", other.password)], follow=False)
    assert answer.status_code == 303
    assert blank.cookies[SESSION] != old and is_in(blank)
    assert not is_in(visitor)


def test_a_closed_session_opens_nothing(site, member):
    visitor = member.sign_in()
    kept = visitor.cookies[SESSION]
    page = visitor.get("/portal/no-such-page")
    visitor.submit(page.form("/portal/sign-out"))
    assert SESSION not in visitor.cookies and DEVICE in visitor.cookies
    visitor.cookies[SESSION] = kept
    assert not is_in(visitor)


@pytest.mark.parametrize("change", [
    "seen_at = now() - interval '2 hours'", "expires_at = now()",
    "is_kept = true, seen_at = now() - interval '7 days'",
])
def test_a_session_expires(ledger, member, change):
    visitor = member.sign_in()
    assert is_in(visitor)
    ledger.rows(f"update session set {change} where member_id = %s", member.id)
    assert not is_in(visitor)


def test_a_kept_session_may_idle_longer(ledger, member):
    visitor = member.sign_in(keep=True)
    ledger.rows("update session set seen_at = now() - interval '6 days' where member_id = %s", member.id)
    assert is_in(visitor)
    [(seconds,)] = ledger.rows("select extract(epoch from now() - seen_at) from session where member_id = %s",
                               member.id)
    assert seconds < 60  # it was seen just now
    [(days,)] = ledger.rows("select extract(epoch from expires_at - created_at) / 86400 from session"
                            " where member_id = %s", member.id)
    assert round(days) == 30


def test_nothing_stored_is_a_cookie(site, ledger, member):
    visitor = member.sign_in()
    for name, table, column in ((SESSION, "session", "cookie"), (DEVICE, "device", "device")):
        value = base64.urlsafe_b64decode(visitor.cookies[name] + "=")
        [(stored,)] = ledger.rows(f"select {column} from {table} where member_id = %s", member.id)
        assert len(value) == 32 and bytes(stored) != value


# -- CSRF tokens --


def test_another_sessions_mark(site, member):
    visitor, outsider = member.sign_in(), Member(site).sign_in()
    mark = outsider.get("/portal/no-such-page").form("/portal/sign-out").sent()
    answer = visitor.post("/portal/sign-out", mark, follow=False)
    assert answer.status_code == 403 and ELSEWHERE in answer.text
    assert is_in(visitor)


def test_a_mark_from_before_the_sign_in(site, member):
    visitor = Visitor(site)
    before = visitor.get("/portal/sign-in").form("/portal/sign-in").sent()
    member.sign_in(visitor)
    answer = visitor.post("/portal/sign-out", [pair for pair in before if pair[0] == "csrf"], follow=False)
    assert answer.status_code == 403 and is_in(visitor)


def test_another_visitors_mark(site, member):
    visitor, outsider = Visitor(site), Visitor(site)
    visitor.get("/portal/sign-in")
    form = outsider.get("/portal/sign-in").form("/portal/sign-in")
    answer = visitor.submit(form, follow=False, email=member.email, password=member.password)
    assert answer.status_code == 403 and answer.errors == [STRAY] and not is_in(visitor)


def test_two_tabs_at_the_same_moment(site, member):
    """Neither browser had a cookie when it requested the form, and it keeps the second. The first
    form comes back with its fields filled in, except the password, and works."""
    visitor = Visitor(site)
    first = visitor.get("/portal/sign-in?next=/portal/credits")
    visitor.cookies.clear()
    visitor.get("/portal/sign-in")
    page = visitor.submit(first.form("/portal/sign-in"), email=member.email, password=member.password)
    assert page.status_code == 403 and page.errors == [STRAY] and page.title.startswith("Error: "), page
    shown = page.form("/portal/sign-in")
    assert dict(shown.sent())["email"] == member.email and dict(shown.sent()).get("password", "") == ""
    assert visitor.submit(shown, password=member.password).url == "/portal/credits"


def test_signed_in_in_another_tab(site, member):
    visitor = Visitor(site)
    form = visitor.get("/portal/sign-in").form("/portal/sign-in")
    member.sign_in(visitor)
    assert visitor.submit(form, email=member.email, password="whatever").url == "/portal"
    assert is_in(visitor)


def test_a_mark_outlives_the_change_of_the_cookie(site, cast, member):
    """Forms in other tabs still work when the cookie is replaced, because the session's id
    stays."""
    visitor = member.sign_in()
    mark = visitor.get("/portal/no-such-page").form("/portal/sign-out").sent()
    again = visitor.get("/portal/no-such-page").form("/portal/sign-out").sent()
    assert mark == again


# -- logs --


def test_logs_hold_ids_alone(site, cast, ledger):
    email = fresh_email("logged")
    visitor = Visitor(site, agent="Mozilla/5.0 (an agent that nobody has)")
    sign_up(visitor, email)
    path = link_to(cast, email, "confirm")
    page = visitor.get(path)
    mark = dict(page.form(path).sent())["csrf"]
    visitor.submit(page.form(path), name="Name That Nobody Has", password=PASSWORD)
    guess(Visitor(site), email, "a password that nobody has")
    [(account,)] = ledger.rows("select account_id from member where email = %s", email)
    logs = [file.read_text() for file in Path(site.log_directory).glob("*.log") if file.name != "postgres.log"]
    assert any(f'"http.route":"/portal","http.response.status_code":200,"account_id":"{account}"' in log for log in logs)
    for secret in (email, path.rsplit("/", 1)[1], mark, PASSWORD, "a password that nobody has", "Name That Nobody Has",
                   "an agent that nobody has", visitor.cookies[SESSION], visitor.cookies[DEVICE]):
        assert not any(secret in log for log in logs), secret


# -- links --


def open_at_once(visitors, forms):
    """The answers to forms of links, sent at once. One opens an account, the others' link is
    used."""
    answers = at_once(len(forms), lambda i: visitors[i].submit(forms[i], follow=False, name="Jane", password=PASSWORD))
    assert sorted(answer.status_code for answer in answers) == [303] + [400] * (len(forms) - 1)
    return answers


def test_a_link_makes_one_account_however_often_it_is_used(site, cast, ledger):
    email = fresh_email("one")
    sign_up(Visitor(site), email)
    path = link_to(cast, email, "confirm")
    visitors = [Visitor(site) for _ in range(6)]
    forms = [visitor.get(path).form(path) for visitor in visitors]
    answers = open_at_once(visitors, forms)
    assert all(USED in answer.text for answer in answers if answer.status_code == 400)
    assert ledger.rows("select count(*), sum(granted) from member join account_balance using (account_id)"
                       " where email = %s", email) == [(1, 100)]


def test_32_sign_ups_of_one_address_at_once(site, cast, ledger):
    """At most three links an hour go to one mailbox, and together they make one account with one
    grant."""
    email = fresh_email("many")
    spellings = [email.replace("@", f"+{i}@") if i % 2 else email.upper() for i in range(32)]
    pages = at_once(32, lambda i: sign_up(Visitor(site), spellings[i]))
    assert {page.status_code for page in pages} == {200}
    sent = ledger.rows("select recipient from mail join link using (link_id) where email_key = %s", email)
    assert len(sent) == 3
    links = set()
    for recipient in {row[0] for row in sent}:
        cast.mailbox.wait(recipient, count=sum(row[0] == recipient for row in sent))
        links |= {"/portal/" + letter.link.split("/portal/")[1] for letter in cast.mailbox.letters(recipient)}
    assert len(links) == 3
    paths = sorted(links) * 2
    visitors = [Visitor(site) for _ in paths]
    forms = [visitor.get(path).form(path) for visitor, path in zip(visitors, paths)]
    open_at_once(visitors, forms)
    assert ledger.rows("select count(*), sum(granted) from member join account_balance using (account_id)"
                       " where email_key = %s", email) == [(1, 100)]
    assert ledger.rows("select count(*) from ledger_entry join member using (account_id)"
                       " where email_key = %s and kind = 1", email) == [(1,)]


def test_a_link_with_a_bit_off(site, cast, member):
    forget(Visitor(site), member.email)
    path = link_to(cast, member.email, "reset")
    stem, text = path.rsplit("/", 1)
    raw = bytearray(base64.urlsafe_b64decode(text))
    visitor = Visitor(site)
    assert visitor.get(path).status_code == 200
    for at in (0, 15, 16, len(raw) - 1):
        changed = bytearray(raw)
        changed[at] ^= 1
        page = visitor.get(f"{stem}/{base64.urlsafe_b64encode(changed).decode()}")
        assert page.status_code == 400 and USED in page.text


def test_a_reset_link_twice_and_at_once(site, cast, member):
    forget(Visitor(site), member.email)
    path = link_to(cast, member.email, "reset")
    visitors = [Visitor(site) for _ in range(4)]
    forms = [visitor.get(path).form(path) for visitor in visitors]
    answers = at_once(4, lambda i: visitors[i].submit(forms[i], follow=False, password=f"{OTHER} {i}"))
    assert sorted(answer.status_code for answer in answers) == [303, 400, 400, 400]
    [winner] = [i for i, answer in enumerate(answers) if answer.status_code == 303]
    member.password = f"{OTHER} {winner}"
    member.sign_in()


def test_using_one_reset_link_revokes_all_links_and_sessions(site, cast, ledger, member):
    thief = member.sign_in()
    forget(Visitor(site), member.email)
    first = link_to(cast, member.email, "reset")
    forget(Visitor(site), member.email)
    wait_for(lambda: len(cast.mailbox.letters(member.email)) >= 2, 20, "two mails")
    assert Visitor(site).get(first).status_code == 200  # a second request keeps the first link valid
    second = next("/portal/" + letter.link.split("/portal/")[1] for letter in cast.mailbox.letters(member.email)
                  if letter.link and not letter.link.endswith(first))
    owner = Visitor(site)
    page = owner.submit(owner.get(second).form(second), password=OTHER)
    assert page.url == "/portal/sign-in?done=password-set" and "Your password was set. Sign in with it." in page.text
    assert Visitor(site).get(first).status_code == 400
    assert not is_in(thief) and not is_in(owner)  # it does not sign in
    assert ledger.rows("select count(*) from device where member_id = %s", member.id) == [(1,)]
    assert DEVICE in owner.cookies
    assert guess(Visitor(site), member.email, member.password).status_code == 403
    member.password = OTHER
    member.sign_in(owner)


# -- guesses --


def check_owner_gets_in(cast, member, known, outsider):
    answer = guess(outsider, member.email, member.password)
    assert answer.status_code == 429 and "Too many attempts. Try again in 1 minute, or reset your password." in answer.text
    assert 30 <= int(answer.headers["Retry-After"]) <= 60
    assert guess(known, member.email, member.password).status_code == 303  # from the known device
    forget(outsider, member.email)                                        # and from any other device
    path = link_to(cast, member.email, "reset")
    outsider.submit(outsider.get(path).form(path), password=OTHER)
    assert guess(outsider, member.email, OTHER).status_code == 303


def leave(visitor):
    visitor.submit(visitor.get("/portal/no-such-page").form("/portal/sign-out"))
    return visitor


def test_an_account_sprayed_from_everywhere_stays_open_for_its_owner(site, cast, buckets, member):
    known = leave(member.sign_in())
    buckets.leave("sign-in email", member.email, 2)
    assert [guess(Visitor(site), member.email).status_code for _ in range(4)] == [403, 403, 429, 429]
    check_owner_gets_in(cast, member, known, Visitor(site))


def test_an_account_sprayed_from_the_owners_own_address(site, cast, buckets, member):
    known = leave(member.sign_in())
    buckets.leave("sign-in email", member.email, 5)
    buckets.leave("sign-in address", address(known.address), 1)
    assert [guess(Visitor(site, known.address), member.email).status_code for _ in range(2)] == [403, 429]
    assert guess(Visitor(site, known.address), fresh_email("nobody")).status_code == 429  # whatever the account
    assert guess(known, member.email, member.password).status_code == 303
    assert guess(Visitor(site), member.email, member.password).status_code == 303  # the account was not touched


def test_an_attempt_takes_from_all_buckets_or_none(site, buckets, member):
    """Attempts that the address's bucket rejects take nothing from the account's bucket."""
    sprayer = Visitor(site)
    buckets.leave("sign-in email", member.email, 1)
    buckets.leave("sign-in address", address(sprayer.address), 0)
    assert [guess(sprayer, member.email).status_code for _ in range(3)] == [429] * 3
    assert guess(Visitor(site), member.email).status_code == 403


def test_a_known_device_has_its_own_bucket_and_only_at_its_own_member(site, buckets, member):
    known = leave(member.sign_in())
    buckets.leave("sign-in device", device(known), 1)
    assert [guess(known, member.email).status_code for _ in range(2)] == [403, 429]
    assert guess(Visitor(site), member.email, member.password).status_code == 303  # other addresses have their own
    other = Member(site)
    buckets.leave("sign-in email", other.email, 1)
    assert guess(known, other.email).status_code == 403  # for this account the device is unknown
    assert guess(Visitor(site), other.email).status_code == 429  # and took one of the account's


def test_a_right_password_returns_the_attempt(site, buckets, member):
    buckets.leave("sign-in email", member.email, 1)
    for _ in range(3):
        assert guess(Visitor(site), member.email, member.password).status_code == 303


def test_twenty_rejections_in_an_hour_send_one_email(site, cast, ledger, buckets, member):
    buckets.leave("refusals", member.email, 1)
    counts = []
    for _ in range(3):
        guess(Visitor(site), member.email)
        counts += ledger.rows("select count(*) from mail where member_id = %s and template = 'sign-in-tries'",
                              member.id)
    assert counts == [(0,), (1,), (1,)]
    assert "many attempts" in cast.letter(member.email, "sign-in-tries").text
    assert ledger.rows("select count(*) from audit_log where account_id = %s and action = 'sign-in rejected'",
                       member.account) == [(1,)]  # one a minute


# -- who has an account --


def skeleton(answer, email):
    """A response without the parts that differ between visitors."""
    body = answer.answer.body.decode() if isinstance(answer, Page) else answer.body.decode()
    body = re.sub(r'(name="csrf" value=")[^"]+', r"\1", body.replace(email, "EMAIL"))
    headers = [(name, value) for name, value in answer.headers.items() if name not in ("content-length", "date")]
    return answer.status_code, headers, body


ASKING = {
    "sign-up": sign_up,
    "forgot": forget,
    "sign-in": guess,
}


@pytest.mark.parametrize("what", ASKING)
def test_known_and_unknown_addresses_look_the_same(site, ledger, member, what):
    unknown = fresh_email("nobody")

    def rows(email):
        return ledger.rows("select count(*), count(mail_id) from link left join mail using (link_id)"
                           " where email_key = %s", email)

    first = skeleton(ASKING[what](Visitor(site), member.email), member.email)
    second = skeleton(ASKING[what](Visitor(site), unknown), unknown)
    assert first == second
    assert rows(member.email) == rows(unknown)


def test_rejected_sign_ins_leave_the_same_rows(site, ledger, member):
    """An unknown address also causes a line in the audit log and three buckets."""
    counts = []
    for email in (member.email, fresh_email("nobody")):
        visitor = Visitor(site)
        page = visitor.get("/portal/sign-in")
        begun = ledger.rows("select now()")[0][0]
        network = visitor.address.rsplit(".", 1)[0] + ".0/24"
        agent = f"Agent of {email}"
        visitor.agent = agent
        visitor.submit(page.form("/portal/sign-in"), email=email, password="wrong")
        counts.append(ledger.rows("select count(*) from audit_log where action = 'sign-in rejected' and network = %s"
                                  " and agent = %s and at >= %s", network, agent, begun))
    assert counts == [[(1,)], [(1,)]]
