"""tests/check/older/gateway.py - a gateway of an older version next to one of this tree, with this
tree's database, as during a roll.

    /usr/bin/python3 tests/check/older/gateway.py [--build build] [--commit NAME] [--older FOLDER]

builds the gateway of the commit (by default the last one that knew no networks of tokens and no
management tokens) in FOLDER (by default older/ in the build directory). Then it calls both
gateways:

- They count one minute, also for an account with a plan, and charge each call once.
- The older gateway refuses a token with networks from the moment these are written, even inside of
  them, because it sends no address. It never admits it unchecked.
- A management token calls no tool at either.
- `tollctl verify` finds nothing.

Run by `make check`; needs the history of git.
"""

import argparse
import itertools
import json
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.load import BROKEN, SETTINGS, Books, Line, Load  # noqa: E402
from kit.operators.history import unpack  # noqa: E402
from kit.site import Account, Site  # noqa: E402
from part import Failure, command, wait_for  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

COMMIT = "7cbb3b53bc544c7acd88b5bec01c83efe4ad80f9"
ADDRESS = "198.51.100.7"  # of the clients (kit/load.py)
NEW, OLD = 0, 1
GROUP = "utils"
TOOL, GOOD = "hash-generate", {"input": "abc"}
ROUTES = ("credits", "usage", "limits", "requests")
NARROW = {"global_per_minute": 40, "classes": {"utility": {"endpoint_per_minute": 0}}}
CALLS = 100
NUMBERS = itertools.count(1)


# -- the older gateway --


def source_of(commit, folder):
    """The commit's tree, in the folder."""
    source = folder / commit
    if not source.exists():
        unpack(commit, source)
    return source


def build_older(commit, folder):
    """(source, gateway) of the commit."""
    source = source_of(commit, folder)
    build = source / "build"
    if not (build / "build.ninja").exists():
        command("meson", "setup", build, source)
    command("ninja", "-C", build, "gateway/tollgate-gateway")
    return source, build / "gateway" / "tollgate-gateway"


def replace(stack, source, program):
    """Gateway 2 runs the older program, with its contracts and limits, and the same keys."""
    contracts = stack.directory / "older-contracts"
    contracts.mkdir()
    (contracts / f"svc-{GROUP}").symlink_to(source / f"svc-{GROUP}")
    settings = yaml.safe_load(stack.config.read_text())
    settings["contracts_dir"] = str(contracts)
    settings["gateway"]["limits_file"] = str(source / "gateway" / "limits.yaml")
    config = stack.directory / "older.yaml"
    config.write_text(yaml.safe_dump(settings))
    part = stack.parts["gateway-2"]
    part.stop()
    part.argv = [str(program), "--config", str(config)]
    stack.start_part("gateway-2")


# -- what both are asked --


class Desk:
    """Requests to the two gateways."""

    def __init__(self, stack):
        self.stack, self.books, self.site = stack, Books(stack), Site.of(stack)
        self.sent_again = []

    def ask(self, gateway, account, path, request=None, headers=None):
        """(status, code) of one request, BROKEN without a response; GET without a request."""
        line = Line(self.site, self.stack.gateways[gateway])
        assert line.open()
        status, _, body = line.request(account, path, None if request is None else json.dumps(request), headers,
                                       "GET" if request is None else "POST")
        line.close()
        return status, json.loads(body)["errors"][0]["code"] if status not in (BROKEN, 200) else None

    def answer(self, gateway, account, path, request=None, headers=None):
        """The same, of a request that the database answered: on a busy machine it may be late."""
        def final():
            said = self.ask(gateway, account, path, request, headers)
            return None if said[0] in (BROKEN, 503) else said
        return wait_for(final, 60, "a response")

    def call(self, gateway, account, headers=None):
        return self.ask(gateway, account, f"tools/{TOOL}", GOOD, headers)

    def storm(self, account, count):
        """Calls at once, in turn to both gateways: Counter of (status, code). On a busy machine the
        database may be late, or the response: such a call is sent again with its key."""
        def run(n):
            key = {"Idempotency-Key": f"storm-{next(NUMBERS)}"}
            return wait_for(lambda: self._outcome(n % 2, account, key), 60, "an outcome")

        with ThreadPoolExecutor(16) as pool:
            return Counter(pool.map(run, range(count)))

    def _outcome(self, gateway, account, key):
        said = self.call(gateway, account, key)
        if said[0] not in (BROKEN, 409, 503):
            return said
        self.sent_again.append(said)
        return None

    def token(self, account, *options):
        made = self.site.tollctl("token", "create", account.id, *options, "--json")
        return Account(account.id, made["token"], made["token_id"])

    def set_networks(self, token, networks):
        self.books.rows("update token set networks = %s::cidr[] where token_id = %s returning 1", networks,
                        token.token_id)

    def marks(self, account):
        return self.books.rows("select b.posted, b.held, b.seq, b.ring_at from account_balance b where account_id = %s",
                               account.id)


