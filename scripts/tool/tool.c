/* svc-@GROUP@/@TOOL@/@TOOL@.c - what it does, and what may surprise a reader. */
#include <string.h>

#include "base/codec/utf8.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

bool @FUNCTION@(const struct job *job, cJSON *result, struct err *err)
{
    const char *text = arg_str(job, "text");

    if (strspn(text, " \t\r\n") == strlen(text))
        return err_set(err, ERR_INVALID_VALUE, "text must not be blank");
    json_int(result, "length", (int64_t)utf8_length(text_of(text)));
    return true;
}
