"""tests/kit/database/ownership.py - owner and intruder of one account as a state machine.

State is the model. EVENTS lists what owner, intruder and time can do; each event calls the method
of State that its verb names. ownership_account.py does the same in the database.

The mailbox O belongs to the owner, X and Y to the intruder. An intruder of strength 1 has a
borrowed session. Strength 2 adds the password, strength 3 the intruder's mailboxes. Days count from
the first event. Every schedule ends within DAYS, while a link that an intruder caused can still be
opened.
"""

import functools
import gc
from typing import Callable, NamedTuple

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
        Event(who, "make_token", (), lambda s: s.acting(who) and who not in s.tokens and s.delete_on is None),
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
