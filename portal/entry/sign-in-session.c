/* portal/entry/sign-in-session.c - see sign-in-session.h. */
#include "portal/entry/sign-in-session.h"

#include "portal/entry/device.h"
#include "portal/outbox/write.h"
#include "portal/page/audit.h"
#include "text/json.h"

/* ---- a new device ---- */

static bool tell_of_device(struct sql *sql, struct visit *visit, const struct sign_in_start *start,
                           struct err *err)
{
    scoped(json_free) cJSON *data = visit_data(visit);
    return outbox_add(sql,
                      &(struct outbox_mail){ .member_id = start->member_id,
                                             .recipient = start->email,
                                             .template = "new-device",
                                             .data = data },
                      err);
}

/* The records of a complete sign-in, in the current transaction. */
static bool record_sign_in(struct sql *sql, struct visit *visit, const struct sign_in_start *start,
                           struct err *err)
{
    bool is_first = false; /* at sign-up every device is new */
    bool is_new = false;
    return device_know(sql, visit, start->member_id, &is_new, err) &&
           sql_bool(sql, "select member_signed_in($1)", SQL_PARAMS(start->member_id), &is_first,
                    err) &&
           audit_add(sql, visit, start->member_id, start->account_id,
                     is_new ? "sign-in new device" : "sign-in known device", NULL, err) &&
           (!is_new || is_first || tell_of_device(sql, visit, start, err));
}

/* ---- the session ---- */

/* Sign out the browser's old session, so that a planted cookie is useless. In a separate
 * transaction, because it locks another account than the next one. */
static bool end_old_session(struct sql *sql, const struct visit *visit, struct err *err)
{
    const struct member_session *before = &visit->session;
    return !before->session_id[0] ||
           session_end(sql, before->member_id, before->session_id, NULL, err);
}

static bool open_session(struct sql *sql, struct visit *visit, const struct sign_in_start *start,
                         uint8_t cookie[static COOKIE_BYTES], bool *is_half, struct err *err)
{
    char network[NETWORK_TEXT_BYTES];
    struct session_opening opening = { .member_id = start->member_id,
                                       .password = start->password,
                                       .is_kept = start->is_kept,
                                       .network = network,
                                       .agent = visit_agent(visit) };
    visit_network(visit, network);
    return sql_begin(sql, SQL_WRITE, err) && session_open(sql, &opening, cookie, is_half, err) &&
           (*is_half || record_sign_in(sql, visit, start, err)) && sql_commit(sql, err);
}

bool start_sign_in_session(struct visit *visit, const struct sign_in_start *start, bool *is_half,
                           struct err *err)
{
    uint8_t cookie[COOKIE_BYTES];
    scoped(pool_give) struct sql *sql = NULL;
    bool ok = pool_take(visit->portal->pool, &sql, err) && end_old_session(sql, visit, err) &&
              open_session(sql, visit, start, cookie, is_half, err);
    if (ok)
        cookie_set(&visit->response->headers, COOKIE_SESSION, cookie,
                   start->is_kept && !*is_half ? SESSION_KEPT_S : 0);
    return ok;
}

bool finish_second_step(struct visit *visit, struct err *err)
{
    const struct member_session *half = &visit->session;
    struct sign_in_start start = { .member_id = half->member_id,
                                   .account_id = half->account_id,
                                   .email = half->email };
    uint8_t cookie[COOKIE_BYTES];
    scoped(pool_give) struct sql *sql = NULL;
    bool ok = pool_take(visit->portal->pool, &sql, err) && sql_begin(sql, SQL_WRITE, err) &&
              session_renew(sql, half->session_id, cookie, err) &&
              record_sign_in(sql, visit, &start, err) && sql_commit(sql, err);
    if (ok)
        cookie_set(&visit->response->headers, COOKIE_SESSION, cookie,
                   half->is_kept ? SESSION_KEPT_S : 0);
    return ok;
}
