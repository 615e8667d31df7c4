/* svc-chat/chatplatform-moderate/moderation.c - records findings, and reads the request's
 * context. */
#include "moderation.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "svc/args.h"
#include "text/json.h"

struct finding *finding_add_points(struct moderation *moderation, enum rule_id rule, uint32_t start,
                                   uint32_t end, int64_t points)
{
    if (!moderation->wants[moderation->rules->rule[rule].category] ||
        moderation->finding_count == MODERATION_FINDINGS_MAX)
        return NULL;
    if (moderation->finding_count == moderation->finding_capacity) {
        moderation->finding_capacity = MAX(16, 2 * moderation->finding_capacity);
        moderation->finding = mem_resize(moderation->finding, moderation->finding_capacity *
                                                                  sizeof(*moderation->finding));
    }
    struct finding *finding = &moderation->finding[moderation->finding_count++];
    points = (points * moderation->percent + 50) / 100;
    *finding = (struct finding){
        .rule = rule, .points = MIN(points, MODERATION_FULL_SCORE), .start = start, .end = end
    };
    return finding;
}

struct finding *finding_add(struct moderation *moderation, enum rule_id rule, uint32_t start,
                            uint32_t end, unsigned disguise)
{
    const struct moderation_rules *rules = moderation->rules;
    int64_t points = rules->rule[rule].points;
    if (disguise)
        points = (points * rules->limit[LIMIT_OBFUSCATED_PERCENT] + 50) / 100;
    struct finding *finding = finding_add_points(moderation, rule, start, end, points);
    if (finding)
        finding->disguise = disguise;
    return finding;
}

static const cJSON *context_member(const struct moderation *moderation, const char *name)
{
    return json_get(arg_any(moderation->job, "context"), name);
}

bool context_has(const struct moderation *moderation, const char *list, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, context_member(moderation, list))
        if (text_is(json_text_of(item), text))
            return true;
    return false;
}

bool context_has_domain(const struct moderation *moderation, const char *list, const char *host)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, context_member(moderation, list)) {
        struct text domain = json_text_of(item);
        size_t size = strlen(host);
        if (domain.size == 0 || domain.size > size)
            continue;
        const char *tail = host + size - domain.size;
        if (strcasecmp(tail, domain.bytes) == 0 && (tail == host || tail[-1] == '.'))
            return true;
    }
    return false;
}

int64_t context_int(const struct moderation *moderation, const char *name)
{
    return (int64_t)context_member(moderation, name)->valuedouble;
}
