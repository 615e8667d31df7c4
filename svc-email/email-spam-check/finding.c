/* svc-email/email-spam-check/finding.c - the rules and their findings. */
#include "base/codec/utf8.h"
#include "base/num.h"
#include "email-spam-check/check.h"

const struct spam_rule spam_rules[RULES] = {
#define STRONG RULE_STRONG
#define WEAK   RULE_WEAK
#define BACKED RULE_BACKED
#define RULE(id, category, strength, p1, p2, p3, when, fix) \
    { #id, CATEGORY_##category, strength, { p1, p2, p3 }, when, fix },
#include "email-spam-check/rules.def"
#undef RULE
#undef STRONG
#undef WEAK
#undef BACKED
};

void spam_find(struct spam_check *check, enum rule_id rule, int step, size_t count,
               struct text evidence)
{
    struct spam_finding *found = &check->found[rule];
    evidence = text_trim(evidence);
    if (!found->is_found) {
        found->is_strong = spam_rules[rule].strength == RULE_STRONG;
        size_t bytes = 0;
        for (size_t chars = 0; chars < EVIDENCE_MAX_CHARS && bytes < evidence.size; chars++) {
            size_t one = 1;
            utf8_next(text_skip(evidence, bytes), &one);
            bytes += one;
        }
        if (bytes > 0)
            found->evidence = arena_copy(&check->arena, (struct text){ evidence.bytes, bytes });
    }
    found->count = found->is_found && step == 1 ? found->count + count : count;
    found->is_found = true;
    found->points = MAX(found->points, spam_rules[rule].points[step - 1]);
}

void find_if(struct spam_check *check, bool holds, enum rule_id rule, struct text evidence)
{
    if (holds)
        spam_find(check, rule, 1, 1, evidence);
}

void count_if(struct spam_check *check, bool holds, enum rule_id rule, size_t count)
{
    if (holds)
        spam_find(check, rule, 1, count, TEXT(""));
}

void spam_back_findings(struct spam_check *check)
{
    bool is_backed = false;
    for (size_t i = 0; i < RULES; i++)
        is_backed |= check->found[i].is_found && check->found[i].is_strong &&
                     check->found[i].points >= CORROBORATING_POINTS;
    for (size_t i = 0; i < RULES; i++)
        if (check->found[i].is_found && spam_rules[i].strength == RULE_BACKED)
            check->found[i].is_strong |= is_backed;
}
