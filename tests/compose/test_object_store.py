"""tests/compose/test_object_store.py - the repository of backups is in an object store, with the
settings of docs/operate/backup-and-restore.md: the database is lost under traffic, and `apply`
moves the repository to a volume and back. The tests run in order, on their own stack."""

import re
import time

import images
import pytest
from containers import ROOT, Containers, first
from kit import pki
from part import command, wait_for
from recovery import (MEASURED_S, RESTORE, RPO_S, RTO_S, SETTINGS, check_rejected, import_files, lose_the_database,
                      measured, pay, start, status, wait_until_archived, wait_until_backed_up)

APPLY = "deploy/docker/apply"
PAGE = (ROOT / "docs/operate/backup-and-restore.md").read_text()
HOSTS = ["s3.eu-central-1.storage.test", "example-backups.s3.eu-central-1.storage.test"]
STORE, ELSEWHERE = "tests/compose/object-store/compose.yaml", "deploy/docker/backup-elsewhere.yaml"
BACKUP = "tollgate/backup/tollgate"
REPORTED_S = 180  # a report is due each minute, and takes up to half a minute without a store


@pytest.fixture(scope="module")
def authority():
    return pki.root()


@pytest.fixture(scope="module")
def stack(engine, authority, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    certificate = authority.issue("object store", HOSTS)
    (folder / "chain.pem").write_bytes(certificate.pem())
    (folder / "key.pem").write_bytes(certificate.key_pem())
    with Containers("tollgate-store", STORE, ELSEWHERE, EDGE_SUBNET="10.213.6.0/24", BUS_PREFIX="10.213.134",
                    MONITORING_SUBNET="10.213.70.0/24", OBJECT_STORE_TLS=str(folder), **SETTINGS) as stack:
        images.make_object_store()
        stack.compose("build")
        stack.compose("run", "--rm", "init")
        use_object_store(stack, authority)
        start(stack, "object-store")
        yield stack


def block_of_page(heading, language):
    """The first code block in this language below a heading of the page."""
    section = PAGE.split(f"\n{heading}\n")[1]
    return re.search(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]


def use_object_store(stack, authority):
    """Import the page's settings, with the name and the key of the tests' store, and its
    authority's certificate."""
    settings = block_of_page("### An object store", "ini").replace("amazonaws.com", "storage.test")
    settings = re.sub(r"^(repo1-s3-key|repo1-s3-key-secret)=…$", r"\1=S3RVER", settings, flags=re.MULTILINE)
    settings = settings.replace("cipher-pass=…", "cipher-pass=correct horse")
    assert "…" not in settings
    settings += "io-timeout=5\n"  # a store that does not answer is found in seconds
    settings += "repo1-storage-ca-file=/run/tollgate/storage-ca.pem\n"
    assert "repo1-storage-ca-file=/run/tollgate/storage-ca.pem" in PAGE
    import_files(stack, "postgres", {"pgbackrest.conf": settings.encode(), "storage-ca.pem": authority.pem()})


def use_volume(stack):
    """Import the settings with which the page goes back to the volume."""
    [line] = re.findall(r"^\$ (printf .*) >pgbackrest.conf$", PAGE, re.MULTILINE)
    import_files(stack, "postgres", {"pgbackrest.conf": command("sh", "-c", line).encode()})


def objects(stack):
    """The names of the full backups in the store."""
    code, text = stack.execute(first(stack, "object-store"), "ls", f"/objects/example-backups/{BACKUP}")
    assert code == 0, text
    return set(re.findall(r"^\d{8}-\d{6}F$", text, re.MULTILINE))


def files(stack):
    """The names of the full backups in the volume."""
    code, text = stack.execute(first(stack, "db"), "sh", "-c", "ls /var/lib/pgbackrest/backup/tollgate 2>/dev/null || true")
    assert code == 0, text
    return set(re.findall(r"^\d{8}-\d{6}F$", text, re.MULTILINE))


def test_the_first_backup(stack):
    """In the store, encrypted, and not in the volume."""
    wait_until_backed_up(stack)
    assert status(stack)["backups"] == 1 and len(objects(stack)) == 1
    for name in ("backup_report", "backup", "backup_full", "wal_archived"):
        wait_for(lambda: time.time() - measured(stack, f"tollgate_{name}_timestamp_seconds") < 600, MEASURED_S, name)
    assert measured(stack, "tollgate_backup_bytes") > 1_000_000
    assert "cipher: aes-256-cbc" in stack.compose("exec", "-T", "backup", "backup", "list")
    assert stack.execute(first(stack, "db"), "ls", "-A", "/var/lib/pgbackrest") == (0, "")


def test_the_disk_is_lost_under_traffic(stack, site, books):
    rpo_s, rto_s = lose_the_database(stack, site, books)
    assert rpo_s <= RPO_S and rto_s <= RTO_S
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def test_a_store_that_does_not_answer(stack, site, books):
    """A restore removes nothing, calls continue, `backup status` says why it is not ok, and the log
    is archived when the store answers again. No full backup follows."""
    account, before = site.open_account(100), objects(stack)
    command("docker", "stop", "--time", "1", first(stack, "object-store"))
    try:
        assert "backup: the repository cannot be read: [Host" in check_rejected(stack)
        pay(site, account)
        wait_for(lambda: books.rows("select last_failed_time > last_archived_time from pg_stat_archiver")[0][0], 120,
                 "a segment was not archived")
        wait_for(lambda: status(stack)["status"] == "the repository cannot be read", REPORTED_S, "a report that says so")
    finally:
        command("docker", "start", first(stack, "object-store"))
    wait_until_archived(books)
    wait_until_backed_up(stack)
    assert books.charged(account) == 1 and objects(stack) == before


def test_the_repository_moves_to_the_volume(stack, site, books):
    """`apply` asks, a full backup is made there at once, and the store keeps what it has."""
    kept = objects(stack)
    use_volume(stack)
    stack.with_files(STORE)
    assert "apply: db is replaced" in stack.run_script(APPLY, "--yes")
    site.edge_is_gone()
    wait_for(lambda: files(stack), 120, "a full backup in the volume")
    wait_until_backed_up(stack)
    assert status(stack)["backups"] == 1 and objects(stack) == kept
    networks = [set(stack.inspect(first(stack, name))["NetworkSettings"]["Networks"]) for name in ("db", "backup")]
    assert networks == [{f"{stack.project}_database"}] * 2
    pay(site, site.open_account(100))


def test_the_repository_moves_back(stack, site, books, authority):
    """To a store with older backups: a full backup is made there too, because the log between is
    not there. What was charged meanwhile is in the new backup."""
    account = site.open_account(100)
    pay(site, account)
    [[before_move]] = books.rows("select clock_timestamp()::text")
    wait_until_archived(books)
    before = objects(stack)
    use_object_store(stack, authority)
    stack.with_files(STORE, ELSEWHERE)
    stack.run_script(APPLY, "--yes")
    site.edge_is_gone()
    wait_for(lambda: objects(stack) - before, 150, "a new full backup in the store")
    wait_until_backed_up(stack)
    pay(site, account)
    wait_until_archived(books)
    stack.run_script(RESTORE, "--yes")
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    assert books.charged(account) == 2
    check_old_repository(stack, books, account, before_move)


def check_old_repository(stack, books, account, before_move):
    """With its settings, the volume still has the time before the move. Its newest state does not
    have what was charged after the move, so a restore to it is refused."""
    use_volume(stack)
    wait_until_archived(books)
    assert "is missing or damaged" in check_rejected(stack)
    stack.run_script(RESTORE, "--yes", "--to", before_move)
    stack.wait_healthy("edge", "gateway", "portal", "svc-utils")
    assert books.charged(account) == 1
    assert stack.tollctl("verify", "--whole", "--json")["ok"]


def test_the_old_repository_is_deleted(stack, authority):
    """With the page's command. It leaves the repository in use alone."""
    use_object_store(stack, authority)
    kept = objects(stack)
    [line] = re.findall(r"^\$ docker compose exec (db find .*)$", PAGE, re.MULTILINE)
    stack.compose("exec", "-T", *line.split())
    assert stack.execute(first(stack, "db"), "ls", "-A", "/var/lib/pgbackrest") == (0, "")
    assert kept and objects(stack) == kept
