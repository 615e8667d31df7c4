/* common/db/account-export.c - see account-export.h. */
#include "db/account-export.h"

#include <stdio.h>
#include <string.h>

enum { ROWS_A_PIECE = 250 };

/*
 * The parts of the document, in order. A part with a `place` continues after the row with place $2
 * (NULL: from the start), ROWS_A_PIECE rows at a time. Each row has its place, which the document
 * does not contain. $1 is the account.
 */
static const struct part {
    const char *name;
    const char *statement;
    bool is_list;
    bool has_places;
} parts[] = {
    { "member",
      "select m.member_id, m.email, m.created_at, m.signed_in_at, m.password_at,"
      "       m.totp_at as two_factor_since, m.low_at as mail_below_credits, m.locked_at,"
      "       (select count(*) from recovery_code c where c.member_id = m.member_id"
      "           and c.used_at is null) as recovery_codes_left, ledger_now() as exported_at"
      "  from member m where m.account_id = $1",
      false, false },
    { "account",
      "select a.account_id, a.name, a.state, a.created_at, a.delete_at, a.withheld, a.limits_off,"
      "       b.posted, b.held, b.granted, b.purchased, b.used, p.name as plan,"
      "       a.plan_at as plan_since"
      "  from account a join account_balance b using (account_id)"
      "  left join plan p using (plan_id) where a.account_id = $1",
      false, false },
    { "tokens",
      "select token_id, name, last4, array_to_json(scopes) as scopes, created_at, expires_at,"
      "       revoked_at, last_used_at, kind, is_strict,"
      "       array_to_json(networks::text[]) as networks, created_by, cap_daily, cap_total, "
      "spent_total,"
      "       token_id::text as place"
      "  from token where account_id = $1"
      "   and ($2::uuid is null or token_id > $2::uuid) order by token_id limit 250",
      true, true },
    { "orders",
      "select o.order_id, o.number, o.credits, o.amount, o.currency, o.provider, o.state,"
      "       o.created_at, o.expires_at, o.paid_at, o.total, o.refunded, o.disputed, o.reversed,"
      "       o.owed, o.payment_ref, o.receipt::json, o.number::text as place"
      "  from purchase_order o where o.account_id = $1"
      "   and o.number > coalesce($2::bigint, 0) order by o.number limit 250",
      true, true },
    { "ledger",
      "select e.seq, e.at, e.kind, e.amount, e.balance_after, e.reference, t.name as tool,"
      "       e.token_id, e.note, e.seq::text as place"
      "  from ledger_entry e left join tool t using (tool_id)"
      " where e.account_id = $1 and e.seq > coalesce($2::bigint, 0) order by e.seq limit 250",
      true, true },
    { "audit",
      "select at, actor, action, detail, network, agent,"
      "       (extract(epoch from at) * 1000000)::bigint || '.' || audit_id as place"
      "  from audit_log where account_id = $1"
      "   and ($2::text is null"
      "        or (at, audit_id) > (to_timestamp(0) + split_part($2, '.', 1)::bigint"
      "                             * interval '1 microsecond', split_part($2, '.', 2)::uuid))"
      " order by at, audit_id limit 250",
      true, true },
    { "connected_apps",
      "select g.token_id, g.client_name, g.client_host, g.redirect_host, g.created_at,"
      "       g.connected_at, g.network, g.refresh_until, g.ends_at, g.state, g.ended_at,"
      "       g.ended_by, g.token_id::text as place"
      "  from oauth_grant g where g.account_id = $1"
      "   and ($2::uuid is null or g.token_id > $2::uuid) order by g.token_id limit 250",
      true, true },
    { "consents", /* of the last day: an app has not used them yet, or has used them just now */
      "select c.client_name, c.client_host, c.redirect_host, c.name,"
      "       array_to_json(c.scopes) as scopes, c.cap_daily, c.cap_total, c.ends_at, c.network,"
      "       c.agent, c.created_at, c.used_at, c.code_id::text as place"
      "  from oauth_code c where c.account_id = $1"
      "   and ($2::uuid is null or c.code_id > $2::uuid) order by c.code_id limit 250",
      true, true },
    { "sessions",
      "select s.created_at, s.seen_at, s.expires_at, s.confirmed_at, s.is_half, s.is_kept,"
      "       s.network, s.agent, s.session_id::text as place"
      "  from session s join member m using (member_id) where m.account_id = $1"
      "   and ($2::uuid is null or s.session_id > $2::uuid) order by s.session_id limit 250",
      true, true },
    { "known_browsers",
      "select d.seen_at from device d join member m using (member_id) where m.account_id = $1"
      " order by d.seen_at",
      true, false },
    { "links",
      "select l.kind, l.email, l.created_at, l.expires_at, l.used_at, l.number::text as place"
      "  from link l join member m using (member_id) where m.account_id = $1"
      "   and l.number > coalesce($2::bigint, 0) order by l.number limit 250",
      true, true },
    { "mail",
      "select o.recipient, o.template, o.state, o.created_at, o.sent_at,"
      "       o.mail_id::text as place"
      "  from mail o join member m using (member_id) where m.account_id = $1"
      "   and ($2::uuid is null or o.mail_id > $2::uuid) order by o.mail_id limit 250",
      true, true },
    { "order_reversals",
      "select r.reversal_id, r.order_id, r.credits, r.refunded, r.disputed, r.at,"
      "       r.reversal_id::text as place"
      "  from order_reversal r where r.account_id = $1"
      "   and ($2::uuid is null or r.reversal_id > $2::uuid) order by r.reversal_id limit 250",
      true, true },
    { "billing_details",
      "select b.version, b.company, b.line1, b.line2, b.postal_code, b.city, b.region, b.country,"
      "       b.tax_type, b.tax_id, b.reference, b.made_by, b.at, c.state as tax_register,"
      "       c.customer as tax_register_ref, b.version::text as place"
      "  from billing_version b left join tax_check c using (account_id, version)"
      " where b.account_id = $1"
      "   and b.version > coalesce($2::integer, 0) order by b.version limit 250",
      true, true },
    { "invoice_emails",
      "select b.email, b.asked_at, b.confirmed_at from billing_email b where b.account_id = $1"
      " order by b.email_key",
      true, false },
    { "invoices",
      "select i.invoice_id, i.order_id, i.step, i.kind, i.reason, i.refers_to, i.is_test, i.name,"
      "       i.issued_at, i.version, i.buyer::json, i.seller::json, i.payment::json,"
      "       i.taxes::json, i.credits, i.net, i.tax, i.total, i.currency, i.made_at,"
      "       i.place::text as place"
      "  from invoice i where i.account_id = $1 and i.place > coalesce($2::bigint, 0)"
      " order by i.place limit 250",
      true, true },
    { "holds",
      "select h.hold_id, h.amount, t.name as tool, h.token_id, h.state, h.quota_day::text as "
      "quota_day,"
      "       h.is_replayed,"
      "       h.created_at, h.expires_at, h.settled_at, h.hold_id::text as place"
      "  from hold h left join tool t using (tool_id) where h.account_id = $1"
      "   and ($2::uuid is null or h.hold_id > $2::uuid) order by h.hold_id limit 250",
      true, true },
    { "daily_use", /* of tools with a daily limit */
      "select t.name as tool, q.day::text as day, q.used, q.tool_id || ' ' || q.day as place"
      "  from daily_quota q left join tool t using (tool_id) where q.account_id = $1"
      "   and ($2::text is null or (q.tool_id, q.day)"
      "        > (split_part($2, ' ', 1)::smallint, split_part($2, ' ', 2)::date))"
      " order by q.tool_id, q.day limit 250",
      true, true },
    { "usage_by_day",
      "select u.day::text as day, t.name as tool, u.token_id, u.calls, u.credits,"
      "       concat_ws(' ', u.day, u.tool_id, u.token_id) as place"
      "  from usage_day u left join tool t using (tool_id) where u.account_id = $1"
      "   and ($2::text is null or (u.day, u.tool_id, u.token_id)"
      "        > (split_part($2, ' ', 1)::date, split_part($2, ' ', 2)::smallint,"
      "           split_part($2, ' ', 3)::uuid))"
      " order by u.day, u.tool_id, u.token_id limit 250",
      true, true },
    { "requests",
      "select r.at, r.id, r.client_id, r.token_id, t.name as tool, r.route, r.surface,"
      "       r.is_replayed, r.status, r.code, r.credits, r.total_us, r.queue_us, r.tool_us,"
      "       r.bytes_in, r.bytes_out, r.ignored, r.network,"
      "       (extract(epoch from r.at) * 1000000)::bigint || '.' || r.id as place"
      "  from request_log r left join tool t using (tool_id) where r.account_id = $1"
      "   and ($2::text is null"
      "        or (r.at, r.id) > (timestamptz 'epoch' + split_part($2, '.', 1)::bigint"
      "                           * interval '1 microsecond', split_part($2, '.', 2)::uuid))"
      " order by r.at, r.id limit 250",
      true, true },
    { "requests_by_day", /* slow: the class of their times */
      "select d.day::text as day, t.name as tool, d.code, d.slow, d.calls,"
      "       concat_ws(' ', d.day, d.tool_id, d.slow, d.code) as place"
      "  from request_day d left join tool t using (tool_id) where d.account_id = $1"
      "   and ($2::text is null or (d.day, d.tool_id, d.slow, d.code)"
      "        > (split_part($2, ' ', 1)::date, split_part($2, ' ', 2)::smallint,"
      "           split_part($2, ' ', 3)::smallint, split_part($2, ' ', 4)))"
      " order by d.day, d.tool_id, d.slow, d.code limit 250",
      true, true },
    { "requests_not_recorded",
      "select l.hour, l.until, l.lost, (extract(epoch from l.hour))::bigint::text as place"
      "  from request_loss l where l.account_id = $1"
      "   and ($2::text is null or l.hour > timestamptz 'epoch' + $2::bigint * interval '1 second')"
      " order by l.hour limit 250",
      true, true },
    { "stored_responses", /* for Idempotency-Keys; the calls got them */
      "select k.hold_id as call, k.is_done, k.expires_at, encode(k.key_hash, 'hex') as place"
      "  from idempotency k where k.account_id = $1"
      "   and ($2::text is null or k.key_hash > decode($2, 'hex')) order by k.key_hash limit 250",
      true, true },
    { "large_responses", /* pieces of such responses */
      "select r.hold_id as call, r.piece, r.size, r.expires_at, r.hold_id || ' ' || r.piece as "
      "place"
      "  from large_response r where r.account_id = $1"
      "   and ($2::text is null or (r.hold_id, r.piece)"
      "        > (split_part($2, ' ', 1)::uuid, split_part($2, ' ', 2)::smallint))"
      " order by r.hold_id, r.piece limit 250",
      true, true },
};

