/* svc-ai/ai-alt-text/ai-alt-text.c - describe an image. The tool fetches the image and checks its
 * bytes. The model gets the bytes, never the customer's URL, and its texts are bounded. */
#include "ai-alt-text/wording.h"
#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/os/deadline.h"
#include "facts/clean.h"
#include "facts/language.h"
#include "facts/picture.h"
#include "facts/shown.h"
#include "model/model.h"
#include "net/http/fetch.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    FETCH_MS = 10000,
    REDIRECTS_MAX = 3,
    PICTURE_BYTES = 5 << 20,
    BASE64_BYTES = 64 << 10,
    ALT_BYTES = 4 << 10,
    DESCRIPTION_MAX = 800,
    IMAGE_TEXT_MAX = 500,
    SUBJECT_MAX = 60,
    SUBJECTS_MAX = 8,
};

/* By value; released with subject_free(). */
struct subject {
    struct fetch fetch;
    struct buf decoded;
    struct text bytes; /* image bytes, in one of the two */
    struct picture picture;
    const char *source;
};

static void subject_free(struct subject *subject)
{
    fetch_free(&subject->fetch);
    buf_free(&subject->decoded);
}

/* ---- the image ---- */

static bool check_answer(const struct fetch *fetch, struct err *err)
{
    int status = fetch_last(fetch)->status;
    if (status != 200)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "image_url returned status %d; it must return 200", status);
    if (fetch->end == FETCH_CUT)
        return err_set(err, ERR_IMAGE_TOO_LARGE, "the image must have at most %d bytes",
                       PICTURE_BYTES);
    if (fetch->end == FETCH_LATE)
        return err_set(err, ERR_TARGET_TIMEOUT, "the image did not arrive within %d seconds",
                       FETCH_MS / 1000);
    return fetch->end == FETCH_WHOLE ||
           err_set(err, ERR_TARGET_BAD_RESPONSE,
                   "the connection closed before the whole image arrived");
}

static bool fetch_picture(const struct job *job, struct subject *subject, struct err *err)
{
    static const char *const headers[] = { "Accept: image/*", NULL };
    static const struct fetch_options options = {
        .headers = headers,
        .max_redirects = REDIRECTS_MAX,
        .must_verify = true,
        .max_wire_bytes = PICTURE_BYTES,
        .max_body_bytes = PICTURE_BYTES,
    };
    scoped(target_free) struct target target = { 0 };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(job->egress, deadline_within(job->deadline_ms, FETCH_MS));

    if (!target_parse_url(arg_text(job, "image_url"), &target, err) ||
        !fetch_guarded(session, &target, &options, &subject->fetch, err) ||
        !check_answer(&subject->fetch, err))
        return false;
    subject->bytes = buf_text(&subject->fetch.body);
    subject->source = "url";
    return true;
}

/* The data of "data:image/png;base64,…". The declared type is ignored. */
static struct text data_of_uri(struct text text)
{
    text = text_trim(text);
    if (text_begins_any_case(text, "data:"))
        text_cut(&text, ',');
    return text;
}

static bool decode_picture(const struct job *job, struct subject *subject, struct err *err)
{
    scoped(buf_free) struct buf digits = BUF(BASE64_BYTES);
    struct text text = data_of_uri(arg_text(job, "image_base64"));
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_space(text.bytes[i]))
            buf_add_byte(&digits, text.bytes[i]);
    subject->decoded = (struct buf)BUF(BASE64_BYTES);
    if (digits.size == 0 || !base64_decode(&subject->decoded, buf_text(&digits)))
        return err_set(err, ERR_INVALID_IMAGE, "image_base64 must be Base64 or a Base64 data URI");
    subject->bytes = buf_text(&subject->decoded);
    subject->source = "base64";
    return true;
}

static bool read_picture(const struct job *job, struct subject *subject, struct err *err)
{
    bool has_url = arg_has(job, "image_url");
    if (has_url && arg_has(job, "image_base64"))
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "image_url and image_base64 must not be given together");
    return (has_url ? fetch_picture(job, subject, err) : decode_picture(job, subject, err)) &&
           picture_read(subject->bytes, &subject->picture, err);
}

