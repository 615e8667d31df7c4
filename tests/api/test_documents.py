"""Public documents: /openapi.json (test_openapi.py checks its content), /v1/tools, /llms.txt."""

import re

import pytest
import yaml

from kit.check import ROOT
from kit.contracts import CONTRACTS, goes_out, is_get

LIMITS = yaml.safe_load((ROOT / "gateway" / "limits.yaml").read_text())["classes"]
DOCUMENTS = {"/openapi.json": "application/json", "/v1/tools": "application/json",
             "/llms.txt": "text/markdown; charset=utf-8"}
OTHERS = ['"0123456789abcdef"', 'W/"x"', "abc", ""]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_document(api, path):
    """One form for everybody; a repeated request with its ETag costs nothing."""
    answer = api.get(path)
    tag = answer.headers["ETag"]
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, DOCUMENTS[path]), answer
    for known in (tag, f"W/{tag}", f'"a", {tag} , "b"', "*"):
        again = api.get(path, {"If-None-Match": known})
        assert (again.status_code, again.body, again.headers["ETag"]) == (304, b"", tag), again
        assert "Content-Length" not in again.headers, again
    for other in OTHERS:
        assert api.get(path, {"If-None-Match": other}).status_code == 200


@pytest.mark.parametrize("path", DOCUMENTS)
def test_methods(api, path):
    whole = api.get(path)
    head = api.request("HEAD", path)
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(whole.body)))
    assert head.headers["ETag"] == whole.headers["ETag"]
    assert api.request("POST", path, "{}").codes == ["method_not_allowed"]


def test_nothing_else_allows_other_origins(api, account):
    """A key that spends money does not belong in a page's script."""
    origin = {"Origin": "https://evil.example"}
    for answer in (api.call(account, "hash-generate", {"input": "a"}, origin),
                   api.read(account, "account/credits", origin), api.get("/v1/nothing", origin)):
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], answer


def limits_of(contract):
    names = {"endpoint_per_minute": "endpoint_per_minute", "class_per_minute": "class_per_minute",
             "daily_per_tool": "daily"}
    return {names[name]: limit for name, limit in LIMITS[contract["rate_class"]].items()}


def test_tools(api):
    result = api.get("/v1/tools").result
    assert result["api_version"] == api.get("/openapi.json").json()["info"]["version"]
    assert result["signup_credits"] == 100
    assert result["packs"] == [{"credits": 250, "usd": "5.00"}, {"credits": 1500, "usd": "15.00"},
                               {"credits": 5000, "usd": "39.00"}]
    assert result["tools"] == [
        {"name": name, "title": contract["title"], "summary": contract["summary"],
         "group": contract["group"], "method": "GET" if is_get(contract) else "POST",
         "credits": contract["credits"], "limits": limits_of(contract), "budget_ms": contract["budget_ms"],
         "retryable": contract.get("retryable", False), "open_world": goes_out(contract)}
        for name, contract in sorted(CONTRACTS.items())]


def test_llms(site, api):
    text = api.get("/llms.txt").body.decode()
    assert len(text.encode()) <= 12 * 1024
    title, quote, *_ = text.split("\n\n")
    assert title == "# Tollgate" and quote.startswith("> ")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Start", "Tools"]
    assert f"]({site.base_url}/docs): " in text
    lines = re.findall(r"^- \[([a-z0-9-]+)\]\((\S+)\): (.*) \((\d+) credits?\)$", text, re.MULTILINE)
    assert [(name, summary, int(credits)) for name, _, summary, credits in lines] == [
        (name, contract["summary"], contract["credits"]) for name, contract in sorted(CONTRACTS.items())]
    assert {link for name, link, *_ in lines} == {f"{site.base_url}/tools/{name}" for name in CONTRACTS}


# -- the windows in response headers --


@pytest.mark.parametrize("tool, request_, name, limit", [
    ("hash-generate", {"input": "a"}, "endpoint", 30),
    ("email-validator", {"email": "jane@example.com"}, "class", 10)])
def test_windows(api, account, tool, request_, name, limit):
    answer = api.call(account, tool, request_)
    assert answer.headers["RateLimit-Policy"] == f'"{name}";q={limit};w=60'
    assert re.fullmatch(f'"{name}";r={limit - 1};t=(59|60)', answer.headers["RateLimit"])


def test_windows_of_the_account(api, account):
    """Its own calls have no other window; once other tools have filled it, it is the tightest one
    for all."""
    answer = api.read(account, "account/credits")
    assert answer.headers["RateLimit-Policy"] == '"global";q=60;w=60'
    for tool, request in (("cron-explain", {"expression": "* * * * *"}), ("jwt-decode", {})):
        for _ in range(31):
            api.call(account, tool, request | ({"token": "a.b.c"} if tool == "jwt-decode" else {}))
    answer = api.call(account, "hash-generate", {"input": "a"})
    assert answer.headers["RateLimit-Policy"] == '"global";q=60;w=60', answer


def test_windows_of_the_day(api, account):
    answer = api.call(account, "ai-moderation", {"text": "Good morning"})
    assert answer.headers["RateLimit-Policy"] == '"endpoint";q=10;w=60, "daily";q=10;w=86400'
    assert re.fullmatch(r'"endpoint";r=9;t=(59|60)', answer.headers["RateLimit"])
