/* svc-security/security-headers/tests/knowledge.c - files of the operator, valid and invalid. */
#include "security-headers/knowledge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"

/* clang-format off */
static const struct row {
    const char *name;
    const char *bypasses;
    const char *preload; /* NULL: not configured */
    const char *want; /* part of the error, or NULL */
} rows[] = {
    { "as it must be", "scripts: [a.example/b]\nobjects: [c.example/]", "a.example\n", NULL },
    { "nothing configured", "scripts: [a.example/b]\nobjects: [c.example/]", NULL, NULL },
    { "no preload names in the file", "scripts: [a.example/b]\nobjects: [c.example/]", "", NULL },
    { "with evals", "scripts: [a.example/b]\nevals: [b.example/]\nobjects: [c.example/]", NULL, NULL },
    { "evals that are not a list", "scripts: [a.example/b]\nevals: b\nobjects: [c.example/]", NULL, "evals must be a list" },
    { "no YAML", "scripts: [", NULL, "bypasses.yaml" },
    { "no list of scripts", "objects: [c.example/]", NULL, "scripts must be a list" },
    { "no list of objects", "scripts: [a.example/b]", NULL, "objects must be a list" },
    { "an item without a path", "scripts: [a.example/, b.example]\nobjects: [c.example/]", NULL, "item 2 of scripts" },
    { "an item without a host", "scripts: [/a]\nobjects: [c.example/]", NULL, "item 1 of scripts" },
    { "an item that is a number", "scripts: [1]\nobjects: [c.example/]", NULL, "item 1 of scripts" },
};
/* clang-format on */

struct scratch {
    char folder[32];
    char file[2][64]; /* bypasses, preload */
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void scratch_make(struct scratch *scratch, const struct row *row)
{
    snprintf(scratch->folder, sizeof(scratch->folder), "/tmp/knowledge-XXXXXX");
    assert_non_null(mkdtemp(scratch->folder));
    snprintf(scratch->file[0], sizeof(scratch->file[0]), "%s/security-headers", scratch->folder);
    assert_int_equal(mkdir(scratch->file[0], 0700), 0);
    snprintf(scratch->file[0], sizeof(scratch->file[0]), "%s/security-headers/bypasses.yaml",
             scratch->folder);
    snprintf(scratch->file[1], sizeof(scratch->file[1]), "%s/preload", scratch->folder);
    write_file(scratch->file[0], row->bypasses);
    write_file(scratch->file[1], row->preload ? row->preload : "");
    setenv("TOLLGATE_SECURITY_HSTS_PRELOAD_FILE", row->preload ? scratch->file[1] : "", 1);
}

static void scratch_remove(const struct scratch *scratch)
{
    scoped(mem_free) char *folder = str_format("%s/security-headers", scratch->folder);
    for (size_t i = 0; i < countof(scratch->file); i++)
        unlink(scratch->file[i]);
    rmdir(folder);
    rmdir(scratch->folder);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(conf_free) struct conf *conf = NULL;
    scoped(knowledge_free) struct knowledge *knowledge = NULL;
    struct scratch scratch;
    struct err err = { 0 };
    scratch_make(&scratch, row);
    assert_true(conf_load(NULL, &conf, NULL));
    bool ok = knowledge_load(conf, scratch.folder, (void **)&knowledge, &err);
    scratch_remove(&scratch);
    assert_int_equal(ok, row->want == NULL);
    if (row->want)
        assert_non_null(strstr(err.message, row->want));
    else
        assert_true(bypasses_have(&knowledge->bypasses.scripts, "a.example") &&
                    !bypasses_have(&knowledge->bypasses.objects, "a.example"));
}

static void a_file_that_is_not_there(void **state)
{
    scoped(conf_free) struct conf *conf = NULL;
    scoped(knowledge_free) struct knowledge *knowledge = NULL;
    struct err err = { 0 };
    (void)state;
    setenv("TOLLGATE_SECURITY_HSTS_PRELOAD_FILE", "/nowhere/names", 1);
    assert_true(conf_load(NULL, &conf, NULL));
    assert_false(knowledge_load(conf, SOURCE_ROOT "/svc-security", (void **)&knowledge, &err));
    assert_non_null(strstr(err.message, "/nowhere/names"));
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(a_file_that_is_not_there) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(others, NULL, NULL);
}
