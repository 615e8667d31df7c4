/* tests/simulator/compare/batches.c - random statements, in the encoding of the gateways. */
#include "batches.h"

#include <stdio.h>
#include <string.h>

#include "../rows.h"
#include "../world.h"
#include "base/mem.h"
#include "base/num.h"
#include "compare.h"
#include "endings.h"
#include "first.h"
#include "gateway/ledger/items.h"
#include "queries.h"
#include "state.h"
#include "story.h"

enum {
    STATEMENTS_MAX = 36,
    ITEMS_MAX = 5,
    FIRST_DAY = 20000,
    DAYS = 300,
    STEP_LIMIT = 2000, /* as gateways have */
    PARAMS_BYTES = 1 << 16,
    NETWORK_TEN = 10,
    TOOLS = 5,
    MINUTE_MS = 60000,
    ENDINGS = 4000,     /* of 10,000 stories */
    MIDNIGHT_MS = 3000, /* half of the stories begin as near to it */
};

struct story story;

/* ---- items ---- */

/* A gateway settles each call once in a batch. */
static bool is_new(struct item *const *items, size_t count, const struct uuid *id)
{
    for (size_t i = 0; i < count; i++)
        if (uuid_equal(&items[i]->id, id))
            return false;
    return true;
}

static struct item *new_settlement(void)
{
    static const enum op ops[] = { OP_CAPTURE, OP_CAPTURE, OP_CAPTURE, OP_VOID,         OP_CANCEL,
                                   OP_CANCEL,  OP_CANCEL,  OP_CANCEL,  OP_VOID_KEEP_DAY };
    enum op op = ops[chance_below(countof(ops))];
    struct made made = chance_in(6000) ? story_open() : story_made();
    if (op == OP_CANCEL && chance_in(3500))
        made = story_charged();
    if (chance_in(500))
        made.account = story_account()->id;
    struct item *item = item_new(op, &made.account, &made.id, 1);
    if (item->op == OP_CAPTURE && chance_in(8000))
        item->headers = str_dup(chance_in(5000) ? "" : "type: text\r\n");
    if (item->op == OP_CAPTURE && chance_in(5000)) {
        item->body_bytes = 1 + chance_below(4);
        item->body = mem_dup("body", item->body_bytes);
    }
    item->is_payment = item->op == OP_CANCEL && chance_in(5000);
    item->optimistic.seq = story_since(&made.account);
    return item;
}

static int64_t amount_for(int64_t tool)
{
    const struct m_tool *row = tool >= 1 && tool <= TOOLS ? &story.model.tool[tool - 1] : NULL;
    if (!row || chance_in(700))
        return 0;
    if (row->price_before != ABSENT && chance_in(2000))
        return row->price_before;
    return row->price + (chance_in(150) ? 1 : 0);
}

static struct in6_addr some_address(void)
{
    struct in6_addr address = { 0 };
    if (chance_in(500)) {
        address.s6_addr[0] = 0x20;
        return address;
    }
    address.s6_addr[10] = address.s6_addr[11] = 0xff; /* IPv4-mapped */
    address.s6_addr[12] = (uint8_t)(chance_in(9000) ? NETWORK_TEN : NETWORK_TEN + 1);
    address.s6_addr[13] = (uint8_t)(chance_in(8000) ? 0 : 1);
    address.s6_addr[15] = 1;
    return address;
}

static void set_even_limits(struct admission *admission, const struct m_account *account)
{
    int64_t left = PICK(1, 2, 5), live = 0, same = 0;
    for (size_t i = 0; i < account->ring_count; i++) {
        if (account->ring_at[i] <= story.now_ms - MINUTE_MS)
            continue;
        live++;
        same += account->ring_tool[i] == admission->tool_id;
    }
    admission->endpoint_limit = same + left;
    admission->global_limit = MIN(live + left, (int64_t)RING_MAX - 1);
}

