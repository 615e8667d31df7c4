/* portal/member/work.c - see work.h. */
#include "portal/member/work.h"

#include <stdio.h>

#include "portal/base/throttle.h"
#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "text/json.h"

static bool run(struct visit *visit, enum sql_mode mode, member_work *work, void *context,
                struct err *err)
{
    struct pool *pool = visit->portal->pool;
    struct sql *sql = NULL;
    bool ok = pool_take(pool, &sql, err) && sql_begin(sql, mode, err) &&
              work(sql, visit, context, err) && sql_commit(sql, err);
    pool_give(pool, &sql);
    return ok;
}

bool work_do(struct visit *visit, member_work *work, void *context, struct err *err)
{
    return run(visit, SQL_WRITE, work, context, err);
}

bool work_look(struct visit *visit, member_work *work, void *context, struct err *err)
{
    return run(visit, SQL_SNAPSHOT, work, context, err);
}

bool work_outcome(struct sql *sql, const char *statement, struct sql_params params,
                  char outcome[static OUTCOME_BYTES], struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, statement, params, row, err))
        return false;
    const char *word = json_text(row, "/outcome");
    snprintf(outcome, OUTCOME_BYTES, "%s", word ? word : "");
    return true;
}

bool work_act(struct sql *sql, const char *statement, struct sql_params params, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, statement, params, row, err))
        return false;
    return json_is(json_get(row, "is_done"), cJSON_True) ||
           err_set(err, ERR_NOT_FOUND, "the session has ended");
}

bool work_audit(struct sql *sql, struct visit *visit, const char *action, const char *detail,
                struct err *err)
{
    return audit_add(sql, visit, visit->session.member_id, visit->session.account_id, action,
                     detail, err);
}

bool work_mail(struct sql *sql, const struct visit *visit, const char *template, const cJSON *data,
               struct err *err)
{
    return outbox_add(sql,
                      &(struct outbox_mail){ .member_id = visit->session.member_id,
                                             .recipient = visit->session.email,
                                             .template = template,
                                             .data = data },
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

bool work_throttle(struct visit *visit, bool *is_answered)
{
    struct throttle_key key = { THROTTLE_WORK, visit->session.account_id };
    struct err err = { 0 };
    int64_t retry_ms = 0;
    *is_answered = !throttle_take(visit->portal, &key, 1, &retry_ms, &err);
    if (*is_answered) {
        page_failed(visit, &err);
        return false;
    }
    return retry_ms == 0 ||
           visit_refuse(visit, NULL, "Too many tries. Wait %s.", throttle_wait(retry_ms).words);
}
