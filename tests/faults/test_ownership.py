"""tests/faults/test_ownership.py - an intruder in an account: the owner's mailbox regains it,
whatever happened.

kit/database/ownership.py has the model and the schedules, ownership_account.py runs them in a
database; tests/check/ownership.py runs thousands more of them.
"""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from kit.database.ownership import BY_NAME, STARTS, Lost, State, coverage, possible, walk
from kit.database.ownership_account import Account, Crew, play, play_random
from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

COVERED = ("the owner has a second factor", "a deletion is under way", "strength 3")

# What a mutation breaks: function, text, replacement.
MUTATIONS = {
    "an undo ends older links": ("email_undo", "(k.number >= l.number or k.kind = 'email')", "true"),
    "an undo orders links by the clock": ("email_undo", "k.number >= l.number", "k.created_at >= l.created_at"),
    "an undo leaves changes that wait": ("email_undo", " or k.kind = 'email'", ""),
    "an undo leaves two-factor": ("email_undo", "o.totp_at < begin_at", "true"),
    "an undo ends the owner's two-factor": ("email_undo", "o.totp_at < begin_at", "false"),
    "an undo leaves new codes": ("email_undo", "c.made_at >= begin_at", "false"),
    "an undo leaves tokens": ("email_undo", "t.created_at >= begin_at", "false"),
    "an undo ends old tokens": ("email_undo", "t.created_at >= begin_at", "true"),
    "an undo leaves the deletion": ("email_undo", "set delete_at = null", "set delete_at = delete_at"),
    "an undo leaves sessions": ("email_undo", "perform session_end(m.member_id, null, null);", ""),
    "an undo leaves devices": ("email_undo", "delete from device d where d.member_id = m.member_id;", ""),
    "an undo leaves the password": ("email_undo", "password = '', ", ""),
    "since begins with the session": ("undo_add", "least(s.created_at, n - interval '7 days')", "s.created_at"),
    "since begins 7 days ago": ("undo_add", "least(s.created_at, n - interval '7 days')", "n - interval '7 days'"),
    "a deletion does not wait": ("undo_add", "greatest(delete_at, ledger_now() + interval '7 days')", "delete_at"),
    "two-factor has no undo": ("two_factor_on", "perform undo_add(m, p_session, p_undo);", ""),
    "a change has no undo": ("email_request", "perform undo_add(m, p_session, p_undo);", ""),
    "a change needs no session": ("email_change", "session_member(p_session)",
                                  "(select o from link k join member o using (member_id) where k.link_id = p_link)"),
    "a change leaves sessions": ("email_change", "perform session_end(m.member_id, null, p_session);", ""),
    "a change leaves reset links": ("email_change", " or member_id = m.member_id and kind = 'reset'", ""),
    "a new password leaves sessions": ("password_set", "perform session_end(m.member_id, null, p_session);", ""),
    "a reset leaves sessions": ("password_reset", "perform session_end(m.member_id, null, null);", ""),
    "a reset leaves devices": ("password_reset", "delete from device d where d.member_id = m.member_id;", ""),
    "a reset leaves other links": ("password_reset", "k.kind in ('reset', 'email')", "k.link_id = p_link"),
    "a new password leaves devices": ("password_set", "delete from device where member_id = m.member_id;", ""),
    "a new password leaves changes that wait": ("password_set", "kind in ('reset', 'email')", "kind = 'reset'"),
    "a reset leaves tokens": ("password_reset", "if p_end_tokens then", "if false then"),
    "two-factor off leaves codes": ("two_factor_off", "delete from recovery_code where member_id = m.member_id;", "")}


# How many kinds of events can happen after each start, of the 30 in EVENTS: a search reaches them
# all.
KINDS = {"strength 1": 13, "strength 2": 23, "strength 3": 30, "the owner has a second factor": 13,
         "a deletion is under way": 30}


# A weaker intruder's schedules are some of the strongest one's: this search only checks that.
@pytest.mark.parametrize("start, steps", [(start, 5 if start == "strength 2" else 8) for start in STARTS])
def test_every_interleaving(start, steps):
    walked = walk(STARTS[start], steps)
    print(f"{start}: {len(walked.reached)} states, {walked.transitions} transitions,"
          f" {walked.interleavings} interleavings")
    assert len({event for state in walked.reached for event in possible(state)}) == KINDS[start]


def test_a_search_finds_faults(monkeypatch):
    """Of the model: the attack of an undo that revokes every other link."""
    monkeypatch.setattr(State, "undo", lambda self, who, number, undo=State.undo: (
        lambda after: after._replace(links=after.links[-1:]))(undo(self, who, number)))
    with pytest.raises(Lost, match="no undo link is left after: .*intruder undo"):
        walk(STARTS["strength 3"], 7)


@pytest.mark.parametrize("start", COVERED)
def test_the_database_follows_the_model(db, start):
    with Crew(db) as crew:
        recovered = [play(crew, STARTS[start], events, random.Random(number))
                     for number, events in enumerate(coverage(STARTS[start], 4))]
    assert any(recovered)


def test_random_schedules(db):
    assert play_random(db, random.SystemRandom().randrange(1 << 32), 100) > 0


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_broken_rule_is_found(db, mutation):
    function, text, instead = MUTATIONS[mutation]
    [[source]] = db.sql("select pg_get_functiondef(%s::regproc)", function)
    assert text in source
    db.sql(source.replace(text, instead).replace("%", "%%"))
    with Crew(db) as crew, pytest.raises(AssertionError, match="after: "):
        for start in COVERED:
            for number, events in enumerate(coverage(STARTS[start], 4)):
                play(crew, STARTS[start], events, random.Random(number))


def overlap(account, db, first, second):
    """The second event begins while the transaction of the first is open; it ends at once, or after
    that one."""
    with Crew(db) as one, Crew(db) as two, ThreadPoolExecutor(1) as pool:
        one.begin()
        account.do(BY_NAME[first], one)
        under_way = pool.submit(account.do, BY_NAME[second], two)
        while not under_way.done() and not one.waits():
            pass
        one.commit()
        under_way.result()


def after_schedule(crew, *names):
    account = Account(crew, STARTS["strength 3"])
    for name in names:
        account.follow(BY_NAME[name])
    return account


def test_a_reset_link_asked_for_during_an_undo_opens_nothing(db):
    """The function read the intruder's address, and wrote the link when the member no longer had
    it."""
    with Crew(db) as crew:
        account = after_schedule(crew, ("intruder", "ask_address", "X"), ("intruder", "change_address", "X"))
        overlap(account, db, ("owner", "undo", 0), ("intruder", "forgot"))
        account.read()
        for link in [link for link, mailbox in account.mailed if mailbox == "X"]:
            crew.portal("select password_reset(%(link)s, 'intruder', false)", link=link)
        assert account.read().password == "", "the intruder set a password"


@pytest.mark.parametrize("last", [("owner", "undo", 0), ("owner", "reset", True), ("owner", "set_password")])
def test_a_sign_in_under_way_does_not_outlive_the_password(db, last):
    with Crew(db) as crew:
        account = after_schedule(crew, ("intruder", "two_factor_on"), ("intruder", "two_factor_off"),
                                 ("owner", "forgot"))
        overlap(account, db, ("intruder", "sign_in"), last)
        there = account.read()
        assert "intruder" not in there.sessions and not there.is_known
