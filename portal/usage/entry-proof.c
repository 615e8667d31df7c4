/* portal/usage/entry-proof.c - see entry-proof.h. */
#include "portal/usage/entry-proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/codec/uuid.h"
#include "base/mem.h"
#include "base/num.h"
#include "db/pool.h"
#include "portal/base/places.h"
#include "portal/page/answer.h"
#include "portal/usage/calls.h"
#include "text/json.h"

enum {
    FOLLOWING_MAX = 20000, /* entries up to the head */
    PROOF_MAX_BYTES = 8 << 20,
    NUMBER_TEXT_BYTES = 24,
    HASH_TEXT_SIZE = 64,
    PEM_MAX_BYTES = 1024,
    BUSY_S = 60,
};

/* ---- what the proof is made of ---- */

/* The entry, with the first root at or after it. */
static const char entry_sql[] =
    "select e.seq, e.kind, e.amount, e.balance_after, e.reference, t.name as tool, e.token_id,"
    "       to_char(e.at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') as at,"
    "       coalesce(b.hash, chain_start()) as previous, p.seq as head, p.leaf, p.path, r.line,"
    "       split_part(r.line, ' ', 3)::bigint as accounts, sha256(r.public_key) as public_key"
    "  from ledger_entry e"
    "  left join tool t on t.tool_id = e.tool_id"
    "  left join ledger_entry b on b.account_id = e.account_id and b.seq = e.seq - 1"
    "  left join lateral (select p.* from ledger_proof p"
    "                      where p.account_id = e.account_id and p.seq >= e.seq"
    "                      order by p.seq limit 1) p on true"
    "  left join ledger_root r on r.root_at = p.root_at"
    " where e.account_id = $1 and e.seq = $2";

static const char following_sql[] =
    "select entry_record(account_id, seq, kind, amount, balance_after, reference, tool_id, "
    "token_id,"
    "                    at)"
    "  from ledger_entry where account_id = $1 and seq > $2 and seq <= $3 order by seq";

static void add_entry(const cJSON *row, cJSON *proof)
{
    cJSON *entry = json_map(proof, "entry");
    json_int(entry, "seq", json_integer(row, "seq"));
    json_str(entry, "kind", entry_kind(json_integer(row, "kind")));
    json_int(entry, "amount", json_integer(row, "amount"));
    json_int(entry, "balance_after", json_integer(row, "balance_after"));
    json_str(entry, "reference", json_text(row, "/reference"));
    json_str(entry, "tool", json_text(row, "/tool"));
    json_str(entry, "token", json_text(row, "/token_id"));
    json_str(entry, "at", json_text(row, "/at"));
}

static void add_path(struct text path, cJSON *list)
{
    for (size_t at = 0; at + HASH_TEXT_SIZE <= path.size; at += HASH_TEXT_SIZE)
        json_item_add(list, json_new_text((struct text){ path.bytes + at, HASH_TEXT_SIZE }));
}

static bool add_following(struct sql *sql, const char *account, const cJSON *row, cJSON *list,
                          struct err *err)
{
    char seq[NUMBER_TEXT_BYTES];
    char head[NUMBER_TEXT_BYTES];
    scoped(db_rows_free) struct db_rows *rows = NULL;
    snprintf(seq, sizeof(seq), "%" PRId64, json_integer(row, "seq"));
    snprintf(head, sizeof(head), "%" PRId64, json_integer(row, "head"));
    if (!sql_select(sql, following_sql, SQL_PARAMS(account, seq, head), &rows, err))
        return false;
    for (size_t i = 0; i < db_rows_count(rows); i++) {
        scoped(buf_free) struct buf record = BUF(PROOF_MAX_BYTES);
        sql_write(rows, i, 0, &record);
        json_item_add(list, json_new_text(buf_text(&record)));
    }
    return true;
}

static bool fill_proof(struct sql *sql, const char *account, const cJSON *row, cJSON *proof,
                       struct err *err)
{
    json_str(proof, "format", "tollgate-proof-1");
    json_str(proof, "account", account);
    add_entry(row, proof);
    json_str(proof, "previous", json_text(row, "/previous"));
    if (!add_following(sql, account, row, json_list(proof, "following"), err))
        return false;
    json_int(proof, "index", json_integer(row, "leaf"));
    json_int(proof, "accounts", json_integer(row, "accounts"));
    add_path(json_text_of(json_get(row, "path")), json_list(proof, "path"));
    json_str(proof, "root", json_text(row, "/line"));
    json_str(proof, "public_key", json_text(row, "/public_key"));
    return true;
}

/* ---- the response: it holds a place until it is sent ---- */

struct sending {
    struct portal *portal;
    char account[UUID_TEXT_BYTES];
    struct buf text;
    size_t sent;
};

static void sending_free(void *source)
{
    struct sending *sending = source;
    places_leave(sending->portal->exports, sending->account);
    buf_free(&sending->text);
    mem_free(&sending);
}

