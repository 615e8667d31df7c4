/* svc-utils/cron-explain/expression/sets.c - the values of a field as a set. */
#include "base/num.h"
#include "cron.h"

bool cron_has(const struct cron *cron, enum cron_field field, int value)
{
    int index = value - cron_min(field);
    return cron->part[field].set.word[index / 64] >> index % 64 & 1;
}

int cron_next_value(const struct cron *cron, enum cron_field field, int from)
{
    const struct cron_set *set = &cron->part[field].set;
    int index = MAX(from - cron_min(field), 0);
    uint64_t skipped = (UINT64_C(1) << index % 64) - 1;
    int words = (cron_max(field) - cron_min(field)) / 64 + 1;
    for (int i = index / 64; i < words; i++) {
        uint64_t word = set->word[i] & ~skipped;
        skipped = 0;
        if (word)
            return cron_min(field) + 64 * i + __builtin_ctzll(word);
    }
    return -1;
}

bool cron_is_restricted(const struct cron *cron, enum cron_field field)
{
    const struct cron_part *part = &cron->part[field];
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].kind == CRON_ALL && part->item[i].step == 1)
            return false;
    return true;
}

bool cron_is_plain(const struct cron *cron, enum cron_field field)
{
    const struct cron_part *part = &cron->part[field];
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].kind != CRON_VALUE)
            return false;
    return true;
}
