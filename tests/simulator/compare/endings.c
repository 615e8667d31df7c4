/* tests/simulator/compare/endings.c - statements about old rows, and rows that others lock. */
#include "endings.h"

#include "../world.h"
#include "aged.h"
#include "base/num.h"
#include "batches.h"
#include "first.h"
#include "queries.h"
#include "state.h"

enum { KEEP_HOLDS_MS = 2 * MS_A_DAY, PIECES = 3, STEP_LIMIT = 2000, TRIES = 5 };

static unsigned some_accounts(void)
{
    return (unsigned)chance_below(1u << story.model.account_count);
}

/* ---- prunes ---- */

/* Often only holds, keys or pieces, so that each of them decides where a step ends. */
static void begin_prunes(void)
{
    struct model *model = &story.model;
    size_t only = chance_below(4);
    if (only == 0)
        return;
    if (only != 1) {
        model->hold_count = 0;
        for (size_t i = 0; i < model->account_count; i++)
            model->account[i].held = 0;
    }
    if (only != 2)
        model->key_count = 0;
    if (only != 3)
        model->piece_count = 0;
}

/* At which a row is past its retention. */
static int64_t time_of_row(void)
{
    const struct model *model = &story.model;
    size_t rows = model->hold_count + model->key_count + model->piece_count;
    size_t row = chance_below(rows + 1);
    if (row < model->hold_count)
        return model->hold[row].expires_ms + KEEP_HOLDS_MS;
    row -= model->hold_count;
    if (row < model->key_count)
        return model->key[row].expires_ms;
    row -= model->key_count;
    return row < model->piece_count ? model->piece[row].expires_ms : story.now_ms;
}

static void prune(void)
{
    struct locks others = { 0 };
    int64_t limit = PICK(1, 1, 2, 3, 100, 198, 200, 299, STEP_LIMIT);
    int64_t since_ms = PICK(0, story.pruned_ms, time_of_row(), time_of_row(), time_of_row() - 1);
    int64_t old = batches_old_quotas();
    if (chance_in(5000))
        others.rows = (struct m_row_locks){ some_accounts(), some_accounts(), some_accounts(),
                                            some_accounts() };
    struct response response =
        batches_apply(batches_step(STATEMENT_PRUNE, since_ms, MAX(limit, old)), 0, others);
    story.pruned_ms = response.step.reached_ms;
}

/* ---- sweeps ---- */

/* An account with two holds that cannot be released; their sum is out of range. */
static void begin_sweeps(void)
{
    struct model *model = &story.model;
    if (!model->account[model->account_count - 1].is_poisoned)
        story_add_poison();
    const struct uuid *id = &model->account[model->account_count - 1].id;
    for (size_t i = 0; i < model->hold_count; i++)
        if (uuid_equal(&model->hold[i].account, id))
            model->hold[i].expires_ms = story.now_ms + PICK(-2, -1, 0, 1);
    model->hold[model->hold_count++] =
        (struct m_hold){ .account = *id,
                         .id = first_uuid(),
                         .amount = INT64_MAX,
                         .token = ABSENT,
                         .state = HOLD_OPEN,
                         .quota_day = ABSENT,
                         .expires_ms = story.now_ms + PICK(-1, 0, 1, 2),
                         .settled_ms = ABSENT };
}

static void sweep(void)
{
    struct locks others = { 0 };
    if (chance_in(4000))
        others.accounts = some_accounts();
    int64_t since_ms = PICK(-1, -1, 0, story.swept_ms);
    struct response response = batches_apply(
        batches_step(STATEMENT_SWEEP, since_ms, PICK(1, 3, STEP_LIMIT, STEP_LIMIT)), 0, others);
    story.swept_ms = response.step.reached_ms;
}

/* ---- queries ---- */

/* Sometimes in another account. */
static struct made somewhere(struct made call)
{
    if (chance_in(2000))
        call.account = story_account()->id;
    return call;
}

/* Of a charge, often one without a hold; of a hold; or unknown. */
static struct made some_call(void)
{
    const struct model *model = &story.model;
    size_t dice = chance_below(100);
    if (dice < 10)
        return (struct made){ story_account()->id, first_uuid() };
    if (dice < 40 && model->hold_count > 0) {
        const struct m_hold *hold = &model->hold[chance_below(model->hold_count)];
        return somewhere((struct made){ hold->account, hold->id });
    }
    struct made call = story_charged();
    for (size_t tries = 0; tries < TRIES && model_hold(&story.model, &call.account, &call.id);
         tries++)
        call = story_charged();
    return somewhere(call);
}

