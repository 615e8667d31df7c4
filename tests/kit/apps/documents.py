"""tests/kit/apps/documents.py - apps whose client id is the URL of a document on the site
agent-apps.net (tests/kit/portal/sites/agent-apps.net.conf), and the assertions that they sign.

    app = DocumentApp(site, "signs")        # or another of the site's kinds
    app.finish(visitor, app.consent_page(visitor))
"""

import base64
import json
import time
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from kit.apps.app import App

HOST = "agent-apps.net"
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
WITH_KEY = ("inside", "signs", "either")  # kinds whose documents name a key


def encode(data):
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    """A P-256 key with the id "1"."""

    def __init__(self):
        self._private = ec.generate_private_key(ec.SECP256R1())
        numbers = self._private.public_key().public_numbers()
        self.path = "/".join(encode(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))

    def sign(self, header, claims):
        text = f"{encode(header)}.{encode(claims)}"
        r, s = decode_dss_signature(self._private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class DocumentApp(App):
    """signs: whether requests without an assertion get one."""

    def __init__(self, site, kind="open", redirect=f"https://{HOST}/back", host=HOST):
        self.key = Key()
        path = f"{self.key.path}/{uuid.uuid4()}" if kind in WITH_KEY else str(uuid.uuid4())
        super().__init__(site, redirect, client_id=f"https://{host}/{kind}/{path}")
        self.signs = kind in ("inside", "signs")

    def assertion(self, key=None, header=None, **claims):
        """client_assertion and its type; a claim that is None is left out."""
        now = int(time.time())
        claims = {"iss": self.client_id, "sub": self.client_id, "aud": self.site.base_url, "exp": now + 60, "iat": now,
                  "jti": str(uuid.uuid4())} | claims
        header = {"alg": "ES256", "kid": "1"} | (header or {})
        signed = (key or self.key).sign(header, {name: value for name, value in claims.items() if value is not None})
        return {"client_assertion": signed, "client_assertion_type": ASSERTION_TYPE}

    def post(self, path, fields):
        if self.signs and path in ("/oauth/token", "/oauth/revoke"):
            fields = self.assertion() | dict(fields)
        return super().post(path, fields)
