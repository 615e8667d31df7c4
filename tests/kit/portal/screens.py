"""tests/kit/portal/screens.py - every page of the portal and every state of its forms, as a list of
the steps to reach them."""

import dataclasses
from urllib.parse import urlsplit

from kit.contracts import CONTRACTS
from kit.database.margins import MARGINS
from kit.apps.app import App
from kit.portal.mailbox import Mailbox
from kit.portal.member import PASSWORD, Member, fresh_email
from kit.portal.orders import STATES, Orders
from kit.portal.table import BILLING
from kit.portal.visitor import Visitor
from kit.site import ROOT
from part import wait_for


class Actors:
    """Signed-in people, made once each: member has tokens and calls, new has nothing, two-factor
    has it on."""

    def __init__(self, site):
        self.site = site
        self._known = {}

    def visitor(self, who):
        """(member, visitor); (None, a fresh visitor) for an anonymous one"""
        if who == "anonymous":
            return None, Visitor(self.site)
        if who not in self._known:
            self._known[who] = getattr(self, f"_{who.replace('-', '_')}")()
        return self._known[who]

    def _new(self):
        member = Member(self.site, name="Nora Fields")
        return member, member.sign_in()

    def _member(self):
        member = Member(self.site, credits=1500)
        visitor = member.sign_in()
        token = self.site.tollctl("token", "create", member.account, "--name", "laptop", "--json")["token"]
        call_some_tools(self.site, member.account, token)
        return member, visitor

    def _connected(self):
        """Has a connected app. {https}, {loopback}, {cursor}: another app asks, by its redirect;
        {wrong}: a request that is not valid."""
        member = Member(self.site, credits=100)
        visitor = member.sign_in()
        first = App(self.site, name="An editor")
        first.finish(visitor, first.consent_page(visitor))
        apps = {kind: App(self.site, redirect=redirect, name=f"An app, {kind}") for kind, redirect in REDIRECTS.items()}
        member.asked = {kind: app.authorize_url() for kind, app in apps.items()} | {
            "update": first.authorize_url(), "wrong": first.authorize_url(response_type="token")}
        return member, visitor

    def _jane(self):
        """The member of the docs' screenshots: tokens, calls of today, and earlier days with sums
        only."""
        member = Member(self.site, credits=1500, email="jane@example.com")
        visitor = member.sign_in()
        for name in ("nightly report", "ci", "laptop"):
            token = self.site.tollctl("token", "create", member.account, "--name", name, "--json")["token"]
            call_some_tools(self.site, member.account, token)
        with self.site.connect() as connection, connection.cursor() as cursor:
            cursor.execute(PAST_DAYS, (list(CONTRACTS), member.account))
        return member, visitor

    def _buyer(self):
        """Has an order in each state; one of them owes credits."""
        member = Member(self.site, credits=3)
        orders = Orders(self.site, member.account, member.id)
        disputed = orders.make("paid", pack=1)
        refunded = orders.make("paid", pack=3, refunded=250)
        member.orders = {state: orders.make(state) for state in STATES} | {"refunded": refunded}
        orders.spend(left=10)
        orders.tell(disputed, "paid", disputed=500)
        return member, member.sign_in()

    def _invoiced(self):
        """Has billing details, an address that gets invoices, and the numbered {invoice} and
        {note}; {link} leads to the page that confirms another address."""
        return self._billed(BILLING)

    def _verbose(self):
        """The same with the longest details that the form accepts, without a place to break."""
        return self._billed(LONGEST)

    def _billed(self, details):
        member = Member(self.site, credits=100)
        visitor = member.sign_in()
        visitor.submit(visitor.get("/portal/billing").form("/portal/billing"), **details)
        for name in ("asked", "books"):
            address = fresh_email(name)
            visitor.submit(visitor.get("/portal/billing").form("/portal/billing/emails"), email=address)
        letter = Mailbox(self.site.mail_directory).wait(address, "Confirm this address", seconds=60)[-1]
        orders = Orders(self.site, member.account, member.id)
        member.orders = {"paid": orders.make("paid", pack=3, refunded=250), "link": urlsplit(letter.link).path}
        rows = wait_for(lambda: numbered(orders), 60, "numbers of invoices")
        member.orders |= {"invoice": rows[0], "note": rows[1]}
        return member, visitor

    def _planned(self):
        """Has a plan, which the price list shows."""
        self.site.tollctl("plan", "apply", ROOT / "examples" / "plans.yaml")
        member, visitor = self._new()
        self.site.tollctl("account", "plan", member.account, "business", "--note", "screens")
        return member, visitor

    def _john(self):
        """The member of the docs' screenshots who buys credits."""
        member = Member(self.site, credits=100, email="john@example.com")
        orders = Orders(self.site, member.account, member.id)
        orders.make("paid", pack=1)
        orders.make("cancelled", pack=3)
        orders.make("paid", refunded=250)
        orders.make("open", pack=3)
        orders.spend(left=1482)
        return member, member.sign_in()

    def _hoarder(self):
        """Has the maximum number of orders that wait for payment."""
        member = Member(self.site)
        orders = Orders(self.site, member.account, member.id)
        for _ in range(10):
            orders.make("new")
        return member, member.sign_in()

    def _viewer(self):
        member = Member(self.site, credits=100)
        return member, member.sign_in()

    def _poor(self):
        member = Member(self.site, credits=3)
        return member, member.sign_in()

    def _leaving(self):
        """Asked for deletion; the sign-up grant was withheld."""
        member = Member(self.site, credits=0)
        with self.site.connect() as connection, connection.cursor() as cursor:
            cursor.execute("update account set withheld = 100, delete_at = now() + interval '14 days'"
                           " where account_id = %s", (member.account,))
        return member, member.sign_in()

    def _suspended(self):
        member = Member(self.site)
        visitor = member.sign_in()
        self.site.tollctl("account", "suspend", member.account)
        return member, visitor

    def _stale(self):
        """The password was confirmed long ago."""
        member = Member(self.site)
        visitor = member.sign_in()
        with self.site.connect() as connection, connection.cursor() as cursor:
            cursor.execute("update session set confirmed_at = now() - interval '1 hour' where member_id = %s",
                           (member.id,))
        return member, visitor

    def _half(self):
        """The password was accepted, the code is missing."""
        member, _ = self._two_factor()
        visitor = Visitor(self.site)
        member.give_password(visitor)
        return member, visitor

    def _two_factor(self):
        member = Member(self.site)
        visitor = member.sign_in()
        member.turn_on_two_factor(visitor)
        return member, visitor


