"""tollgate-cli jobs against the product: whatever interrupts it, each line is charged once."""

import json
import os
import pty
import signal
import subprocess
import threading
import time

import pytest

EXPRESSIONS = ["@hourly", "@daily", "@weekly", "@monthly", "@yearly"]
HOURS = 3600


def line(expression, tool="cron-explain"):
    return json.dumps({"tool": tool, "request": {"expression": expression}}) + "\n"


@pytest.fixture
def file(cli):
    """Five calls of 1 credit."""
    made = cli.folder / "calls.jsonl"
    made.write_text("".join(map(line, EXPRESSIONS)))
    return made


def results(cli):
    text = (cli.folder / "calls.jsonl.results.jsonl").read_text()
    return sorted(map(json.loads, text.splitlines()), key=lambda record: record["line"])


def explained(cli):
    return [record["result"]["expression"] for record in results(cli) if record["success"]]


def in_terminal(cli, *arguments, answer):
    """(exit status, what a terminal shows)"""
    ours, theirs = pty.openpty()
    with cli.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while not shown.endswith(b"[y/N] "):
            shown += os.read(ours, 1000)
        assert cli.edge.keys == []
        os.write(ours, answer)
        status = process.wait(120)
    os.close(ours)
    return status, shown.decode()


def test_all_lines(cli, ledger, file):
    status, output, errors = cli.run("jobs", file, "--yes")
    assert (status, output, explained(cli)) == (0, "", EXPRESSIONS)
    assert errors.splitlines()[0].split() == "5 x cron-explain 1 = 5 credits".split()
    assert errors.splitlines()[1] == "5 lines cost at most 5 credits. The account has 100."
    assert "5 succeeded, 0 failed, 0 not run; charged 5 credits." in errors
    assert ledger.charged(cli.account) == 5 and len(set(cli.edge.keys)) == 5


def test_price_is_asked_first(cli, ledger, file):
    status, shown = in_terminal(cli, "jobs", file, answer=b"n\n")
    assert status == 2 and "5 lines cost at most 5 credits." in shown
    assert (cli.edge.keys, ledger.charged(cli.account)) == ([], 0)


def test_confirmed(cli, ledger, file):
    assert in_terminal(cli, "jobs", file, answer=b"y\n")[0] == 0
    assert explained(cli) == EXPRESSIONS and ledger.charged(cli.account) == 5


def test_nobody_to_ask(cli, file):
    status, _, errors = cli.run("jobs", file)
    assert status == 2 and "--yes" in errors and cli.edge.keys == []


def test_done_lines_are_not_run_again(cli, ledger, file):
    cli.run("jobs", file, "--yes")
    status, _, errors = cli.run("jobs", file)
    assert status == 0 and errors.startswith("5 lines are done.\n") and len(cli.edge.keys) == 5
    assert explained(cli) == EXPRESSIONS and ledger.charged(cli.account) == 5


@pytest.mark.parametrize("parallel", [1, 3])
def test_resumes_after_a_kill(cli, ledger, file, parallel):
    """The killed process had paid for calls whose responses it never saw."""
    cli.edge.faults = ["", "hang", "hang", "hang"][:parallel + 1]
    process = cli.start("jobs", file, "--yes", "--parallel", parallel, stderr=subprocess.DEVNULL)
    assert cli.edge.is_hanging.wait(60)
    process.kill()
    process.wait(60)
    cli.edge.go_on.set()
    before = set(cli.edge.keys)
    assert ledger.charged(cli.account) >= 1
    status, _, errors = cli.run("jobs", file, "--yes")
    assert (status, explained(cli)) == (0, EXPRESSIONS), errors
    assert ledger.charged(cli.account) == 5 and len(set(cli.edge.keys)) == 5 and before <= set(cli.edge.keys)


def test_resumes_after_an_interrupt(cli, ledger, file):
    cli.edge.faults = ["hang"]
    process = cli.start("jobs", file, "--yes", "--parallel", 1, stderr=subprocess.PIPE)
    assert cli.edge.is_hanging.wait(60)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "Interrupted. The same command goes on" in errors
    cli.edge.go_on.set()
    assert cli.run("jobs", file, "--yes")[0] == 0
    assert explained(cli) == EXPRESSIONS and ledger.charged(cli.account) == 5


