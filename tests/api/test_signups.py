"""tests/api/test_signups.py - the credits of a new account: the budgets of sign-up grants
(gateway/sql/006-members.sql)."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest

from kit.database.orders import PACKS, Portal, paid
from kit.database.scratch import cluster, db, empty, migrated, new_database  # noqa: F401 - fixtures

PORTAL = "tollgate_portal"
DAY_MS = 86400000


class SignUps:
    """A database whose clock the test moves; mailboxes and networks are given, or unique."""

    def __init__(self, db):
        self.db, self.shift_ms, self.number = db, 0, 0

    def sql(self, statement, *values, role=PORTAL):
        return self.db.sql(f"set tollgate.clock_shift_ms = {self.shift_ms}; " + statement, *values, role=role)

    def policy(self, **options):
        self.db.ask("signup", "set", *(word for name, value in options.items()
                                       for word in ("--" + name.replace("_", "-"), value)))

    def link(self, email=None, keys=()):
        """keys None: nothing was looked up."""
        self.number += 1
        link, email = str(uuid.uuid4()), email or f"a@domain{self.number}.example"
        self.sql("select link_sign_up(%s, %s, %s, %s)", link, str(uuid.uuid4()), email, email)
        if keys is not None:
            self.sql("select link_budgets(%s, %s::text[])", link, list(keys))
        return link

    def open(self, email=None, keys=(), network=None, link=None):
        """(outcome, account)"""
        link = link or self.link(email, keys)
        [(outcome,)] = self.sql("select member_open(%s, %s, %s, 'Ada', 'hash', %s)", link, link, str(uuid.uuid4()),
                                network or f"10.{self.number // 256}.{self.number % 256}.0/24")
        return outcome, link

    def outcomes(self, count, **options):
        return [self.open(**options)[0] for _ in range(count)]


@pytest.fixture
def signups(db):
    return SignUps(db)


def test_a_mail_host_has_a_budget(signups):
    """Whatever their domains and networks; a rejected sign-up gets no grant."""
    assert signups.outcomes(10, keys=["host farm.example"]) == ["done"] * 9 + ["withheld"]
    assert signups.outcomes(1, keys=["domain a.example", "host farm.example"]) == ["withheld"]
    assert signups.outcomes(10, keys=["domain a.example"]) == ["done"] * 9 + ["withheld"]
    assert signups.outcomes(10, keys=["address 192.0.2.0/24"]) == ["done"] * 9 + ["withheld"]
    signups.shift_ms = DAY_MS
    assert signups.outcomes(10, keys=["host farm.example"]) == ["done"] * 9 + ["withheld"]


def test_a_network_has_a_budget(signups):
    assert signups.outcomes(11, network="192.0.2.0/24") == ["done"] * 10 + ["withheld"]
    assert signups.outcomes(11, network="2001:db8:1::/48") == ["done"] * 10 + ["withheld"]


def test_there_is_a_budget_in_all(signups):
    signups.policy(in_all=3)
    assert signups.outcomes(4) == ["done"] * 3 + ["withheld"]


def test_unresolved_mail_hosts_count_by_domain(signups):
    assert [signups.open(f"u{n}@one.example", keys=None)[0] for n in range(10)] == ["done"] * 9 + ["withheld"]


def test_an_account_beyond_the_budget_opens_without(signups):
    signups.policy(mail_host=0)
    outcome, account = signups.open(keys=["domain a.example"])
    assert outcome == "withheld"
    assert signups.db.standing(account) == (0, 0, 0, 0, 0)
    assert signups.db.ask("account", "show", account)["withheld"] == 100
    signups.db.ask("verify")


def buy(signups, account, **facts):
    """The account buys the smallest pack; facts: changes to its payment."""
    with Portal(signups.db) as portal:
        order = portal.order(account, pack=1)
        assert portal.read(account, order, paid(order, price=PACKS[1][1], **facts)) == "paid"


def test_the_first_purchase_releases_the_grant_once(signups):
    signups.policy(mail_host=0)
    _, account = signups.open(keys=["domain a.example"])
    buy(signups, account)
    assert signups.db.standing(account) == (350, 0, 100, 250, 0)
    buy(signups, account)
    assert signups.db.standing(account) == (600, 0, 100, 500, 0)
    assert signups.db.ask("account", "show", account)["withheld"] == 0
    signups.db.ask("verify")


@pytest.mark.parametrize("facts", [{"refunded": 500}, {"disputed": 500}, {"refunded": 1}])
def test_a_refunded_purchase_releases_no_grant(signups, facts):
    signups.policy(mail_host=0)
    _, account = signups.open(keys=["domain a.example"])
    buy(signups, account, **facts)
    assert signups.db.ask("account", "show", account)["withheld"] == 100
    assert signups.db.ask("account", "show", account)["granted"] == 0
    signups.db.ask("verify")


def test_the_operator_gives_a_grant_that_was_withheld(signups):
    signups.policy(mail_host=0)
    _, account = signups.open(keys=["domain a.example"])
    answers = [signups.db.ask("signup", "grant", account) for _ in range(2)]
    assert [(answer["credits"], answer["changed"]) for answer in answers] == [(100, True), (0, False)]
    assert signups.db.standing(account) == (100, 0, 100, 0, 0)
    assert [row[1:] for row in signups.db.audit() if row[1] == "signup grant"] == [
        ("signup grant", account, "100 credits")]
    assert "unknown account" in signups.db.refuse(1, "signup", "grant", str(uuid.uuid4()))


def test_concurrent_sign_ups_share_a_budget(signups):
    links = [signups.link(keys=["host farm.example"]) for _ in range(24)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = [outcome for outcome, _ in pool.map(lambda link: signups.open(link=link), links)]
    assert sorted(outcomes) == ["done"] * 9 + ["withheld"] * 15
    assert signups.db.sql("select sum(granted) from account_balance") == [(900,)]


def test_the_policy_is_the_operators(signups):
    assert signups.db.ask("signup", "show") == {"credits": 100, "mail_host": 9, "network": 10, "in_all": 2000,
                                                "today": []}
    signups.policy(credits=7, network=2)
    shown = signups.db.ask("signup", "show")
    assert (shown["credits"], shown["mail_host"], shown["network"]) == (7, 9, 2)
    assert signups.db.ask("account", "create", "a")["credits"] == 7
    _, account = signups.open(keys=["host farm.example"])
    assert signups.db.standing(account)[0] == 7
    assert {row["key"]: row["grants"] for row in signups.db.ask("signup", "show")["today"]}["host farm.example"] == 1
    for role in (PORTAL, "tollgate_gateway"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            signups.db.sql("update signup_policy set in_all = 1000000", role=role)
    assert signups.db.sql("select signup_credits()", role="tollgate_gateway") == [(7,)]


def test_budgets_of_last_week_go(signups):
    signups.open()
    signups.shift_ms = 9 * DAY_MS
    signups.sql("select portal_prune(1000)")
    assert signups.db.sql("select count(*) from signup_budget") == [(0,)]


def test_a_mail_waits_until_its_hosts_are_known(signups):
    link = signups.link(keys=None)
    state = "select state, attempts from mail where link_id = %s"
    assert signups.sql(state, link) == [(0, 0)]
    signups.sql("select link_budgets(%s, '{}')", link)
    assert signups.sql(state, link) == [(1, 0)]


def test_a_members_mail_waits_for_nothing(signups):
    """A sign-up with a member's address sends an email to that address that says so."""
    signups.open("ada@one.example")
    link = signups.link("ada@one.example", keys=None)
    assert signups.sql("select state, template, recipient from mail where link_id = %s", link) == [
        (1, "already", "ada@one.example")]
