/* portal/payments/stripe/stripe-facts.c - see stripe-facts.h. */
#include "portal/payments/stripe/stripe-facts.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/table.h"

enum {
    RECEIPT_TEXT_MAX_BYTES = 200,
    RECEIPT_URL_MAX_BYTES = 1000,
    CARD_MAX_BYTES = 64,
    TAX_TEXT_MAX_BYTES = 60,
    TAXES_MAX = 8,
};

static bool reject_field(struct err *err, const char *what)
{
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the processor's response has an invalid %s",
                   what);
}

/* ---- pieces ---- */

static bool read_amount(const cJSON *node, int64_t *amount)
{
    if (!json_is_integer(node) || node->valuedouble < 0 || node->valuedouble > AMOUNT_MAX)
        return false;
    *amount = (int64_t)node->valuedouble;
    return true;
}

/* Absent and null are 0. */
static bool read_part(const cJSON *node, int64_t *amount)
{
    *amount = 0;
    return !node || json_is(node, cJSON_NULL) || read_amount(node, amount);
}

/* One of the words, or NULL. */
static const char *read_word(const cJSON *node, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(json_text_of(node), words[i]))
            return words[i];
    return NULL;
}

/* ---- for the receipt ---- */

/* Without control characters, cut to this length. */
static void add_cut(cJSON *receipt, const char *name, const cJSON *node, size_t max_bytes)
{
    scoped(buf_free) struct buf clean = BUF(RECEIPT_TEXT_MAX_BYTES);
    struct text text = utf8_cut(json_text_of(node), max_bytes);
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] >= ' ' && text.bytes[i] != 0x7f)
            buf_add_byte(&clean, text.bytes[i]);
    if (clean.size > 0)
        json_str(receipt, name, buf_str(&clean));
}

static void add_text(cJSON *receipt, const char *name, const cJSON *node)
{
    add_cut(receipt, name, node, RECEIPT_TEXT_MAX_BYTES);
}

static void add_url(cJSON *receipt, const cJSON *node)
{
    struct text url = json_text_of(node);
    bool is_sound = text_begins(url, "https://") && url.size <= RECEIPT_URL_MAX_BYTES;
    for (size_t i = 0; i < url.size && is_sound; i++)
        is_sound =
            url.bytes[i] > ' ' && url.bytes[i] <= '~' && !strchr("\"<>\\^`{|}", url.bytes[i]);
    if (is_sound)
        json_str(receipt, "url", url.bytes);
}

static void add_card(cJSON *receipt, const cJSON *charge)
{
    scoped(buf_free) struct buf card = BUF(CARD_MAX_BYTES);
    scoped(json_free) cJSON *text = NULL;
    struct text brand = json_text_of(json_at(charge, "/payment_method_details/card/brand"));
    struct text last4 = json_text_of(json_at(charge, "/payment_method_details/card/last4"));
    if (brand.size == 0 || last4.size != 4)
        return;
    buf_add(&card, brand.bytes, MIN(brand.size, (size_t)CARD_MAX_BYTES - 5));
    buf_add_byte(&card, ' ');
    buf_add(&card, last4.bytes, last4.size);
    text = json_new_text(buf_text(&card));
    if (text_is_ascii(buf_text(&card)))
        add_text(receipt, "card", text);
}

/* docs.stripe.com/api/checkout/sessions/object, read 2026-11-27. The lengths are those of the
 * columns of billing_version. */
static const struct billing {
    const char *column;
    const char *pointer; /* below customer_details */
    size_t max_bytes;
} billings[] = {
    { "company", "/name", 200 },          { "line1", "/address/line1", 200 },
    { "line2", "/address/line2", 200 },   { "postal_code", "/address/postal_code", 20 },
    { "city", "/address/city", 100 },     { "region", "/address/state", 100 },
    { "country", "/address/country", 2 }, { "tax_type", "/tax_ids/0/type", 20 },
    { "tax_id", "/tax_ids/0/value", 40 },
};

