/* tests/fuzz/portal/payment-facts.c - any JSON as a checkout, its refunds and its disputes:
 * rejected, or facts within their limits, printed as JSON that the database accepts. The same for
 * lines of balance transactions. */
#include "payments/balance-transactions.h"
#include "portal/payments/stripe/event.h"
#include "portal/payments/stripe/stripe-facts.h"

#include <assert.h>
#include <string.h>

#include "../target.h"

/* jsonb rejects U+0000. */
static void check_json(const struct buf *text)
{
    assert(json_check(buf_text(text), JSON_DEPTH, NULL));
    for (const char *at = buf_str(text); (at = strchr(at, '\\')); at += 2)
        assert(strncmp(at + 1, "u0000", 5) != 0);
}

static void check_facts(const struct facts *facts)
{
    scoped(buf_free) struct buf text = BUF(1 << 16);
    assert(facts->amount >= 0 && facts->amount <= AMOUNT_MAX && facts->tax >= 0);
    assert(facts->refunded >= 0 && facts->disputed >= 0);
    facts_print(facts, true, false, &text);
    assert(!text.full);
    check_json(&text);
}

static void check_line(const cJSON *tree)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    if (!transaction_add_line(tree, json_get(tree, "source"), &text, NULL) || text.size == 0)
        return;
    text.size--; /* the comma */
    check_json(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(facts_free) struct facts facts = { .status = "open", .paid = "unpaid" };
    char after[PROCESSOR_ID_BYTES];
    struct text body = { (const char *)bytes, size };
    if (!json_parse(body, JSON_DEPTH, &tree, NULL))
        return 0;
    memcpy(facts.currency, "USD", CURRENCY_BYTES);
    memcpy(facts.payment, "pi_1", sizeof("pi_1"));
    bool ok = stripe_add_refunds(tree, &facts, NULL) && stripe_add_disputes(tree, &facts, NULL);
    if (stripe_next_page(tree, after, NULL))
        assert(!after[0] || stripe_is_id(text_of(after)));
    if (stripe_read_session(tree, "cs_1", &facts, NULL) || ok)
        check_facts(&facts);
    check_line(tree);
    return 0;
}
