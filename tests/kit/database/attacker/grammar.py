"""tests/kit/database/attacker/grammar.py - statements with hostile values, made from the catalog.

An episode has a focus: one account and one id of each kind, which most arguments of its statements
use. So the steps of one order, link or call follow each other. GOOD has plausible values by name;
arguments with other names get a plausible value of their type.
"""

import datetime
import json
import re
import uuid
from collections import deque, namedtuple

from psycopg2 import Binary

# args: {short name: value}, of a call
Statement = namedtuple("Statement", "label text values args")

KINDS = ("hold", "order", "member", "session", "link", "token")
INTEGERS = {"smallint": 15, "integer": 31, "bigint": 63}
TEXTS = ["", "x", "x" * 1000, "'; --", "\\x00", "%s", "{NULL}", "ä€😀", "null", "account", "tollgate_owner", "-1"]
TIMES = ["infinity", "-infinity", "epoch", "now", "yesterday", "tomorrow", "4714-11-24 BC", "294276-12-31"]

# {name, or name:type: plausible value}
GOOD = {
    "token:bytea": lambda g: g.pick(*g.digests), "management": lambda g: g.pick(*g.digests),
    "address:inet": lambda g: g.pick("192.0.2.7", "2001:db8::7", None), "networks": lambda g: "192.0.2.0/24",
    "act": lambda g: g.pick("list", "get", "create", "change", "revoke", "rotate"), "settings": lambda g: g.settings(),
    "key": lambda g: g.pick(None, None, *g.keys), "keys": lambda g: g.pick(*g.keys),
    "fingerprint": lambda g: g.pick(*g.keys[:2]),
    "tool": lambda g: g.focus["tool"], "tool:smallint": lambda g: g.focus["tool"],
    "amount": lambda g: g.pick(*g.prices[g.focus["tool"]]), "op": lambda g: g.rng.randrange(7),
    "endpoint_limit": lambda g: g.pick(None, 60), "class_limit": lambda g: g.pick(None, None, 10),
    "global_limit": lambda g: 60, "daily_limit": lambda g: g.pick(None, None, 10),
    "ttl_ms": lambda g: g.pick(None, None, 60000, 5), "since": lambda g: g.pick(None, None, None, 0),
    "skip": lambda g: g.chance(0.1), "grant": lambda g: g.pick(0, 100, 10000), "ttl_s": lambda g: 3600,
    "pack": lambda g: g.focus["pack"], "number": lambda g: g.focus["number"], "facts": lambda g: g.facts(),
    "provider": lambda g: "test" if g.chance(0.1) else "stripe", "test": lambda g: None, "here": lambda g: "test",
    "session:text": lambda g: f"cs_{g.an_order()}", "ref": lambda g: f"cs_{g.an_order()}",
    "limit": lambda g: g.pick(1, 100), "first": lambda g: 1, "last": lambda g: 1000,
    "scopes": lambda g: g.pick("account", "tool-1"), "template": lambda g: g.pick("receipt", "closed"),
    "email": lambda g: f"a{g.rng.randrange(99)}@example.com", "email_key": lambda g: f"k{g.rng.randrange(9999)}",
    "password": lambda g: "$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
    "network": lambda g: f"198.51.{g.rng.randrange(99)}.0/24", "budgets": lambda g: f"domain d{g.rng.randrange(99)}",
    "is_half": lambda g: g.chance(0.3), "used_at": lambda g: None, "revoked_at": lambda g: None,
    "totp_secret": lambda g: None, "totp_at": lambda g: None, "misses": lambda g: 0,
}


def short(name):
    return re.sub(r"^[a-z]_|_id$", "", name)


