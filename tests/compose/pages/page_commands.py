"""tests/compose/pages/page_commands.py - the commands of docs/operate and docs/runbooks, and which
of them other tests run, or none. test_pages.py runs the rest."""

import re

BLOCK = re.compile(r"^ *```console\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
QUERIES = re.compile(r"^ *```promql\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^ *[a-z0-9]*[$#] ")
GOES_ON = re.compile(r"(\\|&&|<<\.)$")  # a command whose next line belongs to it

COMPOSE, OPERATOR, PORTAL = "tests/compose", "tests/api/operator", "tests/api/portal"

# Whole pages.
PAGES_OF = {
    "operate/backup-and-restore.md": [f"{COMPOSE}/test_restore.py", f"{COMPOSE}/test_object_store.py",
                                      f"{COMPOSE}/ssh-host/test_ssh_host.py", f"{COMPOSE}/test_lost_purchases.py"],
    "operate/browser.md": [f"{COMPOSE}/pages/test_with_browser.py"],
    "operate/certificates.md": ["tests/api/edge/test_acme.py", f"{COMPOSE}/certificates/test_acme_in_containers.py"],
    "operate/debian/README.md": ["tests/debian/test_debian.py"],
    "operate/evidence.md": ["tests/api/ledger/test_roots.py", "tests/api/ledger/test_roots_against.py"],
    "operate/high-availability.md": ["tests/ha/test_ha.py"],
    "operate/install.md": [f"{COMPOSE}/test_compose.py"],
    "operate/kubernetes.md": ["tests/check/kubernetes.py"],
    "operate/logs.md": [f"{COMPOSE}/journal.py"],
    "operate/registry.md": [f"{COMPOSE}/pages/test_release.py"],
    "operate/swarm.md": ["tests/swarm/test_swarm.py"],
    "operate/upgrade.md": [f"{COMPOSE}/test_operations.py", "tests/gameday/test_game_day.py"],
}

# Commands of the other pages, by how they begin.
COMMANDS_OF = {
    f"{COMPOSE}/test_operations.py": [
        "deploy/docker/apply", "deploy/docker/reload", "deploy/docker/roll", "deploy/docker/upgrade", "cat fullchain.pem",
        "docker compose run --rm init rotate", "docker compose run --rm init forget", "openssl rand -hex 32 |",
        "docker compose exec -T db set-passwords", "docker compose up -d --no-deps models", "cp deploy/docker/models.yaml",
        "tar -c providers.yaml", "echo COMPOSE_PROFILES=models", "echo AI_PROVIDERS_FILE=", "export COMPOSE_FILE=",
        "docker compose up -d --no-deps --scale gateway=2 gateway", "docker compose run --rm -T init export svc-chat",
        "docker compose up -d --no-deps svc-chat", "docker compose run --rm -T init database-ca", "{ cat deploy/database/",
        "echo 'DATABASE=", "docker compose run --rm --no-deps migrate", "docker compose up -d --no-deps edge gateway",
        "docker compose up -d --no-deps prometheus grafana"],
    f"{COMPOSE}/test_members.py": ["docker compose run --rm init activate portal"],
    f"{COMPOSE}/major/test_major.py": [
        "echo POSTGRES_IMAGE=", "docker compose build db", "deploy/docker/upgrade-database", "deploy/docker/restore --to",
        "docker compose up -d --no-deps db backup gateway portal"],
    f"{COMPOSE}/test_lost_purchases.py": [
        "docker compose run --rm tollctl order refresh", "tar -c stripe.key | docker compose run --rm -T init import tollctl",
        "docker compose run --rm -T -v /srv/tollgate-evidence:/evidence tollctl ledger root"],
    f"{COMPOSE}/pages/test_pages.py": ["tar -c mail.password", "cat >>.env <<.\nMAIL_URL="],
    f"{PORTAL}/test_payments_compose.py": ["tar -c stripe", "cat >>.env <<.\nPAYMENTS="],
    f"{OPERATOR}/test_tollctl_orders.py": [f"docker compose run --rm tollctl {command}" for command in (
        "order show", "order accept", "order reject", "account grant")],
    f"{OPERATOR}/test_tollctl_apps.py": [f"docker compose run --rm tollctl app {command}" for command in ("show", "revoke")],
    f"{OPERATOR}/test_tollctl_invoices.py": [f"docker compose run --rm tollctl invoice {command}" for command in (
        "show", "next")],
    f"{OPERATOR}/test_tollctl_members.py": ["docker compose run --rm tollctl member reset-2fa"],
    "tests/api/test_signups.py": ["docker compose run --rm tollctl signup grant"],
    "tests/api/ledger/test_request_records.py": ["docker compose run --rm tollctl request show"],
    "tests/faults/portal/test_balance.py": ["docker compose run --rm tollctl order reconcile"],
    f"{OPERATOR}/test_tollctl_unknown.py": ["docker compose run --rm tollctl ledger settle"],
}

# Commands that no test runs, by how they begin, and why.
NOBODY = {
    "docker compose exec -T models ollama pull": "downloads a model",
    "pg_dropcluster": "a server with two major versions is outside of Debian 12",
    "pg_upgradecluster": "a server with two major versions is outside of Debian 12",
    "journalctl -u tollgate-acme": "needs systemd",
    "systemctl start tollgate-acme": "needs systemd; tests/api/edge/test_acme.py runs the unit's commands",
}


def commands(text):
    """The commands of a page's blocks, without prompts and output."""
    found, goes_on = [], False
    for block in BLOCK.findall(text):
        heredoc = False
        for line in block.splitlines():
            if goes_on:
                found[-1] += "\n" + line.strip()
                heredoc = heredoc and line.strip() != "."
                goes_on = heredoc or GOES_ON.search(line) is not None
            elif prompt := PROMPT.match(line):
                found.append(line[prompt.end():])
                heredoc = line.endswith("<<.")
                goes_on = GOES_ON.search(line) is not None
    return [re.sub(r" +# .*$", "", command) for command in found]


def pages(docs):
    """{page below docs: its text}"""
    files = sorted((docs / "operate").rglob("*.md")) + sorted((docs / "runbooks").glob("*.md"))
    return {str(file.relative_to(docs)): file.read_text(encoding="utf-8") for file in files}


def begins(command, beginnings):
    return command.startswith(tuple(beginnings))


def elsewhere(command):
    """Is it a command that another test runs, or none?"""
    return begins(command, NOBODY) or any(begins(command, each) for each in COMMANDS_OF.values())


def run_here(docs):
    """{page: its commands that test_pages.py runs}, each command on the first page that has it"""
    here, seen = {}, set()
    for page, text in pages(docs).items():
        if page in PAGES_OF:
            continue
        mine = [command for command in dict.fromkeys(commands(text)) if not elsewhere(command) and command not in seen]
        seen.update(mine)
        if mine:
            here[page] = mine
    return here


def queries(docs):
    """The queries of the runbooks."""
    return [line.strip() for text in pages(docs).values() for block in QUERIES.findall(text) for line in block.splitlines()]
