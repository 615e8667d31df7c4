"""tests/api/portal/test_choices.py - the usual values that a contract offers for a text: the
tool knows each of them."""

import pytest

from kit.contracts import CONTRACTS, send

CHOICES = [(tool, name, value) for tool, contract in CONTRACTS.items()
           for name, field in contract["request"]["properties"].items() for value in field.get("choices", [])]
LOTTIE = {"kind": "sticker", "id": "7", "format_type": 3}
FITTING = {("chatplatform-cdn-resolve", "json"): LOTTIE, ("chatplatform-cdn-resolve", "lottie"): LOTTIE}


@pytest.mark.parametrize("tool, name, value", CHOICES)
def test_choice(api, account, tool, name, value):
    request = FITTING.get((tool, value), CONTRACTS[tool]["examples"][0]["request"]) | {name: value}
    answer = send(api, account, CONTRACTS[tool], request)
    assert answer.status_code == 200, answer.body


def test_there_are_choices():
    assert ("hash-generate", "algorithm", "SHA3-256") in CHOICES
