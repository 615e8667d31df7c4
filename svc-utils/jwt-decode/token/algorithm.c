/* svc-utils/jwt-decode/token/algorithm.c - the table of algorithms. */
#include "algorithm.h"

#include <strings.h>

#include "base/scoped.h"

static const struct algorithm algorithms[] = {
#define ALGORITHM(name, family, digest, bytes, description) \
    { name, FAMILY_##family, digest, bytes, description },
#include "algorithms.def"
#undef ALGORITHM
};

const struct algorithm *algorithm_find(const char *name)
{
    for (size_t i = 0; name && i < countof(algorithms); i++)
        if (strcasecmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    return NULL;
}
