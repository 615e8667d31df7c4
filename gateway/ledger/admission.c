/* gateway/ledger/admission.c - releases stored responses and token facts, and reads scopes. */
#include "gateway/ledger/admission.h"

#include "base/mem.h"
#include "base/text.h"

void kept_answer_free(struct kept_answer *answer)
{
    mem_free(&answer->headers);
    mem_free(&answer->body);
}

void token_facts_free(struct token_facts *facts)
{
    mem_free(&facts->name);
    mem_free(&facts->scopes);
    mem_free(&facts->plan);
}

bool token_facts_allow(const struct token_facts *facts, const char *tool, const char *group)
{
    struct text rest = text_of(facts->scopes);
    bool is_allowed = rest.size == 0;
    while (rest.size > 0 && !is_allowed) {
        struct text scope = text_cut(&rest, ',');
        is_allowed = text_is(scope, tool) || text_is(scope, group);
    }
    return is_allowed;
}
