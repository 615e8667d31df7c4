/* tests/unit/gateway/call/call.c - what a paid call requests from the ledger and the dispatcher, in
 * which order, and its outcome. Both are played; no HTTP front is linked. */
#include "gateway/call/call.h"

#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "gateway/ledger/large-response.h"
#include "rows.h"

#define QR         "qr-generate" /* returns JSON, or raw with headers; here its responses are stored */
#define HASH       "hash-generate" /* its requests are secret */

#define TEN        "0123456789"
#define FIFTY      TEN TEN TEN TEN TEN
#define IN_JSON(s) "{\"a\":\"" s "\"}"

enum {
    ROOM_BYTES = 1000,
    CRAMPED_BYTES = 60,
    LARGE_BYTES = LARGE_RESPONSE_BYTES + 1,
    GRACE_MS = 500,
};

static const uint8_t customer_token[DIGEST_BYTES] = "the digest of a token..........";

static const struct row {
    const char *name;
    const char *tool;
    const char *key; /* Idempotency-Key */
    /* what the ledger returns */
    enum err_kind admission;
    const char *kept;    /* the same call was made before: its response; "": not with its key */
    enum err_kind large; /* of storing or reading a large response */
    enum err_kind capture;
    bool goes_ahead;     /* its work may start before it is paid */
    enum err_kind start; /* of that work */
    enum err_kind payment;
    enum err_kind count; /* of a call whose work has failed */
    /* what the dispatcher and the worker return */
    enum err_kind ticket;
    enum err_kind run;
    enum err_kind tool_error;
    const char *type;
    const char *header;
    const char *body;
    bool has_effects; /* the tool may not run twice */
    bool is_long;     /* it may take longer than short tools */
    bool is_free;     /* the tool costs 0 credits */
    bool is_left;     /* the client goes away while the tool runs */
    bool is_cramped;  /* the front has little room for header lines, */
    bool is_tight;    /* or for the response */
    bool is_crowded;  /* no memory for large responses, and all of these are large */
    bool is_large;    /* the worker's response is larger than 1 MiB, */
    size_t less;      /* minus these bytes */
    size_t wraps;     /* the front adds this many bytes to a response */
    /* the outcome */
    const char *steps;
    enum err_kind want; /* ERR_NONE: success */
    int64_t charged;
    const char *message; /* a part of it */
    const char *headers;
    const char *answer;
} rows[] = {
    { .name = "bought",
      .tool = QR,
      .body = "{\"a\":1}",
      .charged = 1,
      .steps = "ticket admit:1 run capture return",
      .headers = "Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                 "Cache-Control: no-store\r\n",
      .answer = "{\"result\":{\"a\":1},\"success\":true,\"errors\":[]}" },
    { .name = "with a key",
      .tool = QR,
      .key = "k",
      .body = "{}",
      .charged = 1,
      .steps = "ticket admit:1:key run capture:kept return",
      .answer = "{\"result\":{},\"success\":true,\"errors\":[]}" },
    { .name = "a secret with a key",
      .tool = HASH,
      .key = "k",
      .body = "{}",
      .charged = 1,
      .steps = "ticket admit:1:key run capture:again return" },
    { .name = "a secret without a key",
      .tool = HASH,
      .body = "{}",
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "raw",
      .tool = QR,
      .type = "image/png",
      .header = "X-QR-Version",
      .body = "\x89PNG",
      .charged = 1,
      .steps = "ticket admit:1 run capture return",
      .headers = "Content-Type: image/png\r\nX-QR-Version: 7\r\nX-QR-Version: 8\r\n",
      .answer = "\x89PNG" },
    { .name = "raw and empty, with a key",
      .tool = QR,
      .key = "k",
      .type = "image/png",
      .body = "",
      .charged = 1,
      .steps = "ticket admit:1:key run capture:kept return",
      .answer = "" },
    { .name = "raw of another type",
      .tool = QR,
      .type = "text/html",
      .body = "x",
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL },
    { .name = "raw with another header",
      .tool = QR,
      .type = "image/png",
      .header = "Set-Cookie",
      .body = "x",
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL },
    { .name = "an invalid result",
      .tool = QR,
      .body = "[]",
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL },
    { .name = "a broken result",
      .tool = QR,
      .body = "{",
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL },
    { .name = "a result after blanks",
      .tool = QR,
      .body = " {}",
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "header lines that do not fit",
      .tool = QR,
      .is_cramped = true,
      .body = "{}",
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL },
    { .name = "a result that does not fit",
      .tool = QR,
      .is_tight = true,
      .body = "{}",
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL },
    { .name = "a raw response that fits, in little room",
      .tool = QR,
      .is_cramped = true,
      .type = "image/png",
      .body = "x",
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "free",
      .tool = QR,
      .is_free = true,
      .body = "{}",
      .steps = "ticket admit:0 day run return" },
    { .name = "free, with a key",
      .tool = QR,
      .is_free = true,
      .key = "k",
      .body = "{}",
      .steps = "ticket admit:0 day run return" },
    { .name = "free and large, with a key",
      .tool = QR,
      .is_free = true,
      .key = "k",
      .is_large = true,
      .steps = "ticket admit:0 day run return" },
    { .name = "a free tool is not paid afterwards",
      .tool = QR,
      .is_free = true,
      .goes_ahead = true,
      .body = "{}",
      .steps = "ticket admit:0 day run return" },
    { .name = "the client leaves",
      .tool = QR,
      .is_left = true,
      .body = "{}",
      .steps = "ticket admit:1 cancel run void:keep-day return",
      .want = ERR_DEADLINE_EXCEEDED },
    { .name = "no place in the queue",
      .tool = QR,
      .ticket = ERR_OVERLOADED,
      .steps = "ticket",
      .want = ERR_OVERLOADED },
    { .name = "too poor",
      .tool = QR,
      .admission = ERR_INSUFFICIENT_CREDITS,
      .steps = "ticket admit:1 return",
      .want = ERR_INSUFFICIENT_CREDITS },
    { .name = "no daemon",
      .tool = QR,
      .run = ERR_NO_WORKER,
      .steps = "ticket admit:1 run void return",
      .want = ERR_NO_WORKER },
    { .name = "the tool rejects",
      .tool = QR,
      .tool_error = ERR_CAPACITY_EXCEEDED,
      .steps = "ticket admit:1 run void return",
      .want = ERR_CAPACITY_EXCEEDED },
    { .name = "the model declines",
      .tool = QR,
      .tool_error = ERR_MODEL_REFUSED,
      .steps = "ticket admit:1 run void:keep-day return",
      .want = ERR_MODEL_REFUSED },
    { .name = "the tool rejects before the model would",
      .tool = QR,
      .tool_error = ERR_CONTENT_NOT_ALLOWED,
      .steps = "ticket admit:1 run void:keep-day return",
      .want = ERR_CONTENT_NOT_ALLOWED },
    { .name = "what went wrong inside stays there",
      .tool = QR,
      .tool_error = ERR_INTERNAL,
      .steps = "ticket admit:1 run void return",
      .want = ERR_INTERNAL,
      .message = "the tool failed; nothing was charged" },
    { .name = "not charged, not answered",
      .tool = QR,
      .capture = ERR_LEDGER_UNAVAILABLE,
      .body = "{}",
      .steps = "ticket admit:1 run capture return",
      .want = ERR_LEDGER_UNAVAILABLE },
    { .name = "perhaps charged, not answered",
      .tool = QR,
      .capture = ERR_OUTCOME_UNKNOWN,
      .body = "{}",
      .steps = "ticket admit:1 run capture return",
      .want = ERR_OUTCOME_UNKNOWN,
      .message = "check the account's credits" },
    { .name = "perhaps charged, with a key",
      .tool = QR,
      .key = "k",
      .capture = ERR_OUTCOME_UNKNOWN,
      .body = "{}",
      .steps = "ticket admit:1:key run capture:kept return",
      .want = ERR_OUTCOME_UNKNOWN,
      .message = "retry with the same Idempotency-Key" },
    { .name = "paid afterwards",
      .tool = QR,
      .goes_ahead = true,
      .body = "{\"a\":1}",
      .charged = 1,
      .steps = "ticket advance:1 run pay return",
      .answer = "{\"result\":{\"a\":1},\"success\":true,\"errors\":[]}" },
    { .name = "with a key it is not paid afterwards",
      .tool = QR,
      .key = "k",
      .goes_ahead = true,
      .body = "{}",
      .charged = 1,
      .steps = "ticket admit:1:key run capture:kept return" },
    { .name = "a tool that may not run twice is not paid afterwards",
      .tool = QR,
      .goes_ahead = true,
      .has_effects = true,
      .body = "{}",
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "nor one that may take longer",
      .tool = QR,
      .goes_ahead = true,
      .is_long = true,
      .body = "{}",
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "paid afterwards, and too poor",
      .tool = QR,
      .goes_ahead = true,
      .body = "{}",
      .payment = ERR_INSUFFICIENT_CREDITS,
      .steps = "ticket advance:1 run pay return",
      .want = ERR_INSUFFICIENT_CREDITS,
      .message = "this call costs 1 credit" },
    { .name = "paid afterwards, and not confirmed",
      .tool = QR,
      .goes_ahead = true,
      .body = "{}",
      .payment = ERR_OUTCOME_UNKNOWN,
      .steps = "ticket advance:1 run pay return",
      .want = ERR_OUTCOME_UNKNOWN,
      .message = "check the account's credits" },
    { .name = "paid afterwards, and the ledger is away",
      .tool = QR,
      .goes_ahead = true,
      .body = "{}",
      .payment = ERR_LEDGER_UNAVAILABLE,
      .steps = "ticket advance:1 run pay return",
      .want = ERR_LEDGER_UNAVAILABLE },
    { .name = "paid afterwards, and the ledger fails",
      .tool = QR,
      .goes_ahead = true,
      .body = "{}",
      .payment = ERR_INTERNAL,
      .steps = "ticket advance:1 run pay return",
      .want = ERR_INTERNAL,
      .message = "as the ledger says" },
    { .name = "the ledger does not let it begin",
      .tool = QR,
      .goes_ahead = true,
      .start = ERR_LEDGER_UNAVAILABLE,
      .steps = "ticket advance:1 return",
      .want = ERR_LEDGER_UNAVAILABLE },
    { .name = "no daemon, ahead of the payment",
      .tool = QR,
      .goes_ahead = true,
      .body = "{}",
      .run = ERR_NO_WORKER,
      .steps = "ticket advance:1 run forgo count return",
      .want = ERR_NO_WORKER },
    { .name = "a failure takes its place in the minute",
      .tool = QR,
      .goes_ahead = true,
      .tool_error = ERR_CAPACITY_EXCEEDED,
      .steps = "ticket advance:1 run forgo count return",
      .want = ERR_CAPACITY_EXCEEDED },
    { .name = "content that the model declines takes its place in the day too",
      .tool = QR,
      .goes_ahead = true,
      .tool_error = ERR_MODEL_REFUSED,
      .steps = "ticket advance:1 run forgo count:day return",
      .want = ERR_MODEL_REFUSED },
    { .name = "a failure for which there is no place",
      .tool = QR,
      .goes_ahead = true,
      .tool_error = ERR_CAPACITY_EXCEEDED,
      .count = ERR_RATE_LIMITED_GLOBAL,
      .steps = "ticket advance:1 run forgo count return",
      .want = ERR_RATE_LIMITED_GLOBAL },
    { .name = "made before",
      .tool = QR,
      .key = "k",
      .kept = "old",
      .steps = "ticket admit:1:key return",
      .headers = "A: b\r\n",
      .answer = "old" },
    { .name = "made before, with room for one copy",
      .tool = QR,
      .key = "k",
      .kept = FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY,
      .wraps = 300,
      .steps = "ticket admit:1:key return" },
    { .name = "a large one with a key is stored before the charge",
      .tool = QR,
      .key = "k",
      .is_large = true,
      .type = "image/png",
      .charged = 1,
      .steps = "ticket admit:1:key run store capture:again return",
      .headers = "Content-Type: image/png\r\n" },
    { .name = "a large one with a key takes the memory of one copy",
      .tool = QR,
      .key = "k",
      .is_large = true,
      .type = "image/png",
      .wraps = 1000,
      .charged = 1,
      .steps = "ticket admit:1:key run store capture:again return" },
    { .name = "one of 1 MiB with a key takes the memory of four copies",
      .tool = QR,
      .key = "k",
      .is_large = true,
      .less = 1,
      .type = "image/png",
      .steps = "ticket admit:1:key run void return",
      .want = ERR_OVERLOADED },
    { .name = "a large one that cannot be stored is not charged",
      .tool = QR,
      .key = "k",
      .is_large = true,
      .type = "image/png",
      .large = ERR_LEDGER_UNAVAILABLE,
      .steps = "ticket admit:1:key run store void return",
      .want = ERR_LEDGER_UNAVAILABLE },
    { .name = "a large one without a place to store it is not charged",
      .tool = QR,
      .key = "k",
      .is_large = true,
      .type = "image/png",
      .large = ERR_OVERLOADED,
      .steps = "ticket admit:1:key run store void return",
      .want = ERR_OVERLOADED },
    { .name = "a large one without a key is not stored",
      .tool = QR,
      .is_large = true,
      .type = "image/png",
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "a large secret with a key is not stored",
      .tool = HASH,
      .key = "k",
      .is_large = true,
      .charged = 1,
      .steps = "ticket admit:1:key run capture:again return" },
    { .name = "made before, large",
      .tool = QR,
      .key = "k",
      .kept = "",
      .steps = "ticket admit:1:key load return",
      .headers = "A: b\r\n",
      .answer = "large" },
    { .name = "made before, large and damaged",
      .tool = QR,
      .key = "k",
      .kept = "",
      .large = ERR_INTERNAL,
      .steps = "ticket admit:1:key load return",
      .want = ERR_INTERNAL },
    { .name = "made before, large, without a place to read it",
      .tool = QR,
      .key = "k",
      .kept = "",
      .large = ERR_OVERLOADED,
      .steps = "ticket admit:1:key load return",
      .want = ERR_OVERLOADED },
    { .name = "made before, large, no room for what the front makes of it",
      .tool = QR,
      .key = "k",
      .kept = "",
      .wraps = 1001,
      .steps = "ticket admit:1:key load return",
      .want = ERR_OVERLOADED },
    { .name = "made before, no room for it",
      .tool = QR,
      .key = "k",
      .kept = "old",
      .is_crowded = true,
      .steps = "ticket admit:1:key return",
      .want = ERR_OVERLOADED },
    { .name = "no room for what is made of an answer to keep it",
      .tool = QR,
      .key = "k",
      .body = "{}",
      .is_crowded = true,
      .steps = "ticket admit:1:key run void return",
      .want = ERR_OVERLOADED },
    { .name = "room for four copies of an answer, to keep it",
      .tool = QR,
      .key = "k",
      .body = IN_JSON(FIFTY FIFTY FIFTY FIFTY),
      .charged = 1,
      .steps = "ticket admit:1:key run capture:kept return" },
    { .name = "room for four copies, and for nothing else",
      .tool = QR,
      .key = "k",
      .body = IN_JSON(FIFTY FIFTY FIFTY FIFTY "1234"),
      .charged = 1,
      .steps = "ticket admit:1:key run capture:kept return" },
    { .name = "room for three",
      .tool = QR,
      .key = "k",
      .body = IN_JSON(FIFTY FIFTY FIFTY FIFTY FIFTY),
      .steps = "ticket admit:1:key run void return",
      .want = ERR_OVERLOADED },
    { .name = "what the front makes of it is claimed before the charge",
      .tool = QR,
      .body = "{}",
      .wraps = 900,
      .charged = 1,
      .steps = "ticket admit:1 run capture return" },
    { .name = "no room for what the front makes of it",
      .tool = QR,
      .body = "{}",
      .wraps = 1001,
      .steps = "ticket admit:1 run void return",
      .want = ERR_OVERLOADED },
    { .name = "no room for both, the response and what the front makes of it",
      .tool = QR,
      .body = IN_JSON(FIFTY FIFTY),
      .wraps = 900,
      .steps = "ticket admit:1 run void return",
      .want = ERR_OVERLOADED },
    { .name = "no room for both, again",
      .tool = QR,
      .key = "k",
      .kept = FIFTY FIFTY FIFTY,
      .wraps = 900,
      .steps = "ticket admit:1:key return",
      .want = ERR_OVERLOADED },
    { .name = "no room for it, ahead of the payment",
      .tool = QR,
      .body = "{}",
      .wraps = 1001,
      .goes_ahead = true,
      .steps = "ticket advance:1 run forgo count return",
      .want = ERR_OVERLOADED },
    { .name = "no room for it, again",
      .tool = QR,
      .key = "k",
      .kept = "{}",
      .wraps = 1001,
      .steps = "ticket admit:1:key return",
      .want = ERR_OVERLOADED },
    { .name = "a secret made before runs again, free",
      .tool = HASH,
      .key = "k",
      .kept = "",
      .body = "{}",
      .steps = "ticket admit:1:key admit:0 run return",
      .answer = "{\"result\":{},\"success\":true,\"errors\":[]}" },
    { .name = "made before its tool took secrets",
      .tool = HASH,
      .key = "k",
      .kept = "old",
      .steps = "ticket admit:1:key return",
      .answer = "old" },
    { .name = "a secret made before, and no daemon",
      .tool = HASH,
      .key = "k",
      .kept = "",
      .body = "{}",
      .run = ERR_NO_WORKER,
      .steps = "ticket admit:1:key admit:0 run return",
      .want = ERR_NO_WORKER },
    { .name = "a secret made before, and the tool rejects",
      .tool = HASH,
      .key = "k",
      .kept = "",
      .tool_error = ERR_CAPACITY_EXCEEDED,
      .steps = "ticket admit:1:key admit:0 run return",
      .want = ERR_CAPACITY_EXCEEDED },
    { .name = "a secret made before, and no room for it",
      .tool = HASH,
      .key = "k",
      .kept = "",
      .body = "{}",
      .wraps = 1001,
      .steps = "ticket admit:1:key admit:0 run return",
      .want = ERR_OVERLOADED },
};

