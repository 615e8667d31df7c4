/* tests/unit/gateway/mcp/answer.c - a rejection for a model, and for a program. */
#include "gateway/mcp/answer.h"

#include <string.h>

#include "gateway/call/gateway.h"
#include "rows.h"

static const struct row {
    const char *name;
    enum err_kind kind;
    const char *message;
    int64_t retry_ms;
    const char *buy_url;
    const char *text; /* after the code */
    const char *more; /* in tollgate/error, after the errors; NULL: not checked */
} rows[] = {
    { "arguments", ERR_MISSING_FIELD, "a is missing", -1, "", "a is missing. Nothing was charged.",
      "" },
    { "a sentence that says it", ERR_INTERNAL, "the tool failed; nothing was charged", -1, "",
      "the tool failed; nothing was charged.", "" },
    { "a window", ERR_RATE_LIMITED_ENDPOINT, "wait; retry in 12 seconds", 11500, "",
      "wait; retry in 12 seconds. Nothing was charged.", ",\"retry_after_seconds\":12" },
    { "the balance", ERR_INSUFFICIENT_CREDITS, "too few", -1, "https://buy",
      "too few. Inform the user; do not retry before the account has more credits. Nothing was "
      "charged.",
      ",\"buy_url\":\"https://buy\"" },
    { "the day", ERR_DAILY_QUOTA_EXCEEDED, "10 a day", 3600000, "",
      "10 a day. The next day starts at 00:00 UTC. Nothing was charged.",
      ",\"retry_after_seconds\":3600" },
    { "a cap of the day", ERR_SPENDING_CAP_DAILY, "spent", 3600000, "",
      "spent. Inform the user. The next day starts at 00:00 UTC. Nothing was charged.", NULL },
    { "a cap for life", ERR_SPENDING_CAP_TOTAL, "spent", -1, "",
      "spent. Inform the user; do not retry. Nothing was charged.", NULL },
    { "no room", ERR_OVERLOADED, "busy", -1, "", "busy. Retry in 1 seconds. Nothing was charged.",
      ",\"retry_after_seconds\":1" },
    { "nobody knows", ERR_OUTCOME_UNKNOWN, "look at the credits first", -1, "",
      "look at the credits first.", NULL },
    { "the first call may be charged", ERR_IDEMPOTENCY_IN_PROGRESS, "retry in 2 seconds", 2000, "",
      "retry in 2 seconds. Nothing was charged.", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct gateway gateway = { .buy_url = row->buy_url };
    struct http_response response = { .headers = BUF(1000), .body = BUF(10000) };
    struct http_call http = { .response = &response };
    struct mcp mcp = { .http = &http, .message = { .id = TEXT("7") } };
    http.call = (struct call){ .gateway = &gateway, .request_id = "r", .retry_ms = row->retry_ms };
    http.call.snapshot = EMPTY_SNAPSHOT;
    errs_add(&http.call.errs, row->kind, "%s", row->message);

    answer_error(&mcp);
    static const char credits[] = "\"tollgate/credits\":{\"charged\":0},";
    scoped(mem_free) char *want = str_format(
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s: "
        "%s\"}],"
        "\"isError\":true,\"_meta\":{\"tollgate/"
        "error\":{\"status\":%d,\"errors\":[{\"code\":\"%s\","
        "\"message\":\"%s\"}]",
        err_code(row->kind), row->text, err_status(row->kind), err_code(row->kind), row->message);
    assert_int_equal(response.status, 200);
    assert_true(text_begins(buf_text(&response.body), want));
    if (row->more) {
        scoped(mem_free) char *rest =
            str_format("%s%s},%s\"tollgate/request-id\":\"r\"}}}", want, row->more, credits);
        assert_string_equal(buf_str(&response.body), rest);
    }
    assert_int_equal(strstr(buf_str(&response.headers), "Retry-After: ") != NULL,
                     http.call.retry_ms >= 0);
    buf_free(&response.headers);
    buf_free(&response.body);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