class Grammar:
    def __init__(self, rng, options, prices, packs):
        self.rng, self._options, self.prices, self._packs = rng, options, prices, packs
        self.pools = {}
        self.digests = []
        self.keys = [rng.randbytes(32) for _ in range(4)]
        self.hostility = 0

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, *values):
        return self.rng.choice(values)

    def new_id(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    # -- what the attacker knows --

    def forget(self, own):
        """A new world: the attacker's own account only."""
        self.own = own
        self.pools = {kind: deque(maxlen=100) for kind in KINDS} | {"account": deque([(own, own)], maxlen=100)}

    def learn(self, kind, account, value):
        if value and (account, value) not in self.pools[kind]:
            self.pools[kind].append((account, value))

    def refocus(self):
        account = self.own if self.chance(0.7) else self.pick(*self.pools["account"])[1]
        self.focus = {"account": account, "tool": self.pick(*self.prices), "pack": self.pick(*self._packs), "number": 1}
        for kind in KINDS:
            mine = [value for owner, value in self.pools[kind] if owner == account]
            every = [value for _, value in self.pools[kind]]
            source = self.rng.random()
            known = mine if source < 0.6 else every if source < 0.8 else []
            if known:
                self.focus[kind] = self.pick(*known)
            else:
                self.renew(kind)
        self.hostility = self.pick(0, 0.03, 0.1, 0.4)

    def renew(self, kind):
        self.focus[kind] = self.new_id()
        self.learn(kind, self.focus["account"], self.focus[kind])

    # -- values --

    def value(self, field):
        if self.chance(self.hostility / 4):
            return None
        return self.hostile(field.base) if self.chance(self.hostility) else self.good(field)

    def good(self, field):
        name, base = short(field.name), field.base
        make = GOOD.get(f"{name}:{base}") or GOOD.get(name)
        if base == "uuid":
            return self._id(name)
        if make:
            return make(self)
        fitting = [o for o in self._options.get(name, ()) if isinstance(o, str) == (base == "text")]
        return self.pick(*fitting) if fitting else self._plausible(name, base)

    def _id(self, name):
        if name == "hold" and self.chance(0.3):
            self.renew("hold")
        return self.focus[name] if name in self.focus else self.new_id()

    def _plausible(self, name, base):
        if base in INTEGERS or base == "numeric":
            return self.pick(0, 1, 2, 10, 100)
        if base.startswith("timestamp") or base == "date":
            hours = 1 if re.search("expires|until|next|due|_to$|^to$", name) else -0.01
            return str(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours))
        return {"boolean": self.chance(0.5), "bytea": self.rng.randbytes(32), "jsonb": {}}.get(base, "abcd")

    def hostile(self, base):
        if base in INTEGERS or base == "numeric":
            edge = 1 << INTEGERS.get(base, 63)
            price = self.pick(*self.pick(*self.prices.values()))
            values = [0, 1, -1, price, -price, price + 1, 10**6, -10**6, edge - 1, -edge, self.rng.randrange(-50, 50)]
            return self.pick(*[v for v in values if -edge <= v < edge])
        if base == "uuid":
            known = self.pick(*self.pools.values())
            return self.pick(self.new_id(), str(uuid.UUID(int=0)), *[value for _, value in known])
        if base.startswith("timestamp") or base == "date":
            return self.pick(*TIMES)
        if base == "bytea":
            token = uuid.UUID(self.focus["token"]).bytes
            return self.pick(b"", b"x", self.rng.randbytes(32), token, token + token, *self.digests)
        if base in ("json", "jsonb"):
            return self.pick(self.facts(), {}, [], None, {"status": "complete"}, "paid")
        return self.chance(0.5) if base == "boolean" else self.pick(*TEXTS, *self.focus.values())

    def settings(self):
        """Of a request about tokens, or something close to it."""
        settings = {"id": self.new_id(), "name": "x", "scopes": ["tool-1"], "expires_at": "tomorrow", "cap_daily": 10,
                    "cap_total": None, "networks": ["192.0.2.0/24"], "is_strict": True, "grace_s": 60, "limit": 10}
        for key in self.rng.sample(sorted(settings), self.pick(0, 0, 1, 3)):
            settings[key] = self.pick(None, self.hostile("text"), self.hostile("bigint"), [])
        return {key: value for key, value in settings.items() if self.chance(0.8)}

    def an_order(self):
        """The order of the episode; sometimes another order, whose checkout or payment is claimed
        for this one."""
        return self.pick(*list(self.pools["order"])[-6:])[1] if self.chance(0.1) else self.focus["order"]

    def facts(self):
        """What a processor reports about a paid checkout, or something close to it."""
        order = self.focus["order"]
        facts = {"status": "complete", "paid": "paid", "live": True, "live_wanted": True, "is_test": False,
                 "currency": "USD", "amount": self._packs[self.focus["pack"]], "tax": 0, "discount": 0,
                 "order": order, "session": f"cs_{self.an_order()}", "payment_ref": f"pi_{self.an_order()}",
                 "intent_status": "succeeded", "refunded": 0, "disputed": 0, "receipt": {"url": "https://example.com"}}
        for _ in range(self.pick(0, 0, 1, 2)):
            key = self.pick(*facts)
            base = {bool: "boolean", int: "bigint", str: "text"}.get(type(facts[key]), "jsonb")
            facts[key] = self.pick({"status": "open", "paid": "unpaid"}.get(key),
                                   None if base == "jsonb" else self.hostile(base))
        return facts

    def _array(self, field, lengths):
        size = lengths.setdefault(field.name[:2], self.rng.choices((0, 1, 2, 3), (2, 6, 3, 1))[0])
        if self.chance(self.hostility / 10):
            size = self.rng.randrange(4)
        values = [self.value(field) for _ in range(size)]
        if self.chance(self.hostility / 10):
            return self.pick(None, [], [[value] for value in values])
        return values

    # -- statements --

    def argument(self, field, values, lengths):
        """Its place in the statement; appends its value or values. Returns (place, value)."""
        if field.parts and field.is_array:
            one = field._replace(type=field.base, is_array=False)
            rows = [self.argument(one, values, lengths)[0] for _ in range(self.rng.choices((0, 1, 2, 3), (2, 6, 3, 1))[0])]
            return f"array[{', '.join(rows)}]::{field.type}", None
        if field.parts:
            places = [self.argument(part, values, lengths)[0] for part in field.parts]
            return f"row({', '.join(places)})::{field.type}", None
        value = self._array(field, lengths) if field.is_array else self.value(field)
        values.append(adapted(value))
        return f"%s::{field.type}", value

    def call(self, function):
        values, places, args, lengths = [], [], {}, {}
        for field in function.fields:
            if not (field.is_optional and self.chance(0.4)):
                place, args[short(field.name)] = self.argument(field, values, lengths)
                places.append(f"{field.name} => {place}" if field.name else place)
        return Statement(function.name, f"select * from {function.name}({', '.join(places)})", values, args)

    def write(self, table, verb):
        """An insert, update or delete within the rights on its columns; select reads one column, or
        the row."""
        values, columns = [], [f for f in table.fields if f.name in table.rights[verb]]
        keys = [f for f in table.fields if f.base == "uuid" and short(f.name) in self.focus]
        if verb == "insert":
            columns = [f for f in columns if not (f.is_optional and self.chance(0.3))]
        elif verb == "update":
            columns = self.rng.sample(columns, min(len(columns), self.pick(1, 1, 2)))
        if verb == "select":
            what = self.pick("*", "t", *(f"{f.name}" for f in columns))
            text = f"select {what} from {table.name} t limit 100"
        else:
            places = [(f.name, self.argument(f, values, {})[0]) for f in columns if verb != "delete"]
            where = "true"
            if keys and verb != "insert":
                key = self.pick(*keys)
                where = f"{key.name} = %s::uuid"
                values.append(self.focus[short(key.name)])
            text = {"insert": f"insert into {table.name} ({', '.join(n for n, _ in places)})"
                              f" values ({', '.join(p for _, p in places)})",
                    "update": f"update {table.name} set {', '.join(f'{n} = {p}' for n, p in places)} where {where}",
                    "delete": f"delete from {table.name} where {where}"}[verb]
        return Statement(f"{verb} {table.name}", text, values, {})


def adapted(value):
    if isinstance(value, list):
        return [adapted(item) for item in value]
    if isinstance(value, dict):
        return json.dumps(value)
    return Binary(value) if isinstance(value, bytes) else value