/* ---- the ledger and the dispatcher, played ---- */

struct run {
    struct dispatch_reply *reply;
};

static const struct row *world;
static const struct contract *offered;
static struct memory_budget *answers;
static struct buf steps = BUF(1000);
static struct admission admitted; /* the last one */
static struct plan_numbers plan = NO_PLAN;
static size_t runs;

static void step(const char *name)
{
    buf_format(&steps, "%s%s", steps.size > 0 ? " " : "", name);
}

static bool say(enum err_kind kind, struct err *err)
{
    return kind == ERR_NONE || err_set(err, kind, "as the ledger says");
}

static void set_flag(void *context)
{
    *(bool *)context = true;
}

bool ledger_admit(struct ledger *ledger, const struct admission *admission,
                  struct account_snapshot *snapshot, struct kept_answer *kept, struct err *err)
{
    (void)ledger, (void)kept;
    assert_int_equal(admission->credits, 0);
    assert_true(admission->daily_limit >= 0);
    assert_memory_equal(admission->token, customer_token, sizeof(customer_token));
    step(admission->daily_limit > 0 ? "count:day" : "count");
    snapshot->posted = 7;
    return say(world->count != ERR_NONE ? world->count : world->admission, err);
}

bool ledger_admit_and_run(struct ledger *ledger, const struct admission *admission,
                          const struct continuation *continuation,
                          struct account_snapshot *snapshot, struct kept_answer *kept,
                          struct err *err)
{
    bool has_ended = false;
    (void)ledger, (void)snapshot;
    admitted = *admission;
    snapshot->plan = plan;
    assert_memory_equal(admission->token, customer_token, sizeof(customer_token));
    assert_int_equal(admission->hold_ms, offered->budget_ms + GRACE_MS);
    assert_true(admission->daily_limit > 0 ||
                (admission->daily_limit == 0 && admission->credits == 0));
    step("admit");
    buf_format(&steps, ":%d%s", (int)admission->credits, admission->has_key ? ":key" : "");
    if (admission->credits == 0 && admission->daily_limit > 0)
        step("day");
    if (!say(world->admission, err))
        return false;
    kept->is_kept = world->kept && admission->credits > 0;
    if (kept->is_kept)
        kept->headers = str_dup("A: b\r\n");
    if (kept->is_kept && *world->kept) {
        kept->body = str_dup(world->kept);
        kept->size = strlen(world->kept);
    }
    if (!kept->is_kept) {
        continuation->waiting(continuation->work);
        continuation->start(continuation->work, set_flag, &has_ended);
        assert_true(has_ended);
    }
    return true;
}

