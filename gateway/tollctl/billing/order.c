/* gateway/tollctl/billing/order.c - orders of credits, their history, and those that need review.
 * Amounts are in the currency's minor unit. */
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "gateway/tollctl/billing/reconcile.h"
#include "gateway/tollctl/billing/recover.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* States of purchase_order. */
static const struct order_state {
    const char *name;
} order_states[] = {
    { "new" },     { "open" },      { "processing" }, { "paid" },     { "failed" },
    { "expired" }, { "cancelled" }, { "review" },     { "rejected" },
};

/* Values of the column payment_event.state. */
static const struct event_state {
    const char *name;
    const char *number;
} event_states[] = {
    { "waits", "1" },
    { "done", "2" },
    { "unmatched", "3" },
    { "ignored", "4" },
};

static bool reject_state(struct tollctl *ctl, const char *are, struct err *err)
{
    ctl->status = EX_USAGE;
    return err_set(err, ERR_INVALID_VALUE, "--state must be %s", are);
}

/* ---- find an order ---- */

/* Find the order that ORDER names; add its account, id, number and state. Errors: ERR_NOT_FOUND. */
static bool find_order(struct tollctl *ctl, cJSON *order, struct err *err)
{
    const char *named = args_text(&ctl->args, "ORDER");
    struct uuid id;
    int64_t number;
    bool is_id = uuid_parse(text_of(named), &id);

    if (!is_id && !num_parse(text_of(named), INT64_MAX, &number)) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE, "ORDER must be an id, or a number like 1042");
    }
    if (!sql_row(ctl->sql,
                 "select o.account_id as account, o.order_id as order, o.number, o.state"
                 "  from purchase_order o"
                 " where o.number = $2::bigint"
                 "    or (o.account_id, o.order_id) in"
                 "       (select r.account_id, r.order_id from order_route r"
                 "         where r.order_id = $1::uuid and r.ref = r.order_id::text)",
                 (struct sql_params){ 2, { is_id ? named : NULL, is_id ? NULL : named } }, order,
                 err))
        return false;
    return json_size(order) > 0 ||
           err_set(err, ERR_NOT_FOUND, "unknown order %.40s; see `tollctl order list`", named);
}

static struct sql_params key_of(const cJSON *order)
{
    return (struct sql_params){ 2, { json_text(order, "/account"), json_text(order, "/order") } };
}

/* ---- show ---- */

static bool order_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    const char *state = args_text(&ctl->args, "--state");
    if (state && !TABLE_FIND(order_states, state))
        return reject_state(ctl,
                            "new, open, processing, paid, failed, expired, cancelled, review or "
                            "rejected",
                            err);
    return sql_rows(ctl->sql,
                    "select number, order_id as order, account_id as account, created_at, state,"
                    "       credits, amount, currency, provider, refunded, disputed, reversed, owed"
                    "  from purchase_order"
                    " where ($1::uuid is null or account_id = $1)"
                    "   and ($2::text is null or state = $2)"
                    "   and ($3::boolean is null or owed > 0)"
                    " order by number desc limit $4",
                    (struct sql_params){ 4,
                                         { args_text(&ctl->args, "--account"), state,
                                           args_has(&ctl->args, "--owed") ? "true" : NULL,
                                           limit ? limit : "20" } },
                    json_list(answer, "orders"), err);
}

static bool order_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *order = json_object();
    if (!find_order(ctl, order, err))
        return false;
    struct sql_params key = key_of(order);
    return sql_row(ctl->sql,
                   "select o.order_id as order, o.number, o.account_id as account,"
                   "       o.member_id as member, o.state, o.note, p.name as pack, o.credits,"
                   "       o.amount, o.currency, o.provider, o.session_ref as session,"
                   "       o.payment_ref as payment, o.created_at, o.expires_at, o.cancel_asked,"
                   "       o.paid_at, o.is_accepted, o.total, o.refunded, o.disputed, o.reversed,"
                   "       o.owed, o.disagrees_at, o.read_at, o.next_at, o.attempts, o.unread_at,"
                   "       o.read_error"
                   "  from purchase_order o left join pack p using (pack_id)"
                   " where o.account_id = $1 and o.order_id = $2",
                   key, answer, err) &&
           sql_rows(ctl->sql,
                    "select f.key as fact, f.value from purchase_order o"
                    " cross join jsonb_each_text(o.facts) f"
                    " where o.account_id = $1 and o.order_id = $2 order by f.key",
                    key, json_list(answer, "facts"), err) &&
           sql_rows(ctl->sql,
                    "select event_id as event, type, ref,"
                    "       (array['waits', 'done', 'unmatched', 'ignored'])[state] as state,"
                    "       created_at, received_at, attempts, error"
                    "  from payment_event where order_id = $2 and $1::uuid is not null"
                    " order by received_at limit 100",
                    key, json_list(answer, "events"), err) &&
           sql_rows(ctl->sql,
                    "select reversal_id as reversal, at, credits, refunded, disputed"
                    "  from order_reversal where account_id = $1 and order_id = $2 order by at",
                    key, json_list(answer, "reversals"), err) &&
           sql_rows(ctl->sql,
                    "select e.seq, e.at, e.kind, e.amount, e.balance_after, e.note"
                    "  from ledger_entry e"
                    " where e.account_id = $1 and e.kind <> 3 and e.reference in"
                    "       (select $2::uuid union all select r.reversal_id from order_reversal r"
                    "         where r.account_id = $1 and r.order_id = $2)"
                    " order by e.seq",
                    key, json_list(answer, "entries"), err);
}

