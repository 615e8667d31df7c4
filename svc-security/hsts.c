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

/* ---- the grammar ---- */

/* RFC 9110 section 5.6.2 */
static struct text take_token(struct text *rest)
{
    size_t size = 0;
    while (size < rest->size && rest->bytes[size] > ' ' && rest->bytes[size] < 0x7F &&
           !strchr("\"(),/:;<=>?@[\\]{}", rest->bytes[size]))
        size++;
    struct text token = { rest->bytes, size };
    *rest = text_skip(*rest, size);
    return token;
}

static bool take_value(struct text *rest)
{
    if (!text_take_byte(rest, "\""))
        return take_token(rest).size > 0;
    while (rest->size > 0) {
        if (text_take_byte(rest, "\""))
            return true;
        *rest = text_skip(*rest, rest->bytes[0] == '\\' && rest->size > 1 ? 2 : 1);
    }
    return false;
}

static bool take_directive(struct text *rest)
{
    struct text name = take_token(rest);
    *rest = text_trim(*rest);
    if (!text_take_byte(rest, "="))
        return name.size > 0;
    *rest = text_trim(*rest);
    bool may_have_value = find_directive(name) != SUBDOMAINS;
    return name.size > 0 && may_have_value && take_value(rest);
}

static bool is_well_formed(struct text rest)
{
    do {
        rest = text_trim(rest);
        if (rest.size > 0 && rest.bytes[0] != ';' && !take_directive(&rest))
            return false;
        rest = text_trim(rest);
    } while (text_take_byte(&rest, ";"));
    return rest.size == 0;
}

void hsts_read(struct text value, struct hsts *hsts)
{
    bool has[DIRECTIVES + 1] = { false };
    struct text argument;
    *hsts = (struct hsts){ .has_comma = value.size > 0 && memchr(value.bytes, ',', value.size),
                           .is_malformed = !is_well_formed(value) };
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