void account_export_open(struct account_export *export, const char *account,
                         account_export_read *read, void *source)
{
    *export = (struct account_export){ .read = read, .source = source };
    snprintf(export->account, sizeof(export->account), "%s", account);
}

bool account_export_is_done(const struct account_export *export)
{
    return export->part == countof(parts);
}

static bool read_rows(struct account_export *export, const struct part *part, cJSON *rows,
                      struct err *err)
{
    struct sql_params params = { part->has_places ? 2 : 1,
                                 { export->account, export->place[0] ? export->place : NULL } };
    return export->read(export->source, part->statement, params, rows, err);
}

/* Append rows, separated by commas, also from rows written before. */
static void add_rows(struct account_export *export, const struct part *part, cJSON *rows,
                     struct buf *piece)
{
    bool is_first = export->place[0] == '\0';
    cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        scoped(json_free) cJSON *place = part->has_places ? json_take(row, "place") : NULL;
        if (place)
            snprintf(export->place, sizeof(export->place), "%s", place->valuestring);
        buf_add_str(piece, is_first ? "\n" : ",\n");
        json_print(row, piece);
        is_first = false;
    }
}

static void open_part(struct account_export *export, const struct part *part, struct buf *piece)
{
    if (export->is_in_part)
        return;
    buf_format(piece, "%s\"%s\":%s", export->part == 0 ? "{" : ",\n", part->name,
               part->is_list ? "[" : "");
    export->is_in_part = true;
}

static void close_part(struct account_export *export, const struct part *part, struct buf *piece)
{
    buf_add_str(piece, part->is_list ? "]" : "");
    export->part++;
    export->is_in_part = false;
    export->place[0] = '\0';
    if (account_export_is_done(export))
        buf_add_str(piece, ",\n\"is_whole\":true}\n");
}

bool account_export_next(struct account_export *export, struct buf *piece, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const struct part *part = &parts[export->part];
    if (!read_rows(export, part, rows, err))
        return false;
    open_part(export, part, piece);
    add_rows(export, part, rows, piece);
    if (!part->is_list && json_size(rows) == 0) /* an account without a member */
        buf_add_str(piece, "null");
    if (!part->has_places || json_size(rows) < ROWS_A_PIECE)
        close_part(export, part, piece);
    return !piece->full || err_set(err, ERR_INTERNAL, "a piece of the export does not fit");
}
