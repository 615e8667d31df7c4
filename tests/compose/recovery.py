"""tests/compose/recovery.py - what tests of backups share: the state of the backups, and a database
that is lost under traffic."""

import io
import json
import os
import subprocess
import tarfile
import time

from containers import CALLS, PORTAL_ADMIN_PORT, busy, first
from kit.client import Client
from kit.site import Account
from part import command, wait_for

RESTORE = "deploy/docker/restore"
SERVICES = ["edge", "gateway", "portal", "svc-utils", "backup"]
OTHERS = ("AI", "CHAT", "EMAIL", "REPORTS", "SECURITY")
SETTINGS = {"UNLIMITED_ADDRESSES": "0.0.0.0/0", "EDGE_MAX_REQUESTS_PER_IP": "1000", "EDGE_REQUEST_RATE_PER_IP": "100000",
            **{f"SVC_{name}": "0" for name in OTHERS}}
POSTGRES = 999  # the user, in any image of PostgreSQL
FIRST_BACKUP_S = 180
ARCHIVED_S = 60       # archive_timeout, the segment's way into the repository, and a busy machine
RPO_S = 60            # the bounds of docs/operate/backup-and-restore.md
RTO_S = 180
MEASURED_S = 30       # portals read the database for their metrics every 10 s
BEFORE_S = 45         # of traffic, so that some of it is older than what may be lost


def make_repository(tmp_path_factory):
    """A directory of the host, as of another disk: `down --volumes` does not delete it."""
    folder = reachable(tmp_path_factory.mktemp("repository"))
    os.chown(folder, POSTGRES, POSTGRES)
    return folder


def reachable(folder):
    """For the users of containers."""
    for parent in [folder, *folder.parents][:3]:
        parent.chmod(0o711)
    return folder


def start(stack, *more):
    stack.up(*more, *SERVICES)
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")


def status(stack):
    """`tollctl backup status`; {} until the backup service has reported."""
    done = subprocess.run(["docker-compose", "run", "--rm", "-T", "tollctl", "backup", "status", "--json"],
                          cwd=stack.directory, capture_output=True, env=os.environ | stack.variables)
    return json.loads(done.stdout) if done.stdout else {}


def measured(stack, name):
    return stack.metrics(first(stack, "portal"), PORTAL_ADMIN_PORT)[name]


def wait_until_backed_up(stack):
    wait_for(lambda: status(stack).get("ok"), FIRST_BACKUP_S, "tollctl backup status says ok")


def wait_until_archived(books):
    """Until the repository has all that was committed before."""
    begun = books.rows("select clock_timestamp()")[0][0]
    wait_for(lambda: books.rows("select last_archived_time > %s from pg_stat_archiver", begun)[0][0], ARCHIVED_S,
             "a segment was archived")


def pay(site, account):
    assert Client(site).call(account, *CALLS["svc-utils"][:2]).status_code == 200


def pay_member(site, member):
    """The member's program makes a call."""
    token = site.tollctl("token", "create", member.account, "--json")
    pay(site, Account(member.account, token["token"], token["token_id"]))


def import_files(stack, service, files):
    """As `tar -c FILE... | docker compose run --rm -T init import SERVICE`."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    stack.pipe("run", "--rm", "-T", "init", "import", service, given=archive.getvalue())


def lose_the_database(stack, site, books, notice=lambda: None):
    """Under traffic; restore it with the documented command, once notice() returns. Returns RPO,
    and RTO from that command on, in seconds. Each other charge that a client has a response of is
    in the ledger, and no other one."""
    accounts, crowd = busy(site, books, clients=4)
    with crowd:
        crowd.wait_for_answers(100)
        time.sleep(BEFORE_S)
        command("docker", "rm", "--force", *stack.ids("db"), *stack.ids("backup"))
        lost_at, lost = time.monotonic(), time.time()
        command("docker", "volume", "rm", f"{stack.project}_database")
        notice()
        begun = time.monotonic()
        stack.run_script(RESTORE, "--yes")
        crowd.wait_for_answers(100)
        rto_s = time.monotonic() - begun
    assert not crowd.faults, crowd.faults
    entries = set().union(*map(books.entries, accounts))
    told = {call.reference for call in crowd.calls if call.status == 200}
    unknown = {call.reference for call in crowd.calls if "outcome_unknown" in call.codes}
    missing = [call for call in crowd.calls if call.status == 200 and call.reference not in entries]
    rpo_s = max((lost_at - call.begun - call.seconds for call in missing), default=0)
    assert len(entries - told - unknown) <= sum(call.status == 0 for call in crowd.calls)
    assert all(call.begun < lost_at for call in missing), "a call after the restore is not charged"
    assert books.rows("select count(*) from ledger_entry where at > to_timestamp(%s)", lost)[0][0] > 0
    print(f"lost {len(missing)} of {len(told)} charged calls: those of the last {rpo_s:.1f} s; answers again after"
          f" {rto_s:.1f} s")
    return rpo_s, rto_s


def check_rejected(stack, *arguments):
    """A restore stops before it stops or changes anything; returns what it said."""
    before = {service: stack.ids(service) for service in SERVICES}
    begun = [stack.inspect(first(stack, service))["State"]["StartedAt"] for service in SERVICES]
    said = stack.said(RESTORE, "--yes", *arguments, status=1)
    assert "restore: nothing was changed" in said, said
    assert before == {service: stack.ids(service) for service in SERVICES}
    assert begun == [stack.inspect(first(stack, service))["State"]["StartedAt"] for service in SERVICES]
    return "\n".join(said)
