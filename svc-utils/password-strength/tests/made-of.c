/*
 * svc-utils/password-strength/tests/made-of.c - passwords that are made of what others know about a
 * person are weak, and others keep their score.
 */
#include "base/os/clock.h"
#include "tool.h"
#include "tools.h"

#define NOW 1795257840000 /* 2026-11-21 */

static cJSON *rated(const char *password, const char *inputs)
{
    scoped(mem_free) char *body =
        str_format("{'password':'%s','user_inputs':[%s]}", password, inputs);
    cJSON *result = json_object();
    struct err err = { 0 };
    clock_stop(0, NOW);
    bool ok = run_tool(password_strength, "password-strength", body, result, NULL, &err);
    clock_run();
    assert_string_equal(err.message, "");
    assert_true(ok);
    return result;
}

static const char *limit_of(const cJSON *result)
{
    const char *limit = json_text(result, "/score_limit");
    return limit ? limit : "";
}

static const struct row {
    const char *name; /* the password */
    const char *inputs;
    const char *limit; /* "": none */
} rows[] = {
    { "acmecorp2026", "'Acme Corp'", "user_inputs" },
    { "AcmeCorp-2026!", "'Acme Corp'", "user_inputs" },
    { "Corp.Acme_1999", "'Acme Corp'", "user_inputs" },
    { "quillivan#zephyrine7", "'Zephyrine Quillivan'", "user_inputs" },
    { "Quillivan.Zephyrine.2026", "'zephyrine@quillivan.example'", "user_inputs" },
    { "QuillivanTurboEngine", "'Quillivan'", "" },
    { "Katharine.Blankenship", "", "names" },
    { "katharine_blankenship1985", "", "names" },
    { "Blankenship-Katharine-24!", "", "names" },
    { "221bBakerStreet", "", "street" },
    { "Wilhelminenstrasse 47", "", "street" },
    { "47, rue Mouffetard", "", "street" },
    { "Wilhelminenstr.47", "", "street" },
    { "xylophone xylophone", "", "repeat" },
    { "xylophone-Xylophone-XYLOPHONE", "", "repeat" },
    { "apple apple", "", "repeat" },
    { "password_12345", "", "common" },
    { "dragon.1999.!", "", "common" },
    { "q7#Vx!pL2w@Z q7#Vx!pL2w@Z", "", "" },
    { "correct horse battery staple", "", "" },
    { "v8Kq!zR3mWp2", "", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = rated(row->name, row->inputs);
    assert_string_equal(limit_of(result), row->limit);
    if (*row->limit)
        assert_int_equal(json_integer(result, "score"), 1);
}

/* Every name, in every form, is weak. */
static void names_and_years(void **state)
{
    (void)state;
    static const char *const first[] = { "maria",   "katharine", "walter", "jennifer", "harold",
                                         "dolores", "kenneth",   "brenda", "theodore", "annette" };
    static const char *const last[] = { "garcia",  "blankenship", "johnson", "whitaker",
                                        "delgado", "mcdonald",    "schmidt", "rodriguez" };
    static const char *const forms[] = { "%s%s1985", "%s.%s!", "%s_%s_24", "%s-%s2026" };
    int count = 0;
    for (size_t i = 0; i < countof(first); i++)
        for (size_t j = 0; j < countof(last); j++)
            for (size_t k = 0; k < countof(forms); k++) {
                scoped(buf_free) struct buf password = BUF(64);
                for (const char *c = forms[k], *word = first[i]; *c; c++)
                    if (*c == '%') {
                        buf_add_str(&password, word);
                        word = last[j];
                        c++;
                    } else {
                        buf_add_byte(&password, *c);
                    }
                scoped(json_free) cJSON *result = rated(buf_str(&password), "");
                if (json_integer(result, "score") > 1)
                    fail_msg("%s", buf_str(&password));
                count++;
            }
    assert_int_equal(count, 320);
}

/* A fixed series of numbers. */
static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Random passwords, and random lists of words, are not limited. */
static void random_passwords(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.!";
    static const char *const words[] = { "walnut",  "granite", "velvet",  "compass", "harvest",
                                         "lantern", "mosaic",  "pelican", "saddle",  "thunder",
                                         "orchid",  "quarry",  "ribbon",  "tunnel",  "violet",
                                         "anchor",  "blanket", "candle",  "dolphin", "ember" };
    uint32_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        scoped(buf_free) struct buf password = BUF(128);
        for (int j = 0; i % 2 == 0 && j < 12; j++)
            buf_add_byte(&password, letters[next_number(&seed) % (sizeof(letters) - 1)]);
        for (int j = 0; i % 2 == 1 && j < 4; j++)
            buf_format(&password, "%s%s", j > 0 ? "-" : "",
                       words[next_number(&seed) % countof(words)]);
        scoped(json_free) cJSON *result = rated(buf_str(&password), "");
        if (*limit_of(result))
            fail_msg("%s", buf_str(&password));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(names_and_years),
        cmocka_unit_test(random_passwords),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
