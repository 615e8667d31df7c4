/* svc-reports/crawl/freshness.c - Cache-Control, Expires, Date. */
#include "crawl/freshness.h"

#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/text.h"

/* The three formats of RFC 9110 section 5.6.7. Returns false for anything else, such as "0" or
 * "-1". */
static bool read_date(const char *text, int64_t *seconds)
{
    static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                         "%a %b %e %H:%M:%S %Y" };
    for (size_t i = 0; i < countof(forms); i++) {
        struct tm date = { 0 };
        const char *end = strptime(text, forms[i], &date);
        if (end && *end == '\0') {
            *seconds = timegm(&date);
            return true;
        }
    }
    return false;
}

static int64_t seconds_of(struct text value)
{
    int64_t seconds = 0;
    value = text_trim(value);
    if (value.size >= 2 && value.bytes[0] == '"' && value.bytes[value.size - 1] == '"')
        value = (struct text){ value.bytes + 1, value.size - 2 };
    if (!text_is_digits(value))
        return 0; /* RFC 9111 section 4.2.1: malformed means stale */
    return num_parse(value, FRESHNESS_MAX_S, &seconds) ? seconds : FRESHNESS_MAX_S;
}

struct directives {
    bool has_age;
    bool forbids; /* no-store or no-cache */
    int64_t age_s;
};

static void read_directive(struct text directive, struct directives *found,
                           struct freshness *freshness)
{
    struct text value = directive;
    struct text name = text_trim(text_cut(&value, '='));
    if (text_is_any_case(name, "immutable"))
        freshness->is_immutable = true;
    else if (text_is_any_case(name, "no-store"))
        found->forbids = true;
    else if (text_is_any_case(name, "no-cache") &&
             value.size == 0) /* with names it applies to those headers only */
        found->forbids = true;
    else if (text_is_any_case(name, "max-age") && !found->has_age) {
        found->has_age = true;
        found->age_s = seconds_of(value);
    }
}

void freshness_read(const struct fetch_hop *hop, int64_t now_ms, struct freshness *freshness)
{
    struct directives found = { 0 };
    const char *value = NULL;
    int64_t expires_s = 0;
    int64_t date_s = now_ms / 1000;
    *freshness = (struct freshness){
        .has_validator = fetch_header(hop, "Last-Modified") || fetch_header(hop, "ETag"),
    };
    while ((value = fetch_header_next(hop, "Cache-Control", value))) {
        struct text rest = text_of(value);
        while (rest.size > 0)
            read_directive(text_cut(&rest, ','), &found, freshness);
    }
    const char *expires = fetch_header(hop, "Expires");
    const char *date = fetch_header(hop, "Date");
    freshness->is_stated = found.forbids || found.has_age || expires;
    if (found.forbids)
        return;
    if (found.has_age) {
        freshness->ttl_s = found.age_s;
        return;
    }
    if (date && !read_date(date, &date_s))
        date_s = now_ms / 1000;
    if (expires && read_date(expires, &expires_s) && expires_s > date_s)
        freshness->ttl_s = MIN(expires_s - date_s, FRESHNESS_MAX_S);
}
