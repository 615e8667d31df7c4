/* svc-security/subdomain-finder/tests/fuzz/subdomain-finder.c - parse any bytes as a response of a
 * certificate transparency service: all names found are below the domain. The first byte selects
 * the format. */
#include <assert.h>
#include <string.h>

#include "subdomain-finder/readers.h"
#include "target.h"

#define DOMAIN "x.com"

static void check_name(const char *name)
{
    size_t size = strlen(name);
    assert(size > strlen("." DOMAIN) && size <= 253);
    assert(strcmp(name + size - strlen("." DOMAIN), "." DOMAIN) == 0);
    assert(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == size);
    assert(name[0] != '.' && !strstr(name, ".."));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const formats[] = { "crtsh", "certspotter", "merklemap", "names", "lines" };
    scoped(harvest_free) struct harvest *harvest = harvest_new(DOMAIN);
    struct page page = { 0 };
    if (size == 0)
        return 0;
    const struct format *format = format_of(formats[bytes[0] % countof(formats)]);
    struct text body = { (const char *)bytes + 1, size - 1 };
    enum reading reading = format->read(body, 1, harvest, &page);
    assert(reading != READING_NONE || page.items == 0);
    assert(strlen(page.cursor) < CURSOR_BYTES && !strpbrk(page.cursor, "&#? %"));
    const struct found_name *found = harvest_by_label(harvest);
    for (size_t i = 0; i < harvest_count(harvest); i++) {
        check_name(found[i].name);
        assert(i == 0 || strcmp(found[i - 1].name, found[i].name) != 0);
        assert(found[i].first_seen_ms <= found[i].last_seen_ms);
    }
    harvest_by_interest(harvest);
    return 0;
}