/* A call without a special rule can be admitted by ledger_admit_plain(). */
static void set_limits(struct admission *admission, const struct m_account *account, bool is_plain)
{
    if (story.is_even) {
        set_even_limits(admission, account);
        return;
    }
    admission->endpoint_limit = PICK(0, 0, 1, 2, 4, 8);
    admission->global_limit = PICK(1, 3, 6, 12, 59);
    if (story.theme != THEME_NONE) {
        admission->endpoint_limit = 0;
        admission->global_limit = 59;
    }
    if (is_plain)
        return;
    admission->class_limit = story.theme == THEME_NONE ? PICK(0, 0, 1, 3, 6) : 0;
    admission->daily_limit = PICK(0, 0, 1, 2, 4);
    if (story.theme == THEME_QUOTAS)
        admission->daily_limit = PICK(2, 4, 8);
}

/* stored NULL: any. */
static void set_key(struct admission *admission, const struct m_key *stored)
{
    admission->has_key = true;
    memset(admission->key, (int)PICK(1, 2, 3), DIGEST_BYTES);
    if (stored)
        memcpy(admission->key, stored->key, DIGEST_BYTES);
    memset(admission->fingerprint, (int)PICK(7, 7, 7, 8), DIGEST_BYTES);
}

/* Sometimes of another account, or unknown. */
static const struct m_token *set_token(struct admission *admission, const struct m_account *account)
{
    const struct m_token *token = story_token(account);
    if (chance_in(200))
        token = &story.model.token[chance_below(story.model.token_count)];
    memcpy(admission->token, token->digest, DIGEST_BYTES);
    if (chance_in(150))
        admission->token[0]++;
    return token;
}

/* Tool 0 is for queries about the account, which are free. */
static void set_tool(struct admission *admission, const struct m_token *token)
{
    admission->tool_id = chance_between(1, story.theme == THEME_QUOTAS ? 2 : TOOLS);
    if (chance_in(300) || (token->kind == 5 && chance_in(6000)))
        admission->tool_id = PICK(0, 0, 0, 99);
    admission->credits = amount_for(admission->tool_id);
    if (admission->tool_id == 0 && chance_in(3000))
        admission->credits = 1;
}

static struct item *new_admission(bool is_plain, bool is_payment)
{
    const struct m_key *key = story_key();
    const struct m_account *account =
        key ? model_account(&story.model, &key->account) : story_account();
    struct made made = { account->id, first_uuid() };
    if (chance_in(1200))
        made.id = chance_in(5000) ? story_made().id : story_charged().id;
    struct item *item = item_new(is_payment ? OP_PAY : OP_ADMIT, &made.account, &made.id, 1);
    struct admission *admission = &item->admission;
    set_tool(admission, set_token(admission, account));
    admission->hold_ms = PICK(1, 500, 1500, 4000, 60000);
    admission->address = some_address();
    set_limits(admission, account, is_plain);
    item->is_payment = is_payment;
    if (is_payment) {
        item->is_marked = !is_plain && chance_in(6000);
        item->optimistic.seq = story_since(&made.account);
    } else if (admission->credits > 0 && !is_plain &&
               chance_in(story.theme == THEME_KEYS ? 9000 : 4000)) {
        set_key(admission, key);
    }
    story_make(&made);
    return item;
}

/* ---- requests ---- */

static struct request *request_of_params(enum statement_number statement, struct params *params,
                                         bool has_addresses)
{
    struct db_param list[LEDGER_PARAMS_MAX];
    const char *values[LEDGER_PARAMS_MAX];
    int sizes[LEDGER_PARAMS_MAX];
    params_list(params, list);
    for (size_t i = 0; i < params->count; i++) {
        values[i] = list[i].bytes;
        sizes[i] = list[i].size;
    }
    if (!has_addresses)
        values[params->count - 1] = NULL;
    struct request *request = request_of(statement, (int)params->count, values, sizes);
    buf_free(&params->bytes);
    return request;
}

