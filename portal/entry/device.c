/* portal/entry/device.c - see device.h. */
#include "portal/entry/device.h"

enum { DEVICE_KEPT_S = 365 * 86400 };

bool device_digest(const struct visit *visit, char digest[static DIGEST_TEXT_BYTES])
{
    uint8_t cookie[COOKIE_BYTES];
    digest[0] = '\0';
    if (!cookie_find(http_header(visit->request, "Cookie"), COOKIE_DEVICE, cookie))
        return false;
    cookie_digest(cookie, digest);
    return true;
}

static bool add_device(struct sql *sql, struct visit *visit, const char *member_id, struct err *err)
{
    uint8_t cookie[COOKIE_BYTES];
    char digest[DIGEST_TEXT_BYTES];
    cookie_new(cookie);
    cookie_digest(cookie, digest);
    if (!sql_run(sql, "select device_add($1, $2)", SQL_PARAMS(digest, member_id), err))
        return false;
    cookie_set(&visit->response->headers, COOKIE_DEVICE, cookie, DEVICE_KEPT_S);
    return true;
}

bool device_know(struct sql *sql, struct visit *visit, const char *member_id, bool *is_new,
                 struct err *err)
{
    char digest[DIGEST_TEXT_BYTES];
    bool is_known = false;
    if (device_digest(visit, digest) &&
        !sql_bool(sql, "select device_see($1, $2)", SQL_PARAMS(digest, member_id), &is_known, err))
        return false;
    if (is_new)
        *is_new = !is_known;
    return is_known || add_device(sql, visit, member_id, err);
}
