/* svc-security/seo-analyze/factors/link-header.c - parse the Link header. */
#include "link-header.h"

#include <string.h>

#include "base/text.h"
#include "probe/page-text.h"

/* Cut the text before one of these bytes off *rest, with that byte. */
static struct text take_until(struct text *rest, const char *ends)
{
    size_t size = 0;
    while (size < rest->size && rest->bytes[size] != '\0' && !strchr(ends, rest->bytes[size]))
        size++;
    struct text taken = { rest->bytes, size };
    *rest = text_skip(*rest, size);
    return taken;
}

/* Cut a quoted string off *rest; \" does not end it. */
static struct text take_quoted(struct text *rest)
{
    size_t size = 0;
    while (size < rest->size && rest->bytes[size] != '"')
        size += rest->bytes[size] == '\\' && size + 1 < rest->size ? 2 : 1;
    struct text taken = { rest->bytes, size };
    *rest = text_skip(*rest, size);
    (void)text_take_byte(rest, "\"");
    return taken;
}

/* Cut name=value, name="value" or name after a semicolon. The first of several with the same name
 * applies. */
static void take_parameter(struct text *rest, struct header_link *link)
{
    struct text name = page_trim(take_until(rest, "=;,"));
    struct text value = TEXT("");
    if (text_take_byte(rest, "=")) {
        *rest = page_trim(*rest);
        value = text_take_byte(rest, "\"") ? take_quoted(rest) : page_trim(take_until(rest, ";,"));
    }
    if (text_is_any_case(name, "rel") && link->rel.size == 0)
        link->rel = value;
    if (text_is_any_case(name, "hreflang") && link->hreflang.size == 0)
        link->hreflang = value;
}

bool header_link_next(struct text *value, struct header_link *link)
{
    *link = (struct header_link){ TEXT(""), TEXT(""), TEXT("") };
    do
        *value = page_trim(*value);
    while (text_take_byte(value, ","));
    if (!text_take_byte(value, "<"))
        return false;
    link->url = take_until(value, ">");
    if (!text_take_byte(value, ">"))
        return false;
    *value = page_trim(*value);
    while (text_take_byte(value, ";")) {
        take_parameter(value, link);
        *value = page_trim(*value);
    }
    return true;
}

bool header_link_has_rel(const struct header_link *link, const char *rel)
{
    struct text list = link->rel;
    for (struct text word; page_word(&list, &word);)
        if (text_is_any_case(word, rel))
            return true;
    return false;
}
