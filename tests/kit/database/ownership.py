"""tests/kit/database/ownership.py - owner and intruder of one account as a state machine, compared
with the database.

State is the model. EVENTS lists what owner, intruder and time can do; each event calls the method
of State that its verb names. Account runs the same verb with the SQL functions of 006-members.sql
and reads the tables as a State.

The mailbox O belongs to the owner, X and Y to the intruder. An intruder of strength 1 has a
borrowed session. Strength 2 adds the password, strength 3 the intruder's mailboxes. Days count from
the first event. Every schedule ends within DAYS, while a link that an intruder caused can still be
opened.
"""

import functools
import gc
import hashlib
import itertools
import random
import uuid
from typing import Callable, NamedTuple

import psycopg2

DAYS, STEP = 6, 3  # the longest schedule in days, and the days that one step can skip
UNDO_LIVES, LONG_AGO = 7, -30
MADE = {"owner old": LONG_AGO, "owner late": -8}  # the day of earlier items; the rest is newer than any `since`


class Lost(AssertionError):
    """The owner's mailbox does not regain the account."""


class Link(NamedTuple):
    kind: str
    mailbox: str
    day: int
    since: int | None = None


class State(NamedTuple):
    strength: int = 3
    borrowed: int = 0  # the day on which the borrowed session began
    day: int = 0
    address: str = "O"
    links: tuple = ()  # links that can be opened, oldest first
    sessions: frozenset = frozenset({"owner", "borrowed"})
    is_known: bool = False  # the intruder has a known device
    password: str = "old"  # the name of its only owner; "": an undo removed it
    factor: str = ""
    codes: str = ""  # recovery codes: earlier ones are "owner old"
    tokens: frozenset = frozenset({"owner old", "owner late"})
    delete_on: int | None = None
    is_deleted: bool = False

    # the facts that a guard reads

    def knows(self, who):
        return self.password in (who, "old") and (who == "owner" or self.strength > 1 or self.password == who)

    def passes(self, who):
        """Can give password and code."""
        return self.knows(who) and (not self.factor or self.factor.startswith(who))

    def acting(self, who):
        """The session that acts; an intruder uses the newest one."""
        return next((s for s in ((who,) if who == "owner" else ("intruder", "borrowed")) if s in self.sessions), None)

    def may(self, who):
        """Can do what requires the password, and code, in a session."""
        return self.acting(who) is not None and self.passes(who)

    def find(self, kind, mailboxes):
        """Places of links, oldest first."""
        return [i for i, link in enumerate(self.links) if link.kind == kind and link.mailbox in mailboxes]

    def uses(self, mailbox):
        return self.address == mailbox or any(link.mailbox == mailbox for link in self.links)

    # the effects of an event

    def sign_in(self, who):
        return self._replace(sessions=self.sessions | {who}, is_known=self.is_known or who == "intruder")

    def end_others(self, who):
        return self._replace(sessions=frozenset({self.acting(who)}))

    def make_token(self, who):
        return self._replace(tokens=self.tokens | {who})

    def set_password(self, who):
        return self._replace(password=who, links=self._without_pending(), is_known=who == "intruder").end_others(who)

    def two_factor_on(self, who):
        return self._replace(factor=who)._add_undo(who)

    def two_factor_off(self, who):
        return self._replace(factor="", codes="")

    def make_codes(self, who):
        return self._replace(codes=who)

    def ask_deletion(self, who):
        return self._replace(tokens=frozenset(), delete_on=self.day + 14 if self.delete_on is None else self.delete_on)

    def keep(self, who):
        return self._replace(delete_on=None)

    def ask_address(self, who, mailbox):
        return self._add_undo(who)._add(Link("email", mailbox, self.day))

    def change_address(self, who, mailbox):
        at = self.find("email", mailbox)[0]
        links = tuple(link for i, link in enumerate(self.links) if i != at and link.kind != "reset")
        return self._replace(address=mailbox, links=links).end_others(who)

    def forgot(self, who):
        return self._add(Link("reset", self.address, self.day))

    def reset(self, who, ends_tokens):
        return self._replace(password=who, sessions=frozenset(), is_known=who == "intruder",
                             links=self._without_pending(), tokens=frozenset() if ends_tokens else self.tokens)

    def undo(self, who, number):
        at = self.find("undo", mailboxes(who))[number]
        mailbox = self.links[at].mailbox
        since = min(link.since for link in self.links[at:] if link.kind == "undo")

        def stays(name):
            return MADE.get(name, self.day) < since

        factor = self.factor if stays(self.factor) else ""
        return self._replace(
            address=mailbox, password="", factor=factor, codes=self.codes if factor and stays(self.codes) else "",
            sessions=frozenset(), is_known=False, tokens=frozenset(filter(stays, self.tokens)), delete_on=None,
            links=tuple(link for link in self.links[:at] if link.kind != "email")
        )._add(Link("reset", mailbox, self.day))

    def wait(self, who):
        day = self.day + STEP
        if self.delete_on is not None and self.delete_on <= day:
            if any(link.kind == "undo" and link.day + UNDO_LIVES > self.delete_on for link in self.links):
                raise Lost("an account is deleted that its owner could still take back")
            return State(self.strength, day=day, is_deleted=True)
        return self._replace(day=day, links=tuple(
            link for link in self.links if link.kind == "undo" and day - link.day < UNDO_LIVES))

    def _add(self, link):
        return self._replace(links=(*self.links, link))

    def _add_undo(self, who):
        began = self.borrowed if self.acting(who) == "borrowed" else self.day
        return self._add(Link("undo", self.address, self.day, min(began, self.day - UNDO_LIVES)))._replace(
            delete_on=None if self.delete_on is None else max(self.delete_on, self.day + UNDO_LIVES))

    def _without_pending(self):
        return tuple(link for link in self.links if link.kind == "undo")


