/*
 * svc-chat/chatplatform-moderate/tests/rules.c - an invalid file is rejected with its name, and the
 * previous data stays.
 */
#include "chatplatform-moderate/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/os/file.h"
#include "chatplatform-moderate/reading/views.h"
#include "rows.h"
#include "svc/data.h"

#define SHIPPED SOURCE_ROOT "/svc-chat/chatplatform-moderate/data"

static const char *const words =
    "language: en\ngroups:\n  profanity_2: { word: [Foo, bär], prefix: "
    "[barb] }\n  harmless: { word: [foot] }\n";

/* ---- a temporary folder ---- */

static struct {
    char folder[64];
    char *rules; /* the shipped rules.yaml */
} disk;

static void put(const char *name, const char *text)
{
    scoped(mem_free) char *path = str_format("%s/%s", disk.folder, name);
    if (!text) {
        unlink(path);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    snprintf(disk.folder, sizeof(disk.folder), "/tmp/moderation-XXXXXX");
    if (!mkdtemp(disk.folder) || !file_read(SHIPPED "/rules.yaml", &text, NULL))
        return -1;
    disk.rules = buf_take(&text);
    return 0;
}

static int drop_folder(void)
{
    put("rules.yaml", NULL);
    put("words-en.yaml", NULL);
    put("scripts-en.yaml", NULL);
    put("domains-own.yaml", NULL);
    mem_free(&disk.rules);
    return rmdir(disk.folder);
}

/* The shipped rules with one part replaced. */
static void put_rules(const char *from, const char *to)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    const char *at = strstr(disk.rules, from);
    assert_non_null(at);
    buf_add(&text, disk.rules, (size_t)(at - disk.rules));
    buf_add_str(&text, to);
    buf_add_str(&text, at + strlen(from));
    put("rules.yaml", buf_str(&text));
}

static void put_good(void)
{
    put("scripts-en.yaml", NULL);
    put_rules("version:", "version:");
    put("words-en.yaml", words);
    put("domains-own.yaml", NULL);
}

/* ---- invalid files ---- */