static bool next_piece(void *source, struct buf *piece)
{
    struct sending *sending = source;
    size_t size = MIN(sending->text.size - sending->sent, (size_t)STREAM_PIECE_MAX_BYTES);
    bool ok = buf_add(piece, buf_str(&sending->text) + sending->sent, size);
    sending->sent += size;
    return ok;
}

static void answer_file(struct visit *visit, int64_t seq, struct sending *sending)
{
    answer_plain(visit, 200, "application/json");
    buf_format(&visit->response->headers,
               "Content-Disposition: attachment; filename=\"tollgate-proof-%" PRId64 ".json\"\r\n",
               seq);
    visit->response->stream =
        (struct http_stream){ next_piece, sending_free, sending, true, sending->text.size };
}

/* ---- the visit ---- */

/* Why the entry has no proof yet, for the page. NULL: it has one. */
static const char *why_not(const cJSON *row)
{
    if (json_is(json_get(row, "head"), cJSON_NULL))
        return "This proof can be downloaded after the next root of the ledger, which is made "
               "each hour.";
    if (json_integer(row, "head") - json_integer(row, "seq") > FOLLOWING_MAX)
        return "More than 20,000 entries are between this entry and the next root of the ledger, "
               "which is too many for a proof.";
    return NULL;
}

/* Query the entry, and make its proof if there can be one. */
static bool query_proof(const struct visit *visit, const char *seq, cJSON *row, struct buf *text,
                        struct err *err)
{
    scoped(json_free) cJSON *proof = json_object();
    scoped(pool_give) struct sql *sql = NULL;
    const char *account = visit->session.account_id;
    if (!pool_take(visit->portal->pool, &sql, err) ||
        !sql_row(sql, entry_sql, SQL_PARAMS(account, seq), row, err))
        return false;
    if (!json_get(row, "seq") || why_not(row))
        return true;
    return fill_proof(sql, account, row, proof, err) &&
           ((json_print(proof, text) && buf_add_byte(text, '\n')) ||
            err_set(err, ERR_INTERNAL, "proof is larger than %d bytes", PROOF_MAX_BYTES));
}

static void answer_proof(struct visit *visit, int64_t seq, struct sending *sending)
{
    scoped(json_free) cJSON *row = json_object();
    char number[NUMBER_TEXT_BYTES];
    struct err err = { 0 };
    snprintf(number, sizeof(number), "%" PRId64, seq);
    bool ok = query_proof(visit, number, row, &sending->text, &err);
    if (ok && sending->text.size > 0) {
        answer_file(visit, seq, sending);
        return;
    }
    sending_free(sending);
    if (!ok)
        page_failed(visit, &err);
    else if (!json_get(row, "seq"))
        page_not_found(visit);
    else
        page_error(visit, 409, why_not(row), 0);
}

void entry_proof(struct visit *visit)
{
    int64_t seq;
    if (!num_parse(text_of(form_text(&visit->form, "seq")), INT64_MAX, &seq)) {
        page_not_found(visit);
        return;
    }
    if (!places_enter(visit->portal->exports, visit->session.account_id)) {
        page_error(visit, 503, "Too many exports are running. Try again in a minute.", BUSY_S);
        return;
    }
    struct sending *sending = mem_new(sizeof(*sending));
    sending->portal = visit->portal;
    sending->text = (struct buf)BUF(PROOF_MAX_BYTES);
    memcpy(sending->account, visit->session.account_id, UUID_TEXT_BYTES);
    answer_proof(visit, seq, sending);
}

/* ---- the public key ---- */

static void write_pem(struct text hex, struct buf *out)
{
    scoped(buf_free) struct buf der = BUF(PEM_MAX_BYTES);
    hex_decode(&der, hex);
    buf_add_str(out, "-----BEGIN PUBLIC KEY-----\n");
    base64_encode(out, buf_text(&der));
    buf_add_str(out, "\n-----END PUBLIC KEY-----\n");
}

void proof_key(struct visit *visit)
{
    scoped(json_free) cJSON *list = json_array();
    struct err err = { 0 };
    if (!pool_rows(visit->portal->pool,
                   "select public_key from ledger_root order by root_at desc limit 1", NO_PARAMS,
                   list, &err)) {
        page_failed(visit, &err);
        return;
    }
    if (json_size(list) == 0) {
        page_not_found(visit);
        return;
    }
    answer_plain(visit, 200, "application/x-pem-file");
    buf_add_str(&visit->response->headers,
                "Content-Disposition: attachment; filename=\"ledger.pub\"\r\n");
    write_pem(json_text_of(json_at(list, "/0/public_key")), &visit->response->body);
}

bool proofs_add(struct sql *sql, cJSON *model, struct err *err)
{
    bool has_proofs;
    if (!sql_bool(sql, "select exists (select from ledger_root)", NO_PARAMS, &has_proofs, err))
        return false;
    json_bool(model, "has_proofs", has_proofs);
    return true;
}