static bool order_events(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    const char *name = args_text(&ctl->args, "--state");
    const struct event_state *state = name ? TABLE_FIND(event_states, name) : NULL;
    if (name && !state)
        return reject_state(ctl, "waits, done, unmatched or ignored", err);
    return sql_rows(
        ctl->sql,
        "select received_at, provider, event_id as event, type, ref, order_id as order,"
        "       (array['waits', 'done', 'unmatched', 'ignored'])[state] as state,"
        "       attempts, case when state = 1 then next_at end as next_at, error"
        "  from payment_event where $1::smallint is null or state = $1"
        " order by received_at desc, event_id limit $2",
        (struct sql_params){ 2, { state ? state->number : NULL, limit ? limit : "20" } },
        json_list(answer, "events"), err);
}

/* ---- change ---- */

static void add_order(const cJSON *order, const char *state, bool is_changed, cJSON *answer)
{
    json_str(answer, "order", json_text(order, "/order"));
    json_add(answer, "number", json_copy(json_get(order, "number")));
    json_str(answer, "account", json_text(order, "/account"));
    json_str(answer, "state", state);
    json_bool(answer, "changed", is_changed);
}

static bool refresh_one(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *order = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !find_order(ctl, order, err))
        return false;
    scoped(mem_free) char *detail = str_format("order %s", json_text(order, "/order"));
    add_order(order, json_text(order, "/state"), true, answer);
    ctl->remark = "A portal queries the processor within seconds.";
    return sql_run(ctl->sql, "select order_refresh($1, $2)", key_of(order), err) &&
           tollctl_audit(ctl->sql, ctl->command->name, json_text(order, "/account"), detail, err) &&
           sql_commit(ctl->sql, err);
}

static bool order_refresh(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    bool has_since = args_has(&ctl->args, "--since");
    if (args_has(&ctl->args, "ORDER") == has_since) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE, "give either ORDER or --since");
    }
    return has_since ? order_recover(ctl, answer, err) : refresh_one(ctl, answer, err);
}

/* The account's lock keeps a concurrent read of the processor from deciding. order_decide() writes
 * the audit entry. */
static bool decide_order(struct tollctl *ctl, bool is_accepted, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *order = json_object();
    scoped(json_free) cJSON *decided = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !find_order(ctl, order, err))
        return false;
    struct sql_params key = key_of(order);
    if (!sql_run(ctl->sql, "select account_lock($1) where $2::uuid is not null", key, err) ||
        !sql_row(ctl->sql,
                 "select state from purchase_order where account_id = $1 and order_id = $2", key,
                 decided, err))
        return false;
    if (strcmp(json_text(decided, "/state"), "review") != 0)
        return err_set(err, ERR_INVALID_VALUE,
                       "order %s is %s; only an order in review can be decided",
                       json_text(order, "/order"), json_text(decided, "/state"));
    if (!sql_row(ctl->sql, "select order_decide($1, $2, $3, $4, $5) as after",
                 (struct sql_params){ 5,
                                      { key.value[0], key.value[1], is_accepted ? "true" : "false",
                                        args_text(&ctl->args, "--note"), tollctl_user() } },
                 decided, err))
        return false;
    add_order(order, json_text(decided, "/after"), true, answer);
    return sql_commit(ctl->sql, err);
}

static bool order_accept(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    ctl->remark = "Its credits are granted, less refunds at the processor.";
    return decide_order(ctl, true, answer, err);
}

static bool order_reject(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    ctl->remark = "Refund the payment at the processor.";
    return decide_order(ctl, false, answer, err);
}

/* clang-format off */
#define ORDER { "ORDER", "id or number", .type = ARG_TEXT, .min = 1, .max = 36 }
#define NOTE { "--note", "the reason, for the audit log", "TEXT", .min = 1, .max = 500, .is_required = true }

const struct command order_commands[] = {
    { "order list", "List orders, newest first.", order_list, .args = {
        { "--account", "only this one's", "ACCOUNT", ARG_UUID },
        { "--state", "new, open, processing, paid, ...", "STATE", .min = 1, .max = 20 },
        { "--owed", "only orders that owe credits", .type = ARG_FLAG },
        { "--limit", "the most rows; default 20", "N", ARG_INT, 1, 100000 } } },
    { "order show", "Show an order, its payment events and its ledger entries.", order_show, .args = { ORDER } },
    { "order refresh", "Query the payment processor about an order now, or after a restore about all since a time.",
      order_refresh, .args = {
        { "ORDER", "id or number", .type = ARG_TEXT, .min = 1, .max = 36, .is_optional = true },
        { "--since", "also recover orders that the database does not have", "TIME", .min = 1, .max = 40 },
        { "--key-file", "the processor's API key; default: the configured one", "FILE", ARG_PATH } } },
    { "order accept", "Accept an order in review as paid, and grant its credits.", order_accept, .args = { ORDER, NOTE } },
    { "order reject", "Reject an order in review, without credits.", order_reject, .args = { ORDER, NOTE } },
    { "order reconcile", "Compare entries, orders and the processor's balance; exit 1 only if they differ.",
      order_reconcile, .args = {
        { "--balance", "the balance transactions of the processor", .type = ARG_FLAG },
        { "--from", "first day, UTC; default yesterday", "DAY", .min = 10, .max = 10 },
        { "--to", "last day, UTC; default today", "DAY", .min = 10, .max = 10 },
        { "--lag", "newer changes are not compared yet; default 60", "MINUTES", ARG_INT, 0, 10080 },
        { "--key-file", "the processor's API key; default: the configured one", "FILE", ARG_PATH } } },
    { "order events", "List payment events, newest first.", order_events, .args = {
        { "--state", "waits, done, unmatched or ignored", "STATE", .min = 1, .max = 20 },
        { "--limit", "the most rows; default 20", "N", ARG_INT, 1, 100000 } } },
    { 0 },
};
/* clang-format on */
