/* tests/fuzz/common/url.c - URLs and references: the checked URL is the fetched one. The first line
 * is a URL, the rest a reference relative to it. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/cidr.h"
#include "net/target.h"
#include "same-host.h"

static void check_host(const struct host *host)
{
    struct in6_addr address;
    size_t size = strlen(host->name);
    assert(size > 0 && size < 254);
    assert(address_parse(text_of(host->name), &address) == host->is_address);
    assert(host->is_address || strchr(host->name, '.'));
    for (size_t i = 0; i < size && !host->is_address; i++)
        assert(strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", host->name[i]));
}

/* The canonical form has the same meaning when it is parsed again, as libcurl does. */
static void check_target(const struct target *target)
{
    scoped(target_free) struct target again = { 0 };
    struct err err;
    check_host(&target->host);
    assert(target->path[0] == '/' && target->port > 0);
    assert(!strpbrk(target->url, " \\\t\r\n#"));
    if (strlen(target->url) > URL_MAX_BYTES)
        return;
    assert(target_parse_url(text_of(target->url), &again, &err));
    assert(strcmp(again.url, target->url) == 0);
    assert(same_host(&again.host, &target->host));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(target_free) struct target target = { 0 };
    scoped(target_free) struct target joined = { 0 };
    struct err err;
    const char *text = (const char *)bytes;
    const char *end = size ? memchr(text, '\n', size) : NULL;
    size_t line = end ? (size_t)(end - text) : size;
    if (!target_parse_url((struct text){ text, line }, &target, &err))
        return 0;
    check_target(&target);
    if (end && target_join(&target, (struct text){ end + 1, size - line - 1 }, &joined, &err))
        check_target(&joined);
    return 0;
}
