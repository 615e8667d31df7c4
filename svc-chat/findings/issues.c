/* svc-chat/findings/issues.c - lists of findings. */
#include "issues.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "text/json.h"

enum { MESSAGE_BYTES = 320 };

/* The position of an issue: by code among those of its path, else at the end. */
static size_t place_of(const struct issues *issues, const char *path, const char *code)
{
    size_t end = issues->count;
    while (end > 0 && strcmp(issues->item[end - 1].path, path) != 0)
        end--;
    if (end == 0)
        return issues->count;
    while (end > 0 && strcmp(issues->item[end - 1].path, path) == 0 &&
           strcmp(issues->item[end - 1].code, code) > 0)
        end--;
    return end;
}

/* Insert an issue at its position; NULL if the list is full. */
static struct issue *insert_issue(struct issues *issues, const char *path, const char *code,
                                  const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static struct issue *insert_issue(struct issues *issues, const char *path, const char *code,
                                  const char *format, va_list args)
{
    char message[MESSAGE_BYTES];

    if (issues->count == ISSUES_MAX) {
        issues->dropped++;
        return NULL;
    }
    if (!issues->item)
        issues->item = mem_array(ISSUES_MAX, sizeof(*issues->item));
    struct issue *place = &issues->item[place_of(issues, path, code)];
    memmove(place + 1, place,
            (size_t)(&issues->item[issues->count] - place) * sizeof(*issues->item));
    issues->count++;
    vsnprintf(message, sizeof(message), format, args);
    text_repair(message);
    *place = (struct issue){ .path = str_dup(path), .code = code, .message = str_dup(message) };
    return place;
}

void issues_add(struct issues *issues, const char *path, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    insert_issue(issues, path, code, format, args);
    va_end(args);
}

void issues_add_limit(struct issues *issues, const char *path, const char *code, int64_t limit,
                      int64_t actual, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct issue *issue = insert_issue(issues, path, code, format, args);
    va_end(args);
    if (!issue)
        return;
    issue->has_limit = true;
    issue->limit = limit;
    issue->actual = actual;
}

void issues_add_hint(struct issues *issues, const char *path, const char *code,
                     const char *suggestion, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct issue *issue = insert_issue(issues, path, code, format, args);
    va_end(args);
    if (issue)
        issue->suggestion = str_dup(suggestion);
}

static void write_issue(const struct issue *issue, cJSON *item)
{
    json_str(item, "path", issue->path);
    json_str(item, "code", issue->code);
    json_str(item, "message", issue->message);
    if (issue->has_limit) {
        json_int(item, "limit", issue->limit);
        json_int(item, "actual", issue->actual);
    }
    if (issue->suggestion)
        json_str(item, "suggestion", issue->suggestion);
}

void issues_write(const struct issues *issues, cJSON *result, const char *name)
{
    cJSON *list = json_list(result, name);
    for (size_t i = 0; i < issues->count; i++)
        write_issue(&issues->item[i], json_item(list));
    if (issues->dropped == 0)
        return;
    scoped(mem_free) char *message =
        str_format("%zu more issues were found; fix these first", issues->dropped);
    write_issue(&(struct issue){ .path = (char[]){ "" },
                                 .code = "issues_truncated",
                                 .message = message,
                                 .has_limit = true,
                                 .limit = ISSUES_MAX,
                                 .actual = (int64_t)(issues->count + issues->dropped) },
                json_item(list));
}

void issues_free(struct issues *issues)
{
    for (size_t i = 0; i < issues->count; i++) {
        mem_free(&issues->item[i].path);
        mem_free(&issues->item[i].message);
        mem_free(&issues->item[i].suggestion);
    }
    mem_free(&issues->item);
    *issues = (struct issues){ 0 };
}
