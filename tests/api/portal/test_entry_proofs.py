"""tests/api/portal/test_entry_proofs.py - proofs of ledger entries, checked by
examples/check-proof.py, and every field of them changed."""

import base64
import copy
import hashlib
import json
import subprocess

import pytest

from kit.check import ROOT
from kit.client import Client
from kit.database.roots import Key
from kit.portal.files import add_entries
from kit.portal.member import Member
from kit.site import Account

pytestmark = pytest.mark.xdist_group("proofs")  # nothing else makes roots in the shared stack

ABSENT = "This proof can be downloaded after the next root of the ledger, which is made each hour."
TOO_FAR = "More than 20,000 entries are between this entry and the next root of the ledger, which is too many for a proof."


class Notary:
    """The operator's hourly run, for the shared stack."""

    def __init__(self, site, folder):
        self.site, self.key, self.file = site, Key(folder), folder / "ledger.roots"

    def run(self):
        return self.site.tollctl("ledger", "root", "--key", str(self.key.private), "--to", str(self.file), "--json")


@pytest.fixture(scope="module")
def notary(site, tmp_path_factory):
    return Notary(site, tmp_path_factory.mktemp("notary"))


@pytest.fixture(scope="module")
def member(site):
    """A member with a grant and three charges, among other accounts."""
    for number in range(5):
        site.tollctl("account", "create", f"other {number}", "--credits", "1")
    member = Member(site)
    token = site.tollctl("token", "create", member.account, "--name", "ci", "--json")
    for request in ("a", "b", "c"):
        answer = Client(site).call(Account(member.account, token["token"], token["token_id"]), "hash-generate",
                                   {"input": request})
        assert answer.status_code == 200, answer
    return member


def check(proof, key, folder):
    """(exit status, what it printed)"""
    file = folder / "proof.json"
    file.write_bytes(proof if isinstance(proof, bytes) else json.dumps(proof).encode())
    run = subprocess.run(["/usr/bin/python3", "-I", ROOT / "examples/check-proof.py", file, key], capture_output=True,
                         text=True, timeout=60)
    assert (run.stdout == "") == (run.returncode != 0)
    assert run.returncode in (0, 1) and (run.stdout + run.stderr).count("\n") == 1, run
    return run.returncode, run.stdout + run.stderr


def proofs_on(page):
    return [link for link in page.links if link.startswith("/portal/proof")]


def test_before_the_first_root(member):
    """No page has a link that leads to nothing."""
    visitor = member.sign_in()
    assert proofs_on(visitor.get("/portal/ledger")) == proofs_on(visitor.get("/portal/usage")) == []
    page = visitor.get("/portal/proof?seq=1")
    assert (page.status_code, ABSENT in page.text) == (409, True)
    assert visitor.get("/portal/ledger.pub").status_code == 404


@pytest.fixture(scope="module")
def published(notary, member):
    notary.run()
    return notary


def test_proofs_of_all_entries(member, published, tmp_path):
    visitor = member.sign_in()
    links = proofs_on(visitor.get("/portal/ledger"))
    assert links == [f"/portal/proof?seq={seq}" for seq in (4, 3, 2, 1)]
    assert proofs_on(visitor.get("/portal/usage")) == links[:3]
    for seq, link in zip((4, 3, 2, 1), links):
        answer = visitor.get(link)
        assert answer.headers["Content-Type"] == "application/json"
        assert f'filename="tollgate-proof-{seq}.json"' in answer.headers["Content-Disposition"]
        proof = json.loads(answer.body)
        assert (proof["entry"]["seq"], len(proof["following"])) == (seq, 4 - seq)
        status, out = check(answer.body, published.key.public, tmp_path)
        assert status == 0, out
        kind = "signup_grant, +100 credits" if seq == 1 else "usage, -1 credits"
        time = published.file.read_text().splitlines()[-1].split(" ")[1]
        assert out.startswith(f"PROVEN: entry {seq} of account {member.account} ({kind}, at 20")
        assert f"root of {time} was signed" in out
    assert visitor.get("/portal/ledger.pub").body == published.key.public.read_bytes()


def test_proofs_are_of_the_member_alone(site, published):
    visitor = Member(site).sign_in()
    for seq in ("2", "0", "-1", "x", "", "9223372036854775808"):
        assert visitor.get(f"/portal/proof?seq={seq}").status_code == 404
    page = visitor.get("/portal/proof?seq=1")
    assert (page.status_code, ABSENT in page.text) == (409, True)