def mailboxes(who):
    return "O" if who == "owner" else "XY"


class Event(NamedTuple):
    who: str
    verb: str
    arguments: tuple
    guard: Callable

    def __str__(self):
        return " ".join(map(str, (self.who, self.verb, *self.arguments)))

    def after(self, state):
        return getattr(state, self.verb)(self.who, *self.arguments)


def reads_mail(s, who):
    return who == "owner" or s.strength == 3


def rows(who):
    """What both sides can do."""
    return [
        Event(who, "sign_in", (), lambda s: s.passes(who) and who not in s.sessions
              and (who == "intruder" or s.address == "O")),  # the owner does not know another address
        Event(who, "end_others", (), lambda s: s.acting(who) and len(s.sessions) > 1),
        Event(who, "make_token", (), lambda s: s.acting(who) and who not in s.tokens),
        Event(who, "set_password", (), lambda s: s.acting(who) and s.knows(who) and s.password != who),
        Event(who, "two_factor_on", (), lambda s: s.may(who) and not s.factor),
        Event(who, "make_codes", (), lambda s: s.may(who) and s.factor and s.codes != who),
        Event(who, "keep", (), lambda s: s.acting(who) and s.delete_on is not None),
        Event(who, "forgot", (), lambda s: reads_mail(s, who) and s.address in mailboxes(who)
              and not s.find("reset", mailboxes(who))),
        Event(who, "reset", (False,), lambda s: reads_mail(s, who) and s.find("reset", mailboxes(who))),
        Event(who, "undo", (0,), lambda s: reads_mail(s, who) and s.find("undo", mailboxes(who)))]


EVENTS = [
    *rows("owner"), *rows("intruder"),
    Event("owner", "reset", (True,), lambda s: s.find("reset", "O") and s.tokens),
    *[Event("intruder", "undo", (n,), lambda s, n=n: s.strength == 3 and len(s.find("undo", "XY")) > n)
      for n in (1, 2)],
    *[Event("intruder", "ask_address", (box,), lambda s, box=box: s.may("intruder") and s.address != box
            and (box == "X" or s.uses("X"))) for box in "XY"],  # names do not matter: the first one is X
    *[Event("intruder", "change_address", (box,), lambda s, box=box: s.strength == 3 and s.acting("intruder")
            and s.find("email", box)) for box in "XY"],
    Event("intruder", "two_factor_off", (), lambda s: s.may("intruder") and s.factor),
    Event("intruder", "ask_deletion", (), lambda s: s.may("intruder") and (s.delete_on is None or s.tokens)),
    Event("time", "wait", (), lambda s: s.day + STEP <= DAYS)]
