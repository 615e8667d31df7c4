/* tests/fuzz/gateway/usage-query.c - any bytes as the query of account/usage: rejected without
 * repeating a value, or a question within its limits that does not depend on the order. */
#include "gateway/account/usage-query.h"

#include <assert.h>
#include <string.h>

#include "../same-pairs.h"
#include "../target.h"
#include "base/mem.h"

enum { QUERY_MAX_BYTES = 1 << 20 };

static const int64_t now_ms = INT64_C(1774958400000); /* 2026-03-31 12:00 UTC */
static const int64_t day_ms = INT64_C(86400000);

static void check_question(const struct usage_question *question)
{
    struct uuid id;
    assert(question->from_ms >= 0 || question->to_ms < USAGE_DAYS * day_ms);
    assert(question->from_ms < question->to_ms);
    assert(question->to_ms - question->from_ms <= USAGE_DAYS_MAX * day_ms);
    assert(question->limit >= 1 && question->limit <= USAGE_LIMIT_MAX && question->before >= 1);
    assert(question->kind == 0 || usage_kind_name(question->kind));
    assert(!question->token[0] || uuid_parse(text_of(question->token), &id));
    if (question->by == USAGE_ENTRIES)
        return;
    assert(question->from_ms % day_ms == 0 && question->to_ms % day_ms == 0);
    assert(question->kind == 0 && question->limit == USAGE_LIMIT);
}

static void check_same(const struct usage_question *a, const struct usage_question *b)
{
    assert(a->from_ms == b->from_ms && a->to_ms == b->to_ms && a->by == b->by);
    assert(a->tool == b->tool && a->kind == b->kind && a->limit == b->limit);
    assert(a->before == b->before && strcmp(a->token, b->token) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct offer offers[] = { { .name = "a" }, { .name = "hash-generate" } };
    struct catalog catalog = { .count = countof(offers), .offers = offers };
    struct text query = { (const char *)bytes, size };
    scoped(buf_free) struct buf turned = BUF(QUERY_MAX_BYTES);
    struct usage_question question;
    struct usage_question other;
    struct err err = { 0 };
    bool ok = usage_read(query, now_ms, &catalog, &question, &err);
    if (ok)
        check_question(&question);
    else
        assert(err.kind == ERR_INVALID_QUERY && !strstr(err.message, "tg_live_"));
    if (size == 0 || bytes[0] == '&' || bytes[size - 1] == '&')
        return 0; /* an empty pair is an error only before another one */
    pairs_reverse(query, &turned);
    assert(ok == usage_read(buf_text(&turned), now_ms, &catalog, &other, &err));
    if (ok)
        check_same(&question, &other);
    return 0;
}
