/*
 * tests/simulator/server.c - sessions, locks, commits and failovers. sessions.c has the functions
 * of libpq.
 */
#include "server.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "compare/compare.h"
#include "compare/postgres.h"
#include "compare/state.h"
#include "scheduler.h"
#include "sessions.h"
#include "world.h"

enum {
    HISTORY = 8, /* commits that a replica may lack */
    LOCK_WAIT_US = 50 * US_A_MS,
    WAY_US_MAX = 2 * US_A_MS, /* one way on the network */
    IDLE_STATEMENTS = 100,    /* one of this many is compared */
    LATE_AFTER_CLOSE_US = 3000 * US_A_MS,
};

struct work {
    struct session *session;
    struct request *request;
    int64_t late_ms;
    int64_t waits_until_us;
    uint64_t epoch; /* of the primary when it arrived */
    unsigned locked;
    int64_t now_ms;
    enum { FATE_OK, FATE_LOST_BEFORE, FATE_LOST_AFTER, FATE_LATE, FATE_HUNG, FATE_REFUSED } fate;
    struct work *next; /* that waits for a lock */
};

static struct {
    size_t count;
    size_t primary;
    bool is_down;
    uint64_t epoch; /* a new one aborts what is under way */
    struct model database;
    struct model scratch;
    struct model history[HISTORY]; /* before the last commits; commit n is at n % HISTORY */
    unsigned touched[HISTORY];     /* accounts of these commits */
    size_t commits;
    int64_t clock_ahead_ms;
    unsigned locked; /* accounts */
    struct work *waiting;
    size_t under_way;
    struct statement_faults faults;
    size_t idle_statements;
    bool missed_prune; /* the clock of prunes in PostgreSQL is old */
} servers;

void servers_begin(size_t count, const struct model *model, const struct statement_faults *faults)
{
    servers.count = count;
    servers.primary = 0;
    servers.is_down = false;
    servers.epoch = 1;
    model_copy(&servers.database, model);
    if (postgres_is_on())
        compare_load(model);
    servers.commits = 0;
    servers.clock_ahead_ms = 0;
    servers.locked = 0;
    servers.waiting = NULL;
    servers.under_way = 0;
    servers.faults = *faults;
    servers.idle_statements = 0;
    servers.missed_prune = false;
}

void servers_set_faults(const struct statement_faults *faults)
{
    servers.faults = *faults;
}

struct model *servers_database(void)
{
    return &servers.database;
}

int64_t servers_now_ms(void)
{
    return world_wall_ms() + servers.clock_ahead_ms;
}

void servers_set_clock(int64_t ahead_ms)
{
    trace("the database's clock is %lld ms ahead", (long long)ahead_ms);
    servers.clock_ahead_ms = ahead_ms;
}

bool servers_are_idle(void)
{
    return servers.under_way == 0;
}

bool server_accepts(size_t server)
{
    return server == servers.primary && !servers.is_down;
}

/* ---- commits ---- */

static void commit(unsigned touched)
{
    size_t place = servers.commits++ % HISTORY;
    model_copy(&servers.history[place], &servers.database);
    servers.touched[place] = touched;
    servers.scratch.commits++;
    model_copy(&servers.database, &servers.scratch);
}

static void respond(struct work *work, const struct response *response)
{
    int64_t way_us = chance_between(50, WAY_US_MAX);
    servers.under_way--;
    if (work->fate == FATE_LOST_AFTER) {
        trace("the response is lost");
        session_break_in(work->session, way_us);
    } else {
        session_respond_in(work->session, response, way_us);
    }
}

static void refuse(struct work *work, const char *sqlstate)
{
    struct response response = { .is_error = true };
    memcpy(response.sqlstate, sqlstate, SQLSTATE_BYTES);
    trace("database: statement refused, %s", sqlstate);
    respond(work, &response);
}

/* ---- execution ---- */

static void unlock(unsigned accounts);

struct response server_apply(struct model *model, const struct request *request, unsigned locked,
                             unsigned locked_by_others, int64_t now_ms)
{
    struct response response = { .statement = request->statement };
    switch (request->statement) {
    case STATEMENT_BATCH:
        response.count = request->batch.settle_count + request->batch.admit_count;
        response.outcome = sim_new(response.count * sizeof(*response.outcome));
        model_batch(model, &request->batch, locked, now_ms, response.outcome, response.sqlstate);
        break;
    case STATEMENT_SWEEP:
        response.step = model_sweep(model, request->since_ms, request->limit, locked_by_others,
                                    now_ms, response.sqlstate);
        break;
    case STATEMENT_PRUNE:
        response.step = model_prune(model, request->since_ms, request->limit, now_ms);
        break;
    case STATEMENT_CHECK:
        response.count = request->check_count;
        response.check = sim_new(response.count * sizeof(*response.check));
        for (size_t i = 0; i < request->check_count; i++)
            response.check[i] =
                model_token_check(model, &request->check_account[i], request->check_token[i],
                                  &request->check_address[i], now_ms);
        break;
    }
    return response;
}

