/* svc-ai/ai-image-generate/ai-image-generate.c - draw an image from a text. Its properties are
 * read from its bytes. The Base64 stays in the memory that received it; the result is written
 * around it. */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "ai-image-generate/blocked-subjects.h"
#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "facts/clean.h"
#include "facts/picture.h"
#include "model/model.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    PROMPT_BYTES = 64 << 10,
    REVISED_MAX = 4000,
    HEAD_BYTES = 768 << 10,   /* of the image: a JPEG's size may be after its color profile */
    STEP_DIGITS = 256 << 10,  /* decoded at once; divisible by 4 */
    AROUND_BYTES = 128 << 10, /* size of the result without the image */
    SIZE_BYTES = 48,
};

/* An image and its properties. By value; release with drawing_free(). */
struct drawing {
    struct model_picture made;
    struct picture picture;
    size_t bytes;
    char sha256[2 * EVP_MAX_MD_SIZE + 1];
};

static void drawing_free(struct drawing *drawing)
{
    model_picture_free(&drawing->made);
}

/* ---- the request ---- */

static bool check_request(const struct job *job, struct err *err)
{
    if (text_is(arg_text(job, "background"), "transparent") &&
        text_is(arg_text(job, "format"), "jpeg"))
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "background transparent requires format png or webp");
    const char *why_not = blocked_subject_reason(arg_text(job, "prompt"));
    return !why_not || err_set(err, ERR_CONTENT_NOT_ALLOWED, "%s", why_not);
}

/* Providers have no field for a negative prompt, so it goes into the prompt. */
static void add_prompt(const struct job *job, cJSON *request)
{
    scoped(buf_free) struct buf prompt = BUF(PROMPT_BYTES);
    clean_text(arg_text(job, "prompt"), 0, &prompt);
    if (arg_has(job, "negative_prompt")) {
        buf_add_str(&prompt, "\n\nNot in the picture: ");
        clean_text(arg_text(job, "negative_prompt"), CLEAN_LINE, &prompt);
    }
    json_str(request, "prompt", buf_str(&prompt));
}

/* Omit auto, the default of all providers: more of them support the shorter request. */
static void add_option(const struct job *job, const char *field, const char *name, cJSON *request)
{
    if (!text_is(arg_text(job, field), "auto"))
        json_str(request, name, arg_str(job, field));
}

static cJSON *make_image_request(const struct job *job)
{
    cJSON *request = json_object();
    add_prompt(job, request);
    add_option(job, "size", "size", request);
    add_option(job, "quality", "quality", request);
    add_option(job, "format", "output_format", request);
    add_option(job, "background", "background", request);
    if (arg_has(job, "seed"))
        json_int(request, "seed", arg_int(job, "seed"));
    return request;
}

/* ---- the image ---- */

/* Rewrite the Base64 in place in the standard alphabet with padding, because customers' decoders
 * may be strict. */
static void normalize_base64(const struct job *job, struct buf *base64)
{
    for (size_t i = 0; i < base64->size; i++) {
        char digit = base64->bytes[i];
        base64->bytes[i] = (char)(digit == '-' ? '+' : digit == '_' ? '/' : digit);
    }
    base64->max_bytes = job->contract->max_reply_bytes;
    while (base64->size % 4 != 0 && !base64->full)
        buf_add_byte(base64, '=');
}

/* Decode in steps into the digest. `head` receives as much as it can hold. */
static bool decode_base64(struct text digits, EVP_MD_CTX *digest, struct buf *head, size_t *bytes)
{
    scoped(buf_free) struct buf step = BUF(STEP_DIGITS);
    while (digits.size > 0) {
        struct text part = { digits.bytes, MIN(digits.size, STEP_DIGITS) };
        buf_clear(&step);
        if (!base64_decode(&step, part) ||
            (part.size < digits.size && step.size != STEP_DIGITS / 4 * 3) ||
            !EVP_DigestUpdate(digest, step.bytes, step.size))
            return false;
        buf_add(head, step.bytes, MIN(step.size, head->max_bytes - head->size));
        *bytes += step.size;
        digits = text_skip(digits, part.size);
    }
    return *bytes > 0;
}

