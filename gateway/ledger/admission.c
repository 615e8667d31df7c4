/* gateway/ledger/admission.c - the end of a kept answer. */
#include "gateway/ledger/admission.h"

#include "base/mem.h"

void kept_answer_free(struct kept_answer *answer)
{
    mem_free(&answer->headers);
    mem_free(&answer->body);
}
