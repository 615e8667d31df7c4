"""tests/api/portal/test_usage_pages.py - pages and files with an account's calls, compared with the
ledger."""

import csv
import io
import itertools

import pytest

from kit.client import Client
from kit.portal.files import add_entries, begin_to_read
from kit.portal.member import Member
from kit.site import Account
from part import wait_for

PORTALS = 2  # of the shared stack
HELD = 300_000  # entries: a file that is larger than all buffers on the way
MANY = 60_000  # entries: a file of several megabytes; a page of the database has 5,000
HOSTILE = '<script>alert("1")</script>&\'`${7*7}'
HEAD = ["time", "request_id", "kind", "tool", "token", "credits", "balance_after", "note"]


def account_of(site, member, name):
    token = site.tollctl("token", "create", member.account, "--name", name, "--json")
    return Account(member.account, token["token"], token["token_id"])


def lines_of(answer):
    assert answer.status_code == 200, answer
    return list(csv.DictReader(io.StringIO(answer.body.decode("utf-8"), newline="")))


# -- exactness --


@pytest.fixture(scope="module")
def busy(site):
    """A member who called three tools with two tokens, had one rejection, and the responses."""
    member = Member(site)
    api = Client(site)
    users = {name: account_of(site, member, name) for name in ("ci", HOSTILE)}
    ids = []
    for name, tool, request, status in [("ci", "hash-generate", {"input": "a"}, 200),
                                        ("ci", "hash-generate", {"input": "b"}, 200),
                                        (HOSTILE, "qr-generate", {"text": "c"}, 200),
                                        ("ci", "dns-lookup", {"domain": "example.com"}, 200),
                                        ("ci", "hash-generate", {}, 400)]:
        answer = api.call(users[name], tool, request)
        assert answer.status_code == status, answer
        ids += [answer.headers["X-Request-Id"]] if status == 200 else []
    return member, member.sign_in(), ids


def test_usage_is_what_was_charged(busy, ledger):
    member, visitor, ids = busy
    page = visitor.get("/portal/usage")
    assert "8 credits for 4 calls." in page.text
    assert page.table("By tool, most") == [{"Tool": "dns-lookup", "Calls": "1", "Credits": "5"},
                                           {"Tool": "hash-generate", "Calls": "2", "Credits": "2"},
                                           {"Tool": "qr-generate", "Calls": "1", "Credits": "1"}]
    assert page.table("By token, most") == [{"Token": "ci", "Calls": "3", "Credits": "7"},
                                            {"Token": HOSTILE, "Calls": "1", "Credits": "1"}]
    [today] = page.table("Calls and credits per day")
    assert (today["Calls"], today["Credits"]) == ("4", "8")
    calls = page.table("Charged calls")
    entries = ledger.rows("select reference::text, -amount from ledger_entry where account_id = %s and kind = 3"
                          " order by seq desc", member.account)
    assert [(call["Request"], int(call["Credits"])) for call in calls] == entries
    assert sorted(call["Request"] for call in calls) == sorted(ids)


@pytest.mark.parametrize("tool, token, total", [
    ("hash-generate", None, "2 credits for 2 calls."), (None, "ci", "7 credits for 3 calls."),
    ("dns-lookup", HOSTILE, None), (None, HOSTILE, "1 credit for 1 call."), (None, "playground", None)])
def test_filters(busy, ledger, tool, token, total):
    member, visitor, _ = busy
    if token not in (None, "playground"):
        token = ledger.rows("select token_id::text from token where account_id = %s and name = %s", member.account,
                            token)[0][0]
    page = visitor.submit(visitor.get("/portal/usage").form("/portal/usage"), tool=tool or "", token=token or "")
    assert (total or "No calls on these days.") in page.text
    lines = lines_of(visitor.get("/portal/usage.csv?" + page.url.partition("?")[2]))
    assert len(lines) == (len(page.table("Charged calls")) if total else 0)


def test_a_token_is_one_however_its_id_is_written(busy, ledger):
    member, visitor, _ = busy
    [(token,)] = ledger.rows("select upper(token_id::text) from token where account_id = %s and name = 'ci'", member.account)
    assert len(lines_of(visitor.get(f"/portal/usage.csv?token={token}"))) == 3
    assert "7 credits for 3 calls." in visitor.get(f"/portal/usage?token={token}").text


def test_older_calls_are_a_list_without_the_sums(busy, ledger):
    member, visitor, ids = busy
    [(before,)] = ledger.rows("select seq from ledger_entry where account_id = %s and reference = %s",
                             member.account, ids[2])
    for filters in ("", "&tool=hash-generate"):
        page = visitor.get(f"/portal/usage?before={before}{filters}")
        assert [call["Request"] for call in page.table("Charged calls")] == [ids[1], ids[0]]
        assert "By tool" not in page.text and page.link("Newest")


