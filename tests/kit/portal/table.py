"""tests/kit/portal/table.py - one row of a table of the portal's routes: a request, and its
expected result.

    - title: an invalid address
      route: POST /portal/sign-up     # as in portal/routes.c
      path: /portal/tokens/{token}    # else the route's; {name} is filled in: see Cast, and `with`
      who: anonymous                   # see Cast
      given: [update …]               # SQL, before
      first: [{route: …, fields: …}]  # requests, before, by the same visitor; `times` many, `with`
                                      # what is known by then
      with: {token: "select …", link: mail reset, code: element secret}
                                      # after these: a row's first value; the last part of the link
                                      # in the newest email of this template to {email}; the text of
                                      # an element of the last page, by its id
      form: /portal/security          # the page whose form is sent, else that of the path; with its
                                      # hidden fields
      fields: {email: nonsense}       # a list for several values, null for none
      headers: {Origin: null}         # of the request
      status: 400
      to: /portal?done=x              # Location of a 303
      words: [Enter an …]             # the page contains each; no_words: it does not
      head: {content-type: text/csv}  # headers, "~ regex" too
      rows: {mail: 1, token where account_id = '{account}': 0}   # new rows of a table afterwards
      mail: reset                     # an email from this template arrives at {email}
"""

import re
import uuid
from urllib.parse import urlsplit

from kit.check import check_value
from kit.portal.mailbox import Mailbox
from kit.portal.member import PASSWORD, Member, fresh_email
from kit.portal.orders import STATES, Orders
from kit.portal.page import Page
from kit.portal.visitor import Visitor
from kit.site import ROOT
from part import wait_for

BILLING = {"company": "Acme GmbH", "line1": "Weg 1", "postal_code": "10115", "city": "Berlin", "country": "DE",
           "tax_type": "eu_vat", "tax_id": "DE123456789", "reference": "PO 7"}
INVOICE_S = 30
LETTER_S = 150  # a portal that is killed keeps the lease of an email for two minutes

KEYS = {"title", "route", "path", "who", "given", "first", "with", "form", "fields", "headers", "status", "to", "words",
        "no_words", "head", "rows", "mail"}
MAILS = ROOT / "portal" / "mails" / "text"
HOLE = re.compile(r"\{(\w+)\}")


