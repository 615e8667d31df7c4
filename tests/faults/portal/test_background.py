"""tests/faults/portal/test_background.py - two portals send from one outbox, through a relay with
every kind of fault, and share the background jobs."""

import collections
import contextlib
import signal
import uuid

import psycopg2
import pytest

from kit.load import arm, restart_after_death, metric, wait_for_death
from kit.portal import mailbox
from kit.portal.outbox import DROPPED, FAILED, SENT, WAITS, Outbox
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-background")

MAILS = 24
TIMES = 3  # how often the relay misbehaves
PAUSES_S = [60, 300, 900, 3600, 3600]
TO = "jane@example.test"


@pytest.fixture(scope="module")
def relay(tmp_path_factory):
    relay = mailbox.Relay(tmp_path_factory.mktemp("relay"))
    yield relay
    relay.close()


@pytest.fixture(scope="module")
def stack(own_stack, relay):
    return own_stack(gateways=1, daemons=0, portals=2, settings={
        "portal.poll_ms": 100, "mail.url": f"smtp://127.0.0.1:{relay.port}", "mail.timeout_ms": 1000})


@pytest.fixture
def outbox(stack, relay):
    relay.be("")
    database = psycopg2.connect(stack.database())
    database.autocommit = True
    outbox = Outbox(database)
    yield outbox
    relay.open()
    relay.be("")
    outbox.settle()
    database.close()


def letters(relay, ids):
    """How many emails there are of each template."""
    found = collections.Counter(letter.id.strip("<>").partition("@")[0] for letter in relay.mailbox.letters())
    return [found[mail_id] for mail_id in ids]


def states(outbox, ids):
    return collections.Counter(outbox.state(mail_id)[0] for mail_id in ids)


def test_a_mail(outbox, relay, stack):
    link = outbox.put_link()
    mail_id = outbox.put("confirm", "new@example.test", link=link)
    letter, = relay.mailbox.wait(to="new@example.test")
    assert letter.subject == "Confirm your email address"
    assert "no account is created" in letter.text.replace("\n", " ") and "credits" not in letter.text
    assert letter.link.startswith(f"{stack.base_url}/portal/verify/") and letter.link in letter.html
    assert letter.id == f"<{mail_id}@example.com>"
    assert outbox.wait(mail_id, SENT)[1:3] == (1, None)


def test_a_link_that_ran_out_or_was_used_is_not_sent(outbox, relay):
    late = outbox.put("confirm", "late@example.test", link=outbox.put_link(lives="-1 second"))
    needless = outbox.put("confirm", "late@example.test", link=outbox.put_link(is_used=True))
    assert outbox.wait(late, FAILED)[2] == "its link has expired"
    assert outbox.wait(needless, DROPPED)[2] == "its link was used"
    assert not relay.mailbox.letters(to="late@example.test")


def test_mail_without_a_member_is_dropped(outbox, relay):
    mail_id = outbox.put("none", "nobody@example.test")
    assert outbox.wait(mail_id, DROPPED)[2] is None
    assert not relay.mailbox.letters(to="nobody@example.test")


def test_unwritable_mail_fails(outbox):
    assert "does not exist" in outbox.wait(outbox.put("unheard-of"), FAILED)[2]
    broken = outbox.put("token-made", data={"name": {"first": "a"}})
    assert "neither a text nor a number" in outbox.wait(broken, FAILED)[2]


def test_no_value_breaks_a_line_or_keeps_a_mail_from_being_sent(outbox, relay):
    outbox.put("token-made", "lines@example.test", {"name": "a\r\nBcc: b@example.test\t\u007f"})
    letter, = relay.mailbox.wait(to="lines@example.test")
    assert "Name: a  Bcc: b@example.test  \n" in letter.text
    assert letter.message["Bcc"] is None


@pytest.mark.parametrize("manner", [mailbox.GREETS_554, mailbox.BUSY_421, mailbox.BUSY_450,
                                    mailbox.WANTS_LOGIN_530, mailbox.HANGS, mailbox.DROPS_AT_DATA,
                                    mailbox.HANGS_AT_QUIT])