def call_some_tools(site, account, token):
    """The content of a dashboard: charged and rejected calls of several tools."""
    from kit.client import Client
    from kit.site import Account
    client, account = Client(site), Account(account, token, "")
    for tool, request in (("hash-generate", {"input": "hello"}), ("hash-generate", {"input": "world"}),
                          ("jwt-decode", {"token": "x"}), ("token-counter", {"text": "How many tokens is this?"}),
                          ("cron-explain", {"expression": "*/5 * * * *"})):
        client.call(account, tool, request)


def numbered(orders):
    """Ids of an account's invoice and credit note, once both have a number."""
    rows = orders.sql("select invoice_id::text from invoice where account_id = %s and name is not null order by place",
                      orders.account)
    return [ident for ident, in rows] if len(rows) == 2 else None


LONGEST = {"company": "W" * 200, "line1": "W" * 200, "line2": "W" * 200, "postal_code": "W" * 20, "city": "W" * 100,
           "region": "W" * 100, "country": "GB", "tax_type": "other", "tax_id": "W" * 40, "reference": "W" * 60}
PAST_DAYS = """
with past as (insert into usage_day (account_id, day, tool_id, token_id, calls, credits, first_seq, last_seq)
select account_id, current_date - ago, tool_id, token_id, calls, calls * made.price, 0, 0
  from generate_series(1, 29) ago join tool on (tool_id + ago) %% 9 = 0 and ago %% 7 not in (1, 2) and name = any (%s)
  join (select *, row_number() over (order by name) as nth from token where account_id = %s) token
    on nth = 1 + tool_id %% 3,
       lateral (select 1 + (ago * 7 + tool_id * 3) %% 5 as calls,
                       case tool_group when 'ai' then 8 when 'security' then 5 when 'email' then 2 else 1 end
                       as price) made
returning *)
""" + MARGINS.format(rows="past")