static const struct row {
    const char *name;
    const char *file; /* "rules.yaml": from is replaced by to; another file: to is its content */
    const char *from;
    const char *to;
    const char *want; /* part of the message */
} rows[] = {
    { "no YAML", "rules.yaml", "weights:", "weights: [", "rules.yaml" },
    { "an unknown key", "rules.yaml", "weights:", "heights: {}\nweights:", "heights is not known" },
    { "an invalid version", "rules.yaml", "\"2026-11-28\"", "5", "version must be a text" },
    { "a missing weight", "rules.yaml", "  slur: 1.0\n", "", "slur must have a weight" },
    { "a weight above 1", "rules.yaml", "slur: 1.0", "slur: 1.5", "slur must have a weight" },
    { "an unknown weight", "rules.yaml", "slur: 1.0", "slur: 1.0\n  taste: 1",
      "taste is not known" },
    { "a missing rule", "rules.yaml", "  card: { category: personal_data, points: 60 }\n", "",
      "card is missing" },
    { "an unknown rule", "rules.yaml", "  card:", "  carp:", "carp is not known" },
    { "points above 100", "rules.yaml", "points: 60 }", "points: 160 }", "whole number" },
    { "points in words", "rules.yaml", "points: 60 }", "points: many }", "whole number" },
    { "an unknown category", "rules.yaml", "category: threat,", "category: threats,",
      "must have a known category" },
    { "an unknown member", "rules.yaml", "points: 10 }", "points: 10, weight: 1 }",
      "weight is not known" },
    { "a missing limit", "rules.yaml", "  unbroken: 200\n", "", "unbroken must be" },
    { "a negative limit", "rules.yaml", "unbroken: 200", "unbroken: -1", "unbroken must be" },
    { "an invalid list", "rules.yaml", "downloads: [exe", "downloads: exe\n  x: [exe",
      "x is not known" },
    { "a list of numbers", "rules.yaml", "downloads: [exe", "downloads: [1, exe",
      "must be a list of texts" },
    { "a key without prefix", "rules.yaml", "prefix: AKIA, ", "", "must each have a prefix" },
    { "a key without length", "rules.yaml", "min: 16, max: 16 }", "max: 16 }", "whole number" },
    { "a script of an unknown part", "scripts-en.yaml", NULL,
      "parts: { a: [x] }\nscripts: [{ rule: scam_script, all: [a, b] }]", "must name few parts" },
    { "a script without parts", "scripts-en.yaml", NULL, "scripts: [{ rule: scam_script }]",
      "must each have parts" },
    { "a script of an unknown rule", "scripts-en.yaml", NULL,
      "parts: { a: [x] }\nscripts: [{ rule: taste, all: [a] }]", "must each have a known rule" },
    { "a script of too many parts", "scripts-en.yaml", NULL,
      "parts: { a: [x] }\nscripts: [{ rule: scam_script, all: [a, a, a, a, a] }]",
      "must name few parts" },
    { "an unknown member of a script", "scripts-en.yaml", NULL,
      "parts: { a: [x] }\nscripts: [{ rule: scam_script, any: [a] }]", "any is not known" },
    { "a part that is no list", "scripts-en.yaml", NULL, "parts: { a: x }",
      "must be a list of words" },
    { "a part of numbers", "scripts-en.yaml", NULL, "parts: { a: [1] }", "must contain texts" },
    { "an invalid group", "words-en.yaml", NULL, "groups: { taste: { word: [a] } }",
      "taste is not a group of words" },
    { "a rule that words do not find", "words-en.yaml", NULL, "groups: { card: { word: [a] } }",
      "card is not a group of words" },
    { "an invalid type", "words-en.yaml", NULL, "groups: { insult: { regex: [a] } }",
      "regex is not known" },
    { "words that are no list", "words-en.yaml", NULL, "groups: { insult: { word: a } }",
      "must contain lists" },
    { "nouns that are no list", "words-en.yaml", NULL, "groups: { insult: { noun: a } }",
      "must contain lists" },
    { "verbs that are no list", "words-en.yaml", NULL, "groups: { insult: { verb: a } }",
      "must contain lists" },
    { "one list of a pair", "words-en.yaml", NULL, "groups: { insult: { before: [a] } }",
      "both lists" },
    { "a word that YAML reads as a number", "words-en.yaml", NULL,
      "groups: { insult: { word: [1] } }", "must contain texts" },
    { "the line of a word", "words-en.yaml", NULL,
      "# ours\nlanguage: en\ngroups:\n  insult:\n    word: [\"a: b\", {},\n           {}]\n",
      "words-en.yaml: line 5: insult must contain texts" },
    { "the line of a group", "words-en.yaml", NULL,
      "groups:\n  insult: { word: [[a], \"#\"] }\n  taste: { word: [a] }\n", "line 2: insult" },
    { "the line of what is missing", "words-en.yaml", NULL, "# a\n\nlanguage: en\n",
      "line 3: groups must be" },
    { "the line of what is not read", "words-en.yaml", NULL, "# a\nlanguage: &a en\n", "line 2" },
    { "no groups", "words-en.yaml", NULL, "language: en", "groups must be" },
    { "no words at all", "words-en.yaml", NULL, "groups: {}", "no words-*.yaml" },
    { "domains that are no list", "domains-own.yaml", NULL, "a.example: 1", "must be a list" },
};

