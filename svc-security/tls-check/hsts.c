/* svc-security/tls-check/hsts.c - the header Strict-Transport-Security. */
#include "hsts.h"

#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "text/json.h"

enum directive { MAX_AGE, SUBDOMAINS, PRELOAD, DIRECTIVES };

static const char *const names[DIRECTIVES] = { "max-age", "includesubdomains", "preload" };

static struct text trim(struct text text)
{
    while (text.size > 0 && strchr(" \t", text.bytes[0])) {
        text.bytes++;
        text.size--;
    }
    while (text.size > 0 && strchr(" \t", text.bytes[text.size - 1]))
        text.size--;
    return text;
}

/* What stands before the separator; the rest, without it, stays in *text. */
static struct text cut(struct text *text, char separator)
{
    const char *end = text->size > 0 ? memchr(text->bytes, separator, text->size) : NULL;
    struct text part = { text->bytes, end ? (size_t)(end - text->bytes) : text->size };
    size_t passed = part.size + (end != NULL);
    if (passed > 0)
        text->bytes += passed;
    text->size -= passed;
    return trim(part);
}

static enum directive find_directive(struct text name)
{
    unsigned i = 0;
    while (i < DIRECTIVES &&
           (strlen(names[i]) != name.size || strncasecmp(names[i], name.bytes, name.size) != 0))
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
    *hsts = (struct hsts){ .is_present = TRI_YES, .is_valid = true };
    while (value.size > 0) {
        struct text argument = cut(&value, ';');
        struct text name = cut(&argument, '=');
        enum directive directive = find_directive(name);
        if (directive < DIRECTIVES && has[directive])
            hsts->is_valid = false;
        if (directive == MAX_AGE && !read_age(trim(argument), &hsts->max_age_s))
            hsts->is_valid = false;
        has[directive] = true;
    }
    hsts->has_subdomains = has[SUBDOMAINS];
    hsts->has_preload = has[PRELOAD];
    hsts->is_valid &= has[MAX_AGE];
}
