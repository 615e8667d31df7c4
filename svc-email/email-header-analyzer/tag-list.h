/*
 * svc-email/email-header-analyzer/tag-list.h - "v=1; a=rsa-sha256; d=example.com": the tag list of
 * DKIM and ARC (RFC 6376, section 3.2).
 */
#ifndef SVC_EMAIL_TAG_LIST_H
#define SVC_EMAIL_TAG_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { TAGS_MAX = 40 /* of one list; later ones are dropped */ };

struct tag {
    struct text name;
    struct text value; /* without any blanks: folding may stand anywhere in it */
};

struct tag_list {
    struct tag tag[TAGS_MAX];
    size_t count;
    bool is_valid; /* each part is name=value, and no name comes twice */
};

/* Texts point into the arena. */
struct tag_list tag_list_read(struct text text, struct arena *arena);

/* A tag's value; empty when it has none. Names are compared with case. */
struct text tag_list_get(const struct tag_list *list, const char *name);

#endif
