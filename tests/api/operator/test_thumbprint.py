"""tests/api/operator/test_thumbprint.py - deploy/docker/init prints the thumbprint of an ACME
account's key (RFC 7638), from the files of lego and certbot."""

import base64
import hashlib
import json
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from kit.site import ROOT

INIT = ROOT / "deploy/docker/init"
# RFC 7638 section 3.1
EXAMPLE = {
    "kty": "RSA",
    "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj"
         "hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ"
         "vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK"
         "nqDKgw",
    "e": "AQAB", "alg": "RS256", "kid": "2011-04-29"}
EXAMPLE_THUMBPRINT = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
FORMATS = {"traditional": serialization.PrivateFormat.TraditionalOpenSSL, "PKCS 8": serialization.PrivateFormat.PKCS8}


def thumbprint(key):
    """The finished process."""
    return subprocess.run([INIT, "thumbprint"], input=key, capture_output=True, text=True, check=False, timeout=60)


def base64url(number, size):
    return base64.urlsafe_b64encode(number.to_bytes(size, "big")).decode().rstrip("=")


def public_members(key):
    numbers = key.public_key().public_numbers()
    if isinstance(key, rsa.RSAPrivateKey):
        return {"e": base64url(numbers.e, 3), "kty": "RSA", "n": base64url(numbers.n, key.key_size // 8)}
    size = key.key_size // 8
    return {"crv": f"P-{key.key_size}", "kty": "EC", "x": base64url(numbers.x, size), "y": base64url(numbers.y, size)}


def expected(key):
    digest = hashlib.sha256(json.dumps(public_members(key), separators=(",", ":")).encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def pem(key, form="PKCS 8"):
    return key.private_bytes(serialization.Encoding.PEM, FORMATS[form], serialization.NoEncryption()).decode()


def small_coordinate(curve):
    """A key whose x begins with a zero byte, which is part of the member."""
    for scalar in range(1, 2000):
        key = ec.derive_private_key(scalar, curve)
        if key.public_key().public_numbers().x >> (key.key_size - 8) == 0:
            return key
    raise AssertionError("no such key")


@pytest.mark.parametrize("indent", [None, 2])
def test_the_example_of_the_rfc(indent):
    assert thumbprint(json.dumps(EXAMPLE, indent=indent)).stdout == f"{EXAMPLE_THUMBPRINT}\n"


def test_members_with_similar_names_are_not_mixed_up():
    """A private key has d, p, q, dp, dq and qi, too, and may have `use`."""
    others = {name: f"wrong{name}" for name in ("d", "p", "q", "dp", "dq", "qi", "use", "en", "xkty")}
    for key in (others | EXAMPLE, EXAMPLE | others):
        assert thumbprint(json.dumps(key)).stdout == f"{EXAMPLE_THUMBPRINT}\n"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("make", [
    lambda: ec.generate_private_key(ec.SECP256R1()), lambda: ec.generate_private_key(ec.SECP384R1()),
    lambda: small_coordinate(ec.SECP256R1()), lambda: small_coordinate(ec.SECP384R1()),
    lambda: rsa.generate_private_key(65537, 2048)], ids=["P-256", "P-384", "P-256 0", "P-384 0", "RSA"])
def test_a_key_in_pem(make, form):
    key = make()
    assert thumbprint(pem(key, form)).stdout == f"{expected(key)}\n"


@pytest.mark.parametrize("key, problem", [
    ("", "has no key"), ("-----BEGIN CERTIFICATE-----\n", "has no key"), ("{}", "must be RSA"),
    (json.dumps(EXAMPLE | {"kty": "EC"}), "must be RSA"), (json.dumps(EXAMPLE | {"n": ""}), "must be RSA"),
    (pem(ec.generate_private_key(ec.SECP521R1())), "must be RSA, P-256 or P-384"),
    (pem(ed25519.Ed25519PrivateKey.generate()), "must be RSA, P-256 or P-384"),
], ids=["nothing", "no key", "no members", "EC in JSON", "no modulus", "P-521", "Ed25519"])
def test_another_key_is_rejected(key, problem):
    done = thumbprint(key)
    assert done.returncode == 1 and problem in done.stderr and done.stdout == ""
