"""tests/api/portal/test_payments_start.py - a public portal does not start with settings that give
credits away."""

import os
import subprocess
from pathlib import Path

import pytest

ELSEWHERE = "https://api.example.com"
PASSED = "/nowhere"  # a later problem: the setting under test was correct


@pytest.fixture
def refusal(site, tmp_path):
    """The message of a portal that exits with these settings; {name} is a file with that text."""
    def start(files, **settings):
        def value(text):
            for name, content in files.items():
                (tmp_path / name).write_text(content)
                text = text.replace(f"{{{name}}}", str(tmp_path / name))
            return text
        own = {f"TOLLGATE_{name.upper()}": value(text) for name, text in settings.items()}
        program = Path(site.tollctl_program).parents[1] / "portal" / "tollgate-portal"
        done = subprocess.run([program, "--config", site.config], text=True, timeout=30, check=False,
                              env=os.environ | {"TOLLGATE_PORTAL_FILES_DIR": PASSED} | own, capture_output=True)
        assert done.returncode == 78
        assert not any(content in done.stderr for content in files.values() if content.strip())
        return done.stderr
    return start


@pytest.mark.parametrize("url, starts", [
    ("https://localhost", True), ("https://LOCALHOST:8443", True), ("https://127.0.0.1:8443", True),
    ("https://127.8.9.1", True), ("https://[::1]:8443", True), ("https://shop.test", True),
    ("https://Shop.TEST:8443/", True),
    (ELSEWHERE, False), ("https://test", False), ("https://localhost.example.com", False), ("https://shoptest", False),
    ("https://128.0.0.1", False), ("https://127.0.0.1.example.com", False), ("https://[::2]", False),
    ("https://shop.test.example.com", False), ("https://10.0.0.1", False),
])
def test_where_no_money_moves(refusal, url, starts):
    said = refusal({}, payments_provider="test", gateway_public_url=url)
    assert (PASSED in said) == starts and ("payments.provider test" in said) != starts


@pytest.mark.parametrize("key, url, ok, starts", [
    ("sk_test_1", "https://localhost", "false", True), ("rk_test_1\n", "https://shop.test", "false", True),
    ("sk_test_1", ELSEWHERE, "false", False), ("rk_test_1", ELSEWHERE, "false", False),
    ("sk_test_1", ELSEWHERE, "true", True), ("sk_live_1", ELSEWHERE, "false", True),
    ("rk_live_1", "https://localhost", "false", True),
])
def test_keys_of_stripe(refusal, key, url, ok, starts):
    said = refusal({"key": key, "secret": "whsec_1"}, payments_provider="stripe", gateway_public_url=url,
                   payments_allow_test_key=ok, payments_stripe_key_file="{key}",
                   payments_stripe_webhook_secret_file="{secret}")
    assert (PASSED in said) == starts and ("card 4242" in said) != starts


@pytest.mark.parametrize("key, secret, settings, word", [
    ("pk_live_1", "whsec_1", {}, "payments.stripe_key_file"),
    ("sk_live_1\nsk_live_2", "whsec_1", {}, "payments.stripe_key_file"),
    ("sk_live_1 ", "whsec_1", {"payments_stripe_key_file": ""}, "payments.stripe_key_file"),
    ("sk_live_1", "sesame", {}, "payments.stripe_webhook_secret_file"),
    ("sk_live_1", "whsec_1\nwhsec_2\nwhsec_3\nwhsec_4", {}, "payments.stripe_webhook_secret_file"),
    ("sk_live_1", "whsec_1", {"payments_stripe_webhook_secret_file": ""}, "payments.stripe_webhook_secret_file"),
    ("sk_live_1", "whsec_1", {"payments_stripe_url": "http://api.stripe.com"}, "payments.stripe_url"),
    ("sk_live_1", "whsec_1", {"payments_stripe_checkout_origin": "https://x/"}, "payments.stripe_checkout_origin"),
    ("sk_live_1", "whsec_1", {"payments_order_ttl_s": "2399"}, "payments.order_ttl_s"),
    ("sk_live_1", "whsec_1", {"payments_order_ttl_s": "82801"}, "payments.order_ttl_s"),
    ("sk_live_1", "whsec_1", {"payments_provider": "paypal"}, "payments.provider"),
])
def test_problems_are_named(refusal, key, secret, settings, word):
    said = refusal({"key": key, "secret": secret}, **({
        "payments_provider": "stripe", "payments_stripe_key_file": "{key}",
        "payments_stripe_webhook_secret_file": "{secret}"} | settings))
    assert word in said and PASSED not in said


@pytest.mark.parametrize("series, starts", [
    ("INV", True), ("A1234567890B", True), ("", False), ("TEST", False), ("CN", False), ("inv", False), ("1A", False),
    ("INV-1", False), ("A1234567890BC", False)])
def test_the_series_of_invoices(refusal, series, starts):
    said = refusal({}, payments_provider="none", payments_invoice_series=series)
    assert (PASSED in said) == starts and ("payments.invoice_series must be a capital letter" in said) != starts
