"""tests/api/email/test_validator.py - email-validator and email-validator-bulk beyond a single
call: concurrency, repetition, and equal results."""

import uuid

from kit.contracts import CONTRACTS, send

DAEMONS = 2  # of the shared stack; each has its own cache


def ask(api, account, **request):
    return send(api, account, CONTRACTS["email-validator"], request).result


def ask_bulk(api, account, *emails):
    return send(api, account, CONTRACTS["email-validator-bulk"], {"emails": list(emails)}).result


def fresh_domain():
    """An address that no cache knows yet."""
    return f"{uuid.uuid4()}.fresh.harbour-mail.net"


def test_ten_domains_are_looked_up_at_once(api, account):
    """None of their name servers responds until all ten were queried: one after the other would
    never finish."""
    group = uuid.uuid4().hex
    result = ask_bulk(api, account, *(f"jane@together-{group}-10-{i}.fickle-name.com" for i in range(10)))
    assert result["unique_domains"] == 10 and not result["partial"], result
    for item in result["results"]:
        assert [signal["code"] for signal in item["signals"]] == ["no_domain_auth"], item


def test_a_silent_domain_costs_the_others_nothing(api, account):
    result = ask_bulk(api, account, "jane@silent.fickle-name.com", f"jane@{fresh_domain()}")
    first, second = result["results"]
    assert [signal["code"] for signal in first["signals"]] == ["dns_unavailable"] and result["partial"]
    assert second["signals"] == [] and second["verdict"] == "legitimate"


def test_cached_is_correct(api, account):
    domain = fresh_domain()
    first = ask(api, account, email=f"jane@{domain}")
    later = [ask(api, account, email=f"other.name@{domain}") for _ in range(DAEMONS)]
    assert not first["cached"] and any(answer["cached"] for answer in later)
    assert all(answer["deliverability"] == first["deliverability"] for answer in later)
    assert not ask(api, account, email=f"jane@{domain}", refresh=True)["cached"]


def test_both_tools_share_a_cache(api, account):
    domain = fresh_domain()
    for _ in range(DAEMONS):
        ask(api, account, email=f"jane@{domain}")
    bulk = [ask_bulk(api, account, f"jane@{domain}") for _ in range(DAEMONS)]
    assert any(answer["results"][0]["cached"] for answer in bulk)


def test_failed_lookups_are_not_cached(api, account):
    for _ in range(DAEMONS + 1):
        answer = ask(api, account, email="jane@servfail.fickle-name.com")
        assert not answer["cached"] and answer["signals"][0]["code"] == "dns_unavailable"


def test_both_tools_give_the_same_result(api, account):
    emails = ["jane@five.harbour-mail.net", "sales@google.harbour-mail.net", "x@mailinator.com", "jane@gmail.con",
              "a@b@c.de", "jane@private.harbour-mail.net"]
    bulk = ask_bulk(api, account, *emails)["results"]
    for email, item in zip(emails, bulk):
        single = ask(api, account, email=email)
        for field in ("email", "domain", "verdict", "score", "signals", "suggestion"):
            assert item[field] == single[field], (email, field)
        assert item["signal_count"] == len(single["signals"])
