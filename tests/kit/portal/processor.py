"""tests/kit/portal/processor.py - a payment processor with the part of Stripe's API that Tollgate
uses, in this process.

    processor = Processor(directory)
    own_stack(settings=processor.settings())
    session = processor.session_of(order)      # a checkout that the portal has made
    processor.pay(session)                     # returns the event
    Hook(stack).send(processor.sign(event))

Objects are dicts in the form of the API (docs.stripe.com/api, version of VERSION, read 2026-11-23).
Each change appends an event to `events`. The test sends the webhooks: once, repeatedly, late or in
any order. `be()` makes responses fail, `twist()` makes them wrong. Requests are checked as the API
checks them, and stored in `requests`.
"""

import base64
import hashlib
import hmac
import html
import http.server
import json
import re
import secrets
import ssl
import threading
import time
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from kit import pki

VERSION = re.compile(r"\d{4}-\d\d-\d\d\.[a-z]+")
KEY = "rk_test_51TollgateStub"
SECRET = "whsec_c3R1YnN0dWJzdHVic3R1YnN0dWI"
MINIMUM = 50  # of an amount
OPEN, COMPLETE, EXPIRED = "open", "complete", "expired"
ROUTES = [
    ("create", "POST", r"/v1/checkout/sessions"),
    ("sessions", "GET", r"/v1/checkout/sessions"),
    ("read", "GET", r"/v1/checkout/sessions/(\w+)"),
    ("expire", "POST", r"/v1/checkout/sessions/(\w+)/expire"),
    ("refunds", "GET", r"/v1/refunds"),
    ("disputes", "GET", r"/v1/disputes"),
    ("events", "GET", r"/v1/events"),
    ("balance", "GET", r"/v1/balance_transactions"),
    ("charges", "GET", r"/v1/charges"),
    ("customer", "POST", r"/v1/customers"),
    ("tax_ids", "GET", r"/v1/customers/(\w+)/tax_ids"),
    ("page", "GET", r"/c/pay/(\w+)"),
    ("choose", "POST", r"/c/pay/(\w+)"),
]
API = ("create", "sessions", "read", "expire", "refunds", "disputes", "events", "balance", "charges", "customer", "tax_ids")
# What be() accepts for a response, in addition to a status. before: nothing was done; after: it was
# done, and the response is lost.
HANGS_BEFORE, HANGS_AFTER, DROPS_BEFORE, DROPS_AFTER = "hangs-before", "hangs-after", "drops-before", "drops-after"
HALF, GARBAGE, EMPTY, HUGE = "half", "garbage", "empty", "huge"
# Of lists only: pages without an end, of new items or of the same; a page without its items; lists
# of one type that lack an item.
ENDLESS, LOOPS, BROKEN, LACKS = "endless", "loops", "broken", "lacks"
FEE = 30  # of a charge; a dispute costs 1500
STATUSES = {409: "idempotency_key_in_use", 429: "rate_limit", 401: "invalid_api_key", 500: "api_error"}