BY_NAME = {(e.who, e.verb, *e.arguments): e for e in EVENTS}

OLD_UNDO = Link("undo", "O", -5, -12)
STARTS = {
    "strength 1": State(1),
    "strength 2": State(2),
    "strength 3": State(3),
    # 5 days ago the owner asked for another address and did not open the link; once before that,
    # for deletion
    "the owner has a second factor": State(3, links=(OLD_UNDO,), factor="owner old", codes="owner old"),
    "a deletion is under way": State(3, borrowed=-10, links=(OLD_UNDO,), delete_on=2)}


def possible(state):
    return [] if state.is_deleted else [event for event in EVENTS if event.guard(state)]


# -- the claim --


def recovery(state):
    """The events by which the mailbox O alone regains the account."""
    has_undo = bool(state.find("undo", "O"))
    if not has_undo and state.address != "O":
        raise Lost("the address is not the owner's, and no undo link is left")
    yield BY_NAME["owner", "undo", 0] if has_undo else BY_NAME["owner", "forgot"]
    yield BY_NAME["owner", "reset", not has_undo]
    yield BY_NAME["owner", "sign_in"]
    if not has_undo and state.delete_on is not None:
        yield BY_NAME["owner", "keep"]


def recover(state, follow=lambda event, after: after):
    """The state after the recovery."""
    for event in recovery(state):
        if event.verb == "sign_in" and not state.passes("owner"):
            raise Lost("the owner cannot sign in")
        state = follow(event, event.after(state))
    return state


def check_owned(before, after):
    """The intruder has nothing left, and the owner keeps what an undo need not remove."""
    wrong = [what for what, is_wrong in {
        "address": after.address != "O", "session": after.sessions != {"owner"}, "device": after.is_known,
        "password": after.password != "owner", "factor": after.factor == "intruder", "codes": after.codes == "intruder",
        "token": "intruder" in after.tokens, "deletion": after.delete_on is not None or after.is_deleted,
        "link": any(link.mailbox != "O" for link in after.links),
        "old token": before.find("undo", "O") and "owner old" in before.tokens - after.tokens}.items() if is_wrong]
    if wrong:
        raise Lost(", ".join(wrong))


# -- the search --


class Walk(NamedTuple):
    reached: dict  # state: (its number, the previous state, event); the shortest path
    transitions: int
    interleavings: int


# The state that a verb finds and changes, in addition to the acting session.
MEETS = {"sign_in": ("factor",), "set_password": ("links", "device"), "two_factor_on": ("address", "deletion"),
         "ask_deletion": ("deletion",), "ask_address": ("address", "deletion"), "change_address": ("links",),
         "reset": ("links", "factor"), "undo": ("address", "links", "factor", "codes", "deletion"),
         "two_factor_off": ("codes",), "wait": ("deletion",)}


def situation(event, state):
    """What the event's functions can distinguish."""
    facts = {"address": state.address == "O", "factor": state.factor, "codes": state.codes,
             "deletion": state.delete_on is not None, "device": state.is_known,
             "links": frozenset((link.kind, link.mailbox == "O") for link in state.links)}
    return event, state.acting(event.who), *(facts[name] for name in MEETS.get(event.verb, ()))


def canonical(state):
    """Without undo links that the owner never opens. An event that closes an older link of the same
    day also closes these; it counts from the earliest `since` of both."""
    links, first = [], {}
    for link in state.links:
        if link.kind != "undo" or link.mailbox != "O":
            links.append(link)
        elif link.day not in first:
            first[link.day] = len(links)
            links.append(link)
        else:
            at = first[link.day]
            links[at] = links[at]._replace(since=min(links[at].since, link.since))
    return state if len(links) == len(state.links) else state._replace(links=tuple(links))


def without_collector(walk):
    """The states of a search hold no cycles; cycle detection would double its time."""
    def quick(*arguments):
        gc.disable()
        try:
            return walk(*arguments)
        finally:
            gc.enable()

    return quick


