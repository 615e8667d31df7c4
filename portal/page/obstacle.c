/* portal/page/obstacle.c - see obstacle.h. */
#include "portal/page/obstacle.h"

#include <string.h>

#include "base/mem.h"

static const char *sentence(struct visit *visit, char *made)
{
    const char *kept = arena_copy(&visit->arena, text_of(made));
    mem_free(&made);
    return kept;
}

const char *obstacle_sentence(struct visit *visit, const char *outcome, const char *what)
{
    if (strcmp(outcome, "suspended") == 0 || strcmp(outcome, "closed") == 0)
        return sentence(visit, str_format("Your account is suspended, so you cannot %s.", what));
    if (strcmp(outcome, "leaving") != 0)
        return NULL;
    const char *day = visit->session.delete_on; /* "": asked for since the session was read */
    return sentence(visit, str_format("This account will be deleted%s%s. Keep it first.",
                                      day[0] ? " on " : "", day));
}

const char *obstacle_of(struct visit *visit, const char *what)
{
    const struct member_session *session = &visit->session;
    return obstacle_sentence(visit,
                             session->is_suspended   ? "suspended"
                             : session->delete_on[0] ? "leaving"
                                                     : "",
                             what);
}