/* What a statement finds locked. */
static struct locks locks_of_others(const struct work *work)
{
    struct locks locks = { 0 };
    if (work->request->statement == STATEMENT_SWEEP)
        locks.accounts = servers.locked;
    else if (work->request->statement == STATEMENT_BATCH)
        locks.accounts = model_wanted(&servers.database, &work->request->batch) & ~work->locked;
    return locks;
}

/* Has it done nothing: a step without rows, or a batch of locked accounts? */
static bool is_idle(const struct response *response)
{
    bool is_step = response->statement == STATEMENT_SWEEP || response->statement == STATEMENT_PRUNE;
    if (*response->sqlstate || response->statement == STATEMENT_CHECK)
        return false;
    if (is_step)
        return response->step.count == 0 && !response->step.is_more && response->step.busy_ms < 0;
    for (size_t i = 0; i < response->count; i++)
        if (strcmp(response->outcome[i].outcome, "busy") != 0)
            return false;
    return true;
}

/* With a real PostgreSQL, if there is one. A schedule can have thousands of statements that do
 * nothing, so some are left out. */
static void compare(const struct work *work, const struct response *response)
{
    const struct model *after = *response->sqlstate ? &servers.database : &servers.scratch;
    if (!postgres_is_on())
        return;
    if (is_idle(response) && servers.idle_statements++ % IDLE_STATEMENTS != 0) {
        servers.missed_prune |= response->statement == STATEMENT_PRUNE;
        return;
    }
    if (servers.missed_prune)
        state_load_clock(&servers.database);
    servers.missed_prune = false;
    if (!compare_statement(work->request, response, after, locks_of_others(work), work->now_ms))
        world_fail("PostgreSQL and the model differ");
}

static void run_statement(struct work *work)
{
    struct request *request = work->request;
    unsigned mask = work->locked;
    model_copy(&servers.scratch, &servers.database);
    struct response response =
        server_apply(&servers.scratch, request, mask, servers.locked, work->now_ms);
    compare(work, &response);
    if (*response.sqlstate) {
        refuse(work, response.sqlstate);
        return;
    }
    world_trace_batch(request, &response, work->now_ms);
    if (request->statement != STATEMENT_CHECK)
        commit(request->statement == STATEMENT_BATCH ? mask : ~0u);
    world_on_commit(request, &response, work->now_ms);
    respond(work, &response);
}

/* The transaction commits, unless its server has stopped since. */
static void finish(void *argument)
{
    struct work *work = argument;
    if (work->epoch != servers.epoch) {
        servers.under_way--;
        return;
    }
    if (work->fate == FATE_REFUSED)
        refuse(work, refused_sqlstate());
    else
        run_statement(work);
    unlock(work->locked);
}

static int64_t commit_delay_us(const struct work *work)
{
    if (work->fate == FATE_LATE)
        return chance_between(1, work->late_ms) * US_A_MS;
    return chance_in(3000) ? chance_between(1, 3 * US_A_MS) : 0;
}

/* Wait for all accounts; a batch that skips locked ones waits only if all are locked. */
static bool must_wait(const struct work *work, unsigned wanted)
{
    return work->request->batch.skips_busy ? wanted != 0 && (wanted & ~servers.locked) == 0
                                           : (wanted & servers.locked) != 0;
}

static void begin(struct work *work, unsigned wanted)
{
    work->locked = wanted & ~servers.locked;
    servers.locked |= work->locked;
    work->now_ms = servers_now_ms();
    int64_t delay_us = commit_delay_us(work);
    if (delay_us == 0)
        finish(work);
    else
        sim_in(delay_us, finish, work);
}

static bool try_begin(struct work *work)
{
    unsigned wanted = work->request->statement == STATEMENT_BATCH
                          ? model_wanted(&servers.database, &work->request->batch)
                          : 0;
    if (must_wait(work, wanted))
        return false;
    begin(work, wanted);
    return true;
}

static void strike(struct work *work)
{
    struct work **at = &servers.waiting;
    while (*at && *at != work)
        at = &(*at)->next;
    if (*at)
        *at = work->next;
}

static void lock_timeout(void *argument)
{
    struct work *work = argument;
    for (struct work *at = servers.waiting; at; at = at->next) {
        if (at != work)
            continue;
        strike(work);
        if (work->epoch != servers.epoch)
            servers.under_way--;
        else if (work->request->batch.skips_busy)
            begin(work, 0); /* all its items are busy */
        else
            refuse(work, "55P03");
        return;
    }
}

/* Release locks, and go on with the statements that wait for them. */
static void unlock(unsigned accounts)
{
    servers.locked &= ~accounts;
    for (struct work *work = servers.waiting, *next; work; work = next) {
        next = work->next;
        if (work->epoch != servers.epoch)
            continue;
        strike(work);
        if (try_begin(work))
            return unlock(0); /* the list may have changed */
        work->next = servers.waiting;
        servers.waiting = work;
    }
}

