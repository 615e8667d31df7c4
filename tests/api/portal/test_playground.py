"""tests/api/portal/test_playground.py - runs of a tool from its page are normal calls, paid once,
however often they are sent."""

import base64
import re
import threading

import pytest

from kit.portal.member import Member

NOTHING = "Nothing was charged."


@pytest.fixture(scope="module")
def member(site):
    """One for all: each test checks the change."""
    return Member(site, credits=1000)


@pytest.fixture(scope="module")
def visitor(member):
    return member.sign_in()


@pytest.fixture
def paid(member, ledger):
    """What the member paid since the test began."""
    before = charged(ledger, member)
    return lambda: charged(ledger, member) - before


def fill(visitor, tool, number=0, **typed):
    """The form of a tool's page, filled in: fields by their names in the contract; number 1: the
    raw one."""
    form = visitor.get(f"/tools/{tool}").form(f"/tools/{tool}/run", number)
    return form, {("raw" if number else f"v-{name}"): value for name, value in typed.items()}


def run(visitor, tool, number=0, **typed):
    form, fields = fill(visitor, tool, number, **typed)
    return visitor.submit(form, **fields)


def charged(ledger, member):
    return ledger.rows("select coalesce(-sum(amount), 0)::int from ledger_entry where account_id = %s and kind in (3, 4)",
                       member.account)[0][0]


# -- paid runs --


def test_a_run_is_an_ordinary_call(member, visitor, ledger):
    page = run(visitor, "hash-generate", input="abc", algorithm="MD5")
    assert page.status_code == 200
    said = re.search(r"Charged 1 credit, 999 left, \d+ ms, request ([0-9a-f-]{36})", page.text)
    [(reference, kind, name)] = ledger.rows(
        "select e.reference::text, k.kind, k.name from ledger_entry e join token k using (account_id, token_id)"
        " where e.account_id = %s and e.kind = 3", member.account)
    assert (said[1], kind) == (reference, 2)
    assert '"hash": "900150983cd24fb0d6963f7d28e17f72"' in page.element("answer").text
    assert page.form("/tools/hash-generate/run").sent()[3:5] == [("v-input", "abc"), ("v-algorithm", "MD5")]
    assert "Run for 1 credit (999 left)" in page.text
    assert [row["Token"] for row in visitor.get("/portal").table("The newest 20 calls")] == ["playground"]


def test_each_shown_form_is_another_run(visitor):
    pages = [visitor.get("/tools/hash-generate"), run(visitor, "hash-generate", input="abc")]
    runs = [dict(page.form("/tools/hash-generate/run", number).sent())["run"] for page in pages for number in (0, 1)]
    assert len(set(runs)) == 4


def test_a_reload_and_a_double_click_pay_once(visitor, paid):
    form, fields = fill(visitor, "qr-generate", text="hello")
    clicks = [threading.Thread(target=visitor.submit, args=(form,), kwargs=fields) for _ in range(2)]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    page = visitor.submit(form, **fields)
    assert "This run was already charged and is not charged again" in page.text
    assert "svg_base64" in page.element("answer").text
    assert paid() == 1


@pytest.mark.parametrize("tool, typed, kind, begin", [
    ("placeholder-image", {"width": "300", "height": "", "text": "a&b ü\r\n<x>"}, "svg+xml", b"<svg"),
    ("qr-generate", {"text": "hello", "format": "png"}, "png", b"\x89PNG"),
])
def test_an_image_is_shown(visitor, tool, typed, kind, begin):
    page = run(visitor, tool, **typed)
    [src] = [image.get("src") for image in page.main.all("img")]
    assert src.startswith(f"data:image/{kind};base64,")
    assert base64.b64decode(src.partition(",")[2]).startswith(begin)


def test_the_raw_body_goes_as_it_is(visitor, paid):
    page = run(visitor, "json-to-code", 1, raw='{"sample": {"a": 1.10}, "targets": ["go"]}')
    assert "Charged 1 credit" in page.text
    assert "float64" in page.element("answer").text
    assert paid() == 1


def test_a_query_goes_as_it_is(visitor):
    page = run(visitor, "placeholder-image", 1, raw="width=10&height=5&text=%C3%A4")
    assert "Charged 1 credit" in page.text
    [image] = page.main.all("img")
    assert 'width="10"'.encode() in base64.b64decode(image.get("src").partition(",")[2])


