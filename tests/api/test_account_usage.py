"""GET …/account/usage: what an account used, by day, tool, token and entry, exact and free; invalid
queries; access."""

import datetime

import psycopg2
import pytest

from kit.contracts import CONTRACTS
from kit.database.ledger import chained
from kit.site import Account
from part import wait_for

TEST_S = 60  # a test's calls and its questions are on one day


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def day(offset):
    return (now().date() + datetime.timedelta(days=offset)).isoformat()


@pytest.fixture(autouse=True)
def one_day():
    """No test begins in the last minute of a day."""
    end = now() + datetime.timedelta(seconds=TEST_S)
    wait_for(lambda: now().date() == end.date(), 2 * TEST_S, "the next day")


def usage(api, account, query=""):
    answer = api.read(account, f"account/usage{query}")
    assert answer.status_code == 200, answer
    return answer.result


@pytest.fixture
def calls(site, api, account):
    """Three calls of two tools by two tokens; one that failed."""
    made = site.tollctl("token", "create", account.id, "--json")
    other = Account(account.id, made["token"], made["token_id"])
    for caller, tool, request in [(account, "hash-generate", {"input": "a"}), (other, "hash-generate", {"input": "a"}),
                                  (account, "email-spam-check", {"subject": "Hello", "body": "Good morning"}),
                                  (account, "hash-generate", {})]:
        api.call(caller, tool, request)
    return [account, other]


def test_by_day(api, account, calls):
    result = usage(api, account, "?group_by=day")
    assert (result["from"], result["to"], result["group_by"]) == (day(-29), day(1), "day")
    assert result["groups"] == [{"key": day(0), "calls": 3, "credits": 2 + CONTRACTS["email-spam-check"]["credits"]}]


def test_by_tool_and_token(api, account, calls):
    spam = CONTRACTS["email-spam-check"]["credits"]
    assert usage(api, account, "?group_by=tool")["groups"] == [
        {"key": "email-spam-check", "calls": 1, "credits": spam}, {"key": "hash-generate", "calls": 2, "credits": 2}]
    assert usage(api, account, "?group_by=token")["groups"] == [
        {"key": calls[0].token_id, "calls": 2, "credits": 1 + spam}, {"key": calls[1].token_id, "calls": 1, "credits": 1}]


def test_days_that_are_asked_for(api, account, calls):
    assert usage(api, account, f"?group_by=day&from={day(-1)}&to={day(0)}")["groups"] == []
    assert usage(api, account, f"?group_by=day&from={day(0)}&to={day(1)}")["groups"][0]["calls"] == 3
    assert usage(api, account, f"?group_by=day&from={day(-91)}")["groups"] != []


def test_no_calls(api, account):
    assert usage(api, account, "?group_by=token")["groups"] == []


def test_it_is_free_and_counts(api, account, ledger):
    answer = api.read(account, "account/usage")
    assert answer.headers["X-Credits-Charged"] == "0" and answer.headers["X-RateLimit-Limit"] == "60"
    assert ledger.charged(account) == 0 and ledger.calls_in_ring(account) == 1


def test_sums_of_one_tool_or_token(api, account, calls):
    assert usage(api, account, "?group_by=day&tool=hash-generate")["groups"] == [
        {"key": day(0), "calls": 2, "credits": 2}]
    assert usage(api, account, f"?group_by=tool&token={calls[1].token_id}")["groups"] == [
        {"key": "hash-generate", "calls": 1, "credits": 1}]


# -- entries --


def test_entries(api, account, ledger, calls):
    """The newest first, each as in the ledger."""
    result = usage(api, account)
    assert set(result) == {"entries", "next_cursor"} and result["next_cursor"] is None
    assert [(entry["seq"], entry["kind"], entry["tool"], entry["credits"], entry["token_id"])
            for entry in result["entries"]] == [
        (4, "usage", "email-spam-check", -CONTRACTS["email-spam-check"]["credits"], calls[0].token_id),
        (3, "usage", "hash-generate", -1, calls[1].token_id),
        (2, "usage", "hash-generate", -1, calls[0].token_id),
        (1, "signup_grant", None, 100, None)]
    balances = [entry["balance_after"] for entry in result["entries"]]
    assert balances == [95, 98, 99, 100] and ledger.charged(account) == 5
    assert all(entry["at"].startswith(day(0)) and len(entry["reference"]) == 36 for entry in result["entries"])


@pytest.mark.parametrize("query, want", [
    ("?kind=usage", [4, 3, 2]), ("?kind=signup_grant", [1]), ("?kind=refund", []), ("?tool=hash-generate", [3, 2]),
    ("?tool=hash-generate&kind=signup_grant", []), ("?token={other}", [3]), ("?to={today}", []),
    ("?from={today}", [4, 3, 2, 1]), ("?from={today}T00:00:00Z&to={tomorrow}T00%3A00%3A00%2B00:00", [4, 3, 2, 1]),
    ("?from={tomorrow}&to={later}", []), ("?limit=2&kind=usage", [4, 3])])
def test_parts_of_them(api, account, calls, query, want):
    query = query.format(other=calls[1].token_id, today=day(0), tomorrow=day(1), later=day(2))
    assert [entry["seq"] for entry in usage(api, account, query)["entries"]] == want


def test_pages(api, account, calls):
    """Page after page, each entry once, while calls continue."""
    seen, cursor = [], ""
    for _ in range(4):
        page = usage(api, account, f"?limit=1{cursor}")
        seen += [entry["seq"] for entry in page["entries"]]
        api.call(account, "hash-generate", {"input": "b"})
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [4, 3, 2, 1] and page["next_cursor"] is None


