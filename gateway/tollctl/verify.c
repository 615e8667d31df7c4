/* gateway/tollctl/verify.c - proves that the ledger adds up. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/codec/uuid.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "gateway/tollctl/evidence/against.h"
#include "gateway/tollctl/out.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

enum {
    FINDINGS_MAX = 100,  /* listed per invariant; all are counted */
    INVARIANTS_MAX = 32, /* above the highest number of ledger_invariants() */
};

#define FIRST_UUID  "00000000-0000-0000-0000-000000000000"
#define LAST_UUID   "ffffffff-ffff-ffff-ffff-ffffffffffff"
#define VERIFY_LOCK "7238241146904121447" /* an advisory lock key that nothing else uses */

static_assert((int)FINDINGS_MAX == (int)AGAINST_FINDINGS_MAX, "all checks list as many findings");
static_assert((int)AGAINST_FILES_MAX == (int)ARG_ITEMS_MAX, "all files fit");

/* The findings so far. */
struct proof {
    struct check {
        cJSON *findings;
        int64_t count;
    } check[INVARIANTS_MAX]; /* by number; 0: against root files */
    bool is_right;           /* no findings */
    bool is_compared;        /* with all root files */
    bool is_whole;
    bool can_write; /* checkpoints: not on a standby */
};

/* The accounts after one id, up to another. */
struct piece {
    char after[UUID_TEXT_BYTES];
    char until[UUID_TEXT_BYTES];
};

static bool note_breaks(struct proof *proof, const cJSON *row, struct err *err)
{
    int number = json_get(row, "invariant")->valueint;
    const cJSON *finding;
    proof->is_right = false;
    if (number < 1 || number >= INVARIANTS_MAX)
        return err_set(err, ERR_INTERNAL, "invariant %d is unknown to this version", number);
    struct check *check = &proof->check[number];
    check->count += (int64_t)json_get(row, "count")->valuedouble;
    if (!check->findings)
        check->findings = json_array();
    cJSON_ArrayForEach(finding, json_get(row, "findings"))
        if (json_size(check->findings) < FINDINGS_MAX)
            json_item_add(check->findings, json_copy(finding));
    return true;
}

/* Find violations of the invariants with a function of 003-verify.sql. */
static bool find_breaks(struct tollctl *ctl, struct proof *proof, const char *function,
                        const struct sql_params *params, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(mem_free) char *statement = str_format(
        "select invariant, count(*) as count,"
        "       json_agg(json_build_object('account', account_id, 'detail', detail))"
        "           filter (where n <= %d) as findings"
        "  from (select *, row_number() over (partition by invariant"
        "                                         order by account_id nulls first) as n"
        "          from %s where $1::uuid is null or account_id is null or account_id = $1) v"
        " group by invariant",
        FINDINGS_MAX, function);
    const cJSON *row;
    if (!sql_rows(ctl->sql, statement, *params, rows, err))
        return false;
    cJSON_ArrayForEach(row, rows)
        if (!note_breaks(proof, row, err))
            return false;
    return true;
}

static bool find_breaks_of_accounts(struct tollctl *ctl, struct proof *proof,
                                    const struct piece *piece, struct err *err)
{
    const struct sql_params params = { 4,
                                       { args_text(&ctl->args, "--account"), piece->after,
                                         piece->until, proof->is_whole ? "true" : "false" } };
    return find_breaks(ctl, proof, "ledger_verify($2, $3, $4)", &params, err);
}

static bool find_breaks_of_all(struct tollctl *ctl, struct proof *proof, struct err *err)
{
    const struct sql_params params = { 1, { args_text(&ctl->args, "--account") } };
    return find_breaks(ctl, proof, "ledger_verify_all()", &params, err);
}

static bool set_checkpoint(struct tollctl *ctl, const struct piece *piece, struct err *err)
{
    struct sql_params accounts = { 2, { piece->after, piece->until } };
    return sql_run(ctl->sql, "select ledger_set_checkpoint($1, $2)", accounts, err) &&
           sql_run(ctl->sql, "select usage_set_checkpoint($1, $2)", accounts, err);
}

/* Check a piece in one snapshot. If all pieces so far are right, write a checkpoint: their entries
 * are not read again. */
static bool verify_piece(struct tollctl *ctl, struct proof *proof, const struct piece *piece,
                         struct err *err)
{
    return sql_begin(ctl->sql, SQL_SNAPSHOT, err) &&
           find_breaks_of_accounts(ctl, proof, piece, err) &&
           (!proof->is_right || !proof->can_write || set_checkpoint(ctl, piece, err)) &&
           sql_commit(ctl->sql, err);
}