bool ledger_admit_optimistic(struct ledger *ledger, const struct admission *admission,
                             struct optimistic_admission *optimistic)
{
    (void)ledger;
    if (!world->goes_ahead)
        return false;
    step("advance");
    buf_format(&steps, ":%d", (int)admission->credits);
    optimistic->seq = 5;
    return true;
}

bool ledger_run_ahead(struct ledger *ledger, const struct admission *admission,
                      const struct continuation *continuation, struct err *err)
{
    bool has_ended = false;
    (void)ledger, (void)admission;
    if (!say(world->start, err))
        return false;
    continuation->start(continuation->work, set_flag, &has_ended);
    return has_ended;
}

void ledger_cancel_optimistic(struct ledger *ledger, const struct admission *admission)
{
    (void)ledger, (void)admission;
    step("forgo");
}

bool ledger_pay(struct ledger *ledger, const struct admission *admission,
                const struct optimistic_admission *optimistic, struct account_snapshot *snapshot,
                struct err *err)
{
    (void)ledger, (void)snapshot;
    assert_int_equal(admission->credits, 1);
    assert_int_equal(optimistic->seq, 5);
    step("pay");
    return say(world->payment, err);
}

bool ledger_capture(struct ledger *ledger, const struct capture *capture,
                    struct account_snapshot *snapshot, struct err *err)
{
    (void)ledger, (void)snapshot;
    step("capture");
    if (capture->headers)
        buf_add_str(&steps, capture->body.bytes ? ":kept" : ":again");
    return say(world->capture, err);
}

