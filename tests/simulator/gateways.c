/* tests/simulator/gateways.c - gateways side by side in one process: started, drained, killed. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "gateway/dispatch/state.h"
#include "gateway/ledger/state.h"
#include "world.h"

enum {
    THREADS = 64,
    ANSWER_BYTES = 64 << 20,
    ANSWER_FREE_BYTES = 64, /* nearly all responses are counted */
    STOP_POLL_US = 5 * US_A_MS,
    NAME_BYTES = 24,
};

static const char *const url_of_servers[] = { "", "host=s0", "host=s0,s1" };
static const char *const groups[] = { "utils" };

struct gateway_sim {
    struct gateway gateway;
    struct offer offers[TOOL_COUNT];
    struct contract *contracts[TOOL_COUNT];
    int owner;
    bool is_up;   /* takes calls */
    bool is_gone; /* stopped or killed */
    size_t calls; /* in progress */
    char name[NAME_BYTES];
};

/* The current life of each gateway. */
static struct {
    int owners; /* of all lives so far */
    struct gateway_sim *life[GATEWAYS_MAX];
    struct gateway_sim *of_owner[OWNERS_MAX];
} gateways;

void gateways_begin(void)
{
    memset(&gateways, 0, sizeof(gateways));
    semaphores_reset();
}

const char *world_process_name(int owner)
{
    return owner == OWNER_NONE ? "world" : gateways.of_owner[owner]->name;
}

bool gateway_is_up(size_t number)
{
    return gateways.life[number] && gateways.life[number]->is_up;
}

bool gateway_is_settled(size_t number)
{
    struct gateway_sim *life = gateways.life[number];
    return !life || life->is_gone || ledger_is_settled(life->gateway.ledger);
}

/* ---- start ---- */

static void open_dispatch(struct gateway_sim *life)
{
    struct gateway *gateway = &life->gateway;
    struct dispatch_options options = { .endpoint = "",
                                        .groups = groups,
                                        .group_count = countof(groups),
                                        .contracts = life->contracts,
                                        .contract_count = TOOL_COUNT,
                                        .threads = THREADS,
                                        .answers = &gateway->answers,
                                        .metrics = world.metrics };
    struct err err = { 0 };
    bool ok = dispatch_start(&options, allow_new(), &gateway->dispatch, &err);
    assert(ok);
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        struct contract *contract = &world_contracts[i];
        life->contracts[i] = contract;
        life->offers[i] = (struct offer){ .contract = contract,
                                          .name = contract->tool,
                                          .group = contract->group,
                                          .rate_class = contract->rate_class,
                                          .tool_id = (int64_t)i + 1,
                                          .daemons = dispatch_group(gateway->dispatch, "utils") };
    }
}

/* In a task of the gateway, so that its threads belong to it. */
static void start(void *argument)
{
    struct gateway_sim *life = argument;
    struct gateway *gateway = &life->gateway;
    static char secret[] = "the simulated secret";
    gateway->hold_grace_ms = HOLD_GRACE_MS;
    gateway->one_write_budget_ms = ONE_WRITE_BUDGET_MS;
    gateway->secret = secret;
    gateway->buy_url = "";
    gateway->metrics = world.metrics;
    gateway->limits = &world_limits;
    memory_budget_open(&gateway->answers, ANSWER_BYTES, ANSWER_FREE_BYTES, "crowded");
    open_dispatch(life);
    gateway->ledger =
        ledger_start(&(struct ledger_options){ .url = url_of_servers[world.plan.servers],
                                               .timeout_ms = LEDGER_TIMEOUT_MS,
                                               .sweep_ms = SWEEP_MS,
                                               .metrics = world.metrics });
    life->is_up = true;
    trace("%s serves", life->name);
}

void gateway_start(size_t number)
{
    if (gateways.life[number] && !gateways.life[number]->is_gone)
        return;
    struct gateway_sim *life = sim_new(sizeof(*life));
    life->owner = ++gateways.owners;
    assert(life->owner < (int)countof(gateways.of_owner));
    snprintf(life->name, sizeof(life->name), "gateway%zu", number);
    gateways.life[number] = life;
    gateways.of_owner[life->owner] = life;
    task_start(start, life, life->name, life->owner);
}

/* ---- end ---- */

/* What its calls have said is all that their clients know: the schedule's judge must not expect
 * more of a gateway that can do nothing any more. */
static void note_end(size_t number)
{
    world.gateway_stopped = true;
    for (size_t i = 0; i < world.attempt_count; i++)
        if (world.attempt[i].gateway == number)
            world.attempt[i].was_killed = true;
}

/* The large tables of a gateway; the rest is small, and freed with the process. */
static void free_tables(struct gateway_sim *life)
{
    struct ledger *ledger = life->gateway.ledger;
    if (!ledger)
        return;
    mem_free(&ledger->params.bytes.bytes);
    refusals_free(&ledger->refusals);
    spend_estimate_free(&ledger->estimate);
}

static void forget(struct gateway_sim *life, size_t number)
{
    life->is_up = false;
    life->is_gone = true;
    servers_drop_connections(life->owner);
    bus_drop_owner(life->owner);
    note_end(number);
    task_notify(life);
}

