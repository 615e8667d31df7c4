/* portal/member/sessions.c - signing out sessions: one of them, or all other ones. */
#include "base/mem.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "text/json.h"

struct ending {
    char only[UUID_TEXT_BYTES];
    bool is_others; /* all except `only`; otherwise only that one */
    int64_t count;
};

static bool end_sessions(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct ending *ending = context;
    const struct member_session *session = &visit->session;
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select session_end($1, $2, $3) as count",
                 SQL_PARAMS(session->member_id, ending->is_others ? NULL : ending->only,
                            ending->is_others ? session->session_id : NULL),
                 row, err))
        return false;
    ending->count = (int64_t)json_get(row, "count")->valuedouble;
    scoped(mem_free) char *detail = str_format("session %s", ending->only);
    return ending->count == 0 ||
           work_audit(sql, visit,
                      ending->is_others ? "other sessions signed out" : "session signed out",
                      ending->is_others ? NULL : detail, err);
}

/* A session that has expired meanwhile, or belongs to another member, is a 404. */
void session_revoke(struct visit *visit)
{
    struct ending ending = { .is_others = false };
    if (!work_place_id(visit, ending.only) || !work_do(visit, end_sessions, &ending))
        return;
    if (ending.count == 0)
        page_not_found(visit);
    else
        page_redirect(visit, "/portal/security", "session-ended");
}

void session_revoke_others(struct visit *visit)
{
    struct ending ending = { .is_others = true };
    if (work_do(visit, end_sessions, &ending))
        page_redirect(visit, "/portal/security", "sessions-ended");
}
