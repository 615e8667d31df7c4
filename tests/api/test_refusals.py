"""tests/api/test_refusals.py - what the platform rejects, for any tool: status, code, no charge.

The codes are those of common/base/err.def. docs/develop/call-path.md has their order: address,
route, token and account, media type, size, JSON, contract, then admission (windows before balance).
"""

import uuid

import pytest

from kit.client import Client
from part import Budget, wait_for

TOOL = "hash-generate"
PRICE = 1
ENDPOINT_LIMIT, GLOBAL_LIMIT, ADDRESS_LIMIT = 30, 60, 120
BODY_MAX = 65536
DEPTH_MAX = 64
GOOD = {"input": "abc"}


def rows(table):
    """A table whose rows begin with their names, as parameters."""
    return [pytest.param(*row[1:], id=row[0]) for row in table]


@pytest.fixture
def unexpected(ledger, account):
    """unexpected(answer, status, code, ...): how it differs from this rejection, which is free and
    not counted in the ring."""

    def differences(answer, status, *codes, of=account, ring=0, charged=0):
        expected = {"status": status, "codes": list(codes), "said to be charged": "0",
                    "charged": charged, "held": 0, "calls in the ring": ring}
        found = {"status": answer.status_code, "codes": answer.codes,
                 "said to be charged": answer.headers.get("X-Credits-Charged", "0"),
                 "charged": ledger.charged(of), "held": ledger.held(of), "calls in the ring": ledger.calls_in_ring(of)}
        return [(name, found[name], answer) for name in expected if found[name] != expected[name]]

    return differences


# -- JSON --


def nested(depth):
    """A request with this depth, its own object included."""
    return b'{"input":"a","more":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


