/*
 * tests/check/run-json-schema.c - a file of the JSON Schema test suite: prints a line for each
 * test, which is fits, fails or undecided, or "refused" and why if the schema is rejected; for the
 * check json-schema.
 *
 *     usage: run-json-schema 2020-12|draft-7 TESTS [URI DOCUMENT]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "jsonschema/validator.h"
#include "text/json.h"

enum { FILE_BYTES = 4 << 20 };

static cJSON *read_json(const char *path)
{
    scoped(buf_free) struct buf text = BUF(FILE_BYTES);
    struct err err = { 0 };
    bool has_repeats;
    cJSON *tree = NULL;
    if (!file_read(path, &text, &err) ||
        !json_parse_as_is(buf_text(&text), JSON_DEPTH, &tree, &has_repeats, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        exit(EXIT_FAILURE);
    }
    return tree;
}

/* The documents that may be referred to, for one schema after the other. */
struct others {
    int count;
    char **uris;
    cJSON **trees;
};

static void run_group(enum schema_dialect dialect, const cJSON *group, const struct others *others)
{
    static const char *const verdicts[] = { "fits", "fails", "undecided" };
    const struct validator_options options = { .tree = &tree_json, .dialect = dialect };
    scoped(validator_free) struct validator *validator = validator_new(&options);
    struct subschema *schema = validator_add(validator, TEXT(""), json_get(group, "schema"));
    struct err err = { 0 };
    const cJSON *test;
    for (int i = 0; i < others->count; i++)
        (void)!validator_add(validator, text_of(others->uris[2 * i]), others->trees[i]);
    bool ok = validator_compile(validator, &err);
    cJSON_ArrayForEach(test, json_get(group, "tests")) {
        struct validation validation = { .tree = &tree_json, .steps_left = VALIDATOR_STEPS };
        if (ok)
            puts(verdicts[validator_check(schema, json_get(test, "data"), &validation)]);
        else
            printf("refused: %s\n", err.message);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return EXIT_FAILURE;
    struct others others = { (argc - 3) / 2, argv + 3, NULL };
    scoped(json_free) cJSON *tests = read_json(argv[2]);
    const cJSON *group;
    others.trees = mem_array((size_t)others.count + 1, sizeof(*others.trees));
    for (int i = 0; i < others.count; i++)
        others.trees[i] = read_json(others.uris[2 * i + 1]);
    cJSON_ArrayForEach(group, tests)
        run_group(strcmp(argv[1], "draft-7") == 0 ? SCHEMA_DRAFT_7 : SCHEMA_2020_12, group,
                  &others);
    for (int i = 0; i < others.count; i++)
        json_free(&others.trees[i]);
    mem_free(&others.trees);
    return EXIT_SUCCESS;
}
