"""tests/kit/database/attacker/judge.py - compares the books after each statement that wrote
something.

It reads as the superuser on a separate connection and keeps the last state. After a violation it
continues from the current state, so one hole does not hide the next.
"""

import base64
import re
import time

from kit.database.attacker.world import ANSWER, BALANCE, TOOLS

MOVED = "select pg_current_wal_insert_lsn()::text, pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
BALANCES = """
    select b.account_id::text, b.posted, b.held, b.granted, b.purchased, b.used, b.seq, h.held, h.least
      from account_balance b
     cross join lateral (select coalesce(sum(amount) filter (where state = 1), 0)::bigint as held, min(amount) as least
                           from hold where hold.account_id = b.account_id) h
     where b.xmin::text::bigint >= %s"""
ENTRIES = """
    select e.account_id::text, e.seq, e.kind, e.amount, e.balance_after, e.reference::text, e.tool_id,
           e.at between clock_timestamp() - interval '1 minute' and clock_timestamp() + interval '1 second'
      from unnest(%s::uuid[], %s::bigint[]) s (account_id, seq)
      join ledger_entry e on e.account_id = s.account_id and e.seq > s.seq order by e.account_id, e.seq"""
PAIRS = """ -- a charge and a hold of one call that do not fit
    with changed as materialized (select account_id from hold where xmin::text::bigint >= %(since)s
                                  union select account_id from account_balance where xmin::text::bigint >= %(since)s)
    select h.account_id::text, h.hold_id::text, h.state, h.amount, e.amount
      from changed c join hold h using (account_id)
      join ledger_entry e on e.account_id = c.account_id and e.kind = 3 and e.reference = h.hold_id
     where (h.xmin::text::bigint >= %(since)s or e.xmin::text::bigint >= %(since)s)
       and (h.state <> 2 or h.amount <> -e.amount)"""
TOKENS = """select t.account_id::text, t.token_id::text, t.kind, t.session_id::text from token t
             where t.xmin::text::bigint >= %s"""
ROLLS = "select account_id::text, seq from usage_roll where xmin::text::bigint >= %s"
LIVE = """
    select m.account_id::text, s.session_id::text from session s join member m using (member_id)
     where not s.is_half and s.expires_at > clock_timestamp()
       and s.seen_at > clock_timestamp() - case when s.is_kept then interval '7 days' else interval '2 hours' end"""
ORDER = """select pack_id, credits, amount, currency, provider, session_ref, payment_ref from purchase_order
            where account_id = %s and order_id = %s"""
PACKS = "select pack_id, credits, price_cents, currency from pack where is_sold"
PRICES = "select tool_id, price from tool union select tool_id, price_before from tool"
BUDGET = "select coalesce(sum(grant_credits * {}), 0)::bigint from signup_policy"
WITNESS = {"hold": "select hold_id::text from hold where state = 1",
           "idempotency": "select hold_id::text from idempotency where is_done and body is not null",
           "daily_quota": "select account_id::text from daily_quota where used = 3"}
OBJECTS = """
    select format('%%s %%s', c.relkind, c.relname) from pg_class c join pg_roles r on r.oid = c.relowner
     where r.rolname = %(role)s and c.relnamespace::regnamespace::text !~ '^pg_(toast_)?temp'
    union all
    select format('function %%s', p.proname) from pg_proc p join pg_roles r on r.oid = p.proowner
     where r.rolname = %(role)s and p.pronamespace::regnamespace::text !~ '^pg_temp'
    union all
    select format('member of %%s', m.roleid::regrole) from pg_auth_members m where m.member = %(role)s::regrole"""


