/* gateway/tollctl/verify.c - the proof that the ledger adds up. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec/uuid.h"
#include "base/os/clock.h"
#include "gateway/tollctl/out.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* In the order of ledger_verify() in gateway/sql/003-verify.sql, which counts from 1. */
static const struct invariant {
    const char *name;
    bool is_of_all; /* not of each account by itself */
} invariants[] = {
    { "nothing is below zero, nothing is held that is not there" },
    { "each balance is the sum of its entries" },
    { "each entry continues the one before it" },
    { "what is held is the sum of the open holds" },
    { "each captured hold has its one usage entry, others have none" },
    { "each call is charged once and refunded at most once" },
    { "only the ledger writes money, and entries cannot be changed", .is_of_all = true },
    { "each payment is credited once", .is_of_all = true },
    { "each account has at most one sign-up grant", .is_of_all = true },
    { "usage by day is the sum of the entries that it counts" },
    { "a token with caps has spent what its calls cost" },
};

enum {
    FINDINGS_MAX = 100, /* listed of one invariant; all are counted */
};

#define FIRST_UUID  "00000000-0000-0000-0000-000000000000"
#define LAST_UUID   "ffffffff-ffff-ffff-ffff-ffffffffffff"
#define VERIFY_LOCK "7238241146904121447" /* any number, known to nobody else */

/* What was found of each invariant so far. */
struct proof {
    struct check {
        cJSON *findings;
        int64_t count;
        int64_t ms;
    } check[countof(invariants)];
    bool is_whole;
    bool can_write; /* checkpoints: not on a standby */
};

/* The accounts behind one id, up to another. */
struct piece {
    char after[UUID_TEXT_BYTES];
    char until[UUID_TEXT_BYTES];
};

static bool find_breaks(struct tollctl *ctl, struct proof *proof, size_t number,
                        const struct piece *piece, struct err *err)
{
    struct check *check = &proof->check[number - 1];
    char text[24];
    char limit[24];
    scoped(json_free) cJSON *found = json_object();
    int64_t started_ms = clock_ms();

    snprintf(text, sizeof(text), "%zu", number);
    snprintf(limit, sizeof(limit), "%d", FINDINGS_MAX - (int)json_size(check->findings));
    if (!sql_row(
            ctl->sql,
            "select count(*) as count, json_agg(json_build_object('account', account_id,"
            "       'detail', detail)) filter (where n <= $3::bigint) as findings"
            "  from (select *, row_number() over (order by account_id nulls first) as n"
            "          from ledger_verify($1, $4, $5, $6)"
            "         where $2::uuid is null or account_id is null or account_id = $2) v",
            (struct sql_params){ 6,
                                 { text, args_text(&ctl->args, "--account"), limit, piece->after,
                                   piece->until, proof->is_whole ? "true" : "false" } },
            found, err))
        return false;
    check->ms += clock_ms() - started_ms;
    check->count += (int64_t)json_get(found, "count")->valuedouble;
    const cJSON *finding;
    cJSON_ArrayForEach(finding, json_get(found, "findings"))
        json_item_add(check->findings, json_copy(finding));
    return true;
}

/* Those of accounts, or those of all. */
static bool find_all_breaks(struct tollctl *ctl, struct proof *proof, bool is_of_all,
                            const struct piece *piece, struct err *err)
{
    for (size_t i = 0; i < countof(invariants); i++)
        if (invariants[i].is_of_all == is_of_all && !find_breaks(ctl, proof, i + 1, piece, err))
            return false;
    return true;
}

static bool set_checkpoint(struct tollctl *ctl, const struct piece *piece, struct err *err)
{
    struct sql_params accounts = { 2, { piece->after, piece->until } };
    return sql_run(ctl->sql, "select ledger_set_checkpoint($1, $2)", accounts, err) &&
           sql_run(ctl->sql, "select usage_set_checkpoint($1, $2)", accounts, err);
}

/* All of a piece in one snapshot; what is right need not be read again. */
static bool verify_piece(struct tollctl *ctl, struct proof *proof, const struct piece *piece,
                         struct err *err)
{
    bool is_right = proof->can_write; /* and so were all pieces before */
    if (!sql_begin(ctl->sql, SQL_SNAPSHOT, err) || !find_all_breaks(ctl, proof, false, piece, err))
        return false;
    for (size_t i = 0; i < countof(invariants); i++)
        is_right = is_right && proof->check[i].count == 0;
    return (!is_right || set_checkpoint(ctl, piece, err)) && sql_commit(ctl->sql, err);
}

/* The piece behind this one, and whether it reaches to the end. */
static bool next_piece(struct tollctl *ctl, const struct proof *proof, struct piece *piece,
                       bool *is_last, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    memcpy(piece->after, piece->until, sizeof(piece->after));
    if (!sql_row(ctl->sql, "select ledger_next_piece($1, $2) as until",
                 (struct sql_params){ 2, { piece->after, proof->is_whole ? "true" : "false" } },
                 row, err))
        return false;
    const char *until = json_text(row, "/until");
    *is_last = until == NULL;
    snprintf(piece->until, sizeof(piece->until), "%s", until ? until : LAST_UUID);
    return true;
}

