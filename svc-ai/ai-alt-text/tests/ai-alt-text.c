/* svc-ai/ai-alt-text/tests/ai-alt-text.c - results for an image and a model's answer. */
#include "svc-ai/said.h"

/* 2 x 2 and 1 x 1 pixels. */
#define PICTURE                                                                                    \
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4kXAMiBggFAAuGwZpO6KVvgAAAABJRU5E" \
    "rkJggg=="
#define DOT             "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="
#define ASK(more)       "{'image_base64':'" PICTURE "'" more "}"
#define SAYS(alt, more) "{'alt_text':'" alt "'" more "}"
#define X60             "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* clang-format off */
static const struct said rows[] = {
    { "an alternative text", ASK(""), SAYS("Image of a loaf.", ""), "/alt_text", "'A loaf.'" },
    { "its length is counted", ASK(""), SAYS("Ä loaf.", ",'length':99"), "/length", "7" },
    { "the requested length", ASK(",'max_length':20"), SAYS("A brown loaf of bread on a table", ""), "/alt_text", "'A brown loaf of'" },
    { "125 when nothing is said", ASK(""), SAYS(X60 " " X60 " " X60, ""), "/length", "121" },
    { "the picture by its bytes", ASK(""), SAYS("a", ""), "/image", "{'format':'png','width':2,'height':2,'bytes':73,'animated':false,'source':'base64'}" },
    { "a data URI whose type lies", "{'image_base64':'data:image/gif;base64," PICTURE "'}", SAYS("a", ""), "/image/format", "'png'" },
    { "Base64 in lines", "{'image_base64':'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAA\\nEElEQVR4nGM4kXAMiBggFAAuGwZpO6KVvgAAAABJRU5ErkJggg=='}", SAYS("a", ""), "/image/width", "2" },
    { "decoration has no text", ASK(""), SAYS("A line", ",'decorative':true"), "/alt_text", "''" },
    { "decoration", ASK(""), SAYS("A line", ",'decorative':true"), "/decorative", "true" },
    { "a dot needs no model", "{'image_base64':'" DOT "'}", NULL, "/decorative", "true" },
    { "nor has one", "{'image_base64':'" DOT "'}", NULL, "/meta/model", "null" },
    { "text in the picture", ASK(""), SAYS("a", ",'text_in_image':'OPEN'"), "/contains_text", "true" },
    { "no text in the picture", ASK(""), SAYS("a", ",'text_in_image':' '"), "/contains_text", "false" },
    { "subjects, each once", ASK(""), SAYS("a", ",'subjects':['bread','Bread','table']"), "/subjects", "['bread','table']" },
    { "eight subjects at most", ASK(""), SAYS("a", ",'subjects':['1','2','3','4','5','6','7','8','9']"), "/subjects/8", NULL },
    { "the context is counted", ASK(",'context':'abc'"), SAYS("a", ""), "/input_length", "3" },
    { "the language", ASK(",'language':'German'"), SAYS("a", ""), "/language", "'de'" },
    { "the language when nothing is said", ASK(""), SAYS("a", ""), "/language", "'en'" },
    { "an invalid language", ASK(",'language':'xx'"), NULL, NULL, "invalid_language" },
    { "no picture", "{}", NULL, NULL, "missing_field" },
    { "two pictures", ASK(",'image_url':'https://example.com/a.png'"), NULL, NULL, "conflicting_fields" },
    { "no Base64", "{'image_base64':'!'}", NULL, NULL, "invalid_image" },
    { "nothing", "{'image_base64':''}", NULL, NULL, "invalid_image" },
    { "a data URI without data", "{'image_base64':'data:image/png;base64'}", NULL, NULL, "invalid_image" },
    { "SVG", "{'image_base64':'PHN2Zz48L3N2Zz4='}", NULL, NULL, "unsupported_image" },
    { "a picture cut in its head", "{'image_base64':'iVBORw0KGgoAAAANSUhEUgAA'}", NULL, NULL, "invalid_image" },
    { "a length of 19", ASK(",'max_length':19"), NULL, NULL, "invalid_value" },
    { "a model that says nothing", ASK(""), SAYS("", ""), NULL, "provider_error" },
    { "a model that names the file", ASK(""), SAYS("loaf.png", ""), NULL, "provider_error" },
    { "another shape", ASK(""), "{'answer':'HACKED'}", NULL, "provider_error" },
};
/* clang-format on */

static void check(void **state)
{
    check_said(*state, ai_alt_text, "ai-alt-text");
}

/* Without a model the tool fetches nothing. */
static void no_model(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    model_fails = ERR_PROVIDER_UNCONFIGURED;
    assert_false(run_tool(ai_alt_text, "ai-alt-text", "{'image_url':'https://example.com/a.png'}",
                          result, NULL, &err));
    assert_int_equal(err.kind, ERR_PROVIDER_UNCONFIGURED);
    forget_models();
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(no_model) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
