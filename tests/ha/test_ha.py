"""tests/ha/test_ha.py - nodes of the database die, hang, switch roles and are cut off, under load:
the ledger matches the clients' responses, and paid calls succeed again within half a minute."""

import time

from cluster import BACK_S, Crowds
from kit.load import LOSING, check_load
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from nodes import freeze, thaw
from part import wait_for


def report(name, seconds, crowds):
    """Print the measurement (pytest -s)."""
    print(f"\n{name}: no paid call for {seconds:.1f} s, {len(crowds.calls)} calls")


def check(books, crowds, within_long_calls=True):
    """within_long_calls: the database was back when the long calls were charged."""
    assert len(crowds.long) == len(crowds.accounts)
    assert not within_long_calls or {call.status for call in crowds.long} == {200}, crowds.long
    check_load(books, crowds, crowds.accounts, LOSING)


def test_what_is_written_is_on_two_nodes(database):
    """PostgreSQL has the setting, and it names one of the standbys."""
    leader, standby = database.wait_whole()
    assert database.sql(leader, "show synchronous_standby_names").strip('"') == standby
    assert database.sql(leader, "select count(*) from pg_stat_replication where sync_state = 'sync'") == "1"
    assert database.sql(leader, "show restart_after_crash") == "off"


def test_a_backup_of_a_standby(database):
    """With the command of docs/operate/high-availability.md, as the system user postgres."""
    _, standby = database.wait_whole()
    assert database.back_up(standby) > 1 << 20


def test_the_primary_loses_its_power(stack, database, books):
    """kill -9 of all its processes, including etcd."""
    leader, standby = database.wait_whole()
    with Crowds(stack, books) as crowds:
        killed = time.monotonic()
        database.kill(leader)
        silent = crowds.wait_back(killed)
        assert database.leader([name for name in database.nodes if name != leader]) == standby
        database.boot(leader)
        database.wait_whole()
        crowds.wait_for_answers(30)
    report("the primary's node killed", silent, crowds)
    assert silent < BACK_S
    check(books, crowds)


def test_the_primary_crashes(stack, database, books):
    """kill -9 of only PostgreSQL. If it restarted as primary, it would show commits that no standby
    has."""
    leader, standby = database.wait_whole()
    with Crowds(stack, books) as crowds:
        killed = time.monotonic()
        database.nodes[leader].end(*database.nodes[leader].find("postgres", "-D"))
        silent = crowds.wait_back(killed)
        assert database.wait_whole()[0] == standby
        crowds.wait_for_answers(30)
    report("PostgreSQL killed", silent, crowds)
    assert silent < BACK_S
    check(books, crowds)


def test_a_standby_loses_its_power(stack, database, books):
    """The synchronous standby: commits wait until the other one takes its role."""
    leader, standby = database.wait_whole()
    other, = set(database.nodes) - {leader, standby}
    with Crowds(stack, books) as crowds:
        killed = time.monotonic()
        database.kill(standby)
        silent = crowds.wait_back(killed)
        wait_for(lambda: database.standby() == other, BACK_S, "the other is the synchronous one")
        database.boot(standby)
        database.wait_whole()
        crowds.wait_for_answers(30)
    report("the synchronous standby killed", silent, crowds)
    assert silent < BACK_S and database.leader() == leader
    check(books, crowds)


def test_both_standbys_lose_their_power(stack, database, books):
    """Without a standby no call is charged."""
    leader, _ = database.wait_whole()
    others = set(database.nodes) - {leader}
    with Crowds(stack, books) as crowds:
        for name in others:
            database.kill(name)
        crowds.wait_for_answers(20, status=503)
        alone = time.monotonic()
        crowds.wait_for_answers(20, status=503)
        between = [call for call in crowds.calls if call.begun > alone]
        assert between and 200 not in {call.status for call in between}
        for name in others:
            database.boot(name)
        database.wait_whole()
        crowds.wait_for_answers(30)
    check(books, crowds, within_long_calls=False)