class Cast:
    """The people of the tables. `member` and `other` are made once and must not change."""

    def __init__(self, site, ledger):
        self.site = site
        self.ledger = ledger
        self.mailbox = Mailbox(site.mail_directory)
        self._shared = {}

    def letter(self, email, template):
        """The newest email from a template to an address, once there is one; `about` distinguishes
        several."""
        about = (MAILS / f"{template}.txt").read_text().splitlines()[0].split("{{")[0].strip()
        return self.mailbox.wait(email, about, seconds=LETTER_S)[-1]

    def play(self, who):
        """(visitor, what is known about them by name)"""
        return getattr(self, "_" + who.replace("-", "_"))()

    def known(self, member=None, visitor=None):
        names = {"new_email": fresh_email("new"), "uuid": str(uuid.uuid4()), "base_url": self.site.base_url,
                 "host": urlsplit(self.site.base_url).netloc, "good_password": "seven umbrellas in a yellow field"}
        if member is not None:
            names |= {"account": member.account, "member": member.id, "email": member.email, "password": member.password,
                      "name": member.name, "session": self._session(member)}
            if member.secret is not None:
                names["code"] = member.code()
        else:
            names |= {"email": names["new_email"], "password": PASSWORD}
        return names

    def _session(self, member):
        rows = self.ledger.rows("select session_id from session where member_id = %s order by created_at desc limit 1",
                                member.id)
        return rows[0][0] if rows else ""

    def _anonymous(self):
        return Visitor(self.site), self.known() | self._others()

    def _member(self):
        member, visitor = self._one("member")
        return visitor, self.known(member) | self._others()

    def _other(self):
        member, visitor = self._one("other")
        return visitor, self.known(member)

    def _guest(self):
        """Has an account, and is not signed in."""
        member = Member(self.site)
        return Visitor(self.site), self.known(member) | self._others()

    def _fresh(self):
        member = Member(self.site)
        return member.sign_in(), self.known(member) | self._others()

    def _stale(self):
        visitor, names = self._fresh()
        self.ledger.rows("update session set confirmed_at = now() - interval '1 hour' where member_id = %s",
                         names["member"])
        return visitor, names

    def _suspended(self):
        visitor, names = self._fresh()
        self.site.tollctl("account", "suspend", names["account"])
        return visitor, names

    def _leaving(self):
        """Asked for the deletion of the account, which is due on {day}."""
        visitor, names = self._fresh()
        [(day,)] = self.ledger.rows("update account set delete_at = now() + interval '14 days' where account_id = %s"
                                    " returning utc_day(delete_at)::text", names["account"])
        return visitor, names | {"day": day}

    def _buyer(self):
        """Has an order in each state, {order_open}, {order_paid} …, of a processor that nothing
        contacts here. {order_refunded} had a partial refund, {order_disputed} a clawback of more
        than the balance."""
        if "buyer" not in self._shared:
            member = Member(self.site, credits=3)
            orders = Orders(self.site, member.account, member.id)
            made = {f"order_{state}": orders.make(state) for state in STATES}
            made |= {"order_refunded": orders.make("paid", pack=3, refunded=250),
                     "order_disputed": orders.make("paid", pack=1)}
            orders.spend(left=10)
            orders.tell(made["order_disputed"], "paid", disputed=500)
            self._shared["buyer"] = member, member.sign_in(), made
        member, visitor, made = self._shared["buyer"]
        return visitor, self.known(member) | made | self._others()

    def _invoiced(self):
        """Has billing details, and the numbered {invoice} of order {number} and {note} of another
        one; their ids are {invoice_id} and {note_id}."""
        if "invoiced" not in self._shared:
            self._shared["invoiced"] = self._make_invoiced()
        member, visitor, made = self._shared["invoiced"]
        return visitor, self.known(member) | made | self._others()

    def _fresh_invoiced(self):
        member, visitor, made = self._make_invoiced()
        return visitor, self.known(member) | made

    def _make_invoiced(self):
        member = Member(self.site)
        visitor = member.sign_in()
        visitor.submit(visitor.get("/portal/billing").form("/portal/billing"), **BILLING)
        orders = Orders(self.site, member.account, member.id)
        first, second = orders.make("paid"), orders.make("paid", pack=3, refunded=250)
        rows = wait_for(lambda: self._numbered(member, 3), INVOICE_S, "numbers of invoices")
        made = {"order_paid": first, "year": rows[0][2][:4], "number": orders.row(first, "number")}
        for name, order, step in (("invoice", first, 0), ("note", second, 1)):
            [[made[f"{name}_id"], made[name]]] = [row[3:] for row in rows if row[:2] == (order, step)]
        return member, visitor, made

    def _numbered(self, member, count):
        rows = self.ledger.rows("select order_id::text, step, issued_at::text, invoice_id::text, name from invoice"
                                " where account_id = %s and name is not null order by place", member.account)
        return rows if len(rows) == count else None

    def _two_factor(self):
        member = Member(self.site)
        visitor = member.sign_in()
        codes = member.turn_on_two_factor(visitor)
        return visitor, self.known(member) | {"recovery": codes[0], "recovery2": codes[1]} | self._others()

    def _half(self):
        member = Member(self.site)
        codes = member.turn_on_two_factor(member.sign_in())
        visitor = Visitor(self.site)
        member.give_password(visitor)
        return visitor, self.known(member) | {"recovery": codes[0], "recovery2": codes[1]} | self._others()

    def _one(self, name):
        if name not in self._shared:
            member = Member(self.site, credits=100)
            self._shared[name] = member, member.sign_in()
        return self._shared[name]

    def _others(self):
        member, _ = self._one("other")
        return {"other_account": member.account, "other_member": member.id, "other_email": member.email,
                "other_session": self._session(member)}