def test_files_that_a_kill_has_cut(cli, ledger, file):
    cli.run("jobs", file, "--yes")
    for name in ("calls.jsonl.results.jsonl", "calls.jsonl.results.jsonl.journal"):
        text = (cli.folder / name).read_text()
        (cli.folder / name).write_text(text[:-7])
    status, _, errors = cli.run("jobs", file, "--yes")
    assert (status, explained(cli)) == (0, EXPRESSIONS), errors
    assert "4 lines are done." in errors and ledger.charged(cli.account) == 5


def test_stops_when_credits_end(cli, site, ledger, file):
    poor = site.open_account(3)
    cli.environment |= {"TOLLGATE_ACCOUNT": poor.id, "TOLLGATE_TOKEN": poor.token}
    status, _, errors = cli.run("jobs", file, "--yes", "--parallel", 1)
    assert status == 3 and len(explained(cli)) == 3 and len(cli.edge.keys) == 4
    assert "The credits do not suffice" in errors and "3 succeeded, 0 failed, 2 not run" in errors
    assert "Stopped. Buy credits" in errors

    site.tollctl("account", "grant", poor.id, 10, "--note", "more")
    assert cli.run("jobs", file, "--yes")[0] == 0
    assert explained(cli) == EXPRESSIONS and ledger.charged(poor) == 5


def test_failed_line(cli, ledger, file):
    """It is corrected, and only it is run again."""
    file.write_text(line("@daily") + line("not cron"))
    status, _, errors = cli.run("jobs", file, "--yes")
    assert status == 1 and "line 2: invalid_expression: " in errors
    assert [record["success"] for record in results(cli)] == [True, False]
    assert results(cli)[1]["errors"][0]["code"] == "invalid_expression"

    file.write_text(line("@daily") + line("@weekly"))
    status, _, errors = cli.run("jobs", file, "--yes")
    assert (status, explained(cli), len(results(cli))) == (0, ["@daily", "@weekly"], 2)
    assert len(cli.edge.keys) == 3 and ledger.charged(cli.account) == 2


def test_equal_lines_are_two_calls(cli, ledger, file):
    file.write_text(2 * line("@daily"))
    assert cli.run("jobs", file, "--yes")[0] == 0
    assert len(set(cli.edge.keys)) == 2 and ledger.charged(cli.account) == 2


def test_another_output_is_another_run(cli, ledger, file):
    for output in ("a", "b"):
        assert cli.run("jobs", file, "--yes", "--output", output)[0] == 0
    assert len(set(cli.edge.keys)) == 10 and ledger.charged(cli.account) == 10


def test_lines_wait_for_the_rate_limit(cli, ledger, file):
    """Longer than the attempts of one call."""
    cli.edge.faults = [(429, 0)] * 12
    assert cli.run("jobs", file, "--yes", "--parallel", 1)[0] == 0
    assert len(cli.edge.keys) == 17 and ledger.charged(cli.account) == 5


def test_server_that_does_not_respond(cli, ledger, file):
    cli.edge.faults = ["lose"] * 5
    status, _, errors = cli.run("jobs", file, "--yes", "--parallel", 1)
    assert status == 5 and "0 succeeded, 0 failed, 5 not run" in errors
    assert cli.run("jobs", file, "--yes")[0] == 0 and ledger.charged(cli.account) == 5


def test_parallel(cli, file):
    """As many calls at the same time as asked for, and never more."""
    file.write_text("".join(map(line, EXPRESSIONS[:4])))
    cli.edge.faults, cli.edge.meeting = ["meet"] * 4, threading.Barrier(2)
    assert cli.run("jobs", file, "--yes", "--parallel", 2)[0] == 0
    assert cli.edge.most_in_flight == 2


def leave_one_line(cli, file, hours):
    """A process was killed before the response; the journal says that the line was sent so long
    ago."""
    file.write_text(line("@daily"))
    cli.edge.faults = ["hang"]
    process = cli.start("jobs", file, "--yes", stderr=subprocess.DEVNULL)
    assert cli.edge.is_hanging.wait(60)
    process.kill()
    process.wait(60)
    cli.edge.go_on.set()
    age(cli, hours)


