/* common/base/codec/networks.c - see networks.h. */
#include "base/codec/networks.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { IPV4_PREFIX = 96, SHOWN_BYTES = 60 };

static bool is_listed(const struct cidrs *list, const struct cidr *cidr)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->item[i].prefix == cidr->prefix &&
            memcmp(&list->item[i].network, &cidr->network, sizeof(cidr->network)) == 0)
            return true;
    return false;
}

static bool check_prefix(const struct cidr *cidr, struct text text, struct err *err)
{
    bool is_ipv4 = address_is_ipv4(&cidr->network);
    unsigned bits = is_ipv4 ? cidr->prefix - IPV4_PREFIX : cidr->prefix;
    unsigned least = is_ipv4 ? NETWORKS_IPV4_BITS : NETWORKS_IPV6_BITS;
    return bits >= least ||
           err_set(err, ERR_INVALID_VALUE, "%.*s is too large: the prefix must be /%u or longer",
                   (int)text.size, text.bytes, least);
}

/* Only such a text is repeated in a message: another one may be a secret. */
static bool is_plain(struct text text)
{
    return text.size > 0 && text.size <= SHOWN_BYTES &&
           text_is_made_of(text, "0123456789abcdefABCDEF.:/");
}

static bool reject_text(struct text text, struct err *err)
{
    static const char must[] =
        "not an address or network such as 192.0.2.0/24, with no bits set after its prefix";
    return is_plain(text)
               ? err_set(err, ERR_INVALID_VALUE, "%.*s is %s", (int)text.size, text.bytes, must)
               : err_set(err, ERR_INVALID_VALUE, "one of them is %s", must);
}

bool networks_add(struct cidrs *list, struct text text, struct err *err)
{
    struct cidr cidr;
    struct err why = { 0 };
    if (!is_plain(text) || !cidr_parse(text, &cidr, &why))
        return reject_text(text, err);
    if (!check_prefix(&cidr, text, err))
        return false;
    if (is_listed(list, &cidr))
        return true;
    if (list->count == NETWORKS_MAX)
        return err_set(err, ERR_TOO_MANY_ITEMS, "a token has at most %d networks", NETWORKS_MAX);
    return cidrs_add(list, text, err);
}

void networks_write(const struct cidrs *list, char out[static NETWORKS_TEXT_BYTES])
{
    char network[CIDR_TEXT_BYTES];
    size_t size = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        cidr_format(network, &list->item[i]);
        size += (size_t)snprintf(out + size, NETWORKS_TEXT_BYTES - size, "%c%s", i == 0 ? '{' : ',',
                                 network);
    }
    if (size > 0)
        snprintf(out + size, NETWORKS_TEXT_BYTES - size, "}");
}
