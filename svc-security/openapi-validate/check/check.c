/* svc-security/openapi-validate/check/check.c - limits on the work of a check. */
#include "check.h"

#include <time.h>

#include "base/mem.h"
#include "base/num.h"

int64_t check_cpu_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool check_step(struct check *check, size_t steps)
{
    enum { STEPS_BETWEEN_LOOKS = 4096 };
    size_t before = check->steps_left / STEPS_BETWEEN_LOOKS;
    check->steps_left -= MIN(steps, check->steps_left);
    bool looks = check->steps_left / STEPS_BETWEEN_LOOKS != before;
    if (check->steps_left == 0 || (looks && check_cpu_us() > check->cpu_end_us))
        check->is_cut = true;
    return !check->is_cut;
}

void check_begin(struct check *check)
{
    check->is_cut = false;
    check->steps_left = CHECK_STEPS_MAX;
    check->cpu_end_us = check_cpu_us() + (int64_t)CHECK_CPU_MS_MAX * 1000;
}

void check_free(struct check *check)
{
    mem_free(&check->visits);
}

const struct node *check_components(const struct check *check, const char *name,
                                    const char *old_name)
{
    const struct node *root = check->document->root;
    return check->version == V20 ? node_get(root, old_name)
                                 : node_get(node_get(root, "components"), name);
}
