/* gateway/tollctl/billing/recover.c - see recover.h.
 *
 * docs.stripe.com/api/checkout/sessions/list, read 2026-11-29: newest first, created[gte] in
 * seconds. Stripe keeps checkouts for longer than events.
 */
#include "gateway/tollctl/billing/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/codec/uuid.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/scoped.h"
#include "db/sql.h"
#include "gateway/tollctl/billing/processor.h"
#include "gateway/tollctl/rows.h"
#include "text/time/datetime.h"

enum {
    PAGES_MAX = 500,
    OVERLAP_S = 60, /* the processor's clock may differ from the database's */
    NUMBER_BYTES = 24,
    AUDIT_BYTES = 512,
};

struct recovery {
    struct tollctl *ctl;
    struct processor processor;
    int64_t since_s;
    int64_t checkouts, known, recovered;
    cJSON *orders; /* of the answer */
};

/* A checkout of an order. The metadata is what a portal has written (portal/payments/stripe). */
struct checkout {
    char session[PROCESSOR_ID_BYTES];
    char order_id[UUID_TEXT_BYTES];
    char account_id[UUID_TEXT_BYTES]; /* "": it names none */
    char currency[CURRENCY_BYTES];
    char credits[NUMBER_BYTES];
    char amount[NUMBER_BYTES]; /* without tax */
    char created_s[NUMBER_BYTES];
    char expires_s[NUMBER_BYTES];
};

/* ---- one checkout ---- */

static bool read_uuid(const cJSON *node, char out[static UUID_TEXT_BYTES])
{
    struct uuid id;
    if (!uuid_parse(json_text_of(node), &id))
        return false;
    uuid_format(out, &id);
    return true;
}

static bool read_integer(const cJSON *node, char out[static NUMBER_BYTES])
{
    if (!json_is_integer(node) || node->valuedouble < 0)
        return false;
    snprintf(out, NUMBER_BYTES, "%.0f", node->valuedouble);
    return true;
}

static void read_credits(const cJSON *node, char out[static NUMBER_BYTES])
{
    int64_t credits = 0;
    if (!num_parse(json_text_of(node), INT64_MAX, &credits))
        credits = 0; /* no pack has 0 credits */
    snprintf(out, NUMBER_BYTES, "%lld", (long long)credits);
}

/* False: it is not a checkout of Tollgate in this mode, or nobody can pay there any more. */
static bool read_checkout(const struct recovery *recovery, const cJSON *session,
                          struct checkout *checkout)
{
    const cJSON *metadata = json_get(session, "metadata");
    *checkout = (struct checkout){ 0 };
    if (json_is(json_get(session, "livemode"), cJSON_True) != recovery->processor.is_live ||
        text_is(json_text_of(json_get(session, "status")), "expired") ||
        !read_uuid(json_get(metadata, "order_id"), checkout->order_id))
        return false;
    if (!read_uuid(json_get(metadata, "account_id"), checkout->account_id))
        checkout->account_id[0] = '\0';
    read_credits(json_get(metadata, "credits"), checkout->credits);
    return stripe_copy_id(json_get(session, "id"), checkout->session) &&
           stripe_read_currency(json_get(session, "currency"), checkout->currency) &&
           read_integer(json_get(session, "amount_subtotal"), checkout->amount) &&
           read_integer(json_get(session, "created"), checkout->created_s) &&
           read_integer(json_get(session, "expires_at"), checkout->expires_s);
}

static const char recover_sql[] =
    "select order_recover($1::uuid, $2::uuid, 'stripe', $3, $4::bigint, $5::bigint, $6,"
    "                     to_timestamp($7::bigint), to_timestamp($8::bigint)) as outcome";

static void add_order(const struct checkout *checkout, const cJSON *session, const char *outcome,
                      cJSON *orders)
{
    cJSON *row = json_item(orders);
    json_str(row, "order", checkout->order_id);
    json_str(row, "account", checkout->account_id[0] ? checkout->account_id : NULL);
    json_str(row, "checkout", checkout->session);
    json_add(row, "amount", json_copy(json_get(session, "amount_subtotal")));
    json_str(row, "currency", checkout->currency);
    json_add(row, "payment", json_copy(json_get(session, "payment_status")));
    json_str(row, "outcome", outcome);
}

static bool audit(const struct recovery *recovery, const struct checkout *checkout, struct err *err)
{
    char detail[AUDIT_BYTES];
    snprintf(detail, sizeof(detail), "order %s recovered from %s", checkout->order_id,
             checkout->session);
    return tollctl_audit(recovery->ctl->sql, recovery->ctl->command->name, checkout->account_id,
                         detail, err);
}