class Judge:
    def __init__(self, sql, role, world, report):
        self._sql, self._role, self._world, self._report = sql, role, world, report
        has = {tuple(row) for row in sql("select table_name, column_name from information_schema.columns"
                                         " where table_schema = 'public'")}
        self._has_prices = {("tool", "price"), ("tool", "price_before")} <= has
        self._grants_column = next((c for c in ("grants_in_all", "in_all") if ("signup_policy", c) in has), None)
        self._packs = {row[0]: row[1:] for row in sql(PACKS)}
        self._day = int(time.time() // 86400)
        self._seen, self._entries, self._tokens, self._paid_by, self._rolls = {}, {}, set(), {}, {}
        self._lsn, self._since, self._gone, self._objects = None, 0, set(), set()
        self.granted = self.paid_orders = self.paid_credits = self.looks = 0

    def accept(self):
        """Accept the current state: a world was made."""
        self._budget = self._sql(BUDGET.format(self._grants_column))[0][0] if self._grants_column else 0
        self._live, self._prices = self._read_live(), self._read_prices()
        wanted = list(self._world.digests)
        spelled = [s for d in wanted for s in (d.hex(), base64.b64encode(d).decode().rstrip("="))]
        self._secrets = re.compile("|".join(re.escape(s) for s in (*spelled, ANSWER.hex(), ANSWER.decode())))
        real, self._report = self._report, lambda *_: None
        granted = self.granted
        self._compare([])
        self.granted, self._report = granted, real
        self._gone = set(self._missing())
        self._lsn, self._since = self._sql(MOVED)[0]

    def result(self, columns, text, rows):
        """What one statement returned, or its error."""
        if secret := self._secrets.search(text):
            self._report("a token's digest or a kept answer is read", secret[0][:16])
        if self._role != "tollgate_gateway":
            return
        if balance := BALANCE.search(text):
            self._report("the balance of another account is read", balance[0])
        if "account_id" in columns and len(columns) > 1:
            place = columns.index("account_id")
            if others := {row[place] for row in rows} - self._world.given:
                self._report("rows of another account are read", min(map(str, others)))

    def look(self, batch):
        """After one statement, or a transaction of several."""
        lsn, since = self._sql(MOVED)[0]
        if lsn != self._lsn:
            self.looks += 1
            self._compare(batch)
            self._lsn, self._since = lsn, since

    def look_at_objects(self):
        for row in self._sql(OBJECTS, {"role": self._role}):
            if row not in self._objects:
                self._objects.add(row)
                self._report("the role owns an object or has another role", row[0])

    def _compare(self, batch):
        prices, live = self._read_prices(), self._read_live()
        touched = self._sql(BALANCES, self._since)
        known = [self._seen.get(row[0], (0,) * 8)[5] for row in touched]
        fresh = self._sql(ENTRIES, [row[0] for row in touched], known)
        for row in touched:
            self._balance(row[0], row[1:], [entry[1:] for entry in fresh if entry[0] == row[0]])
        for account, *entry in fresh:
            self._entry(account, entry, self._prices | prices, batch)
        for account, token, kind, session in self._sql(TOKENS, self._since):
            if (account, token) not in self._tokens:
                self._tokens.add((account, token))
                self._token(account, kind, session, self._live | live)
        for account, call, state, held, paid in self._sql(PAIRS, {"since": self._since}):
            self._report("a charge and a hold of one call do not fit",
                         f"{account}: call {call}, hold {held} in state {state}, charge {paid}")
        for account, seq in self._sql(ROLLS, self._since):
            if seq < (known := self._rolls.get(account, 0)):
                self._report("usage is counted again", f"{account}: up to {known}, now {seq}")
            self._rolls[account] = seq
        gone = set(self._missing()) if batch else set()
        for table, _, key in sorted(gone - self._gone):
            self._report(f"a row of {table} of another account ended before its time", key)
        self._prices, self._live = prices, live
        self._gone = gone

    def _balance(self, account, row, entries):
        posted, held, granted, purchased, used, seq, open_holds, _ = row
        was = self._seen.get(account, (0,) * 8)
        self._seen[account] = row
        by = lambda *kinds: sum(e[2] for e in entries if e[1] in kinds)  # noqa: E731
        if used < was[4] - by(4):
            self._report("used falls without a refund", f"{account}: {was[4]} -> {used}, refunds {by(4)}")
        want = (was[0] + by(1, 2, 3, 4, 5, 6, 7), was[2] + by(1, 5), was[3] + by(2, 6, 7), was[4] - by(3, 4))
        if (posted, granted, purchased, used) != want:
            self._report("the balance is not the sum of its entries",
                         f"{account}: posted, granted, purchased, used {(posted, granted, purchased, used)} not {want}")
        if [e[0] for e in entries] != list(range(was[5] + 1, seq + 1)):
            self._report("the numbers of entries have a gap", f"{account}: {[e[0] for e in entries]} up to {seq}")
        if held - open_holds != was[1] - was[6]:
            self._report("what is held is not the sum of the open holds", f"{account}: {held}, holds {open_holds}")
        if lowest(row) < min(lowest(was), 0):
            self._report("an amount is below zero", f"{account}: {row}")
        if self._role == "tollgate_gateway" and account not in self._world.given and (
                used > was[4] or open_holds > was[6]):
            self._report("another account's credits are spent or held", f"{account}: {was} -> {row}")

    def _entry(self, account, entry, prices, batch):
        seq, kind, amount, _, reference, tool, is_now = entry
        key = (account, "usage" if kind == 3 else "refund", reference)
        text = f"{account} entry {seq}: kind {kind}, {amount}, {reference}"
        if not is_now:
            self._report("an entry is dated by a shifted clock", text)
        if kind in (3, 4) and key in self._entries:
            self._report("one call is charged or refunded twice", text)
        if kind == 3:
            self._entries[key] = amount
            if amount >= 0:
                self._report("a usage entry is positive", text)
            if (tool, -amount) not in prices:
                self._report("an amount is not a price of its tool", f"{text}, tool {tool}")
        elif kind == 4:
            self._entries[key] = amount
            if self._entries.get((account, "usage", reference)) != -amount:
                self._report("a refund does not name a usage entry of its amount", text)
        elif kind == 5 or kind == 1 and self._seen[account][3] == 0:  # else withheld until a purchase
            self.granted += amount
            days = int(time.time() // 86400) - self._day + 1
            if self.granted > self._budget * days or kind == 5 and amount > 0:
                self._report("credits are made", f"{text}; in all {self.granted}, budget {self._budget} a day")
        elif kind == 2:
            self._purchase(account, reference, amount, batch)

    def _purchase(self, account, order, credits, batch):
        pack, of_order, price, currency, provider, *refs = (self._sql(ORDER, account, order) or [(None,) * 7])[0]
        claims = [s.args["facts"] for s in batch if s.args.get("order") == order and s.args.get("facts")]
        self.paid_orders += 1
        self.paid_credits += credits
        if not any(is_paid(facts, order, price, currency) for facts in claims):
            self._report("an order is credited without facts that fit", f"order {order}: {price} {currency}")
        if (credits, price, currency) != self._packs.get(pack) or credits != of_order:
            self._report("an order is not of a pack on sale", f"order {order}: pack {pack}, {credits} for {price}")
        for ref in (order, *((provider, ref) for ref in refs if ref)):
            if self._paid_by.setdefault(ref, (account, order)) != (account, order) or ref == order and (
                    (account, "order", order) in self._entries):
                self._report("one payment is credited twice", f"{ref}: orders {self._paid_by[ref]} and {order}")
        self._entries[account, "order", order] = credits

    def _token(self, account, kind, session, live):
        if self._role == "tollgate_portal" and not any(
                owner == account and (kind in (1, 5) or session == given) for owner, given in live):
            self._report("a token is made without a live session of its account", f"{account}, kind {kind}")
        if self._role == "tollgate_gateway" and (account not in self._world.given or kind != 1):
            self._report("a token is made without a management token of its account", f"{account}, kind {kind}")

    def _missing(self):
        left = {table: {row[0] for row in self._sql(query)} for table, query in WITNESS.items()}
        return [witness for witness in self._world.witnesses if witness[2] not in left[witness[0]]]

    def _read_live(self):
        return {tuple(row) for row in self._sql(LIVE)}

    def _read_prices(self):
        on_record = {(tool, price) for tool, (_, *prices) in TOOLS.items() for price in prices}
        return {tuple(row) for row in self._sql(PRICES)} if self._has_prices else on_record


def lowest(row):
    posted, held, granted, purchased, used, _, open_holds, least = row
    return min(posted, held, posted - held, granted, purchased, used, open_holds, least or 0)


def is_paid(facts, order, price, currency):
    """Whether these facts show that this order was paid in full."""
    try:
        net = int(facts["amount"]) - int(facts["tax"])
        return (facts["status"], facts["paid"], facts["currency"], facts["order"], net, int(facts["discount"])) == (
            "complete", "paid", currency, order, price, 0) and int(facts["tax"]) >= 0 and (
            facts["live"] == facts["live_wanted"])
    except (KeyError, TypeError, ValueError):
        return False