/* Find the next piece, and whether it is the last. */
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

/* The account before this one, or the first id. */
static bool find_before(struct tollctl *ctl, const char *account, char *before, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(ctl->sql,
                 "select account_id as before from account_balance where account_id < $1"
                 " order by account_id desc limit 1",
                 (struct sql_params){ 1, { account } }, row, err))
        return false;
    const char *found = json_text(row, "/before");
    snprintf(before, UUID_TEXT_BYTES, "%s", found ? found : FIRST_UUID);
    return true;
}

static void show_progress(const struct tollctl *ctl, const struct piece *piece)
{
    if (!ctl->is_json && isatty(STDERR_FILENO))
        fprintf(stderr, "\rverified up to account %s", piece->until);
}

/* Check piece by piece from one account to another, inclusive. */
static bool verify_range(struct tollctl *ctl, struct proof *proof, const char *from, const char *to,
                         struct err *err)
{
    struct piece piece;
    bool is_last = false;
    if (!find_before(ctl, from, piece.until, err))
        return false;
    while (!is_last) {
        if (!next_piece(ctl, proof, &piece, &is_last, err))
            return false;
        if (strcmp(piece.until, to) >= 0) {
            snprintf(piece.until, sizeof(piece.until), "%s", to);
            is_last = true;
        }
        if (!verify_piece(ctl, proof, &piece, err))
            return false;
        show_progress(ctl, &piece);
    }
    if (!ctl->is_json && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return true;
}

static bool verify_accounts(struct tollctl *ctl, struct proof *proof, struct err *err)
{
    const char *account = args_text(&ctl->args, "--account");
    const char *from = args_text(&ctl->args, "--from");
    const char *to = args_text(&ctl->args, "--to");
    if (account)
        return verify_range(ctl, proof, account, account, err);
    return verify_range(ctl, proof, from ? from : FIRST_UUID, to ? to : LAST_UUID, err);
}

/* ---- against root files ---- */

static void fill_order(const struct args *args, struct against_order *order)
{
    const char *account = args_text(args, "--account");
    const char *from = account ? account : args_text(args, "--from");
    const char *to = account ? account : args_text(args, "--to");
    const char *item;
    order->from = from ? from : FIRST_UUID;
    order->to = to ? to : LAST_UUID;
    while ((item = args_item(args, "--against", order->file_count)))
        order->files[order->file_count++] = item;
    while (order->key_count < AGAINST_KEYS_MAX &&
           (item = args_item(args, "--key", order->key_count)))
        order->keys[order->key_count++] = item;
}

static bool verify_against(struct tollctl *ctl, struct proof *proof, cJSON *answer, struct err *err)
{
    struct against_order order = { 0 };
    struct check *check = &proof->check[0];
    fill_order(&ctl->args, &order);
    if (order.file_count == 0)
        return true;
    check->findings = json_array();
    bool ok = against_verify(ctl->sql, &order, json_map(answer, "roots"), check->findings,
                             &check->count, err);
    proof->is_right &= check->count == 0;
    proof->is_compared = ok;
    return ok;
}

/* ---- output ---- */

static void print_number(int number)
{
    if (number > 0)
        printf("%2d", number);
    else
        fputs(" -", stdout);
}

static void print_check(int number, const char *name, const struct check *check)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    print_number(number);
    printf("  %-62s %s\n", name, check->count == 0 ? "ok" : "FAILED");
    if (check->count == 0)
        return;
    scoped(json_free) cJSON *answer = json_object();
    json_add(answer, "findings", json_copy(check->findings));
    out_answer(answer, &text);
    fputs(buf_str(&text), stdout);
    if (check->count > FINDINGS_MAX)
        printf("and %" PRId64 " more\n", check->count - FINDINGS_MAX);
}

/* Add each invariant of the ledger and its findings. */
static bool add_checks(struct tollctl *ctl, const struct proof *proof, cJSON *checks,
                       struct err *err)
{
    if (!sql_rows(ctl->sql, "select invariant, name from ledger_invariants() order by invariant",
                  NO_PARAMS, checks, err))
        return false;
    for (cJSON *item = checks->child; item; item = item->next) {
        int number = json_get(item, "invariant")->valueint;
        const struct check *check = &proof->check[number];
        json_add(item, "findings", check->findings ? json_copy(check->findings) : json_array());
        json_bool(item, "ok", check->count == 0);
        json_int(item, "count", check->count);
        if (!ctl->is_json)
            print_check(number, json_text(item, "/name"), check);
    }
    return true;
}

