/* svc-email/dns/domain.c - read domains as people paste them. */
#include "dns/domain.h"

#include <string.h>

#include "base/text.h"
#include "net/egress.h"

static struct text after_last(struct text text, char byte)
{
    for (size_t i = text.size; i > 0; i--)
        if (text.bytes[i - 1] == byte)
            return text_skip(text, i);
    return text;
}

static struct text without_scheme(struct text text)
{
    for (size_t i = 0; i + 3 <= text.size; i++)
        if (memcmp(text.bytes + i, "://", 3) == 0)
            return text_skip(text, i + 3);
    return text;
}

bool mail_domain_parse(struct text text, char name[static HOST_BYTES], struct err *err)
{
    text = text_trim(text);
    struct text rest = without_scheme(text);
    if (rest.size < text.size) /* the @ before the host; later ones belong to a URL's path */
        rest = text_before(rest, "/?#");
    rest = text_before(after_last(rest, '@'), "/?#");
    if (rest.size > 0 && rest.bytes[0] != '[') /* an IPv6 address is an error of its kind */
        rest = text_before(rest, ":");
    return domain_parse(rest, DOMAIN_PLAIN, name, err);
}

const char *mail_org_domain(const struct egress *egress, const char *name)
{
    const struct public_suffixes *suffixes = egress_suffixes(egress);
    const char *owner = name;
    for (const char *rest = name; rest && !public_suffix_is(suffixes, rest);
         rest = name_parent(rest))
        owner = rest;
    return owner;
}

bool name_is_within(const char *name, const char *parent)
{
    size_t size = strlen(name);
    size_t tail = strlen(parent);
    return size >= tail && strcmp(name + size - tail, parent) == 0 &&
           (size == tail || name[size - tail - 1] == '.');
}

const char *name_parent(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : NULL;
}

bool names_have(const struct names *names, struct text name)
{
    uint32_t index;
    return names_find(names, name, &index);
}

bool names_have_within(const struct names *names, const char *name)
{
    while (name && !names_have(names, text_of(name)))
        name = name_parent(name);
    return name != NULL;
}
