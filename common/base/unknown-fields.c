/* common/base/unknown-fields.c - see unknown-fields.h. */
#include "base/unknown-fields.h"

bool unknown_fields_reject(const struct unknown_fields *unknown, struct errs *errs)
{
    for (size_t i = 0; i < unknown->count; i++) {
        const struct unknown_field *field = &unknown->item[i];
        if (field->did_you_mean)
            errs_add(errs, ERR_UNKNOWN_FIELD, "%s is not a field of this tool. Did you mean %s?",
                     field->path, field->did_you_mean);
        else
            errs_add(errs, ERR_UNKNOWN_FIELD, "%s is not a field of this tool", field->path);
    }
    return false;
}
