/* tests/unit/payments/balance-transactions.c - lines of a processor's balance transactions; 'single
 * quotes' are JSON's double ones. */
#include "payments/balance-transactions.h"

#include "rows.h"

#define ORDER "01890a5d-ac96-774b-bcce-b302099a8057"
#define TXN(type, category, currency, amount)                                          \
    "{'id':'txn_1','object':'balance_transaction','type':'" type                       \
    "','reporting_category':'" category "','currency':'" currency "','amount':" amount \
    ",'fee':30,'created':1764201600}"
#define SOURCE(object, currency, amount)                                           \
    "{'id':'x_1','object':'" object "','currency':'" currency "','amount':" amount \
    ",'payment_intent':'pi_1','metadata':{'order_id':'" ORDER "'}}"
#define LINE(what, currency, amount, source)                                         \
    "{'payment':'pi_1','order_id':'" ORDER "'," source ",'id':'txn_1','what':'" what \
    "','created':1764201600,'currency':'" currency "','amount':" amount ",'is_unsettled':false}"
#define USD_1500 "'source_currency':'USD','source_amount':1500"
#define CHARGE   SOURCE("charge", "usd", "1500")

static const struct row {
    const char *name;
    const char *transaction;
    const char *source;
    const char *want; /* the line; "": none; NULL: rejected */
} rows[] = {
    { "a card payment", TXN("charge", "charge", "usd", "1500"), CHARGE,
      LINE("paid", "USD", "1500", USD_1500) },
    { "another payment", TXN("payment", "charge", "usd", "1500"), CHARGE,
      LINE("paid", "USD", "1500", USD_1500) },
    { "a payment that failed later",
      TXN("payment_failure_refund", "charge_failure", "usd", "-1500"), CHARGE,
      LINE("paid", "USD", "-1500", USD_1500) },
    { "a payment that its bank took back", TXN("payment_reversal", "", "usd", "-1500"), CHARGE,
      LINE("paid", "USD", "-1500", USD_1500) },
    { "a refund of a card", TXN("refund", "refund", "usd", "-500"), SOURCE("refund", "usd", "500"),
      LINE("refunded", "USD", "-500", "'source_currency':'USD','source_amount':500") },
    { "another refund", TXN("payment_refund", "refund", "usd", "-500"),
      SOURCE("refund", "usd", "500"),
      LINE("refunded", "USD", "-500", "'source_currency':'USD','source_amount':500") },
    { "a refund that failed", TXN("refund_failure", "refund_failure", "usd", "500"),
      SOURCE("refund", "usd", "500"),
      LINE("refunded", "USD", "500", "'source_currency':'USD','source_amount':500") },
    { "the same as an adjustment", TXN("adjustment", "refund_failure", "usd", "500"),
      SOURCE("refund", "usd", "500"),
      LINE("refunded", "USD", "500", "'source_currency':'USD','source_amount':500") },
    { "a dispute", TXN("adjustment", "dispute", "usd", "-1500"), SOURCE("dispute", "usd", "1500"),
      LINE("disputed", "USD", "-1500", USD_1500) },
    { "a dispute that was won", TXN("adjustment", "dispute_reversal", "usd", "1500"),
      SOURCE("dispute", "usd", "1500"), LINE("disputed", "USD", "1500", USD_1500) },
    { "converted into the account's currency", TXN("charge", "charge", "cad", "2043"), CHARGE,
      LINE("paid", "CAD", "2043", USD_1500) },
    { "a currency without minor units", TXN("charge", "charge", "jpy", "1500"),
      SOURCE("charge", "jpy", "1500"),
      LINE("paid", "JPY", "1500", "'source_currency':'JPY','source_amount':1500") },
    { "an expanded payment", TXN("charge", "charge", "usd", "1500"),
      "{'object':'charge','currency':'usd','amount':1500,'payment_intent':{'id':'pi_1'},"
      "'metadata':{'order_id':'" ORDER "'}}",
      LINE("paid", "USD", "1500", USD_1500) },
    { "a fee of a dispute", TXN("adjustment", "fee", "usd", "-1500"),
      SOURCE("dispute", "usd", "1500"), "" },
    { "an adjustment without a source", TXN("adjustment", "other_adjustment", "usd", "3"), "null",
      "" },
    { "an adjustment of a payout", TXN("adjustment", "other_adjustment", "usd", "3"),
      SOURCE("payout", "usd", "3"), "" },
    { "a payout", TXN("payout", "payout", "usd", "-9000"), "'po_1'", "" },
    { "a fee", TXN("stripe_fee", "fee", "usd", "-9"), "null", "" },
    { "a charge without a payment", TXN("charge", "charge", "usd", "1500"),
      "{'object':'charge','currency':'usd','amount':1500,'payment_intent':null}", "" },
    { "an unknown type", TXN("moon_fee", "fee", "usd", "-9"), "null", "" },
    { "a fraction", TXN("charge", "charge", "usd", "15.5"), CHARGE, NULL },
    { "an amount that is too large", TXN("charge", "charge", "usd", "10000000000001"), CHARGE,
      NULL },
    { "the largest amount", TXN("payout", "payout", "usd", "-10000000000000"), "null", "" },
    { "a currency in capitals", TXN("charge", "charge", "USD", "1500"), CHARGE, NULL },
    { "a type that is not a word", TXN("char ge", "charge", "usd", "1500"), CHARGE, NULL },
    { "a source below nothing", TXN("charge", "charge", "usd", "1500"),
      SOURCE("charge", "usd", "-1500"), NULL },
    { "a source without a currency", TXN("charge", "charge", "usd", "1500"),
      "{'object':'charge','amount':1500,'payment_intent':'pi_1'}", NULL },
    { "not a transaction", "'txn_1'", "null", NULL },
};

static cJSON *parse(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(1 << 16);
    cJSON *tree = NULL;
    for (; *quoted; quoted++)
        buf_add_byte(&text, *quoted == '\'' ? '"' : *quoted);
    assert_true(json_parse(buf_text(&text), JSON_DEPTH, &tree, NULL));
    return tree;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *transaction = parse(row->transaction);
    scoped(json_free) cJSON *source = parse(row->source);
    scoped(buf_free) struct buf text = BUF(1 << 16);
    struct err err = { 0 };
    bool ok = transaction_add_line(transaction, source, &text, &err);
    assert_int_equal(ok, row->want != NULL);
    if (!ok) {
        assert_int_equal(err.kind, ERR_PAYLOAD_MISMATCH);
        assert_int_equal(text.size, 0);
        return;
    }
    if (!row->want[0]) {
        assert_string_equal(buf_str(&text), "");
        return;
    }
    assert_int_equal(text.bytes[text.size - 1], ',');
    text.bytes[text.size - 1] = '\0';
    scoped(json_free) cJSON *want = parse(row->want);
    scoped(json_free) cJSON *got = parse(buf_str(&text));
    if (!json_equal(want, got))
        assert_string_equal(buf_str(&text), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
