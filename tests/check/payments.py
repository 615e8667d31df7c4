"""tests/check/payments.py - random stories of orders, compared with a model of the ledger.

    /usr/bin/python3 tests/check/payments.py [--build build] [--stories 2000] [--seed N]

prints its seed, and that of a story that fails; --stories 1 --seed N runs it again and prints each
step. tests/kit/database/schedules.py has the stories.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.database.schedules import tell_stories  # noqa: E402
from kit.database.scratch import allow_shifts  # noqa: E402
from kit.database.seeded import arguments, own_database  # noqa: E402


def main():
    given = arguments(__doc__, stories={"type": int, "default": 2000})
    with own_database(given.build) as database:
        allow_shifts(database)
        tell_stories(database, given.seed, given.stories, print if given.stories == 1 else None)
        if not database.ask("verify", "--whole")["ok"]:
            sys.exit("the ledger does not add up")
    print(f"{given.stories} stories from seed {given.seed} on passed")


if __name__ == "__main__":
    main()
