/* svc-email/email-deliverability/judge.c - the list of findings, points, score and grade. */
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "probe/grade.h"

enum { DETAIL_CHARS = 500, PASS_PERCENT = 80, WARN_PERCENT = 40 };

static const struct row {
    const char *code;
    enum check check;
    enum severity severity;
    const char *message;
    const char *action;
} rows[FINDINGS] = {
#define FINDING(name, check, severity, message, action) \
    { #name, CHECK_##check, SEVERITY_##severity, message, action },
#include "findings.def"
#undef FINDING
};

static const char *const check_names[CHECKS] = {
    [CHECK_MX] = "MX",       [CHECK_SPF] = "SPF",         [CHECK_DKIM] = "DKIM",
    [CHECK_DMARC] = "DMARC", [CHECK_MTA_STS] = "MTA-STS", [CHECK_TLS_RPT] = "TLS-RPT",
    [CHECK_BIMI] = "BIMI",   [CHECK_DNSSEC] = "DNSSEC",   [CHECK_DANE] = "DANE",
};

static const int max_points[CHECKS_SCORED] = {
    [CHECK_MX] = 20,
    [CHECK_SPF] = 30,
    [CHECK_DKIM] = 20,
    [CHECK_DMARC] = 30,
};

static const char *const status_names[STATUSES] = {
    [STATUS_PASS] = "pass", [STATUS_WARN] = "warn",   [STATUS_FAIL] = "fail",
    [STATUS_INFO] = "info", [STATUS_ERROR] = "error",
};

static const char *const severity_names[] = {
    [SEVERITY_CRITICAL] = "critical", [SEVERITY_HIGH] = "high", [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_LOW] = "low",           [SEVERITY_INFO] = "info",
};

const char *check_name(enum check check)
{
    return check_names[check];
}

const char *status_name(enum status status)
{
    return status_names[status];
}

const char *severity_name(enum severity severity)
{
    return severity_names[severity];
}

const char *finding_code(enum finding finding)
{
    return rows[finding].code;
}

const char *finding_action(enum finding finding)
{
    return rows[finding].action;
}

enum check finding_check(enum finding finding)
{
    return rows[finding].check;
}

/* ---- findings ---- */

__attribute__((format(printf, 3, 0))) static const char *say(struct arena *arena,
                                                             enum finding finding,
                                                             const char *format, va_list rest)
{
    char *text;
    if (!format)
        return rows[finding].message;
    if (vasprintf(&text, format, rest) < 0)
        abort();
    const char *copy = arena_copy(arena, text_of(text));
    mem_free(&text);
    return copy;
}

static void enter(struct judgement *judgement, enum finding finding, enum severity severity,
                  int cost, const char *message)
{
    struct verdict *verdict = &judgement->verdict[rows[finding].check];
    if (verdict->count == FOUND_MAX)
        return;
    struct found found = { finding, severity, message, cost };
    size_t place = verdict->count++;
    for (; place > 0; place--) {
        const struct found *before = &verdict->found[place - 1];
        if (before->severity < severity ||
            (before->severity == severity && before->which <= finding))
            break;
        verdict->found[place] = *before;
    }
    verdict->found[place] = found;
}

#define SAID(judgement, finding, format, message)                     \
    do {                                                              \
        va_list rest_;                                                \
        va_start(rest_, format);                                      \
        (message) = say(&(judgement)->arena, finding, format, rest_); \
        va_end(rest_);                                                \
    } while (0)

void note(struct judgement *judgement, enum finding finding, const char *format, ...)
{
    const char *message;
    SAID(judgement, finding, format, message);
    enter(judgement, finding, rows[finding].severity, 0, message);
}

/* Returns what it costs to go down to so many points. */
static int lower(struct judgement *judgement, enum finding finding, int points)
{
    struct verdict *verdict = &judgement->verdict[rows[finding].check];
    int cost = MAX(verdict->points - MAX(points, 0), 0);
    verdict->points -= cost;
    return cost;
}

void deduct(struct judgement *judgement, enum finding finding, int points, const char *format, ...)
{
    const char *message;
    int now = judgement->verdict[rows[finding].check].points;
    SAID(judgement, finding, format, message);
    enter(judgement, finding, rows[finding].severity, lower(judgement, finding, now - points),
          message);
}

void limit(struct judgement *judgement, enum finding finding, int points, const char *format, ...)
{
    const char *message;
    SAID(judgement, finding, format, message);
    enter(judgement, finding, rows[finding].severity, lower(judgement, finding, points), message);
}

void limit_as(struct judgement *judgement, enum finding finding, enum severity severity, int points,
              const char *format, ...)
{
    const char *message;
    SAID(judgement, finding, format, message);
    enter(judgement, finding, severity, lower(judgement, finding, points), message);
}

/* ---- conclusions ---- */

/* At most 500 characters, with an ellipsis for what is left out. */
static const char *cut(struct arena *arena, const char *text)
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
    char *text;
    if (vasprintf(&text, format, rest) < 0)
        abort();
    const char *copy = arena_copy(&judgement->arena, text_of(text));
    mem_free(&text);
    judgement->verdict[check].detail = cut(&judgement->arena, copy);
}

