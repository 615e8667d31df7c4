"""tests/kit/client.py - HTTPS/1.1 from a chosen source address; checks every response on arrival.

A response has the attribute names of python3-requests. That library itself is not used: it changes
what it sends (joins headers, normalizes paths), and hostile requests must arrive as written.
"""

import json

from kit.check import check_answer

TIMEOUT_S = 120  # far longer than any response takes, also on a busy machine


class Answer:
    """Status, headers (a mapping that ignores case), body as bytes."""

    def __init__(self, status, headers, body):
        self.status_code = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    @property
    def result(self):
        return self.json()["result"]

    @property
    def codes(self):
        return [error["code"] for error in self.json()["errors"]]

    @property
    def message(self):
        return self.json()["errors"][0]["message"]

    def __repr__(self):
        return f"<{self.status_code} {dict(self.headers)} {self.body[:500]!r}>"


class Client:
    """Each request uses a new connection, unless one is given."""

    def __init__(self, site, address=None):
        self.site = site
        self.address = address or site.fresh_address()

    def connect(self):
        return self.site.connection(self.address, TIMEOUT_S)

    def request(self, method, path, body=None, headers=None, connection=None):
        """One request, exactly as given: the only added headers are Host, and Content-Length for a
        body."""
        line = connection or self.connect()
        try:
            line.request(method, path, body, headers or {})
            response = line.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            if connection is None:
                line.close()
        check_answer(answer, method)
        return answer

    def call(self, account, tool, request=None, headers=None, raw=None, method="POST", connection=None):
        """A tool call of a usual customer; a header given as None is left out."""
        ordinary = {"Authorization": f"Bearer {account.token}", "Content-Type": "application/json"}
        sent = {name: value for name, value in (ordinary | (headers or {})).items() if value is not None}
        body = raw if raw is not None else json.dumps({} if request is None else request)
        return self.request(method, account.path(f"tools/{tool}"), body, sent, connection)

    def get(self, path, headers=None):
        """A GET without a token."""
        return self.request("GET", path, None, headers)

    def read(self, account, rest, headers=None, connection=None):
        """A GET of an account's document, as a usual customer sends it."""
        sent = {"Authorization": f"Bearer {account.token}"} | (headers or {})
        sent = {name: value for name, value in sent.items() if value is not None}
        return self.request("GET", account.path(rest), None, sent, connection)

    def credits(self, account):
        answer = self.read(account, "account/credits")
        assert answer.status_code == 200, answer
        return answer.result["credits"]
