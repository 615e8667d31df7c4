"""tests/bench/apps.py - connected apps: their tokens and connections, written directly, and
requests of programs to the portals."""

import base64
import hashlib
import hmac
import json
import random
import re
import secrets
import string
import tempfile
import uuid
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import psycopg2
import psycopg2.extras

from cost import cpu_seconds, cpu_spent
from kit.portal.buckets import subkey
from part import Failure, command

HERE = Path(__file__).resolve().parent
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
CLIENT = "https://app.example.com/bench"
FORM = "application/x-www-form-urlencoded"
SECRET_REFRESH = 8  # portal/base/secret.h
REFRESH_CLIENTS, REFRESH_PAUSE_MS = 8, 35  # some 200 refreshes a second
REFRESH_GOAL_MS = 10
PROGRAM_CLIENTS = 16
REGISTRATION = json.dumps({"client_name": "Bench", "redirect_uris": ["http://localhost/callback"]})
GARBAGE = urlencode({"grant_type": "refresh_token", "client_id": CLIENT, "refresh_token": "tg_refresh_" + "A" * 91})
PROGRAMS = [  # what, path, media type, body, share that is rejected, requests a second of a core
    ("server metadata", "/.well-known/oauth-authorization-server", FORM, "", 0, 0),
    ("registrations", "/oauth/register", "application/json", REGISTRATION, 0, 5000),
    ("garbage as a refresh token", "/oauth/token", FORM, GARBAGE, 1, 10000),
]


def digits(number, count):
    text = ""
    for _ in range(count):
        number, digit = divmod(number, 62)
        text = BASE62[digit] + text
    return text


def new_token(account):
    """As common/text/token.h describes it."""
    name = digits(uuid.UUID(account).int, 22)[::-1]  # the lowest digit first, unlike the check's
    text = f"tg_live_{name}" + "".join(secrets.choice(BASE62) for _ in range(32))
    return text + digits(zlib.crc32(text.encode()), 6)


GRANT = ("insert into oauth_grant (account_id, token_id, member_id, client_key, client_host, client_name, redirect_host,"
         " needs_key, access_no, issued_at, first_no, refresh_no, rotated_at, refresh_until, created_at, connected_at,"
         " network) values %s")


def connect(database, accounts, cap):
    """An app of each account; (account, access token, id) of each."""
    apps = [(account, new_token(account), str(uuid.uuid4())) for account in accounts]
    key = hashlib.sha256(CLIENT.encode()).digest()
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        psycopg2.extras.execute_values(
            cursor, "insert into token (account_id, token_id, digest, last4, created_at, expires_at, cap_daily, cap_total,"
                    " spent_total, kind) values %s",
            [(account, ident, hashlib.sha256(token.encode()).digest(), token[-4:]) for account, token, ident in apps],
            f"(%s, %s, %s, %s, now(), now() + interval '8 hours', {cap}, {cap}, 0, 3)", page_size=1000)
        psycopg2.extras.execute_values(
            cursor, GRANT, [(account, ident, key) for account, _, ident in apps],
            "(%s, %s, gen_random_uuid(), %s, 'app.example.com', 'Bench', 'localhost', false, 1, now(), 1, 1, now(),"
            " now() + interval '90 days', now(), now(), '')", page_size=1000)
    return apps


def refreshes(stack, apps):
    """The body of each app's first refresh."""
    [file] = stack.directory.rglob("portal.secret")
    key = subkey(bytes.fromhex(file.read_text().split()[0]), SECRET_REFRESH)
    for account, _, ident in apps:
        name = uuid.UUID(account).bytes + uuid.UUID(ident).bytes + (1).to_bytes(4, "big")
        token = base64.urlsafe_b64encode(name + hmac.new(key, name, hashlib.sha256).digest()).decode().rstrip("=")
        yield urlencode({"grant_type": "refresh_token", "client_id": CLIENT, "refresh_token": "tg_refresh_" + token})


def ask(stack, path, media, bodies, connections, seconds, pause_ms=0):
    """Load on all portals, each with its share of several bodies; wrk's report, with the portals'
    CPU time in µs a request."""
    urls = [f"http://{address}:{port}" for address, port in stack.portals]

    def load(number):
        with tempfile.NamedTemporaryFile("w", suffix=".bodies") as file:
            file.writelines(f"{body}\n" for body in bodies[number::len(urls)] or bodies)
            file.flush()
            text = command("wrk", "-t", 2, "-c", connections // len(urls), "-d", f"{seconds}s",
                           "-s", HERE / "program.lua", urls[number], "--", file.name, path, media, pause_ms)
        return json.loads(re.search(r"^RESULT (.*)$", text, re.MULTILINE)[1])

    with ThreadPoolExecutor() as pool:
        before = cpu_seconds(stack)
        loads = list(pool.map(load, range(len(urls))))
        spent = cpu_spent(before, cpu_seconds(stack))
    result = {key: sum(load[key] for load in loads) for key in ("calls", "refused", "busy", "broken")}
    result["p95_ms"] = max(load["p95_ms"] for load in loads)
    result["rate"] = result["calls"] / max(load["seconds"] for load in loads)
    result["cpu_us"] = sum(us for name, us in spent.items() if name.startswith("portal")) * 1e6 / max(1, result["calls"])
    return result


def tell_programs(stack, seconds):
    for what, path, media, body, refused, goal in PROGRAMS:
        load = ask(stack, path, media, [body], PROGRAM_CLIENTS, seconds)
        core = 1e6 / load["cpu_us"]
        short = f"   goal {goal}" if core < goal else ""
        print(f"{what:36}{load['rate']:9.0f}/s   portal: {load['cpu_us']:.0f} µs of CPU each, {core:.0f}/s a core{short}",
              flush=True)
        if load["broken"] or load["refused"] != refused * load["calls"]:
            raise Failure(f"{what}: of {load['calls']} requests {load['refused']} were rejected, {load['broken']} broke")


def refresh(stack, bodies, seconds):
    """A connection may be refreshed only 10 times at once, and one refresh of it waits for the
    other, for a second at most. A busy portal is not a wrong response."""
    mixed = random.sample(bodies, len(bodies))
    load = ask(stack, "/oauth/token", FORM, mixed, REFRESH_CLIENTS, seconds, REFRESH_PAUSE_MS)
    if load["broken"] or load["refused"]:
        raise Failure(f"of {load['calls']} refreshes {load['refused']} were rejected, {load['broken']} broke")
    return load


def told_busy(load):
    return f"   {load['busy']} of {load['calls']} were told to try again" if load["busy"] else ""
