"""tests/api/test_cases.py - runs the table cases.yaml of each tool and the contracts' examples.

A case:

    title       name of the case
    request     JSON object of a POST;  or raw_body: text sent as it is;  or query: of a GET, an
                object or the text after the ?
    send_headers
                more request headers; null removes one
    status      200 by default
    code        errors[0].code, or the list of all codes in order
    charged     credits
    result      field or /json/pointer: value | "~ regex" | "len N" | "is TYPE"
    headers     of the response: name: as above
    content_type, body
                of a response that is not JSON, as the contract's `raw` allows
"""

import pytest
import yaml

from kit.check import PLATFORM_CODES, check_result, check_value
from kit.contracts import CONTRACTS, is_get, send
from kit.schema import faults

CASE_KEYS = {"title", "request", "raw_body", "query", "send_headers", "status", "code", "charged", "result",
             "headers", "content_type", "body"}


def examples():
    for tool, contract in CONTRACTS.items():
        for number, example in enumerate(contract.get("examples", []), 1):
            sent = "query" if is_get(contract) else "request"
            yield tool, {"title": f"example {number} of the contract", sent: example["request"],
                         "charged": contract["credits"],
                         **({"result": example["result"]} if "result" in example else {})}


def tables():
    """A tool without a table would not be tested, so this fails."""
    for tool, contract in CONTRACTS.items():
        for case in yaml.safe_load((contract["folder"] / "tests/cases.yaml").read_text()):
            unknown = set(case) - CASE_KEYS
            assert not unknown, f"{tool}: {case.get('title')}: unknown keys {unknown}"
            yield tool, case


ALL = [pytest.param(tool, case, id=f"{tool}: {case['title']}") for tool, case in (*examples(), *tables())]


def send_case(api, account, contract, case):
    if "raw_body" in case:
        return api.call(account, contract["tool"], headers=case.get("send_headers"), raw=case["raw_body"].encode())
    return send(api, account, contract, case.get("query" if is_get(contract) else "request"), case.get("send_headers"))


@pytest.mark.parametrize("tool, case", ALL)
def test_case(api, account, ledger, tool, case):
    contract = CONTRACTS[tool]
    status = case.get("status", 200)

    answer = send_case(api, account, contract, case)

    assert answer.status_code == status, answer
    assert ledger.charged(account) == case["charged"]
    assert ledger.held(account) == 0
    assert answer.headers["X-Credits-Charged"] == str(case["charged"]), answer
    for name, want in case.get("headers", {}).items():
        check_value(answer.headers[name], want, name)
    if status != 200:
        check_refusal(answer, contract, case)
    elif answer.headers["Content-Type"] in contract.get("raw", []):
        check_raw(answer, case)
    else:
        check_result(answer.result, case.get("result", {}))
        assert list(faults(contract["result"], answer.result)) == []


def check_refusal(answer, contract, case):
    want = case["code"]
    assert set(answer.codes) <= PLATFORM_CODES | set(contract.get("errors", [])), answer
    assert (answer.codes if isinstance(want, list) else answer.codes[0]) == want, answer


def check_raw(answer, case):
    assert "result" not in case, answer
    check_value(answer.headers["Content-Type"], case.get("content_type", "is string"), "Content-Type")
    if "body" in case or answer.headers["Content-Type"].startswith(("text/", "image/svg")):
        check_value(answer.body.decode(), case.get("body", "is string"), "body")
    else:
        assert answer.body, answer  # the unit tests check the image of dots
