/* tests/simulator/disasters.c - what happens to the parts of the system during a schedule. */
#include "base/num.h"
#include "world.h"

enum {
    SPAN_MS = 2500, /* disasters begin in this time */
    DOWN_MS_MAX = 1500,
    LATE_KILLS = 4,
    FAULT_POINT_RATE = 1000, /* of 10,000 passes, when one is to die at such a point */
};

static struct {
    bool is_on;
    size_t kills;      /* left, at fault points, */
    size_t late_kills; /* and for late statements */
} disasters;

static unsigned some_account(void)
{
    return 1u << chance_below(world.plan.accounts);
}

static int64_t some_time_us(void)
{
    return chance_between(1, DOWN_MS_MAX) * US_A_MS;
}

/* Again later, if it still drains. */
static void restart_gateway(void *argument)
{
    gateway_start((size_t)(uintptr_t)argument);
    if (!gateway_is_up((size_t)(uintptr_t)argument))
        sim_in(DOWN_MS_MAX * US_A_MS, restart_gateway, argument);
}

static void do_kill_gateway(void)
{
    size_t number = chance_below(world.plan.gateways);
    gateway_kill(number);
    sim_in(some_time_us(), restart_gateway, (void *)(uintptr_t)number);
}

static void do_kill_at_fault_point(void)
{
    disasters.kills++;
}

static void do_stop_gateway(void)
{
    size_t number = chance_below(world.plan.gateways);
    gateway_stop(number);
    sim_in(4 * some_time_us(), restart_gateway, (void *)(uintptr_t)number);
}

static void do_restart_database(void)
{
    servers_restart(some_time_us());
}

static void do_fail_over(void)
{
    size_t lost = world.plan.loses_commits ? chance_below(4) : 0;
    unsigned accounts = servers_fail_over(lost, some_time_us());
    world.lost_accounts |= accounts;
    if (accounts)
        world.lost_us = sim_now_us();
}

static void do_lock(void)
{
    servers_lock(some_account(), chance_between(1, 400) * US_A_MS);
}

static void do_crash_worker(void)
{
    worker_crash(chance_below(world.plan.workers), some_time_us());
}

static void do_freeze_worker(void)
{
    worker_freeze(chance_below(world.plan.workers), chance_between(1, 6000) * US_A_MS);
}

static void do_drain_worker(void)
{
    worker_drain(chance_below(world.plan.workers), some_time_us());
}

static void right_clock(void *unused)
{
    (void)unused;
    servers_set_clock(0);
}

static void do_step_clock(void)
{
    static const int64_t steps_ms[] = { -90000, -3000, -200,  200,
                                        3000,   90000, 90000, MS_A_DAY + 60000 };
    world.clock_was_wrong = true;
    servers_set_clock(steps_ms[chance_below(countof(steps_ms))]);
    sim_in(some_time_us(), right_clock, NULL);
}

static void strike(void *unused)
{
    static void (*const acts[])(void) = {
        do_kill_gateway,  do_kill_at_fault_point,
        do_stop_gateway,  do_restart_database,
        do_fail_over,     do_lock,
        do_lock,          do_crash_worker,
        do_freeze_worker, do_drain_worker,
    };
    (void)unused;
    if (disasters.is_on && world.plan.steps_clock &&
        chance_in(world.plan.has_one_key ? 9000 : 5000))
        do_step_clock();
    else if (disasters.is_on)
        acts[chance_below(countof(acts))]();
}

static void restart_all(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < world.plan.gateways; i++)
        restart_gateway((void *)(uintptr_t)i);
}

void world_at_fault_point(const char *name)
{
    int owner = task_owner();
    if (!disasters.is_on || disasters.kills == 0 || !chance_in(FAULT_POINT_RATE))
        return;
    disasters.kills--;
    trace("%s reaches %s", world_process_name(owner), name);
    sim_in(some_time_us(), restart_all, NULL);
    gateway_kill_owner(owner);
}

static void kill_late(void *argument)
{
    if (disasters.is_on)
        gateway_kill_owner((int)(intptr_t)argument);
    sim_in(some_time_us(), restart_all, NULL);
}

void world_on_late_statement(int owner)
{
    if (!disasters.is_on || !world.plan.kills_late || disasters.late_kills == 0)
        return;
    disasters.late_kills--;
    sim_in(chance_between(0, 200) * US_A_MS, kill_late, (void *)(intptr_t)owner);
}

void disasters_begin(void)
{
    disasters.is_on = true;
    disasters.kills = 0;
    disasters.late_kills = LATE_KILLS;
    for (size_t i = 0; i < world.plan.disasters; i++)
        sim_in(chance_between(0, SPAN_MS) * US_A_MS, strike, NULL);
}

void disasters_end(void)
{
    disasters.is_on = false;
    restart_all(NULL);
}
