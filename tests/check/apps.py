"""tests/check/apps.py - random schedules of a member, an app and a thief of its tokens, in a
database and in a model of it.

    /usr/bin/python3 tests/check/apps.py [--build build] [--schedules 2000] [--seed N]

prints its seed; the message of a failure has that of its schedule. tests/kit/database/apps.py has
the model.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.database.apps import Apps, play  # noqa: E402
from kit.database.scratch import allow_shifts  # noqa: E402
from kit.database.seeded import arguments, own_database  # noqa: E402


def main():
    given = arguments(__doc__, schedules={"type": int, "default": 2000})
    with own_database(given.build) as database:
        allow_shifts(database)
        apps = Apps(database)
        ends = [play(apps, given.seed + number) for number in range(given.schedules)]
        apps.close()
    print(f"{given.schedules} schedules from seed {given.seed} on passed: {sum(model.is_made for model in ends)} made a"
          f" connection, {sum(model.is_ended for model in ends)} ended one")


if __name__ == "__main__":
    main()
