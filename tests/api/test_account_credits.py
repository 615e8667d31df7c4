"""GET …/account/credits: the balance, its sources, and what the token may spend of it."""

import datetime

import pytest

from kit.agents.host import Agent
from kit.contracts import CONTRACTS
from kit.site import Account

UNCAPPED = {"cap_daily": None, "spent_today": None, "cap_total": None, "spent_total": None}


@pytest.fixture
def make_token(site, account):
    def make(*options):
        made = site.tollctl("token", "create", account.id, *options, "--json")
        return Account(account.id, made["token"], made["token_id"])
    return make


def credits_of(api, account):
    answer = api.read(account, "account/credits")
    assert answer.status_code == 200, answer
    return answer.result


def test_the_balance(api, account, ledger):
    spam = CONTRACTS["email-spam-check"]["credits"]
    api.call(account, "email-spam-check", {"subject": "Hello", "body": "Good morning"})
    result = credits_of(api, account)
    assert {name: result[name] for name in ("credits", "held", "granted", "purchased", "used")} == {
        "credits": 100 - spam, "held": 0, "granted": 100, "purchased": 0, "used": spam}
    assert ledger.charged(account) == spam


def test_a_token_without_anything(api, make_token):
    token = credits_of(api, make_token("--name", "laptop"))["token"]
    assert token == {"name": "laptop", "scopes": [], "expires_at": None} | UNCAPPED


def test_the_owners_settings(api, make_token):
    asker = make_token("--name", "agent", "--scope", "account", "--scope", "utils", "--cap-daily", "5",
                       "--cap-total", "50", "--expires-in", "3600")
    api.call(asker, "hash-generate", {"input": "a"})
    token = credits_of(api, asker)["token"]
    expires = datetime.datetime.fromisoformat(token.pop("expires_at").replace("Z", "+00:00"))
    left = expires - datetime.datetime.now(datetime.timezone.utc)
    assert datetime.timedelta(minutes=55) < left <= datetime.timedelta(hours=1, seconds=5)
    assert token == {"name": "agent", "scopes": ["account", "utils"], "cap_daily": 5, "spent_today": 1,
                     "cap_total": 50, "spent_total": 1}


def test_a_cap_of_one_kind(api, make_token):
    asker = make_token("--cap-total", "9")
    assert credits_of(api, asker)["token"] | {"name": ""} == {
        "name": "", "scopes": [], "expires_at": None, "cap_daily": None, "spent_today": 0, "cap_total": 9,
        "spent_total": 0}


def test_a_day_that_is_over_is_not_today(site, api, make_token):
    asker = make_token("--cap-daily", "9")
    api.call(asker, "hash-generate", {"input": "a"})
    connection = site.connect()

    def move(days):
        connection.cursor().execute("update token set spent_day = spent_day + %s where token_id = %s",
                                    (days, asker.token_id))

    move(-1)
    token = credits_of(api, asker)["token"]
    move(1)  # the books are verified at the end
    connection.close()
    assert (token["spent_today"], token["spent_total"]) == (0, 1)


def test_what_an_agent_gets(api, make_token, account):
    """The caps, but not the token's name or rights; whatever its scopes."""
    asker = make_token("--scope", "email", "--cap-daily", "7")
    for who, caps in ((asker, {"cap_daily": 7, "spent_today": 0, "cap_total": None, "spent_total": 0}),
                      (account, UNCAPPED)):
        result = Agent(api, who).call("account-credits", {}).json()["result"]["structuredContent"]
        assert set(result) == {"credits", "as_of", "token"} and result["token"] == caps
