/* tests/fuzz/portal/next.c - any text as the page to open after signing in: no browser reads
 * another host in a safe one, and it comes back through a form unchanged, or it is too long. */
#include "portal/entry/next.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "text/json.h"

static void check_is_safe(const char *next)
{
    const char *slashes = strstr(next, "//");
    assert(strncmp(next, "/portal", 7) == 0 || strncmp(next, "/tools", 6) == 0 ||
           strncmp(next, "/oauth/authorize", 16) == 0);
    assert(!slashes || slashes >= next + strcspn(next, "?")); /* not in the path */
    assert(strlen(next) <= NEXT_MAX_BYTES);
    for (const char *at = next; *at; at++)
        assert(*at > ' ' && *at <= '~' && *at != '\\');
}

static void check_round(struct visit *visit, const char *next)
{
    const char *to = next_added(visit, "/portal/sign-in", next);
    struct err err = { 0 };
    if (strcmp(to, "/portal/sign-in") == 0) {
        assert(strlen(to) + strlen("?next=") + 3 * strlen(next) > NEXT_ENCODED_MAX_BYTES);
        return;
    }
    assert(strncmp(to, "/portal/sign-in?next=", 21) == 0);
    bool is_form = form_parse(text_of(to + strlen("/portal/sign-in?")), NULL, &visit->form, &err);
    assert(is_form && next_of(visit) && strcmp(next_of(visit), next) == 0);
    assert(strcmp(next_passed_on(visit, "/portal/sign-in"), to) == 0);
}

/* The page itself, with its query or without. */
static void check_here(struct visit *visit, struct text query)
{
    struct http_request request = { .query = query };
    visit->request = &request;
    visit->path = "/portal/usage";
    const char *here = next_here(visit);
    assert(next_is_safe(here) && strncmp(here, visit->path, strlen(visit->path)) == 0);
    visit->request = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *next = mem_dup(bytes, size);
    struct visit visit = { 0 };
    check_here(&visit, (struct text){ next, size });
    if (next_is_safe(next)) {
        check_is_safe(next);
        check_round(&visit, next);
    } else {
        assert(!next_of(&visit));
    }
    visit_end(&visit);
    return 0;
}
