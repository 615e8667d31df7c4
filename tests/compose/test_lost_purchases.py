"""tests/compose/test_lost_purchases.py - a restore to a time before purchases: they come back from
the payment processor, once, and the signed roots of the ledger have a record of the cut. The tests
run in order, on their own stack, with the commands of docs/operate/backup-and-restore.md."""

import json
import re
import subprocess
import types

import pytest
from containers import ROOT, Containers, Forwarder
from kit.client import Answer
from kit.database.roots import Key, read_roots
from kit.portal.member import Member
from kit.portal.processor import Processor
from part import command, wait_for
from recovery import RESTORE, SETTINGS, import_files, pay_member, start, wait_until_archived, wait_until_backed_up

GRANT, CREDITS, CALL = 100, 250, 1  # of the member, of the smallest pack, of the member's call
TOLLCTL_USER = 10003
WAIT_S = 60
EVIDENCE = ("--key", "/evidence/ledger.pem", "--to", "/evidence/ledger.roots")


@pytest.fixture(scope="module")
def processor(engine, tmp_path_factory):
    """Containers reach it at this machine's address in the engine's own network."""
    processor = Processor(tmp_path_factory.mktemp("processor"), host="processor.test")
    address = command("docker", "network", "inspect", "--format", "{{(index .IPAM.Config 0).Gateway}}", "bridge").strip()
    with Forwarder(address, [processor.server.server_address[1]]) as route:
        processor.url = f"https://processor.test:{route.addresses[0][1]}"
        yield processor
    processor.close()


@pytest.fixture(scope="module")
def stack(engine, processor):
    key, authority = processor.key.encode(), processor.ca_file.read_bytes()
    with Containers("tollgate-purchases", "tests/compose/processor.yaml", EDGE_SUBNET="10.213.7.0/24", BUS_PREFIX="10.213.135",
                    MONITORING_SUBNET="10.213.71.0/24", PAYMENTS="stripe", SELLER="Example Ltd", OAUTH_ENABLED="true",
                    PROCESSOR_URL=processor.url, **SETTINGS) as stack:
        stack.compose("build")
        stack.compose("run", "--rm", "init")
        import_files(stack, "portal", {"stripe.key": key, "stripe.webhook-secret": processor.secret.encode(),
                                       "payments-ca.pem": authority})
        import_files(stack, "tollctl", {"stripe.key": key, "payments-ca.pem": authority})
        start(stack)
        wait_until_backed_up(stack)
        yield stack


@pytest.fixture(scope="module")
def evidence(tmp_path_factory):
    """The folder with the key and the file of the roots, of tollctl's user."""
    folder = tmp_path_factory.mktemp("evidence")
    key = Key(folder)
    command("chown", "-R", TOLLCTL_USER, folder)
    for parent in [folder, *folder.parents][:3]:
        parent.chmod(0o711)
    return types.SimpleNamespace(folder=folder, key=key, file=folder / "ledger.roots")


@pytest.fixture(scope="module")
def gap(stack, site, books, processor, evidence):
    """A member who has done these, and the database, which is restored to the time between:

    - before: opened an order;
    - after: paid it; bought a pack; opened another order; made a call, and downloaded the proof of
      its charge.
    """
    member = Member(site, credits=GRANT)
    visitor = member.sign_in()
    gap = types.SimpleNamespace(member=member, known=buy(visitor, processor))
    publish(stack, evidence)
    [[gap.time]] = books.rows("select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US\"Z\"')")
    processor.pay(processor.session_of(gap.known))
    gap.bought = buy(visitor, processor, pack=1)
    gap.event = processor.pay(processor.session_of(gap.bought))
    for order in (gap.known, gap.bought):
        wait_for(lambda: "are in your account" in visitor.get(f"/portal/orders/{order}").text, WAIT_S, f"{order} is paid")
    gap.later = buy(visitor, processor, pack=0)
    gap.credits = books.rows("select sum(credits)::bigint from purchase_order where state = 'paid'")[0][0]
    gap.prices = dict(books.rows("select order_id::text, credits from purchase_order"))
    pay_member(site, member)
    publish(stack, evidence)
    gap.seq = books.rows("select max(seq) from ledger_entry where account_id = %s", member.account)[0][0]
    gap.proof = visitor.get(f"/portal/proof?seq={gap.seq}").body
    wait_until_archived(books)
    assert posted(books, member) == GRANT + gap.credits - CALL
    return gap


