"""tests/kit/database/apps.py - connected apps: the database functions of gateway/sql/009-apps.sql
as the portal calls them, and a model of them.

The portal makes codes and tokens from ids and numbers. Here a token is only a digest: of the
connection's id, the token's number, and the line of portal.secret.
"""

import hashlib
import json
import random
import uuid
from collections import namedtuple

import psycopg2

HOUR_S, DAY_S = 3600, 86400
TTL_S, GRACE_S, REFRESH_S, CODE_S = 8 * HOUR_S, HOUR_S, 90 * DAY_S, 300

Answer = namedtuple("Answer", "outcome token access_no refresh_no line expires_in scopes")


def sha256(text):
    return hashlib.sha256(text.encode()).digest()


def digest(token, access_no, line=1):
    return sha256(f"{token} {access_no} {line}")


class Apps:
    """The functions, over one connection per role; now_s moves the ledger's clock."""

    def __init__(self, db):
        self._lines = {role: psycopg2.connect(db.url(role)) for role in ("tollgate_owner", "tollgate_portal")}
        for line in self._lines.values():
            line.autocommit = True
        self.now_s = 0

    def close(self):
        for line in self._lines.values():
            line.close()

    def sql(self, statement, *values, role="tollgate_portal"):
        with self._lines[role].cursor() as cursor:
            cursor.execute(f"set tollgate.clock_shift_ms = {int(self.now_s * 1000)}; {statement}", values)
            return cursor.fetchall() if cursor.description else []

    def one(self, statement, *values, role="tollgate_portal"):
        [row] = self.sql(statement, *values, role=role)
        return row[0] if len(row) == 1 else row

    def owner(self, statement, *values):
        return self.sql(statement, *values, role="tollgate_owner")

    # -- what members do --

    def member(self):
        """(account, member)"""
        link, account, member = (str(uuid.uuid4()) for _ in range(3))
        email = f"{member}@example.com"
        self.owner("insert into link (link_id, kind, email, email_key, created_at, expires_at)"
                   " values (%s, 'signup', %s, %s, ledger_now(), ledger_now() + interval '1 hour')", link, email, email)
        opened = self.one("select member_open(%s, %s, %s, 'Ada', 'hash', '192.0.2.0/24')", link, account, member)
        assert opened in ("done", "withheld"), opened  # without credits, beyond the day's budget
        return account, member

    def session(self, member):
        session = str(uuid.uuid4())
        self.sql("select session_open(%s, %s, %s, 'hash', true, '192.0.2.0/24', 'Firefox')", session,
                 uuid.uuid4().bytes * 2, member)
        return session

    def consent(self, session, code, token, client="client", days=None, **changed):
        row = {"code_id": code, "token_id": token, "is_update": False, "client_key": "\\x" + sha256(client).hex(),
               "client_host": "", "client_name": "An app", "needs_key": False, "redirect_uri": "https://app.test/back",
               "redirect_host": "app.test", "state": "s", "challenge": "\\x" + sha256("verifier").hex(), "name": "app",
               "scopes": ["utils"], "cap_daily": 100, "cap_total": None, "network": "192.0.2.0/24",
               "agent": "Firefox"} | changed
        return self.one("select oauth_consent(%s, %s, %s)", session, days, json.dumps(row))

    # -- what apps do --

    def exchange(self, account, code, client="client", uri="https://app.test/back", verifier="verifier", has_key=False,
                 access_no=None):
        """As the portal does: it reads the access token's number, and again if that changed."""
        [[token, number]] = self.sql(
            "select c.token_id::text, coalesce(g.access_no, 0) + 1 from oauth_code c left join oauth_grant g"
            " using (account_id, token_id) where c.account_id = %s and c.code_id = %s", account, code) or [[None, 1]]
        number = access_no or number
        return Answer(*self.one("select * from oauth_exchange(%s, %s, %s, %s, %s, %s, %s, %s, %s, 'aaaa')", account, code,
                                sha256(client), uri, sha256(verifier), has_key, TTL_S, number, digest(token, number)))

    def refresh(self, account, token, number, client="client", has_key=False, access_no=None, lines=(1,)):
        """lines: of portal.secret, the newest first."""
        seen = access_no or self.one("select max(access_no) from oauth_grant where account_id = %s and token_id = %s",
                                     account, token) or 0
        return Answer(*self.one(
            "select * from oauth_refresh(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'aaaa')", account, token, number,
            sha256(client), has_key, GRACE_S, TTL_S, seen, [digest(token, seen, line) for line in lines],
            digest(token, seen + 1, lines[0])))

    def revoke(self, account, token, number=None, access_no=None, client="client", has_key=False):
        return self.one("select oauth_revoke(%s, %s, %s, %s, %s, %s)", account, token, number,
                        digest(token, access_no) if access_no else None, sha256(client), has_key)

    def document(self, url):
        """The stored row as {column: value}, or None."""
        [[row]] = self.sql("select to_jsonb(d) from oauth_document_read(%s) d", sha256(url))
        return row if row and row["url"] else None

    def call(self, account, token, access_no, line=1):
        """Is a call with this access token admitted? If so, it is noted as gateways do."""
        return self.one(
            "with t as (update token set last_used_at = ledger_now() where account_id = %(a)s and digest = %(d)s"
            "            and (last_used_at > ledger_now() - interval '5 minutes') is not true)"
            " select count(*) = 1 from token where account_id = %(a)s and digest = %(d)s and revoked_at is null"
            "    and expires_at > ledger_now()".replace("%(a)s", "%s").replace("%(d)s", "%s"),
            account, digest(token, access_no, line), account, digest(token, access_no, line), role="tollgate_owner")

    # -- what is stored --

    def grant(self, account, token):
        """The grant as {column: value}, or None."""
        rows = self.owner("select to_jsonb(g) || jsonb_build_object('is_revoked', t.revoked_at is not null,"
                          " 'digest', encode(t.digest, 'hex'), 'spent_total', t.spent_total, 'cap_daily', t.cap_daily,"
                          " 'scopes', t.scopes, 'life', extract(epoch from t.expires_at - ledger_now()))"
                          " from oauth_grant g join token t using (account_id, token_id)"
                          " where g.account_id = %s and g.token_id = %s", account, token)
        return rows[0][0] if rows else None


