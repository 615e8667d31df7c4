/* portal/public/error-rows.c - finds a row by its code. */
#include "portal/public/error-rows.h"

#include <string.h>

const struct error_row *error_row_find(const char *code)
{
    for (size_t i = 0; i < error_row_count; i++)
        if (strcmp(error_rows[i].code, code) == 0)
            return &error_rows[i];
    return NULL;
}
