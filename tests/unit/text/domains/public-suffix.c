/* tests/unit/text/domains/public-suffix.c - names that anybody may register below, and the owner of
 * a name. */
#include "text/domains/public-suffix.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rows.h"

static struct public_suffixes *suffixes;

static const struct row {
    const char *name;
    bool is_suffix;
    bool is_unknown; /* a suffix only for not being in the list */
} rows[] = {
    { "com", true },          { "co.uk", true },
    { "github.io", true },    { "nobody-has-it", true, true },
    { "example.com", false }, { "www.example.co.uk", false },
    { "a.github.io", false }, { "xn--p1ai", true },
    { "www.ck", false },      { "anything.ck", true },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(public_suffix_is(suffixes, row->name), row->is_suffix);
    assert_int_equal(public_suffix_is_known(suffixes, row->name),
                     row->is_suffix && !row->is_unknown);
}

static const struct pair {
    const char *name;
    const char *a;
    const char *b;
    bool is_same;
} pairs[] = {
    { "the same", "example.com", "example.com", true },
    { "below it", "www.example.com", "example.com", true },
    { "far below it", "a.b.example.co.uk", "example.co.uk", true },
    { "next to each other", "a.example.com", "b.example.com", true },
    { "two domains", "example.com", "example.net", false },
    { "only the letters end alike", "example.com", "notexample.com", false },
    { "below a public suffix", "a.co.uk", "b.co.uk", false },
    { "below somebody's public suffix", "a.github.io", "b.github.io", false },
    { "a suffix itself", "co.uk", "co.uk", true },
    { "a suffix and what is below", "co.uk", "a.co.uk", false },
};

static void check_pair(void **state)
{
    const struct pair *pair = *state;
    assert_int_equal(public_suffix_same_owner(suffixes, pair->a, pair->b), pair->is_same);
    assert_int_equal(public_suffix_same_owner(suffixes, pair->b, pair->a), pair->is_same);
}

static const struct owned {
    const char *name;
    const char *owner; /* NULL: nobody */
} owned[] = {
    { "www.example.co.uk", "example.co.uk" },
    { "example.com", "example.com" },
    { "a.b.github.io", "b.github.io" },
    { "co.uk", NULL },
};

static void check_owned(void **state)
{
    const struct owned *row = *state;
    const char *owner = public_suffix_owner(suffixes, row->name);
    assert_string_equal(owner ? owner : "", row->owner ? row->owner : "");
}

static const struct file_row {
    const char *name;
    const char *content; /* NULL: there is no file */
    const char *suffix;  /* that it has; NULL: rejected */
} files[] = {
    { "one suffix", "example.com\n", "example.com" },
    { "one behind a comment", "// of our own\nexample.com\n", "example.com" },
    { "a wildcard alone", "*.example.com\n", "any.example.com" },
    { "a comment alone", "// of our own\n", NULL },
    { "nothing", "", NULL },
    { "no file", NULL, NULL },
};

static void check_file(void **state)
{
    const struct file_row *row = *state;
    scoped(public_suffixes_free) struct public_suffixes *own = NULL;
    char path[] = "/tmp/public-suffix-XXXXXX";
    struct err err = { 0 };
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(row->content ? row->content : "", file);
    fclose(file);
    if (!row->content)
        unlink(path);
    bool ok = public_suffixes_load(path, &own, &err);
    unlink(path);
    assert_int_equal(ok, row->suffix != NULL);
    assert_int_equal(err.kind, ok ? ERR_NONE : ERR_INVALID_VALUE);
    if (ok)
        assert_true(public_suffix_is(own, row->suffix));
    else
        assert_null(own);
}

int main(void)
{
    if (!public_suffixes_load("", &suffixes, NULL))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(pairs, check_pair) +
                 RUN_ROWS(owned, check_owned) + RUN_ROWS(files, check_file);
    public_suffixes_free(&suffixes);
    return failed;
}
