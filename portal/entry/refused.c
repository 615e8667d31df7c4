/* portal/entry/refused.c - see refused.h. */
#include "portal/entry/refused.h"

#include "portal/base/throttle.h"
#include "portal/outbox/write.h"
#include "portal/page/audit.h"
#include "text/json.h"

static bool add_mail(struct sql *sql, struct visit *visit, const struct refused *refused,
                     const char *why, struct err *err)
{
    scoped(json_free) cJSON *data = visit_data(visit);
    json_bool(data, why, true);
    return outbox_add(
        sql,
        &(struct outbox_mail){ .member_id = refused->member_id,
                               .recipient = refused->email ? refused->email : "",
                               .template = refused->member_id ? "sign-in-tries" : "none",
                               .data = data },
        err);
}

static bool write_mail(struct visit *visit, const struct refused *refused, const char *why,
                       struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(visit->portal->pool, &sql, err) && add_mail(sql, visit, refused, why, err);
}

static bool write_audit(struct visit *visit, const struct refused *refused, struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(visit->portal->pool, &sql, err) &&
           audit_add(sql, visit, refused->member_id, refused->account_id, "sign-in refused", NULL,
                     err);
}

/* Take one from the bucket of the tried address. *has: it was not empty. */
static bool take_one(struct visit *visit, enum throttle_kind kind, const struct refused *refused,
                     bool *has, struct err *err)
{
    struct throttle_key key = { kind, refused->key };
    int64_t retry_ms;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, err))
        return false;
    *has = retry_ms == 0;
    return true;
}

bool refused_sign_in(struct visit *visit, const struct refused *refused, struct err *err)
{
    bool is_first = false;  /* the first in this minute */
    bool is_usual = false;  /* fewer than 20 in the last hour */
    bool is_silent = false; /* no email was sent today */
    if (!take_one(visit, THROTTLE_REFUSAL_AUDIT, refused, &is_first, err) ||
        (is_first && !write_audit(visit, refused, err)) ||
        !take_one(visit, THROTTLE_REFUSALS, refused, &is_usual, err))
        return false;
    if (is_usual)
        return true;
    return take_one(visit, THROTTLE_REFUSAL_MAIL, refused, &is_silent, err) &&
           (!is_silent || write_mail(visit, refused, "is_password", err));
}

bool refused_codes(struct visit *visit, const struct refused *refused, struct err *err)
{
    return write_mail(visit, refused, "is_code", err);
}
