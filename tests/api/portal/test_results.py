"""tests/api/portal/test_results.py - results of runs as what they are: images, tables, and reports
in a frame; and the same with what hostile sites and links put into them."""

import urllib.parse

import pytest

from kit.portal.member import Member

REPORT = {"url": "", "bytes": "1000000", "format": "html"}
GONE = "This report is no longer here. Run the tool again."


@pytest.fixture(scope="module")
def member(site):
    return Member(site, credits=1000)


@pytest.fixture(scope="module")
def visitor(member):
    return member.sign_in()


def run(visitor, tool, **typed):
    form = visitor.get(f"/tools/{tool}").form(f"/tools/{tool}/run")
    return visitor.submit(form, **{f"v-{name}": value for name, value in typed.items()})


def paid(ledger, member):
    return ledger.rows("select coalesce(-sum(amount), 0)::int from ledger_entry where account_id = %s and kind in (3, 4)",
                       member.account)[0][0]


def test_a_code_is_an_image_beside_its_json(visitor):
    page = run(visitor, "qr-generate", text="hello")
    [image] = page.main.all("img")
    assert image.get("src").startswith("data:image/svg+xml;base64,") and image.get("alt") == "QR code generator"
    assert '"svg_base64"' in page.element("answer").text


def test_a_list_is_a_table(visitor):
    page = run(visitor, "hash-generate", input="abc", algorithms="MD5\nSHA-1")
    rows = page.table("hashes")
    assert [row["algorithm"] for row in rows] == ["MD5", "SHA-1"]
    assert rows[0]["hash"] == "900150983cd24fb0d6963f7d28e17f72"


def test_the_algorithms_are_a_choice(visitor):
    form = visitor.get("/tools/hash-generate").form("/tools/hash-generate/run")
    [select] = [control for control in form.controls if control.get("name") == "v-algorithm"]
    assert select.tag == "select" and len(select.all("option")) == 21
    assert {control.tag for control in visitor.get("/tools/tls-check").form("/tools/tls-check/run").controls} \
        == {"input", "select"}


def test_the_home_page_has_recorded_responses(visitor):
    page = visitor.get("/")
    assert "TLS 1.3 is not supported" in [row["title"] for row in page.table("issues")]
    assert {"severity": "critical", "message": "A host that imitates a brand", "evidence": "paypal.example.com"} \
        in page.table("findings")
    assert "export interface Project {" in page.main.text


# -- reports --


@pytest.fixture(scope="module")
def report_page(visitor):
    return run(visitor, "carbon-footprint", **REPORT)


@pytest.fixture(scope="module")
def address(report_page):
    [frame] = report_page.main.all("iframe")
    return frame.get("src")


def test_a_report_is_in_a_frame_without_rights(visitor, report_page, address, member, ledger):
    """The visitor checks the page's policy, and that the frame's sandbox is empty."""
    assert "Charged 2 credits" in report_page.text and "<!doctype" not in report_page.text
    before = paid(ledger, member)
    answer = visitor.request("GET", address, follow=False)
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert answer.status_code == 200 and b"<title>" in answer.body
    assert {"default-src 'none'", "sandbox", "frame-ancestors 'self'", "form-action 'none'"} <= set(policy), policy
    assert not [part for part in policy if part.startswith("script-src")]
    assert paid(ledger, member) == before


def changed(address, **fields):
    path, _, query = address.partition("?")
    return f"{path}?{urllib.parse.urlencode(dict(urllib.parse.parse_qsl(query)) | fields)}"


@pytest.mark.parametrize("fields", [{"until": "99999999999"}, {"mark": "0" * 64}, {"mark": ""}, {"until": "1"},
                                    {"request": '{"bytes":1000001,"format":"html"}'}], ids=str)
def test_a_changed_link_runs_nothing(visitor, address, member, ledger, fields):
    before = paid(ledger, member)
    page = visitor.get(changed(address, **fields))
    assert page.status_code == 404 and GONE in page.text
    assert paid(ledger, member) == before


def test_another_run_or_tool_is_not_in_the_link(visitor, address):
    path = urllib.parse.urlsplit(address).path
    for other in (path[:-1] + ("0" if path[-1] != "0" else "1"), path.replace("carbon-footprint", "performance-audit"),
                  path.replace("carbon-footprint", "no-such-tool")):
        assert visitor.get(address.replace(path, other)).status_code == 404


def test_the_link_of_another_session_shows_nothing(site, address, member):
    assert GONE in member.sign_in().get(address).text
    assert GONE in Member(site, credits=100).sign_in().get(address).text


def test_a_long_request_has_no_link(visitor):
    page = run(visitor, "website-audit", url="https://brisk-cases.net/", format="html", sections="security_headers",
               previous="x" * 3000)
    assert not page.main.all("iframe")