static bool recover_one(struct recovery *recovery, const struct checkout *checkout,
                        const cJSON *session, struct err *err)
{
    struct sql *sql = recovery->ctl->sql;
    scoped(json_free) cJSON *row = json_object();
    if (!sql_begin(sql, SQL_WRITE, err) ||
        !sql_row(sql, recover_sql,
                 (struct sql_params){ 8,
                                      { checkout->account_id[0] ? checkout->account_id : NULL,
                                        checkout->order_id, checkout->session, checkout->credits,
                                        checkout->amount, checkout->currency, checkout->created_s,
                                        checkout->expires_s } },
                 row, err))
        return false;
    const char *outcome = json_text(row, "/outcome");
    bool is_recovered = strcmp(outcome, "recovered") == 0;
    bool is_known = strcmp(outcome, "known") == 0;
    recovery->checkouts++;
    recovery->known += is_known;
    recovery->recovered += is_recovered;
    if (!is_known)
        add_order(checkout, session, outcome, recovery->orders);
    return (!is_recovered || audit(recovery, checkout, err)) && sql_commit(sql, err);
}

/* ---- all checkouts ---- */

static bool recover_page(struct recovery *recovery, const cJSON *page, struct err *err)
{
    const cJSON *session;
    struct checkout checkout;
    cJSON_ArrayForEach(session, json_get(page, "data"))
        if (read_checkout(recovery, session, &checkout) &&
            !recover_one(recovery, &checkout, session, err))
            return false;
    return true;
}

static bool do_page(struct recovery *recovery, char after[static PROCESSOR_ID_BYTES],
                    struct err *err)
{
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    scoped(mem_free) char *path = str_format(
        "/v1/checkout/sessions?limit=100&created%%5Bgte%%5D=%lld%s%s",
        (long long)recovery->since_s - OVERLAP_S, after[0] ? "&starting_after=" : "", after);
    recovery->ctl->status = EX_UNAVAILABLE;
    if (!stripe_get(&recovery->processor.client, path, clock_ms() + STRIPE_REQUEST_MS, &response,
                    err))
        return false;
    recovery->ctl->status = EX_SOFTWARE;
    if (!stripe_find_next_page(response.tree, after))
        return err_set(err, ERR_PAYLOAD_MISMATCH, "the processor's list of checkouts is malformed");
    recovery->ctl->status = EXIT_SUCCESS;
    return recover_page(recovery, response.tree, err);
}

static bool do_pages(struct recovery *recovery, struct err *err)
{
    char after[PROCESSOR_ID_BYTES] = "";
    for (int i = 0; i < PAGES_MAX; i++) {
        if (!do_page(recovery, after, err))
            return false;
        if (!after[0])
            return true;
    }
    recovery->ctl->status = EX_SOFTWARE;
    return err_set(err, ERR_PAYLOAD_MISMATCH, "the processor has more than %d pages of checkouts",
                   PAGES_MAX);
}

/* ---- the command ---- */

static bool read_since(struct tollctl *ctl, int64_t *since_s, struct err *err)
{
    struct datetime time;
    if (!datetime_parse(text_of(args_text(&ctl->args, "--since")), &time) || !time.has_offset) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE, "--since must be a time like 2026-11-28T22:10:00Z");
    }
    *since_s = time.local_ms / 1000 - time.offset_s;
    return true;
}

static void report(const struct recovery *recovery, cJSON *answer)
{
    struct tollctl *ctl = recovery->ctl;
    int64_t left = recovery->checkouts - recovery->known - recovery->recovered;
    json_time(answer, "since", recovery->since_s * 1000);
    json_int(answer, "checkouts", recovery->checkouts);
    json_int(answer, "known", recovery->known);
    json_int(answer, "recovered", recovery->recovered);
    json_bool(answer, "ok", left == 0);
    ctl->status = left == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    ctl->remark = left == 0 ? "A portal queries the processor about these orders within seconds."
                            : "Some orders were not recovered: see docs/operate/payments.md.";
}

bool order_recover(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *orders = json_object();
    struct recovery recovery = { .ctl = ctl, .orders = json_list(orders, "orders") };
    bool ok = read_since(ctl, &recovery.since_s, err) &&
              processor_open(ctl, &recovery.processor, err) && do_pages(&recovery, err);
    processor_close(&recovery.processor);
    if (!ok)
        return false;
    report(&recovery, answer);
    json_add(answer, "orders", json_copy(json_get(orders, "orders")));
    return true;
}
