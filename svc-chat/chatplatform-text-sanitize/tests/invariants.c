/*
 * svc-chat/chatplatform-text-sanitize/tests/invariants.c - what holds for any text and switches:
 * a second time changes nothing, and no result is longer than its limit.
 */
#include "base/codec/utf8.h"
#include "tool.h"
#include "tools.h"
static cJSON *sanitize(const char *text, const char *switches)
{
    scoped(buf_free) struct buf body = BUF(1 << 20);
    cJSON *result = json_object();
    struct err err = { 0 };

    buf_add_str(&body, "{\"text\":");
    json_print_text(text_of(text), &body);
    add_quoted(&body, switches);
    buf_add_byte(&body, '}');
    bool ok = run_tool(chatplatform_text_sanitize, "chatplatform-text-sanitize", buf_str(&body),
                       result, NULL, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return result;
}

static const char *const hostile[] = {
    "a\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86",
    "@eve@everyoneryone",
    "```\n**x**\n```\n\n\n\n",
    "\xe2\x80\xae\x61\x62\x63\xe2\x81\xa6\xf0\x9f\x91\xa8\xe2\x80\x8d",
    "<@8035111022467891<@80351110224678912>2>",
    "p\xd0\xb0ypal \xe1\xb4\x80\xca\x99\xe1\xb4\x84",
    "[a](b)[c](d) ***x*** \\\\*",
    "\t \r\n \n\n\n \xc2\xa0 x  y",
    "1\xef\xb8\x8f\xe2\x83\xa3\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87",
};

static void twice_is_once(void **state)
{
    static const char *const switches[] = {
        ",'markdown':'keep'",
        ",'markdown':'keep','mentions':'remove'",
        ",'markdown':'keep','normalize':'nfkc','combining_limit':0,'confusables':'replace'",
        ",'target':'channel_name'",
        ",'target':'code_block'",
        ",'markdown':'keep','bidi':'isolate','newlines':0,'collapse_spaces':true",
    };
    (void)state;
    for (size_t i = 0; i < countof(hostile); i++) {
        scoped(mem_free) char *text = str_dup(hostile[i]);
        text_repair(text);
        for (size_t j = 0; j < countof(switches); j++) {
            scoped(json_free) cJSON *once = sanitize(text, switches[j]);
            if (!*json_text(once, "/text"))
                continue;
            scoped(json_free) cJSON *twice = sanitize(json_text(once, "/text"), switches[j]);
            assert_string_equal(json_text(twice, "/text"), json_text(once, "/text"));
        }
    }
}

static void never_longer_than_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(hostile); i++) {
        scoped(mem_free) char *text = str_dup(hostile[i]);
        text_repair(text);
        for (int limit = 1; limit < 30; limit++) {
            scoped(mem_free) char *switches = str_format(",'max_length':%d", limit);
            scoped(json_free) cJSON *result = sanitize(text, switches);
            assert_true(utf8_length(text_of(json_text(result, "/text"))) <= (size_t)limit);
        }
    }
}

/* ---- random texts ---- */

static const char *const pieces[] = {
    "*",
    "**",
    "_",
    "__",
    "~~",
    "||",
    "`",
    "``",
    "```",
    "```js\n",
    "# ",
    "> ",
    ">>> ",
    "-# ",
    "- ",
    "1. ",
    "\n",
    "\n\n",
    " ",
    "a",
    "word",
    "\\",
    "[",
    "](",
    ")",
    "(",
    "<",
    ">",
    "@everyone",
    "@eve",
    "ryone",
    "@here",
    "e\u0301",
    "\u0301",
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2066",
    "\u2069",
    "\u2800",
    "👩",
    "👩\u200d👧",
    "🇩🇪",
    "*\ufe0f\u20e3",
    "ا",
    "\u200c",
    "ب",
    "раypal",
    "ﷺ",
    "İ",
    "\t",
    "!",
    "#",
    "|",
    "[x](https://e.com \"t\")",
    "https://a.example/@everyone",
    "<@80351110224678912>",
    "<@80351110",
    "224678912>",
    "<:n:80351110224678912>",
};

/* A text of up to 12 significant pieces; the generator returns the same texts every time. */
static void any_text(uint64_t *seed, struct buf *out)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (size_t left = 1 + (*seed >> 33) % 12; left > 0; left--) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        buf_add_str(out, pieces[(*seed >> 33) % countof(pieces)]);
    }
}

static void any_text_twice_is_once(void **state)
{
    static const char *const switches[] = {
        ",'markdown':'strip','mentions':'remove'",
        ",'markdown':'strip','mentions':'keep','normalize':'nfkc','combining_limit':1",
        ",'markdown':'strip','mentions':'remove','urls':'remove','custom_emoji':'remove'",
        ",'target':'channel_name'",
        ",'target':'username'",
    };
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < 600; i++) {
        scoped(buf_free) struct buf text = BUF(1 << 12);
        any_text(&seed, &text);
        const char *given = switches[i % (int)countof(switches)];
        scoped(json_free) cJSON *once = sanitize(buf_str(&text), given);
        if (!*json_text(once, "/text"))
            continue;
        scoped(json_free) cJSON *twice = sanitize(json_text(once, "/text"), given);
        assert_string_equal(json_text(twice, "/text"), json_text(once, "/text"));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(any_text_twice_is_once),
        cmocka_unit_test(never_longer_than_the_limit),
    };
    return cmocka_run_group_tests(singles, NULL, NULL);
}