def test_temporary_faults_lose_and_duplicate_nothing(outbox, relay, manner):
    relay.be(manner, TIMES)
    ids = [outbox.put() for _ in range(MAILS)]
    outbox.settle()
    assert relay.misbehaved == TIMES
    assert states(outbox, ids) == {SENT: MAILS}
    assert letters(relay, ids) == [1] * MAILS


@pytest.mark.parametrize("manner", [mailbox.UNKNOWN_550, mailbox.REFUSES_554])
def test_a_rejection_fails_only_that_mail(outbox, relay, manner):
    relay.be(manner, TIMES)
    ids = [outbox.put() for _ in range(MAILS)]
    outbox.settle()
    assert states(outbox, ids) == {SENT: MAILS - TIMES, FAILED: TIMES}
    assert sorted(letters(relay, ids)) == [0] * TIMES + [1] * (MAILS - TIMES)


def test_a_lost_acceptance_sends_twice_at_most(outbox, relay):
    relay.be(mailbox.DROPS_AFTER_250, TIMES)
    ids = [outbox.put() for _ in range(MAILS)]
    outbox.settle()
    assert states(outbox, ids) == {SENT: MAILS}
    assert sorted(letters(relay, ids)) == [1] * (MAILS - TIMES) + [2] * TIMES


def test_a_relay_that_is_down(outbox, relay):
    relay.shut()
    mail_id = outbox.put()
    assert outbox.wait(mail_id, WAITS, attempts=1)
    relay.open()
    outbox.settle()
    assert letters(relay, [mail_id]) == [1]


def test_the_pauses_grow_for_48_hours(outbox, relay):
    relay.be(mailbox.BUSY_450)
    mail_id = outbox.put()
    for attempts, pause_s in enumerate(PAUSES_S, 1):
        wait_for(lambda: outbox.state(mail_id)[1:3] == (attempts, "not yet: the relay replied 450"), 15, "the next try")
        assert pause_s - 15 < outbox.state(mail_id)[3] <= pause_s
        outbox.hurry()
    old = outbox.put(age="48 hours 1 second")
    assert outbox.wait(old, FAILED)[2] == "not yet: the relay replied 450"


def oldest(stack):
    return max(metric(stack, part, "tollgate_mail_queue_oldest_age_seconds") for part in ("portal-1", "portal-2"))


def test_the_queue_age_counts_fixable_faults(outbox, relay, stack):
    """A mailbox that is full for two days causes no alert; a relay that is down does."""
    relay.be(mailbox.BUSY_450, 1)
    deferred = outbox.put(age="30 minutes")
    wait_for(lambda: outbox.state(deferred)[2], 15, "the first try")
    relay.shut()
    stopped = outbox.put(age="20 minutes")
    wait_for(lambda: 1200 <= oldest(stack) < 1800, 15, "the gauge")
    relay.open()
    outbox.settle()
    wait_for(lambda: oldest(stack) == 0, 15, "the gauge")
    assert states(outbox, [deferred, stopped]) == {SENT: 2}


def test_kill_between_acceptance_and_commit(outbox, relay, stack):
    """Another portal sends it again, with the same Message-ID, after two minutes; not before."""
    stack.parts["portal-2"].stop()
    arm(stack, "portal-1", "mail-accepted", 1)
    mail_id = outbox.put()
    wait_for_death(stack.parts["portal-1"])
    assert letters(relay, [mail_id]) == [1]
    state, attempts, error, due_s = outbox.state(mail_id)
    assert (state, attempts, error) == (WAITS, 1, None) and 60 < due_s <= 120
    stack.start_part("portal-2")
    restart_after_death(stack, "portal-1")
    other = outbox.put()
    outbox.wait(other, SENT)
    assert outbox.state(mail_id)[:2] == (WAITS, 1)
    outbox.ask("update mail set next_at = ledger_now() where mail_id = %s", mail_id)
    outbox.wait(mail_id, SENT)
    assert letters(relay, [mail_id]) == [2]
    stack.start_part("edge")


def test_the_database_goes_away(outbox, relay, stack):
    ids = [outbox.put() for _ in range(MAILS)]
    outbox.database.close()
    stack.restart("postgres")
    outbox.database = psycopg2.connect(stack.database())
    outbox.database.autocommit = True
    outbox.settle()
    assert states(outbox, ids) == {SENT: MAILS}
    assert min(letters(relay, ids)) == 1


