"""deploy/local/run.py - `make run`: the whole product on this machine, with a demo account and its
member.

Mail goes to a mailbox on this machine. Each mail is printed with its link, so that you can sign up.

The state is in var/run, or in --directory (for root, the database is below /var/lib/tollgate), so
accounts and credits survive a restart. The files for scripts and agents are next to it. Ctrl-C or
SIGTERM stops it.
"""

import argparse
import email
import email.policy
import http.client
import json
import os
import re
import secrets
import ssl
import sys
import tempfile
from pathlib import Path

from part import Failure
from ports import port_is_free
from stack import ROOT, Stack, cluster_home, interruptible

PLANS_FILE = ROOT / "examples" / "plans.yaml"
DEMO_CREDITS = 100
DEMO_TOOL = "hash-generate"
DEMO_BODY = '{"input":"hello"}'
DEMO_EMAIL = "demo@example.com"
TLS_PORT, PLAIN_PORT = 8443, 8080  # if free; otherwise other ports, which are printed


class Demo:
    """The demo account and its member. var/demo.json has base_url, ca_file, account, token,
    portal_email and portal_password for scripts, var/mcp.json the configuration of a host of
    agents."""

    def __init__(self, stack):
        self._stack = stack
        self.file = stack.directory.parent / "demo.json"
        self.agents_file = stack.directory.parent / "mcp.json"
        self.token = self.account = self.email = self.password = None

    def open(self):
        """Use the account of the last run if it can still pay for a call; otherwise create one. The
        operator's plans are those of the examples."""
        self._stack.tollctl("plan", "apply", PLANS_FILE)
        if not self._recall() or self.credits() < 1:
            self.account = self._stack.tollctl("account", "create", "demo", "--credits", str(DEMO_CREDITS),
                                               "--json")["account"]
            self.token = self._stack.tollctl("token", "create", self.account, "--name", "demo",
                                             "--json")["token"]
            self.email = None
        if self.email is None:
            self._make_member()
        self._save()

    def _make_member(self):
        """With a random password, and another address if an earlier account has the first one."""
        self.password = secrets.token_urlsafe(15)
        for self.email in (DEMO_EMAIL, f"demo-{self.account[-6:]}@example.com"):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(f"{self.password}\n")
                file.flush()
                try:
                    self._stack.tollctl("member", "create", self.account, self.email, "--password-file", file.name)
                    return
                except Failure as failure:
                    refusal = failure
        raise refusal

    def credits(self):
        """The balance; 0 if the account or its token is no longer valid."""
        status, answer = self._call("GET", "account/credits")
        return answer["result"]["credits"] if status == 200 else 0

    def pay_for_a_call(self):
        status, answer = self._call("POST", f"tools/{DEMO_TOOL}", DEMO_BODY)
        if status != 200:
            raise Failure(f"the first call of {DEMO_TOOL} returned {status}: {json.dumps(answer)}")
        return answer["result"]

    def url(self, path):
        return f"{self._stack.base_url}/v1/client/{self.account}/{path}"

    def _call(self, method, path, body=None):
        connection = http.client.HTTPSConnection(
            "localhost", self._stack.tls_port, timeout=30,
            context=ssl.create_default_context(cafile=self._stack.ca_file))
        try:
            connection.request(method, f"/v1/client/{self.account}/{path}", body, {
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def _recall(self):
        try:
            known = json.loads(self.file.read_text())
            self.account, self.token = known["account"], known["token"]
            self.email, self.password = known.get("portal_email"), known.get("portal_password")
            return True
        except (OSError, ValueError, KeyError):
            return False

    def _save(self):
        write_private(self.file, {"base_url": self._stack.base_url, "ca_file": str(self._stack.ca_file),
                                  "account": self.account, "token": self.token, "portal_email": self.email,
                                  "portal_password": self.password})
        write_private(self.agents_file, {"mcpServers": {"tollgate": {
            "type": "http", "url": self.url("mcp?groups=utils,security"),
            "headers": {"Authorization": f"Bearer {self.token}"}}}})


def write_private(file, content):
    fresh = file.with_suffix(".new")
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(content, indent=2) + "\n")
    fresh.rename(file)


class Mails:
    """Mail that arrives from now on."""

    def __init__(self, directory):
        self._folder = Path(directory) / "new"
        self._seen = set(self._names())

    def show(self):
        for name in self._names():
            if name not in self._seen:
                self._seen.add(name)
                self._print(email.message_from_bytes((self._folder / name).read_bytes(), policy=email.policy.default))

    def _names(self):
        return sorted(file.name for file in self._folder.iterdir()) if self._folder.exists() else []

    @staticmethod
    def _print(mail):
        text = mail.get_body(("plain",)).get_content()
        link = re.search(r"https://\S+", text)
        print(f"\nMail to {mail['To']}: {mail['Subject']}" + (f"\n  {link[0]}" if link else ""), flush=True)


def models_line(stack):
    """The model providers of svc-ai; the environment may name their file."""
    return os.environ.get("TOLLGATE_AI_PROVIDERS_FILE") or \
        "none; connect some with TOLLGATE_AI_PROVIDERS_FILE=$PWD/providers.yaml make run (docs/operate/models.md)"


def introduce(stack, demo, result):
    print(f"""
Tollgate is running at {stack.base_url}

  account  {demo.account}
  token    {demo.token}
  credits  {demo.credits()}, after one paid call of {DEMO_TOOL}: {result["hash"][:16]}…
  portal   {stack.base_url}/portal  (self-signed certificate: your browser warns once)
           email {demo.email}  password {demo.password}
  mail     {stack.mail_directory}; each mail is shown here with its link
  logs     {stack.log_directory}
  models   {models_line(stack)}
  agents   {os.path.relpath(demo.agents_file, ROOT)} is a configuration for agents (MCP)
  scripts  {os.path.relpath(demo.file, ROOT)} has the URL, the CA file, the account, the token, the email and the password

Paste this:

  curl --cacert {stack.ca_file} \\
    -H 'Authorization: Bearer {demo.token}' -H 'Content-Type: application/json' \\
    -d '{DEMO_BODY}' {demo.url(f"tools/{DEMO_TOOL}")}

Ctrl-C stops everything.""", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Run Tollgate on this machine.")
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--directory", type=Path, default=ROOT / "var" / "run")
    options = parser.parse_args()
    interruptible()
    stack = Stack(options.directory.resolve(), options.build,
                  tls_port=TLS_PORT if port_is_free(TLS_PORT) else None,
                  plain_port=PLAIN_PORT if port_is_free(PLAIN_PORT) else None,
                  portals=1, edge={"EDGE_HSTS": "auto"})
    try:
        with stack:
            demo = Demo(stack)
            demo.open()
            mails = Mails(stack.mail_directory)
            introduce(stack, demo, demo.pay_for_a_call())
            stack.watch(mails.show)
            print("Stopping …", flush=True)
    except KeyboardInterrupt:
        pass
    except Failure as failure:
        sys.exit(f"make run: {failure}\n\nThe demo's data is in {stack.directory} and {cluster_home(stack.directory)}. "
                 "Remove these folders to start with new data.")


if __name__ == "__main__":
    main()