static void arrive(void *argument)
{
    struct work *work = argument;
    if (work->epoch != servers.epoch || servers.is_down) {
        servers.under_way--;
        return;
    }
    if (try_begin(work))
        return;
    trace("database: a batch waits for a lock");
    work->next = servers.waiting;
    servers.waiting = work;
    sim_in(LOCK_WAIT_US, lock_timeout, work);
}

/* ---- fates ---- */

static void choose_fate(struct work *work)
{
    const struct statement_faults *faults = &servers.faults;
    size_t dice = chance_below(10000);
    const struct {
        unsigned share;
        int fate;
    } shares[] = { { faults->lost_before, FATE_LOST_BEFORE },
                   { faults->lost_after, FATE_LOST_AFTER },
                   { faults->late, FATE_LATE },
                   { faults->hung, FATE_HUNG },
                   { faults->refused, FATE_REFUSED } };
    for (size_t i = 0; i < countof(shares); i++) {
        if (dice < shares[i].share) {
            work->fate = shares[i].fate;
            return;
        }
        dice -= shares[i].share;
    }
}

void server_execute(struct session *session, struct request *request)
{
    static const char *const fates[] = {
        "", "lost before it arrives", "its response will be lost", "late", "hung", "refused"
    };
    struct work *work = sim_new(sizeof(*work));
    *work = (struct work){ .session = session,
                           .request = request,
                           .late_ms = servers.faults.late_ms,
                           .epoch = servers.epoch };
    choose_fate(work);
    if (work->fate != FATE_OK)
        trace("statement of %s: %s", world_process_name(session_owner(session)), fates[work->fate]);
    if (work->fate == FATE_LATE || work->fate == FATE_HUNG)
        world_on_late_statement(session_owner(session));
    int64_t way_us = chance_between(50, WAY_US_MAX);
    if (work->fate == FATE_LOST_BEFORE) {
        session_break_in(session, way_us);
        return;
    }
    servers.under_way++;
    if (work->fate == FATE_HUNG)
        way_us = chance_in(5000) ? chance_between(US_A_MS, LATE_AFTER_CLOSE_US) : way_us;
    if (work->fate == FATE_HUNG && chance_in(3000)) {
        servers.under_way--; /* never */
        return;
    }
    if (work->fate == FATE_HUNG)
        session_silence(session);
    sim_in(way_us, arrive, work);
}

/* ---- events ---- */

static void come_up(void *argument)
{
    (void)argument;
    trace("database: server %zu is the primary", servers.primary);
    servers.is_down = false;
}

static void go_down(int64_t down_us)
{
    servers.epoch++;
    servers.is_down = true;
    servers.locked = 0;
    while (servers.waiting) {
        servers.waiting = servers.waiting->next;
        servers.under_way--;
    }
    sessions_break_all();
    sim_in(down_us, come_up, NULL);
}

void servers_restart(int64_t down_us)
{
    if (servers.is_down)
        return;
    trace("database: server %zu stops for %lld ms", servers.primary,
          (long long)(down_us / US_A_MS));
    go_down(down_us);
}

unsigned servers_fail_over(size_t lost, int64_t down_us)
{
    unsigned accounts = 0;
    if (servers.is_down || servers.count < 2)
        return 0;
    lost = MIN(lost, MIN(servers.commits, (size_t)HISTORY));
    trace("database: server %zu dies, and the next primary lacks %zu commits", servers.primary,
          lost);
    for (size_t i = 0; i < lost; i++) {
        size_t place = --servers.commits % HISTORY;
        accounts |= servers.touched[place];
        model_copy(&servers.database, &servers.history[place]);
    }
    if (lost > 0 && postgres_is_on())
        compare_load(&servers.database);
    servers.primary = (servers.primary + 1) % servers.count;
    go_down(down_us);
    return accounts;
}

/* The locks of a session without a gateway. */
struct external {
    unsigned accounts;
    uint64_t epoch;
};

static void release_external(void *argument)
{
    const struct external *external = argument;
    if (external->epoch == servers.epoch)
        unlock(external->accounts);
}

void servers_lock(unsigned accounts, int64_t for_us)
{
    accounts &= ~servers.locked;
    if (accounts == 0 || servers.is_down)
        return;
    trace("database: another session locks accounts %x for %lld ms", accounts,
          (long long)(for_us / US_A_MS));
    servers.locked |= accounts;
    struct external *external = sim_new(sizeof(*external));
    *external = (struct external){ accounts, servers.epoch };
    sim_in(for_us, release_external, external);
}

struct statement_fate servers_visit(void)
{
    struct work work = { 0 };
    choose_fate(&work);
    task_sleep(chance_between(100, 4 * WAY_US_MAX));
    if (servers.is_down || work.fate == FATE_LOST_BEFORE || work.fate == FATE_REFUSED)
        return (struct statement_fate){ false, false };
    bool is_answered = work.fate == FATE_OK || work.fate == FATE_LATE;
    return (struct statement_fate){ is_answered || chance_in(5000), is_answered };
}