bool large_response_store(struct large_responses *responses, const struct uuid *account,
                          const struct uuid *hold, struct text response, struct err *err)
{
    (void)responses, (void)account, (void)hold;
    assert_true(response.size > LARGE_RESPONSE_BYTES);
    step("store");
    return say(world->large, err);
}

bool large_response_load(struct large_responses *responses, const struct large_response_key *key,
                         struct memory_budget *budget, struct reservation *reservation,
                         struct buf *out, struct err *err)
{
    static const uint8_t no_key[DIGEST_BYTES];
    (void)responses, (void)budget, (void)reservation;
    assert_memory_not_equal(key->key, no_key, DIGEST_BYTES);
    assert_memory_equal(key->token, customer_token, sizeof(customer_token));
    step("load");
    buf_add_str(out, "large");
    return say(world->large, err);
}

void ledger_void(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                 bool keep_day, struct account_snapshot *snapshot)
{
    (void)ledger, (void)account, (void)id, (void)snapshot;
    step(keep_day ? "void:keep-day" : "void");
}

bool ledger_check_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                        struct uuid *token_id, struct err *err)
{
    (void)ledger, (void)account, (void)token, (void)address, (void)token_id;
    return say(world->admission, err);
}

bool ledger_ask_token(struct ledger *ledger, const struct uuid *account,
                      const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                      struct uuid *token_id, struct token_facts *facts, struct err *err)
{
    (void)ledger, (void)account, (void)token, (void)address, (void)token_id, (void)facts;
    return say(world->admission, err);
}