static void print_roots_check(const struct check *check, const cJSON *report)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    print_check(0, "the history of each account is the one of the signed roots", check);
    out_answer(report, &text);
    printf("\n%s", buf_str(&text));
}

/* A comparison that did not finish has no result, unless it has found something. */
static void add_roots_check(struct tollctl *ctl, const struct proof *proof, cJSON *answer)
{
    const struct check *check = &proof->check[0];
    scoped(json_free) cJSON *roots = json_take(answer, "roots");
    if (!roots || (!proof->is_compared && check->count == 0))
        return;
    if (!ctl->is_json)
        print_roots_check(check, roots);
    json_bool(roots, "ok", check->count == 0);
    json_int(roots, "count", check->count);
    json_add(roots, "findings", json_copy(check->findings));
    json_add(answer, "roots", roots);
    roots = NULL;
}

static bool begin_proof(struct tollctl *ctl, struct proof *proof, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(ctl->sql,
                 "select pg_try_advisory_lock(" VERIFY_LOCK ") as is_alone,"
                 "       pg_is_in_recovery() as is_standby",
                 NO_PARAMS, row, err))
        return false;
    proof->is_whole = args_has(&ctl->args, "--whole") || args_has(&ctl->args, "--against");
    proof->can_write = !json_is(json_get(row, "is_standby"), cJSON_True);
    return json_is(json_get(row, "is_alone"), cJSON_True) ||
           err_set(err, ERR_INVALID_VALUE,
                   "another `tollctl verify` is running; wait until it is done");
}

/* Release the lock now: the server notices a closed connection only later, and the next proof need
 * not wait for that. */
static bool end_proof(struct tollctl *ctl, struct err *err)
{
    return sql_run(ctl->sql, "select pg_advisory_unlock(" VERIFY_LOCK ")", NO_PARAMS, err);
}

/* Only the operator's own copy of the public key proves who signed the files. */
static bool check_options(struct tollctl *ctl, struct err *err)
{
    if (args_has(&ctl->args, "--against") == args_has(&ctl->args, "--key"))
        return true;
    ctl->status = EX_USAGE;
    return err_set(err, ERR_INVALID_VALUE,
                   "--against needs the public key of its files: --key PUBLIC.pem; and --key needs "
                   "--against");
}

static bool verify(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    struct proof proof = { .is_right = true };
    int64_t started_ms = clock_ms();
    if (!check_options(ctl, err))
        return false;
    bool is_begun = begin_proof(ctl, &proof, err);
    bool ok = is_begun && verify_against(ctl, &proof, answer, err) &&
              verify_accounts(ctl, &proof, err) && find_breaks_of_all(ctl, &proof, err) &&
              add_checks(ctl, &proof, json_list(answer, "checks"), err);
    struct err ignored = { 0 }; /* after a failure of the database: it is unlocked anyway */
    ok = is_begun && end_proof(ctl, ok ? err : &ignored) && ok;
    add_roots_check(ctl, &proof, answer);
    for (size_t i = 0; i < INVARIANTS_MAX; i++)
        json_free(&proof.check[i].findings);
    json_bool(answer, "ok", proof.is_right);
    json_int(answer, "ms", clock_ms() - started_ms);
    ctl->status = !proof.is_right ? EXIT_FAILURE : ok ? EXIT_SUCCESS : EX_SOFTWARE;
    ctl->is_silent = !ctl->is_json;
    return ok;
}

/* clang-format off */
const struct command verify_commands[] = {
    { "verify", "Prove that the ledger adds up, from what was proved before on; exit 1 only if it does not.", verify, .args = {
        { "--whole", "from the first entry on", .type = ARG_FLAG },
        { "--account", "this account only", "ACCOUNT", ARG_UUID },
        { "--from", "accounts from this one on", "ACCOUNT", ARG_UUID },
        { "--to", "accounts up to this one", "ACCOUNT", ARG_UUID },
        { "--against", "a root file; check all entries, and that they are those of its roots; repeat it for more files, in order of time", "FILE", ARG_PATH, .is_list = true },
        { "--key", "the public key of the root files, in PEM; repeat it for more keys", "FILE", ARG_PATH, .is_list = true } } },
    { 0 },
};
/* clang-format on */
