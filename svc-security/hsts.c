/* svc-security/hsts.c - the header Strict-Transport-Security. */
#include "hsts.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "text/json.h"
#include "words.h"

enum directive { MAX_AGE, SUBDOMAINS, PRELOAD, DIRECTIVES };

static const char *const names[DIRECTIVES] = { "max-age", "includesubdomains", "preload" };

static enum directive find_directive(struct text name)
{
    unsigned i = 0;
    while (i < DIRECTIVES && !text_is_any_case(name, names[i]))
        i++;
    return (enum directive)i;
}

static bool read_age(struct text value, int64_t *age)
{
    if (value.size >= 2 && value.bytes[0] == '"' && value.bytes[value.size - 1] == '"')
        value = (struct text){ value.bytes + 1, value.size - 2 };
    if (value.size == 0)
        return false;
    for (size_t i = 0; i < value.size; i++)
        if (value.bytes[i] < '0' || value.bytes[i] > '9')
            return false;
    if (!num_parse(value, JSON_INTEGER_MAX, age))
        *age = JSON_INTEGER_MAX;
    return true;
}

void hsts_read(struct text value, struct hsts *hsts)
{
    bool has[DIRECTIVES + 1] = { false };
    struct text argument;
    *hsts = (struct hsts){ .has_comma = value.size > 0 && memchr(value.bytes, ',', value.size) };
    while (word_cut(&value, ';', &argument)) {
        struct text name = { 0 };
        word_cut(&argument, '=', &name);
        enum directive directive = find_directive(name);
        hsts->has_repeats |= directive < DIRECTIVES && has[directive];
        if (directive == MAX_AGE)
            hsts->has_age = read_age(text_trim(argument), &hsts->max_age_s) && !has[MAX_AGE];
        has[directive] = true;
    }
    hsts->has_subdomains = has[SUBDOMAINS];
    hsts->has_preload = has[PRELOAD];
}
