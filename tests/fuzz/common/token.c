/* tests/fuzz/common/token.c - any text as the headers Authorization and traceparent: a token is
 * valid in our form or rejected, a trace always has its form. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "gateway/traces/trace.h"
#include "text/token.h"

static void check_token(const char *header)
{
    uint8_t digest[TOKEN_DIGEST_BYTES];
    bool is_management;
    struct err err = { 0 };
    if (token_of_bearer(header, digest, &is_management, &err))
        assert(strlen(header) >= TOKEN_BYTES - 1 + strlen("Bearer "));
    else
        assert(err.kind == (*header ? ERR_AUTH_MALFORMED : ERR_AUTH_MISSING) ||
               (err.kind == ERR_AUTH_INVALID && strlen(header) >= TOKEN_APP_BYTES - 1));
}

static void check_app_token(const char *header)
{
    uint8_t digest[TOKEN_DIGEST_BYTES];
    struct uuid account;
    struct err err = { 0 };
    if (token_of_bearer_app(header, &account, digest, &err))
        assert(strlen(header) >= TOKEN_APP_BYTES - 1 + strlen("Bearer "));
    else
        assert(err.kind == ERR_AUTH_MALFORMED || err.kind == ERR_AUTH_MISSING ||
               err.kind == ERR_AUTH_INVALID);
}

static void check_trace(const char *header)
{
    static const char hex[] = "0123456789abcdef";
    struct trace trace;
    trace_continue(&trace, header);
    assert(strlen(trace.parent) == TRACE_PARENT_BYTES - 1);
    assert(strspn(trace.id, hex) == 32 && memcmp(trace.parent + 3, trace.id, 32) == 0);
    assert(strspn(trace.parent + 36, hex) == 16 && strspn(trace.parent + 53, hex) == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *header = mem_dup(bytes, size);
    check_token(header);
    check_app_token(header);
    check_trace(header);
    return 0;
}
