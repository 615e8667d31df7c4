/*
 * svc-chat/chatplatform-timestamp/phrase.h - points in time as people write them, in English.
 *
 *   in 2 hours, 5 minutes ago, an hour and a half from now   from the reference instant
 *   18:00, 6 pm, noon, midnight                              today; the next midnight
 *   tomorrow at 6pm, next friday 5pm, in 2 days at 18:00     days of the time zone
 *   24.12.2026 18:00, Dec 24th 2026, 24 December             dates; without a year, the next one
 *   5pm UTC, 18:00 UTC+2, 5pm EST                            in another zone
 */
#pragma once

#include "time/instant.h"

enum { PHRASE_READING_BYTES = 320 };

enum phrase_order { ORDER_UNKNOWN, ORDER_DAY_MONTH, ORDER_MONTH_DAY };

struct phrase_context {
    const struct zone *zone;
    const char *zone_name;
    int64_t now_ms;
    enum phrase_order order; /* of 03/04/2026 */
};

enum phrase_fit {
    PHRASE_UNKNOWN, /* not such a phrase; err is not set */
    PHRASE_READ,
    PHRASE_REJECTED, /* ambiguous or impossible: ERR_INVALID_TIMESTAMP */
};

/* `reading` says in words how the phrase was read; set only with PHRASE_READ. */
enum phrase_fit phrase_read(const char *text, const struct phrase_context *context,
                            struct instant *instant, char reading[static PHRASE_READING_BYTES],
                            struct err *err) must_check;
