/* portal/entry/rejected.c - see rejected.h. */
#include "portal/entry/rejected.h"

#include "portal/base/throttle.h"
#include "portal/outbox/write.h"
#include "portal/page/audit.h"
#include "text/json.h"

static bool add_mail(struct sql *sql, struct visit *visit, const struct rejected_sign_in *rejected,
                     const char *why, struct err *err)
{
    scoped(json_free) cJSON *data = visit_data(visit);
    json_bool(data, why, true);
    return outbox_add(
        sql,
        &(struct outbox_mail){ .member_id = rejected->member_id,
                               .recipient = rejected->email ? rejected->email : "",
                               .template = rejected->member_id ? "sign-in-tries" : "none",
                               .data = data },
        err);
}

static bool write_mail(struct visit *visit, const struct rejected_sign_in *rejected,
                       const char *why, struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(visit->portal->pool, &sql, err) && add_mail(sql, visit, rejected, why, err);
}

static bool write_audit(struct visit *visit, const struct rejected_sign_in *rejected,
                        struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(visit->portal->pool, &sql, err) &&
           audit_add(sql, visit, rejected->member_id, rejected->account_id, "sign-in rejected",
                     NULL, err);
}

/* Take one from the bucket of the tried address. *has: it was not empty. */
static bool take_one(struct visit *visit, enum throttle_kind kind,
                     const struct rejected_sign_in *rejected, bool *has, struct err *err)
{
    struct throttle_key key = { kind, rejected->key };
    int64_t retry_ms;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, err))
        return false;
    *has = retry_ms == 0;
    return true;
}

bool record_wrong_password(struct visit *visit, const struct rejected_sign_in *rejected,
                           struct err *err)
{
    bool is_first = false;  /* the first in this minute */
    bool is_usual = false;  /* fewer than 20 in the last hour */
    bool is_silent = false; /* no email was sent today */
    if (!take_one(visit, THROTTLE_REJECTION_AUDIT, rejected, &is_first, err) ||
        (is_first && !write_audit(visit, rejected, err)) ||
        !take_one(visit, THROTTLE_REJECTIONS, rejected, &is_usual, err))
        return false;
    if (is_usual)
        return true;
    return take_one(visit, THROTTLE_REJECTION_MAIL, rejected, &is_silent, err) &&
           (!is_silent || write_mail(visit, rejected, "is_password", err));
}

bool record_wrong_codes(struct visit *visit, const struct rejected_sign_in *rejected,
                        struct err *err)
{
    return write_mail(visit, rejected, "is_code", err);
}
