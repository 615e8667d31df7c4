"""tests/kit/database/ownership_account.py - an account of a database that follows the model of
ownership.py: each verb runs the SQL functions of 006-members.sql, and the tables are read as a
State.
"""

import hashlib
import itertools
import random
import uuid

import psycopg2

from kit.database.ownership import (LONG_AGO, MADE, STARTS, STEP, Event, Link, State, check_owned, mailboxes,
                                    random_schedule, recover)

DAY_S, HOUR_S = 86400, 3600
NUMBERS = itertools.count(1)

SETUP = """
insert into account (account_id, name, created_at) values (%(account)s, 'x', ledger_now());
insert into account_balance (account_id) values (%(account)s);
insert into member (member_id, account_id, email, email_key, password, password_at, totp_secret, totp_at, created_at)
select %(member)s, %(account)s, %(O)s, %(O)s, 'old', n, %(factor)s,
       case when %(factor)s is not null then %(long_ago)s end, n
  from ledger_now() n;
insert into recovery_code select %(member)s, %(factor)s, %(long_ago)s where %(factor)s is not null
"""

# What the portal runs for a verb, and the result.
STATEMENTS = {
    "end_others": ("select session_end(%(member)s, null, %(session)s) > 0", True),
    "make_token": ("select token_add(%(session)s, %(new)s, %(digest)s, %(who)s, 'aaaa', '{}', null)", "done"),
    "make_management": ("select token_add_management(%(session)s, %(new)s, %(digest)s, %(who)s, 'aaaa',"
                        " '{tokens:write}', ledger_now() + interval '366 days')", "done"),
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
       token_add_management(%(session)s, %(new)s, %(digest)s, 'late', 'aaaa', '{usage}', ledger_now() + interval '1 day'),
       token_add_own(%(session)s, %(new)s, %(digest)s, 'aaaa'), session_renew(%(session)s, %(digest)s)
"""
REFUSED = (False, "session", "session", False, None, False, False, False, "session", "session", "session",
           "session", False)

READ = """
select m.email, m.password, m.totp_secret, extract(epoch from a.delete_at)::float8,
       array(select c.code from recovery_code c where c.member_id = m.member_id),
       array(select s.session_id::text from session s where s.member_id = m.member_id),
       array(select d.device from device d where d.member_id = m.member_id),
       array(select t.name from token t where t.account_id = m.account_id and t.revoked_at is null),
       (select json_agg(json_build_array(l.link_id, l.kind, l.email, extract(epoch from l.created_at),
                                         extract(epoch from l.since)) order by l.number)
          from link l where l.member_id = m.member_id and l.used_at is null and l.expires_at > ledger_now())
  from member m join account a using (account_id) where m.member_id = %(member)s
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
        crew.owner(SETUP, factor=factor, long_ago=long_ago, **self._ids, **self._addresses)
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
        crew.owner("update account set delete_at = ledger_now() + %(delete_on)s * interval '1 day'"  # gets no token then
                   " where account_id = %(account)s", delete_on=state.delete_on, **self._ids)

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

    def _run(self, event, verb=None, **values):
        """The statement of a verb, in the acting session."""
        statement, wanted = STATEMENTS[verb or event.verb]
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
        """Sometimes a management token, which ends like any other; an account may have 5."""
        self._tokens[digest()] = event.who
        is_management = len(self._tokens) in (2, 4, 7, 9)
        self._run(event, "make_management" if is_management else None, digest=list(self._tokens)[-1])

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