def check_window(desk, account, calls, limit, code):
    """Of these calls, as many as the limit are admitted, at both gateways together. A call that is
    sent again may have two places in the window."""
    begun = time.monotonic()
    desk.sent_again.clear()
    said = desk.storm(account, calls)
    assert set(said) == {(200, None), (429, code)}, said
    assert desk.books.charged(account) == said[200, None]
    assert time.monotonic() > begun + 55 or limit - len(desk.sent_again) <= said[200, None] <= limit, said


def check_one_minute(desk):
    check_window(desk, desk.site.open_account(1000), 64, 30, "rate_limited_endpoint")


def check_a_plan(desk):
    """The older gateway sends the standard limits; the database decides."""
    account = desk.site.open_account(1000)
    desk.books.rows("select count(*) from plan_write('narrow', %s::jsonb)", json.dumps(NARROW))
    desk.stack.tollctl("account", "plan", account.id, "narrow", "--note", "check")
    check_window(desk, account, 64, 40, "rate_limited_global")


def check_networks(desk):
    """Each way to use the token, inside and outside of its networks."""
    account = desk.site.open_account(1000, limits_off=True)
    inside, outside = (desk.token(account, "--network", network) for network in (ADDRESS, "203.0.113.0/24"))
    ways = [(f"tools/{TOOL}", GOOD, {}), (f"tools/{TOOL}", GOOD, {"Idempotency-Key": "a"}), (f"tools/{TOOL}/dry-run", GOOD, {}),
            ("tools/placeholder-image?width=9", None, {})]
    for token, statuses in ((inside, {NEW: 200, OLD: 500}), (outside, {NEW: 403, OLD: 500})):
        for path, request, headers in ways:
            before = desk.marks(account)
            for gateway in (OLD, NEW) if token is outside else (OLD,):
                status, code = desk.answer(gateway, token, path, request, headers)
                assert status == statuses[gateway], (path, gateway, status, code)
            assert desk.marks(account) == before, f"{path} left a mark"
    for path, request, headers in ways:
        said = desk.answer(NEW, inside, path, request, headers)
        assert said == (200, None), (path, said)
    assert desk.books.charged(account) == 3


def check_networks_under_load(desk):
    """Written while both gateways answer calls of the token, which they know well by then."""
    account = desk.site.open_account(1_000_000, limits_off=True)
    with Load(desk.site, [account], 8, desk.stack.gateways) as load:
        load.wait_for_answers(CALLS)
        desk.set_networks(account, [f"{ADDRESS}/32"])
        done = time.monotonic()
        load.wait_for_answers(CALLS)            # of the new gateway
        load.wait_for_answers(CALLS, 500)       # of the older one
    late = [call for call in load.calls if call.begun > done]
    older = Counter(call.status for call in late if call.status != 200)
    assert set(older) == {500}, older
    with Load(desk.site, [account], 8, [desk.stack.gateways[OLD]]) as load_of_old:
        load_of_old.wait_for_answers(CALLS, 500)
    assert set(load_of_old.statuses()) == {500}, load_of_old.statuses()
    desk.set_networks(account, None)
    wait_for(lambda: desk.call(OLD, account)[0] == 200, 20, "the older gateway admits the token again")
    assert load.faults == load_of_old.faults == []
    paid = load.statuses()[200] + 1
    assert desk.books.charged(account) == paid, (desk.books.charged(account), paid)


def check_management(desk):
    account = desk.site.open_account(100)
    manager = desk.site.make_management(account, "tokens:read", "tokens:write")
    for gateway in (NEW, OLD):
        for key in ({}, {"Idempotency-Key": "m"}):
            assert desk.answer(gateway, manager, f"tools/{TOOL}", GOOD, key)[0] == 403, gateway
    assert desk.books.charged(account) == 0


CHECKS = (check_one_minute, check_a_plan, check_networks, check_networks_under_load, check_management)


def play(stack, source, program):
    replace(stack, source, program)
    desk = Desk(stack)
    for check in CHECKS:
        check(desk)
        print(check.__name__.removeprefix("check_").replace("_", " "), "passed", flush=True)
    stack.tollctl("verify")
    crashed = [part.obituary() for part in stack.crashed()]
    assert not crashed, crashed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--older", help="where to build the commit")
    given = parser.parse_args()
    interruptible()
    source, program = build_older(given.commit, Path(given.older or Path(given.build) / "older").resolve())
    settings = SETTINGS | {"egress.only": ["127.0.0.0/8"]}
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-older-"), given.build, gateways=2, settings=settings, groups=[GROUP])
    try:
        with stack:
            play(stack, source, program)
    except Failure as failure:
        sys.exit(str(failure))
    finally:
        stack.remove()


if __name__ == "__main__":
    main()