@pytest.fixture
def years(site, account):
    """12,000 more calls of an account, 100 a day up to yesterday, including those of one token; the
    days are counted."""
    connection = site.connect()
    cursor = connection.cursor()
    cursor.execute(chained("""
        select %(account)s::uuid as account_id, n as seq, case n when 1 then 1 else 3 end as kind,
               case n when 1 then 13000 else -1 end as amount, 13001 - n as balance_after,
               gen_random_uuid() as reference, case when n > 1 then (
                   select tool_id from tool
                    where name = case when n %% 4000 = 0 then 'qr-generate' else 'hash-generate' end) end as tool_id,
               case when n > 1 then %(token)s::uuid end as token_id,
               (now() at time zone 'UTC')::date::timestamp at time zone 'UTC' - interval '120 days'
               + (n - 1) / 100 * interval '1 day' + (n - 1) %% 100 * interval '1 minute' as at
          from generate_series(1, 12000) n"""), {"account": account.id, "token": account.token_id})
    cursor.execute("update account_balance b set posted = 1001, granted = 13000, used = 11999, seq = 12000, head = e.hash"
                   "  from ledger_entry e where b.account_id = %s and e.account_id = b.account_id and e.seq = 12000",
                   (account.id,))
    cursor.execute("select usage_roll_up(%s, 20000)", (account.id,))
    connection.close()


@pytest.fixture
def account(request, site):
    """Without an entry, for tests that add their own."""
    return site.open_account(0 if "years" in request.fixturenames else 100)


def test_a_day_long_ago_is_one_page(api, account, years):
    """The sums of the surrounding days locate its entries, without a search."""
    result = usage(api, account, f"?from={day(-60)}&to={day(-59)}&limit=200")
    assert [entry["seq"] for entry in result["entries"]] == list(range(6100, 6000, -1))
    assert result["next_cursor"] is None


def test_a_page_reads_a_limited_number(api, account, years):
    """Rare entries take several pages, some of them empty, and are found."""
    pages, cursor, found = 0, "", []
    while pages == 0 or cursor:
        page = usage(api, account, f"?tool=qr-generate&from={day(-91)}{cursor}")
        found += [entry["seq"] for entry in page["entries"]]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        pages += 1
    assert found == [12000, 8000, 4000] and pages == 2


def test_another_accounts(site, api, account, calls):
    """A cursor is the number of one of the account's entries."""
    other = site.open_account(7)
    entries = usage(api, other, "?cursor=4")["entries"]
    assert [(entry["seq"], entry["credits"]) for entry in entries] == [(1, 7)]


def test_a_gateway_reads_of_no_account_without_one_of_its_tokens(site, account):
    """What the database lets a gateway's role read, even if the gateway is compromised."""
    connection = psycopg2.connect(site.database, user="tollgate_gateway")
    cursor = connection.cursor()
    outsider = b"\x00" * 32
    with site.connect() as owner, owner.cursor() as as_owner:
        as_owner.execute("select plan_write('told', '{\"global_per_minute\": 9}'), plan_assign(%s, 'told')", [account.id])
    cursor.execute("select name from account_plan(%s, sha256(%s))", (account.id, account.token.encode()))
    assert cursor.fetchall() == [("told",)]
    for statement in ("select * from usage_entries(%s, %s, 1, 9, '-infinity', 'infinity', null, null, null, 9)",
                      "select * from usage_span(%s, %s, '2026-01-01', '2026-12-31') where last_seq is not null",
                      "select * from usage_windows(%s, %s)", "select * from account_plan(%s, %s)",
                      "select from token_check(array[%s]::uuid[], array[%s]::bytea[]) where plan_name is not null"):
        cursor.execute(statement, (account.id, outsider))
        assert cursor.fetchall() == []
    connection.close()


@pytest.mark.parametrize("query", [
    "?group=day", "?limit=0", "?limit=201", "?limit=1&limit=1", "?cursor=0", "?cursor=x", "?kind=gift", "?tool=none",
    "?tool=", "?token=1", "?group_by=day&limit=5", "?group_by=day&cursor=5", "?group_by=tool&kind=usage",
    f"?group_by=day&from={day(0)}T01:00Z", f"?from={day(0)}T01:00", "?tool=%zz", f"?to={day(0)}%00",
    "?group_by=hour", "?group_by=", "?group_by=day&group_by=day", "?from=yesterday", "?from=2026-13-01",
    "?to=", f"?from={day(0)}&to={day(0)}", f"?from={day(1)}&to={day(0)}", f"?from={day(-92)}",
    "?from=1969-12-31&to=1970-01-02", "?token=tg_live_abc"])
def test_bad_queries(api, account, ledger, query):
    answer = api.read(account, f"account/usage{query}")
    assert (answer.status_code, answer.codes) == (400, ["invalid_query"]), answer
    assert ledger.calls_in_ring(account) == 0


def test_access(site, api, account):
    outsider = Account(account.id, site.open_account().token, "")
    assert api.read(outsider, "account/usage").codes == ["auth_invalid"]
    assert api.read(outsider, "account/usage?group_by=x").codes == ["auth_invalid"]
    for scope, status in (("utils", 403), ("account", 200)):
        made = site.tollctl("token", "create", account.id, "--scope", scope, "--json")
        answer = api.read(Account(account.id, made["token"], ""), "account/usage")
        assert answer.status_code == status, answer