class Refused(Exception):
    """An error response of the API."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


def fields_of(text):
    """Form or query: names unchanged, each once except for lists (name[], which may be written
    name[0])."""
    fields = {}
    for name, value in parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []:
        name = re.sub(r"\[\d+\]$", "[]", name)
        if name.endswith("[]"):
            fields.setdefault(name, []).append(value)
        elif name in fields:
            raise Refused(400, "parameter_invalid", f"{name} is there twice")
        else:
            fields[name] = value
    return fields


class Processor:
    def __init__(self, directory, key=KEY, secret=SECRET, host="localhost"):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.key, self.secret, self.host = key, secret, host
        self.is_live = "_live_" in key
        self.lock = threading.RLock()
        self.is_closing = threading.Event()
        self.forget()
        self._serve()

    def forget(self):
        """Reset all state."""
        with self.lock:
            self.sessions, self.intents, self.refunds, self.disputes, self.events = {}, {}, {}, {}, []
            self.charges, self.transactions = {}, []
            self.customers = {}
            self.registers = {}  # tax number: what its register says; others are pending
            self.ago = 0  # new objects are this many seconds old
            self.requests, self.results, self.twists, self.manners = [], {}, {}, {}
            self.looped = []
            self.hook = None  # called with each event when it is made

    def settings(self):
        """Keys of conf.def with which a portal takes payments here."""
        files = {name: self.directory / f"stripe.{name}" for name in ("key", "secret")}
        files["key"].write_text(self.key)
        files["secret"].write_text(self.secret)
        return {"payments.provider": "stripe", "payments.stripe_url": self.url,
                "payments.stripe_checkout_origin": self.url, "payments.stripe_key_file": str(files["key"]),
                "payments.stripe_webhook_secret_file": str(files["secret"]), "egress.ca_file": str(self.ca_file)}

    def change_key(self, key):
        """From now on only this key is valid; a portal that starts now has it."""
        with self.lock:
            self.key, self.is_live = key, "_live_" in key
        (self.directory / "stripe.key").write_text(key)

    def close(self):
        self.is_closing.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    # -- misbehaving --

    def be(self, what, manner, times=None):
        """Respond this way to `create`, `read`, … or to all of the API ("*"); times None: until it
        is reset ("")."""
        with self.lock:
            self.manners[what] = [manner, times]

    def twist(self, ident, **members):
        """From now on the object with this id has these members instead."""
        with self.lock:
            self.twists.setdefault(ident, {}).update(members)

    def behave(self):
        """All responses are correct again."""
        with self.lock:
            self.manners.clear()
            self.twists.clear()

    def _manner(self, what):
        with self.lock:
            for name in (what, "*") if what in API else ():
                manner = self.manners.get(name)
                if manner and manner[0] and manner[1] != 0:
                    manner[1] = None if manner[1] is None else manner[1] - 1
                    return manner[0]
        return ""

    # -- actions of the buyer, our operator and the buyer's bank --

    def session_of(self, order):
        """The newest checkout of an order."""
        with self.lock:
            found = [s for s in self.sessions.values() if s["client_reference_id"] == order]
        assert found, f"there is no checkout of {order}"
        return found[-1]["id"]

    def pay(self, session, later=False):
        """By card, or by a method whose money arrives later: settle()."""
        with self.lock:
            checkout = self.sessions[session]
            assert checkout["status"] == OPEN, checkout["status"]
            intent = self._new("pi", "payment_intent", amount=checkout["amount_total"], currency=checkout["currency"],
                               metadata=dict(checkout["metadata"]), status="processing" if later else "succeeded")
            self.intents[intent["id"]] = intent
            intent["latest_charge"] = self._charge(intent, checkout) if not later else None
            checkout.update(status=COMPLETE, payment_status="unpaid" if later else "paid", url=None,
                            payment_intent=intent["id"],
                            customer_details={"email": checkout["customer_email"], "name": "Jane Doe", "phone": None,
                                              "address": {"country": "DE", "city": None, "line1": None}}
                            | checkout.pop("told", {}))
            return self._event("checkout.session.completed", checkout)

    def tax(self, session, percent, reason="standard_rated", **details):
        """Before it is paid: the buyer's details lead to this tax."""
        with self.lock:
            checkout = self.sessions[session]
            amount = round(checkout["amount_subtotal"] * percent / 100)
            checkout["amount_total"] = checkout["amount_subtotal"] + amount
            checkout["total_details"] |= {"amount_tax": amount, "breakdown": {"discounts": [], "taxes": [{
                "amount": amount, "taxability_reason": reason, "taxable_amount": checkout["amount_subtotal"],
                "rate": {"display_name": "VAT", "percentage": percent}}]}}
            checkout["told"] = details

    def settle(self, session, ok=True):
        with self.lock:
            checkout = self.sessions[session]
            intent = self.intents[checkout["payment_intent"]]
            intent["status"] = "succeeded" if ok else "requires_payment_method"
            if ok:
                checkout["payment_status"] = "paid"
                intent["latest_charge"] = self._charge(intent, checkout)
            return self._event(f"checkout.session.async_payment_{'succeeded' if ok else 'failed'}", checkout)

    def expire(self, session):
        """The checkout expires."""
        with self.lock:
            self.sessions[session].update(status=EXPIRED, url=None)
            return self._event("checkout.session.expired", self.sessions[session])

    def refund(self, session, amount, status="succeeded"):
        """Returns the refund's id and the event."""
        with self.lock:
            intent = self.intents[self.sessions[session]["payment_intent"]]
            refund = self._new("re", "refund", amount=amount, currency=intent["currency"], status=status,
                               payment_intent=intent["id"], charge=intent["latest_charge"]["id"], metadata={})
            is_moved = status == "succeeded"  # a pending one may move later
            refund["balance_transaction"] = self.move("refund", "refund", -amount, refund)["id"] if is_moved else None
            refund["failure_balance_transaction"] = None
            self.refunds[refund["id"]] = refund
            return refund["id"], self._event("charge.refunded", intent["latest_charge"])

    def end_refund(self, refund, status="failed"):
        with self.lock:
            ended = self.refunds[refund]
            ended["status"] = status
            if status == "succeeded" and not ended["balance_transaction"]:
                ended["balance_transaction"] = self.move("refund", "refund", -ended["amount"], ended)["id"]
            elif status != "succeeded" and ended["balance_transaction"]:
                back = self.move("adjustment", "refund_failure", ended["amount"], ended)
                ended["failure_balance_transaction"] = back["id"]
            return self._event("refund.failed" if status == "failed" else "refund.updated", self.refunds[refund])

    def dispute(self, session, amount=None, status="needs_response", currency=None):
        """Returns the dispute's id and the event."""
        with self.lock:
            intent = self.intents[self.sessions[session]["payment_intent"]]
            dispute = self._new("du", "dispute", amount=amount or intent["amount"], status=status, metadata={},
                                currency=currency or intent["currency"], payment_intent=intent["id"],
                                charge=intent["latest_charge"]["id"], reason="fraudulent")
            is_inquiry = status.startswith("warning_")
            dispute["balance_transactions"] = [] if is_inquiry else [
                self.move("adjustment", "dispute", -dispute["amount"], dispute, 1500)["id"]]
            self.disputes[dispute["id"]] = dispute
            return dispute["id"], self._event("charge.dispute.created", dispute)

    def end_dispute(self, dispute, status):
        with self.lock:
            ended = self.disputes[dispute]
            ended["status"] = status
            if status == "won" and ended["balance_transactions"]:
                back = self.move("adjustment", "dispute_reversal", ended["amount"], ended, -1500)
                ended["balance_transactions"].append(back["id"])
            return self._event("charge.dispute.closed", self.disputes[dispute])

    # -- events --

    def sign(self, event, at=None, secret=None, scheme="v1", body=None):
        """A webhook: (headers, body). at: unix time of its signature."""
        body = json.dumps(event, indent=2) if body is None else body
        at = int(time.time()) if at is None else at
        signature = hmac.new((secret or self.secret).encode(), f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
        return {"Stripe-Signature": f"t={at},{scheme}={signature}", "Content-Type": "application/json; charset=utf-8",
                "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)"}, body

    # -- objects --

    def _new(self, prefix, kind, **members):
        mode = "live_" if self.is_live else "test_"
        ident = f"{prefix}_{mode if prefix == 'cs' else ''}{secrets.token_hex(12)}"
        return {"id": ident, "object": kind, "created": int(time.time()) - self.ago, "livemode": self.is_live, **members}

    def _charge(self, intent, checkout):
        charge = self._new("ch", "charge", amount=intent["amount"], currency=intent["currency"], paid=True,
                           payment_intent=intent["id"], metadata=dict(intent["metadata"]),
                           payment_method_details={"type": "card", "card": {"brand": "visa", "last4": "4242"}},
                           billing_details={"name": "Jane Doe", "email": checkout["customer_email"]})
        charge["receipt_url"] = f"{self.url}/receipts/{charge['id']}"
        charge["balance_transaction"] = self.move("charge", "charge", charge["amount"], charge, FEE)["id"]
        self.charges[charge["id"]] = charge
        return charge

    def move(self, kind, category, amount, source=None, fee=0, currency="usd"):
        """A balance transaction; source: a charge, refund or dispute, or None."""
        txn = self._new("txn", "balance_transaction", type=kind, reporting_category=category, amount=amount, fee=fee,
                        net=amount - fee, currency=source["currency"] if source else currency, exchange_rate=None,
                        description=None, status="pending", source=source and source["id"], balance_type="payments")
        txn["available_on"] = txn["created"] + 7 * 86400
        txn["fee_details"] = [{"amount": fee, "application": None, "currency": txn["currency"], "description": None,
                               "type": "stripe_fee"}] if fee else []
        self.transactions.insert(0, txn)
        return txn

    def charge_of_others(self, amount, currency="usd"):
        """A payment that another shop of the same account has taken."""
        with self.lock:
            intent = self._new("pi", "payment_intent", amount=amount, currency=currency, metadata={}, status="succeeded")
            return self._charge(intent, {"customer_email": "jane@example.com"})

    def _event(self, kind, thing):
        event = self._new("evt", "event", api_version="2026-10-28.endive", type=kind, pending_webhooks=1,
                          request={"id": None, "idempotency_key": None}, data={"object": self._shown(thing)})
        self.events.insert(0, event)
        if self.hook:
            self.hook(event)
        return event

    def _shown(self, thing, expand=False):
        """A copy for a response: linked objects are ids, unless the request expands them."""
        shown = json.loads(json.dumps(thing)) | self.twists.get(thing["id"], {})
        intent = shown.get("payment_intent")
        if thing["object"] == "checkout.session" and intent in self.intents and expand:
            shown["payment_intent"] = self._shown(self.intents[intent], True)
        if thing["object"] == "payment_intent" and thing["latest_charge"] and not expand:
            shown["latest_charge"] = thing["latest_charge"]["id"]
        if thing["object"] == "balance_transaction":  # the only object without a mode
            del shown["livemode"]
        if thing["object"] == "dispute":  # always objects
            shown["balance_transactions"] = self._transactions_of(shown["balance_transactions"])
        return shown

    def _transactions_of(self, idents):
        return [self._shown(txn) for txn in self.transactions if txn["id"] in idents]

    def _expanded(self, thing, fields):
        """A copy in which what expand[] names is an object."""
        shown = self._shown(thing)
        for name in [path.removeprefix("data.") for path in fields.get("expand[]", [])]:
            found = [thing for thing in (*self.transactions, *self.charges.values(), *self.refunds.values(),
                                         *self.disputes.values()) if thing["id"] == shown[name]]
            shown[name] = self._shown(found[0]) if found else shown[name]
        return shown

    # -- the API --

    def do_create(self, headers, fields):
        key = headers.get("Idempotency-Key") or secrets.token_hex(8)  # without a key each request is a new one
        with self.lock:
            if key in self.results:
                before, answer = self.results[key]
                if before != fields:
                    raise Refused(400, "idempotency_error", "the same key with other parameters")
                return answer
            answer = self._create(fields)
            self.results[key] = (fields, answer)
            return answer

    def _create(self, fields):
        item = {name.removeprefix("line_items[0]"): value for name, value in fields.items() if "line_items" in name}
        amount, now = int(item["[price_data][unit_amount]"]), int(time.time())
        if fields.get("mode") != "payment" or item["[quantity]"] != "1" or amount < MINIMUM:
            raise Refused(400, "parameter_invalid", "mode, quantity or amount")
        if not re.fullmatch("[a-z]{3}", item["[price_data][currency]"]) or not item["[price_data][product_data][name]"]:
            raise Refused(400, "parameter_invalid", "price_data")
        if not now + 1800 <= int(fields["expires_at"]) <= now + 86400:
            raise Refused(400, "parameter_invalid", "expires_at must be 30 minutes to 24 hours from now")
        if fields.get("adaptive_pricing[enabled]") != "false" or "@" not in fields["customer_email"]:
            raise Refused(400, "parameter_invalid", "adaptive_pricing or customer_email")
        session = self._new("cs", "checkout.session", mode="payment", status=OPEN, payment_status="unpaid",
                            amount_subtotal=amount, amount_total=amount, currency=item["[price_data][currency]"],
                            total_details={"amount_tax": 0, "amount_discount": 0, "amount_shipping": 0},
                            client_reference_id=fields["client_reference_id"], customer_email=fields["customer_email"],
                            customer_details=None, expires_at=int(fields["expires_at"]), payment_intent=None,
                            metadata={name[len("metadata["):-1]: value for name, value in fields.items()
                                      if name.startswith("metadata[")},
                            success_url=fields["success_url"], cancel_url=fields["cancel_url"])
        if fields.get("automatic_tax[enabled]") == "true":
            assert (fields["tax_id_collection[enabled]"], fields["billing_address_collection"],
                    item["[price_data][tax_behavior]"]) == ("true", "required", "exclusive")
            session["automatic_tax"] = {"enabled": True, "status": "requires_location_inputs"}
        assert fields["payment_intent_data[metadata][order_id]"] == fields["metadata[order_id]"]
        session["url"] = f"{self.url}/c/pay/{session['id']}"
        self.sessions[session["id"]] = session
        return self._shown(session)

    def do_sessions(self, _, fields):
        """Newest first; a key sees the objects of its mode only."""
        since = int(fields["created[gte]"])
        with self.lock:
            return self._list(fields, [session for session in reversed(self.sessions.values())
                                       if session["created"] >= since and session["livemode"] == self.is_live])

    def _session(self, ident):
        if ident not in self.sessions:
            raise Refused(404, "resource_missing", "no such checkout session")
        return self.sessions[ident]

    def _session_of_key(self, ident):
        """A key sees the objects of its mode only."""
        if self._session(ident)["livemode"] != self.is_live:
            raise Refused(404, "resource_missing", "a similar object exists in the other mode")
        return self.sessions[ident]

    def do_read(self, _, fields, ident):
        expand = fields.get("expand[]", [])
        with self.lock:
            shown = self._shown(self._session_of_key(ident), "payment_intent.latest_charge" in expand)
            if "total_details.breakdown" not in expand:
                shown["total_details"].pop("breakdown", None)
            return shown

    def do_expire(self, _, __, ident):
        with self.lock:
            if self._session_of_key(ident)["status"] != OPEN:
                raise Refused(400, "checkout_session_not_open", "only open sessions can be expired")
            self.expire(ident)
            return self._shown(self.sessions[ident])

    def _payment_of_key(self, fields):
        """The payment that a list is about; the key does not know those of the other mode."""
        of = fields["payment_intent"]
        known = [*self.intents.values(), *({"id": c["payment_intent"], "livemode": c["livemode"]}
                                           for c in self.charges.values())]
        if not any(one["id"] == of and one["livemode"] == self.is_live for one in known):
            raise Refused(404, "resource_missing", f"No such payment_intent: {of}")
        return of

    def do_refunds(self, _, fields):
        of = self._payment_of_key(fields)
        return self._list(fields, [refund for refund in self.refunds.values() if refund["payment_intent"] == of])

    def do_disputes(self, _, fields):
        of = self._payment_of_key(fields)
        return self._list(fields, [dispute for dispute in self.disputes.values() if dispute["payment_intent"] == of])

    def do_events(self, _, fields):
        since, types = int(fields["created[gte]"]), fields["types[]"]
        if len(types) > 20:
            raise Refused(400, "parameter_invalid", "at most 20 types")
        return self._list(fields, [e for e in self.events if e["created"] >= since and e["type"] in types])

    def do_charges(self, _, fields):
        of = self._payment_of_key(fields)
        return self._list(fields, [charge for charge in self.charges.values() if charge["payment_intent"] == of])

    def do_customer(self, headers, fields):
        """A customer with a tax number, and without a name."""
        assert set(fields) == {"tax_id_data[0][type]", "tax_id_data[0][value]", "metadata[account_id]"}, fields
        number = {"type": fields["tax_id_data[0][type]"], "value": fields["tax_id_data[0][value]"]}
        with self.lock:
            if self.registers.get(number["value"]) == "malformed":
                raise Refused(400, "tax_id_invalid", "Invalid value for eu_vat.")
            if headers["Idempotency-Key"] not in self.results:
                customer = self._new("cus", "customer")
                self.customers[customer["id"]] = self._new("txi", "tax_id", customer=customer["id"], **number)
                self.results[headers["Idempotency-Key"]] = (fields, customer)
            return self.results[headers["Idempotency-Key"]][1]

    def do_tax_ids(self, _, fields, ident):
        with self.lock:
            number = self.customers[ident]
            status = self.registers.get(number["value"], "pending")
            return self._list(fields, [number | {"verification": {"status": status, "verified_name": None}}])

    def do_balance(self, _, fields):
        since, until, kind = int(fields["created[gte]"]), int(fields["created[lt]"]), fields.get("type")
        return self._list(fields, [txn for txn in self.transactions
                                   if since <= txn["created"] < until and kind in (None, txn["type"])
                                   and txn["livemode"] == self.is_live])

    def _list(self, fields, things):
        with self.lock:
            limit = int(fields.get("limit", 10))
            if not 1 <= limit <= 100:
                raise Refused(400, "parameter_invalid", "limit")
            after = fields.get("starting_after")
            if after:
                things = things[1 + [thing["id"] for thing in things].index(after):]
            return {"object": "list", "url": "/v1", "has_more": len(things) > limit,
                    "data": [self._expanded(thing, fields) for thing in things[:limit]]}

    # -- the payment page --

    def do_page(self, _, __, ident):
        session = self._session(ident)
        buttons = "".join(f"<button name=how value={how}>{words}</button>" for how, words in (
            ("pay", "Pay"), ("later", "Pay by transfer"), ("back", "Back")))
        return (f"<!doctype html><html lang=en><title>Checkout</title><h1>{html.escape(session['status'])}: "
                f"{session['amount_total']} {session['currency']}</h1><form method=post>{buttons}</form>")

    def do_choose(self, _, fields, ident):
        """The next location of the browser."""
        if fields.get("how") != "back" and self._session(ident)["status"] == OPEN:
            self.pay(ident, fields.get("how") == "later")
        return self._session(ident)["cancel_url" if fields.get("how") == "back" else "success_url"]

    # -- serving --

    def _serve(self):
        authority = pki.root("Payments Root")
        self.ca_file = self.directory / "payments-ca.pem"
        self.ca_file.write_bytes(authority.pem())
        own = authority.issue(self.host, [self.host, "localhost", "127.0.0.1"], key="ec:SECP256R1", eku=[pki.SERVER_AUTH])
        self.certificate_file = file = self.directory / "payments.pem"
        file.write_bytes(own.pem() + own.key_pem())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.processor, self.server.tls = self, context
        self.url = f"https://localhost:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def answer(self, name, headers, fields, *place):
        """Status and body, as the API gives them."""
        try:
            if name in API:
                self._check(headers)
            return 200, getattr(self, f"do_{name}")(headers, fields, *place)
        except Refused as refused:
            return refused.status, {"error": {"type": "invalid_request_error", "code": refused.code,
                                              "message": str(refused)}}

    def spoil(self, manner, page, fields):
        """A list that does not end, or is not whole."""
        if manner == BROKEN:
            return {"object": "list", "has_more": True, "data": []}
        if manner == LACKS:
            return page | {"data": page["data"]["type" in fields:]}
        renamed = [item | {"id": f"txn_{secrets.token_hex(12)}"} for item in page["data"]]
        return page | {"has_more": True, "data": renamed if manner == ENDLESS else self.first_page(page)}

    def first_page(self, page):
        """The same page each time."""
        self.looped = page["data"] or self.looped
        return self.looped

    def _check(self, headers):
        given = headers.get("Authorization", "")
        if given.startswith("Basic "):
            given = "Bearer " + base64.b64decode(given[6:]).decode().rstrip(":")
        if given != f"Bearer {self.key}":
            raise Refused(401, "invalid_api_key", "who are you?")
        if not VERSION.fullmatch(headers.get("Stripe-Version", "")):
            raise Refused(400, "parameter_invalid", "Stripe-Version")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def finish_request(self, request, client_address):
        """TLS in the connection's thread: a silent client blocks nobody else."""
        try:
            with self.tls.wrap_socket(request, server_side=True) as line:
                super().finish_request(line, client_address)
        except (OSError, ssl.SSLError):
            pass  # the client has left


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._handle("GET", urlsplit(self.path).query)

    def do_POST(self):
        self._handle("POST", self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def _handle(self, method, text):
        processor, path = self.server.processor, unquote(urlsplit(self.path).path)
        for name, wanted, pattern in ROUTES:
            place = re.fullmatch(pattern, path)
            if place and wanted == method:
                self._serve(processor, name, fields_of(text), place.groups())
                return
        self._send(404, {"error": {"type": "invalid_request_error", "message": "no such route"}})

    def _serve(self, processor, name, fields, place):
        manner = processor._manner(name)
        with processor.lock:
            processor.requests.append((name, fields, dict(self.headers)))
        if manner == HANGS_BEFORE:
            processor.is_closing.wait(60)
        if manner in (HANGS_BEFORE, DROPS_BEFORE):
            self.close_connection = True
        elif manner in STATUSES:
            if manner == 500 and name == "create":  # the key returns this result from now on
                processor.results[self.headers.get("Idempotency-Key")] = (fields, {"error": {"type": "api_error"}})
            self._send(manner, {"error": {"type": "api_error", "code": STATUSES[manner], "message": "not now"}})
        else:
            if manner in (ENDLESS, LOOPS):
                fields.pop("starting_after", None)
            self._answer(processor, name, manner, fields, processor.answer(name, self.headers, fields, *place))

    def _answer(self, processor, name, manner, fields, answer):
        status, body = answer
        if manner in (ENDLESS, LOOPS, BROKEN, LACKS):
            body = processor.spoil(manner, body, fields)
        if manner == HANGS_AFTER:
            processor.is_closing.wait(60)
        if manner in (HANGS_AFTER, DROPS_AFTER):
            self.close_connection = True
        elif manner == HALF:
            self._send(status, body, half=True)
        elif manner in (GARBAGE, EMPTY, HUGE):
            self._write(status, {GARBAGE: b"<html>", EMPTY: b"", HUGE: b'{"a":"' + b"x" * (5 << 20) + b'"}'}[manner])
        elif name == "choose":
            self.send_response(303)
            self.send_header("Location", body)
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._send(status, body)

    def _send(self, status, body, half=False):
        is_page = isinstance(body, str)
        self._write(status, (body if is_page else json.dumps(body)).encode(),
                    "text/html; charset=utf-8" if is_page else "application/json", half)

    def _write(self, status, body, kind="application/json", half=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Request-Id", f"req_{secrets.token_hex(7)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:len(body) // 2] if half else body)
        self.close_connection |= half
