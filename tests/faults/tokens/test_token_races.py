"""tests/faults/tokens/test_token_races.py - revoked and rotated tokens under load, at two gateways:
once the response has arrived, no call of the old secret is admitted, whatever a gateway
remembers."""

import json
import time
import uuid
from types import SimpleNamespace

import pytest

from kit.load import SETTINGS, Line, Load
from kit.site import Account

pytestmark = pytest.mark.xdist_group("token-races")

CLIENTS = 16
CALLS = 300  # of the old secret, before and after


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, settings=SETTINGS)


@pytest.fixture
def managed(books):
    """An account without limits, its management token, and requests by it to a gateway."""
    account = books.site.open_account(1000000, limits_off=True)
    manager = books.site.make_management(account, "tokens:read", "tokens:write")
    lines = [Line(books.site, tuple(gateway)) for gateway in books.stack.gateways]

    def ask(path, body, gateway=0):
        assert lines[gateway].open()
        status, _, content = lines[gateway].request(manager, f"account/tokens{path}", json.dumps(body))
        assert status == 200, content
        return json.loads(content)["result"]
    yield SimpleNamespace(account=account, manager=manager, ask=ask)
    for line in lines:
        line.close()


def create(managed, **settings):
    token = str(uuid.uuid4())
    made = managed.ask("", {"id": token, "name": "race"} | settings)
    return Account(managed.account.id, made["token"], token)


def revoke(managed, old, gateway):
    managed.ask(f"/{old.token_id}/revoke", {}, gateway)


def rotate(managed, old, gateway):
    new = str(uuid.uuid4())
    return Account(old.id, managed.ask(f"/{old.token_id}/rotate", {"id": new}, gateway)["token"], new)


def rotate_capped(managed, old, gateway):
    made = managed.ask(f"/{old.token_id}/rotate", {}, gateway)
    assert made["id"] == old.token_id
    return Account(old.id, made["token"], old.token_id)


ACTS = [(revoke, {}), (rotate, {}), (rotate_capped, {"cap_total": 1000000})]


@pytest.mark.parametrize("gateway", [0, 1])
@pytest.mark.parametrize("act, settings", ACTS, ids=lambda value: getattr(value, "__name__", ""))
def test_no_call_of_a_dead_secret(books, managed, act, settings, gateway):
    old = create(managed, **settings)
    with Load(books.site, [old], CLIENTS, books.stack.gateways) as load:
        load.wait_for_answers(CALLS)
        new = act(managed, old, gateway)
        done = time.monotonic()
        load.wait_for_answers(CALLS, 403)
        if new:
            with Load(books.site, [new], 2, books.stack.gateways) as other:
                other.wait_for_answers(20)
            assert set(other.statuses()) == {200}, other.statuses()
    assert load.faults == []
    late = load.statuses(done)
    assert set(late) == {403} and late[403] >= CALLS, late
    [(dead,)] = books.rows("select count(*) from ledger_entry e join token t using (account_id, token_id)"
                           " where t.account_id = %s and e.kind = 3 and e.at > t.revoked_at", old.id)
    assert dead == 0
    paid = load.statuses()[200] + (other.statuses()[200] if new else 0)
    assert books.charged(old) == paid
    if "cap_total" in settings:
        assert books.rows("select spent_total from token where token_id = %s", old.token_id) == [(paid,)]


def test_networks_changed_under_load(books, managed):
    """The clients' address is 198.51.100.7 (kit/load.py)."""
    old = create(managed)
    with Load(books.site, [old], CLIENTS, books.stack.gateways) as load:
        load.wait_for_answers(CALLS)
        managed.ask(f"/{old.token_id}", {"networks": ["203.0.113.0/24"]})
        done = time.monotonic()
        load.wait_for_answers(CALLS, 403)
        assert set(load.statuses(done)) == {403}
        managed.ask(f"/{old.token_id}", {"networks": ["198.51.100.0/24"]}, 1)
        load.wait_for_answers(CALLS)
    assert load.faults == [] and books.charged(old) == load.statuses()[200]
