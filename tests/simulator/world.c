/* tests/simulator/world.c - a schedule: clients and disasters, then peace, then the judgement. */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "descriptors.h"

enum {
    STEP_US = 20 * US_A_MS,
    CLIENTS_MS_MAX = 600000,  /* all calls of all clients */
    HEAL_MS = 20000,          /* after the longest late commit */
    CLOCK_MS = 100000,        /* later, if holds were made while the clock was ahead */
    WHOLE_SWEEP_MS = 3700000, /* later, if a hold was committed long after its time: sweeps.c */
    LONG_AFTER_MS = 60000,
    FAR_AHEAD_MS = 3600000,
};

struct world world;

void world_fail(const char *format, ...)
{
    if (*world.violation)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world.violation, sizeof(world.violation), format, arguments);
    va_end(arguments);
    trace("VIOLATION: %s", world.violation);
}

int64_t world_wall_ms(void)
{
    return clock_wall_ms();
}

struct attempt *world_find_attempt(const struct uuid *id)
{
    for (size_t i = world.attempt_count; i-- > 0;)
        if (uuid_equal(&world.attempt[i].id, id))
            return &world.attempt[i];
    return NULL;
}

/* ---- the plan ---- */

static unsigned sometimes(unsigned most)
{
    return chance_in(4000) ? 0 : (unsigned)chance_below(most + 1);
}

static struct plan make_plan(uint64_t seed)
{
    chance_begin(seed ^ 0x5eed);
    struct plan plan = { .seed = seed,
                         .gateways = 1 + chance_below(GATEWAYS_MAX),
                         .servers = 1 + chance_below(SERVERS_MAX),
                         .accounts = 1 + chance_below(3),
                         .workers = 1 + chance_below(WORKERS_MAX),
                         .clients = 2 + chance_below(CLIENTS_MAX - 1),
                         .calls = 1 + chance_below(5),
                         .worker_faults = sometimes(4000),
                         .disasters = chance_below(5) };
    static const unsigned switches[] = { 10000, 5000, 1500, 300 };
    plan.pace.switches = switches[chance_below(countof(switches))];
    plan.pace.stalls = chance_in(3000) ? 20 : 0;
    plan.pace.stall_us = chance_in(5000) ? 1500 * US_A_MS : 60 * US_A_MS;
    plan.faults = (struct statement_faults){ .lost_before = sometimes(600),
                                             .lost_after = sometimes(1200),
                                             .late = sometimes(800),
                                             .hung = sometimes(300),
                                             .refused = sometimes(800),
                                             .late_ms = chance_in(5000) ? 1300 : 2500 };
    if (chance_in(20))
        plan.faults.late_ms = 70000; /* later than the sweep looks back */
    plan.has_small_windows = chance_in(2500);
    plan.has_few_credits = chance_in(2000);
    plan.steps_clock = chance_in(1500);
    plan.loses_commits = chance_in(2000);
    plan.is_poisoned = chance_in(1000);
    if (chance_in(1500))
        plan.faults.late = 2500;
    plan.kills_late = chance_in(1500);
    if (plan.kills_late)
        plan.faults.late_ms = chance_in(5000) ? 9000 : 50000;
    plan.has_one_key = chance_in(400);
    plan.steps_clock |= plan.has_one_key;
    if (plan.has_one_key)
        plan.accounts = 1;
    if (plan.steps_clock)
        plan.disasters += 3;
    return plan;
}

static void trace_plan(const struct plan *plan)
{
    trace("seed %llu: %zu gateways, %zu servers, %zu workers, %zu accounts, %zu clients with %zu "
          "calls each, %zu disasters",
          (unsigned long long)plan->seed, plan->gateways, plan->servers, plan->workers,
          plan->accounts, plan->clients, plan->calls, plan->disasters);
}

/* ---- the schedule ---- */

bool world_must_end(const struct m_hold *hold)
{
    return hold->state == HOLD_OPEN &&
           !model_account(servers_database(), &hold->account)->is_poisoned &&
           hold->expires_ms < servers_now_ms() + FAR_AHEAD_MS;
}

