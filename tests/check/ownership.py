"""tests/check/ownership.py - random schedules of an owner and an intruder, in a database and in a
model of it.

    /usr/bin/python3 tests/check/ownership.py [--build build] [--seconds 120]
        [--schedules N] [--seed N]

prints its seed, and that of a schedule that fails; --schedules 1 --seed N runs it again. Without
--schedules it runs until the time is over. tests/kit/database/ownership.py has the model.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.database.ownership_account import play_random  # noqa: E402
from kit.database.seeded import arguments, own_database  # noqa: E402

AT_ONCE = 50


def main():
    given = arguments(__doc__, seconds={"type": float, "default": 120}, schedules={"type": int})
    done, end = 0, time.monotonic() + given.seconds
    with own_database(given.build) as database:
        while done < given.schedules if given.schedules else time.monotonic() < end:
            count = min(AT_ONCE, given.schedules - done) if given.schedules else AT_ONCE
            play_random(database, given.seed + done, count)
            done += count
    print(f"{done} schedules from seed {given.seed} on passed")


if __name__ == "__main__":
    main()