@contextlib.contextmanager
def unlike(stack, env):
    """The first of both portals, whose environment this changes."""
    portal = stack.parts["portal-1"]
    before, portal.env = portal.env, portal.env | env
    stack.restart("portal-1")
    yield portal
    portal.env = before
    stack.restart("portal-1")


@contextlib.contextmanager
def alone(stack, env):
    """The second portal, without the first."""
    stack.parts["portal-2"].stop()
    with unlike(stack, env) as portal:
        yield portal
    stack.start_part("portal-2")


def test_without_a_relay_no_mail_is_queued(outbox, relay, stack):
    with alone(stack, {"TOLLGATE_MAIL_URL": ""}):
        mail_id = outbox.put("already", "unsent@example.test", due="2 minutes")
        assert outbox.wait(mail_id, DROPPED)[2] == "no relay is configured (mail.url)"
    assert not relay.mailbox.letters(to="unsent@example.test")


def test_a_portal_without_a_relay_leaves_mail_to_others(outbox, stack):
    with unlike(stack, {"TOLLGATE_MAIL_URL": ""}):
        ids = [outbox.put() for _ in range(MAILS)]
        outbox.settle()
    assert states(outbox, ids) == {SENT: MAILS}


def test_the_relays_password_changes(outbox, stack, tmp_path):
    """SIGHUP reads its file again; with a broken file the old one stays."""
    relay = mailbox.Relay(tmp_path / "mail", user=("tollgate", "new"))
    password = tmp_path / "mail.password"
    password.write_text("old\n")
    with alone(stack, {"TOLLGATE_MAIL_URL": f"smtp://127.0.0.1:{relay.port}", "TOLLGATE_MAIL_USER": "tollgate",
                       "TOLLGATE_MAIL_PASSWORD_FILE": str(password)}) as portal:
        first, second = outbox.put(), outbox.put()
        assert outbox.wait(first, WAITS, attempts=1) and outbox.wait(second, WAITS, attempts=1)
        password.write_text("new\n")
        portal.signal(signal.SIGHUP)
        outbox.settle()
        assert states(outbox, [first, second]) == {SENT: 2}
        password.write_text("")
        portal.signal(signal.SIGHUP)
        wait_for(lambda: "mail.password_file not reloaded" in portal.log.read_text(), 15, "a line of the log")
        third = outbox.put()
        assert outbox.wait(third, SENT, attempts=1)
        assert letters(relay, [first, second, third]) == [1, 1, 1]
    relay.close()


# -- jobs --

MEMBER = """insert into member (member_id, account_id, email, email_key, password, password_at, low_at, created_at)
            values (gen_random_uuid(), %s, %s, %s, '', ledger_now(), %s, ledger_now())"""


@pytest.fixture
def member(stack, outbox):
    """Make a member with credits; returns the address."""
    site = Site.of(stack)

    def make(low_at=20, delete_in=None, credits=100):
        email = f"{uuid.uuid4().hex[:12]}@example.test"
        account = site.open_account(credits).id
        outbox.ask(MEMBER, account, email, email, low_at)
        outbox.ask("update account set delete_at = ledger_now() + %s::interval where account_id = %s", delete_in, account)
        return email
    return make


def run_job(outbox, name):
    """Make it due, and wait until a portal has finished it."""
    outbox.ask("update job set due_at = ledger_now() where name = %s", name)
    wait_for(lambda: is_done(outbox, name), 15, f"the end of {name}")


def is_done(outbox, name):
    return outbox.ask("select 1 from job where name = %s and due_at > ledger_now() and cursor is null", name)


def test_low_balance_is_mailed_once_until_it_was_above_again(outbox, relay, member):
    email = member(low_at=150)
    untold = [member(low_at=100), member(low_at=0), member(credits=0), member(low_at=150, delete_in="14 days"),
              member(low_at=150)]
    outbox.ask("update account a set state = 'suspended' from member m"
               " where m.account_id = a.account_id and m.email = %s", untold[-1])
    for _ in range(3):
        run_job(outbox, "low_balance")
    outbox.settle()
    letter, = relay.mailbox.letters(to=email)
    assert letter.subject == "Your credits are running low"
    assert "has 100 credits left" in letter.text.replace("\n", " ") and "150" in letter.text
    assert not [address for address in untold if relay.mailbox.letters(to=address)]
    outbox.ask("update member set low_at = 100 where email = %s", email)
    run_job(outbox, "low_balance")
    outbox.ask("update member set low_at = 101 where email = %s", email)
    run_job(outbox, "low_balance")
    outbox.settle()
    assert len(relay.mailbox.letters(to=email)) == 2


