// tests/check/stripe/client.mjs - Stripe's own client against the stand-in for Stripe: what it
// rejects, pages, repeats and verifies. STUB has {url, key, secret}; driven by ../payments-wire.py,
// a line a step.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import Stripe from "stripe";

const stub = JSON.parse(process.env.STUB);
const place = new URL(stub.url);
const stripe = new Stripe(stub.key, {
  host: place.hostname, port: place.port, protocol: "https", maxNetworkRetries: 0, telemetry: false,
});
const order = "01890a5d-ac96-774b-bcce-b302099a8057";
const wish = {
  mode: "payment",
  line_items: [
    { quantity: 1, price_data: { currency: "usd", unit_amount: 1500, product_data: { name: "1500 credits" } } },
  ],
  client_reference_id: order,
  metadata: { order_id: order, account_id: "01890a5d-ac96-774b-bcce-b302099a8058", credits: "1500" },
  payment_intent_data: { metadata: { order_id: order } },
  customer_email: "jane@example.com",
  success_url: "https://localhost/a",
  cancel_url: "https://localhost/b",
  expires_at: Math.floor(Date.now() / 1000) + 3600,
  adaptive_pricing: { enabled: false },
};
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// The driver does something to the stub, and answers with JSON.
async function ask(what) {
  console.log(JSON.stringify(what));
  return JSON.parse((await lines.next()).value);
}

