"""tests/api/ai/test_lengths.py - texts that count together, and the message about their length."""

import pytest

from kit.client import Client

LONG, MORE = "a" * 3990, "b" * 20


@pytest.mark.parametrize("tool, request_of, names", [
    ("ai-translate", {"text": LONG, "context": MORE, "target_language": "de"}, "text and context together"),
    ("ai-moderation", {"text": LONG, "context": MORE}, "text and context together"),
    ("ai-image-generate", {"prompt": LONG, "negative_prompt": MORE}, "prompt and negative_prompt together"),
    ("ai-chat", {"prompt": LONG, "system": MORE}, "prompt and system together"),
    ("ai-chat", {"messages": [{"role": "system", "content": MORE}, {"role": "user", "content": LONG}]}, "messages"),
])
def test_the_message_names_the_fields(site, account, tool, request_of, names):
    answer = Client(site).call(account, tool, request_of)
    assert (answer.status_code, answer.codes) == (400, ["too_long"]), answer
    assert answer.message == f"{names} must have at most 4000 characters; they have 4010"