@without_collector
def walk(start, steps):
    """Every interleaving up to this many steps; checks the claim in every state. Lost has the
    schedule."""
    reached, states, after = {start: (0, None, None)}, [start], {}
    layer, interleavings = {0: 1}, 0
    for depth in range(steps + 1):
        following = {}
        for number, ways in layer.items():
            if number not in after:
                state, after[number] = states[number], []
                try:
                    if not state.is_deleted:
                        check_owned(state, recover(state))
                    for event in possible(state) if depth < steps else ():
                        then = canonical(event.after(state))
                        after[number].append(reached.setdefault(then, (len(states), state, event))[0])
                        if len(reached) > len(states):
                            states.append(then)
                except Lost as lost:
                    raise Lost(f"{lost} after: {'; '.join(map(str, schedule(reached, state)))}") from None
            for then in after[number]:
                following[then] = following.get(then, 0) + ways
        interleavings += sum(following.values())
        layer = following
    return Walk(reached, sum(map(len, after.values())), interleavings)


def schedule(reached, state):
    """The shortest path to a state that a search reached."""
    events = []
    while reached[state][1]:
        _, state, event = reached[state]
        events.append(event)
    return events[::-1]


@functools.cache
def coverage(start, steps):
    """Schedules in which each event happens in each situation that a search of this length
    reaches."""
    reached, wanted, covered, schedules = walk(start, steps).reached, {}, set(), []
    for state in reached:
        for event in possible(state):
            wanted.setdefault(situation(event, state), (state, event))
    ways = {key: [*schedule(reached, state), event] for key, (state, event) in wanted.items()}
    for key in sorted(ways, key=lambda key: -len(ways[key])):
        if key not in covered:
            schedules.append(ways[key])
            state = start
            for event in ways[key]:
                covered.add(situation(event, state))
                state = event.after(state)
    return schedules


def random_schedule(rng, start, steps):
    events = []
    while len(events) < steps and not start.is_deleted:
        events.append(rng.choice(possible(start)))
        start = events[-1].after(start)
    return events


# -- the database --

DAY_S, HOUR_S = 86400, 3600
NUMBERS = itertools.count(1)

SETUP = """
insert into account (account_id, name, created_at) values (%(account)s, 'x', ledger_now());
insert into account_balance (account_id) values (%(account)s);
insert into member (member_id, account_id, email, email_key, password, password_at, totp_secret, totp_at, delete_at,
                    created_at)
select %(member)s, %(account)s, %(O)s, %(O)s, 'old', n, %(factor)s,
       case when %(factor)s is not null then %(long_ago)s end, n + %(delete_on)s * interval '1 day', n
  from ledger_now() n;
insert into recovery_code select %(member)s, %(factor)s, %(long_ago)s where %(factor)s is not null
"""

# What the portal runs for a verb, and the result.
STATEMENTS = {
    "end_others": ("select session_end(%(member)s, null, %(session)s) > 0", True),
    "make_token": ("select token_add(%(session)s, %(new)s, %(digest)s, %(who)s, 'aaaa', '{}', null)", "done"),
    "set_password": ("select password_set(%(session)s, %(who)s)", True),
    "two_factor_on": ("select two_factor_on(%(session)s, %(who)s::bytea, %(step)s, %(new)s)", "done"),
    "two_factor_off": ("select two_factor_off(%(session)s)", "done"),
    "make_codes": ("select recovery_set(%(session)s, array[%(who)s::bytea])", True),
    "ask_deletion": ("select deletion_request(%(session)s) is not null", True),
    "keep": ("select deletion_cancel(%(session)s)", True),
    "ask_address": ("select email_request(%(session)s, %(new)s, %(other)s, %(email)s, %(email)s, true)", True),
    "change_address": ("select email_change(%(link)s, %(session)s)", "done"),
    "forgot": ("select link_forgot(%(new)s, %(other)s, %(email)s, %(email)s)", None),
    "reset": ("select count(*) from password_reset(%(link)s, %(who)s, %(ends_tokens)s)", 1),
    "undo": ("select email_undo(%(link)s, %(new)s, %(shown)s::uuid[], %(shown)s::uuid[])", "done"),
    "wait": ("select member_delete(%(member)s)", None)}

