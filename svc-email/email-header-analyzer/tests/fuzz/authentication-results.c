/* svc-email/email-header-analyzer/tests/fuzz/authentication-results.c - any text as
 * Authentication-Results, as ARC's results, and as a signature: only what the receiver wrote is
 * trusted. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "email-header-analyzer/authentication.h"
#include "target.h"

static void check(const struct authentication *auth)
{
    assert(auth->result_count <= AUTH_RESULTS_MAX);
    for (size_t i = 0; i < auth->result_count; i++)
        assert(auth->result[i].method && auth->result[i].result &&
               auth->result[i].property_count <= AUTH_PROPERTIES_MAX);
    assert(auth->arc_instances <= AUTH_ARC_MAX && auth->spf && auth->dkim && auth->dmarc);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct senders *senders;
    scoped(arena_free) struct arena arena = { 0 };
    scoped(mem_free) char *copy = mem_dup(bytes, size);
    struct text value = { copy, size };
    struct hop hop = { .by = "mx.b.net" };
    size_t place = 4;
    struct field field[] = {
        { TEXT("Authentication-Results"), value },     { TEXT("Received-SPF"), value },
        { TEXT("ARC-Authentication-Results"), value }, { TEXT("ARC-Seal"), value },
        { TEXT("Received"), TEXT("by mx.b.net") },     { TEXT("DKIM-Signature"), value },
    };
    struct fields fields = { .at = field, .count = countof(field) };
    struct auth_hops hops = { &hop, &place, 1 };
    struct authentication auth;

    if (!senders) {
        bool ok = senders_load(SOURCE_ROOT "/svc-email", "", &senders, NULL);
        assert(ok);
    }
    authentication_read(&fields, &hops, "a.com", senders, &arena, &auth);
    check(&auth);
    return 0;
}