def buy(visitor, processor, pack=0):
    """An order whose payment page is open."""
    form = visitor.get("/portal/credits").form("/portal/credits/buy", pack)
    answer = visitor.submit(form, follow=False)
    assert answer.headers["Location"].startswith(f"{processor.url}/c/pay/"), answer
    return dict(form.sent())["order"]


def publish(stack, evidence, *more):
    """`tollctl ledger root`: its answer."""
    return json.loads(stack.pipe("run", "--rm", "-T", "-v", f"{evidence.folder}:/evidence", "tollctl", "ledger", "root",
                                 *EVIDENCE, *more, "--json"))


def posted(books, member):
    return books.rows("select posted from account_balance where account_id = %s", member.account)[0][0]


def check_proof(proof, evidence, tmp_path):
    """(exit status, what examples/check-proof.py said)"""
    (tmp_path / "proof.json").write_bytes(proof)
    run = subprocess.run(["/usr/bin/python3", "-I", ROOT / "examples/check-proof.py", tmp_path / "proof.json",
                          evidence.key.public], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_the_restore_loses_them(stack, books, gap):
    said = stack.run_script(RESTORE, "--yes", "--no-start", "--to", gap.time)
    assert re.search(r"order refresh --since '\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ'", said), said
    assert posted(books, gap.member) == GRANT
    assert books.rows("select order_id::text, state from purchase_order") == [(gap.known, "open")]
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def test_the_roots_have_a_record_of_the_cut(stack, books, gap, evidence, tmp_path):
    """A run without it is refused. The member's proof of a lost entry is still valid, and the
    record names its entry."""
    with pytest.raises(subprocess.CalledProcessError) as refused:
        publish(stack, evidence)
    assert b"the database does not have entry" in refused.value.stderr
    answer = publish(stack, evidence, "--after-restore")
    assert answer["cut_accounts"] == 1
    [block] = [block for block in read_roots(evidence.file) if block.cut]
    [(account, first, last)] = block.lost
    assert account == gap.member.account and first <= gap.seq <= last
    assert answer["lost_entries"] == last - first + 1
    assert check_proof(gap.proof, evidence, tmp_path)[0] == 0
    check_against(stack, evidence, answer)


def check_against(stack, evidence, cut):
    """`verify --against` accepts the cut, and prints it."""
    found = json.loads(stack.pipe("run", "--rm", "-T", "-v", f"{evidence.folder}:/evidence", "tollctl", "verify", "--against",
                                  "/evidence/ledger.roots", "--key", "/evidence/ledger.pub", "--json"))
    assert found["ok"] and found["roots"]["cuts"] == [
        {"time": cut["time"], "accounts": cut["cut_accounts"], "lost_entries": cut["lost_entries"]}]


def test_the_purchases_come_back_once(stack, site, books, gap, processor):
    stack.compose("up", "-d")
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    answer = refresh(stack, gap)
    assert (answer["checkouts"], answer["recovered"]) == (3, 2)
    wait_for(lambda: posted(books, gap.member) >= GRANT + gap.credits, WAIT_S, "the credits of both purchases")
    assert refresh(stack, gap)["recovered"] == 0
    site.edge_is_gone()
    send(site, *processor.sign(gap.event))
    wait_for(lambda: not books.rows("select from payment_event where state = 1"), WAIT_S, "no event waits")
    send(site, *processor.sign(processor.pay(processor.session_of(gap.later))))
    wanted = GRANT + gap.credits + gap.prices[gap.later]
    wait_for(lambda: posted(books, gap.member) >= wanted, WAIT_S, "the credits of the order that was paid later")
    assert posted(books, gap.member) == wanted
    assert dict(books.rows("select order_id::text, credits from purchase_order where state = 'paid'")) == gap.prices
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def refresh(stack, gap):
    return stack.tollctl("order", "refresh", "--since", gap.time, "--json")


def send(site, headers, body):
    """A webhook, through the edge."""
    line = site.connection(site.fresh_address(), 30)
    line.request("POST", "/hooks/stripe", body.encode(), headers)
    response = line.getresponse()
    answer = Answer(response.status, response.headers, response.read())
    assert answer.status_code == 200, answer


def test_the_roots_continue(stack, gap, evidence):
    """The entries of the purchases are in the next root; the cut stays in the file."""
    before = read_roots(evidence.file)
    publish(stack, evidence)
    blocks = read_roots(evidence.file)
    assert blocks[:-1] == before and [account for account, _, _ in blocks[-1].heads] == [gap.member.account]
    assert stack.tollctl("verify", "--json")["ok"]