MALFORMED = [
    ("nothing", b"", "body_required"),
    ("no JSON at all", b"input=abc", "invalid_json"),
    ("cut off", b'{"input":"abc"', "invalid_json"),
    ("cut off inside a text", b'{"input":"abc', "invalid_json"),
    ("something behind it", b'{"input":"abc"}x', "invalid_json"),
    ("a second value behind it", b'{"input":"abc"}{}', "invalid_json"),
    ("a NUL behind it", b'{"input":"abc"}\0', "invalid_json"),
    ("a byte order mark", b'\xef\xbb\xbf{"input":"abc"}', "invalid_json"),
    ("UTF-16", '{"input":"abc"}'.encode("utf-16-le"), "invalid_json"),
    ("a comma too much", b'{"input":"abc",}', "invalid_json"),
    ("single quotes", b"{'input':'abc'}", "invalid_json"),
    ("a name without quotes", b'{input:"abc"}', "invalid_json"),
    ("a comment", b'{"input":"abc"/* */}', "invalid_json"),
    ("a leading zero", b'{"input":"abc","n":01}', "invalid_json"),
    ("a leading plus", b'{"input":"abc","n":+1}', "invalid_json"),
    ("a point without digits", b'{"input":"abc","n":1.}', "invalid_json"),
    ("digits in hex", b'{"input":"abc","n":0x1}', "invalid_json"),
    ("NaN", b'{"input":"abc","n":NaN}', "invalid_json"),
    ("True in capitals", b'{"input":"abc","n":True}', "invalid_json"),
    ("a raw control character", b'{"input":"a\x01c"}', "invalid_json"),
    ("a raw line feed in a text", b'{"input":"a\nc"}', "invalid_json"),
    ("a raw NUL in a text", b'{"input":"a\0c"}', "invalid_json"),
    ("an unknown escape", b'{"input":"a\\x41"}', "invalid_json"),
    ("half a pair of surrogates", b'{"input":"\\ud800"}', "invalid_json"),
    ("surrogates the wrong way round", b'{"input":"\\udc00\\ud800"}', "invalid_json"),
    ("a byte that is no UTF-8", b'{"input":"a\xffc"}', "invalid_json"),
    ("an overlong form", b'{"input":"a\xc0\xafc"}', "invalid_json"),
    ("a surrogate in UTF-8", b'{"input":"a\xed\xa0\x80c"}', "invalid_json"),
    ("beyond U+10FFFF", b'{"input":"a\xf4\x90\x80\x80c"}', "invalid_json"),
    ("a sequence cut off", b'{"input":"a\xe2\x82"}', "invalid_json"),
    ("a name twice", b'{"input":"abc","input":"abd"}', "invalid_json"),
    ("a name twice, spelled differently", b'{"input":"abc","\\u0069nput":"abd"}', "invalid_json"),
    ("a name twice further down", b'{"input":"abc","more":[{"a":1,"a":2}]}', "invalid_json"),
    ("an array", b'["abc"]', "body_not_object"),
    ("a text", b'"abc"', "body_not_object"),
    ("null", b"null", "body_not_object"),
    ("one level too deep", nested(DEPTH_MAX + 1), "too_deep"),
    ("as deep as crashes cJSON in a civetweb thread", nested(600), "too_deep"),
    ("as deep as a body can be", b"[" * BODY_MAX, "too_deep"),
    ("objects as deep as a body can be", b'{"a":' * (BODY_MAX // 5), "too_deep"),
]


@pytest.mark.parametrize("body, code", rows(MALFORMED))
def test_malformed_json(api, account, unexpected, body, code):
    assert not unexpected(api.call(account, TOOL, raw=body), 400, code)


WELL_FORMED = [
    ("white space around it", b' \t\r\n{ "input" : "abc" }\n'),
    ("a number beyond the range of doubles", b'{"input":"abc","n":[1e999,-1E+400]}'),
    ("a long number", b'{"input":"abc","n":' + b"9" * 300 + b"}"),
    ("as deep as allowed", nested(DEPTH_MAX)),
    ("a pair of surrogates", b'{"input":"\\ud83d\\ude00"}'),
    ("an escaped NUL where the contract takes it", b'{"input":"a\\u0000c"}'),
    ("unknown fields", b'{"input":"abc","nobody":{"knows":["this"]}}'),
    ("null for an optional field", b'{"input":"abc","algorithm":null}'),
    ("10,000 names", b'{"input":"abc"' + b"".join(b',"%d":1' % n for n in range(6000)) + b"}"),
]


@pytest.mark.parametrize("body", [pytest.param(row[1], id=row[0]) for row in WELL_FORMED])
def test_unusual_valid_json(api, account, ledger, body):
    answer = api.call(account, TOOL, raw=body)
    assert answer.status_code == 200, answer
    assert ledger.charged(account) == PRICE


AGAINST_THE_CONTRACT = [
    ("nothing in it", {}, ["missing_field"]),
    ("null for a required field", {"input": None}, ["missing_field"]),
    ("a number for a text", {"input": 1}, ["invalid_type"]),
    ("a list for a text", {"input": ["abc"]}, ["invalid_type"]),
    ("each field its own item", {"algorithm": 5}, ["missing_field", "invalid_type"]),
    ("NUL where it is not taken", {"input": "abc", "algorithm": "MD5\0"}, ["invalid_value"]),
    ("what only the tool can judge", {"input": "abc", "algorithm": "crc64"}, ["unknown_algorithm"]),
]


@pytest.mark.parametrize("request_, codes", rows(AGAINST_THE_CONTRACT))
def test_requests_against_the_contract(api, account, ledger, request_, codes):
    answer = api.call(account, TOOL, request_)
    assert (answer.status_code, answer.codes) == (400, codes), answer
    assert (ledger.charged(account), ledger.held(account)) == (0, 0)
    if codes[0] != "unknown_algorithm":
        assert "input" in answer.message or "algorithm" in answer.message  # names the field


# -- media type and size --

TYPES = [
    ("none", None, 415),
    ("plain text", "text/plain", 415),
    ("a form, curl's default", "application/x-www-form-urlencoded", 415),
    ("a longer name", "application/jsonx", 415),
    ("another JSON", "application/problem+json", 415),
    ("another charset", "application/json; charset=iso-8859-1", 415),
    ("empty", "", 415),
    ("as it should be", "application/json", 200),
    ("in capitals", "Application/JSON", 200),
    ("with its charset", "application/json; charset=utf-8", 200),
    ("with its charset, quoted and in capitals", 'application/json;charset="UTF-8"', 200),
]


@pytest.mark.parametrize("content_type, status", rows(TYPES))
def test_content_types(api, account, ledger, content_type, status):
    answer = api.call(account, TOOL, GOOD, {"Content-Type": content_type})
    assert answer.status_code == status, answer
    assert ledger.charged(account) == (PRICE if status == 200 else 0)
    if status == 415:
        assert answer.codes == ["unsupported_media_type"]


@pytest.mark.parametrize("encoding", ["gzip", "identity", "br"])
def test_content_encodings_are_rejected(api, account, unexpected, encoding):
    assert not unexpected(api.call(account, TOOL, GOOD, {"Content-Encoding": encoding}), 415, "unsupported_media_type")


def test_a_body_of_64_kb_and_a_byte(api, account, unexpected):
    assert not unexpected(api.call(account, TOOL, raw=b" " * (BODY_MAX + 1)), 413, "body_too_large")


# -- routes --

ROUTES = [
    ("nothing below v1", "GET", "/v1/", 404, "not_found", None),
    ("no such resource", "GET", "/v1/client/{account}/nothing", 404, "not_found", None),
    ("the account itself", "GET", "/v1/client/{account}", 404, "not_found", None),
    ("no such tool", "POST", "/v1/client/{account}/tools/no-such-tool", 404, "tool_not_found", None),
    ("no such tool, read", "GET", "/v1/client/{account}/tools/no-such-tool", 404, "tool_not_found", None),
    ("a tool in capitals", "POST", "/v1/client/{account}/tools/Hash-Generate", 404, "tool_not_found", None),
    ("a tool with a slash", "POST", "/v1/client/{account}/tools/hash-generate/", 404, None, None),
    ("another version", "POST", "/v1/v2/client/{account}/tools/hash-generate", 404, "not_found", None),
    ("a tool is not read", "GET", "/v1/client/{account}/tools/hash-generate", 405, "method_not_allowed",
     "POST"),
    ("a tool has no head", "HEAD", "/v1/client/{account}/tools/hash-generate", 405, None, "POST"),
    ("credits are not written", "POST", "/v1/client/{account}/account/credits", 405, "method_not_allowed",
     "GET"),
]


@pytest.mark.parametrize("method, path, status, code, allow", rows(ROUTES))
def test_routes(api, account, ledger, method, path, status, code, allow):
    answer = api.request(method, path.format(account=account.id), headers={
        "Authorization": f"Bearer {account.token}", "Content-Type": "application/json"})
    assert answer.status_code == status, answer
    if code:
        assert answer.codes == [code]
    if allow:
        assert allow in answer.headers["Allow"].replace(" ", "").split(",")
    assert ledger.charged(account) == 0 and ledger.calls_in_ring(account) == 0


@pytest.mark.parametrize("text", ["me", "0", "{uuid}0", "{uuid} ", "{{{uuid}}}", "%00", "..", "{uuid}%20",
                                  "' or 1=1 --", "019c0000-0000-7000-8000-00000000000g", "-" * 36])
def test_invalid_account_ids(api, account, unexpected, text):
    name = text.format(uuid=account.id).replace(" ", "%20").replace("'", "%27")
    answer = api.request("POST", f"/v1/client/{name}/tools/{TOOL}", '{"input":"abc"}', {
        "Authorization": f"Bearer {account.token}", "Content-Type": "application/json"})
    assert answer.status_code in (400, 404), answer
    if name not in ("..", "%00"):
        assert not unexpected(answer, 400, "invalid_account_id")


# -- tokens --


def swap(token, at, alphabet="ab"):
    """The token with one character changed."""
    other = alphabet[0] if token[at] != alphabet[0] else alphabet[1]
    return token[:at] + other + token[at + 1:]


CREDENTIALS = [
    ("none", lambda token: None, "auth_missing"),
    ("an empty header", lambda token: "", "auth_missing"),
    ("another scheme", lambda token: f"Basic {token}", "auth_malformed"),
    ("the scheme alone", lambda token: "Bearer", "auth_malformed"),
    ("the scheme and a space", lambda token: "Bearer ", "auth_malformed"),
    ("the token alone", lambda token: token, "auth_malformed"),
    ("a token cut short", lambda token: f"Bearer {token[:-1]}", "auth_malformed"),
    ("a token too long", lambda token: f"Bearer {token}a", "auth_malformed"),
    ("a wrong prefix", lambda token: f"Bearer {token.replace('live', 'test')}", "auth_malformed"),
    ("a typing mistake", lambda token: f"Bearer {swap(token, 20)}", "auth_malformed"),
    ("a wrong check sum", lambda token: f"Bearer {swap(token, -1)}", "auth_malformed"),
    ("two tokens", lambda token: f"Bearer {token}, Bearer {token}", "auth_malformed"),
    ("a token in the middle of blanks", lambda token: f"Bearer {token} x", "auth_malformed"),
    ("8 KB of token", lambda token: f"Bearer {token}" + "a" * 8000, "auth_malformed"),
]


@pytest.mark.parametrize("credentials, code", rows(CREDENTIALS))
def test_credentials(api, account, unexpected, credentials, code):
    answer = api.call(account, TOOL, GOOD, {"Authorization": credentials(account.token)})
    assert not unexpected(answer, 403, code)
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_the_scheme_ignores_case(api, account):
    assert api.call(account, TOOL, GOOD, {"Authorization": f"bEARER {account.token}"}).status_code == 200


def test_a_token_of_another_account(api, site, account, unexpected):
    other = site.open_account()
    answer = api.call(account, TOOL, GOOD, {"Authorization": f"Bearer {other.token}"})
    assert not unexpected(answer, 403, "auth_invalid")
    assert not unexpected(answer, 403, "auth_invalid", of=other)


def test_an_account_that_does_not_exist_looks_like_a_bad_token(api, account, unexpected):
    answer = api.request("POST", f"/v1/client/{uuid.uuid4()}/tools/{TOOL}", '{"input":"abc"}', {
        "Authorization": f"Bearer {account.token}", "Content-Type": "application/json"})
    assert not unexpected(answer, 403, "auth_invalid")


def test_a_revoked_token_is_rejected_from_the_next_call_on(api, site, account, unexpected):
    assert api.call(account, TOOL, GOOD).status_code == 200
    site.tollctl("token", "revoke", account.id, account.token_id)
    assert not unexpected(api.call(account, TOOL, GOOD), 403, "auth_revoked", ring=1, charged=PRICE)
    assert not unexpected(api.read(account, "account/credits"), 403, "auth_revoked", ring=1, charged=PRICE)


def test_a_bad_token_stays_bad(api, site, account, unexpected):
    bad = {"Authorization": f"Bearer {site.open_account(100).token}"}
    answers = [api.call(account, TOOL, request, bad) for request in (GOOD, {}, GOOD)]
    assert [unexpected(answer, 403, "auth_invalid") for answer in answers] == [[], [], []]
    assert {answer.message for answer in answers} == {"the bearer token does not belong to this account"}


@pytest.mark.parametrize("command, code", [("token revoke", "auth_revoked"), ("account suspend", "account_suspended")])
def test_a_token_that_was_good_admits_nothing(api, site, account, unexpected, command, code):
    """The gateway remembers, for invalid requests only, that a token was valid."""
    assert not unexpected(api.call(account, TOOL, {}), 400, "missing_field")
    site.tollctl(*command.split(), account.id, *[account.token_id] * command.startswith("token"))
    assert not unexpected(api.call(account, TOOL, GOOD), 403, code)
    assert not unexpected(api.read(account, "account/credits"), 403, code)


def test_an_expired_token(api, account, ledger, unexpected):
    ledger.rows("update token set expires_at = now() - interval '1 second' where account_id = %s", account.id)
    assert not unexpected(api.call(account, TOOL, GOOD), 403, "auth_expired")


@pytest.mark.parametrize("verb, code", [("suspend", "account_suspended"), ("close", "account_closed")])
def test_accounts_that_are_out_of_use(api, site, account, unexpected, verb, code):
    site.tollctl("account", verb, account.id)
    assert not unexpected(api.call(account, TOOL, GOOD), 403, code)
    assert not unexpected(api.read(account, "account/credits"), 403, code)


def test_a_resumed_account(api, site, account):
    site.tollctl("account", "suspend", account.id)
    site.tollctl("account", "resume", account.id)
    assert api.call(account, TOOL, GOOD).status_code == 200


def test_a_token_for_other_tools(api, site, account, unexpected):
    token = site.tollctl("token", "create", account.id, "--scope", "placeholder-image", "--json")["token"]
    assert not unexpected(api.call(account, TOOL, GOOD, {"Authorization": f"Bearer {token}"}), 403, "scope_denied")


# -- credits --


def test_the_last_credit(api, site, ledger, unexpected):
    account = site.open_account(2 * PRICE)
    assert api.call(account, TOOL, GOOD).headers["X-Credits-Remaining"] == str(PRICE)
    assert api.call(account, TOOL, GOOD).headers["X-Credits-Remaining"] == "0"
    answer = api.call(account, TOOL, GOOD)
    assert not unexpected(answer, 402, "insufficient_credits", of=account, ring=2, charged=2 * PRICE)
    assert f"{PRICE} credit" in answer.message  # the price of the call
    assert "0" in answer.message                # the balance
    assert f"buy more at {site.base_url}/portal/credits" in answer.message
    site.tollctl("account", "grant", account.id, "1", "--note", "a gift")
    assert api.call(account, TOOL, GOOD).status_code == 200


def test_a_rejected_call_returns_the_credits(api, account, ledger):
    assert api.call(account, TOOL, {"input": "abc", "algorithm": "crc64"}).status_code == 400
    assert (ledger.charged(account), ledger.held(account)) == (0, 0)
    assert api.credits(account) == 100


# -- windows --


def call_until_full(api, account, calls):
    return [api.call(account, TOOL, GOOD).status_code for _ in range(calls)] == [200] * calls


def call_again(api, account, is_wanted):
    """Until the response is as wanted: a gateway repeats a rejection from its cache for a
    second."""
    answers = []

    def call():
        answers.append(api.call(account, TOOL, GOOD))
        return is_wanted(answers[-1])
    wait_for(call, 3, "another answer")
    return answers[-1]


def test_the_window_of_an_endpoint(api, account, ledger, unexpected):
    for left in reversed(range(ENDPOINT_LIMIT)):
        answer = api.call(account, TOOL, GOOD)
        assert answer.status_code == 200, answer
        assert answer.headers["X-RateLimit-Limit"] == str(ENDPOINT_LIMIT)
        assert answer.headers["X-RateLimit-Remaining"] == str(left)
        assert 0 < int(answer.headers["X-RateLimit-Reset"]) <= 60
    answer = api.call(account, TOOL, GOOD)
    assert not unexpected(answer, 429, "rate_limited_endpoint", ring=ENDPOINT_LIMIT, charged=ENDPOINT_LIMIT * PRICE)
    assert 50 < int(answer.headers["Retry-After"]) <= 60
    assert api.credits(account) == 100 - ENDPOINT_LIMIT * PRICE  # other endpoints are free


def test_retry_after_is_exact(api, account, ledger):
    assert call_until_full(api, account, ENDPOINT_LIMIT)
    wait_s = int(api.call(account, TOOL, GOOD).headers["Retry-After"])
    ledger.let_pass(account, (wait_s - 2) * 1000)
    answer = call_again(api, account, lambda answer: int(answer.headers["Retry-After"]) <= 2)
    assert answer.status_code == 429, answer
    ledger.let_pass(account, 2000)
    call_again(api, account, lambda answer: answer.status_code == 200)


def test_a_full_window_repeats_the_same_rejection(api, account, unexpected):
    """The ledger's rejection, from any cache; the seconds count down."""
    assert call_until_full(api, account, ENDPOINT_LIMIT)
    budget = Budget(0)
    first, *others = [api.call(account, TOOL, GOOD) for _ in range(10)]
    told = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Credits-Remaining", "X-Credits-Charged")
    for answer in others:
        assert not unexpected(answer, 429, "rate_limited_endpoint", ring=ENDPOINT_LIMIT, charged=ENDPOINT_LIMIT * PRICE)
        assert without_seconds(answer) == without_seconds(first)
        assert [answer.headers[name] for name in told] == [first.headers[name] for name in told]
        for name in ("Retry-After", "X-RateLimit-Reset"):
            assert 0 <= int(first.headers[name]) - int(answer.headers[name]) <= 1 + budget.passed()


def without_seconds(answer):
    """Its body; the message ends with the seconds of Retry-After."""
    return answer.body.replace(f"retry in {answer.headers['Retry-After']} second".encode(), b"retry later")


def test_the_window_of_an_account(api, account, ledger, unexpected):
    assert call_until_full(api, account, ENDPOINT_LIMIT)
    for _ in range(GLOBAL_LIMIT - ENDPOINT_LIMIT):
        assert api.read(account, "account/credits").status_code == 200
    answer = api.read(account, "account/credits")
    assert not unexpected(answer, 429, "rate_limited_global", ring=GLOBAL_LIMIT, charged=ENDPOINT_LIMIT * PRICE)
    ledger.let_pass(account, int(answer.headers["Retry-After"]) * 1000)
    wait_for(lambda: api.read(account, "account/credits").status_code == 200, 3, "room in the window")


def test_windows_apply_across_all_gateways(site, account, ledger):
    """The stack has two gateways; clients of many addresses reach both."""
    answers = [Client(site).call(account, TOOL, GOOD).status_code for _ in range(ENDPOINT_LIMIT + 10)]
    assert answers == [200] * ENDPOINT_LIMIT + [429] * 10
    assert ledger.charged(account) == ENDPOINT_LIMIT * PRICE


def test_an_account_without_limits(api, site):
    account = site.open_account(100)
    site.tollctl("account", "limits", account.id, "--off")
    assert call_until_full(api, account, ENDPOINT_LIMIT + 5)
    site.tollctl("account", "limits", account.id, "--on")


def test_the_window_of_an_address(api, account, unexpected):
    for _ in range(ADDRESS_LIMIT):
        assert api.get("/v1/nothing").status_code == 404
    assert not unexpected(api.call(account, TOOL, GOOD), 429, "rate_limited_ip")


# -- Idempotency-Key --


@pytest.mark.parametrize("key", ["", "a" * 256, "caf\xe9"])
def test_invalid_keys(api, account, unexpected, key):
    assert not unexpected(api.call(account, TOOL, GOOD, {"Idempotency-Key": key}), 400, "invalid_idempotency_key")


def test_a_key_is_for_one_request(api, account, ledger):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = api.call(account, TOOL, GOOD, key)
    again = api.call(account, TOOL, GOOD, key)
    other = api.call(account, TOOL, {"input": "abd"}, key)
    assert (first.status_code, again.status_code, other.status_code) == (200, 200, 422)
    assert again.result == first.result and again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["X-Credits-Charged"] == "0"
    assert other.codes == ["idempotency_mismatch"]
    assert ledger.charged(account) == PRICE


def test_a_key_of_a_failed_call_is_free_again(api, account, ledger):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    assert api.call(account, TOOL, {"input": "abc", "algorithm": "crc64"}, key).status_code == 400
    assert api.call(account, TOOL, GOOD, key).status_code == 200
    assert ledger.charged(account) == PRICE


# -- priority of rejections: each request has two faults --

BAD_TOKEN = {"Authorization": "Bearer nonsense"}
BAD_TYPE = {"Content-Type": "text/plain"}
LARGE = b" " * (BODY_MAX + 1)
ORDER = [
    ("route before token", "no-such-tool", b"{}", BAD_TOKEN, 404, "tool_not_found"),
    ("token before media type", TOOL, b"{}", BAD_TOKEN | BAD_TYPE, 403, "auth_malformed"),
    ("token before size", TOOL, LARGE, BAD_TOKEN, 403, "auth_malformed"),
    ("token before JSON", TOOL, b"{", BAD_TOKEN, 403, "auth_malformed"),
    ("media type before size", TOOL, LARGE, BAD_TYPE, 415, "unsupported_media_type"),
    ("size before JSON", TOOL, b"{" * (BODY_MAX + 1), {}, 413, "body_too_large"),
    ("JSON before contract", TOOL, b'{"input":1,}', {}, 400, "invalid_json"),
]


@pytest.mark.parametrize("tool, body, headers, status, code", rows(ORDER))
def test_order(api, account, unexpected, tool, body, headers, status, code):
    assert not unexpected(api.call(account, tool, raw=body, headers=headers), status, code)


def test_order_method_before_token(api, account, unexpected):
    assert not unexpected(api.call(account, TOOL, raw=b"", headers=BAD_TOKEN, method="GET"), 405, "method_not_allowed")


@pytest.mark.parametrize("body, headers", [(b"{}", BAD_TYPE), (LARGE, {}), (b"{", {}), (b"{}", {})],
                         ids=["media type", "size", "JSON", "contract"])
def test_order_account_before_request(api, site, account, unexpected, body, headers):
    site.tollctl("account", "suspend", account.id)
    assert not unexpected(api.call(account, TOOL, raw=body, headers=headers), 403, "account_suspended")


def test_order_contract_before_credits(api, site, unexpected):
    account = site.open_account(0)
    assert not unexpected(api.call(account, TOOL, {}), 400, "missing_field", of=account)
    assert not unexpected(api.call(account, TOOL, GOOD), 402, "insufficient_credits", of=account)


def test_order_window_before_credits(api, site, unexpected):
    account = site.open_account(ENDPOINT_LIMIT * PRICE)
    assert call_until_full(api, account, ENDPOINT_LIMIT)
    assert not unexpected(api.call(account, TOOL, GOOD), 429, "rate_limited_endpoint", of=account, ring=ENDPOINT_LIMIT,
                          charged=ENDPOINT_LIMIT * PRICE)


def test_order_address_before_route(api):
    for _ in range(ADDRESS_LIMIT):
        assert api.get("/v1/nothing").status_code == 404
    answer = api.get("/v1/nothing")
    assert (answer.status_code, answer.codes) == (429, ["rate_limited_ip"])