def test_a_call_that_comes_while_the_page_is_open_is_on_the_next(busy, site):
    member = Member(site)
    visitor = member.sign_in()
    user = account_of(site, member, "late")
    assert "No calls on these days." in visitor.get("/portal/usage").text
    for count in (1, 2):
        assert Client(site).call(user, "hash-generate", {"input": "a"}).status_code == 200
        words = "1 credit for 1 call." if count == 1 else f"{count} credits for {count} calls."
        assert words in visitor.get("/portal/usage").text


def test_the_dashboard_has_the_last_calls(busy):
    member, visitor, ids = busy
    page = visitor.get("/portal")
    assert "92 available" in page.text and "4 calls, 8 credits" in page.text and "Most used: hash-generate" in page.text
    assert f"/v1/client/{member.account}/tools/hash-generate" in page.element("first-call").text
    rows = page.table("The newest 20 calls")
    assert [row["Request"] for row in rows] == list(reversed(ids))
    assert {row["Outcome"] for row in rows} == {"charged"}
    assert {row["Token"] for row in rows} == {"ci", HOSTILE}


def test_the_outcome_of_a_call_is_shown(site, ledger):
    """A failure that had a hold, one that expired, one that runs; a refunded call has two
    entries."""
    member = Member(site)
    states = {1: "running", 3: "failed, free", 4: "expired, free"}
    for state in states:
        ledger.rows("insert into hold (account_id, hold_id, amount, tool_id, state, created_at, expires_at)"
                    " select %s, gen_random_uuid(), 5, tool_id, %s, now(), now() + interval '1 hour'"
                    " from tool where name = 'dns-lookup'", member.account, state)
    rows = member.sign_in().get("/portal").table("The newest 20 calls")
    ledger.rows("delete from hold where account_id = %s", member.account)
    assert {(row["Outcome"], row["Credits"]) for row in rows} == \
        {("running", "5"), ("failed, free", "0"), ("expired, free", "0")}


# -- requests --


def records_of(ledger, member, count):
    return wait_for(lambda: (rows := ledger.rows("select id::text, status, coalesce(code, '') from request_log"
                                                 " where account_id = %s order by at desc, id desc", member.account))
                    and len(rows) == count and rows, 10, "the records are written")


def test_failed_calls_of_usage(busy, ledger):
    member, visitor, _ = busy
    records_of(ledger, member, 5)
    page = visitor.get("/portal/usage")
    assert page.table("Failed calls") == [{"Tool": "hash-generate", "Code": "missing_field", "Calls": "1"}]
    assert "1 call failed. Failed calls are free; only one with the code outcome_unknown may have been charged." in page.text
    assert "Failed calls" not in visitor.get("/portal/usage?tool=qr-generate").text
    assert "1 call failed" in visitor.get("/portal/usage?tool=hash-generate").text


def test_requests_are_what_the_log_has(busy, ledger):
    member, visitor, ids = busy
    rows = records_of(ledger, member, 5)
    page = visitor.get("/portal/requests")
    shown = page.table("Requests, newest first")
    assert [(row["Request"], row["Status"].split()[0]) for row in shown] == [(row[0], str(row[1])) for row in rows]
    assert sorted(row["Request"] for row in shown if row["Status"] == "200") == sorted(ids)
    assert {row["Token"] for row in shown} == {"ci", HOSTILE}
    [today] = page.table("Calls of tools by day")
    assert (today["Calls"], today["Failed"]) == ("5", "1")
    failed = visitor.submit(page.form("/portal/requests"), status="failed")
    assert [row["Status"] for row in failed.table("Requests, newest first")] == ["400 missing_field"]
    one = visitor.submit(page.form("/portal/requests"), id=ids[0])
    assert [row["Request"] for row in one.table("Requests, newest first")] == [ids[0]]
    assert visitor.submit(page.form("/portal/requests"), slower="600000").text.count("No requests on these days.") == 1


def test_requests_as_a_file(busy, ledger):
    member, visitor, ids = busy
    rows = records_of(ledger, member, 5)
    lines = lines_of(visitor.get("/portal/requests.csv"))
    assert [(line["request_id"], line["status"], line["code"]) for line in lines] == [
        (row[0], str(row[1]), row[2]) for row in rows]
    assert sum(int(line["credits"]) for line in lines) == 8
    entries = ledger.rows("select reference::text, seq from ledger_entry where account_id = %s and kind = 3", member.account)
    assert {line["request_id"]: int(line["entry"]) for line in lines if line["entry"]} == dict(entries)
    assert lines_of(visitor.get("/portal/requests.csv?status=5xx")) == []


