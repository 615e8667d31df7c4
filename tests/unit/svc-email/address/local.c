/* tests/unit/svc-email/address/local.c - names of people are not random letters, and random letters
 * are not names. */
#include "address/local.h"

#include <stdint.h>
#include <stdio.h>

#include "rows.h"

enum { GIBBERISH = 750 };

/* Frequent surnames of 20 languages, in letters as people write them in addresses. */
static const char *const surnames[] = {
    "smith jones taylor brown wright walker",
    "mueller schmidt schneider fischer weber schwarz",
    "martin bernard thomas petit durand leroy",
    "garcia fernandez gonzalez rodriguez lopez",
    "rossi ferrari esposito bianchi colombo",
    "silva santos oliveira souza pereira",
    "devries janssen bakker visser smit",
    "jensen nielsen hansen pedersen bruun",
    "andersson johansson karlsson lindqvist",
    "korhonen virtanen makinen nieminen",
    "nowak kowalski wisniewski wojcik kaminski",
    "novak svoboda dvorak cerny prochazka",
    "nagy kovacs toth szabo horvath",
    "popescu ionescu stan dumitru",
    "ivanov smirnov kuznetsov popov sokolov",
    "yilmaz kaya demir celik sahin",
    "papadopoulos georgiou nikolaidis",
    "nguyen tran pham hoang phan",
    "sharma verma gupta patel reddy",
    "wijaya susanto hidayat santoso",
};
static const char *const initials[] = { "jr", "mk", "ab", "tw", "sp", "dc", "lh", "en" };

static size_t judged;
static size_t random_names;

static void judge_name(const char *first, size_t letters, const char *between, struct text last,
                       const char *end)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s%s%.*s%s", (int)letters, first, between, (int)last.size,
             last.bytes, end);
    judged++;
    random_names += gibberish_of(text_of(name)) >= GIBBERISH;
}

static void check_names(void **state)
{
    (void)state;
    judged = random_names = 0;
    for (size_t i = 0; i < countof(surnames); i++) {
        struct text rest = text_of(surnames[i]);
        while (rest.size > 0) {
            struct text last = text_cut(&rest, ' ');
            for (size_t j = 0; j < countof(initials); j++) {
                judge_name(initials[j], 2, "", last, "");
                judge_name(initials[j], 2, ".", last, "");
                judge_name(initials[j], 1, "", last, "");
                judge_name(initials[j], 1, ".", last, "");
                judge_name(initials[j], 2, "", last, "84");
            }
        }
    }
    print_message("%zu of %zu names are called random\n", random_names, judged);
    assert_true(judged > 3000);
    assert_true(random_names * 1000 < judged * 25); /* initials are the hardest of all forms */
}

/* Letters of a linear congruential generator (Knuth's MMIX): the same in each run. */
static void check_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    size_t found = 0;
    enum { TEXTS = 20000 };
    for (size_t i = 0; i < TEXTS; i++) {
        char text[16] = "";
        for (size_t k = 0; k < 12; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            text[k] = (char)('a' + (seed >> 33) % 26);
        }
        found += gibberish_of(text_of(text)) >= GIBBERISH;
    }
    print_message("%zu of %d random texts are found\n", found, TEXTS);
    assert_true(found * 100 >= TEXTS * 95);
}

static const struct row {
    const char *name;
    const char *text;
    bool is_gibberish;
} rows[] = {
    { "two initials and a surname", "jrsmith", false },
    { "a surname and two initials", "smithjr", false },
    { "one initial", "qtaylor", false },
    { "two rare initials", "qtjohnson", false },
    { "two initials behind a dot", "mk.schwarz", false },
    { "random letters", "xkqzvjwpqh", true },
    { "random letters around a short word", "xqkfbobwzqj", true },
    { "too short to tell", "xkqzv", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(gibberish_of(text_of(row->text)) >= GIBBERISH, row->is_gibberish);
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(check_names),
                                       cmocka_unit_test(check_random) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests_name("all", more, NULL, NULL);
}