def test_low_balance_of_more_members_than_a_step_has(outbox, relay, member):
    """The job stores its position, and notifies each member once."""
    run_job(outbox, "low_balance")
    before = len(outbox.ask("select 1 from mail where template = 'low-balance'"))
    outbox.ask("create temporary table many as select gen_random_uuid() as account_id from generate_series(1, 1200)")
    outbox.ask("insert into account (account_id, name, created_at) select account_id, 'many', ledger_now() from many")
    outbox.ask("insert into account_balance (account_id, granted, used) select account_id, 1, 1 from many")
    outbox.ask("insert into member (member_id, account_id, email, email_key, password, password_at, created_at)"
               " select gen_random_uuid(), account_id, account_id || '@x.test', account_id || '@x.test', '',"
               "        ledger_now(), ledger_now() from many")
    run_job(outbox, "low_balance")
    run_job(outbox, "low_balance")
    told = outbox.ask("delete from mail where template = 'low-balance' returning 1")
    outbox.ask("delete from member where account_id in (select account_id from many)")
    outbox.ask("update account_balance set granted = 0, used = 0 where account_id in (select account_id from many)")
    outbox.ask("drop table many")
    assert len(told) - before == 1200


def test_deletions_that_are_due(outbox, relay, member):
    due, later = member(delete_in="-1 second"), member(delete_in="1 hour")
    account, = outbox.ask("select account_id from member where email = %s", due)
    run_job(outbox, "deletions")
    outbox.settle()
    assert outbox.ask("select email from member where email in (%s, %s)", due, later) == [(later,)]
    assert outbox.ask("select state, name from account where account_id = %s", *account) == [("closed", "deleted")]
    letter, = relay.mailbox.letters(to=due)
    assert letter.subject == "Your account was deleted"
    assert "were deleted, except on invoices." in letter.text.replace("\n", " ")
    assert not relay.mailbox.letters(to=later)


def test_expired_rows_are_deleted(outbox):
    link = outbox.put_link(lives="-2 days")
    old, older = (outbox.put("none", data={"name": "x"}, age=age) for age in ("8 days", "31 days"))
    outbox.wait(old, DROPPED)
    outbox.wait(older, DROPPED)
    run_job(outbox, "portal_prune")
    assert not outbox.ask("select 1 from link where link_id = %s", link)
    assert outbox.ask("select data from mail where mail_id in (%s, %s)", old, older) == [(None,)]


def test_a_lap_of_the_counts(outbox, member):
    member()
    run_job(outbox, "usage_lap")
    due, = outbox.ask("select due_at - ledger_now() > interval '59 minutes' from job where name = 'usage_lap'")
    assert due == (True,)


def hold_while_due(holder, job):
    """Lock a job's row while it is due. A portal may lock it first, and then it is due later."""
    cursor, is_due = holder.cursor(), False
    while not is_due:
        holder.rollback()
        cursor.execute("update job set due_at = ledger_now() where name = %s", (job,))
        holder.commit()
        cursor.execute("select due_at <= ledger_now() from job where name = %s for update", (job,))
        is_due, = cursor.fetchone()


def test_the_portal_with_the_row_runs_the_job(outbox, stack, member):
    """While one connection has a job, the others run; that job waits for it."""
    email = member(low_at=150)
    holder = psycopg2.connect(stack.database())
    hold_while_due(holder, "low_balance")
    outbox.ask("update member set low_armed = true where email = %s", email)
    run_job(outbox, "deletions")
    run_job(outbox, "portal_prune")
    armed, = outbox.ask("select low_armed from member where email = %s", email)
    holder.rollback()
    holder.close()
    wait_for(lambda: is_done(outbox, "low_balance"), 15, "the job that was held")
    assert armed == (True,)
    assert outbox.ask("select low_armed from member where email = %s", email) == [(False,)]
