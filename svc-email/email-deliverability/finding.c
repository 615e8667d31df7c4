/* svc-email/email-deliverability/finding.c - each check's list of findings, and its points. */
#include "finding.h"

#include <limits.h>

#include "base/codec/utf8.h"
#include "base/num.h"

enum { DETAIL_CHARS = 500, PASS_PERCENT = 80, WARN_PERCENT = 40 };

const struct finding_row finding_rows[FINDINGS] = {
#define FINDING(name, check, severity, message, action) \
    { #name, CHECK_##check, SEVERITY_##severity, message, action },
#include "findings.def"
#undef FINDING
};

const char *const check_names[CHECKS] = {
    [CHECK_MX] = "MX",         [CHECK_SPF] = "SPF",         [CHECK_DKIM] = "DKIM",
    [CHECK_DMARC] = "DMARC",   [CHECK_MTA_STS] = "MTA-STS", [CHECK_TLS_RPT] = "TLS-RPT",
    [CHECK_BIMI] = "BIMI",     [CHECK_DNSSEC] = "DNSSEC",   [CHECK_DANE] = "DANE",
    [CHECK_SENDER] = "Sender", [CHECK_SMTP] = "SMTP",
};

const char *const status_names[STATUSES] = {
    [STATUS_PASS] = "pass", [STATUS_WARN] = "warn",   [STATUS_FAIL] = "fail",
    [STATUS_INFO] = "info", [STATUS_ERROR] = "error",
};

const char *const severity_names[] = {
    [SEVERITY_CRITICAL] = "critical", [SEVERITY_HIGH] = "high", [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_LOW] = "low",           [SEVERITY_INFO] = "info",
};

/* ---- findings ---- */

/* Insert a finding in order; reduce the check to at most `points`, at least 0. */
static void insert_finding(struct judgement *judgement, enum finding finding,
                           enum severity severity, int points, const char *message)
{
    struct verdict *verdict = &judgement->verdict[finding_rows[finding].check];
    int cost = MAX(verdict->points - MAX(points, 0), 0);
    verdict->points -= cost;
    if (verdict->count == FOUND_MAX)
        return;
    size_t place = verdict->count++;
    for (; place > 0; place--) {
        const struct found *before = &verdict->found[place - 1];
        if (before->severity < severity ||
            (before->severity == severity && before->which <= finding))
            break;
        verdict->found[place] = *before;
    }
    verdict->found[place] = (struct found){ finding, severity, message, cost };
}

__attribute__((format(printf, 4, 0))) static void say(struct judgement *judgement,
                                                      enum finding finding, int points,
                                                      const char *format, va_list rest)
{
    insert_finding(judgement, finding, finding_rows[finding].severity, points,
                   format ? facts_vformat(&judgement->arena, format, rest)
                          : finding_rows[finding].message);
}

void note_finding(struct judgement *judgement, enum finding finding, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    say(judgement, finding, INT_MAX, format, rest);
    va_end(rest);
}

static int points_less(const struct judgement *judgement, enum finding finding, int points)
{
    return judgement->verdict[finding_rows[finding].check].points - points;
}

void deduct_points(struct judgement *judgement, enum finding finding, int points,
                   const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    say(judgement, finding, points_less(judgement, finding, points), format, rest);
    va_end(rest);
}

void limit_points(struct judgement *judgement, enum finding finding, int points, const char *format,
                  ...)
{
    va_list rest;
    va_start(rest, format);
    say(judgement, finding, points, format, rest);
    va_end(rest);
}

void limit_points_as(struct judgement *judgement, enum finding finding, enum severity severity,
                     int points)
{
    insert_finding(judgement, finding, severity, points, finding_rows[finding].message);
}

void limit_points_if(struct judgement *judgement, bool holds, enum finding finding, int points)
{
    if (holds)
        limit_points_as(judgement, finding, finding_rows[finding].severity, points);
}

void note_finding_if(struct judgement *judgement, bool holds, enum finding finding)
{
    limit_points_if(judgement, holds, finding, INT_MAX);
}

void deduct_points_if(struct judgement *judgement, bool holds, enum finding finding, int points)
{
    limit_points_if(judgement, holds, finding, points_less(judgement, finding, points));
}

/* ---- conclusions ---- */

/* At most 500 characters, with an ellipsis if it is cut. */
static const char *shorten_detail(struct arena *arena, const char *text)
{
    struct text rest = text_of(text);
    size_t bytes;
    for (size_t i = 0; i + 1 < DETAIL_CHARS && rest.size > 0; i++) {
        utf8_next(rest, &bytes);
        rest = text_skip(rest, bytes);
    }
    if (rest.size == 0 || utf8_length(rest) == 1)
        return text;
    return facts_format(arena, "%.*s…", (int)(rest.bytes - text), text);
}

__attribute__((format(printf, 3, 0))) static void set_detail(struct judgement *judgement,
                                                             enum check check, const char *format,
                                                             va_list rest)
{
    const char *text = facts_vformat(&judgement->arena, format, rest);
    judgement->verdict[check].detail = shorten_detail(&judgement->arena, text);
}

void conclude_check(struct judgement *judgement, enum check check, enum status status,
                    const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    set_detail(judgement, check, format, rest);
    va_end(rest);
    judgement->verdict[check].status = status;
    judgement->verdict[check].has_points = false;
}

static enum status status_of(const struct verdict *verdict)
{
    enum severity worst = verdict->count > 0 ? verdict->found[0].severity : SEVERITY_INFO;
    int percent = 100 * verdict->points / verdict->max;
    if (worst == SEVERITY_CRITICAL || percent < WARN_PERCENT)
        return STATUS_FAIL;
    return worst == SEVERITY_HIGH || percent < PASS_PERCENT ? STATUS_WARN : STATUS_PASS;
}

void conclude_scored_check(struct judgement *judgement, enum check check, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    set_detail(judgement, check, format, rest);
    va_end(rest);
    judgement->verdict[check].status = status_of(&judgement->verdict[check]);
}