def age(cli, hours):
    journal = cli.folder / "calls.jsonl.results.jsonl.journal"
    head, *notes = map(json.loads, journal.read_text().splitlines())
    notes = [note | {"at": time.time() - hours * HOURS} for note in notes]
    journal.write_text("".join(json.dumps(record) + "\n" for record in [head, *notes]))


def test_keys_that_have_expired(cli, file):
    """After a day the server has forgotten the key, and a line without a result may be charged
    twice."""
    leave_one_line(cli, file, hours=24)
    cli.edge.keys.clear()
    status, _, errors = cli.run("jobs", file, "--yes")
    assert status == 1 and "line 1 is left out" in errors and cli.edge.keys == []
    assert cli.run("jobs", file, "--yes", "--resend-expired")[0] == 0
    assert explained(cli) == ["@daily"]


def test_keys_that_have_not_expired(cli, ledger, file):
    leave_one_line(cli, file, hours=20)
    assert cli.run("jobs", file, "--yes")[0] == 0 and ledger.charged(cli.account) == 1


def test_free_lines_do_not_expire(cli, file):
    """A line that was rejected was not charged."""
    file.write_text(line("not cron"))
    cli.run("jobs", file, "--yes")
    age(cli, 24)
    assert "left out" not in cli.run("jobs", file, "--yes")[2] and len(cli.edge.keys) == 2


def test_one_process_at_a_time(cli, ledger, file):
    cli.edge.faults = ["hang"]
    with cli.start("jobs", file, "--yes", stderr=subprocess.DEVNULL) as process:
        assert cli.edge.is_hanging.wait(60)
        status, _, errors = cli.run("jobs", file, "--yes")
        assert status == 2 and "is in use" in errors
        cli.edge.go_on.set()
        assert process.wait(120) == 0
    assert ledger.charged(cli.account) == 5


def test_another_account(cli, site, file):
    cli.run("jobs", file, "--yes")
    other = site.open_account()
    cli.environment |= {"TOLLGATE_ACCOUNT": other.id, "TOLLGATE_TOKEN": other.token}
    status, _, errors = cli.run("jobs", file, "--yes")
    assert status == 2 and "another server or account" in errors


def test_a_file_that_is_no_result_is_kept(cli, file):
    (cli.folder / "precious").write_text("text")
    status, _, errors = cli.run("jobs", file, "--yes", "--output", "precious")
    assert status == 2 and "choose another --output" in errors
    assert (cli.folder / "precious").read_text() == "text" and cli.edge.keys == []


@pytest.mark.parametrize("text, said", [
    ('{"tool": "cron-explain"}', "calls.jsonl:2: not a call"),
    ('{"tool": "cron-explain", "request": []}', "calls.jsonl:2: not a call"),
    ('{"tool": "cron-explain", "request": {"count": NaN}}', "calls.jsonl:2: not a call"),
    ('{"tool": "cron-explain", "request": {"expression": "\\ud800"}}', "calls.jsonl:2: not a call"),
    ("{", "calls.jsonl:2: not a call"),
    (line("@daily", "cron-explian"), "line 2: the server has no tool cron-explian")])
def test_wrong_line(cli, file, text, said):
    """Nothing runs before the whole file can be read."""
    file.write_text(line("@daily") + text)
    status, _, errors = cli.run("jobs", file, "--yes")
    assert status == 2 and said in errors and cli.edge.keys == []


@pytest.mark.parametrize("arguments, said", [(["missing.jsonl"], "cannot be read"),
                                             (["calls.jsonl", "--parallel", "17"], "from 1 to 16")])
def test_wrong_arguments(cli, file, arguments, said):
    status, _, errors = cli.run("jobs", *arguments, "--yes")
    assert status == 2 and said in errors


def test_image(cli, file):
    file.write_text('{"tool": "qr-generate", "request": {"text": "a", "format": "svg"}}\n')
    assert cli.run("jobs", file, "--yes")[0] == 0
    [record] = results(cli)
    assert record["content_type"] == "image/svg+xml" and record["result"]["base64"].startswith("PHN2Zy")