# Requests whose session became invalid after the portal checked it.
LATE = """
select password_set(%(session)s, 'late'), two_factor_on(%(session)s, 'late', 1, %(new)s), two_factor_off(%(session)s),
       recovery_set(%(session)s, '{late}'), deletion_request(%(session)s), deletion_cancel(%(session)s),
       account_rename(%(session)s, 'late'), email_request(%(session)s, %(new)s, %(other)s, 'late', 'late', true),
       email_change(%(link)s, %(session)s), token_add(%(session)s, %(new)s, %(digest)s, 'late', 'aaaa', '{}', null),
       token_add_own(%(session)s, %(new)s, %(digest)s, 'aaaa'), session_renew(%(session)s, %(digest)s)
"""
REFUSED = (False, "session", "session", False, None, False, False, False, "session", "session", "session", False)

READ = """
select m.email, m.password, m.totp_secret, extract(epoch from m.delete_at)::float8,
       array(select c.code from recovery_code c where c.member_id = m.member_id),
       array(select s.session_id::text from session s where s.member_id = m.member_id),
       array(select d.device from device d where d.member_id = m.member_id),
       array(select t.name from token t where t.account_id = m.account_id and t.revoked_at is null),
       (select json_agg(json_build_array(l.link_id, l.kind, l.email, extract(epoch from l.created_at),
                                         extract(epoch from l.since)) order by l.number)
          from link l where l.member_id = m.member_id and l.used_at is null and l.expires_at > ledger_now())
  from member m where m.member_id = %(member)s
"""


def new_id():
    return str(uuid.uuid4())


def digest():
    return hashlib.sha256(uuid.uuid4().bytes).digest()


class Crew:
    """Portal, gateway and owner of one database, with the same clock."""

    def __init__(self, db):
        self._connections = {role: psycopg2.connect(db.url(f"tollgate_{role}"))
                             for role in ("portal", "gateway", "owner")}
        for connection in self._connections.values():
            connection.autocommit = True
        self.owner("insert into test_clock default values on conflict do nothing")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self._connections.values():
            connection.close()

    def _run(self, role, statement, values):
        with self._connections[role].cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def portal(self, statement, **values):
        return self._run("portal", statement, values)

    def gateway(self, statement, **values):
        return self._run("gateway", statement, values)

    def owner(self, statement, **values):
        return self._run("owner", statement, values)

    def begin(self):
        """Everything the portal does until commit() is one transaction."""
        self._connections["portal"].autocommit = False

    def commit(self):
        self._connections["portal"].commit()
        self._connections["portal"].autocommit = True

    def waits(self):
        """Whether any connection waits for a lock."""
        return self.owner("select exists (select from pg_locks where not granted)") == [(True,)]

    def at(self, seconds):
        for role in self._connections:
            self._run(role, f"set tollgate.clock_shift_ms = {int(seconds * 1000)}", {})


