/*
 * tests/fuzz/common/forwarded.c - any bytes as the header fields of a request, one a line, from the
 * edge (the first byte is odd) or from elsewhere. An address comes only from the edge's own fields,
 * once each and well-formed.
 */
#include "web/forwarded.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "../target.h"
#include "base/mem.h"

enum { FIELDS_MAX = 64 /* as in civetweb */ };

struct fields {
    size_t count;
    const char *name[FIELDS_MAX];
    const char *value[FIELDS_MAX];
};

/* Instead of common/web/http.c, whose functions need a connection. */
const char *http_header(const struct http_request *request, const char *name)
{
    const struct fields *fields = request->connection;
    for (size_t i = 0; i < fields->count; i++)
        if (strcasecmp(fields->name[i], name) == 0)
            return fields->value[i];
    return NULL;
}

bool http_header_differs(const struct http_request *request, const char *name)
{
    const struct fields *fields = request->connection;
    const char *first = http_header(request, name);
    for (size_t i = 0; first && i < fields->count; i++)
        if (strcasecmp(fields->name[i], name) == 0 && strcmp(fields->value[i], first) != 0)
            return true;
    return false;
}

static void read_fields(char *at, struct fields *fields)
{
    for (char *line; (line = strsep(&at, "\n")) && fields->count < FIELDS_MAX;) {
        char *value = strchr(line, ':');
        if (!value)
            continue;
        *value++ = '\0';
        fields->name[fields->count] = line;
        fields->value[fields->count++] = value + strspn(value, " \t");
    }
}

static void check_from_edge(const struct http_request *request, const struct forwarded *from)
{
    struct in6_addr address;
    const char *client = http_header(request, "x-forwarded-for");
    const char *scheme = http_header(request, "X-FORWARDED-PROTO");
    assert(client && scheme && address_parse(text_of(client), &address));
    assert(memcmp(&address, &from->address, sizeof(address)) == 0);
    assert(from->is_https == (strcmp(scheme, "https") == 0));
    assert(!http_header_differs(request, "X-Forwarded-For"));
    assert(!http_header_differs(request, "X-Forwarded-Proto"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *copy = mem_dup(bytes, size);
    scoped(cidrs_free) struct cidrs edges = { 0 };
    struct fields fields = { 0 };
    struct http_request request = { .connection = &fields };
    struct forwarded from;
    struct err err = { 0 };
    bool is_edge = copy[0] & 1;
    bool ok = cidrs_add(&edges, TEXT("127.0.0.0/8"), &err) &&
              address_parse(is_edge ? TEXT("127.0.0.1") : TEXT("192.0.2.1"), &request.peer);
    assert(ok);
    read_fields(copy + (size > 0), &fields);
    ok = forwarded_read(&request, &edges, &from, &err);
    if (ok && is_edge) {
        check_from_edge(&request, &from);
    } else if (ok) {
        assert(memcmp(&from.address, &request.peer, sizeof(from.address)) == 0 && !from.is_https);
    } else {
        assert(is_edge && err.kind == ERR_BAD_REQUEST);
    }
    return 0;
}
