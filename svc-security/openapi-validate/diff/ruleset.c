/* svc-security/openapi-validate/diff/ruleset.c - what a request leaves out of the lists. */
#include "ruleset.h"

#include <string.h>

#include "base/text.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/time/datetime.h"

/* The entry applies on the day `until`, and not after it. */
static bool read_until(const cJSON *node, int64_t now_ms, size_t index, struct ruleset_entry *entry,
                       struct err *err)
{
    struct text until = json_text_of(json_get(node, "until"));
    struct datetime datetime;
    if (until.size == 0)
        return true;
    if (!datetime_parse(until, &datetime))
        return err_set(err, ERR_INVALID_VALUE, "ignore[%zu].until must be a day, as YYYY-MM-DD",
                       index);
    int64_t day_ms = (int64_t)DAY_SECONDS * 1000;
    entry->is_expired = datetime.local_ms / day_ms < now_ms / day_ms;
    return true;
}

/* In the order of enum level and enum change_level. */
static const char *const levels[] = { "error", "warning", "info" };

static bool read_severity(const cJSON *severity, struct err *err)
{
    const cJSON *item;
    if (json_size(severity) > RULESET_SEVERITY_MAX)
        return err_set(err, ERR_INVALID_VALUE, "severity must have at most %d entries",
                       RULESET_SEVERITY_MAX);
    cJSON_ArrayForEach(item, severity) {
        struct text text = json_text_of(item);
        if (!text_is(text, levels[0]) && !text_is(text, levels[1]) && !text_is(text, levels[2]))
            return err_set(err, ERR_INVALID_VALUE,
                           "each value of severity must be error, warning or info");
    }
    return true;
}

unsigned ruleset_level(const struct ruleset *ruleset, const char *rule, unsigned level)
{
    struct text text = json_text_of(json_get(ruleset->severity, rule));
    for (unsigned i = 0; i < countof(levels); i++)
        if (text_is(text, levels[i]))
            return i;
    return level;
}

bool ruleset_read(const struct job *job, struct ruleset *ruleset, struct err *err)
{
    const cJSON *node;
    *ruleset = (struct ruleset){ .accepted = arg_any(job, "accepted"),
                                 .severity = arg_any(job, "severity") };
    if (!read_severity(ruleset->severity, err))
        return false;
    cJSON_ArrayForEach(node, arg_any(job, "ignore")) {
        struct ruleset_entry *entry = &ruleset->entry[ruleset->count];
        *entry = (struct ruleset_entry){ .rule = json_text_of(json_get(node, "rule")),
                                         .path = json_text_of(json_get(node, "path")) };
        if (entry->rule.size == 0 && entry->path.size == 0)
            return err_set(err, ERR_INVALID_VALUE, "ignore[%zu] must have a rule or a path",
                           ruleset->count);
        if (!read_until(node, job->now_ms, ruleset->count, entry, err))
            return false;
        ruleset->expired += entry->is_expired;
        ruleset->count++;
    }
    return true;
}

/* Is the place the pointer's, or below it? */
static bool is_under(struct text place, struct text pointer)
{
    return pointer.size == 0 ||
           (place.size >= pointer.size && memcmp(place.bytes, pointer.bytes, pointer.size) == 0 &&
            (place.size == pointer.size || place.bytes[pointer.size] == '/'));
}

bool ruleset_ignores(const struct ruleset *ruleset, const char *rule, const struct node *at)
{
    scoped(buf_free) struct buf path = BUF(RULESET_PATH_BYTES);
    if (ruleset->count == 0)
        return false;
    node_path(at, &path);
    struct text place = { buf_str(&path), path.size };
    for (size_t i = 0; i < ruleset->count; i++) {
        const struct ruleset_entry *entry = &ruleset->entry[i];
        if (!entry->is_expired && (entry->rule.size == 0 || text_is(entry->rule, rule)) &&
            is_under(place, entry->path))
            return true;
    }
    return false;
}

bool ruleset_accepts(const struct ruleset *ruleset, const char *fingerprint)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, ruleset->accepted)
        if (text_is(json_text_of(item), fingerprint))
            return true;
    return false;
}
