/* svc-security/security-headers/results.c - names, points and descriptions of results. */
#include "results.h"

const struct result_row result_rows[RESULTS] = {
#define RESULT(check, id, name, modifier, description) { name, modifier, description },
#include "results.def"
#undef RESULT
};

bool result_passes(enum result result)
{
    return result_rows[result].modifier >= 0 || result == CSP_INSECURE_PASSIVE;
}
