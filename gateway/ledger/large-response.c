/* gateway/ledger/large-response.c - see large-response.h. */
#include "gateway/ledger/large-response.h"

#include <assert.h>
#include <stdio.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "db/pool.h"
#include "gateway/ledger/large-response-places.h"

enum {
    TOTAL_MS = 30000, /* for all pieces of a response */
    NUMBER_BYTES = 16,
    DIGEST_TEXT_BYTES = 2 * DIGEST_BYTES + 1,
};

/* ---- pieces ---- */

void large_response_pack(struct text plain, struct buf *packed)
{
    uLongf size = compressBound(plain.size);
    char *room = buf_reserve(packed, size);
    assert(room);
    int result =
        compress2((Bytef *)room, &size, (const Bytef *)plain.bytes, plain.size, Z_BEST_SPEED);
    assert(result == Z_OK);
    packed->size += size;
}

bool large_response_unpack(struct text packed, size_t size, struct buf *out)
{
    uLongf plain = size;
    uLong used = packed.size;
    char *room = buf_reserve(out, size);
    if (!room || uncompress2((Bytef *)room, &plain, (const Bytef *)packed.bytes, &used) != Z_OK ||
        plain != size || used != packed.size)
        return false;
    room[size] = '\0';
    out->size += size;
    return true;
}

/* ---- connections ---- */

struct large_responses {
    struct pool *pool; /* has a connection for each place */
    struct large_response_places *places;
};

struct large_responses *large_responses_new(const char *url, const char *password, size_t count,
                                            size_t per_account)
{
    struct large_responses *responses = mem_new(sizeof(*responses));
    responses->pool =
        pool_new(url, password, count, LARGE_RESPONSE_WAIT_MS, LARGE_RESPONSE_TIMEOUT_MS);
    responses->places = large_response_places_new(count, per_account);
    return responses;
}

void large_responses_free(struct large_responses **responses)
{
    if (!*responses)
        return;
    pool_free(&(*responses)->pool);
    large_response_places_free(&(*responses)->places);
    mem_free(responses);
}

/* A place of an account, and its connection; by value. */
struct turn {
    struct large_responses *responses; /* NULL: no place */
    struct uuid account;
    struct sql *sql;
};

static bool turn_begin(struct turn *turn, struct large_responses *responses,
                       const struct uuid *account, struct err *err)
{
    if (!large_response_places_take(responses->places, account, LARGE_RESPONSE_WAIT_MS, err))
        return false;
    *turn = (struct turn){ responses, *account, NULL };
    return pool_take(responses->pool, &turn->sql, err);
}

static void turn_end(struct turn *turn)
{
    pool_give(&turn->sql);
    if (turn->responses)
        large_response_places_give(turn->responses->places, &turn->account);
}

/* The database's message is only for the operator's log. */
static bool pass_error(const char *what, const struct err *why, struct err *err)
{
    *err = *why;
    if (why->kind != ERR_LEDGER_UNAVAILABLE)
        return false;
    log_line(LOG_WARN, what, log_str("error", why->message));
    return err_set(err, ERR_LEDGER_UNAVAILABLE,
                   "the credit ledger cannot be reached; nothing was charged, please retry");
}

/* ---- storing ---- */

static bool check_time(int64_t deadline_ms, struct err *err)
{
    return clock_ms() < deadline_ms ||
           err_set(err, ERR_LEDGER_UNAVAILABLE, "all pieces together took more than %d ms",
                   (int)TOTAL_MS);
}

/* False in *is_open: the hold has ended. */
static bool store_piece(struct sql *sql, const char *account, const char *hold, size_t number,
                        struct text response, bool *is_open, struct err *err)
{
    size_t at = number * LARGE_RESPONSE_PIECE_BYTES;
    struct text plain = { response.bytes + at,
                          MIN(response.size - at, (size_t)LARGE_RESPONSE_PIECE_BYTES) };
    scoped(buf_free) struct buf packed = BUF(2 * LARGE_RESPONSE_PIECE_BYTES);
    char piece[NUMBER_BYTES];
    char size[NUMBER_BYTES];
    large_response_pack(plain, &packed);
    scoped(mem_free) char *bytes = mem_new(2 * packed.size + 1);
    hex_encode(bytes, packed.bytes, packed.size);
    snprintf(piece, sizeof(piece), "%zu", number);
    snprintf(size, sizeof(size), "%zu", response.size);
    return sql_bool(sql, "select large_response_put($1, $2, $3, $4, decode($5, 'hex'))",
                    SQL_PARAMS(account, hold, piece, size, bytes), is_open, err);
}

/* In one transaction. */
static bool store_pieces(struct sql *sql, const char *account, const char *hold,
                         struct text response, struct err *err)
{
    int64_t deadline_ms = clock_ms() + TOTAL_MS;
    bool is_open = true;
    if (!sql_begin(sql, SQL_WRITE, err))
        return false;
    for (size_t i = 0; is_open && i * LARGE_RESPONSE_PIECE_BYTES < response.size; i++)
        if (!check_time(deadline_ms, err) ||
            !store_piece(sql, account, hold, i, response, &is_open, err))
            return false;
    return sql_commit(sql, err);
}

