/* svc-security/tech-detect/version.c - compare versions. */
#include "version.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN_DIGITS_MAX = 5 /* longer numbers without dots are builds or hashes */ };

static size_t parts_of(const char *version)
{
    size_t parts = 1;
    for (; *version; version++)
        parts += *version == '.';
    return parts;
}

int version_compare(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *a_end;
            char *b_end;
            unsigned long long one = strtoull(a, &a_end, 10);
            unsigned long long other = strtoull(b, &b_end, 10);
            if (one != other)
                return one < other ? -1 : 1;
            a = a_end;
            b = b_end;
            continue;
        }
        if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static bool is_version(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    bool has_dot = strchr(text, '.') != NULL;
    return digits > 0 && (has_dot || strlen(text) <= PLAIN_DIGITS_MAX);
}

void version_offer(char version[static VERSION_BYTES], struct text candidate)
{
    char clean[VERSION_BYTES] = "";
    if (candidate.size > 0 && (candidate.bytes[0] | 0x20) == 'v')
        candidate = (struct text){ candidate.bytes + 1, candidate.size - 1 };
    while (candidate.size > 0 && candidate.bytes[candidate.size - 1] == '.')
        candidate.size--;
    if (candidate.size == 0 || candidate.size >= VERSION_BYTES)
        return;
    memcpy(clean, candidate.bytes, candidate.size);
    if (!is_version(clean))
        return;
    size_t new_parts = parts_of(clean);
    size_t old_parts = *version ? parts_of(version) : 0;
    if (new_parts > old_parts || (new_parts == old_parts && version_compare(clean, version) > 0))
        memcpy(version, clean, sizeof(clean));
}