static struct request *batch_of(size_t settles, size_t admits, bool skips)
{
    struct params params = { .bytes = BUF(PARAMS_BYTES) };
    struct item *item[2 * ITEMS_MAX];
    bool is_plain = story.is_even || chance_in(story.theme == THEME_NONE ? 5000 : 1500);
    bool is_payment = chance_in(story.theme == THEME_PAYMENTS ? 8000 : 3000);
    for (size_t i = 0; i < settles; i++) {
        item[i] = new_settlement();
        if (!is_new(item, i, &item[i]->id))
            item[i]->id = first_uuid();
    }
    for (size_t i = settles; i < settles + admits; i++)
        item[i] = new_admission(is_plain, is_payment || chance_in(500));
    params_add_items(&params, item, settles);
    params_add_items(&params, item + settles, admits);
    params_add_bool(&params, skips);
    params_add_addresses(&params, item + settles, admits);
    for (size_t i = 0; i < settles + admits; i++)
        item_free(item[i]);
    return request_of_params(STATEMENT_BATCH, &params, !chance_in(300));
}

static struct request *checks_of(size_t count)
{
    struct params params = { .bytes = BUF(PARAMS_BYTES) };
    struct item *item[ITEMS_MAX];
    for (size_t i = 0; i < count; i++) {
        const struct m_account *account = story_account();
        item[i] = item_new(OP_CHECK, &account->id, &account->id, 1);
        item[i]->admission.address = some_address();
        set_token(&item[i]->admission, account);
    }
    params_add_checks(&params, item, count);
    params_add_addresses(&params, item, count);
    for (size_t i = 0; i < count; i++)
        item_free(item[i]);
    return request_of_params(STATEMENT_CHECK, &params, !chance_in(500));
}

struct request *batches_step(enum statement_number statement, int64_t since_ms, int64_t limit)
{
    struct params params = { .bytes = BUF(PARAMS_BYTES) };
    params_add_int8(&params, since_ms);
    params_add_int4(&params, (int32_t)limit);
    return request_of_params(statement, &params, true);
}

/* ---- statements ---- */

static struct response apply(const struct request *request, unsigned locked, struct locks others)
{
    if (request->statement != STATEMENT_PRUNE)
        return server_apply(&story.scratch, request, locked, others.accounts, story.now_ms);
    return (struct response){ .statement = STATEMENT_PRUNE,
                              .step =
                                  model_prune_unlocked(&story.scratch, request->since_ms,
                                                       request->limit, others.rows, story.now_ms) };
}

/* Tokens without counters. */
static void lock_tokens(struct model *model, unsigned accounts)
{
    for (size_t i = 0; i < model->token_count; i++)
        model->token[i].is_locked = model->token[i].spent_total == ABSENT &&
                                    (model_account_bit(model, &model->token[i].account) & accounts);
}

struct response batches_apply(const struct request *request, unsigned locked, struct locks others)
{
    model_copy(&story.scratch, &story.model);
    lock_tokens(&story.scratch, others.plain_tokens);
    struct response response = apply(request, locked, others);
    if (!*response.sqlstate)
        model_copy(&story.model, &story.scratch);
    if (!compare_statement(request, &response, &story.model, others, story.now_ms))
        world_fail("PostgreSQL and the model differ");
    return response;
}

/* The accounts whose tokens with counters another session can lock. */
static unsigned with_counters(void)
{
    unsigned accounts = 0;
    for (size_t i = 0; i < story.model.token_count; i++)
        if (story.model.token[i].spent_total != ABSENT)
            accounts |= model_account_bit(&story.model, &story.model.token[i].account);
    return accounts;
}

/* ledger_without_held_tokens() finds tokens by their id alone. */
static bool have_separate_ids(void)
{
    for (size_t i = 1; i < story.model.token_count; i++)
        if (uuid_equal(&story.model.token[i].id, &story.model.token[0].id))
            return false;
    return true;
}