class Account:
    """An account of a database that follows the model. After each event its tables must match the
    model's state."""

    def __init__(self, crew, state):
        self._crew, self.state, self._shift_s = crew, state, 0
        self._ids = {"account": new_id(), "member": new_id()}
        self._sessions, self._cookies = {}, []  # name: the newest session's id; (name, id, cookie) of each
        self._devices, self._tokens = {}, {}  # digest: of whom
        self.mailed = []  # (id, mailbox) of the links that can be opened
        name = next(NUMBERS)
        self._addresses = {box: f"{box.lower()}{name}@{new_id()}.example" for box in "OXY"}
        self._steps = itertools.count(1)
        crew.at(0)
        [[self._base]] = crew.owner("select extract(epoch from ledger_now())::float8")
        self._fill(state)
        self.compare()

    def _fill(self, state):
        crew, factor = self._crew, state.factor.encode() or None
        long_ago = psycopg2.extensions.AsIs(f"(ledger_now() + {LONG_AGO} * interval '1 day')")
        crew.owner(SETUP, factor=factor, long_ago=long_ago, delete_on=state.delete_on, **self._ids, **self._addresses)
        for link in state.links:
            crew.owner("insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at, since)"
                       " select %(new)s, %(kind)s, %(member)s, %(email)s, %(email)s, d, d + interval '7 days',"
                       " ledger_now() + %(since)s * interval '1 day'"
                       " from (select ledger_now() + %(day)s * interval '1 day' as d) d", new=new_id(), kind=link.kind,
                       email=self._addresses[link.mailbox], day=link.day, since=link.since, **self._ids)
        for name, began in (("owner", 0), ("borrowed", state.borrowed)):
            self._open_session(name, has_factor=bool(state.factor))
            crew.owner("update session set created_at = created_at + %(began)s * interval '1 day'"
                       " where session_id = %(session)s", began=began, session=self._sessions[name])
        for name in state.tokens:
            self._make_token(Event(name, "make_token", (), None))
            crew.owner("update token set created_at = created_at + %(day)s * interval '1 day'"
                       " where account_id = %(account)s and name = %(name)s", day=MADE[name], name=name, **self._ids)

    # events

    def do(self, event, crew=None):
        """Run an event in the database, by another crew if one is given."""
        mine, self._crew = self._crew, crew or self._crew
        getattr(self, f"_{event.verb}", self._run)(event)
        self._crew = mine

    def follow(self, event, after=None):
        """Run an event in the database and compare the result with the model."""
        after = after or event.after(self.state)
        self.do(event)
        self.state = after
        self.compare()
        return after

    def _run(self, event, **values):
        """The statement of a verb, in the acting session."""
        statement, wanted = STATEMENTS[event.verb]
        box = next(iter(event.arguments), self.state.address)
        [[answer]] = self._portal(statement, who=event.who, session=self._sessions.get(self.state.acting(event.who)),
                                  email=self._addresses.get(box), **values)
        assert wanted in (None, answer), f"{event}: {answer}"
        return answer

    def _portal(self, statement, **values):
        return self._crew.portal(statement, **{
            "new": new_id(), "other": new_id(), "digest": digest(), "step": next(self._steps), **self._ids, **values})

    def _link(self, kind, boxes, number=0):
        return self.mailed[self.state.find(kind, boxes)[number]][0]

    def _sign_in(self, event):
        """As the portal does: it compares the password, opens a session, and asks for the code."""
        [(password, factor)] = self._portal("select password, totp_secret from member where email_key = %(email)s",
                                            email=self._addresses[self.state.address])
        assert password in (event.who, "old") and (not factor or text(factor).startswith(event.who)), event
        self._open_session(event.who, password, bool(factor))
        self._add_device(event.who)

    def _open_session(self, name, password="old", has_factor=False):
        cookie, self._sessions[name] = digest(), new_id()
        assert self._portal("select session_open(%(session)s, %(cookie)s, %(member)s, %(password)s, true, null, null)",
                            session=self._sessions[name], cookie=cookie, password=password) == [(has_factor,)]
        if has_factor:
            cookie = digest()
            assert self._portal("select totp_use(%(member)s, %(step)s), session_renew(%(session)s, %(cookie)s)",
                                session=self._sessions[name], cookie=cookie) == [(True, True)]
        self._cookies.append((name, self._sessions[name], cookie))

    def _add_device(self, who):
        self._devices[digest()] = who
        self._portal("select device_add(%(device)s, %(member)s)", device=list(self._devices)[-1])

    def _make_token(self, event):
        self._tokens[digest()] = event.who
        self._run(event, digest=list(self._tokens)[-1])

    def _set_password(self, event):
        self._run(event)
        self._add_device(event.who)  # the browser in use stays known

    def _change_address(self, event):
        self._run(event, link=self._link("email", event.arguments[0]))

    def _reset(self, event):
        self._run(event, link=self._link("reset", mailboxes(event.who)), ends_tokens=event.arguments[0])
        self._add_device(event.who)

    def _undo(self, event):
        """The page lists the tokens to revoke. In half of the runs the tokens are made after it was
        shown."""
        link = self._link("undo", mailboxes(event.who), *event.arguments)
        [[shown]] = self._portal(
            "select array(select t.token_id::text from token t where t.account_id = %(account)s"
            " and t.created_at >= undo_since(%(link)s) and t.revoked_at is null and %(step)s %% 2 = 0)", link=link)
        self._run(event, link=link, shown=shown)

    def _wait(self, event):
        self._move_clock(STEP * DAY_S)
        assert self._run(event) == ("done" if event.after(self.state).is_deleted else "early"), event

    def _move_clock(self, seconds):
        self._shift_s += seconds
        self._crew.at(self._shift_s)

    def step_clock_back(self):
        self._move_clock(-HOUR_S)

    def send_late_requests(self):
        """Every request, in each closed session: nothing may change."""
        for name, session, _ in self._cookies:
            if self._sessions[name] != session or name not in self.state.sessions:
                links = [link for (link, _), known in zip(self.mailed, self.state.links) if known.kind == "email"]
                assert self._portal(LATE, session=session, link=(links or [new_id()])[0]) == [REFUSED]
                self.compare()

    # the state of the tables

    def read(self):
        rows = self._crew.owner(READ, **self._ids)
        if not rows:
            return State(self.state.strength, day=self.state.day, is_deleted=True)
        [(email, password, factor, delete_at, codes, sessions, devices, tokens, links)] = rows
        box = {address: box for box, address in self._addresses.items()}
        name = {session: name for name, session in self._sessions.items()}
        self.mailed = [(link, box.get(to, to)) for link, _, to, _, _ in links or []]
        return State(
            self.state.strength, self.state.borrowed, self.state.day, box.get(email, email),
            tuple(Link(kind, box[to], self._day(made), self._day(since)) for _, kind, to, made, since in links or []),
            frozenset(name.get(session, session) for session in sessions),
            any(self._devices[bytes(device)] == "intruder" for device in devices), password,
            text(factor or b""), " ".join(sorted(text(code) for code in codes)), frozenset(tokens),
            self._day(delete_at))

    def _day(self, seconds):
        return None if seconds is None else round((seconds - self._base) / DAY_S)

    def compare(self):
        there = self.read()
        wrong = [f"{field}: {is_} in the tables, {should} in the model" for field, is_, should
                 in zip(State._fields, there, self.state) if is_ != should]
        assert not wrong, "; ".join(wrong)

    def recover(self):
        """The owner regains the account in the database; portal and gateway no longer accept the
        intruder."""
        before = self.state
        recover(before, self.follow)
        check_owned(before, self.read())
        for name, session, cookie in self._cookies:
            assert len(self._portal("select * from session_find(%(cookie)s)", cookie=cookie)) == (
                session == self._sessions["owner"]), f"a session of {name}"
        newest = {name: token for token, name in self._tokens.items()}
        for token, name in self._tokens.items():
            [[refused]] = self._crew.gateway(
                "select outcome from token_check(array[%(account)s]::uuid[], array[%(token)s])",
                token=token, **self._ids)
            assert (refused is None) == (name in self.state.tokens and newest[name] == token), f"the token of {name}"