class Model:
    """A connection by the contract's rules, without SQL: times in seconds."""

    def __init__(self):
        self.is_made = self.is_ended = False
        self.access_no = self.refresh_no = self.first_no = 0
        self.rotated = self.issued = self.expires = self.until = self.used = None
        self.ends = None

    def _issue(self, now):
        self.access_no += 1
        self.issued, self.expires = now, now + TTL_S if self.ends is None else min(now + TTL_S, self.ends)
        if self.used is not None:
            self.used = min(self.used, now - 301)

    def exchange(self, now, is_update, code_made, is_used, session_lives, ends):
        if not session_lives or now >= code_made + CODE_S or (ends is not None and ends <= now):
            return "refused"
        if is_used:
            if not self.is_made or self.is_ended:
                return "refused"
            self.is_ended = True
            return "replayed"
        if not (self.is_made and not self.is_ended if is_update else not self.is_made):
            return "refused"
        self.ends = ends
        self.refresh_no += 1
        self.first_no, self.rotated, self.until, self.is_made = self.refresh_no, now, now + REFRESH_S, True
        self._issue(now)
        return "done"

    def refresh(self, now, number):
        if not self.is_made or self.is_ended or number < self.first_no or number > self.refresh_no or \
                now >= self.until or (self.ends is not None and now >= self.ends):
            return "refused"
        if number == self.refresh_no:
            self.refresh_no, self.rotated = number + 1, now
        else:
            is_unused = self.issued >= self.rotated and (self.used is None or self.used < self.issued)
            if number != self.refresh_no - 1 or not (self.rotated > now - GRACE_S or is_unused):
                self.is_ended = True
                return "replayed"
        later = now + TTL_S if self.ends is None else min(now + TTL_S, self.ends)
        if later > self.expires and self.expires - now < (self.expires - self.issued) / 2:
            self._issue(now)
        self.until = now + REFRESH_S
        return "done"

    def call(self, now, access_no):
        if not self.is_made or access_no != self.access_no:
            return False
        if self.used is None or self.used <= now - 300:
            self.used = now  # gateways write it for admitted calls only; an ended token is not asked again
        return not self.is_ended and now < self.expires


