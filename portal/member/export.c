/* portal/member/export.c - all data about a member and the account, as one JSON document. It is
 * made while it is sent, some hundred rows at a time, so its size is not known before. Over HTTP/2
 * a client may not notice that a response was cut off: therefore the last member says that it is
 * complete. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "portal/base/places.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "text/json.h"

enum { ROWS_A_PIECE = 250, PLACE_BYTES = 120, BUSY_S = 60 };

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
      "       b.tax_type, b.tax_id, b.reference, b.made_by, b.at, b.version::text as place"
      "  from billing_version b where b.account_id = $1"
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

/* ---- one export, until its last piece is sent ---- */

struct document {
    struct portal *portal;
    char account[UUID_TEXT_BYTES];
    size_t part;
    bool is_in_part;         /* the head of the part is written */
    char place[PLACE_BYTES]; /* of the last row; "": none yet */
};

static void document_free(void *source)
{
    struct document *document = source;
    places_leave(document->portal->exports, document->account);
    mem_free(&document);
}

/* Take a connection only for the query: the client may be slow. */
static bool query_rows(struct document *document, const struct part *part, cJSON *rows)
{
    struct err err = { 0 };
    struct sql_params params = {
        part->has_places ? 2 : 1, { document->account, document->place[0] ? document->place : NULL }
    };
    bool ok = pool_rows(document->portal->pool, part->statement, params, rows, &err);
    if (!ok)
        log_line(LOG_WARN, "export cut off", log_str("error", err.message));
    return ok;
}

/* Append rows, separated by commas, also from rows written before. */
static void add_rows(struct document *document, const struct part *part, cJSON *rows,
                     struct buf *piece)
{
    bool is_first = document->place[0] == '\0';
    cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        scoped(json_free) cJSON *place = part->has_places ? json_take(row, "place") : NULL;
        if (place)
            snprintf(document->place, sizeof(document->place), "%s", place->valuestring);
        buf_add_str(piece, is_first ? "\n" : ",\n");
        json_print(row, piece);
        is_first = false;
    }
}

static void open_part(struct document *document, const struct part *part, struct buf *piece)
{
    if (document->is_in_part)
        return;
    buf_format(piece, "%s\"%s\":%s", document->part == 0 ? "{" : ",\n", part->name,
               part->is_list ? "[" : "");
    document->is_in_part = true;
}

static void close_part(struct document *document, const struct part *part, struct buf *piece)
{
    buf_add_str(piece, part->is_list ? "]" : "");
    document->part++;
    document->is_in_part = false;
    document->place[0] = '\0';
    if (document->part == countof(parts))
        buf_add_str(piece, ",\n\"is_whole\":true}\n");
}

static bool next_piece(void *source, struct buf *piece)
{
    struct document *document = source;
    scoped(json_free) cJSON *rows = json_array();
    if (document->part == countof(parts))
        return true;
    const struct part *part = &parts[document->part];
    if (!query_rows(document, part, rows))
        return false;
    open_part(document, part, piece);
    add_rows(document, part, rows, piece);
    if (!part->has_places || json_size(rows) < ROWS_A_PIECE)
        close_part(document, part, piece);
    return !piece->full;
}

/* ---- the response ---- */

static bool audit_export(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    (void)context;
    return work_audit(sql, visit, "export", NULL, err);
}

static void send_document(struct visit *visit)
{
    struct document *document = mem_new(sizeof(*document));
    document->portal = visit->portal;
    memcpy(document->account, visit->session.account_id, UUID_TEXT_BYTES);
    answer_plain(visit, 200, "application/json");
    buf_add_str(&visit->response->headers,
                "Content-Disposition: attachment; filename=\"tollgate-account.json\"\r\n");
    visit->response->stream = (struct http_stream){ next_piece, document_free, document };
}

void account_export(struct visit *visit)
{
    struct places *exports = visit->portal->exports;
    bool is_answered = false;

    if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            account_page(visit, 429);
    } else if (!places_enter(exports, visit->session.account_id)) {
        page_error(visit, 503, "Too many exports are running. Try again in a minute.", BUSY_S);
    } else if (work_do(visit, audit_export, NULL)) {
        send_document(visit);
    } else {
        places_leave(exports, visit->session.account_id);
    }
}