def test_pages_of_requests(site, ledger):
    """More than a file reads at once: each once."""
    member = Member(site)
    visitor = member.sign_in()
    ledger.rows("insert into request_log select %s, now() - i * interval '1 second', gen_random_uuid(), null,"
                " gen_random_uuid(), null, 'credits', 1, false, 200, null, 0, 1, null, null, 0, 0, 0, null"
                " from generate_series(1, 1200) i", member.account)
    lines = lines_of(visitor.get("/portal/requests.csv"))
    assert len({line["request_id"] for line in lines}) == len(lines) == 1200
    page = visitor.get("/portal/requests")
    older = visitor.get("/portal/requests" + page.link("Older"))
    shown = [row["Request"] for one in (page, older) for row in one.table("Requests, newest first")]
    assert shown == [line["request_id"] for line in lines[:100]]
    assert "Newest" in older.text


# -- the ledger, and files of many entries --


@pytest.fixture(scope="module")
def rich(site):
    """A member with a call, this many other entries, and another call."""
    from kit.site import Ledger
    member = Member(site)
    user = account_of(site, member, "=1+1")
    ledger = Ledger(site.connect())
    assert Client(site).call(user, "hash-generate", {"input": "a"}).status_code == 200
    ledger.rows("select ledger_credit(%s, 5::smallint, 7::bigint, gen_random_uuid(), %s)", member.account,
                '=HYPERLINK("https://evil.example.com")')
    add_entries(ledger, member.account, MANY)
    assert Client(site).call(user, "hash-generate", {"input": "b"}).status_code == 200
    return member, member.sign_in(), ledger


def test_the_ledger_as_a_file_is_the_ledger(rich):
    member, visitor, ledger = rich
    lines = lines_of(visitor.get("/portal/ledger.csv"))
    entries = ledger.rows("select reference::text, amount, balance_after from ledger_entry where account_id = %s"
                          " order by seq", member.account)
    assert list(lines[0]) == HEAD
    assert [(line["request_id"], int(line["credits"]), int(line["balance_after"])) for line in lines] == entries
    assert lines[1]["token"] == "'=1+1" and lines[1]["kind"] == "usage" and lines[1]["tool"] == "hash-generate"
    assert lines[2]["note"] == "'=HYPERLINK(\"https://evil.example.com\")"


def test_the_file_of_calls_finds_them_among_many(rich):
    member, visitor, _ = rich
    lines = lines_of(visitor.get("/portal/usage.csv"))
    assert [(line["kind"], line["credits"]) for line in lines] == [("usage", "-1")] * 2


def test_ledger_pages_follow_each_other(rich):
    member, visitor, ledger = rich
    page = visitor.get("/portal/ledger")
    rows = page.table("Entries, newest first")
    page = visitor.get("/portal/ledger" + page.link("Older"))
    rows += page.table("Entries, newest first")
    entries = ledger.rows("select reference::text from ledger_entry where account_id = %s order by seq desc limit 100",
                          member.account)
    assert [(row["Reference"],) for row in rows] == entries
    assert visitor.get("/portal/ledger" + page.link("Newest")).table("Entries, newest first") == rows[:50]


def test_a_page_of_calls_looks_through_5000_entries_at_most(rich):
    """Both calls are found, though pages between them are empty."""
    member, visitor, _ = rich
    page = visitor.get("/portal/usage")
    assert len(page.table("Charged calls")) == 1
    found = pages = 0
    while "Older" in [a.text for a in page.root.all("a")]:
        page = visitor.get("/portal/usage" + page.link("Older"))
        assert pages > 0 or "No matching calls in these 5,000 entries. Select “Older” to search on." in page.text
        found += "Charged calls" in page.text
        pages += 1
    assert found == 1 and pages == MANY // 5000


def test_one_file_at_a_time(site, ledger):
    """A member who does not read a file from each portal gets no other file; other members do."""
    member = Member(site)
    add_entries(ledger, member.account, HELD)
    visitor = member.sign_in()
    tries = (begin_to_read(visitor) for _ in range(40))  # the edge chooses one of the portals by chance
    lines = list(itertools.islice(filter(None, tries), PORTALS))
    assert len(lines) == PORTALS
    page = visitor.get("/portal/usage.csv")
    assert page.status_code == 503 and page.headers["Retry-After"] == "60"
    assert "Too many exports are running. Try again in a minute." in page.text
    other = Member(visitor.site).sign_in()
    assert lines_of(other.get("/portal/ledger.csv"))
    for line in lines:
        line.close()


def test_a_tail_too_long_to_count_is_shown(site, ledger):
    """Above 20,000 entries the sums are not there yet; a reload continues the count."""
    member = Member(site)
    visitor = member.sign_in()
    add_entries(ledger, member.account, 45_000)
    for _ in range(2):
        page = visitor.get("/portal/usage")
        assert "Usage is still being counted." in page.text and "No calls on these days." not in page.text
    assert "Usage is still being counted." not in visitor.get("/portal/usage").text