static void digest_free(EVP_MD_CTX **digest)
{
    EVP_MD_CTX_free(*digest);
}

static bool read_drawing(struct drawing *drawing, struct err *err)
{
    scoped(buf_free) struct buf head = BUF(HEAD_BYTES);
    scoped(digest_free) EVP_MD_CTX *digest = EVP_MD_CTX_new();
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    if (!EVP_DigestInit_ex(digest, EVP_sha256(), NULL) ||
        !decode_base64(buf_text(&drawing->made.base64), digest, &head, &drawing->bytes) ||
        !picture_read(buf_text(&head), &drawing->picture, NULL) ||
        strcmp(drawing->picture.format, "gif") == 0)
        return err_set(err, ERR_PROVIDER_ERROR,
                       "the model's answer is not a PNG, JPEG or WebP image");
    EVP_DigestFinal_ex(digest, sum, &size);
    hex_encode(drawing->sha256, sum, size);
    return true;
}

/* ---- the result ---- */

/* The printed result begins with an empty text where the image goes. */
static const char result_begin[] = "{\"images\":[{\"b64_json\":\"";

static void write_image(const struct drawing *drawing, cJSON *image)
{
    json_str(image, "b64_json", "");
    json_null(image, "url");
    json_str(image, "mime_type", drawing->picture.mime);
    json_int(image, "width", drawing->picture.width);
    json_int(image, "height", drawing->picture.height);
    json_int(image, "bytes", (int64_t)drawing->bytes);
    json_str(image, "sha256", drawing->sha256);
}

static void write_revised(const struct drawing *drawing, cJSON *result)
{
    scoped(mem_free) char *revised =
        drawing->made.revised_prompt
            ? clean_new(text_of(drawing->made.revised_prompt), CLEAN_SHOWN, REVISED_MAX, "…")
            : NULL;
    json_str(result, "revised_prompt", revised);
}

static void write_result(const struct job *job, const struct drawing *drawing, cJSON *result)
{
    char size[SIZE_BYTES];
    snprintf(size, sizeof(size), "%lldx%lld", (long long)drawing->picture.width,
             (long long)drawing->picture.height);
    write_image(drawing, json_item(json_list(result, "images")));
    json_text_add(result, "prompt", arg_text(job, "prompt"));
    write_revised(drawing, result);
    json_str(result, "size", size);
    json_str(result, "quality", arg_str(job, "quality"));
    json_str(result, "format", drawing->picture.format);
    if (arg_has(job, "seed"))
        json_int(result, "seed", arg_int(job, "seed"));
    else
        json_null(result, "seed");
}

/* Write the result around the image, in the image's memory. */
static bool write_reply(const struct job *job, struct buf *base64, const cJSON *result,
                        struct err *err)
{
    enum { BEGIN = sizeof(result_begin) - 1 };
    scoped(buf_free) struct buf printed = BUF(AROUND_BYTES);
    json_print(result, &printed);
    if (printed.full || !buf_reserve(base64, printed.size))
        return err_set(err, ERR_PROVIDER_ERROR, "the model's image is larger than %d MiB",
                       (int)(job->contract->max_reply_bytes >> 20));
    memmove(base64->bytes + BEGIN, base64->bytes, base64->size);
    memcpy(base64->bytes, result_begin, BEGIN);
    base64->size += BEGIN;
    buf_add(base64, printed.bytes + BEGIN, printed.size - BEGIN);
    job_result(job, base64);
    return true;
}

bool ai_image_generate(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "prompt", "negative_prompt", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(drawing_free) struct drawing drawing = { 0 };
    scoped(json_free) cJSON *request = NULL;
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err) || !check_request(job, err))
        return false;
    request = make_image_request(job);
    if (!model_generate_image(job, request, &drawing.made, &answer, err))
        return false;
    normalize_base64(job, &drawing.made.base64);
    if (!read_drawing(&drawing, err))
        return false;
    if (text_is(arg_text(job, "response"), "url"))
        model_warn(&answer, "url_unavailable", NULL);
    write_result(job, &drawing, result);
    json_int(result, "input_length", input_length);
    json_time(result, "generated_at", job->now_ms);
    model_add_meta(&answer, result);
    return write_reply(job, &drawing.made.base64, result, err);
}
