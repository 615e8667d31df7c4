/* tests/fuzz/svc-reports/freshness.c - three lines of arbitrary bytes: Cache-Control, Expires,
 * Date. */
#include "crawl/freshness.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = { "Cache-Control", "Expires", "Date" };
    scoped(mem_free) char *copy = mem_dup(bytes, size);
    struct fetch_header header[countof(names)];
    struct fetch_hop hop = { .header = header };
    struct freshness freshness;
    char *rest = copy;
    char *line;
    while (hop.header_count < countof(names) && (line = strsep(&rest, "\n"))) {
        header[hop.header_count] = (struct fetch_header){ .name = text_of(names[hop.header_count]),
                                                          .value = text_of(line) };
        hop.header_count++;
    }
    freshness_read(&hop, 784111777000, &freshness);
    assert(freshness.ttl_s >= 0 && freshness.ttl_s <= FRESHNESS_MAX_S);
    assert(freshness.is_stated || freshness.ttl_s == 0);
    return 0;
}
