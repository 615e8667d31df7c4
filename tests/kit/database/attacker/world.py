"""tests/kit/database/attacker/world.py - the accounts in an attacker's database: its own, and
others.

The superuser writes them column by column from the catalog, so this file depends on no function.
"""

import datetime
import hashlib
import re
import struct
import uuid

from kit.database.attacker.grammar import Grammar, adapted

TOOLS = {101: ("tool-1", 1, 1), 102: ("tool-5", 5, 4), 103: ("tool-7", 7, 7), 104: ("tool-40", 40, 30)}
NOT_SOLD = 99
GRANTS = 20  # sign-up grants of a day, where the database has a budget
BALANCE = re.compile(r"\b7000000\d\d\b")  # of every account except the attacker's, and only of these
ANSWER, OWN_ANSWER = b"answer kept for another account", b"answer kept for the attacker"
SESSIONS = ({"is_half": False}, {"is_half": True}, {"is_half": False, "hours": -1}, None)  # of the other accounts


def managing(digest):
    """The digest of the management token of the account with this token."""
    return digest[::-1]


def chained(head, account, seq, kind, amount, after, reference, tool, token, when):
    """The hash of an entry (docs/decisions/014-evidence.md)."""
    ids = [uuid.UUID(text).bytes if text else bytes(16) for text in (account, reference, token)]
    since = datetime.datetime.fromisoformat(when) - datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
    return hashlib.sha256(head + struct.pack(">16sqhqq16sH16sq", ids[0], seq, kind, amount, after, ids[1], tool, ids[2],
                                             since // datetime.timedelta(microseconds=1))).digest()


class World:
    def __init__(self, sql, catalog, rng):
        self._sql = sql
        self._tables = {table.name: table for table in catalog.tables()}
        self._rng = rng
        self.rounds = 0
        self.given = set()  # accounts for which the gateway received a token
        self.digests = set()  # of tokens that the attacker never received
        self.witnesses = []  # (table, key column, id) of rows that must not change
        self._grammar = Grammar(rng, catalog.options(), {101: (1,)}, {1: 1})
        self._grammar.forget(None)
        self._put("pack", pack_id=NOT_SOLD, name="old", credits=10**9, price_cents=1, is_sold=False)
        for column in {"in_all", "grants_in_all"} & {f.name for f in self._fields("signup_policy")}:
            self._sql(f"update signup_policy set {column} = {GRANTS}")
        for number, (name, price, before) in TOOLS.items():
            self._put("tool", tool_id=number, name=name, tool_group="group", rate_class="class", price=price,
                      price_before=before)

    def begin_round(self, grammar, is_gateway):
        """Make an account for the attacker and four others; give the grammar what such a process
        knows."""
        self.rounds += 1
        digest = self._rng.randbytes(32)
        own = self._account(10**6, digest, SESSIONS[0], grammar, is_own=True)
        for session in SESSIONS:
            other = self._rng.randbytes(32)
            self.digests.add(other)
            self._account(None, other, session, grammar, knows=("account", "token") if is_gateway else None)
        self.given.add(own)
        grammar.digests = [digest, managing(digest)]

    def _account(self, credits, digest, session, grammar, is_own=False, knows=None):
        new, number = self._grammar.new_id, self._rng.randrange(10**9)
        account, token, member, used, held = (new() for _ in range(5))
        tool, (_, price, _) = self._rng.choice(list(TOOLS.items()))
        posted = credits or 700_000_000 + self._rng.randrange(100)
        is_capped = is_own and self.rounds % 4 == 3
        answer = OWN_ANSWER if is_own else ANSWER
        self._put("account", account_id=account, name="x", limits_off=self.rounds % 4 > 0, created_at=at(-2))
        head, when = bytes(32), at(-1)
        for seq, kind, amount, after, by in ((1, 5, posted + price, posted + price, None),
                                             (2, 3, -price, posted, token)):
            head = chained(head, account, seq, kind, amount, after, used, tool if by else 0, by, when)
            self._put("ledger_entry", account_id=account, seq=seq, kind=kind, amount=amount, balance_after=after,
                      reference=used, tool_id=tool if by else None, token_id=by, at=when, hash=head)
        self._put("account_balance", account_id=account, posted=posted, granted=posted + price, used=price, seq=2,
                  held=price, head=head)
        self._put("token", account_id=account, token_id=token, digest=digest, last4="abcd", created_at=at(-2),
                  kind=1, cap_total=10**6 if is_capped else None, spent_total=2 * price if is_capped else None,
                  spent_today=2 * price if is_capped else None, spent_day=at(-1)[:10] if is_capped else None)
        if is_own:  # a gateway has seen its management token
            self._put("token", account_id=account, token_id=new(), digest=managing(digest), last4="abcd",
                      created_at=at(-2), expires_at=at(20), kind=5, scopes="{tokens:read,tokens:write}")
        self._put("hold", account_id=account, hold_id=held, amount=price, tool_id=tool, token_id=token,
                  created_at=at(-1), expires_at=at(2))
        self._put("idempotency", account_id=account, key_hash=digest[::-1], fingerprint=digest, hold_id=used,
                  is_done=True, headers="x", body=answer, expires_at=at(20))
        self._put("large_response", account_id=account, hold_id=used, piece=0, size=len(answer), bytes=answer,
                  expires_at=at(20))
        self._put("daily_quota", account_id=account, tool_id=tool, day=at(0)[:10], used=3)
        self._put("member", member_id=member, account_id=account, email=f"m{number}@example.com",
                  email_key=f"m{number}@example.com", password="x", password_at=at(-2), created_at=at(-2))
        known = {"account": account, "token": token, "member": member}
        if session:
            known["session"] = self._session(member, **session)
        links = [self._link(kind, who, number, hours) for kind, who, hours in (
            ("signup", None, 1), ("signup", None, -1), ("reset", member, 1), ("email", member, 1), ("undo", member, 1))]
        if is_own:
            self._grammar.own = account
            grammar.forget(account)
            known["hold"] = held
        else:
            self.witnesses += [("hold", "hold_id", held), ("idempotency", "hold_id", used),
                               ("daily_quota", "account_id", account)]
        for kind, value in [*known.items(), *(("link", link) for link in links)]:
            if not knows or kind in knows:
                grammar.learn(kind, account, value)
        return account

    def _session(self, member, is_half, hours=1):
        session = self._grammar.new_id()
        self._put("session", session_id=session, cookie=hashlib.sha256(session.encode()).digest(), member_id=member,
                  is_half=is_half, is_kept=False, created_at=at(-1), seen_at=at(0), expires_at=at(hours),
                  confirmed_at=at(0))
        return session

    def _link(self, kind, member, number, hours):
        link = self._grammar.new_id()
        email = f"{kind}{number}{hours}@example.com"
        self._put("link", link_id=link, kind=kind, member_id=member, email=email, email_key=email, created_at=at(-2),
                  expires_at=at(hours), used_at=None, since=at(-2) if kind == "undo" else None)
        return link

    def _fields(self, table):
        return self._tables[table].fields if table in self._tables else []

    def _put(self, table, **values):
        """Insert a row; a required column that is not given gets a plausible value."""
        if table not in self._tables:
            return
        self._grammar.focus = {"tool": 101, "pack": 1, "number": 1}
        columns = [f for f in self._tables[table].fields if f.name in values or not f.is_optional]
        row = [adapted(values[f.name] if f.name in values else self._grammar.good(f)) for f in columns]
        self._sql(f"insert into {table} ({', '.join(f.name for f in columns)})"
                  f" values ({', '.join(f'%s::{f.type}' for f in columns)})", *row)


def at(hours):
    return str(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours))
