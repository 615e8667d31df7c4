/* portal/base/throttle.c - see throttle.h. */
#include "portal/base/throttle.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/os/log.h"
#include "portal/base/numbers.h"
#include "portal/base/secret.h"

enum { MINUTE_MS = 60000, HOUR_MS = 60 * MINUTE_MS, DAY_MS = 24 * HOUR_MS, LIST_BYTES = 512 };

/* The burst size, and the time in which one try is refilled. */
static const struct limit {
    int64_t each_ms;
    int burst;
} limits[THROTTLE_COUNT] = {
    [THROTTLE_SIGN_IN_ADDRESS] = { MINUTE_MS / 2, 20 },
    [THROTTLE_SIGN_IN_EMAIL] = { MINUTE_MS, 10 },
    [THROTTLE_SIGN_IN_DEVICE] = { MINUTE_MS / 2, 10 },
    [THROTTLE_CONFIRM] = { MINUTE_MS, 10 },
    [THROTTLE_CODE] = { MINUTE_MS, 10 },
    [THROTTLE_ENTRY_ADDRESS] = { 10 * MINUTE_MS, 5 },
    [THROTTLE_MAIL] = { HOUR_MS, 3 },
    [THROTTLE_REJECTIONS] = { HOUR_MS / 20, 20 },
    [THROTTLE_REJECTION_MAIL] = { DAY_MS, 1 },
    [THROTTLE_REJECTION_AUDIT] = { MINUTE_MS, 1 },
    [THROTTLE_WORK] = { MINUTE_MS, 20 },
    [THROTTLE_ORDER] = { MINUTE_MS / 2, 10 },
    [THROTTLE_ORDER_READ] = { MINUTE_MS / 2, 10 },
    [THROTTLE_AUTHORIZE] = { MINUTE_MS / 6, 30 },
    [THROTTLE_CONSENT] = { MINUTE_MS, 20 },
    [THROTTLE_REFRESH] = { MINUTE_MS, 10 },
    [THROTTLE_DOCUMENT_ACCOUNT] = { MINUTE_MS / 2, 10 },
    [THROTTLE_DOCUMENT_HOST] = { MINUTE_MS / 30, 30 },
};

/* Arrays for the functions of gateway/sql/006-members.sql, as text. */
struct lists {
    struct buf keys;
    struct buf each_ms;
    struct buf bursts;
};

static void free_lists(struct lists *lists)
{
    buf_free(&lists->keys);
    buf_free(&lists->each_ms);
    buf_free(&lists->bursts);
}

static void add_key(struct portal *portal, struct throttle_key key, struct lists *lists)
{
    scoped(buf_free) struct buf message = BUF(LIST_BYTES);
    uint8_t mac[SECRET_MAC_BYTES];
    char hex[2 * SECRET_MAC_BYTES + 1];
    const struct limit *limit = &limits[key.kind];
    const char *comma = lists->keys.size > 1 ? "," : "";
    buf_format(&message, "%d %s", (int)key.kind, key.who);
    assert(!message.full);
    secret_mac(portal->secrets, SECRET_THROTTLE, buf_text(&message), mac);
    hex_encode(hex, mac, sizeof(mac));
    buf_format(&lists->keys, "%s\"\\\\x%s\"", comma, hex);
    buf_format(&lists->each_ms, "%s%" PRId64, comma, limit->each_ms);
    buf_format(&lists->bursts, "%s%d", comma, limit->burst);
}

static struct lists make_lists(struct portal *portal, const struct throttle_key *keys, size_t count)
{
    struct lists lists = { BUF(LIST_BYTES), BUF(LIST_BYTES), BUF(LIST_BYTES) };
    struct buf *all[] = { &lists.keys, &lists.each_ms, &lists.bursts };
    assert(count <= THROTTLE_KEYS_MAX);
    for (size_t i = 0; i < countof(all); i++)
        buf_add_byte(all[i], '{');
    for (size_t i = 0; i < count; i++)
        add_key(portal, keys[i], &lists);
    for (size_t i = 0; i < countof(all); i++)
        buf_add_byte(all[i], '}');
    return lists;
}

/* Its transaction does not wait for the disk: a server that crashes loses the tries of the last
 * second. */
static const char take_statement[] =
    "select set_config('synchronous_commit', 'off', true), throttle_take($1, $2, $3) as retry_ms";

bool throttle_take(struct portal *portal, const struct throttle_key *keys, size_t count,
                   int64_t *retry_ms, struct err *err)
{
    scoped(free_lists) struct lists lists = make_lists(portal, keys, count);
    scoped(json_free) cJSON *row = json_object();
    bool ok =
        pool_row(portal->pool, take_statement,
                 SQL_PARAMS(buf_str(&lists.keys), buf_str(&lists.each_ms), buf_str(&lists.bursts)),
                 row, err);
    if (ok)
        *retry_ms = (int64_t)json_get(row, "retry_ms")->valuedouble;
    return ok;
}

void throttle_give(struct portal *portal, const struct throttle_key *keys, size_t count)
{
    scoped(free_lists) struct lists lists = make_lists(portal, keys, count);
    struct err err = { 0 };
    bool ok = pool_run(portal->pool, "select throttle_give($1, $2)",
                       SQL_PARAMS(buf_str(&lists.keys), buf_str(&lists.each_ms)), &err);
    if (!ok)
        log_line(LOG_WARN, "bucket not refilled", log_str("error", err.message));
}

void throttle_address(const struct in6_addr *address, char who[static THROTTLE_ADDRESS_BYTES])
{
    struct in6_addr kept = *address;
    if (!address_is_ipv4(&kept))
        memset(kept.s6_addr + 8, 0, 8);
    inet_ntop(AF_INET6, &kept, who, THROTTLE_ADDRESS_BYTES);
}

struct throttle_wait throttle_wait(int64_t retry_ms)
{
    struct throttle_wait wait;
    int64_t minutes = retry_ms <= MINUTE_MS ? 1 : (retry_ms + MINUTE_MS - 1) / MINUTE_MS;
    snprintf(wait.words, sizeof(wait.words), "%lld %s", (long long)minutes,
             noun_of(minutes, "minute", "minutes"));
    return wait;
}