/* ---- the question ---- */

static cJSON *make_options(const struct job *job, const struct language *language)
{
    cJSON *options = json_object();
    json_str(options, "language", language_name(language));
    json_int(options, "at_most_characters", arg_int(job, "max_length"));
    json_str(options, "style", arg_str(job, "style"));
    json_bool(options, "may_be_decorative", arg_bool(job, "decorative_hint"));
    return options;
}

static enum model_verdict judge_alt_text(const cJSON *answer, void *context, struct buf *complaint)
{
    const int64_t *max_points = context;
    scoped(buf_free) struct buf alt = BUF(ALT_BYTES);
    wording_alt(json_text_of(json_get(answer, "alt_text")), (size_t)*max_points, &alt);
    if (json_is(json_get(answer, "decorative"), cJSON_True) || clean_says_something(buf_text(&alt)))
        return MODEL_TAKEN;
    buf_add_str(complaint, "alt_text must say what is seen, unless decorative is true");
    return MODEL_BAD;
}

/* ---- the result ---- */

static void write_words(const struct job *job, const cJSON *answer, cJSON *result)
{
    scoped(buf_free) struct buf alt = BUF(ALT_BYTES);
    bool is_decorative = !answer || json_is(json_get(answer, "decorative"), cJSON_True);
    if (!is_decorative)
        wording_alt(json_text_of(json_get(answer, "alt_text")), (size_t)arg_int(job, "max_length"),
                    &alt);
    json_str(result, "alt_text", buf_str(&alt));
    shown_lines(result, "long_description", json_text_of(json_get(answer, "long_description")),
                DESCRIPTION_MAX, "…");
    json_bool(result, "decorative", is_decorative);
    scoped(mem_free) char *text = clean_new(json_text_of(json_get(answer, "text_in_image")),
                                            CLEAN_SHOWN, IMAGE_TEXT_MAX, "…");
    json_bool(result, "contains_text", clean_says_something(text_of(text)));
    json_str(result, "text_in_image", text);
    shown_list(result, "subjects", json_get(answer, "subjects"), SUBJECTS_MAX, SUBJECT_MAX);
}

static void write_picture(const struct subject *subject, cJSON *map)
{
    json_str(map, "format", subject->picture.format);
    json_int(map, "width", subject->picture.width);
    json_int(map, "height", subject->picture.height);
    json_int(map, "bytes", (int64_t)subject->bytes.size);
    json_bool(map, "animated", subject->picture.animated);
    json_str(map, "source", subject->source);
}

/* An image of one pixel counts readers or keeps a distance. */
static bool is_dot(const struct picture *picture)
{
    return picture->width == 1 && picture->height == 1;
}

static bool describe_image(const struct job *job, const struct subject *subject,
                           const struct language *language, struct model_answer *answer,
                           struct err *err)
{
    scoped(json_free) cJSON *options = make_options(job, language);
    struct model_image image = { subject->picture.mime, subject->bytes };
    int64_t max_points = arg_int(job, "max_length");
    struct model_ask ask = { .options = options,
                             .material = arg_text(job, "context"),
                             .images = &image,
                             .image_count = 1,
                             .judge = judge_alt_text,
                             .context = &max_points };
    return is_dot(&subject->picture) || model_ask(job, &ask, answer, err);
}

bool ai_alt_text(const struct job *job, cJSON *result, struct err *err)
{
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(subject_free) struct subject subject = { 0 };
    struct language language;

    if (!model_check_stream(job, err) ||
        !language_field("language", arg_text(job, "language"), &language, err) ||
        !model_is_there(job, MODEL_VISION, err) || !read_picture(job, &subject, err) ||
        !describe_image(job, &subject, &language, &answer, err))
        return false;
    write_words(job, answer.json, result);
    json_str(result, "language", language.tag);
    json_int(result, "length", (int64_t)utf8_length(text_of(json_text(result, "/alt_text"))));
    write_picture(&subject, json_map(result, "image"));
    json_int(result, "input_length", (int64_t)utf8_length(arg_text(job, "context")));
    json_time(result, "generated_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
