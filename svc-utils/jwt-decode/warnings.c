/* svc-utils/jwt-decode/warnings.c - the list of warnings. */
#include "warnings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/json.h"

static const struct row {
    enum severity severity;
    const char *code;
    const char *message;
} rows[] = {
#define WARNING(id, severity, code, message) { SEVERITY_##severity, code, message },
#include "warnings.def"
#undef WARNING
};

static const char *const severities[] = {
    [SEVERITY_CRITICAL] = "critical", [SEVERITY_HIGH] = "high", [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_LOW] = "low",           [SEVERITY_INFO] = "info",
};

static struct warning *append_warning(struct warnings *warnings, enum warning_id id,
                                      const char *claim)
{
    if (warnings->count_of[id] == WARNINGS_PER_CODE) {
        warnings->is_truncated = true;
        return NULL;
    }
    warnings->count_of[id]++;
    if (warnings->count == warnings->capacity) {
        warnings->capacity = warnings->capacity ? 2 * warnings->capacity : 16;
        warnings->item = mem_resize(warnings->item, warnings->capacity * sizeof(*warnings->item));
    }
    struct warning *warning = &warnings->item[warnings->count++];
    *warning = (struct warning){ .id = id, .severity = rows[id].severity, .claim = str_dup(claim) };
    return warning;
}

void warnings_add(struct warnings *warnings, enum warning_id id, const char *claim)
{
    append_warning(warnings, id, claim);
}

void warnings_add_as(struct warnings *warnings, enum warning_id id, enum severity severity,
                     const char *claim)
{
    struct warning *warning = append_warning(warnings, id, claim);
    if (warning)
        warning->severity = severity;
}

void warnings_add_with(struct warnings *warnings, enum warning_id id, char *message,
                       const char *claim)
{
    struct warning *warning = append_warning(warnings, id, claim);
    if (warning)
        warning->message = message;
    else
        mem_free(&message);
}

static int by_severity(const void *a, const void *b)
{
    const struct warning *left = a;
    const struct warning *right = b;
    if (left->severity != right->severity)
        return left->severity < right->severity ? -1 : 1;
    int order = strcmp(rows[left->id].code, rows[right->id].code);
    if (order == 0 && left->claim && right->claim)
        order = strcmp(left->claim, right->claim);
    return order;
}

void warnings_print(struct warnings *warnings, cJSON *result)
{
    cJSON *list = json_list(result, "warnings");
    if (warnings->count > 0)
        qsort(warnings->item, warnings->count, sizeof(*warnings->item), by_severity);
    for (size_t i = 0; i < warnings->count; i++) {
        const struct warning *warning = &warnings->item[i];
        cJSON *item = json_item(list);
        json_str(item, "code", rows[warning->id].code);
        json_str(item, "severity", severities[warning->severity]);
        json_str(item, "message", warning->message ? warning->message : rows[warning->id].message);
        json_str(item, "claim", warning->claim);
    }
    json_str(result, "risk", warnings->count > 0 ? severities[warnings->item[0].severity] : "none");
    if (warnings->is_truncated)
        json_bool(result, "truncated", true);
}

void warnings_free(struct warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++) {
        mem_free(&warnings->item[i].claim);
        mem_free(&warnings->item[i].message);
    }
    mem_free(&warnings->item);
    *warnings = (struct warnings){ 0 };
}
