/* portal/payments/stripe/event.c - see event.h. */
#include "portal/payments/stripe/event.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/table.h"

/* GET /v1/events accepts at most 20. */
static const char *const types[] = {
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "charge.refunded",
    "charge.refund.updated",
    "refund.created",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
};

const char *event_type(size_t i)
{
    return i < countof(types) ? types[i] : NULL;
}

/* ---- pieces ---- */

static bool copy_type(const cJSON *node, char out[static EVENT_TYPE_BYTES])
{
    struct text type = json_text_of(node);
    for (size_t i = 0; i < type.size; i++)
        if (!ascii_is_alnum((unsigned char)type.bytes[i]) && !strchr("._", type.bytes[i]))
            return false;
    if (type.size == 0 || type.size >= EVENT_TYPE_BYTES)
        return false;
    memcpy(out, type.bytes, type.size + 1);
    return true;
}

/* In the database's spelling of a UUID. */
static bool copy_order(const cJSON *node, char out[static UUID_TEXT_BYTES])
{
    struct uuid id;
    if (!uuid_parse(json_text_of(node), &id))
        return false;
    uuid_format(out, &id);
    return true;
}

static bool is_ours(const char *type)
{
    for (size_t i = 0; i < countof(types); i++)
        if (strcmp(types[i], type) == 0)
            return true;
    return false;
}

static void find_order(const cJSON *object, struct event *event)
{
    if (!copy_order(json_get(object, "client_reference_id"), event->order_id))
        copy_order(json_at(object, "/metadata/order_id"), event->order_id);
    if (text_is(json_text_of(json_get(object, "object")), "checkout.session"))
        stripe_copy_ref(object, event->ref);
    else
        stripe_copy_ref(json_get(object, "payment_intent"), event->ref);
}

/* docs.stripe.com/api/charges/object, read 2026-11-27: amount_refunded is the sum of the charge's
 * refunds. */
static int64_t find_refunded(const cJSON *object)
{
    const cJSON *amount = json_get(object, "amount_refunded");
    bool is_charge = text_is(json_text_of(json_get(object, "object")), "charge");
    if (!is_charge || !json_is_integer(amount) || amount->valuedouble < 0 ||
        amount->valuedouble > AMOUNT_MAX)
        return -1;
    return (int64_t)amount->valuedouble;
}

/* ---- all of it ---- */

/* The database accepts years up to 9999. */
static bool read_time(const cJSON *node, int64_t *seconds)
{
    const double end_s = 253402300800.0; /* the end of the year 9999 */
    if (!json_is_integer(node) || node->valuedouble < 0 || node->valuedouble >= end_s)
        return false;
    *seconds = (int64_t)node->valuedouble;
    return true;
}

bool event_of(const cJSON *tree, struct event *event, struct err *err)
{
    struct event read = { 0 };
    const cJSON *live = json_get(tree, "livemode");
    const cJSON *object = json_at(tree, "/data/object");
    if (!stripe_copy_id(json_get(tree, "id"), read.id) ||
        !copy_type(json_get(tree, "type"), read.type) ||
        !(json_is(live, cJSON_True) || json_is(live, cJSON_False)) ||
        !read_time(json_get(tree, "created"), &read.created_s) || !json_is(object, cJSON_Object))
        return err_set(err, ERR_PAYLOAD_MISMATCH, "the body is not a Stripe event");
    read.is_live = json_is(live, cJSON_True);
    read.is_ours = is_ours(read.type);
    find_order(object, &read);
    read.refunded = find_refunded(object);
    *event = read;
    return true;
}

bool event_read(struct text body, struct event *event, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    struct err why = { 0 };
    if (body.size > EVENT_MAX_BYTES || !json_parse(body, JSON_DEPTH, &tree, &why))
        return err_set(err, ERR_PAYLOAD_MISMATCH, "the body is not JSON, or larger than %d bytes",
                       EVENT_MAX_BYTES);
    return event_of(tree, event, err);
}