bool dispatch_acquire_permit(struct dispatch *dispatch, struct group *group, struct err *err)
{
    (void)dispatch, (void)group;
    step("ticket");
    return say(world->ticket, err);
}

void dispatch_release_permit(struct group *group)
{
    (void)group;
    step("return");
}

struct run *dispatch_prepare(struct dispatch *dispatch, const struct dispatch_job *job,
                             struct dispatch_reply *reply)
{
    struct run *run = mem_new(sizeof(*run));
    runs++;
    int64_t left_ms = job->deadline_ms - clock_ms();
    (void)dispatch;
    assert_in_range(left_ms, offered->budget_ms - 1000, offered->budget_ms);
    run->reply = reply;
    return run;
}

/* An object of this size. */
static void fill_body(struct buf *body, size_t size)
{
    char *bytes = buf_reserve(body, size);
    memset(bytes, ' ', size);
    bytes[0] = '{';
    bytes[size - 1] = '}';
    bytes[size] = '\0';
    body->size = size;
}

void dispatch_submit(struct run *run, void (*ended)(void *context), void *context)
{
    struct dispatch_reply *reply = run->reply;
    struct wire_reply *header = &reply->header;
    step("run");
    if (world->tool_error != ERR_NONE)
        errs_add(&header->errs, world->tool_error, "as told");
    if (world->type)
        strncpy(header->content_type, world->type, sizeof(header->content_type) - 1);
    for (int value = 7; world->header && value <= 8; value++) {
        struct wire_header *line = &header->header[header->header_count++];
        strncpy(line->name, world->header, sizeof(line->name) - 1);
        line->value = str_format("%d", value);
    }
    assert_true(memory_budget_reserve(answers, 1, 0, &reply->reservation, &(struct err){ 0 }));
    reply->body = (struct buf)BUF(LARGE_BYTES);
    buf_add_str(&reply->body, world->body ? world->body : "");
    if (world->is_large)
        fill_body(&reply->body, LARGE_BYTES - world->less);
    ended(context);
}