static size_t number_of(const struct gateway_sim *life)
{
    size_t number = 0;
    while (gateways.life[number] != life)
        number++;
    return number;
}

void gateway_kill_owner(int owner)
{
    struct gateway_sim *life = gateways.of_owner[owner];
    if (life->is_gone)
        return;
    trace("%s is killed", life->name);
    forget(life, number_of(life));
    tasks_kill(owner);
}

void gateway_kill(size_t number)
{
    struct gateway_sim *life = gateways.life[number];
    if (life && !life->is_gone)
        gateway_kill_owner(life->owner);
}

/* Each item of the ledger has a semaphore, and only settlements outlive their call. */
static void check_items(const struct gateway_sim *life, size_t settlements)
{
    size_t items = semaphores_of(life->owner);
    if (items != settlements)
        world_fail("%s has %zu items of its ledger, and %zu settlements", life->name, items,
                   settlements);
}

/* As gateway/main.c drains: no new calls, then those in progress end, then the threads. */
static void stop(void *argument)
{
    struct gateway_sim *life = argument;
    while (life->calls > 0)
        task_sleep(STOP_POLL_US);
    dispatch_stop(&life->gateway.dispatch);
    ledger_stop(&life->gateway.ledger);
    memory_budget_close(&life->gateway.answers);
    check_items(life, 0);
    trace("%s has stopped", life->name);
    forget(life, number_of(life));
}

void gateway_stop(size_t number)
{
    struct gateway_sim *life = gateways.life[number];
    if (!life || !life->is_up)
        return;
    trace("%s drains", life->name);
    life->is_up = false;
    task_start(stop, life, life->name, life->owner);
}

/* ---- calls ---- */

struct served {
    struct gateway_sim *life;
    struct attempt *attempt;
    const char *key;
};

static void copy_answer(struct attempt *attempt, const struct buf *answer)
{
    snprintf(attempt->result, sizeof(attempt->result), "%.*s", (int)answer->size, answer->bytes);
}

static void serve(void *argument)
{
    const struct served *served = argument;
    struct attempt *attempt = served->attempt;
    struct buf headers = BUF(HEADER_MAX_BYTES);
    struct buf answer = BUF(MESSAGE_BODY_MAX_BYTES);
    struct reservation reservation = { 0 };
    struct call *call = sim_new(sizeof(*call));
    call_begin(call, &served->life->gateway);
    attempt->id = call->id;
    call->offer = &served->life->offers[attempt->tool];
    call->account = tools_account(attempt->account);
    tools_token(attempt->account, 0, call->token);
    call->request_id = "";
    call->traceparent = "";
    call->key = served->key;
    call->body = text_of("{}");
    call->answer_headers = &headers;
    call->answer = &answer;
    call->reservation = &reservation;
    attempt->is_ok = call_buy(call);
    attempt->kind = attempt->is_ok ? ERR_NONE : call->errs.item[0].kind;
    attempt->is_replayed = call->is_replayed;
    attempt->charged = call->charged;
    if (attempt->is_ok)
        copy_answer(attempt, &answer);
    if (!attempt->is_ok && call->errs.count == 0)
        world_fail("a call failed without an error");
    attempt->end_us = sim_now_us();
    attempt->is_done = true;
    buf_free(&headers);
    buf_free(&answer);
    reservation_free(&reservation);
    served->life->calls--;
    task_notify(served->life);
}

void gateway_call(size_t number, struct attempt *attempt, const char *key)
{
    struct gateway_sim *life = gateways.life[number];
    struct served *served = sim_new(sizeof(*served));
    *served = (struct served){ life, attempt, key };
    attempt->gateway = number;
    attempt->begin_us = sim_now_us();
    attempt->stalled_us = sim_stalled_us();
    life->calls++;
    task_start(serve, served, life->name, life->owner);
    while (!attempt->is_done && !life->is_gone)
        task_wait(life, INT64_MAX);
}

void gateways_free(void)
{
    for (int owner = 1; owner <= gateways.owners; owner++)
        free_tables(gateways.of_owner[owner]);
}

static void check_idle(struct gateway_sim *life)
{
    struct dispatch *dispatch = life->gateway.dispatch;
    struct ledger *ledger = life->gateway.ledger;
    if (dispatch->runs.count > 0)
        world_fail("%s has %zu jobs, and no call", life->name, dispatch->runs.count);
    if (dispatch->groups[0].permits > 0)
        world_fail("%s has lost %zu permits", life->name, dispatch->groups[0].permits);
    if (memory_budget_reserved(&life->gateway.answers) > 0)
        world_fail("%s has lost memory of responses", life->name);
    if (ledger->admits.count + ledger->checks.count + ledger->starts.count > 0)
        world_fail("%s has items in its queues, and no call", life->name);
    check_items(life, ledger->settles.count + ledger->writer.count);
}

void gateways_check_idle(void)
{
    for (size_t i = 0; i < world.plan.gateways; i++)
        if (gateway_is_up(i))
            check_idle(gateways.life[i]);
}
