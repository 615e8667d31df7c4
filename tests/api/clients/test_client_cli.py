"""clients/python: tollgate-cli against the product: login, balance, tools, call."""

import json
import re
import stat

import pytest

from kit.check import ROOT
from kit.site import new_token

REQUEST = '{"expression": "@daily"}'
LOGIN = ("url", "account", "token")


@pytest.fixture
def stranger(cli):
    """Nothing is in the environment but the CA file."""
    for name in LOGIN:
        del cli.environment[f"TOLLGATE_{name.upper()}"]
    return cli


def log_in(cli, token=None):
    return cli.run("login", said=f"{cli.edge.url}\n{cli.account.id}\n{token or cli.account.token}\n")


def test_login(stranger, account):
    del stranger.environment["TOLLGATE_CA_FILE"]
    said = f"{stranger.edge.url}\n{account.id}\n{account.token}\n"
    status, output, _ = stranger.run("login", "--ca-file", stranger.edge.ca_file, said=said)
    assert (status, "100 credits" in output, account.token in output) == (0, True, False)
    file = stranger.folder / "config/tollgate/login.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stranger.run("balance")[:2] == (0, "100 credits\n")


def test_login_replaces_a_file_that_others_can_read(stranger):
    file = stranger.folder / "config/tollgate/login.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    file.chmod(0o644)
    log_in(stranger)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_login_with_a_wrong_token(stranger):
    status, _, errors = log_in(stranger, new_token())
    assert status == 4 and "auth_invalid" in errors and "/docs/errors#auth_invalid" in errors
    assert not (stranger.folder / "config/tollgate/login.json").exists()


def test_login_from_the_environment(cli):
    """Nothing is asked."""
    assert cli.run("login")[0] == 0
    assert json.loads((cli.folder / "config/tollgate/login.json").read_text()) == {
        "url": cli.edge.url, "account": cli.account.id, "token": cli.account.token, "ca_file": cli.edge.ca_file}


def test_no_login(stranger):
    status, _, errors = stranger.run("balance")
    assert status == 4 and "tollgate-cli login" in errors and "TOLLGATE_TOKEN" in errors


def test_damaged_login(stranger):
    file = stranger.folder / "config/tollgate/login.json"
    file.parent.mkdir(parents=True)
    file.write_text("{")
    status, _, errors = stranger.run("balance")
    assert status == 4 and "run tollgate-cli login again" in errors


def test_token_without_the_scope_account(stranger, site, account):
    made = site.tollctl("token", "create", account.id, "--name", "scoped", "--scope", "utils", "--json")
    status, output, _ = log_in(stranger, made["token"])
    assert (status, output.splitlines()[0]) == (0, "Logged in.")


def test_balance_as_json(cli):
    status, output, _ = cli.run("balance", "--json")
    assert status == 0 and json.loads(output)["credits"] == 100


def test_tools(cli):
    status, output, _ = cli.run("tools")
    assert status == 0 and any(line.split()[:2] == ["5", "tls-check"] for line in output.splitlines())


@pytest.mark.parametrize("source", [REQUEST, "@request.json", "-"])
def test_call(cli, ledger, source):
    (cli.folder / "request.json").write_text(REQUEST)
    status, output, errors = cli.run("call", "cron-explain", source, said=REQUEST)
    assert status == 0 and json.loads(output)["expression"] == "@daily"
    assert errors == "charged 1, 99 credits left\n" and ledger.charged(cli.account) == 1


def test_call_without_a_request(cli):
    assert cli.run("call", "placeholder-image")[1].startswith("<svg ")


@pytest.mark.parametrize("source", ["{", "[]", "@missing.json", '{"count": NaN}'])
def test_wrong_request(cli, source):
    status, _, errors = cli.run("call", "cron-explain", source)
    assert status == 2 and "the request " in errors and cli.edge.keys == []


def test_rejected_call(cli):
    status, output, errors = cli.run("call", "hash-generate", "{}")
    assert (status, output) == (1, "") and "missing_field: input is required" in errors
    assert f"{cli.edge.url}/docs/errors#missing_field" in errors and "Request id" in errors


def test_no_credits(cli, site):
    poor = site.open_account(0)
    cli.environment |= {"TOLLGATE_ACCOUNT": poor.id, "TOLLGATE_TOKEN": poor.token}
    status, _, errors = cli.run("call", "cron-explain", REQUEST)
    assert status == 3 and "insufficient_credits" in errors and "Buy credits" in errors


def test_lost_call(cli, ledger):
    """The message has the key that gets the result without a second charge."""
    cli.edge.faults = ["lose"] * 5
    status, _, errors = cli.run("call", "cron-explain", REQUEST)
    key = cli.edge.keys[0]
    assert status == 5 and f"--idempotency-key {key}" in errors
    status, output, errors = cli.run("call", "cron-explain", REQUEST, "--idempotency-key", key)
    assert (status, json.loads(output)["expression"]) == (0, "@daily")
    assert errors == "charged 0, 99 credits left\n" and ledger.charged(cli.account) == 1


def test_certificate_that_is_not_trusted(cli):
    cli.environment.pop("TOLLGATE_CA_FILE")
    status, _, errors = cli.run("balance")
    assert status == 5 and "certificate verify failed" in errors and "--ca-file" in errors


def test_plain_http(cli):
    cli.environment["TOLLGATE_URL"] = cli.edge.url.replace("https:", "http:")
    status, _, errors = cli.run("balance")
    assert status == 2 and "https://" in errors and cli.edge.paths == []


def test_page_has_all_exit_statuses(cli):
    shown = cli.run("--help")[1].partition("exit status:\n")[2].partition("\n\n")[0]
    page = (ROOT / "docs" / "clients" / "cli.md").read_text().partition("## Exit statuses")[2]
    assert [line.split()[0] for line in shown.splitlines()] == re.findall(r"^\| (\d+) \|", page, re.MULTILINE)


def test_usage(cli):
    status, _, errors = cli.run("cal")
    assert status == 2 and "balance" in errors
