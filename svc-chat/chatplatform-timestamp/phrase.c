/* svc-chat/chatplatform-timestamp/phrase.c - spans, days and times of English phrases. */
#include "phrase.h"

#include <stdio.h>

#include "base/num.h"
#include "base/scoped.h"
#include "phrase-parts.h"

static enum phrase_fit read_span(const struct span *span, const struct phrase_context *context,
                                 struct instant *instant, struct buf *reading)
{
    span_resolve(span, context, instant);
    buf_format(reading, "%s %s now", span->words, span->is_past ? "before" : "after");
    if (span->months > 0)
        buf_format(reading, ", by the calendar of %s", context->zone_name);
    return PHRASE_READ;
}

/* "in 2 days at 18:00": the span selects the day. */
static enum phrase_fit read_span_and_time(const struct span *span, struct pieces *pieces,
                                          const struct phrase_context *context,
                                          struct instant *instant, struct buf *reading,
                                          struct err *err)
{
    struct instant at;
    span_resolve(span, context, &at);
    if (!span->has_days_only || !instant_in_range(at.unix_ms))
        return PHRASE_UNKNOWN;
    int64_t local = phrase_local(context, instant_seconds(at.unix_ms));
    int64_t second = (local % PHRASE_DAY_SECONDS + PHRASE_DAY_SECONDS) % PHRASE_DAY_SECONDS;
    int64_t day = (local - second) / PHRASE_DAY_SECONDS;
    return moment_read(pieces, &day, context, instant, reading, err);
}

enum phrase_fit phrase_read(const char *text, const struct phrase_context *context,
                            struct instant *instant, char reading[static PHRASE_READING_BYTES],
                            struct err *err)
{
    scoped(buf_free) struct buf words = BUF(PHRASE_READING_BYTES - 1);
    struct pieces pieces;
    struct span span;
    enum phrase_fit fit;

    if (!pieces_read(text, &pieces))
        return PHRASE_UNKNOWN;
    if (!span_take(&pieces, &span))
        fit = moment_read(&pieces, NULL, context, instant, &words, err);
    else if (pieces_peek(&pieces, 0)->kind == PIECE_END)
        fit = read_span(&span, context, instant, &words);
    else
        fit = read_span_and_time(&span, &pieces, context, instant, &words, err);
    if (fit != PHRASE_READ)
        return fit;
    if (!instant_in_range(instant->unix_ms)) {
        err_set(err, ERR_TIMESTAMP_OUT_OF_RANGE, "timestamp must be in the years 0000 to 9999");
        return PHRASE_REJECTED;
    }
    snprintf(reading, PHRASE_READING_BYTES, "%s", buf_str(&words));
    return PHRASE_READ;
}
