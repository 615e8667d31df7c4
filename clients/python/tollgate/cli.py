"""tollgate-cli: call tools from a shell. `tollgate-cli --help` lists the commands."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
from pathlib import Path

from . import Tollgate, TollgateError, __version__, jobs
from .status import ADVICE, FAILED, INTERRUPTED, NOT_LOGGED_IN, UsageError, is_unknown, status_of

SETTINGS = ("url", "account", "token", "ca_file")  # TOLLGATE_URL and so on in the environment
EPILOG = """exit status:
  0  success
  1  the call was rejected or failed; jobs: some lines were
  2  wrong arguments or input, or not confirmed; nothing was charged
  3  the credits or the spending cap are used up
  4  not logged in, or the token is rejected
  5  no response from the server
  130  interrupted

environment: TOLLGATE_URL, TOLLGATE_ACCOUNT, TOLLGATE_TOKEN and TOLLGATE_CA_FILE win over the login.
"""


# -- the login --


def login_file():
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "tollgate" / "login.json"


def read_environment():
    return {name: value for name in SETTINGS if (value := os.environ.get(f"TOLLGATE_{name.upper()}", "").strip())}


def read_settings():
    file = login_file()
    try:
        saved = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, ValueError) as fault:
        raise UsageError(f"{file} cannot be read: run tollgate-cli login again", NOT_LOGGED_IN) from fault
    return saved | read_environment()


def client_of(settings):
    missing = [name for name in ("url", "account", "token") if not settings.get(name)]
    if missing:
        raise UsageError(f"{', '.join(missing)} missing: run tollgate-cli login, or set "
                         + ", ".join(f"TOLLGATE_{name.upper()}" for name in missing), NOT_LOGGED_IN)
    try:
        return Tollgate(settings["url"], settings["account"], settings["token"],
                        ca_file=settings.get("ca_file"))
    except (ValueError, OSError) as fault:  # a URL without https, a CA file that cannot be read
        raise UsageError(f"{fault}: run tollgate-cli login again") from fault


def save(settings):
    """Only its owner can read the file, from the moment it exists."""
    file = login_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = file.with_suffix(".new")
    made.unlink(missing_ok=True)
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        json.dump(settings, out, indent=2)
    made.replace(file)


def ask(question, is_secret=False):
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return (getpass.getpass if is_secret else input)(question).strip()


def login(options):
    """Ask for what is missing, try it, and save it."""
    given = read_environment() | {name: value for name in ("url", "account", "ca_file")
                                  if (value := getattr(options, name))}
    settings = {"url": given.get("url") or ask("Server, for example https://tools.example.com: "),
                "account": given.get("account") or ask("Account id: "),
                "token": given.get("token") or ask("Token: ", is_secret=True)}
    if "ca_file" in given:
        settings["ca_file"] = str(Path(given["ca_file"]).resolve())
    credits = jobs.credits_of(client_of(settings))
    save(settings)
    print("Logged in." + (f" The account has {jobs.in_credits(credits)}." if credits is not None else ""))
    print(f"The token is in {login_file()}.")


# -- calls --


def balance(options):
    found = client_of(read_settings()).credits()
    if options.json:
        return print(json.dumps(found))
    print(jobs.in_credits(found["credits"]) + (f", {found['held']} held by running calls" if found["held"] else ""))
    token = found["token"]
    for cap, spent, word in (("cap_daily", "spent_today", "today"), ("cap_total", "spent_total", "in total")):
        if token[cap] is not None:
            print(f"This token has spent {token[spent]} of {jobs.in_credits(token[cap])} {word}.")


def tools(options):
    for tool in client_of(read_settings()).tools()["tools"]:
        print(f"{tool['credits']:>3}  {tool['name']:<32} {tool['summary']}")


def read_request(source):
    """JSON, @FILE, or - for standard input."""
    try:
        text = sys.stdin.read() if source == "-" else \
            Path(source[1:]).read_text(encoding="utf-8") if source.startswith("@") else source
        request = json.loads(text)
        json.dumps(request, allow_nan=False, ensure_ascii=False).encode()  # what can be read can be sent
    except (OSError, ValueError) as fault:
        raise UsageError(f"the request cannot be read: {fault}") from fault
    if not isinstance(request, dict):
        raise UsageError('the request must be a JSON object such as {"input": "hello"}')
    return request


def call(options):
    response = client_of(read_settings()).send(options.tool, read_request(options.request),
                                               idempotency_key=options.idempotency_key)
    if isinstance(response.result, bytes):
        sys.stdout.buffer.write(response.result)
    else:
        print(json.dumps(response.result, indent=2, ensure_ascii=False))
    sys.stdout.flush()
    print(f"charged {response.credits_charged}, {jobs.in_credits(response.credits_remaining)} left", file=sys.stderr)


def run_jobs(options):
    return jobs.run(client_of(read_settings()), options)


# -- the command line --


def parser():
    main_parser = argparse.ArgumentParser(prog="tollgate-cli", description="Call Tollgate's tools.", epilog=EPILOG,
                                          formatter_class=argparse.RawDescriptionHelpFormatter)
    main_parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = main_parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, function, about):
        made = commands.add_parser(name, help=about, description=about)
        made.set_defaults(function=function)
        return made

    made = command("login", login, "ask for server, account and token, and keep them in a file that only you can read")
    made.add_argument("--url", help="the server's address")
    made.add_argument("--account", help="the account id")
    made.add_argument("--ca-file", help="PEM file to trust instead of the system's certificates")

    made = command("balance", balance, "show the credits")
    made.add_argument("--json", action="store_true", help="everything the server says, as JSON")

    command("tools", tools, "list tools and their prices")

    made = command("call", call, "call a tool once, and print its result")
    made.add_argument("tool")
    made.add_argument("request", nargs="?", default="{}", help="JSON, @FILE, or - for standard input; default {}")
    made.add_argument("--idempotency-key", help="of an earlier call, to get its result without paying again")

    made = command("jobs", run_jobs, "run a file with one call a line: {\"tool\": …, \"request\": {…}}")
    jobs.add_arguments(made)
    return main_parser


def explain(error):
    """What to do next."""
    yield f"tollgate-cli: {error.message}"
    if error.help_url:
        yield f"What to do: {error.help_url}"
    if error.request_id:
        yield f"Request id, if you ask the operator: {error.request_id}"
    if status_of(error) in ADVICE:
        yield ADVICE[status_of(error)]
    if error.idempotency_key and is_unknown(error):
        yield ("It may have been charged. Within 24 hours, this gets its result without a second charge: the same command "
               f"with --idempotency-key {error.idempotency_key}")


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        sys.exit(options.function(options))
    except UsageError as error:
        print(f"tollgate-cli: {error}", file=sys.stderr)
        sys.exit(error.status)
    except TollgateError as error:
        print(*explain(error), sep="\n", file=sys.stderr)
        sys.exit(status_of(error))
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
