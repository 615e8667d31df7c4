/*
 * svc-utils/placeholder-image/placeholder-image.c - an SVG rectangle with a text. The caller's text
 * reaches the image only escaped; colors and numbers are printed from the parsed values.
 */
#include <math.h>
#include <openssl/evp.h>
#include <string.h>
#include <unictype.h>
#include <uniwidth.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "color.h"
#include "svc/args.h"
#include "tools.h"

enum {
    SIDE_MAX = 4000,
    LINES_MAX = 10,
    TEXT_BYTES = 1024,     /* 200 code points of at most 4 bytes */
    SVG_BYTES = 16 * 1024, /* 200 code points escaped twice, and 10 elements: below 6 KB */
    ETAG_BYTES = 16,
};

static const double line_pitch = 1.2; /* of the font size */

struct picture {
    int64_t width, height;
    struct color background, ink;
    size_t line_count;
    struct text lines[LINES_MAX];
    double font_size;
    const char *font_family;
};

/* ---- size ---- */

static bool parse_side(struct text digits, int64_t *side)
{
    return num_parse(digits, SIDE_MAX, side) && *side > 0;
}

/* "600x400", "600×400" or "300"; the contract checks the syntax but not the range. */
static bool parse_size(const char *size, int64_t *width, int64_t *height)
{
    size_t digits = strspn(size, "0123456789");
    const char *separator = size + digits;
    const char *behind = separator + (*separator == 'x' || *separator == 'X' ? 1 : strlen("×"));

    if (!parse_side((struct text){ size, digits }, width))
        return false;
    if (*separator != '\0')
        return parse_side(text_of(behind), height);
    *height = *width;
    return true;
}

static bool read_size(const struct job *job, struct picture *picture, struct err *err)
{
    int64_t width = 0;
    int64_t height = 0;

    if (arg_has(job, "size") && !parse_size(arg_str(job, "size"), &width, &height))
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
    return true;
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

/* Split at line feeds; an empty text has no lines. */
static bool split_lines(struct text text, struct picture *picture, struct err *err)
{
    for (size_t start = 0; text.size > 0 && start <= text.size;) {
        const char *end = memchr(text.bytes + start, '\n', text.size - start);
        size_t size = (end ? (size_t)(end - text.bytes) : text.size) - start;
        if (picture->line_count == LINES_MAX)
            return err_set(err, ERR_INVALID_VALUE, "text must have at most %d lines", LINES_MAX);
        picture->lines[picture->line_count++] = (struct text){ text.bytes + start, size };
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
    return split_lines(buf_text(clean), picture, err);
}

/* ---- font ---- */

/* Width in units of an ASCII character: wide East Asian characters and emoji take 1.8,
 * accents 0. */
static double line_width(struct text line)
{
    double width = 0;
    size_t bytes;
    for (; line.size > 0; line.bytes += bytes, line.size -= bytes) {
        int columns = uc_width(utf8_next(line, &bytes), "UTF-8");
        width += columns == 2 ? 1.8 : fmax(columns, 0);
    }
    return width;
}

/* The largest size at which all lines fit with a margin, to one decimal. */
static double fitting_size(const struct picture *picture)
{
    double width = (double)picture->width;
    double height = (double)picture->height;
    double longest = 1;

    for (size_t i = 0; i < picture->line_count; i++)
        longest = fmax(longest, line_width(picture->lines[i]));
    double size = 0.2 * fmin(width, height);
    size = fmin(size, 0.9 * width / (0.6 * longest));
    size = fmin(size, 0.8 * height / (line_pitch * (double)MAX(picture->line_count, 1)));
    return round(fmin(fmax(size, 4), 400) * 10) / 10;
}

static void read_font(const struct job *job, struct picture *picture)
{
    const char *font = arg_str(job, "font");
    picture->font_family = strcmp(font, "sans") == 0   ? "sans-serif"
                           : strcmp(font, "mono") == 0 ? "monospace"
                                                       : "serif";
    picture->font_size =
        arg_has(job, "font_size") ? (double)arg_int(job, "font_size") : fitting_size(picture);
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
    char fill[COLOR_TEXT_BYTES];
    double from_middle = (double)index - ((double)picture->line_count - 1) / 2;
    double y = (double)picture->height / 2 + from_middle * line_pitch * picture->font_size;

    color_format(fill, picture->ink);
    buf_format(svg,
               "<text x=\"50%%\" y=\"%.6g\" fill=\"%s\" font-family=\"%s\" font-size=\"%.6g\""
               " text-anchor=\"middle\" dominant-baseline=\"central\"",
               y, fill, picture->font_family, picture->font_size);
    if (is_right_to_left(picture->lines[index]))
        buf_add_str(svg, " direction=\"rtl\"");
    buf_add_byte(svg, '>');
    add_escaped(svg, picture->lines[index]);
    buf_add_str(svg, "</text>");
}

static void draw_image(struct buf *svg, const struct picture *picture)
{
    buf_format(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
               " viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
               (int)picture->width, (int)picture->height, (int)picture->width,
               (int)picture->height);
    if (picture->line_count > 0)
        add_escaped(svg, picture->lines[0]);
    buf_add_str(svg, "\">");
    draw_background(svg, picture);
    for (size_t i = 0; i < picture->line_count; i++)
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
    scoped(buf_free) struct buf clean = BUF(TEXT_BYTES);
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