@dataclasses.dataclass(frozen=True)
class Screen:
    name: str
    who: str
    path: str
    fields: dict = None   # typed into the form that has the button, which is then pressed
    button: str = None
    status: int = 200     # of the last page
    words: str = ""       # which it then shows
    is_plain: bool = False    # also opened without JavaScript
    is_printed: bool = False  # on one page

    def open(self, browser, actors):
        member, visitor = actors.visitor(self.who)
        browser.use_cookies(visitor.cookies)
        browser.open(self.path.format(**getattr(member, "orders", {}), **getattr(member, "asked", {})))
        for name, value in (self.fields or {}).items():
            browser.fill(name, member.email if value == "{email}" else value)
        if self.button:
            browser.driver.execute_script("document.querySelectorAll('form').forEach(f => f.noValidate = true)")
            browser.press(self.button)
        if self.words:
            browser.wait_for_text(self.words)
        assert browser.has("h1"), browser.text[:500]


NOBODY = "screens@people.example.com"
REDIRECTS = {"https": "https://app.example.com/back", "loopback": "http://127.0.0.1:33418/callback",
             "cursor": "cursor://anysphere.cursor-mcp/oauth/callback"}

SCREENS = [
    # anybody's
    Screen("home", "anonymous", "/"),
    Screen("pricing", "anonymous", "/pricing"),
    Screen("tools", "anonymous", "/tools"),
    Screen("tools-found", "anonymous", "/tools?q=qr+code", words="1 tool."),
    Screen("tools-none", "anonymous", "/tools?q=no+such+tool+here", words="No tool has all of these words."),
    Screen("errors", "anonymous", "/tools/errors"),
    Screen("docs", "anonymous", "/docs"),
    *(Screen(f"docs-{page}", "anonymous", f"/docs/{page}")
      for page in ("quickstart", "concepts", "errors", "idempotency", "limits", "account", "tokens", "agents", "changelog")),
    *(Screen(f"tool-{tool}", "anonymous", f"/tools/{tool}") for tool in CONTRACTS
      if tool in ("website-audit", "ai-chat", "placeholder-image", "chatplatform-embed-build")),
    Screen("not-found", "anonymous", "/portal/no-such-page", status=404),
    # not signed in
    Screen("sign-up", "anonymous", "/portal/sign-up"),
    Screen("sign-up-wrong", "anonymous", "/portal/sign-up", {"email": "nobody"}, "Send a link", 400,
           "Enter an email address like name@example.com."),
    Screen("sign-up-sent", "anonymous", "/portal/sign-up", {"email": NOBODY}, "Send a link", 200,
           "Check your email"),
    Screen("verify-used", "anonymous", "/portal/verify/AAAA", status=400),
    Screen("sign-in", "anonymous", "/portal/sign-in"),
    Screen("sign-in-wrong", "anonymous", "/portal/sign-in", {"email": NOBODY, "password": "wrong"}, "Sign in", 403,
           "The email address or the password is wrong."),
    Screen("sign-in-code", "half", "/portal/sign-in/code"),
    Screen("sign-in-code-wrong", "half", "/portal/sign-in/code", {"code": "000000"}, "Sign in", 403,
           "The code is wrong"),
    Screen("forgot", "anonymous", "/portal/forgot"),
    Screen("forgot-sent", "anonymous", "/portal/forgot", {"email": NOBODY}, "Send a link", 200,
           "If there is an account"),
    Screen("reset-used", "anonymous", "/portal/reset/AAAA", status=400),
    # a member's
    Screen("dashboard", "member", "/portal"),
    Screen("dashboard-new", "new", "/portal"),
    Screen("dashboard-poor", "poor", "/portal"),
    Screen("dashboard-suspended", "suspended", "/portal"),
    Screen("usage", "member", "/portal/usage"),
    Screen("usage-wrong", "member", "/portal/usage?from=2026-02-01&to=2026-01-01", status=400),
    Screen("requests", "member", "/portal/requests", is_plain=True),
    Screen("requests-wrong", "member", "/portal/requests?status=x", status=400, is_plain=True),
    Screen("ledger", "member", "/portal/ledger"),
    Screen("credits", "member", "/portal/credits"),
    Screen("credits-orders", "buyer", "/portal/credits"),
    Screen("credits-suspended", "suspended", "/portal/credits"),
    Screen("credits-wrong", "hoarder", "/portal/credits", {}, "Buy 250 credits", 400, "You have 10 unpaid orders"),
    Screen("order-new", "buyer", "/portal/orders/{new}"),
    Screen("order-open", "buyer", "/portal/orders/{open}"),
    Screen("order-paid", "buyer", "/portal/orders/{paid}"),
    Screen("order-refunded", "buyer", "/portal/orders/{refunded}"),
    Screen("order-failed", "buyer", "/portal/orders/{failed}"),
    Screen("order-review", "buyer", "/portal/orders/{review}"),
    Screen("receipt", "buyer", "/portal/orders/{refunded}/receipt", is_plain=True, is_printed=True),
    Screen("billing", "invoiced", "/portal/billing", is_plain=True),
    Screen("billing-wrong", "new", "/portal/billing", {"company": "Acme"}, "Save", 400, "Enter the address."),
    Screen("billing-email-wrong", "new", "/portal/billing", {"email": "nobody"}, "Send a link", 400,
           "Enter an email address like name@example.com."),
    Screen("billing-email-link", "invoiced", "{link}", is_plain=True),
    Screen("billing-email-used", "anonymous", "/portal/invoice-email/AAAA", status=400),
    Screen("invoices", "invoiced", "/portal/invoices", is_plain=True),
    Screen("invoices-none", "new", "/portal/invoices"),
    Screen("invoice", "invoiced", "/portal/invoices/{invoice}", is_plain=True, is_printed=True),
    Screen("invoice-longest", "verbose", "/portal/invoices/{invoice}", is_plain=True, is_printed=True),
    Screen("invoice-credit-note", "invoiced", "/portal/invoices/{note}", is_plain=True, is_printed=True),
    Screen("invoice-credit-note-longest", "verbose", "/portal/invoices/{note}", is_printed=True),
    Screen("plan-dashboard", "planned", "/portal", is_plain=True),
    Screen("plan-pricing", "planned", "/pricing", is_plain=True),
    Screen("plan-tool", "planned", "/tools/dns-lookup", is_plain=True),
    Screen("test-checkout", "new", "/portal/credits", {}, "Buy 250 credits", 200,
           "Choose the result of this test payment"),
    Screen("dashboard-owing", "buyer", "/portal"),
    Screen("security", "member", "/portal/security"),
    Screen("security-new", "new", "/portal/security"),
    Screen("security-suspended", "suspended", "/portal/security"),
    Screen("security-two-factor", "two-factor", "/portal/security"),
    Screen("token-wrong", "new", "/portal/security", {"name": ""}, "Create token", 400,
           "Enter a name of 1 to 60 characters."),
    Screen("token-made", "new", "/portal/security", {"name": "laptop"}, "Create token", 200, "is shown only once"),
    Screen("token-confirm", "stale", "/portal/security", {"name": "laptop"}, "Create token", 400),
    Screen("management", "member", "/portal/management-tokens"),
    Screen("management-suspended", "suspended", "/portal/management-tokens"),
    Screen("management-wrong", "new", "/portal/management-tokens", {"name": ""}, "Create management token", 400,
           "Select at least one permission."),
    Screen("connect", "member", "/portal/connect"),
    *(Screen(f"consent-{kind}", "connected", f"{{{kind}}}") for kind in (*REDIRECTS, "update")),
    Screen("consent-invalid", "connected", "{wrong}", status=400),
    Screen("consent-unknown", "connected", "/oauth/authorize?client_id=x", status=400),
    Screen("consent-wrong", "connected", "{https}", {"cap_daily": "many"}, "Connect", 400),
    Screen("apps", "connected", "/portal/security"),
    Screen("audit", "member", "/portal/audit"),
    Screen("account", "member", "/portal/account"),
    Screen("account-wrong", "member", "/portal/account", {"low_at": "many"}, "Set limit", 400,
           "Enter a whole number"),
    Screen("account-leaving", "leaving", "/portal/account"),
    Screen("account-leave", "poor", "/portal/account", {"typed_email": "{email}"}, "Delete account", 200,
           "Confirm your password"),
    Screen("dashboard-withheld", "leaving", "/portal"),
    Screen("password", "member", "/portal/password"),
    Screen("password-wrong", "member", "/portal/password", {"current": "wrong", "password": "short"},
           "Change password", 400),
    Screen("two-factor", "new", "/portal/two-factor"),
    Screen("two-factor-wrong", "new", "/portal/two-factor", {"code": "000000", "confirm_password": PASSWORD},
           "Turn on", 400, "The code is wrong."),
    Screen("two-factor-confirm", "stale", "/portal/two-factor"),
    Screen("two-factor-codes", "two-factor", "/portal/security", {}, "New recovery codes", 200,
           "Confirm your password"),
    Screen("tool-signed-in", "member", "/tools/hash-generate"),
    Screen("tool-run", "member", "/tools/hash-generate", {"v-input": "hello"}, "Run for 1 credit (1,496 left)", 200,
           "Charged 1"),
    Screen("tool-image", "viewer", "/tools/qr-generate", {"v-text": "hello"}, "Run for 1 credit (100 left)", 200,
           "Charged 1"),
    Screen("tool-table", "viewer", "/tools/hash-generate", {"v-input": "hello", "v-algorithms": "MD5\nSHA-1"},
           "Run for 1 credit (99 left)", 200, "Charged 1"),
    Screen("tool-report", "viewer", "/tools/carbon-footprint", {"v-url": "", "v-bytes": "1000000", "v-format": "html"},
           "Run for 2 credits (98 left)", 200, "Charged 2"),
    Screen("tool-run-wrong", "member", "/tools/cron-explain", {"v-expression": "nonsense"},
           "Run for 1 credit (1,495 left)"),
    Screen("tool-run-poor", "buyer", "/tools/hash-generate", {"v-input": "hello"}, "Run for 1 credit (0 left)", 200,
           "Buy credits"),
    Screen("tool-suspended", "suspended", "/tools/hash-generate"),
    # the last: Chromium asks whether to open the app, and then ignores keys and clicks
    Screen("done", "connected", "{cursor}", {}, "Connect", 200, "Continue to"),
]

# Screenshots for the docs, and their heights in pixels.
IN_DOCS = [
    (Screen("dashboard", "jane", "/portal"), 1180),
    (Screen("usage", "jane", "/portal/usage"), 900),
    (Screen("credits", "john", "/portal/credits"), 860),
    (Screen("security", "jane", "/portal/security"), 900),
    (Screen("tool", "jane", "/tools/dns-lookup"), 900),
]