static void free_run(struct run **run)
{
    runs -= *run != NULL;
    mem_free(run);
}

bool dispatch_end(struct run **run, struct err *err)
{
    free_run(run);
    return say(world->run, err);
}

void dispatch_cancel(struct run *run)
{
    assert_non_null(run);
    step("cancel");
}

void dispatch_discard(struct run **run)
{
    free_run(run);
}

/* ---- calls ---- */

static void open_gateway(struct gateway *gateway, bool is_crowded)
{
    static char secret[] = "secret";
    struct err err;
    *gateway = (struct gateway){
        .buy_url = "", .secret = secret, .one_write_budget_ms = 2000, .hold_grace_ms = GRACE_MS
    };
    pthread_rwlock_init(&gateway->limits_lock, NULL);
    size_t bytes = is_crowded ? 1 : ROOM_BYTES + (world->is_large ? LARGE_BYTES : 0);
    memory_budget_open(&gateway->answers, bytes, 0, "crowded");
    answers = &gateway->answers;
    assert_true(limits_load(SOURCE_ROOT "/gateway/limits.yaml", &gateway->limits, &err));
    for (size_t i = 0; i < gateway->limits->class_count; i++)
        gateway->limits->classes[i].daily_per_tool = 9;
}

static struct contract *contract_of(const char *tool)
{
    scoped(mem_free) char *path = str_format("%s/svc-utils/%s/%s.yaml", SOURCE_ROOT, tool, tool);
    struct contract *contract = NULL;
    assert_true(contract_load(path, &contract, NULL));
    contract->secret_input = strcmp(tool, HASH) == 0;
    if (world && world->is_free)
        contract->credits = 0;
    offered = contract;
    return contract;
}

static size_t wrapped_bytes(const struct call *call)
{
    (void)call;
    return world->wraps;
}

static void leave(void *front)
{
    call_cancel(front);
}

static void check(void **state)
{
    const struct row *row = world = *state;
    struct gateway gateway;
    scoped(contract_free) struct contract *contract = contract_of(row->tool);
    struct offer offer = { .contract = contract,
                           .name = contract->tool,
                           .rate_class = contract->rate_class };
    scoped(buf_free) struct buf headers = BUF(row->is_cramped ? CRAMPED_BYTES : 1000);
    scoped(buf_free) struct buf answer = BUF(row->is_tight ? 2 : LARGE_BYTES + 1000);
    struct reservation reservation = { 0 };
    struct call call = { .request_id = "r",
                         .traceparent = "",
                         .offer = &offer,
                         .key = row->key,
                         .body = TEXT("{}"),
                         .answer_headers = &headers,
                         .answer = &answer,
                         .reservation = &reservation,
                         .wrapped_bytes = row->wraps > 0 ? wrapped_bytes : NULL,
                         .waiting = row->is_left ? leave : NULL,
                         .front = &call };
    memcpy(call.token, customer_token, sizeof(customer_token));
    buf_clear(&steps);
    open_gateway(&gateway, row->is_crowded);
    gateway.one_write_budget_ms -= row->is_long;
    contract->retryable = !row->has_effects;
    call_begin(&call, &gateway);

    assert_int_equal(call_buy(&call), row->want == ERR_NONE);
    assert_string_equal(buf_str(&steps), row->steps);
    assert_int_equal(call.errs.count, row->want != ERR_NONE);
    assert_int_equal(call.errs.item[0].kind, row->want);
    if (row->message)
        assert_non_null(strstr(call.errs.item[0].message, row->message));
    assert_int_equal(call.charged, row->charged);
    assert_true(call.is_admitted || row->want != ERR_NONE);
    assert_int_equal(call.is_replayed, row->kept != NULL);
    if (row->headers)
        assert_string_equal(buf_str(&headers), row->headers);
    if (row->answer)
        assert_string_equal(buf_str(&answer), row->answer);
    reservation_free(&reservation);
    assert_int_equal(memory_budget_reserved(&gateway.answers), 0);
    assert_int_equal(runs, 0);
    assert_int_equal(pthread_rwlock_trywrlock(&gateway.limits_lock), 0); /* it was given back */
    pthread_rwlock_unlock(&gateway.limits_lock);
    memory_budget_close(&gateway.answers);
    limits_free(&gateway.limits);
    pthread_rwlock_destroy(&gateway.limits_lock);
}