void batches_run_one(void)
{
    bool skips = chance_in(2500);
    struct locks others = { 0 };
    if (skips) {
        others.accounts = (unsigned)chance_below(1u << story.model.account_count);
        if (chance_in(2000) && have_separate_ids())
            others.tokens = (unsigned)chance_below(1u << ACCOUNTS_MAX);
    }
    if (story.is_even)
        others.plain_tokens = (unsigned)chance_below(1u << story.model.account_count);
    struct request *request = batch_of(chance_below(ITEMS_MAX), chance_below(ITEMS_MAX + 1), skips);
    unsigned wanted = model_wanted(&story.model, &request->batch);
    if (wanted && (wanted & ~others.accounts) == 0 && !chance_in(500))
        others.accounts = 0; /* the wait for the first account takes 50 ms */
    batches_apply(request, wanted & ~others.accounts & ~(others.tokens & with_counters()), others);
}

/* A batch that does not skip waits for 50 ms, and fails. */
static void run_timeout(void)
{
    struct request *request = batch_of(1 + chance_below(2), 1, false);
    struct response response = { .statement = STATEMENT_BATCH };
    unsigned wanted = model_wanted(&story.model, &request->batch);
    memcpy(response.sqlstate, "55P03", SQLSTATE_BYTES);
    if (wanted && !compare_statement(request, &response, &story.model,
                                     (struct locks){ .accounts = wanted }, story.now_ms))
        world_fail("PostgreSQL and the model differ");
}

static void run_sweep(void)
{
    struct locks others = { 0 };
    if (chance_in(3000))
        others.accounts = (unsigned)chance_below(1u << story.model.account_count);
    int64_t since_ms = PICK(-1, -1, 0, story.swept_ms, story.swept_ms, story.now_ms - MS_A_DAY);
    struct response response = batches_apply(
        batches_step(STATEMENT_SWEEP, since_ms, PICK(1, 2, 3, STEP_LIMIT)), 0, others);
    story.swept_ms = response.step.reached_ms;
}

int64_t batches_old_quotas(void)
{
    int64_t count = 0;
    for (size_t i = 0; i < story.model.quota_count; i++)
        count += story.model.quota[i].day < model_day(story.now_ms) - 7;
    return count;
}

static void run_prune(void)
{
    if (chance_in(6000)) { /* the clock was steady for an hour, or nearly */
        story.model.prune_seen_ms = story.now_ms + PICK(-600001, -600000, 0, 600000, 600001);
        story.model.prune_steady_ms = story.now_ms - PICK(3599999, 3600000, 3600001);
        state_load_clock(&story.model);
    }
    int64_t limit = PICK(1, 2, 3, 250, STEP_LIMIT);
    int64_t old = batches_old_quotas();
    int64_t since_ms = PICK(0, 0, story.pruned_ms, story.now_ms - MS_A_DAY);
    struct response response = batches_apply(
        batches_step(STATEMENT_PRUNE, since_ms, MAX(limit, old)), 0, (struct locks){ 0 });
    story.pruned_ms = response.step.reached_ms;
}

static void run_check(void)
{
    batches_apply(checks_of(1 + chance_below(ITEMS_MAX)), 0, (struct locks){ 0 });
}

static void run_statement(void)
{
    static const struct {
        unsigned share;
        void (*run)(void);
    } shares[] = {
        { 64, batches_run_one }, { 10, run_sweep },  { 7, run_prune },
        { 5, run_check },        { 1, run_timeout }, { 13, queries_run },
    };
    size_t dice = chance_below(100);
    for (size_t i = 0; i < countof(shares); i++) {
        if (dice < shares[i].share) {
            shares[i].run();
            return;
        }
        dice -= shares[i].share;
    }
}

bool batches_run(uint64_t seed)
{
    *world.violation = '\0';
    sim_clear();
    chance_begin(seed);
    story_begin((FIRST_DAY + chance_between(0, DAYS)) * MS_A_DAY +
                (chance_in(5000) ? chance_between(-MIDNIGHT_MS, MIDNIGHT_MS)
                                 : chance_between(0, MS_A_DAY - 1)));
    compare_load(&story.model);
    for (size_t i = 1 + chance_below(STATEMENTS_MAX); i > 0 && !*world.violation; i--) {
        story_pass_time();
        run_statement();
    }
    if (!*world.violation && chance_in(ENDINGS))
        endings_run();
    return !*world.violation;
}
