/*
 * tests/unit/expect.h - rows for a tool: a request, and what its result must contain.
 *
 *     { "what it shows", "{'snowflake':'1'}", NULL, "{'/form':'id','/warnings#':1}" },
 *     { "what it rejects", "{'snowflake':'x'}", "invalid_snowflake", NULL },
 *
 * want is an object of JSON pointers and the values there; a pointer that ends in # means the
 * length of the list there.
 */
#pragma once

#include "tool.h"

struct answer_row {
    const char *name;
    const char *body;
    const char *code; /* NULL: success */
    const char *want;
};

static inline cJSON *quoted_tree(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    cJSON *tree = NULL;
    struct err err = { 0 };
    add_quoted(&text, quoted);
    if (!json_parse(buf_text(&text), JSON_DEPTH, &tree, &err))
        fail_msg("%s in %s", err.message, buf_str(&text));
    return tree;
}

static inline void assert_equal_at(const cJSON *result, const char *pointer, const cJSON *want)
{
    size_t size = strlen(pointer);
    bool is_length = size > 0 && pointer[size - 1] == '#';
    scoped(mem_free) char *path = mem_dup(pointer, size - is_length);
    const cJSON *got = json_at(result, path);
    scoped(buf_free) struct buf text = BUF(1 << 20);

    if (!got)
        fail_msg("%s is not there", path);
    bool is_right = is_length ? json_size(got) == (size_t)want->valuedouble : json_equal(got, want);
    if (is_right)
        return;
    json_print(got, &text);
    fail_msg("%s is %s", pointer, buf_str(&text));
}

static inline void assert_answers_with(const void *data, tool_run *run, const char *tool,
                                       const struct answer_row *row)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *wants = NULL;
    struct err err = { 0 };
    const cJSON *want;

    bool ok = run_tool_with(data, run, tool, row->body, result, NULL, &err);
    if (strcmp(err_code(err.kind), row->code ? row->code : "") != 0)
        fail_msg("got %s: %s", err_code(err.kind), err.message);
    assert_int_equal(ok, row->code == NULL);
    if (!ok || !row->want)
        return;
    wants = quoted_tree(row->want);
    cJSON_ArrayForEach(want, wants)
        assert_equal_at(result, want->string, want);
}

/* The same for a tool that reads no file. */
static inline void assert_answers(tool_run *run, const char *tool, const struct answer_row *row)
{
    assert_answers_with(NULL, run, tool, row);
}
