/* svc-email/senders/data-file.c - shared code of the data files. */
#include "senders/data-file.h"

#include <string.h>

#include "text/json.h"

bool source_reject(const struct source *source, const char *key, const char *what)
{
    return err_set(source->err, ERR_INVALID_VALUE, "%s: %s%s%s %s", source->file,
                   source->where ? source->where : "", source->where ? ": " : "", key, what);
}

bool source_knows_keys(const struct source *source, const cJSON *object, const char *const *keys,
                       size_t count)
{
    const cJSON *member;
    if (!json_is(object, cJSON_Object))
        return source_reject(source, "it", "must be a mapping");
    cJSON_ArrayForEach(member, object) {
        size_t i = 0;
        while (i < count && strcmp(keys[i], member->string) != 0)
            i++;
        if (i == count)
            return source_reject(source, member->string, "is not a known key");
    }
    return true;
}

bool source_is_list(const struct source *source, const char *key, const cJSON *list)
{
    const cJSON *item;
    if (!json_is(list, cJSON_Array) || json_size(list) == 0)
        return source_reject(source, key, "must be a list of texts");
    cJSON_ArrayForEach(item, list)
        if (json_text_of(item).size == 0)
            return source_reject(source, key,
                                 "must be a list of strings, with quotes around null and numbers");
    return true;
}
