/* svc-chat/chatplatform-moderate/scripts.c - finds parts of one deed near each other. */
#include "scripts.h"

#include "base/num.h"

/* The parts of a script that were met last. */
struct progress {
    const struct part *met[SCRIPT_PARTS_MAX];
};

/* The span of all parts; false if one is missing or too far away. */
static bool is_complete(const struct moderation *moderation, const struct script *script,
                        const struct progress *progress, uint32_t word, uint32_t *start,
                        uint32_t *end)
{
    const int64_t within = moderation->rules->limit[LIMIT_SCRIPT_WORDS];
    *start = UINT32_MAX;
    *end = 0;
    for (size_t i = 0; i < script->count; i++) {
        const struct part *part = progress->met[i];
        if (!part || (int64_t)word - part->word > within)
            return false;
        *start = MIN(*start, part->start);
        *end = MAX(*end, part->end);
    }
    return true;
}

static void find_script(struct moderation *moderation, const struct script *script,
                        const struct part *parts, size_t count)
{
    struct progress progress = { 0 };
    uint32_t start, end;
    for (size_t i = 0; i < count; i++) {
        bool is_part = false;
        for (size_t j = 0; j < script->count; j++)
            if (script->all[j] == parts[i].number) {
                progress.met[j] = &parts[i];
                is_part = true;
            }
        if (is_part && is_complete(moderation, script, &progress, parts[i].word, &start, &end)) {
            finding_add(moderation, script->rule, start, end, 0);
            return;
        }
    }
}

void find_scripts(struct moderation *moderation, const struct part *parts, size_t count)
{
    const struct moderation_rules *rules = moderation->rules;
    uint64_t present = 0;
    for (size_t i = 0; i < count; i++)
        present |= UINT64_C(1) << parts[i].number;
    for (size_t i = 0; i < rules->script_count; i++) {
        const struct script *script = &rules->script[i];
        if (!(script->none & present) && (!script->needs_link || moderation->has_foreign_link))
            find_script(moderation, script, parts, count);
    }
}
