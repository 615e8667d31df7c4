/* common/svc/args.c - reads a job's checked arguments. */
#include "svc/args.h"

#include <assert.h>

#include "svc/schema.h"
#include "text/json.h"

/*
 * The argument; NULL if it is absent. The assertion makes a test fail if a tool reads a field or
 * type that its contract does not have.
 */
static const cJSON *find_argument(const struct job *job, const char *name, unsigned types)
{
    const struct schema *property = schema_property(job->contract->request, name);
    assert(property && property->types & types);
    return json_get(job->args, name);
}

bool arg_has(const struct job *job, const char *name)
{
    return find_argument(job, name, SCHEMA_ANY) != NULL;
}

const char *arg_str(const struct job *job, const char *name)
{
    const cJSON *value = find_argument(job, name, SCHEMA_STRING);
    assert(!schema_property(job->contract->request, name)->allow_nul);
    assert(!value || (value->type & 0xFF) == cJSON_String);
    return json_text(value, "");
}

struct text arg_text(const struct job *job, const char *name)
{
    const cJSON *value = find_argument(job, name, SCHEMA_STRING);
    assert(!value || (value->type & 0xFF) == cJSON_String);
    return json_text_of(value);
}

int64_t arg_int(const struct job *job, const char *name)
{
    const cJSON *value = find_argument(job, name, SCHEMA_INTEGER);
    assert(!value || json_is_integer(value));
    return value ? (int64_t)value->valuedouble : 0;
}

double arg_num(const struct job *job, const char *name)
{
    const cJSON *value = find_argument(job, name, SCHEMA_NUMERIC);
    assert(!value || (value->type & 0xFF) == cJSON_Number);
    return value ? value->valuedouble : 0;
}

bool arg_bool(const struct job *job, const char *name)
{
    const cJSON *value = find_argument(job, name, SCHEMA_BOOLEAN);
    assert(!value || (value->type & 0xFF) == cJSON_True || (value->type & 0xFF) == cJSON_False);
    return value && (value->type & 0xFF) == cJSON_True;
}

const cJSON *arg_any(const struct job *job, const char *name)
{
    return find_argument(job, name, SCHEMA_ANY);
}
