/*
 * tests/simulator/world.h - the plan of a schedule, and the log that its judge reads.
 */
#pragma once

#include "gateway/call/call.h"
#include "scheduler.h"
#include "server.h"
#include "sessions.h"

enum {
    GATEWAYS_MAX = 3,
    CLIENTS_MAX = 8,
    WORKERS_MAX = 3,
    TOOL_COUNT = 5,
    ATTEMPTS_MAX = 96,
    KEYS_OF_CLIENT = 3,
    LEDGER_TIMEOUT_MS = 1000,
    SWEEP_MS = 500,
    HOLD_GRACE_MS = 1000,
    ONE_WRITE_BUDGET_MS = 1000,
    RESULT_BYTES = 160,
};

/* What the seed decides before the schedule begins. */
struct plan {
    uint64_t seed;
    size_t gateways, servers, accounts, workers, clients, calls;
    struct pace pace;
    struct statement_faults faults;
    unsigned worker_faults; /* of 10,000 jobs */
    size_t disasters;       /* restarts, kills, locks and so on */
    bool has_small_windows, has_few_credits;
    bool steps_clock;   /* the database's clock is wrong at times */
    bool loses_commits; /* a failover may lose commits */
    bool is_poisoned;   /* an account's rows contradict */
    bool has_one_key;   /* all calls have the same tool and key, and the clock is wrong at times */
    bool kills_late;    /* gateways whose statements are late die */
};

/* One call of a client. */
struct attempt {
    size_t client, account, tool, gateway;
    int key; /* -1: none; else its number within the account */
    struct uuid id;
    int64_t begin_us, end_us;
    int64_t stalled_us; /* before it began */
    bool is_done;       /* the gateway has responded; else it died */
    bool is_ok;
    enum err_kind kind; /* of its error */
    bool is_replayed;
    int64_t charged;
    char result[RESULT_BYTES]; /* its body, with the id of the call that made it */
    bool was_declined;         /* by its worker, which keeps its place in the day */
    bool has_internal_error;   /* of its worker */
    bool was_killed;           /* its gateway stopped or died, when it had said what it knew */
};

struct world {
    struct plan plan;
    struct metrics *metrics; /* of all gateways and schedules */
    size_t attempt_count;
    struct attempt attempt[ATTEMPTS_MAX];
    unsigned lost_accounts; /* a failover lost commits of these, */
    int64_t lost_us;        /* the last time at this time */
    bool clock_was_wrong;   /* the database's clock was not true at some time */
    bool gateway_stopped;   /* one stopped before its queues were empty, or was killed */
    size_t works;           /* of workers */
    char violation[256];    /* the first one; "": none */
};
extern struct world world;

/* Record a violation; the first one counts. */
void world_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

int64_t world_wall_ms(void);
const char *world_process_name(int owner);

/* Run the schedule of a seed. False: world.violation says what is wrong. */
bool world_run(uint64_t seed);

/* ---- what happens in it ---- */

void world_at_fault_point(const char *name);
void world_on_late_statement(int owner);
void world_trace_batch(const struct request *request, const struct response *response,
                       int64_t now_ms);
/* Is it open, and has to end within minutes? Not if the clock was a day ahead when it was made. */
bool world_must_end(const struct m_hold *hold);

void world_on_commit(const struct request *request, const struct response *response,
                     int64_t now_ms);

/* ---- tools.c: the tools, accounts and tokens of all schedules ---- */

extern struct contract world_contracts[TOOL_COUNT];
extern struct limits world_limits;
void tools_begin(const struct plan *plan, struct model *model);
struct uuid tools_account(size_t account);
void tools_token(size_t account, size_t number, uint8_t digest[static DIGEST_BYTES]);
int64_t tools_first_credits(void);

/* ---- gateways.c ---- */

void gateways_begin(void);
void gateway_start(size_t number);
bool gateway_is_up(size_t number);
bool gateway_is_settled(size_t number);
void gateway_kill(size_t number);
void gateway_stop(size_t number); /* drains it; waits */
void gateway_kill_owner(int owner);

/* A call through a gateway; the attempt is done, or its gateway died. Waits. */
void gateway_call(size_t number, struct attempt *attempt, const char *key);

/* Nothing is left behind: permits, memory, jobs, items of the ledger. */
void gateways_check_idle(void);
void gateways_free(void); /* after the schedule */

/* ---- wraps.c ---- */

void semaphores_reset(void);
size_t semaphores_of(int owner); /* that exist */

/* ---- workers.c: the bus, and the daemons ---- */

/* The attempt with this id; NULL: none. */
struct attempt *world_find_attempt(const struct uuid *id);

void workers_begin(size_t count, unsigned faults);
void workers_set_faults(unsigned faults);
void bus_drop_owner(int owner);
void worker_crash(size_t worker, int64_t away_us);
void worker_freeze(size_t worker, int64_t for_us);
void worker_drain(size_t worker, int64_t away_us);

/* ---- clients.c ---- */

void clients_begin(void);
bool clients_are_done(void);

/* ---- disasters.c ---- */

void disasters_begin(void);
void disasters_end(void);

/* ---- judge.c ---- */

void judge_begin(void);
void judge_commit(const struct request *request, const struct response *response, int64_t now_ms);
void judge_end(void);