static void check(void **state)
{
    const struct row *row = *state;
    void *content = NULL;
    struct err err = { 0 };

    put_good();
    if (row->from)
        put_rules(row->from, row->to);
    else
        put(row->file, row->to);
    assert_false(moderation_rules_read(disk.folder, &content, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_null(content);
    if (!strstr(err.message, row->want) || !strstr(err.message, disk.folder))
        fail_msg("%s", err.message);
}

/* ---- reloading ---- */

static void a_broken_file_keeps_the_old(void **state)
{
    static const struct data_kind kind = { "rules", moderation_rules_read, moderation_rules_free };
    struct data *data = NULL;
    struct err err = { 0 };
    (void)state;

    put_good();
    assert_true(data_open(&kind, disk.folder, &data, &err));
    put_rules("points: 60 }", "points: 1000 }");
    assert_false(data_reload(data, &err));
    struct data_version *version = data_hold(data);
    const struct moderation_rules *rules = data_content(version);
    assert_int_equal(rules->rule[RULE_PROFANITY_4].points, 60);
    assert_int_equal(matcher_count(rules->words), 5);
    data_drop(&version);

    put_rules("profanity_4: { category: profanity, points: 60",
              "profanity_4: { category: slur, points: 61");
    assert_true(data_reload(data, &err));
    version = data_hold(data);
    rules = data_content(version);
    assert_int_equal(rules->rule[RULE_PROFANITY_4].points, 61);
    assert_int_equal(rules->rule[RULE_PROFANITY_4].category, CATEGORY_SLUR);
    data_drop(&version);
    data_close(&data);
}

static void an_operator_has_a_folder_of_his_own(void **state)
{
    scoped(conf_free) struct conf *conf = NULL;
    void *content = NULL;
    struct err err = { 0 };
    (void)state;

    put_good();
    setenv("TOLLGATE_CHAT_MODERATION_DIR", disk.folder, 1);
    assert_true(conf_load(NULL, &conf, &err));
    assert_true(moderation_rules_load(conf, "/nowhere", &content, &err));
    const struct moderation_rules *rules = content;
    assert_int_equal(matcher_count(rules->words), 5);
    moderation_rules_free(&content);
    conf_free(&conf);

    unsetenv("TOLLGATE_CHAT_MODERATION_DIR");
    assert_true(conf_load(NULL, &conf, &err));
    assert_true(moderation_rules_load(conf, SOURCE_ROOT "/svc-chat", &content, &err));
    moderation_rules_free(&content);
}

static void domains_may_be_added(void **state)
{
    void *content = NULL;
    struct err err = { 0 };
    (void)state;

    put_good();
    put("domains-own.yaml", "[\"bad.example\", \"worse.example\"]"); /* JSON is YAML */
    assert_true(moderation_rules_read(disk.folder, &content, &err));
    const struct moderation_rules *rules = content;
    const struct strings *domains = &rules->list[LIST_BLOCKED_DOMAINS];
    assert_true(strings_have_domain(domains, "bad.example"));
    assert_true(strings_have_domain(domains, "a.b.worse.example"));
    assert_false(strings_have_domain(domains, "notbad.example"));
    assert_false(strings_have_domain(domains, "example"));
    moderation_rules_free(&content);
}

static bool note(const struct pattern *pattern, size_t begin, size_t end, void *context)
{
    (void)pattern, (void)begin, (void)end;
    ++*(size_t *)context;
    return true;
}

static size_t finds(const struct moderation_rules *rules, const char *text)
{
    bool has_marks;
    size_t found = 0;
    scoped(view_free) struct view view = view_of_pattern(text_of(text), &has_marks);
    matcher_run(rules->words, view_symbols(&view), note, &found);
    return found;
}

static void words_have_more_forms(void **state)
{
    static const struct {
        const char *text;
        bool is_found;
    } forms[] = {
        { "odd", true },      { "odds", false },     { "barf", true },      { "barfs", true },
        { "barfz", true },    { "barfes", false },   { "puppy", true },     { "puppies", true },
        { "puppiez", true },  { "puppys", false },   { "boy", true },       { "boys", true },
        { "boies", false },   { "witch", true },     { "witches", true },   { "witchez", true },
        { "fox", true },      { "foxes", true },     { "bad wolf", true },  { "bad wolves", false },
        { "badwolf", true },  { "bad wolfs", true }, { "badwolfz", true },  { "in it", true },
        { "init", false },    { "free skis", true }, { "freeskis", false }, { "a kidney", true },
        { "akidney", false }, { "zag", true },       { "zags", true },      { "zagged", true },
        { "zagging", true },  { "zaging", false },   { "bake", true },      { "bakers", true },
        { "bakin", true },    { "hunched", true },   { "hunches", true },   { "big sock", true },
        { "bigsocks", true }, { "big", false },
    };
    void *content = NULL;
    struct err err = { 0 };
    (void)state;

    put_good();
    put("words-en.yaml", "groups: { insult: { noun: [barf, puppy, boy, witch, fox, bad wolf], "
                         "word: [in it], rare: [odd], verb: [zag, bake, hunch], "
                         "before: [big, bad], after: [sock, socks] }, "
                         "scam_lure: { word: [free skis] }, illegal_trade: { word: [a kidney] } }");
    assert_true(moderation_rules_read(disk.folder, &content, &err));
    for (size_t i = 0; i < countof(forms); i++)
        if ((finds(content, forms[i].text) > 0) != forms[i].is_found)
            fail_msg("%s", forms[i].text);
    moderation_rules_free(&content);
}

/* What the contract promises about the shipped files. */
static void shipped_lists_are_large(void **state)
{
    void *content = NULL;
    struct err err = { 0 };
    size_t harmless = 0;
    (void)state;

    assert_true(moderation_rules_read(SHIPPED, &content, &err));
    const struct moderation_rules *rules = content;
    for (size_t i = 0; i < matcher_count(rules->words); i++)
        harmless += matcher_pattern(rules->words, i)->group == CLASS_HARMLESS;
    assert_true(harmless >= 500);
    assert_true(matcher_count(rules->words) - harmless >= 450 + 7 * 40);
    moderation_rules_free(&content);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(a_broken_file_keeps_the_old),
        cmocka_unit_test(an_operator_has_a_folder_of_his_own),
        cmocka_unit_test(domains_may_be_added),
        cmocka_unit_test(words_have_more_forms),
        cmocka_unit_test(shipped_lists_are_large),
    };
    if (make_folder() != 0)
        return 1;
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
    return failed + (drop_folder() != 0);
}