static bool is_healed(void)
{
    const struct model *model = servers_database();
    if (!servers_are_idle())
        return false;
    for (size_t i = 0; i < world.plan.gateways; i++)
        if (!gateway_is_up(i) || !gateway_is_settled(i))
            return false;
    for (size_t i = 0; i < model->hold_count; i++)
        if (world_must_end(&model->hold[i]))
            return false;
    return true;
}

static void stop_faults(void)
{
    static const struct statement_faults none;
    servers_set_faults(&none);
    servers_set_clock(0);
    workers_set_faults(0);
    disasters_end();
    trace("faults stop");
}

static void wait_for_clients(void)
{
    while (!clients_are_done() && !*world.violation) {
        task_sleep(STEP_US);
        if (sim_now_us() > (int64_t)CLIENTS_MS_MAX * US_A_MS)
            world_fail("a client never gets an answer");
    }
}

/* A hold with a time that sweeps have passed, by a late commit or a clock that was behind, ends
 * with the next sweep of everything. */
static int64_t healing_ms(void)
{
    bool needs_whole = world.plan.faults.late_ms > LONG_AFTER_MS || world.clock_was_wrong;
    return HEAL_MS + world.plan.faults.late_ms + (world.clock_was_wrong ? CLOCK_MS : 0) +
           (needs_whole ? WHOLE_SWEEP_MS : 0);
}

static void wait_until_healed(void)
{
    int64_t until_us = sim_now_us() + healing_ms() * US_A_MS;
    while (!is_healed() && !*world.violation) {
        task_sleep(STEP_US);
        if (sim_now_us() > until_us + sim_stalled_us())
            world_fail("faults have stopped, and a queue or a hold does not end");
    }
}

static void play(void *unused)
{
    (void)unused;
    trace_plan(&world.plan);
    for (size_t i = 0; i < world.plan.gateways; i++)
        gateway_start(i);
    clients_begin();
    disasters_begin();
    wait_for_clients();
    stop_faults();
    wait_until_healed();
    gateways_check_idle();
    judge_end();
}

bool world_run(uint64_t seed)
{
    static struct model first;
    const char *why = NULL;
    struct metrics *metrics = world.metrics;
    memset(&world, 0, offsetof(struct world, attempt));
    world.metrics = metrics;
    world.lost_accounts = 0;
    world.lost_us = 0;
    world.clock_was_wrong = false;
    world.gateway_stopped = false;
    world.works = 0;
    *world.violation = '\0';
    world.plan = make_plan(seed);
    descriptors_reset();
    sessions_reset();
    gateways_begin();
    tools_begin(&world.plan, &first);
    servers_begin(world.plan.servers, &first, &world.plan.faults);
    workers_begin(world.plan.workers, world.plan.worker_faults);
    judge_begin();
    if (!sim_run(seed, &world.plan.pace, play, NULL, &why))
        world_fail("%s", why);
    gateways_free();
    return !*world.violation;
}

/* ---- commits ---- */

static void trace_outcome(const char *what, const struct uuid *hold, int64_t op,
                          const struct m_outcome *outcome)
{
    static const char *const ops[] = { "",      "capture", "void", "cancel", "void, keep day",
                                       "admit", "pay" };
    char id[UUID_TEXT_BYTES];
    uuid_format(id, hold);
    trace("  %s: %s %s: %s, posted %lld, held %lld", what, ops[op], id, outcome->outcome,
          (long long)outcome->posted, (long long)outcome->held);
}

void world_trace_batch(const struct request *request, const struct response *response,
                       int64_t now_ms)
{
    if (!trace_is_on() || request->statement != STATEMENT_BATCH)
        return;
    const struct m_batch *batch = &request->batch;
    trace("database: a batch commits, clock %lld", (long long)now_ms);
    for (size_t i = 0; i < batch->settle_count; i++)
        trace_outcome("settle", &batch->settle[i].hold, batch->settle[i].op, &response->outcome[i]);
    for (size_t i = 0; i < batch->admit_count; i++)
        trace_outcome("admit", &batch->admit[i].hold, batch->admit[i].op,
                      &response->outcome[batch->settle_count + i]);
}

void world_on_commit(const struct request *request, const struct response *response, int64_t now_ms)
{
    if (request->statement == STATEMENT_BATCH)
        judge_commit(request, response, now_ms);
}
