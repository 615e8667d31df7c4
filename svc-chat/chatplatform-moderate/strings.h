/* svc-chat/chatplatform-moderate/strings.h - a set of strings. Add all, sort once, then search. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Zero is an empty set. */
struct strings {
    char **at;
    size_t count;
};

void strings_add(struct strings *strings, const char *string); /* copies it */
void strings_sort(struct strings *strings);                    /* before any search */
void strings_free(struct strings *strings);

bool strings_have(const struct strings *strings, const char *string);

/* Is the host one of these domains or below one? */
bool strings_have_domain(const struct strings *domains, const char *host);
