#!/usr/bin/env python3
"""check-proof.py PROOF.json LEDGER.pub - proves offline that an entry is in a signed ledger."""
import base64, hashlib, json, pathlib, struct, subprocess, sys, tempfile, uuid
from datetime import datetime, timedelta

KINDS = ["signup_grant", "purchase", "usage", "refund", "adjustment", "payment_reversed", "reversal_undone"]
sha256 = lambda data: hashlib.sha256(data).digest()

def same(what, found, proven):
    if repr(found) != repr(proven):  # so that 1, 1.0 and true differ
        sys.exit(f"NOT PROVEN: {what} is {found!r}, but {proven!r} was expected")

def unhex(what, text, size):
    same(what, text, bytes.fromhex(text)[:size].ljust(size).hex())
    return bytes.fromhex(text)

def id_of(what, text):
    same(what, text, str(uuid.UUID(text)))
    return uuid.UUID(text).bytes

def record(account, e):
    at = datetime.fromisoformat(e["at"][:-1])
    same("time", e["at"], at.isoformat(timespec="microseconds") + "Z")
    tool = int(sha256(e["tool"].encode()).hex()[:7], 16) % 32767 + 1 if e["tool"] is not None else 0
    return struct.pack(">16sqhqq16sH16sq", account, e["seq"], KINDS.index(e["kind"]) + 1, e["amount"], e["balance_after"],
                       id_of("reference", e["reference"]), tool, id_of("token", e["token"]) if e["token"] is not None
                       else bytes(16), (at - datetime(2000, 1, 1)) // timedelta(microseconds=1))

def check(r, key):
    account, seq = id_of("account", r["account"]), r["entry"]["seq"]
    head = sha256(unhex("previous", r["previous"], 32) + record(account, r["entry"]))
    for seq, text in enumerate(r["following"], seq + 1):  # up to the head of the account
        same(f"entry {seq}", unhex(f"entry {seq}", text, 84)[:24], account + struct.pack(">q", seq))
        head = sha256(head + bytes.fromhex(text))
    word, time, accounts, entries, root, heads, previous, signature = r["root"].split(" ")
    node, at, last = sha256(b"\0" + account + struct.pack(">q", seq) + head), int(r["index"]), int(accounts) - 1
    same("format", [r["format"], r["accounts"], r["index"], r["path"], r["following"]],
         ["tollgate-proof-1", last + 1, at, list(r["path"]), list(r["following"])])
    for text in r["path"]:  # RFC 9162 section 2.1.3.2
        step, is_right = unhex("path", text, 32), at % 2 == 1 or at == last
        node = sha256(b"\1" + (step + node if is_right else node + step))
        while is_right and at % 2 == 0 and at:
            at, last = at // 2, last // 2
        at, last = at // 2, last // 2
    same("root, and what is left of the path", [root, at, last], [node.hex(), 0, 0])
    same("public key", r["public_key"], sha256(base64.b64decode(pathlib.Path(key).read_text().split("-----")[2])).hex())
    same("signature", signature, base64.b64encode(base64.b64decode(signature)).decode())
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder, "message"), pathlib.Path(folder, "signature")
        files[0].write_text(r["root"].rsplit(" ", 1)[0]), files[1].write_bytes(base64.b64decode(signature))
        openssl = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", files[0], "-sigfile", files[1]]
        same("openssl's status for the signature", subprocess.run(openssl, capture_output=True).returncode, 0)
    return f"is in the ledger whose root of {time} was signed with the key {r['public_key']}"

try:
    r = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    proven, e = check(r, sys.argv[2]), r["entry"]
except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error) as error:
    sys.exit(f"NOT PROVEN: this is not a proof and its public key: {error!r}")
print(f"PROVEN: entry {e['seq']} of account {r['account']} ({e['kind']}, {e['amount']:+} credits, at {e['at']}) {proven}")
