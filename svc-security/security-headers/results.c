/* svc-security/security-headers/results.c - names, weights and sentences of results. */
#include "results.h"

/* clang-format off */
static const struct outcome {
    const char *name;
    int modifier;
    const char *description;
} outcomes[RESULTS] = {
#define RESULT(check, id, name, modifier, description) { name, modifier, description },
#include "results.def"
#undef RESULT
};
/* clang-format on */

const char *result_name(enum result result)
{
    return outcomes[result].name;
}

const char *result_description(enum result result)
{
    return outcomes[result].description;
}

int result_modifier(enum result result)
{
    return outcomes[result].modifier;
}

bool result_passes(enum result result)
{
    return outcomes[result].modifier >= 0 || result == CSP_INSECURE_PASSIVE;
}
