/* portal/payments/provider/facts.c - see facts.h. */
#include "portal/payments/provider/facts.h"

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

void facts_free(struct facts *facts)
{
    json_free(&facts->taxes);
    json_free(&facts->receipt);
}

void facts_print(const struct facts *facts, bool live_wanted, bool is_test, struct buf *out)
{
    scoped(json_free) cJSON *tree = json_object();
    json_str(tree, "status", facts->status);
    json_str(tree, "paid", facts->paid);
    json_bool(tree, "live", facts->is_live);
    json_bool(tree, "live_wanted", live_wanted);
    json_bool(tree, "is_test", is_test);
    json_str(tree, "currency", facts->currency);
    json_int(tree, "amount", facts->amount);
    json_int(tree, "tax", facts->tax);
    json_int(tree, "discount", facts->discount);
    json_str(tree, "order", or_null(facts->order_id));
    json_str(tree, "session", or_null(facts->session));
    json_str(tree, "payment_ref", or_null(facts->payment));
    json_str(tree, "intent_status", or_null(facts->intent_status));
    json_int(tree, "refunded", facts->refunded);
    json_int(tree, "disputed", facts->disputed);
    json_int(tree, "lost", facts->lost);
    if (facts->taxes)
        json_add(tree, "taxes", json_copy(facts->taxes));
    if (facts->receipt)
        json_add(tree, "receipt", json_copy(facts->receipt));
    else
        json_null(tree, "receipt");
    json_print(tree, out);
}
