/* svc-ai/ai-image-generate/tests/ai-image-generate.c - results for a model's image. */
#include "base/codec/base64.h"
#include "svc-ai/said.h"

#define PICTURE                                                                                    \
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4kXAMiBggFAAuGwZpO6KVvgAAAABJRU5E" \
    "rkJggg=="
#define GIF       "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="
#define ASK(more) "{'prompt':'Bread'" more "}"

/* says is the picture */
/* clang-format off */
static const struct said rows[] = {
    { "the picture", ASK(""), PICTURE, "/images/0/b64_json", "'" PICTURE "'" },
    { "Base64 without its padding, in the alphabet of URLs", ASK(""), "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD_-w", "/images/0/b64_json", "'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD/+w=='" },
    { "a URL is always null", ASK(""), PICTURE, "/images/0/url", "null" },
    { "its type by its bytes", ASK(",'format':'webp'"), PICTURE, "/images/0/mime_type", "'image/png'" },
    { "so the format", ASK(",'format':'jpeg'"), PICTURE, "/format", "'png'" },
    { "its size by its bytes", ASK(",'size':'1536x1024'"), PICTURE, "/size", "'2x2'" },
    { "its bytes", ASK(""), PICTURE, "/images/0/bytes", "73" },
    { "its digest", ASK(""), PICTURE, "/images/0/sha256", "'471b75f3a5edad5f1ef0f7c5355b4c8ad481771682a61f0d6e66c3aa73bd1b5c'" },
    { "the prompt as it was", "{'prompt':' Bread\\u200b '}", PICTURE, "/prompt", "' Bread\xE2\x80\x8B '" },
    { "both prompts are counted", ASK(",'negative_prompt':'abc'"), PICTURE, "/input_length", "8" },
    { "a seed", ASK(",'seed':7"), PICTURE, "/seed", "7" },
    { "no seed", ASK(""), PICTURE, "/seed", "null" },
    { "quality as asked for", ASK(",'quality':'low'"), PICTURE, "/quality", "'low'" },
    { "a URL is not to be had", ASK(",'response':'url'"), PICTURE, "/meta/warnings", "['url_unavailable']" },
    { "jpeg is not transparent", ASK(",'format':'jpeg','background':'transparent'"), PICTURE, NULL, "conflicting_fields" },
    { "a blocked subject", "{'prompt':'a nude child'}", PICTURE, NULL, "content_not_allowed" },
    { "blanks alone", "{'prompt':' '}", PICTURE, NULL, "too_short" },
    { "another size", ASK(",'size':'1x1'"), PICTURE, NULL, "invalid_value" },
    { "a model that draws a GIF", ASK(""), GIF, NULL, "provider_error" },
    { "a model that writes", ASK(""), "SEFDS0VE", NULL, "provider_error" },
    { "no Base64", ASK(""), "<html>", NULL, "provider_error" },
    { "nothing", ASK(""), "", NULL, "provider_error" },
    { "a quote in it", ASK(""), "iVBORw0K\"GgoAAAANSUhEUgAAAAIAAAACCAIAAAD91Jpz", NULL, "provider_error" },
};
/* clang-format on */

static void check(void **state)
{
    const struct said *row = *state;
    painter_says = row->says;
    check_said(row, ai_image_generate, "ai-image-generate");
}

static void what_is_told(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    painter_says = PICTURE;
    assert_true(run_tool(ai_image_generate, "ai-image-generate",
                         ASK(",'negative_prompt':'a\\nb','seed':3"), result, NULL, &err));
    assert_string_equal(buf_str(&model_was_asked),
                        "{\"prompt\":\"Bread\\n\\nNot in the picture: a b\",\"size\":\"1024x1024\","
                        "\"output_format\":\"png\",\"seed\":3}");
    forget_models();
}

/* The image followed by zeros, as Base64, and the result for it. */
static bool run_large(size_t digits, struct answer *answer, struct err *err)
{
    scoped(buf_free) struct buf base64 = BUF(32 << 20);
    struct errs errs = { 0 };
    scoped(job_free) struct job *job = job_try("ai-image-generate", ASK(""), &errs);
    scoped(json_free) cJSON *result = json_object();
    buf_add_str(&base64, "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91Jpz");
    while (base64.size < digits)
        buf_add_str(&base64, "AAAA");
    painter_says = buf_str(&base64);
    bool ok = ai_image_generate(job, result, err);
    *answer = *job->answer;
    *job->answer = (struct answer){ 0 };
    return ok;
}

/* Images of several decoding steps, of the maximum size, and above it. */
static void large_pictures(void **state)
{
    static const struct {
        size_t digits;
        bool fits;
    } sizes[] = { { 1 << 20, true }, { (24 << 20) - 4096, true }, { (24 << 20) - 400, false } };
    (void)state;
    for (size_t i = 0; i < countof(sizes); i++) {
        scoped(answer_free) struct answer answer = { 0 };
        struct err err = { 0 };
        assert_int_equal(run_large(sizes[i].digits, &answer, &err), sizes[i].fits);
        assert_int_equal(err.kind, sizes[i].fits ? ERR_NONE : ERR_PROVIDER_ERROR);
        if (sizes[i].fits)
            assert_true(json_check(buf_text(&answer.body), JSON_DEPTH, &err));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(what_is_told),
                                          cmocka_unit_test(large_pictures) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
