/* tests/fuzz/common/host.c - host and domain fields. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/cidr.h"
#include "net/host.h"
#include "same-host.h"

static void check_domain(struct text text, unsigned rules)
{
    char name[HOST_BYTES];
    char again[HOST_BYTES];
    struct in6_addr address;
    struct err err;
    if (!domain_parse(text, rules, name, &err))
        return;
    assert(strlen(name) > 0 && strlen(name) < 254);
    assert(!address_parse(text_of(name), &address));
    assert((rules & DOMAIN_TOP) || strchr(name, '.'));
    assert((rules & DOMAIN_UNDERSCORE) || !strchr(name, '_'));
    assert(domain_parse(text_of(name), rules, again, &err));
    assert(strcmp(name, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    struct host host;
    struct host again;
    struct err err;
    if (host_parse(text, &host, &err)) {
        assert(host_parse(text_of(host.name), &again, &err));
        assert(same_host(&host, &again));
    }
    check_domain(text, DOMAIN_PLAIN);
    check_domain(text, DOMAIN_UNDERSCORE | DOMAIN_TOP);
    return 0;
}
