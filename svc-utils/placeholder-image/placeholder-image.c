/*
 * svc-utils/placeholder-image/placeholder-image.c - an SVG rectangle with a text. The caller's text
 * reaches the image only escaped; colors and numbers are printed from the parsed values.
 */
#include <math.h>
#include <openssl/evp.h>
#include <string.h>
#include <unictype.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "color.h"
#include "lettering.h"
#include "svc/args.h"
#include "tools.h"

enum {
    SIDE_MAX = 4000,
    SVG_BYTES = 64 * 1024, /* 201 elements, and 200 code points escaped twice: below 50 KB */
    ETAG_BYTES = 16,
};

struct picture {
    int64_t width, height; /* as drawn */
    int64_t scale;         /* of the image to the drawing: 2 for @2x */
    struct color background, ink;
    size_t paragraph_count;
    struct text paragraphs[LETTERING_PARAGRAPHS_MAX];
    struct lettering lettering;
    const char *font_family;
};

/* ---- size ---- */

static bool parse_side(struct text digits, int64_t *side)
{
    return num_parse(digits, SIDE_MAX, side) && *side > 0;
}

/* Cut off "@2x"; without it the scale is 1. */
static struct text take_scale(struct text size, int64_t *scale)
{
    const char *at = memchr(size.bytes, '@', size.size);
    *scale = at ? at[1] - '0' : 1;
    return at ? (struct text){ size.bytes, (size_t)(at - size.bytes) } : size;
}

/* "600x400", "600×400" or "300"; the contract checks the syntax but not the range. */
static bool parse_size(struct text size, int64_t *width, int64_t *height)
{
    size_t digits = strspn(size.bytes, "0123456789");
    struct text rest = text_skip(size, digits);

    if (!parse_side((struct text){ size.bytes, digits }, width))
        return false;
    if (rest.size > 0) {
        size_t separator = *rest.bytes == 'x' || *rest.bytes == 'X' ? 1 : strlen("×");
        return parse_side(text_skip(rest, separator), height);
    }
    *height = *width;
    return true;
}

static bool check_scaled(const struct picture *picture, struct err *err)
{
    if (MAX(picture->width, picture->height) * picture->scale <= SIDE_MAX)
        return true;
    return err_set(err, ERR_INVALID_VALUE, "each side times @%dx must be at most %d",
                   (int)picture->scale, SIDE_MAX);
}

static bool read_size(const struct job *job, struct picture *picture, struct err *err)
{
    int64_t width = 0;
    int64_t height = 0;

    picture->scale = 1;
    if (arg_has(job, "size") &&
        !parse_size(take_scale(arg_text(job, "size"), &picture->scale), &width, &height))
        return err_set(err, ERR_INVALID_VALUE, "each side of size must be from 1 to %d", SIDE_MAX);
    if (arg_has(job, "width"))
        width = arg_int(job, "width");
    if (arg_has(job, "height"))
        height = arg_int(job, "height");
    if (width == 0 && height == 0) {
        width = 600;
        height = 400;
    }
    picture->width = width ? width : height;
    picture->height = height ? height : width;
    return check_scaled(picture, err);
}

/* ---- colors ---- */

/* Dark gray or white if they are readable, else black or white. */
static struct color readable_ink(struct color background)
{
    static const struct color white = { 255, 255, 255, 255 };
    static const struct color grey = { 0x33, 0x33, 0x33, 255 };
    static const struct color black = { 0, 0, 0, 255 };
    struct color seen = color_over(background, white);
    double on_white = color_contrast(white, seen);
    double on_grey = color_contrast(grey, seen);

    if (fmax(on_white, on_grey) >= 4.5)
        return on_grey >= on_white ? grey : white;
    return color_contrast(black, seen) >= on_white ? black : white;
}

static bool read_colors(const struct job *job, struct picture *picture, struct err *err)
{
    if (!color_parse("bg_color", arg_str(job, "bg_color"), &picture->background, err))
        return false;
    picture->ink = readable_ink(picture->background);
    if (!arg_has(job, "text_color"))
        return true;
    if (!color_parse_opaque("text_color", arg_str(job, "text_color"), &picture->ink, err))
        return false;
    if (color_equal(picture->ink, picture->background))
        return err_set(err, ERR_INVALID_COLOR, "text_color must differ from bg_color");
    return true;
}

/* ---- text ---- */

/* XML 1.0 section 2.2; a lone CR is dropped because XML reads it as a line feed. */
static bool is_dropped(uint32_t code_point)
{
    return (code_point < 0x20 && code_point != '\n' && code_point != '\t') ||
           code_point == 0xFFFE || code_point == 0xFFFF;
}

/* Append the text as drawn: one kind of line end, without characters that XML forbids. */
static void clean_text(struct text text, struct buf *out)
{
    size_t bytes;
    for (; text.size > 0; text.bytes += bytes, text.size -= bytes) {
        uint32_t code_point = utf8_next(text, &bytes);
        if (text_begins(text, "\r\n") || text_begins(text, "\\n")) {
            code_point = '\n';
            bytes = 2;
        }
        if (!is_dropped(code_point))
            utf8_add(out, code_point == '\t' ? ' ' : code_point);
    }
}

/* Split at line feeds; an empty text has no paragraphs. */
static bool split_paragraphs(struct text text, struct picture *picture, struct err *err)
{
    for (size_t start = 0; text.size > 0 && start <= text.size;) {
        const char *end = memchr(text.bytes + start, '\n', text.size - start);
        size_t size = (end ? (size_t)(end - text.bytes) : text.size) - start;
        if (picture->paragraph_count == LETTERING_PARAGRAPHS_MAX)
            return err_set(err, ERR_INVALID_VALUE, "text must have at most %d lines",
                           LETTERING_PARAGRAPHS_MAX);
        picture->paragraphs[picture->paragraph_count++] = (struct text){ text.bytes + start, size };
        start += size + 1;
    }
    return true;
}