def test_entries_far_from_a_root(site, ledger, published, tmp_path):
    member = Member(site)
    add_entries(ledger, member.account, 20_001)
    published.run()
    visitor = member.sign_in()
    page = visitor.get("/portal/proof?seq=1")
    assert (page.status_code, TOO_FAR in page.text) == (409, True)
    largest = visitor.get("/portal/proof?seq=2")
    assert (largest.status_code, len(json.loads(largest.body)["following"])) == (200, 20_000)
    assert check(largest.body, published.key.public, tmp_path)[0] == 0


# ---- every change of a proof is found ----

def flipped(text):
    """The text with one character changed, at its start, its middle and its end; upper case; with
    a blank; one character less."""
    for at in {0, len(text) // 2, len(text) - 1}:
        for other in ("0", "a", "1", "Z"):
            if text[at] != other:
                yield text[:at] + other + text[at + 1:]
    for changed in (text.upper(), " " + text, text + " ", text[:-1], text[1:], ""):
        if changed != text:
            yield changed


def changes(value):
    """Other values of a field, of the same and of other types."""
    if isinstance(value, str):
        yield from flipped(value)
        yield None
    elif isinstance(value, bool) or value is None:
        yield from ("", "x", 0)
    elif isinstance(value, int):
        yield from (value + 1, value - 1, -value - 1, value + 2**32, 2**70, float(value), str(value), None)
    elif isinstance(value, list):
        yield from (value[:-1], value[1:], value + value[-1:], value[::-1], None, "".join(value))
    else:
        yield from (None, [], {})


def places(tree, path=()):
    yield path
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield from places(tree[key], (*path, key))


def changed_at(proof, path, value):
    changed = copy.deepcopy(proof)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def root_words(line):
    """The root line with each of its words changed at the start, in the middle and at the end."""
    words = line.split(" ")
    for i, word in enumerate(words):
        for at in {0, len(word) // 2, len(word) - 1}:
            yield " ".join([*words[:i], word[:at] + ("1" if word[at] != "1" else "2") + word[at + 1:], *words[i + 1:]])
        yield " ".join(words[:i] + words[i + 1:])


class Checker:
    """examples/check-proof.py in this process, because a process for each of hundreds of changes
    is slow. openssl still runs for those that reach it."""

    def __init__(self):
        text = (ROOT / "examples/check-proof.py").read_text()
        self.code = compile(text, "check-proof.py", "exec")

    def refuses(self, proof, key, file, monkeypatch):
        file.write_text(json.dumps(proof))
        monkeypatch.setattr("sys.argv", ["check-proof.py", str(file), str(key)])
        with pytest.raises(SystemExit) as end:
            exec(self.code, {"__name__": "__main__", "print": lambda *words: None})
            raise SystemExit(0)
        return str(end.value).startswith("NOT PROVEN: ")


def test_every_change_of_a_proof_is_found(member, published, tmp_path, monkeypatch):
    proof = json.loads(member.sign_in().get("/portal/proof?seq=2").body)
    assert len(proof["following"]) == 2
    checker, file = Checker(), tmp_path / "changed.json"
    assert not checker.refuses(proof, published.key.public, file, monkeypatch)
    count = 0
    for path in places(proof):
        at = proof
        for key in path:
            at = at[key]
        for value in changes(at) if path else ():
            if value == at and type(value) is type(at):
                continue
            assert checker.refuses(changed_at(proof, path, value), published.key.public, file, monkeypatch), (path, value)
            count += 1
    for line in root_words(proof["root"]):
        assert checker.refuses(proof | {"root": line}, published.key.public, file, monkeypatch), line
    for name in proof:
        assert checker.refuses({key: value for key, value in proof.items() if key != name}, published.key.public,
                               file, monkeypatch), name
    for text in (proof["previous"][:-2], proof["previous"] + "00", ""):  # of another length
        assert checker.refuses(proof | {"previous": text}, published.key.public, file, monkeypatch), text
    assert count > 300


def test_other_files(member, published, tmp_path):
    proof = member.sign_in().get("/portal/proof?seq=2").body
    other = Key(tmp_path, "other")
    assert "public key is" in check(proof, other.public, tmp_path)[1]
    # a proof that names the other key: only the signature is left to show it
    der = base64.b64decode(other.public.read_text().split("-----")[2])
    forged = json.loads(proof) | {"public_key": hashlib.sha256(der).hexdigest()}
    assert "openssl's status for the signature is 1" in check(forged, other.public, tmp_path)[1]
    for content in (b"", b"{}", b"[]", b"\xff", b"null", proof[:-9]):
        assert check(content, published.key.public, tmp_path)[0] == 1
    assert check(proof, tmp_path / "none.pub", tmp_path)[0] == 1
