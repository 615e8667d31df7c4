/* svc-email/mailbox/literal.c - IP addresses in brackets. The grammar is stricter than
 * inet_pton(3): :: replaces at least two groups, and IPv6 needs its tag. */
#include "mailbox/literal.h"

#include <string.h>

#include "base/num.h"

enum { GROUPS = 8, IPV4_GROUPS = 2, SNUM_MAX = 255, SNUM_DIGITS = 3, GROUP_DIGITS = 4 };

/* Snum = 1*3DIGIT of at most 255. A leading zero does not mean octal. */
static bool is_ipv4(struct text text)
{
    size_t numbers = 0;
    while (text.size > 0) {
        bool has_dot = memchr(text.bytes, '.', text.size) != NULL;
        struct text number = text_cut(&text, '.');
        int64_t value;
        if (number.size > SNUM_DIGITS || !num_parse(number, SNUM_MAX, &value) ||
            (has_dot && text.size == 0))
            return false;
        numbers++;
    }
    return numbers == 4;
}

static bool is_group(struct text text)
{
    return text.size > 0 && text.size <= GROUP_DIGITS &&
           text_is_made_of(text, "0123456789abcdefABCDEF");
}

/* Count the groups of a part without ::. A final IPv4 address counts as two. On false, adds the
 * offset of the invalid group to *at. */
static bool count_groups(struct text text, bool is_last, size_t *groups, size_t *at)
{
    const char *begin = text.bytes;
    while (text.size > 0) {
        const char *here = text.bytes;
        struct text group = text_cut(&text, ':');
        if (is_group(group)) {
            ++*groups;
        } else if (is_last && text.size == 0 && is_ipv4(group)) {
            *groups += IPV4_GROUPS;
        } else {
            *at += (size_t)(here - begin);
            return false;
        }
    }
    return true;
}

/* The position of ::, or NULL. */
static const char *find_compression(struct text text)
{
    return text.size ? memmem(text.bytes, text.size, "::", 2) : NULL;
}

static enum mailbox_diagnosis diagnose_compressed(struct text text, const char *compression,
                                                  size_t *at)
{
    struct text before = { text.bytes, (size_t)(compression - text.bytes) };
    struct text behind = text_skip(text, before.size + 2);
    size_t groups = 0;
    size_t from = *at;
    *at = from + before.size;
    if (find_compression(behind) || (behind.size > 0 && behind.bytes[0] == ':'))
        return DIAGNOSIS_ipv6_double_compression;
    *at = from;
    if (!count_groups(before, false, &groups, at))
        return DIAGNOSIS_ipv6_bad_char;
    *at = from + before.size + 2;
    if (!count_groups(behind, true, &groups, at))
        return DIAGNOSIS_ipv6_bad_char;
    *at = from;
    if (groups >= GROUPS)
        return DIAGNOSIS_ipv6_max_groups;
    return groups == GROUPS - 1 ? DIAGNOSIS_ipv6_one_group : DIAGNOSIS_address_literal;
}

static enum mailbox_diagnosis diagnose_ipv6(struct text text, size_t *at)
{
    const char *compression = find_compression(text);
    size_t groups = 0;
    if (text.size > 0 && text.bytes[0] == ':' && compression != text.bytes)
        return DIAGNOSIS_ipv6_colon_start;
    if (text.size > 0 && text.bytes[text.size - 1] == ':' &&
        (text.size < 2 || text.bytes[text.size - 2] != ':')) {
        *at += text.size - 1;
        return DIAGNOSIS_ipv6_colon_end;
    }
    if (compression)
        return diagnose_compressed(text, compression, at);
    if (!count_groups(text, true, &groups, at))
        return DIAGNOSIS_ipv6_bad_char;
    return groups == GROUPS ? DIAGNOSIS_address_literal : DIAGNOSIS_ipv6_group_count;
}

enum mailbox_diagnosis literal_diagnose(struct text inside, size_t *at)
{
    static const char tag[] = "IPv6:";
    *at = 0;
    if (is_ipv4(inside))
        return DIAGNOSIS_address_literal;
    if (!text_begins_any_case(inside, tag))
        return DIAGNOSIS_domain_literal;
    *at = strlen(tag);
    return diagnose_ipv6(text_skip(inside, strlen(tag)), at);
}