class Play:
    """One connection, what an app and an attacker may hold of it, and its model."""

    def __init__(self, apps, dice):
        self.apps, self.dice, self.model = apps, dice, Model()
        self.account, self.member = apps.member()
        self.session = apps.session(self.member)
        self.token = str(uuid.uuid4())
        self.codes = []  # [id, is_update, made at, was used, session lives, ends]
        self.consent()

    def now(self):
        return self.apps.now_s

    def consent(self):
        is_update = self.model.is_made and self.dice.random() < 0.8
        days = self.dice.choice([None, None, 1, 30])
        code = str(uuid.uuid4())
        outcome = self.apps.consent(self.session, code, self.token, is_update=is_update, days=days)
        expected = ("gone" if self.model.is_ended else "done") if is_update else \
            "changed" if self.model.is_made else "done"
        assert outcome == expected
        if outcome == "done":
            ends = None if days is None else self.now() + days * DAY_S
            self.codes.append([code, is_update, self.now(), False, True, ends])

    def exchange(self):
        code = self.dice.choice(self.codes)
        expected = self.model.exchange(self.now(), *code[1:])
        assert self.apps.exchange(self.account, code[0]).outcome == expected
        code[3] |= expected == "done"

    def refresh(self):
        number = self.model.refresh_no - self.dice.choice([0, 0, 0, 1, 1, 2, 3, -1])
        expected = self.model.refresh(self.now(), number)
        answer = self.apps.refresh(self.account, self.token, number)
        assert answer.outcome == expected
        if expected == "done":
            assert (answer.access_no, answer.refresh_no) == (self.model.access_no, self.model.refresh_no)
            assert answer.expires_in > 0

    def call(self):
        number = max(1, self.model.access_no - self.dice.choice([0, 0, 0, 1]))
        if self.model.is_made and self.now() < self.model.expires:  # only admitted calls are noted
            assert self.apps.call(self.account, self.token, number) == self.model.call(self.now(), number)

    def wait(self):
        self.apps.now_s += self.dice.choice([7, 200, 400, HOUR_S // 2, 2 * HOUR_S, 3 * HOUR_S, 5 * HOUR_S, DAY_S,
                                             40 * DAY_S])
        self.session = self.apps.session(self.member)  # the older ones outlive their codes

    def end(self):
        if self.dice.random() < 0.1 and self.codes:
            self.apps.sql("select session_end(%s, null, null)", self.member)
            self.session = self.apps.session(self.member)
            for code in self.codes:
                code[4] = False
        if self.dice.random() < 0.2:
            self.apps.one("select oauth_end(%s, %s, 'member')", self.account, self.token)
            self.model.is_ended |= self.model.is_made

    def check(self):
        grant = self.apps.grant(self.account, self.token)
        assert (grant is not None) == self.model.is_made
        if grant:
            assert (grant["access_no"], grant["refresh_no"], grant["first_no"], grant["state"]) == (
                self.model.access_no, self.model.refresh_no, self.model.first_no, 2 if self.model.is_ended else 1)
            assert grant["is_revoked"] == self.model.is_ended
            assert grant["digest"] == digest(self.token, self.model.access_no).hex()


STEPS = (["refresh"] * 6, ["call"] * 3, ["wait"] * 4, ["exchange"] * 2, ["consent"], ["end"])


def play(apps, seed):
    dice = random.Random(seed)
    apps.now_s = 0
    game = Play(apps, dice)
    done = ["consent"]
    try:
        for _ in range(25):
            done.append(dice.choice(sum(STEPS, [])))
            apps.now_s += 1  # the model knows only its own time, so no two steps may be at the same
            if done[-1] == "exchange" or game.model.is_made or done[-1] == "consent":
                getattr(game, done[-1])()
            game.check()
    except AssertionError as failure:
        raise AssertionError(f"seed {seed}, after {' '.join(done)}: {failure}") from failure
    return game.model
