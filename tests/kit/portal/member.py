"""tests/kit/portal/member.py - people with an account: made as by the operator's commands, signed
in by the page's form."""

import base64
import hashlib
import hmac
import itertools
import os
import struct
import time

from kit.portal.visitor import Visitor
from kit.site import PASSWORD

STEP_S = 30  # RFC 6238

_numbers = itertools.count(1)


def fresh_email(word="member"):
    """An address that is unique in this run."""
    return f"{word}-{os.getpid()}-{next(_numbers)}@people.example.com"


class Member:
    """A person with an account. password: the current one; secret: of the two-factor device, once
    on."""

    def __init__(self, site, credits=100, name="Jane Doe", email=None):
        self.site = site
        self.name = name
        self.email = email or fresh_email()
        self.password = PASSWORD
        self.secret = None
        self._step = 0  # the last code that was used
        self.account, self.id = site.open_member(name, self.email, credits)

    def sign_in(self, visitor=None, keep=False):
        """A signed-in visitor, with the code if one is asked for."""
        visitor = visitor or Visitor(self.site)
        page = self.give_password(visitor, keep)
        if self.secret is not None:
            page = visitor.submit(page.form("/portal/sign-in/code"), code=self.code())
        assert page.status_code == 200 and page.url.split("?")[0] == "/portal", page
        return visitor

    def give_password(self, visitor, keep=False):
        page = visitor.get("/portal/sign-in")
        return visitor.submit(page.form("/portal/sign-in"), email=self.email, password=self.password, keep=keep)

    def confirm(self, visitor, page):
        """The password, and a code with two-factor, on the page that asks for them again."""
        assert "Confirm your password" in page.text, page
        given = {"confirm_password": self.password} | ({"confirm_code": self.code()} if self.secret else {})
        return visitor.submit(page.form(page.url), **given)

    def turn_on_two_factor(self, visitor):
        """Returns the recovery codes."""
        page = visitor.get("/portal/two-factor")
        self.secret = page.element("secret").text.replace(" ", "")
        self._step = int(time.time()) // STEP_S - 1  # the current code: hashing the password takes a while
        page = visitor.submit(page.form("/portal/two-factor"), code=self.code(), confirm_password=self.password)
        assert page.status_code == 200, page
        return [item.text for item in page.element("codes").all("li")]

    def code(self):
        """A code that was not used yet: each step counts once, and the neighboring steps are
        accepted."""
        now = int(time.time()) // STEP_S
        self._step = max(now - 1, self._step + 1)
        assert self._step <= now + 1, "the codes of a minute are used up"
        return totp(self.secret, self._step)


def totp(secret, step):
    """RFC 6238 with SHA-1, 6 digits; secret in Base32."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", step), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7fffffff) % 1000000:06d}"
