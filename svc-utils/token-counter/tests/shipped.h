/* svc-utils/token-counter/tests/shipped.h - the tables of the source tree, for the tests. */
#pragma once

#include "rows.h"
#include "token-counter/knowledge.h"
#include "tools.h"
/* The shipped files. */
static inline struct knowledge *load_knowledge(void)
{
    void *content = NULL;
    struct err err = { 0 };
    bool ok = token_knowledge.load(SOURCE_ROOT "/svc-utils", &content, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return content;
}

/* The same without vocabularies, which take longer to load: all models are estimated. */
static inline struct knowledge *load_estimates(void)
{
    struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    struct err err = { 0 };
    bool ok = models_load(SOURCE_ROOT "/svc-utils/token-counter", &knowledge->models, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return knowledge;
}

static inline void knowledge_free(struct knowledge **knowledge)
{
    token_knowledge.free(knowledge);
}