static bool read_text(const struct job *job, struct picture *picture, struct buf *clean,
                      struct err *err)
{
    if (arg_has(job, "text"))
        clean_text(arg_text(job, "text"), clean);
    else
        buf_format(clean, "%d × %d", (int)picture->width, (int)picture->height);
    return split_paragraphs(buf_text(clean), picture, err);
}

/* ---- font ---- */

static void read_font(const struct job *job, struct picture *picture)
{
    const char *font = arg_str(job, "font");
    picture->font_family = strcmp(font, "sans") == 0   ? "sans-serif"
                           : strcmp(font, "mono") == 0 ? "monospace"
                                                       : "serif";
    if (arg_has(job, "font_size"))
        lettering_at(picture->paragraphs, picture->paragraph_count, picture->width, picture->height,
                     (double)arg_int(job, "font_size"), &picture->lettering);
    else
        lettering_fit(picture->paragraphs, picture->paragraph_count, picture->width,
                      picture->height, &picture->lettering);
}

/* ---- drawing ---- */

static void add_escaped(struct buf *svg, struct text text)
{
    static const char *const entities[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
    };
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte < countof(entities) && entities[byte])
            buf_add_str(svg, entities[byte]);
        else
            buf_add_byte(svg, text.bytes[i]);
    }
}

static void draw_background(struct buf *svg, const struct picture *picture)
{
    char fill[COLOR_TEXT_BYTES];
    color_format(fill, picture->background);
    buf_format(svg, "<rect width=\"%d\" height=\"%d\" fill=\"%s\"", (int)picture->width,
               (int)picture->height, fill);
    if (picture->background.alpha < 255)
        buf_format(svg, " fill-opacity=\"%.3g\"", picture->background.alpha / 255.0);
    buf_add_str(svg, "/>");
}

/* Unicode's rule P2: the first strong character sets the direction of a paragraph. */
static bool is_right_to_left(struct text line)
{
    size_t bytes;
    for (; line.size > 0; line.bytes += bytes, line.size -= bytes) {
        int direction = uc_bidi_class(utf8_next(line, &bytes));
        if (direction == UC_BIDI_R || direction == UC_BIDI_AL)
            return true;
        if (direction == UC_BIDI_L)
            return false;
    }
    return false;
}

static void draw_line(struct buf *svg, const struct picture *picture, size_t index)
{
    const struct lettering *lettering = &picture->lettering;
    char fill[COLOR_TEXT_BYTES];
    double from_middle = (double)index - ((double)lettering->line_count - 1) / 2;
    double pitch = LETTERING_LINE_PITCH * lettering->font_size;
    double y = (double)picture->height / 2 + from_middle * pitch;

    color_format(fill, picture->ink);
    buf_format(svg,
               "<text x=\"50%%\" y=\"%.6g\" fill=\"%s\" font-family=\"%s\" font-size=\"%.6g\""
               " text-anchor=\"middle\" dominant-baseline=\"central\"",
               y, fill, picture->font_family, lettering->font_size);
    if (is_right_to_left(lettering->lines[index]))
        buf_add_str(svg, " direction=\"rtl\"");
    buf_add_byte(svg, '>');
    add_escaped(svg, lettering->lines[index]);
    if (lettering->is_cut && index + 1 == lettering->line_count)
        buf_add_str(svg, "…");
    buf_add_str(svg, "</text>");
}

static void draw_image(struct buf *svg, const struct picture *picture)
{
    buf_format(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
               " viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
               (int)(picture->width * picture->scale), (int)(picture->height * picture->scale),
               (int)picture->width, (int)picture->height);
    if (picture->paragraph_count > 0)
        add_escaped(svg, picture->paragraphs[0]);
    buf_add_str(svg, "\">");
    draw_background(svg, picture);
    for (size_t i = 0; i < picture->lettering.line_count; i++)
        draw_line(svg, picture, i);
    buf_add_str(svg, "</svg>");
}

static bool add_headers(const struct job *job, struct text svg, struct err *err)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    char etag[2 * ETAG_BYTES + 1];

    if (!EVP_Digest(svg.bytes, svg.size, sum, NULL, EVP_sha256(), NULL))
        return err_set(err, ERR_INTERNAL, "SHA-256 is disabled on this server");
    hex_encode(etag, sum, ETAG_BYTES);
    job_header(job, "X-Content-Type-Options", "nosniff");
    job_header(job, "Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    job_header(job, "Cache-Control", "private, max-age=86400");
    job_header(job, "ETag", "\"%s\"", etag);
    return true;
}

bool placeholder_image(const struct job *job, cJSON *result, struct err *err)
{
    scoped(buf_free) struct buf clean = BUF(LETTERING_TEXT_BYTES);
    scoped(buf_free) struct buf svg = BUF(SVG_BYTES);
    struct picture picture = { 0 };

    (void)result; /* the response is raw */
    if (!read_size(job, &picture, err) || !read_colors(job, &picture, err) ||
        !read_text(job, &picture, &clean, err))
        return false;
    read_font(job, &picture);
    draw_image(&svg, &picture);
    if (!add_headers(job, buf_text(&svg), err))
        return false;
    job_raw(job, "image/svg+xml", &svg);
    return true;
}
