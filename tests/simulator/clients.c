/* tests/simulator/clients.c - customers: they call, repeat with the same key, and wait. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "world.h"

enum {
    KEY_TEXT = 80,
    KEY_RATE = 5000,
    REPEAT_RATE = 7000, /* with the same key, after an error or a lost connection */
    TWICE_RATE = 1500,  /* although it succeeded */
    PAUSE_MS_MAX = 400,
    LONGEST_TOOL = TOOL_COUNT - 1,
};

static struct {
    size_t open;
} clients;

static struct attempt *new_attempt(void)
{
    return world.attempt_count < ATTEMPTS_MAX ? &world.attempt[world.attempt_count++] : NULL;
}

/* A gateway that takes calls, as the edge finds one. */
static size_t find_gateway(void)
{
    for (;;) {
        size_t number = chance_below(world.plan.gateways);
        for (size_t i = 0; i < world.plan.gateways; i++)
            if (gateway_is_up((number + i) % world.plan.gateways))
                return (number + i) % world.plan.gateways;
        task_sleep(20 * US_A_MS);
    }
}

static void describe(const struct attempt *attempt)
{
    char id[UUID_TEXT_BYTES];
    uuid_format(id, &attempt->id);
    trace("client %zu: %s for account %zu, key %d, call %s: %s%s", attempt->client,
          world_contracts[attempt->tool].tool, attempt->account, attempt->key, id,
          !attempt->is_done ? "the connection broke"
          : attempt->is_ok  ? "success"
                            : err_code(attempt->kind),
          attempt->is_replayed ? ", replayed" : "");
}

/* Returns false if the log is full. */
static bool call_once(size_t client, size_t account, size_t tool, int key, struct attempt **made)
{
    char text[KEY_TEXT];
    struct attempt *attempt = new_attempt();
    if (!attempt)
        return false;
    *attempt = (struct attempt){ .client = client, .account = account, .tool = tool, .key = key };
    snprintf(text, sizeof(text), "key-%zu-%zu-%d", account, tool, key);
    gateway_call(find_gateway(), attempt, key >= 0 ? text : NULL);
    describe(attempt);
    *made = attempt;
    return true;
}

static bool repeats(const struct attempt *attempt)
{
    if (attempt->key < 0)
        return false;
    return chance_in(attempt->is_done && attempt->is_ok ? TWICE_RATE : REPEAT_RATE);
}

static void run_client(void *argument)
{
    size_t client = (size_t)(uintptr_t)argument;
    size_t account = client % world.plan.accounts;
    struct attempt *attempt;
    for (size_t i = 0; i < world.plan.calls; i++) {
        size_t tool = world.plan.has_one_key ? LONGEST_TOOL : chance_below(TOOL_COUNT);
        int key = chance_in(KEY_RATE) ? (int)chance_below(KEYS_OF_CLIENT) : -1;
        if (world.plan.has_one_key)
            key = 0;
        task_sleep(chance_between(0, PAUSE_MS_MAX) * US_A_MS);
        while (call_once(client, account, tool, key, &attempt) && repeats(attempt))
            task_sleep(chance_between(0, PAUSE_MS_MAX) * US_A_MS);
    }
    clients.open--;
}

void clients_begin(void)
{
    clients.open = world.plan.clients;
    for (size_t i = 0; i < world.plan.clients; i++)
        task_start(run_client, (void *)(uintptr_t)i, "client", OWNER_NONE);
}

bool clients_are_done(void)
{
    return clients.open == 0;
}
