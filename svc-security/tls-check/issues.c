/* svc-security/tls-check/issues.c - the list of issues. */
#include "issues.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "text/json.h"

enum { DETAIL_BYTES = 400 };

static const struct row {
    const char *id;
    enum severity severity;
    const char *title;
    const char *detail;
} rows[ISSUES] = {
#define ISSUE(name, id, severity, title, detail) { id, SEVERITY_##severity, title, detail },
#include "issues.def"
#undef ISSUE
};

static const char *const severities[] = {
    [SEVERITY_CRITICAL] = "critical", [SEVERITY_HIGH] = "high", [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_LOW] = "low",           [SEVERITY_INFO] = "info",
};

/* Returns false if the issue exists with the same or a worse severity. */
static bool enter_issue(struct issues *issues, enum issue issue, enum severity severity)
{
    issues->of[issue].certificates |= issues->certificate;
    if (issues->of[issue].is_there && issues->of[issue].severity <= severity)
        return false;
    mem_free(&issues->of[issue].detail);
    issues->of[issue].is_there = true;
    issues->of[issue].severity = severity;
    return true;
}

void issue_add(struct issues *issues, enum issue issue)
{
    enter_issue(issues, issue, rows[issue].severity);
}

void issue_add_as(struct issues *issues, enum issue issue, enum severity severity,
                  const char *format, ...)
{
    char detail[DETAIL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    if (size >= 0 && enter_issue(issues, issue, severity))
        issues->of[issue].detail = str_dup(detail);
}

bool issue_is_there(const struct issues *issues, enum issue issue)
{
    return issues->of[issue].is_there;
}

const char *issue_id(enum issue issue)
{
    return rows[issue].id;
}

static int by_id(const void *a, const void *b)
{
    const enum issue *left = a;
    const enum issue *right = b;
    return strcmp(rows[*left].id, rows[*right].id);
}

static void print_issue(const struct issues *issues, enum issue issue, cJSON *item)
{
    const char *detail = issues->of[issue].detail;
    json_str(item, "id", rows[issue].id);
    json_str(item, "severity", severities[issues->of[issue].severity]);
    json_str(item, "title", rows[issue].title);
    json_str(item, "detail", detail ? detail : rows[issue].detail);
    if (!issues->of[issue].certificates)
        return;
    cJSON *list = json_list(item, "certificates");
    for (unsigned i = 0; issues->of[issue].certificates >> i; i++)
        if (issues->of[issue].certificates >> i & 1)
            json_item_int(list, i);
}

void issues_print(const struct issues *issues, cJSON *result)
{
    cJSON *list = json_list(result, "issues");
    enum issue order[ISSUES];
    for (unsigned i = 0; i < ISSUES; i++)
        order[i] = (enum issue)i;
    qsort(order, ISSUES, sizeof(order[0]), by_id);
    for (unsigned severity = SEVERITY_CRITICAL; severity <= SEVERITY_INFO; severity++)
        for (size_t i = 0; i < ISSUES; i++)
            if (issues->of[order[i]].is_there && issues->of[order[i]].severity == severity)
                print_issue(issues, order[i], json_item(list));
}

void issues_free(struct issues *issues)
{
    for (size_t i = 0; i < ISSUES; i++)
        mem_free(&issues->of[i].detail);
    *issues = (struct issues){ 0 };
}
