/* tests/unit/svc-email/address/knowledge.c - files with an error are rejected, by name and
 * reason. */
#include "address/knowledge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/file.h"
#include "rows.h"

enum { FILE_BYTES = 1 << 20 };

#define WORDS     "address/words.yaml"
#define ROOT      "address/root-zone.txt"
#define PROVIDERS "senders/providers.yaml"
#define OPERATORS "senders/mail-providers.yaml"

static const struct row {
    const char *name;
    const char *file;
    const char *from; /* replaced once */
    const char *to;
    const char *why; /* NULL: accepted */
} rows[] = {
    { "as shipped", WORDS, "", "", NULL },
    { "a list that is misspelled", WORDS, "placeholders:", "placeholder:", "placeholder is not" },
    { "a list that is missing", WORDS, "relays: [", "#", "words.yaml" },
    { "a word twice", WORDS, "[aa, aaa,", "[aa, aa,", "placeholders has a duplicate text" },
    { "null without quotes", WORDS, "\"null\"", "null", "noreply must be a list of strings" },
    { "a role that is none", WORDS, "  technical: [", "  tech: [", "tech is not a known key" },
    { "a provider's key that is misspelled", PROVIDERS, "  dots: ignored", "  dot: ignored",
      "dot is not a known key" },
    { "a domain twice", PROVIDERS, "[gmail.com, googlemail.com]", "[gmail.com, gmail.com]",
      "gmail.com is a duplicate" },
    { "a pattern that is none", PROVIDERS, "local: \"^[a-z0-9._-]{1,40}$\"", "local: \"(\"",
      "Proton Mail" },
    { "a provider without servers", PROVIDERS, "  mx: [web.de]\n", "", NULL },
    { "servers that are not a list", PROVIDERS, "  mx: [web.de]\n", "  mx: web.de\n",
      "WEB.DE must be a list" },
    { "an operator without a name", OPERATORS, "{ name: Mimecast, ", "{ ", "must have a name" },
    { "no YAML", PROVIDERS, "- name: Gmail", "- [", "providers.yaml" },
};

/* Copy a shipped file, with the row's error if it is the one. */
static void copy(const struct row *row, const char *folder, const char *name)
{
    scoped(mem_free) char *from = str_format("%s/svc-email/%s", SOURCE_ROOT, name);
    scoped(mem_free) char *to = str_format("%s/%s", folder, name);
    scoped(buf_free) struct buf content = BUF(FILE_BYTES);
    assert_true(file_read(from, &content, NULL));
    const char *all = buf_str(&content);
    const char *at = strcmp(row->file, name) == 0 ? strstr(all, row->from) : all;
    bool is_here = strcmp(row->file, name) == 0;
    assert_non_null(at);
    FILE *file = fopen(to, "w");
    fprintf(file, "%.*s%s%s", (int)(at - all), all, is_here ? row->to : "",
            at + (is_here ? strlen(row->from) : 0));
    fclose(file);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(knowledge_free) struct knowledge *knowledge = NULL;
    char folder[] = "/tmp/knowledge-XXXXXX";
    struct err err = { 0 };
    assert_non_null(mkdtemp(folder));
    static const char *const made[] = { "address", "senders", WORDS, ROOT, PROVIDERS, OPERATORS };
    scoped(mem_free) char *domains = str_format("%s/domains", folder);
    for (size_t i = 0; i < countof(made); i++) {
        scoped(mem_free) char *path = str_format("%s/%s", folder, made[i]);
        if (strchr(made[i], '.'))
            copy(row, folder, made[i]);
        else
            assert_int_equal(mkdir(path, 0700), 0);
    }
    fclose(fopen(domains, "w"));
    bool ok = knowledge_read(folder, domains, "", &knowledge, &err);
    remove(domains);
    for (size_t i = countof(made); i > 0; i--) {
        scoped(mem_free) char *path = str_format("%s/%s", folder, made[i - 1]);
        remove(path);
    }
    remove(folder);
    assert_int_equal(ok, row->why == NULL);
    if (row->why && !strstr(err.message, row->why))
        fail_msg("%s", err.message);
}

/* A file of the operator, with more free providers. */
static void more_free_providers(void **state)
{
    scoped(knowledge_free) struct knowledge *knowledge = NULL;
    char path[] = "/tmp/free-providers-XXXXXX";
    (void)state;
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("# ours\nharbour.com\n", file);
    fclose(file);
    bool ok = knowledge_read(SOURCE_ROOT "/svc-email", path, path, &knowledge, NULL);
    unlink(path);
    assert_true(ok);
    assert_int_equal(domain_list_match(knowledge->free, "harbour.com", "harbour.com"),
                     DOMAIN_LISTED);
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(more_free_providers) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests_name("more", more, NULL, NULL);
}
