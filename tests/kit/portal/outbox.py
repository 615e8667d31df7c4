"""tests/kit/portal/outbox.py - writes and reads the table mail for tests."""

import json
import uuid

from part import wait_for

WAITS, SENT, FAILED, DROPPED = 1, 2, 3, 4


class Outbox:
    """database: a psycopg2 connection of the owner, in autocommit mode."""

    def __init__(self, database):
        self.database = database

    def ask(self, statement, *values):
        with self.database.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def put(self, template="already", recipient="jane@example.test", data=None, link=None, age="0", due="0"):
        """Write an email as outbox_add() does, with this age and due for this long; returns its
        id."""
        mail_id = str(uuid.uuid4())
        self.ask("insert into mail (mail_id, recipient, template, data, link_id, created_at, next_at)"
                 " values (%s, %s, %s, %s, %s, ledger_now() - %s::interval,"
                 "         ledger_now() - %s::interval)",
                 mail_id, recipient, template, json.dumps(data) if data is not None else None, link, age, due)
        return mail_id

    def put_link(self, kind="signup", lives="1 hour", is_used=False):
        link_id = str(uuid.uuid4())
        self.ask("insert into link (link_id, kind, email, email_key, created_at, expires_at, used_at)"
                 " values (%s, %s, 'jane@example.test', 'jane@example.test', ledger_now(),"
                 "         ledger_now() + %s::interval, case when %s then ledger_now() end)",
                 link_id, kind, lives, is_used)
        return link_id

    def state(self, mail_id):
        """(state, attempts, error, seconds until it is due)."""
        row, = self.ask("select state, attempts, error,"
                        "       extract(epoch from next_at - ledger_now())::float8 from mail where mail_id = %s",
                        mail_id)
        return row

    def wait(self, mail_id, state, attempts=None, seconds=15):
        def is_so():
            now = self.state(mail_id)
            return now if now[0] == state and attempts in (None, now[1]) else None
        return wait_for(is_so, seconds, f"mail {mail_id} in state {state}")

    def hurry(self):
        """Emails that wait for a retry become due now; one that is being sent (it has no error)
        does not change."""
        self.ask("update mail set next_at = ledger_now()"
                 " where state = 1 and error is not null and next_at > ledger_now()")

    def settle(self, seconds=30):
        """Speed up until nothing waits."""
        def is_settled():
            self.hurry()
            return not self.ask("select 1 from mail where state = 1 limit 1")
        wait_for(is_settled, seconds, "an empty outbox")