/* What the payment page has collected to compute the tax. */
static void add_billing(cJSON *receipt, const cJSON *session)
{
    if (!json_is(json_at(session, "/automatic_tax/enabled"), cJSON_True))
        return;
    cJSON *billing = json_map(receipt, "billing");
    for (size_t i = 0; i < countof(billings); i++)
        add_cut(billing, billings[i].column,
                json_at(json_get(session, "customer_details"), billings[i].pointer),
                billings[i].max_bytes);
}

static void read_receipt(const cJSON *session, const cJSON *charge, struct facts *facts)
{
    cJSON *receipt = json_object();
    add_url(receipt, json_get(charge, "receipt_url"));
    add_text(receipt, "name", json_at(session, "/customer_details/name"));
    add_text(receipt, "email", json_at(session, "/customer_details/email"));
    add_text(receipt, "country", json_at(session, "/customer_details/address/country"));
    add_card(receipt, charge);
    add_billing(receipt, session);
    json_free(&facts->receipt);
    facts->receipt = receipt;
}

/* ---- tax ---- */

/* A percentage with at most four decimals: "19", "8.875". */
static void add_percent(cJSON *tax, const cJSON *node)
{
    char text[TAX_TEXT_MAX_BYTES];
    if (!json_is(node, cJSON_Number) || node->valuedouble < 0 || node->valuedouble > 100)
        return;
    snprintf(text, sizeof(text), "%.6g", node->valuedouble);
    json_str(tax, "percent", text);
}

/* Only for the words of an invoice: its sums are amount_total and amount_tax. */
static void read_taxes(const cJSON *session, struct facts *facts)
{
    const cJSON *item;
    cJSON *taxes = json_array();
    cJSON_ArrayForEach(item, json_at(session, "/total_details/breakdown/taxes")) {
        int64_t amount;
        if (json_size(taxes) >= TAXES_MAX || !read_amount(json_get(item, "amount"), &amount))
            break;
        cJSON *tax = json_item(taxes);
        json_int(tax, "amount", amount);
        add_cut(tax, "name", json_at(item, "/rate/display_name"), TAX_TEXT_MAX_BYTES);
        add_percent(tax, json_at(item, "/rate/percentage"));
        add_cut(tax, "reason", json_get(item, "taxability_reason"), TAX_TEXT_MAX_BYTES);
    }
    if (json_size(taxes) == 0)
        json_free(&taxes);
    json_free(&facts->taxes);
    facts->taxes = taxes;
}

/* ---- a checkout ---- */

static const char *const statuses[] = { "open", "complete", "expired" };
static const char *const payments[] = { "paid", "unpaid", "no_payment_required" };

static bool read_money(const cJSON *session, struct facts *facts)
{
    return stripe_read_currency(json_get(session, "currency"), facts->currency) &&
           read_amount(json_get(session, "amount_total"), &facts->amount) &&
           read_part(json_at(session, "/total_details/amount_tax"), &facts->tax) &&
           read_part(json_at(session, "/total_details/amount_discount"), &facts->discount);
}

/* An invalid id becomes "", so that the facts do not match the order. */
static void read_order(const cJSON *node, struct facts *facts)
{
    struct uuid id;
    facts->order_id[0] = '\0';
    if (uuid_parse(json_text_of(node), &id))
        uuid_format(facts->order_id, &id);
}

/* An unknown word is kept: it has no effect. */
static void read_intent_status(const cJSON *node, struct facts *facts)
{
    struct text word = json_text_of(node);
    facts->intent_status[0] = '\0';
    if (word.size < INTENT_STATUS_BYTES && text_is_made_of(word, "abcdefghijklmnopqrstuvwxyz_"))
        memcpy(facts->intent_status, word.bytes ? word.bytes : "", word.size + 1);
}

/* Null until the buyer has begun to pay. */
static bool read_payment(const cJSON *session, struct facts *facts)
{
    const cJSON *intent = json_get(session, "payment_intent");
    facts->payment[0] = facts->intent_status[0] = '\0';
    if (!intent || json_is(intent, cJSON_NULL))
        return true;
    read_intent_status(json_get(intent, "status"), facts);
    return stripe_copy_id(json_get(intent, "id"), facts->payment);
}

