/* svc-email/email-deliverability/facts.c - texts of facts, and conclusions from several facts. */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "net/guard.h"

struct text facts_text(struct facts *facts, const struct lookup *lookup, size_t which)
{
    scoped(buf_free) struct buf text = BUF(DNS_MESSAGE_BYTES);
    lookup_text(lookup, which, &text);
    return (struct text){ arena_copy(&facts->arena, buf_text(&text)), text.size };
}

static void add_shown(struct buf *out, struct text text)
{
    static const uint32_t replacement = 0xfffd;
    while (text.size > 0) {
        size_t good = utf8_valid_bytes(text);
        const char *nul = good > 0 ? memchr(text.bytes, '\0', good) : NULL;
        if (nul)
            good = (size_t)(nul - text.bytes);
        buf_add(out, text.bytes, good);
        if (good == text.size)
            return;
        utf8_add(out, replacement);
        text = text_skip(text, good + 1);
    }
}

const char *facts_shown(struct arena *arena, struct text text)
{
    scoped(buf_free) struct buf shown = BUF(3 * DNS_MESSAGE_BYTES);
    add_shown(&shown, text);
    return arena_copy(arena, buf_text(&shown));
}

const char *facts_vformat(struct arena *arena, const char *format, va_list arguments)
{
    scoped(mem_free) char *text = NULL;
    int size = vasprintf(&text, format, arguments);
    if (size < 0)
        abort();
    return arena_copy(arena, (struct text){ text, (size_t)size });
}

const char *facts_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = facts_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}

bool facts_is_public(const struct in6_addr *address)
{
    static const struct guard nothing_allowed = { 0 };
    return guard_allows_address(&nothing_allowed, address);
}

void facts_free(struct facts *facts)
{
    mem_free(&facts->spf.range);
    arena_free(&facts->arena);
    *facts = (struct facts){ 0 };
}

enum dmarc_policy facts_effective_policy(const struct facts *facts)
{
    return facts->dmarc.old.policy;
}

const char *facts_provider(const struct facts *facts)
{
    const struct mx_facts *mx = &facts->mx;
    return mx->host_count > 0 && mx->host[0].provider ? mx->host[0].provider->name : NULL;
}

bool facts_spf_rejects_all(const struct facts *facts)
{
    return facts->spf.result == SPF_RESULT_VALID &&
           text_is_any_case(text_trim(text_of(facts->spf.record)), "v=spf1 -all");
}

bool facts_are_closed(const struct facts *facts)
{
    const struct mx_facts *mx = &facts->mx;
    bool takes_none =
        (mx->count == 1 && mx->has_null) ||
        (mx->count == 0 && status_is_void(mx->status) && !mx->has_address && !mx->is_unanswered);
    return takes_none && facts_spf_rejects_all(facts) &&
           facts_effective_policy(facts) == DMARC_P_REJECT;
}
