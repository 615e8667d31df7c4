/* portal/member/work.c - see work.h. */
#include "portal/member/work.h"

#include <stdio.h>

#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "text/json.h"

static bool run_transaction(struct visit *visit, enum sql_mode mode, member_work *work,
                            void *context)
{
    scoped(pool_give) struct sql *sql = NULL;
    struct err err = { 0 };
    bool ok = pool_take(visit->portal->pool, &sql, &err) && sql_begin(sql, mode, &err) &&
              work(sql, visit, context, &err) && sql_commit(sql, &err);
    pool_give(&sql);
    if (!ok)
        page_failed(visit, &err);
    return ok;
}

bool work_do(struct visit *visit, member_work *work, void *context)
{
    return run_transaction(visit, SQL_WRITE, work, context);
}

bool work_query(struct visit *visit, member_work *work, void *context)
{
    return run_transaction(visit, SQL_SNAPSHOT, work, context);
}

bool work_outcome(struct sql *sql, const char *statement, struct sql_params params,
                  char outcome[static OUTCOME_BYTES], struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, statement, params, row, err))
        return false;
    sql_copy(row, "outcome", outcome, OUTCOME_BYTES);
    return true;
}

bool work_act(struct sql *sql, const char *statement, struct sql_params params, struct err *err)
{
    bool is_done = false;
    if (!sql_bool(sql, statement, params, &is_done, err))
        return false;
    return is_done || err_set(err, ERR_NOT_FOUND, "the session has ended");
}

bool work_audit(struct sql *sql, struct visit *visit, const char *action, const char *detail,
                struct err *err)
{
    return audit_add(sql, visit, visit->session.member_id, visit->session.account_id, action,
                     detail, err);
}

bool work_mail(struct sql *sql, const struct visit *visit, const char *template, const cJSON *data,
               const char *link_id, struct err *err)
{
    return outbox_add(sql,
                      &(struct outbox_mail){ .member_id = visit->session.member_id,
                                             .recipient = visit->session.email,
                                             .template = template,
                                             .data = data,
                                             .link_id = link_id },
                      err);
}

bool work_place_id(struct visit *visit, char id[static UUID_TEXT_BYTES])
{
    struct uuid uuid;
    if (!uuid_parse(text_of(visit->place[0]), &uuid)) {
        page_not_found(visit);
        return false;
    }
    uuid_format(id, &uuid);
    return true;
}

bool work_throttle(struct visit *visit, enum throttle_kind kind, const char *who, bool *is_answered)
{
    struct throttle_key key = { kind, who };
    struct err err = { 0 };
    int64_t retry_ms = 0;
    *is_answered = !throttle_take(visit->portal, &key, 1, &retry_ms, &err);
    if (*is_answered) {
        page_failed(visit, &err);
        return false;
    }
    return retry_ms == 0 || visit_add_wait(visit, retry_ms, "", "");
}