static void a_question_is_counted(void **state)
{
    static const struct row nothing = { 0 };
    struct gateway gateway;
    struct offer offer = { .name = "account-credits", .rate_class = "account" };
    struct call call = { .offer = &offer };
    (void)state;
    world = &nothing;
    buf_clear(&steps);
    open_gateway(&gateway, false);
    call_begin(&call, &gateway);
    assert_int_equal(call.retry_ms, -1);
    assert_int_equal(call.snapshot.posted, -1);
    memcpy(call.token, customer_token, sizeof(customer_token));
    assert_true(call_count(&call));
    assert_string_equal(buf_str(&steps), "count:day");
    assert_int_equal(call.snapshot.posted, 7);
    memory_budget_close(&gateway.answers);
    limits_free(&gateway.limits);
    pthread_rwlock_destroy(&gateway.limits_lock);
}

/* The link is there only when the operator has a page where credits are bought. */
static void a_rejection_for_credits_has_the_link(void **state)
{
    static const struct row poor = { .admission = ERR_INSUFFICIENT_CREDITS };
    static const char *const told[][2] = {
        { "", "this call costs 1 credit and the balance is 7; ask the operator for more" },
        { "https://buy", "this call costs 1 credit and the balance is 7; buy more at https://buy" },
    };
    struct gateway gateway;
    scoped(contract_free) struct contract *contract = contract_of(QR);
    struct offer offer = { .contract = contract, .name = QR, .rate_class = contract->rate_class };
    (void)state;
    world = &poor;
    open_gateway(&gateway, false);
    for (size_t i = 0; i < countof(told); i++) {
        struct call call = { .offer = &offer };
        memcpy(call.token, customer_token, sizeof(customer_token));
        buf_clear(&steps);
        gateway.buy_url = told[i][0];
        call_begin(&call, &gateway);
        call.snapshot = (struct account_snapshot){ .posted = 8, .held = 1 };
        assert_false(call_buy(&call));
        assert_string_equal(call.errs.item[0].message, told[i][1]);
    }
    memory_budget_close(&gateway.answers);
    limits_free(&gateway.limits);
    pthread_rwlock_destroy(&gateway.limits_lock);
}

/* The ledger knows the account's plan; the messages say its numbers, and the admission does not
 * change. */
static void a_rejection_names_the_limits_of_the_plan(void **state)
{
    static const struct {
        struct plan_numbers plan;
        enum err_kind refusal;
        const char *message;
    } told[] = {
        { NO_PLAN, ERR_RATE_LIMITED_ENDPOINT,
          "the limit is 30 calls of qr-generate a minute; retry in 2 seconds" },
        { { 1, 90, -1, -1, 300, 0 },
          ERR_RATE_LIMITED_ENDPOINT,
          "the limit is 90 calls of qr-generate a minute; retry in 2 seconds" },
        { { 1, -1, -1, -1, 300, 0 },
          ERR_RATE_LIMITED_ENDPOINT,
          "the limit is 30 calls of qr-generate a minute; retry in 2 seconds" },
        { { 1, -1, -1, -1, 300, 0 },
          ERR_RATE_LIMITED_GLOBAL,
          "the limit is 300 calls a minute of all tools together; retry in 2 seconds" },
        { { 1, 0, 40, -1, 300, 0 },
          ERR_RATE_LIMITED_CLASS,
          "the limit is 40 calls a minute of qr-generate and similar tools together; retry in 2 "
          "seconds" },
        { { 1, -1, -1, 200, 300, 0 },
          ERR_DAILY_QUOTA_EXCEEDED,
          "the limit is 200 calls of qr-generate a day (UTC)" },
    };
    struct gateway gateway;
    scoped(contract_free) struct contract *contract = contract_of(QR);
    struct offer offer = { .contract = contract, .name = QR, .rate_class = contract->rate_class };
    (void)state;
    open_gateway(&gateway, false);
    for (size_t i = 0; i < countof(told); i++) {
        struct row full = { .admission = told[i].refusal };
        struct call call = { .offer = &offer };
        memcpy(call.token, customer_token, sizeof(customer_token));
        world = &full;
        buf_clear(&steps);
        call_begin(&call, &gateway);
        plan = told[i].plan;
        call.snapshot.retry_ms = 1500;
        assert_false(call_buy(&call));
        assert_string_equal(call.errs.item[0].message, told[i].message);
        assert_int_equal(call.limits.endpoint_per_minute, 30);
        if (told[i].plan.id > 0 && told[i].plan.endpoint >= 0)
            assert_int_equal(call.told.endpoint, told[i].plan.endpoint);
        else
            assert_int_equal(call.told.endpoint, 30);
        assert_false(call.is_admitted);
    }
    plan = NO_PLAN;
    memory_budget_close(&gateway.answers);
    limits_free(&gateway.limits);
    pthread_rwlock_destroy(&gateway.limits_lock);
}