def text(value):
    return bytes(value).decode()


def play(crew, start, events, rng):
    """A schedule and the recovery, in the database. Now and then the clock steps back, and requests
    arrive late. Returns whether the owner regained the account; False: it was deleted."""
    account = Account(crew, start)
    told = []
    try:
        for event in events:
            if rng.random() < 0.1:
                told.append("the clock steps back an hour")
                account.step_clock_back()
            told.append(str(event))
            account.follow(event)
            if rng.random() < 0.3 or event is events[-1]:
                account.send_late_requests()
        told.append("recovery")
        if not account.state.is_deleted:
            account.recover()
        return not account.state.is_deleted
    except (AssertionError, psycopg2.Error) as error:
        raise AssertionError(f"{error}\nafter: {'; '.join(told)}") from error


def play_random(db, seed, count):
    """This many random schedules, with seeds from the given one; a failure names its seed. Returns
    how many ended with the owner in the account; in the others it was deleted."""
    recovered = 0
    with Crew(db) as crew:
        for number in range(seed, seed + count):
            rng = random.Random(number)
            start = rng.choice(list(STARTS.values()))
            try:
                recovered += play(crew, start, random_schedule(rng, start, rng.randint(4, 14)), rng)
            except AssertionError:
                print(f"again: /usr/bin/python3 tests/check/ownership.py --schedules 1 --seed {number}", flush=True)
                raise
    return recovered
