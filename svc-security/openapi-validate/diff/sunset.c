/* svc-security/openapi-validate/diff/sunset.c - compare sunset dates. */
#include "sunset.h"

#include "text/time/datetime.h"

bool sunset_day(const struct node *node, int64_t *day)
{
    struct datetime datetime;
    if (!node_is(node, NODE_STRING) || !datetime_parse(node->text, &datetime))
        return false;
    *day = datetime.local_ms / 1000 / DAY_SECONDS;
    return true;
}

enum stability stability_of(const struct node *node)
{
    static const char *const names[] = { "draft", "alpha", "beta", "stable" };
    const struct node *level = node_get(node, "x-stability-level");
    for (enum stability i = STABILITY_DRAFT; level && i <= STABILITY_STABLE; i++)
        if (node_says(level, names[i]))
            return i;
    return level ? STABILITY_BAD : STABILITY_STABLE;
}

enum sunset_change sunset_change(const struct diff *diff, const struct deprecation *old,
                                 const struct deprecation *new)
{
    int64_t old_day;
    int64_t new_day;
    if (!new->is_deprecated || is_same_text(old->sunset, new->sunset))
        return SUNSET_KEPT;
    if (!new->sunset && old->sunset)
        return SUNSET_DELETED;
    if (!new->sunset)
        return !old->is_deprecated && diff->has_sunsets ? SUNSET_MISSING : SUNSET_KEPT;
    if (!sunset_day(new->sunset, &new_day))
        return SUNSET_INVALID;
    if (!old->sunset)
        return new_day < diff->today ? SUNSET_PAST : SUNSET_KEPT;
    return sunset_day(old->sunset, &old_day) && new_day < old_day ? SUNSET_EARLIER : SUNSET_KEPT;
}

static struct deprecation deprecation_of(const struct node *node)
{
    return (struct deprecation){ node_is_true(node_get(node, "deprecated")),
                                 node_get(node, "x-sunset") };
}

void diff_sunset(struct diff *diff, const enum change_kind kinds[static SUNSET_CHANGES],
                 const struct node *old, const struct node *new)
{
    struct deprecation before = deprecation_of(old);
    struct deprecation after = deprecation_of(new);
    enum sunset_change change = sunset_change(diff, &before, &after);
    if (change != SUNSET_KEPT)
        diff_add(diff, kinds[change], after.sunset ? after.sunset : new, before.sunset,
                 after.sunset);
}