bool stripe_read_session(const cJSON *session, const char *id, struct facts *facts, struct err *err)
{
    struct facts read = { 0 };
    const cJSON *live = json_get(session, "livemode");
    read.status = read_word(json_get(session, "status"), statuses, countof(statuses));
    read.paid = read_word(json_get(session, "payment_status"), payments, countof(payments));
    read.is_live = json_is(live, cJSON_True);
    if (!text_is(json_text_of(json_get(session, "object")), "checkout.session") ||
        !stripe_copy_id(json_get(session, "id"), read.session) || strcmp(read.session, id) != 0)
        return reject_field(err, "checkout session");
    if (!read.status || !read.paid)
        return reject_field(err, "status");
    if (!read.is_live && !json_is(live, cJSON_False))
        return reject_field(err, "livemode");
    if (!read_money(session, &read))
        return reject_field(err, "amount");
    if (!read_payment(session, &read))
        return reject_field(err, "payment_intent");
    read_order(json_get(session, "client_reference_id"), &read);
    read_taxes(session, &read);
    read_receipt(session, json_at(session, "/payment_intent/latest_charge"), &read);
    facts_free(facts);
    *facts = read;
    return true;
}

/* ---- lists ---- */

/* The amount of one item that counts, into *amount; false: the item is invalid. */
typedef bool item_amount(const cJSON *item, const struct facts *facts, int64_t *amount);

static bool refund_amount(const cJSON *item, const struct facts *facts, int64_t *amount)
{
    static const char *const none[] = { "failed", "canceled" };
    (void)facts;
    if (!read_amount(json_get(item, "amount"), amount))
        return false;
    if (read_word(json_get(item, "status"), none, countof(none)))
        *amount = 0;
    return true;
}

static bool dispute_amount(const cJSON *item, const struct facts *facts, int64_t *amount)
{
    static const char *const none[] = { "won", "prevented", "warning_needs_response",
                                        "warning_under_review", "warning_closed" };
    char currency[CURRENCY_BYTES];
    if (!read_amount(json_get(item, "amount"), amount) ||
        !stripe_read_currency(json_get(item, "currency"), currency))
        return false;
    if (strcmp(currency, facts->currency) != 0)
        *amount = facts->amount;
    if (read_word(json_get(item, "status"), none, countof(none)))
        *amount = 0;
    return true;
}

static bool lost_amount(const cJSON *item, const struct facts *facts, int64_t *amount)
{
    static const char *const lost[] = { "lost", "appeal_under_review" };
    if (!dispute_amount(item, facts, amount))
        return false;
    if (!read_word(json_get(item, "status"), lost, countof(lost)))
        *amount = 0;
    return true;
}

/* Does the item belong to this payment? The node is an object or its id. */
static bool is_of_payment(const cJSON *item, const char *payment)
{
    const cJSON *node = json_get(item, "payment_intent");
    return text_is(json_text_of(json_is(node, cJSON_Object) ? json_get(node, "id") : node),
                   payment);
}

static bool add_up(const cJSON *page, const struct facts *facts, item_amount *amount_of,
                   int64_t *sum)
{
    const cJSON *item;
    int64_t total = *sum;
    if (!json_is(json_get(page, "data"), cJSON_Array))
        return false;
    cJSON_ArrayForEach(item, json_get(page, "data")) {
        int64_t amount;
        if (!is_of_payment(item, facts->payment) || !amount_of(item, facts, &amount))
            return false;
        total += amount;
    }
    *sum = total;
    return true;
}

bool stripe_add_refunds(const cJSON *page, struct facts *facts, struct err *err)
{
    return add_up(page, facts, refund_amount, &facts->refunded) ||
           reject_field(err, "list of refunds");
}

bool stripe_add_disputes(const cJSON *page, struct facts *facts, struct err *err)
{
    return (add_up(page, facts, dispute_amount, &facts->disputed) &&
            add_up(page, facts, lost_amount, &facts->lost)) ||
           reject_field(err, "list of disputes");
}

bool stripe_next_page(const cJSON *page, char after[static PROCESSOR_ID_BYTES], struct err *err)
{
    return stripe_find_next_page(page, after) || reject_field(err, "list");
}