def test_markup_in_what_was_typed_and_answered_is_text(visitor):
    """The visitor checks the page: nothing in it runs."""
    page = run(visitor, "chatplatform-text-sanitize", 1, raw='{"text": "<script>alert(1)</script>\\" onload=\\"x"}')
    assert "alert(1)" in page.text and page.status_code == 200


# -- free runs --


def test_a_rejection_is_free_and_next_to_its_field(visitor, paid):
    page = run(visitor, "qr-generate", text="hello", size="1")
    assert page.status_code == 200 and NOTHING in page.text and "Status 400" in page.text
    assert len(page.errors) == 1 and page.errors[0].startswith("size must")
    assert page.form("/tools/qr-generate/run").sent()[3] == ("v-text", "hello")
    assert paid() == 0


def test_a_small_form_may_be_too_large_as_json(visitor, paid):
    page = run(visitor, "hash-generate", input="\x01" * 12_000)
    assert page.status_code == 400 and page.errors == ["The request must have at most 65,536 bytes. Shorten it."]
    assert paid() == 0


def test_a_rejected_body_says_where(visitor):
    page = run(visitor, "hash-generate", 1, raw='{"input": ')
    assert NOTHING in page.text and "invalid_json" in page.text


def test_no_credits_no_run(site):
    poor = Member(site, credits=0)
    page = run(poor.sign_in(), "hash-generate", input="abc")
    assert NOTHING in page.text and "insufficient_credits" in page.text and "Status 402" in page.text


def test_two_at_a_time(visitor, paid):
    """Of each portal; another run does not wait: the portal rejects it at once, and its form
    repeats the same run."""
    pages = []
    forms = [fill(visitor, "security-headers", url="https://late.slowhost.net/") for _ in range(7)]
    runs = [threading.Thread(target=lambda f=form, t=typed: pages.append(visitor.submit(f, **t))) for form, typed in forms]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    busy = [page for page in pages if page.status_code == 503]
    assert busy and len(pages) - len(busy) >= 2
    for page in busy:
        assert "Too many calls are running from this page. Nothing was charged. Try again in a few seconds." in page.text
        assert page.headers["Retry-After"]
        again = page.form("/tools/security-headers/run").sent()
        assert dict(again)["run"] in {dict(form.sent())["run"] for form, _ in forms}
    assert paid() == 5 * (len(pages) - len(busy))


# -- its token --


def test_the_token_is_in_no_list_and_ends_with_the_session(site, ledger):
    member = Member(site)
    visitor = member.sign_in()
    run(visitor, "hash-generate", input="abc")
    run(visitor, "hash-generate", input="abc")
    mine = "select count(*), count(revoked_at) from token where account_id = %s and kind = 2"
    assert ledger.rows(mine, member.account) == [(1, 0)]
    assert "0 tokens" in visitor.get("/portal").text
    visitor.submit(visitor.get("/portal").form("/portal/sign-out"))
    assert ledger.rows(mine, member.account) == [(1, 1)]
    again = member.sign_in()
    assert "Charged 1 credit" in run(again, "hash-generate", input="abc").text
    assert ledger.rows(mine, member.account) == [(2, 1)]


# -- outages --


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=1, daemons=1, portals=1)


def test_no_gateway_there(stack):
    """No worker: a response, free. No gateway: no response; the same run is sent again, and paid
    once."""
    from kit.site import Ledger, Site
    site = Site.of(stack)
    member = Member(site)
    visitor = member.sign_in()
    form, fields = fill(visitor, "hash-generate", input="abc")
    stack.parts["svc-utils-1"].kill()
    page = visitor.submit(form, **fields)
    assert NOTHING in page.text and "Status 503" in page.text
    stack.restart("svc-utils-1")

    form, fields = fill(visitor, "hash-generate", input="abc")
    stack.parts["gateway-1"].kill()
    page = visitor.submit(form, **fields)
    assert "No response arrived. Run again: you are never charged twice for this run." in page.text
    again = page.form("/tools/hash-generate/run")
    assert dict(again.sent())["run"] == dict(form.sent())["run"]
    stack.restart("gateway-1")
    assert "Charged 1 credit, 99 left" in visitor.submit(again).text
    assert "not charged again" in visitor.submit(again).text
    assert charged(Ledger(site.connect()), member) == 1
