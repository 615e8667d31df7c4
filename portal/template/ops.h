/* portal/template/ops.h - a parsed template: a list of steps. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "portal/template/html.h"
#include "portal/template/template.h"

/* Before the raw value of template_redirect(). */
#define REDIRECT_MARK "redirect "

enum op_kind { OP_LITERAL, OP_VALUE, OP_SECTION, OP_INVERTED, OP_PART };

struct op {
    enum op_kind kind;
    struct text text;      /* the literal, or the name; borrowed from the source */
    enum html_place place; /* of OP_VALUE */
    size_t end;            /* of a section: the step after its last one */
    size_t part;           /* of OP_PART: the index of the template, once linked */
    unsigned line;
};

struct template
{
    char *name;
    char *source;
    struct op *ops;
    size_t count;
    unsigned depth; /* nesting of its parts, once linked; 0: not yet linked */
};

struct templates {
    enum template_kind kind;
    size_t count;
    struct template at[TEMPLATES_MAX];
};

/* The index of a name; templates->count if it does not exist. */
size_t templates_find(const struct templates *templates, struct text name);
