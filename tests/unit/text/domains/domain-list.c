/* tests/unit/text/domains/domain-list.c - sorted files of domains, and what is in them. */
#include "text/domains/domain-list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "rows.h"

static bool load(const char *content, struct domain_list **list, struct err *err)
{
    char path[] = "/tmp/domain-list-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(content, file);
    fclose(file);
    bool ok = domain_list_load(path, list, err);
    unlink(path);
    return ok;
}

static const char content[] = "# Source: nobody\n"
                              "\n"
                              "!excepted.wild.com\n"
                              "!kept.com\n"
                              "*.github.io\n"
                              "*.wild.com\n"
                              "a.com\n"
                              "co.uk\n"
                              "deep.in.b.com\n"
                              "kept.com\n"
                              "listed.co.uk\n"
                              "zz.com\n";

static struct domain_list *list;

static const struct row {
    const char *name;
    const char *domain;
    const char *owner;
    enum domain_match match;
} rows[] = {
    { "the first entry", "a.com", "a.com", DOMAIN_LISTED },
    { "the last one", "zz.com", "zz.com", DOMAIN_LISTED },
    { "before all", "!.com", ".com", DOMAIN_UNLISTED },
    { "behind all", "zzz.com", "zzz.com", DOMAIN_UNLISTED },
    { "between two", "aa.com", "aa.com", DOMAIN_UNLISTED },
    { "what an entry begins with", "a.co", "a.co", DOMAIN_UNLISTED },
    { "what begins with an entry", "a.com.de", "a.com.de", DOMAIN_UNLISTED },
    { "below an entry", "x.a.com", "a.com", DOMAIN_BELOW_LISTED },
    { "far below it", "z.y.x.a.com", "a.com", DOMAIN_BELOW_LISTED },
    { "between the owner and an entry", "in.b.com", "b.com", DOMAIN_UNLISTED },
    { "the entry there", "deep.in.b.com", "b.com", DOMAIN_LISTED },
    { "below the entry there", "x.deep.in.b.com", "b.com", DOMAIN_BELOW_LISTED },
    { "an entry that ends alike", "xa.com", "xa.com", DOMAIN_UNLISTED },
    { "a public suffix that is listed", "co.uk", "co.uk", DOMAIN_LISTED },
    { "other people's below it", "b.co.uk", "b.co.uk", DOMAIN_UNLISTED },
    { "below a wildcard", "x.wild.com", "wild.com", DOMAIN_BELOW_LISTED },
    { "the parent of a wildcard", "wild.com", "wild.com", DOMAIN_UNLISTED },
    { "a wildcard on a public suffix", "x.github.io", "x.github.io", DOMAIN_BELOW_LISTED },
    { "excepted though listed", "kept.com", "kept.com", DOMAIN_UNLISTED },
    { "below it", "x.kept.com", "kept.com", DOMAIN_UNLISTED },
    { "excepted from a wildcard", "excepted.wild.com", "wild.com", DOMAIN_UNLISTED },
    { "below that", "x.excepted.wild.com", "wild.com", DOMAIN_UNLISTED },
    { "an entry's mark is not a name", "*.wild.com", "wild.com", DOMAIN_LISTED },
    { "nothing", "", "", DOMAIN_UNLISTED },
};

static void check(void **state)
{
    const struct row *row = *state;
    const char *owner = row->domain + strlen(row->domain) - strlen(row->owner);
    assert_string_equal(owner, row->owner);
    assert_int_equal(domain_list_match(list, row->domain, owner), row->match);
}

static const struct refusal {
    const char *name;
    const char *content;
    const char *why; /* NULL: it is a valid list */
} refusals[] = {
    { "nothing at all", "", NULL },
    { "only comments", "# nobody\n\n", NULL },
    { "no line end behind the last", "a.com\nb.com", NULL },
    { "underscores and digits", "1_a.com\n", NULL },
    { "not sorted", "b.com\na.com\n", "line 2: must come before" },
    { "twice the same", "# x\na.com\na.com\n", "line 3: must come before" },
    { "sorted by a locale", "a-b.com\na.com\na1.com\naB.com\n", "line 4: must be a domain" },
    { "upper case", "A.com\n", "line 1: must be a domain" },
    { "a comment below", "a.com\n# b.com\n", "line 2: must be a domain" },
    { "an empty line below", "a.com\n\nb.com\n", "line 2: must be a domain" },
    { "carriage returns", "a.com\r\nb.com\r\n", "line 1: must be a domain" },
    { "a blank", "a.com \n", "line 1: must be a domain" },
    { "no name behind a mark", "!\n", "line 1: must be a domain" },
    { "two marks", "!*.a.com\n", "line 1: must be a domain" },
    { "a wildcard inside", "a.*.com\n", "line 1: must be a domain" },
    { "an empty label", "a..com\n", "line 1: must be a domain" },
    { "a final dot", "a.com.\n", "line 1: must be a domain" },
    { "other letters", "b\xc3\xbc.com\n", "line 1: must be a domain" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(domain_list_free) struct domain_list *own = NULL;
    struct err err = { 0 };
    assert_int_equal(load(row->content, &own, &err), row->why == NULL);
    assert_true(text_has(text_of(err.message), row->why ? row->why : ""));
}

static void no_file(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct domain_list *none = NULL;
    assert_false(domain_list_load("/nonexistent/list", &none, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_null(none);
}

/* Each entry is found wherever the search begins, for lists of every small size. */
static void every_size(void **state)
{
    (void)state;
    for (int size = 1; size <= 40; size++) {
        scoped(buf_free) struct buf text = BUF(4096);
        scoped(domain_list_free) struct domain_list *own = NULL;
        char name[16];
        for (int i = 0; i < size; i++)
            buf_format(&text, "%c%c%.*s.com\n", 'a' + i / 26, 'a' + i % 26, i % 7, "longer!");
        for (char *mark = text.bytes; (mark = strchr(mark, '!'));)
            *mark = 'x';
        assert_true(load(buf_str(&text), &own, NULL));
        assert_int_equal(domain_list_count(own), size);
        for (int i = 0; i < size; i++) {
            snprintf(name, sizeof(name), "%c%c%.*s.com", 'a' + i / 26, 'a' + i % 26, i % 7,
                     "longerx");
            assert_int_equal(domain_list_match(own, name, name), DOMAIN_LISTED);
        }
        assert_int_equal(domain_list_match(own, "zz.com", "zz.com"), DOMAIN_UNLISTED);
    }
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(no_file), cmocka_unit_test(every_size) };
    if (!load(content, &list, NULL))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(refusals, check_refusal) +
                 cmocka_run_group_tests_name("more", more, NULL, NULL);
    domain_list_free(&list);
    return failed;
}