void conclude(struct judgement *judgement, enum check check, enum status status, const char *format,
              ...)
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

void conclude_scored(struct judgement *judgement, enum check check, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    set_detail(judgement, check, format, rest);
    va_end(rest);
    judgement->verdict[check].status = status_of(&judgement->verdict[check]);
}

/* ---- score and grade ---- */

/* What an A+ needs beside its points. */
static bool is_excellent(const struct facts *facts, const struct judgement *judgement)
{
    for (size_t i = 0; i < CHECKS_SCORED; i++)
        if (judgement->verdict[i].status == STATUS_FAIL)
            return false;
    if (facts_are_closed(facts))
        return true;
    return judgement->verdict[CHECK_MTA_STS].status == STATUS_PASS &&
           judgement->verdict[CHECK_TLS_RPT].status == STATUS_PASS;
}

static void sum_up(const struct facts *facts, struct judgement *judgement)
{
    int points = 0;
    int max = 0;
    for (size_t i = 0; i < CHECKS_SCORED; i++) {
        const struct verdict *verdict = &judgement->verdict[i];
        judgement->errors += verdict->status == STATUS_ERROR;
        points += verdict->has_points ? verdict->points : 0;
        max += verdict->has_points ? verdict->max : 0;
    }
    judgement->score = max > 0 ? (200 * points + max) / (2 * max) : 0; /* half away from zero */
    judgement->grade = grade_of(judgement->score, is_excellent(facts, judgement));
}

static void judge_missing(struct judgement *judgement)
{
    for (unsigned check = 0; check < CHECKS; check++) {
        struct verdict *verdict = &judgement->verdict[check];
        verdict->points = 0;
        verdict->status = check < CHECKS_SCORED ? STATUS_FAIL : STATUS_INFO;
        verdict->detail = "domain does not exist";
    }
    enter(judgement, FINDING_DOMAIN_NOT_FOUND, SEVERITY_CRITICAL, max_points[CHECK_MX],
          rows[FINDING_DOMAIN_NOT_FOUND].message);
}

void judge(const struct facts *facts, struct judgement *judgement)
{
    for (size_t i = 0; i < CHECKS_SCORED; i++) {
        struct verdict *verdict = &judgement->verdict[i];
        verdict->has_points = true;
        verdict->points = verdict->max = max_points[i];
    }
    if (facts->exists) {
        judge_mx(facts, judgement);
        judge_spf(facts, judgement);
        judge_dkim(facts, judgement);
        judge_dmarc(facts, judgement);
        judge_others(facts, judgement);
    } else {
        judge_missing(judgement);
    }
    sum_up(facts, judgement);
}

void judgement_free(struct judgement *judgement)
{
    arena_free(&judgement->arena);
    *judgement = (struct judgement){ 0 };
}
