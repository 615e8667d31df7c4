"""tests/kit/portal/buckets.py - empties the throttle's buckets without real attempts, because each
password attempt takes a tenth of a second of CPU. The sizes are the contract's; the portal must use
the same (portal/base/throttle.c)."""

import base64
import datetime
import hashlib
import hmac
from pathlib import Path

SECRET_USE = 6  # SECRET_THROTTLE of portal/base/secret.h

# kind of portal/base/throttle.h: its number, its size, and seconds until one attempt is returned
BUCKETS = {
    "sign-in address": (0, 20, 30),
    "sign-in email": (1, 10, 60),
    "sign-in device": (2, 10, 30),
    "confirm": (3, 10, 60),
    "code": (4, 10, 60),
    "entry address": (5, 5, 600),
    "mail": (6, 3, 3600),
    "refusals": (7, 20, 180),
    "refresh": (15, 10, 60),
}


def subkey(secret, use):
    """libsodium's crypto_kdf_derive_from_key(): BLAKE2b keyed by the secret, salted by the use."""
    return hashlib.blake2b(key=secret, digest_size=32, salt=use.to_bytes(8, "little") + bytes(8),
                           person=b"tollgate" + bytes(8)).digest()


class Buckets:
    def __init__(self, site, ledger):
        [file] = Path(site.config).parent.rglob("portal.secret")
        self._key = subkey(bytes.fromhex(file.read_text().split()[0]), SECRET_USE)
        self._ledger = ledger

    def leave(self, kind, who, left):
        """Allow this many more; who: as in portal/base/throttle.h."""
        _, burst, each_s = BUCKETS[kind]
        self._ledger.rows(
            "insert into throttle (key, full_at) values (%s, ledger_now() + %s)"
            " on conflict (key) do update set full_at = excluded.full_at",
            self._bucket(kind, who), datetime.timedelta(seconds=each_s * (burst - left)))

    def know(self, kind, who):
        """Whether any attempt was counted so far."""
        return self._ledger.rows("select exists (select from throttle where key = %s)", self._bucket(kind, who))[0][0]

    def _bucket(self, kind, who):
        return hmac.new(self._key, f"{BUCKETS[kind][0]} {who}".encode(), hashlib.sha256).digest()


def address(text):
    """The key of an IPv4 address."""
    return f"::ffff:{text}"


def device(visitor):
    """The key of a known device: the digest of its cookie, as statements write it."""
    value = base64.urlsafe_b64decode(visitor.cookies["__Host-device"] + "=")
    return "\\x" + hashlib.sha256(value).hexdigest()