def test_planned_switchover(stack, database, books):
    leader, standby = database.wait_whole()
    with Crowds(stack, books) as crowds:
        asked = time.monotonic()
        database.nodes[leader].run("patronictl", "-c", database.directory / leader / "patroni.yaml", "switchover",
                                   "--master", leader, "--candidate", standby, "--force")
        silent = crowds.wait_back(asked)
        assert database.wait_whole()[0] == standby
        crowds.wait_for_answers(30)
    report("switchover", silent, crowds)
    assert silent < BACK_S
    check(books, crowds)


def test_patroni_hangs(stack, database, books):
    """Its PostgreSQL continues as a second primary, because nothing stops it. Without a standby it
    confirms no commit. Members can still sign in."""
    leader, standby = database.wait_whole()
    member = Member(books.site)
    member.sign_in()
    with Crowds(stack, books) as crowds:
        hung = time.monotonic()
        pids = database.nodes[leader].find("patroni")
        freeze(pids)
        try:
            assert database.wait_leader([standby]) == standby
            assert database.sql(leader, "select pg_is_in_recovery()") == "f"  # two of them
            crowds.wait_for_answers(30)
            silent = crowds.wait_back(hung)
            wait_for(lambda: signs_in(member), BACK_S, "people sign in again")
        finally:
            thaw(pids)
        database.wait_whole()
        crowds.wait_for_answers(30)
    report("Patroni stopped", silent, crowds)
    check(books, crowds)


def signs_in(member):
    """False while the portal has no database, or the edge responds instead of it."""
    visitor = Visitor(member.site)
    page = visitor.get("/portal/sign-in")
    if page.status_code != 200:
        return False
    visitor.submit(page.form("/portal/sign-in"), email=member.email, password=member.password)
    return visitor.get("/portal", follow=False).status_code == 200


def test_the_primary_is_cut_off(stack, database, books):
    """From everyone: the others continue, and it follows them when it is reconnected."""
    leader, standby = database.wait_whole()
    with Crowds(stack, books) as crowds:
        since = time.monotonic()
        database.cut(leader)
        silent = crowds.wait_back(since)
        assert database.leader(set(database.nodes) - {leader}) == standby
        database.heal()
        assert database.wait_whole()[0] == standby
        crowds.wait_for_answers(30)
    report("the primary cut off", silent, crowds)
    assert silent < BACK_S
    check(books, crowds)


def test_the_primary_is_cut_off_with_a_gateway(stack, database, books):
    """One gateway on each side. The old primary confirms no commit of the gateway on its side."""
    leader, standby = database.wait_whole()
    with Crowds(stack, books) as crowds:
        since = time.monotonic()
        database.cut(leader, "gw1")
        silent = crowds.wait_back(since, of=[1])
        left = time.monotonic()
        crowds.wait_for_answers(20, status=503, of=[0])
        assert 200 not in {call.status for call in crowds.of[0].calls if call.begun > left}
        healed = time.monotonic()
        database.heal()
        assert database.wait_whole()[0] == standby
        crowds.wait_back(healed)
    report("the primary cut off with a gateway", silent, crowds)
    assert silent < BACK_S
    check(books, crowds, within_long_calls=False)


def test_the_primary_is_cut_off_with_all_gateways(stack, database, books):
    """No call is charged until the network is back, and then at once."""
    leader, standby = database.wait_whole()
    with Crowds(stack, books) as crowds:
        database.cut(leader, "gw1", "gw2")
        database.wait_leader(set(database.nodes) - {leader})
        crowds.wait_for_answers(20, status=503)
        healed = time.monotonic()
        database.heal()
        silent = crowds.wait_back(healed)
        assert database.wait_whole()[0] == standby
    report("all gateways cut off, after the network was back", silent, crowds)
    assert silent < BACK_S
    check(books, crowds, within_long_calls=False)
