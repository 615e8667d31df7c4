"""tests/check/apps.py - connected apps: random schedules against a model, and caps that are exact
over refreshes and crashes.

    /usr/bin/python3 tests/check/apps.py [--build build] [--schedules 2000] [--callers 64]
        [--seed N]

1. Random schedules of a member, an app and a thief of its tokens, in a database and in a model of
   it (tests/kit/database/apps.py). Prints its seed; the message of a failure has that of its
   schedule.
2. On a stack with two gateways and two portals: callers of one app, without limits of the account,
   spend exactly its cap, in total and per day, while 20 refreshes each change its access token. A
   portal is killed in the middle of each third refresh, before or after it has committed.
"""

import datetime
import random
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.database.apps import Apps, play  # noqa: E402
from kit.database.scratch import allow_shifts  # noqa: E402
from kit.database.seeded import arguments, own_database  # noqa: E402
from kit.apps.app import App  # noqa: E402
from kit.apps.app_crowd import Crowd, age  # noqa: E402
from kit.portal.member import Member  # noqa: E402
from kit.site import Ledger, Site  # noqa: E402
from part import wait_for  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

CAP = 98
REFRESHES = 20
SETTINGS = {"egress.only": ["127.0.0.0/8", "::1"]}
POINTS = ("token-before-commit", "token-after-commit")
BUSY = (429, 502, 503, 504)


class Portals:
    """Two portals; one at a time dies at a point."""

    def __init__(self, stack):
        self._stack, self._armed = stack, None

    def arm(self, name, point):
        part = self._stack.parts[name]
        part.stop()
        part.argv[0] = str(self._stack.build / "tests" / "faults" / "tollgate-portal-faults")
        part.env["FAULT_POINT"] = f"{point}:1"
        self._stack.start_part(name)
        self._armed = name

    def is_waiting(self):
        return self._armed is not None and self._stack.parts[self._armed].alive

    def repair(self):
        """Returns whether the armed one has died."""
        if self._armed is None:
            return False
        part = self._stack.parts[self._armed]
        has_died = not part.alive
        part.kill()
        del part.env["FAULT_POINT"]
        part.argv[0] = str(self._stack.build / "portal" / "tollgate-portal")
        self._stack.start_part(self._armed)
        self._armed = None
        return has_died


def refresh(app):
    """As a client does: what is only busy is sent again. Returns the access token."""
    answers = []

    def is_done():
        answers.append(app.refresh())
        assert answers[-1].status_code in (200, *BUSY), answers[-1]
        return answers[-1].status_code == 200

    wait_for(is_done, 60, "the refresh is answered")
    return answers[-1].json()["access_token"]


def spend(stack, site, ledger, dice, callers, column):
    """Spend a cap. Returns how often the access token changed, and a portal died in that."""
    member = Member(site, credits=500)
    ledger.rows("update account set limits_off = true where account_id = %s", member.account)
    app = App(site)
    caps = {"cap_daily": "", "cap_total": ""} | {column: str(CAP)}
    visitor = member.sign_in()
    app.finish(visitor, app.consent_page(visitor), **caps)
    portals, seen, deaths = Portals(stack), {app.tokens["access_token"]}, 0
    code = {"cap_total": "spending_cap_total", "cap_daily": "spending_cap_daily"}[column]
    with Crowd(app, callers, code) as crowd:
        def change():
            age(site, ledger, member)
            seen.add(refresh(app))
            return not portals.is_waiting()

        for number in range(REFRESHES):
            if number % 3 == 0:
                portals.arm(dice.choice(["portal-1", "portal-2"]), dice.choice(POINTS))
            wait_for(change, 60, "the edge chooses the portal that dies")
            deaths += portals.repair()
        wait_for(lambda: crowd.capped > 0, 120, "the cap is reached")
    counted = {"cap_total": "spent_total", "cap_daily": "spent_today"}[column]
    [(spent,)] = ledger.rows(f"select {counted} from token where account_id = %s and kind = 3", member.account)
    assert len(seen) > REFRESHES, f"{len(seen)} access tokens"
    assert crowd.charged == spent == CAP, f"{crowd.charged} calls were charged, {spent} counted, of {CAP}"
    return len(seen) - 1, deaths


def prove_caps(build, seed, callers):
    dice = random.Random(seed)
    directory = tempfile.mkdtemp(prefix="tollgate-apps-")
    with Stack(directory, build, gateways=2, daemons=1, portals=2, settings=SETTINGS, groups=["utils"]) as stack:
        site = Site.of(stack)
        connection = site.connect()
        ledger = Ledger(connection)
        for column in ("cap_total", "cap_daily"):
            today = datetime.datetime.now(datetime.timezone.utc).date()
            changes, deaths = spend(stack, site, ledger, dice, callers, column)
            if today != datetime.datetime.now(datetime.timezone.utc).date():
                changes, deaths = spend(stack, site, ledger, dice, callers, column)  # its day has turned
            print(f"{callers} callers spent exactly {CAP} by {column}, over {changes} changes of the access token;"
                  f" a portal died in {deaths} of them")
        connection.close()
        stack.tollctl("verify", "--whole")
    shutil.rmtree(directory, ignore_errors=True)


def main():
    interruptible()
    given = arguments(__doc__, schedules={"type": int, "default": 2000}, callers={"type": int, "default": 64})
    if given.schedules:
        play_all(given)
    prove_caps(Path(given.build).resolve(), given.seed, given.callers)


def play_all(given):
    with own_database(given.build) as database:
        allow_shifts(database)
        apps = Apps(database)
        ends = [play(apps, given.seed + number) for number in range(given.schedules)]
        apps.close()
    print(f"{given.schedules} schedules from seed {given.seed} on passed: {sum(model.is_made for model in ends)} made a"
          f" connection, {sum(model.is_ended for model in ends)} ended one")


if __name__ == "__main__":
    main()