bool large_response_store(struct large_responses *responses, const struct uuid *account,
                          const struct uuid *hold, struct text response, struct err *err)
{
    scoped(turn_end) struct turn turn = { 0 };
    struct err why = { 0 };
    char account_text[UUID_TEXT_BYTES];
    char hold_text[UUID_TEXT_BYTES];
    assert(response.size <= LARGE_RESPONSE_MAX_BYTES);
    uuid_format(account_text, account);
    uuid_format(hold_text, hold);
    return (turn_begin(&turn, responses, account, &why) &&
            store_pieces(turn.sql, account_text, hold_text, response, &why)) ||
           pass_error("a large response cannot be stored", &why, err);
}

/* ---- loading ---- */

/* The parameters of a statement, as text. */
struct key_text {
    char account[UUID_TEXT_BYTES];
    char token[DIGEST_TEXT_BYTES];
    char key[DIGEST_TEXT_BYTES];
};

static struct key_text write_key(const struct large_response_key *key)
{
    struct key_text text;
    uuid_format(text.account, &key->account);
    hex_encode(text.token, key->token, DIGEST_BYTES);
    hex_encode(text.key, key->key, DIGEST_BYTES);
    return text;
}

static bool fail_damaged(struct err *err)
{
    return err_set(err, ERR_INTERNAL,
                   "the first call with this Idempotency-Key succeeded, but its stored response "
                   "cannot be read; nothing was charged for this request; use a new key");
}

/* One piece; *size is that of the whole response. The caller frees *rows. */
static bool select_piece(struct sql *sql, const struct key_text *key, size_t number,
                         struct db_rows **rows, int64_t *size, struct text *packed, struct err *err)
{
    char piece[NUMBER_BYTES];
    snprintf(piece, sizeof(piece), "%zu", number);
    if (!sql_select(sql,
                    "select size, bytes from"
                    " large_response_get($1, decode($2, 'hex'), decode($3, 'hex'), $4)",
                    SQL_PARAMS(key->account, key->token, key->key, piece), rows, err))
        return false;
    return (db_rows_count(*rows) == 1 && db_int(*rows, 0, 0, size) &&
            db_text(*rows, 0, 1, packed) && *size > 0 && *size <= LARGE_RESPONSE_MAX_BYTES) ||
           fail_damaged(err);
}

/* Where the plain bytes go. */
struct target {
    struct memory_budget *budget;
    struct reservation *reservation;
    struct buf *out;
    size_t size; /* of the whole response; 0: not known yet */
};

static bool begin_target(struct target *target, size_t size, struct err *err)
{
    if (target->size == 0) {
        target->size = size;
        return memory_budget_reserve(target->budget, size, 0, target->reservation, err) &&
               (buf_reserve(target->out, size) || fail_damaged(err));
    }
    return target->size == size || fail_damaged(err);
}

static bool load_piece(struct sql *sql, const struct key_text *key, size_t number,
                       struct target *target, struct err *err)
{
    scoped(db_rows_free) struct db_rows *rows = NULL;
    struct text packed;
    int64_t size;
    if (!select_piece(sql, key, number, &rows, &size, &packed, err) ||
        !begin_target(target, (size_t)size, err))
        return false;
    size_t left = target->size - number * LARGE_RESPONSE_PIECE_BYTES;
    return large_response_unpack(packed, MIN(left, (size_t)LARGE_RESPONSE_PIECE_BYTES),
                                 target->out) ||
           fail_damaged(err);
}

/* From now on the charge is final. */
static bool mark_replayed(struct sql *sql, const struct key_text *key, struct err *err)
{
    bool is_charged;
    return sql_bool(sql, "select large_response_replayed($1, decode($2, 'hex'), decode($3, 'hex'))",
                    SQL_PARAMS(key->account, key->token, key->key), &is_charged, err) &&
           (is_charged || fail_damaged(err));
}

bool large_response_load(struct large_responses *responses, const struct large_response_key *key,
                         struct memory_budget *budget, struct reservation *reservation,
                         struct buf *out, struct err *err)
{
    scoped(turn_end) struct turn turn = { 0 };
    struct target target = { .budget = budget, .reservation = reservation, .out = out };
    const struct key_text text = write_key(key);
    int64_t deadline_ms = clock_ms() + TOTAL_MS;
    struct err why = { 0 };
    bool ok = turn_begin(&turn, responses, &key->account, &why) &&
              load_piece(turn.sql, &text, 0, &target, &why);
    for (size_t i = 1; ok && i * LARGE_RESPONSE_PIECE_BYTES < target.size; i++)
        ok = check_time(deadline_ms, &why) && load_piece(turn.sql, &text, i, &target, &why);
    return (ok && mark_replayed(turn.sql, &text, &why)) ||
           pass_error("a large response cannot be read", &why, err);
}