class Scene:
    """Runs a row."""

    def __init__(self, cast, row):
        assert row.keys() <= KEYS, f"unknown keys {sorted(row.keys() - KEYS)}"
        self.cast = cast
        self.row = row
        self.visitor, self.names = cast.play(row.get("who", "anonymous"))
        self.last = None

    def play(self):
        """The response, which must match the row, and so must its writes and emails."""
        for statement in self.row.get("given", []):
            self.cast.ledger.rows(self._fill(statement))
        for step in self.row.get("first", []):
            self._learn(step)
            for _ in range(step.get("times", 1)):
                self.last = self._request(step)
                assert self.last.status_code == step.get("status", self.last.status_code), self.last
        self._learn(self.row)
        counted = {self._fill(table): more for table, more in self.row.get("rows", {}).items()}
        before = {table: self._count(table) for table in counted}
        self.last = self._request(self.row)
        self._check(self.last)
        for table, more in counted.items():
            assert self._count(table) - before[table] == more, f"rows of {table}: {self._count(table) - before[table]}"
        if "mail" in self.row:
            self.cast.letter(self.names["email"], self.row["mail"])
        return self.last

    def _learn(self, step):
        for name, source in step.get("with", {}).items():
            self.names[name] = self._look_up(source)

    def _fill(self, value):
        if isinstance(value, list):
            return [self._fill(item) for item in value]
        if not isinstance(value, str):
            return value
        return HOLE.sub(lambda hole: str(self.names.get(hole[1], hole[0])), value)

    def _look_up(self, source):
        source = self._fill(source)
        if source.startswith("mail "):
            return self.cast.letter(self.names["email"], source[5:]).link.rsplit("/", 1)[1]
        if source.startswith("element "):
            return self.last.element(source[8:]).text
        return self.cast.ledger.rows(source)[0][0]

    def _count(self, table):
        return self.cast.ledger.rows(f"select count(*) from {table}")[0][0]

    # -- the request --

    def _request(self, step):
        method, pattern = step["route"].split()
        path = self._fill(step.get("path", pattern))
        shape = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(pattern))
        assert re.fullmatch(shape, path.split("?")[0]), f"{path} is not of the route {pattern}"
        headers = {name: self._fill(value) for name, value in step.get("headers", {}).items()}
        if method == "GET":
            return self.visitor.get(path, headers, follow=False)
        typed = {name: self._fill(value) for name, value in step.get("fields", {}).items()}
        kept = [(name, value) for name, value in self._prefilled(step, path) if name not in typed]
        return self.visitor.post(path, kept + [(name, item) for name, value in typed.items() if value is not None
                                               for item in (value if isinstance(value, list) else [value])],
                                 headers, follow=False)

    def _prefilled(self, step, path):
        """What the page's form would send; for a path without a form, the CSRF token of any page's
        form."""
        if path.startswith(("/hooks/", "/oauth/token", "/oauth/revoke", "/oauth/register")):
            return []
        action = urlsplit(path).path
        page = self.visitor.get(self._fill(step.get("form", path)), follow=False)
        if isinstance(page, Page):
            for form in page.forms:
                if urlsplit(form.action).path == action and form.method == "POST":
                    return form.sent()
        assert "form" not in step, f"{step['form']} has no form for {action}"
        for page in (page, self.visitor.get("/portal/forgot")):
            for form in page.forms if isinstance(page, Page) else []:
                if "csrf" in form.names:
                    return [(name, value) for name, value in form.sent() if name == "csrf"]
        return []

    # -- the response --

    def _check(self, answer):
        assert answer.status_code == self.row["status"], answer
        if "to" in self.row:
            assert answer.headers["Location"] == self._fill(self.row["to"]), answer.headers["Location"]
        text = answer.text if isinstance(answer, Page) else answer.body.decode(errors="replace")
        for words in listed(self.row.get("words")):
            assert self._fill(words) in text, f"{self._fill(words)!r} is not in {text!r}"
        for words in listed(self.row.get("no_words")):
            assert self._fill(words) not in text, f"{self._fill(words)!r} is in {text!r}"
        for name, want in self.row.get("head", {}).items():
            check_value(answer.headers[name], self._fill(want), name)


def listed(value):
    return [] if value is None else value if isinstance(value, list) else [value]