/* One account: the piece that ends with it and begins behind the one before. */
static bool piece_of(struct tollctl *ctl, const char *account, struct piece *piece, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(ctl->sql,
                 "select account_id as before from account_balance where account_id < $1"
                 " order by account_id desc limit 1",
                 (struct sql_params){ 1, { account } }, row, err))
        return false;
    const char *before = json_text(row, "/before");
    snprintf(piece->after, sizeof(piece->after), "%s", before ? before : FIRST_UUID);
    snprintf(piece->until, sizeof(piece->until), "%s", account);
    return true;
}

static void show_progress(const struct tollctl *ctl, const struct piece *piece)
{
    if (!ctl->is_json && isatty(STDERR_FILENO))
        fprintf(stderr, "\rverified up to account %s", piece->until);
}

static bool verify_accounts(struct tollctl *ctl, struct proof *proof, struct err *err)
{
    const char *account = args_text(&ctl->args, "--account");
    struct piece piece = { .until = FIRST_UUID };
    bool is_last = false;
    if (account)
        return piece_of(ctl, account, &piece, err) && verify_piece(ctl, proof, &piece, err);
    while (!is_last) {
        if (!next_piece(ctl, proof, &piece, &is_last, err) ||
            !verify_piece(ctl, proof, &piece, err))
            return false;
        show_progress(ctl, &piece);
    }
    if (!ctl->is_json && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return true;
}

static bool verify_all_together(struct tollctl *ctl, struct proof *proof, struct err *err)
{
    const struct piece all = { FIRST_UUID, LAST_UUID };
    return find_all_breaks(ctl, proof, true, &all, err);
}

/* ---- what verify tells ---- */

static void tell(const char *name, size_t number, const struct check *check)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    printf("%2zu  %-62s %-6s %6" PRId64 " ms\n", number, name, check->count == 0 ? "ok" : "FAILED",
           check->ms);
    if (check->count == 0)
        return;
    scoped(json_free) cJSON *answer = json_object();
    json_add(answer, "findings", json_copy(check->findings));
    out_answer(answer, &text);
    fputs(buf_str(&text), stdout);
    if (check->count > FINDINGS_MAX)
        printf("and %" PRId64 " more\n", check->count - FINDINGS_MAX);
}

static void add_check(struct tollctl *ctl, size_t number, const struct check *check, cJSON *checks)
{
    cJSON *item = json_item(checks);
    json_int(item, "invariant", (int64_t)number);
    json_str(item, "name", invariants[number - 1].name);
    json_add(item, "findings", json_copy(check->findings));
    json_bool(item, "ok", check->count == 0);
    json_int(item, "count", check->count);
    json_int(item, "ms", check->ms);
    if (check->count > 0)
        ctl->status = EXIT_FAILURE;
    if (!ctl->is_json)
        tell(invariants[number - 1].name, number, check);
}

static bool begin_proof(struct tollctl *ctl, struct proof *proof, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(ctl->sql,
                 "select pg_try_advisory_lock(" VERIFY_LOCK ") as is_alone,"
                 "       pg_is_in_recovery() as is_standby",
                 NO_PARAMS, row, err))
        return false;
    proof->is_whole = args_has(&ctl->args, "--whole");
    proof->can_write = !json_is(json_get(row, "is_standby"), cJSON_True);
    return json_is(json_get(row, "is_alone"), cJSON_True) ||
           err_set(err, ERR_INVALID_VALUE, "another `tollctl verify` runs; wait for its end");
}

static bool verify(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    struct proof proof = { 0 };
    cJSON *checks = json_list(answer, "checks");
    for (size_t i = 0; i < countof(invariants); i++)
        proof.check[i].findings = json_array();
    bool ok = begin_proof(ctl, &proof, err) && verify_accounts(ctl, &proof, err) &&
              verify_all_together(ctl, &proof, err);
    for (size_t i = 0; i < countof(invariants); i++) {
        if (ok)
            add_check(ctl, i + 1, &proof.check[i], checks);
        json_free(&proof.check[i].findings);
    }
    json_bool(answer, "ok", ctl->status == EXIT_SUCCESS);
    ctl->is_silent = !ctl->is_json;
    return ok;
}

/* clang-format off */
const struct command verify_commands[] = {
    { "verify", "Prove that the ledger adds up, from what was proved before on; exit 1 if not.", verify, .args = {
        { "--whole", "from the first entry on", .type = ARG_FLAG },
        { "--account", "report this account's findings only", "ACCOUNT", ARG_UUID } } },
    { 0 },
};
/* clang-format on */