/* Without a valid token a client learns nothing about other errors. */
static void the_token_comes_first(void **state)
{
    static const struct row known = { 0 };
    static const struct row unknown = { .admission = ERR_AUTH_INVALID };
    struct gateway gateway = { 0 };
    struct call call = { .gateway = &gateway };
    (void)state;
    call_refuse(&call, ERR_INVALID_JSON, "no JSON");
    call_refuse(&call, ERR_TOO_LONG, "too long");
    world = &known;
    call_put_token_first(&call);
    assert_int_equal(call.errs.count, 2);
    world = &unknown;
    call_put_token_first(&call);
    assert_int_equal(call.errs.count, 1);
    assert_int_equal(call.errs.item[0].kind, ERR_AUTH_INVALID);
    assert_string_equal(call.errs.item[0].message,
                        "the bearer token does not belong to this account");
}

/* A request that needs the token's facts fails with the token's error alone. */
static void a_token_is_asked_about(void **state)
{
    static const struct row known = { 0 };
    static const struct row revoked = { .admission = ERR_AUTH_REVOKED };
    struct gateway gateway = { 0 };
    struct call call = { .gateway = &gateway };
    struct token_facts facts = { 0 };
    (void)state;
    call_refuse(&call, ERR_TOO_LONG, "too long");
    world = &known;
    assert_true(call_ask_token(&call, &facts));
    assert_int_equal(call.errs.count, 1);
    world = &revoked;
    assert_false(call_ask_token(&call, &facts));
    assert_int_equal(call.errs.count, 1);
    assert_int_equal(call.errs.item[0].kind, ERR_AUTH_REVOKED);
}

/* The digests that the ledger gets for a call of this tool with this key and body. */
static struct admission digests_of(const char *tool, const char *key, const char *body)
{
    static const struct row nothing = { .body = "{}" };
    struct gateway gateway;
    world = &nothing;
    scoped(contract_free) struct contract *contract = contract_of(tool);
    struct offer offer = { .contract = contract,
                           .name = contract->tool,
                           .rate_class = contract->rate_class };
    scoped(buf_free) struct buf headers = BUF(1000);
    scoped(buf_free) struct buf answer = BUF(1000);
    struct reservation reservation = { 0 };
    struct call call = { .offer = &offer,
                         .key = key,
                         .body = text_of(body),
                         .answer_headers = &headers,
                         .answer = &answer,
                         .reservation = &reservation };
    memcpy(call.token, customer_token, sizeof(customer_token));
    buf_clear(&steps);
    open_gateway(&gateway, false);
    call_begin(&call, &gateway);
    assert_true(call_buy(&call));
    reservation_free(&reservation);
    memory_budget_close(&gateway.answers);
    limits_free(&gateway.limits);
    pthread_rwlock_destroy(&gateway.limits_lock);
    return admitted;
}

/* Otherwise a key replays the response of another request, or is charged twice. */
static void a_key_and_its_request_have_digests(void **state)
{
    static const uint8_t nothing[DIGEST_BYTES];
    (void)state;
    struct admission first = digests_of(QR, "k", "{}");
    struct admission again = digests_of(QR, "k", "{}");
    assert_memory_not_equal(first.key, nothing, DIGEST_BYTES);
    assert_memory_equal(again.key, first.key, DIGEST_BYTES);
    assert_memory_equal(again.fingerprint, first.fingerprint, DIGEST_BYTES);

    struct admission other_key = digests_of(QR, "l", "{}");
    assert_memory_not_equal(other_key.key, first.key, DIGEST_BYTES);
    assert_memory_equal(other_key.fingerprint, first.fingerprint, DIGEST_BYTES);

    struct admission other_body = digests_of(QR, "k", "{ }");
    assert_memory_equal(other_body.key, first.key, DIGEST_BYTES);
    assert_memory_not_equal(other_body.fingerprint, first.fingerprint, DIGEST_BYTES);

    /* to its last byte */
    struct admission with_a = digests_of(QR, "k", IN_JSON(FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY "a"));
    struct admission with_b = digests_of(QR, "k", IN_JSON(FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY "b"));
    assert_memory_not_equal(with_a.fingerprint, with_b.fingerprint, DIGEST_BYTES);

    struct admission other_tool = digests_of(HASH, "k", "{}");
    assert_memory_equal(other_tool.key, first.key, DIGEST_BYTES);
    assert_memory_not_equal(other_tool.fingerprint, first.fingerprint, DIGEST_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_question_is_counted),
                                        cmocka_unit_test(a_rejection_for_credits_has_the_link),
                                        cmocka_unit_test(a_rejection_names_the_limits_of_the_plan),
                                        cmocka_unit_test(the_token_comes_first),
                                        cmocka_unit_test(a_token_is_asked_about),
                                        cmocka_unit_test(a_key_and_its_request_have_digests) };
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
    buf_free(&steps);
    return failed;
}