const steps = {
  async "a key that is none"() {
    const outsider = new Stripe("sk_test_other", { host: place.hostname, port: place.port, maxNetworkRetries: 0 });
    await assert.rejects(outsider.events.list(), Stripe.errors.StripeAuthenticationError);
  },
  async "a checkout, made once"() {
    const made = await stripe.checkout.sessions.create(wish, { idempotencyKey: order });
    const again = await stripe.checkout.sessions.create(wish, { idempotencyKey: order });
    assert.equal(made.id, again.id);
    const listed = await stripe.checkout.sessions.list({ created: { gte: made.created }, limit: 100 });
    assert.ok(listed.data.some(({ id, metadata }) => id === made.id && metadata.credits === wish.metadata.credits));
    assert.ok(made.id.startsWith("cs_test_") && made.url.startsWith(stub.url) && made.expires_at === wish.expires_at);
    const other = { ...wish, customer_email: "x@example.com" };
    await assert.rejects(stripe.checkout.sessions.create(other, { idempotencyKey: order }),
      (error) => error.code === "idempotency_error");
    await assert.rejects(stripe.checkout.sessions.create({ ...wish, expires_at: 1 }),
      Stripe.errors.StripeInvalidRequestError);
  },
  async "what was paid, expanded"() {
    const { id } = await stripe.checkout.sessions.create(wish, { idempotencyKey: order });
    await ask({ do: "pay", session: id });
    const read = await stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent.latest_charge"] });
    assert.deepEqual([read.status, read.payment_status, read.amount_total, read.payment_intent.status],
      ["complete", "paid", 1500, "succeeded"]);
    assert.equal(read.payment_intent.latest_charge.payment_method_details.card.last4, "4242");
    const plain = await stripe.checkout.sessions.retrieve(id);
    assert.equal(plain.payment_intent, read.payment_intent.id);
    await assert.rejects(stripe.checkout.sessions.expire(id), Stripe.errors.StripeInvalidRequestError);
  },
  async "lists, page by page"() {
    const { id } = await stripe.checkout.sessions.create(wish);
    await ask({ do: "pay", session: id });
    await ask({ do: "refunds", session: id, count: 23 });
    const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(id);
    const refunds = await stripe.refunds.list({ payment_intent: intent, limit: 10 }).autoPagingToArray({ limit: 100 });
    assert.equal(new Set(refunds.map((refund) => refund.id)).size, 23);
    const events = await stripe.events.list({ created: { gte: 1 }, types: ["charge.refunded"], limit: 10 })
      .autoPagingToArray({ limit: 100 });
    assert.equal(events.length, 23);
    assert.equal((await stripe.disputes.list({ payment_intent: intent })).data.length, 0);
  },
  async "balance transactions"() {
    const { id } = await stripe.checkout.sessions.create(wish);
    await ask({ do: "pay", session: id });
    await ask({ do: "refunds", session: id, count: 2 });
    await ask({ do: "dispute", session: id });
    const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(id);
    const now = Math.floor(Date.now() / 1000);
    const window = { created: { gte: now - 3600, lt: now + 60 }, limit: 10 };
    const list = (more) => stripe.balanceTransactions.list({ ...window, ...more }).autoPagingToArray({ limit: 1000 });
    const all = await list({});
    assert.equal(new Set(all.map((one) => one.id)).size, all.length);
    assert.ok(all.every((one) => one.net === one.amount - one.fee && one.created < now + 60));
    assert.ok(all.every((one) => one.source === null || typeof one.source === "string"));
    assert.ok(all.every((one, n) => n === 0 || one.created <= all[n - 1].created));
    const types = [...new Set(all.map((one) => one.type))].sort();
    assert.deepEqual(types, ["adjustment", "charge", "payout", "refund", "stripe_fee"]);
    for (const type of types) {
      assert.deepEqual((await list({ type })).map((one) => one.id),
        all.filter((one) => one.type === type).map((one) => one.id));
    }
    assert.equal((await list({ created: { gte: 1, lt: 2 } })).length, 0);

    const charges = await list({ type: "charge", expand: ["data.source"] });
    assert.ok(charges.every(({ source, amount }) => source.object === "charge" && source.amount === amount));
    assert.ok(charges.some(({ source }) => source.payment_intent === intent && source.metadata.order_id === order));
    const adjustments = await list({ type: "adjustment", expand: ["data.source"] });
    const kinds = adjustments.map(({ source, reporting_category: category }) => `${source.object} ${category}`);
    assert.deepEqual([...new Set(kinds)].sort(), ["dispute dispute", "refund refund_failure"]);

    const of = { payment_intent: intent, limit: 100 };
    const [charge] = (await stripe.charges.list({ ...of, expand: ["data.balance_transaction"] })).data;
    assert.deepEqual([charge.balance_transaction.type, charge.balance_transaction.source], ["charge", charge.id]);
    const expand = ["data.balance_transaction", "data.failure_balance_transaction"];
    for (const refund of (await stripe.refunds.list({ ...of, expand })).data) {
      assert.deepEqual([refund.balance_transaction.type, refund.balance_transaction.amount], ["refund", -refund.amount]);
      const failed = refund.failure_balance_transaction;
      assert.deepEqual(failed && [failed.type, failed.amount],
        refund.status === "failed" ? ["adjustment", refund.amount] : null);
    }
    const [dispute] = (await stripe.disputes.list(of)).data;
    assert.deepEqual(dispute.balance_transactions.map((one) => [one.object, one.amount, one.source]),
      [["balance_transaction", -dispute.amount, dispute.id]]);
    for (const lists of [stripe.charges, stripe.refunds, stripe.disputes])
      await assert.rejects(lists.list({ payment_intent: "pi_none" }), (error) => error.code === "resource_missing");
  },
  async "webhooks"() {
    const { header, body } = await ask({ do: "sign" });
    assert.equal(stripe.webhooks.constructEvent(body, header, stub.secret).object, "event");
    const refused = Stripe.errors.StripeSignatureVerificationError;
    assert.throws(() => stripe.webhooks.constructEvent(body + " ", header, stub.secret), refused);
    assert.throws(() => stripe.webhooks.constructEvent(body, header, "whsec_other"), refused);
  },
};

for (const [name, step] of Object.entries(steps)) {
  await step();
  console.log(JSON.stringify({ did: name }));
}
process.exit(0);