/* One that the kind allows; or at the limits of the balance, and beyond those of its type. */
static int64_t some_amount(const struct m_account *account, int64_t kind)
{
    int64_t free = account->posted - account->held;
    int64_t too_much = account->posted > 0 ? INT64_MAX : 0;
    if (chance_in(5000))
        return kind == ENTRY_REVERSED ? PICK(-1, -5) : PICK(1, 5, 20);
    return PICK(0, 1, 5, -1, -5, -free, -free - 1, too_much, too_much, -1000000000000000000);
}

/* Often with the id, kind and account of another entry, or some of these. */
static void book(struct query *query)
{
    const struct m_account *account = story_account();
    const struct m_entry *other = &story.model.entry[chance_below(story.model.entry_count)];
    bool is_credit = chance_in(3500), is_repeated = chance_in(3000);
    int64_t kind = is_credit ? PICK(0, 1, 2, 3, 4, 5, 5, 5, 6, 7)
                             : PICK(1, 2, 2, 3, 4, 5, 6, 6, 6, 7, 7, 7, 8);
    struct m_entry entry = { .account = account->id,
                             .reference = first_uuid(),
                             .kind = kind,
                             .amount = some_amount(account, kind),
                             .tool = ABSENT,
                             .token = ABSENT,
                             .at_ms = story.now_ms };
    if (is_repeated || chance_in(3000))
        entry.reference = other->reference;
    if (is_repeated || chance_in(3000))
        entry.kind = other->kind;
    if (is_repeated ? chance_in(7000) : chance_in(2000))
        entry.account = other->account;
    if (chance_in(500))
        entry.account = first_uuid();
    query_book(query, is_credit ? "ledger_credit" : "ledger_book", &entry);
}

static void end_call(struct query *query)
{
    query_end_call(query, some_call());
}

static void put_large(struct query *query)
{
    struct made call = chance_in(6000) ? story_open() : some_call();
    if (chance_in(3500))
        call.account = story_account()->id;
    struct m_piece piece = { .account = call.account,
                             .hold = call.id,
                             .piece = (int64_t)chance_below(PIECES),
                             .size = chance_between(1, 99) };
    query_put_large(query, &piece);
}

static void query(void)
{
    static const struct {
        unsigned share;
        void (*make)(struct query *query);
    } queries[] = {
        { 22, book },      { 9, query_cap },        { 22, end_call },
        { 15, put_large }, { 16, query_get_large }, { 16, query_replay_large },
    };
    struct locks locks = { 0 };
    size_t dice = chance_below(100), i = 0;
    if (chance_in(3000))
        locks.accounts = some_accounts();
    while (dice >= queries[i].share)
        dice -= queries[i++].share;
    query_run(queries[i].make, locks);
}

/* ---- batches ---- */

static void begin_batches(void)
{
    story_admit_all();
    for (size_t i = 0; i < story.model.account_count; i++)
        story.model.account[i].limits_off = false;
    story.is_even = true;
}

/* ---- the story ---- */

static const struct ending {
    unsigned share;
    size_t statements;
    void (*begin)(void); /* NULL: nothing */
    void (*run)(void);
} endings[] = {
    { 40, 14, NULL, query },
    { 30, 8, begin_prunes, prune },
    { 15, 6, begin_sweeps, sweep },
    { 15, 3, begin_batches, batches_run_one },
};

static const struct ending *some_ending(void)
{
    size_t dice = chance_below(100), i = 0;
    while (dice >= endings[i].share)
        dice -= endings[i++].share;
    return &endings[i];
}

void endings_run(void)
{
    const struct ending *ending = some_ending();
    story_begin(story.now_ms);
    aged_add();
    if (ending->begin)
        ending->begin();
    state_load(&story.model);
    for (size_t i = 0; i < ending->statements && !*world.violation; i++) {
        ending->run();
        story.now_ms += PICK(-1, 0, 0, 0, 0, 1);
    }
}
