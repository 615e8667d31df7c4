/* svc-ai/ai-seo-generate/tests/ai-seo-generate.c - texts of a page's head for a model's answer. */
#include "svc-ai/said.h"

#define TITLE       "Sourdough Bread in Ghent"
#define DESCRIPTION "Fresh sourdough bread every morning in the old town of Ghent."
#define SAYS_ALL(title, description, og, h1, type, keywords, tips)                        \
    "{'title':'" title "','meta_description':'" description "','og_title':'" og           \
    "','og_description':'" description "','h1_suggestion':'" h1 "','content_type':'" type \
    "','keywords':[" keywords "],'seo_tips':[" tips "]}"
#define FIVE "'a','b','c','d','e'"
#define SAYS(title, description) \
    SAYS_ALL(title, description, "Bread", "Bread", "other", FIVE, "'x','y','z'")
#define ASK(more) "{'content':'We bake bread.'" more "}"
#define GOOD      SAYS(TITLE, DESCRIPTION)

/* clang-format off */
static const struct said rows[] = {
    { "the title is the model's", ASK(""), GOOD, "/seo/title", "'" TITLE "'" },
    { "the slug is the title's", ASK(""), GOOD, "/seo/slug_suggestion", "'sourdough-bread-in-ghent'" },
    { "a long title is cut at a word, without a sign", ASK(""), SAYS("Aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg", DESCRIPTION),
      "/seo/title", "'Aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff'" },
    { "a short title gives a warning", ASK(""), SAYS("Bread", DESCRIPTION), "/meta/warnings", "['title_too_short']" },
    { "and asked for again", ASK(""), SAYS("Bread", DESCRIPTION), "/meta/attempts", "2" },
    { "a short description gives a warning", ASK(""), SAYS(TITLE, "Bread."), "/meta/warnings", "['meta_description_too_short']" },
    { "few keywords give a warning", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", "'a'", "'x','y','z'"), "/meta/warnings", "['too_few_keywords']" },
    { "few tips give a warning", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", FIVE, "'x'"), "/meta/warnings", "['too_few_seo_tips']" },
    { "all is well", ASK(""), GOOD, "/meta/warnings", "[]" },
    { "a keyword twice is one, and so too few", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", "'a','A','b','c','d'", "'x','y','z'"), "/meta/warnings", "['too_few_keywords']" },
    { "ten keywords at most", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", "'a','b','c','d','e','f','g','h','i','j','k'", "'x','y','z'"), "/seo/keywords/10", NULL },
    { "eight tips at most", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", FIVE, "'a','b','c','d','e','f','g','h','i'"), "/seo/seo_tips/8", NULL },
    { "a kind of page by another name", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "Blog", FIVE, "'x','y','z'"), "/seo/content_type", "'blog_post'" },
    { "an unknown kind is other", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "spaceship", FIVE, "'x','y','z'"), "/seo/content_type", "'other'" },
    { "no url", ASK(""), GOOD, "/url", "''" },
    { "a url in its canonical form", ASK(",'url':'HTTPS://Example.com:443/a'"), GOOD, "/url", "'https://example.com/a'" },
    { "an invalid url", ASK(",'url':'javascript:alert(1)'"), NULL, NULL, "invalid_url" },
    { "of another scheme", ASK(",'url':'ftp://example.com/'"), NULL, NULL, "invalid_url" },
    { "of another script, the slug is the address's", ASK(",'url':'https://example.com/shop/pan.html'"), SAYS("日本語日本語日本語日本語", DESCRIPTION), "/seo/slug_suggestion", "'pan'" },
    { "without one it is page", ASK(""), SAYS("日本語日本語日本語日本語", DESCRIPTION), "/seo/slug_suggestion", "'page'" },
    { "tags are removed", ASK(""), SAYS("</title><script>alert(1)</script>Bread in Ghent", DESCRIPTION), "/seo/title", "'Bread in Ghent'" },
    { "no keywords", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", "", "'x','y','z'"), NULL, "provider_error" },
    { "blank tips", ASK(""), SAYS_ALL(TITLE, DESCRIPTION, "o", "h", "other", FIVE, "' ','<b></b>'"), NULL, "provider_error" },
    { "a title of tags alone", ASK(""), SAYS("<b></b>", DESCRIPTION), NULL, "provider_error" },
    { "an invalid language", ASK(",'language':'xx'"), NULL, NULL, "invalid_language" },
    { "blanks alone", "{'content':'\\t'}", NULL, NULL, "too_short" },
    { "another shape", ASK(""), "{'seo':{'title':'HACKED'}}", NULL, "provider_error" },
};
/* clang-format on */

static void check(void **state)
{
    check_said(*state, ai_seo_generate, "ai-seo-generate");
}

static void second_answer_is_taken(void **state)
{
    const char *says[] = { SAYS("Bread", DESCRIPTION), GOOD, NULL };
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    model_fails = ERR_NONE;
    model_says_in_turn = says;
    assert_true(run_tool(ai_seo_generate, "ai-seo-generate", ASK(",'brand':'Example'"), result,
                         NULL, &err));
    assert_string_equal(json_text(result, "/seo/title"), TITLE);
    assert_int_equal(json_size(json_at(result, "/meta/warnings")), 0);
    assert_true(text_has(buf_text(&model_was_asked), "\"brand\":\"Example\""));
    forget_models();
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(second_answer_is_taken) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
