/* svc-utils/qr-generate/qr-generate.c - QR codes (ISO/IEC 18004) with libqrencode, drawn as SVG or
 * PNG. */
#include <math.h>
#include <png.h>
#include <qrencode.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/base64.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "color.h"
#include "content.h"
#include "segments.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    ECI_UTF8 = 26,          /* assignment number of UTF-8 (AIM ITS/04-023) */
    SVG_BYTES = 256 * 1024, /* version 40 has at most 177 rows of 89 runs of 15 bytes */
    SIDE_MAX = 4096,        /* pixels, as the contract says */
};

static const struct color white = { 255, 255, 255, 255 };
static const struct color black = { 0, 0, 0, 255 };

/* Capacity of the largest symbol, version 40 (ISO/IEC 18004 table 7). */
static const struct capacity {
    const char *letter;
    int digits, alphanumerics, bytes;
} capacities[] = {
    [QR_ECLEVEL_L] = { "L", 7089, 4296, 2953 },
    [QR_ECLEVEL_M] = { "M", 5596, 3391, 2331 },
    [QR_ECLEVEL_Q] = { "Q", 3993, 2420, 1663 },
    [QR_ECLEVEL_H] = { "H", 3057, 1852, 1273 },
};

static const struct level {
    const char *name;
    QRecLevel level;
} levels[] = {
    { "L", QR_ECLEVEL_L },    { "M", QR_ECLEVEL_M },        { "Q", QR_ECLEVEL_Q },
    { "H", QR_ECLEVEL_H },    { "low", QR_ECLEVEL_L },      { "medium", QR_ECLEVEL_M },
    { "high", QR_ECLEVEL_H }, { "quartile", QR_ECLEVEL_Q },
};

enum charset { UTF8, UTF8_UNMARKED, LATIN1 };

struct picture {
    struct buf text; /* as encoded */
    enum charset charset;
    int64_t logo_x;    /* the free square in the middle, in modules; 0 if there is none */
    int64_t logo_side; /* 0: none */
    QRcode *code;
    QRecLevel level;
    struct color dark, light;
    int64_t margin;   /* modules */
    int64_t size;     /* pixels */
    int64_t side;     /* modules, quiet zone included */
    double module_px; /* width of one module */
};

/* ---- encoding ---- */

static void code_free(QRcode **code)
{
    QRcode_free(*code);
    *code = NULL;
}

static void input_free(QRinput **input)
{
    QRinput_free(*input);
    *input = NULL;
}

/* Is the text marked as UTF-8? */
static bool has_mark(struct text text, enum charset charset)
{
    return charset == UTF8 && !text_is_ascii(text);
}

/*
 * The symbol of this version; NULL if libqrencode fails. Text beyond ASCII is marked as UTF-8:
 * without the mark, readers take short texts for Shift JIS or Big5.
 */
static QRcode *encode_symbol(struct text text, enum charset charset, int version, QRecLevel level)
{
    scoped(input_free) QRinput *input = QRinput_new2(version, level);
    if (!input || (has_mark(text, charset) && QRinput_appendECIheader(input, ECI_UTF8) != 0) ||
        !segments_append(text, version, input))
        return NULL;
    return QRcode_encodeInput(input);
}

static bool reject_length(struct text text, enum charset charset, QRecLevel level, struct err *err)
{
    const struct capacity *most = &capacities[level];
    return err_set(err, ERR_CAPACITY_EXCEEDED,
                   "text has %zu bytes; a QR code with error correction %s holds at most %d bytes, "
                   "or %d capital letters and digits, or %d digits",
                   text.size, most->letter, most->bytes - has_mark(text, charset),
                   most->alphanumerics, most->digits);
}

/* By default: level M, a higher level at the same size, or L if the text does not fit otherwise. */
static QRecLevel best_level(const struct segments_bits *bits)
{
    QRecLevel level = QR_ECLEVEL_M;
    int version = segments_version(bits, level);
    if (version == 0)
        return QR_ECLEVEL_L;
    while (level < QR_ECLEVEL_H && segments_fit(bits, version, level + 1))
        level++;
    return level;
}

static bool encode(struct text text, QRecLevel level, bool is_fixed, struct picture *picture,
                   struct err *err)
{
    struct segments_bits bits;
    if (text.size > (size_t)capacities[QR_ECLEVEL_L].digits)
        return reject_length(text, picture->charset, is_fixed ? level : QR_ECLEVEL_L, err);
    segments_measure(text, has_mark(text, picture->charset), &bits);
    picture->level = is_fixed ? level : best_level(&bits);
    int version = segments_version(&bits, picture->level);
    if (version == 0)
        return reject_length(text, picture->charset, picture->level, err);
    picture->code = encode_symbol(text, picture->charset, version, picture->level);
    if (!picture->code)
        abort(); /* without memory */
    return true;
}

/* Latin-1 is the standard's own character set, which needs no mark. */
static bool to_latin1(struct buf *text, struct err *err)
{
    scoped(buf_free) struct buf latin1 = BUF(CONTENT_BYTES);
    struct text rest = buf_text(text);
    while (rest.size > 0) {
        size_t bytes;
        uint32_t code = utf8_next(rest, &bytes);
        rest = text_skip(rest, bytes);
        if (code > 0xFF)
            return err_set(err, ERR_INVALID_VALUE,
                           "text has characters that ISO-8859-1 lacks: omit encoding");
        buf_add_byte(&latin1, (char)code);
    }
    struct buf utf8 = *text;
    *text = latin1;
    latin1 = utf8;
    return true;
}

static bool read_level(const struct job *job, bool is_epc, bool has_logo, QRecLevel *level,
                       bool *is_fixed, struct err *err)
{
    *is_fixed = true;
    *level = has_logo ? QR_ECLEVEL_H : QR_ECLEVEL_M;
    if (!arg_has(job, "error_correction")) {
        *is_fixed = is_epc || has_logo;
        return true;
    }
    const struct level *given = TABLE_FIND_LOOSE(levels, arg_str(job, "error_correction"));
    if (!given)
        return err_set(err, ERR_INVALID_VALUE,
                       "error_correction must be L, M, Q, H, low, medium, quartile or high");
    *level = given->level;
    return !has_logo || *level == QR_ECLEVEL_H ||
           err_set(err, ERR_CONFLICTING_FIELDS, "logo_area requires the error_correction H");
}

/* Clear a square of a fifth of the width: a 25th of the area, of which level H can lose 30 %. */
static void clear_logo(struct picture *picture)
{
    int64_t width = picture->code->width;
    int64_t side = width / 5;
    side += side % 2 == 0; /* odd, as the width: the square is in the middle */
    picture->logo_side = side;
    picture->logo_x = (width - side) / 2;
    for (int64_t y = picture->logo_x; y < picture->logo_x + side; y++)
        for (int64_t x = picture->logo_x; x < picture->logo_x + side; x++)
            picture->code->data[y * width + x] &= 0xFE;
}

static bool encode_text(const struct job *job, struct picture *picture, struct err *err)
{
    bool is_epc = false;
    bool has_logo = arg_bool(job, "logo_area");
    bool is_fixed;
    QRecLevel level;
    const char *charset = arg_str(job, "encoding");

    picture->text = (struct buf)BUF(64 * 1024);
    picture->charset = strcmp(charset, "utf8") == 0         ? UTF8
                       : strcmp(charset, "iso-8859-1") == 0 ? LATIN1
                                                            : UTF8_UNMARKED;
    if (!content_read(job, &picture->text, &is_epc, err) ||
        !read_level(job, is_epc, has_logo, &level, &is_fixed, err))
        return false;
    if (is_epc && !arg_has(job, "encoding"))
        picture->charset = UTF8_UNMARKED; /* its second line says UTF-8 */
    if (picture->charset == LATIN1 && !to_latin1(&picture->text, err))
        return false;
    struct text text = buf_text(&picture->text);
    if (!encode(text, level, is_fixed, picture, err))
        return false;
    if (has_logo)
        clear_logo(picture);
    return true;
}

/* ---- colors ---- */

static bool read_colors(const struct job *job, struct picture *picture, struct err *err)
{
    const char *light = arg_str(job, "light_color");
    if (strcasecmp(light, "none") == 0)
        light = "transparent";
    if (!color_parse_opaque("dark_color", arg_str(job, "dark_color"), &picture->dark, err) ||
        !color_parse("light_color", light, &picture->light, err))
        return false;
    if (color_equal(picture->dark, picture->light))
        return err_set(err, ERR_INVALID_COLOR, "dark_color must differ from light_color");
    return true;
}

/* ---- warnings ---- */

/* The visible color between the modules; the page behind a translucent image counts as white. */
static struct color seen_light(const struct picture *picture)
{
    return color_over(picture->light, white);
}

static bool has_low_contrast(const struct picture *picture)
{
    return color_contrast(picture->dark, seen_light(picture)) < 3;
}

static bool is_inverted(const struct picture *picture)
{
    return color_contrast(seen_light(picture), black) < color_contrast(picture->dark, black);
}

static bool has_small_modules(const struct picture *picture)
{
    return picture->module_px < 2;
}

static bool has_small_quiet_zone(const struct picture *picture)
{
    return picture->margin < 4;
}

static bool is_dense(const struct picture *picture)
{
    return picture->code->version > 25;
}

static const struct warning {
    const char *code;
    bool (*applies)(const struct picture *picture);
    const char *message;
} warnings[] = {
#define WARNING(code, applies, message) { code, applies, message },
#include "warnings.def"
#undef WARNING
};

static void add_warnings(const struct picture *picture, cJSON *list)
{
    for (size_t i = 0; i < countof(warnings); i++) {
        if (!warnings[i].applies(picture))
            continue;
        cJSON *item = json_item(list);
        json_str(item, "code", warnings[i].code);
        json_str(item, "message", warnings[i].message);
    }
}

/* ---- drawing ---- */

/* Position in modules from the corner of the image; the quiet zone is light. */
static bool is_dark(const struct picture *picture, int64_t x, int64_t y)
{
    int64_t width = picture->code->width;
    x -= picture->margin;
    y -= picture->margin;
    return x >= 0 && y >= 0 && x < width && y < width && picture->code->data[y * width + x] & 1;
}

static void draw_background(struct buf *svg, const struct picture *picture)
{
    char fill[COLOR_TEXT_BYTES];
    if (picture->light.alpha == 0)
        return;
    color_format(fill, picture->light);
    buf_format(svg, "<path fill=\"%s\"", fill);
    if (picture->light.alpha < 255)
        buf_format(svg, " fill-opacity=\"%.3g\"", picture->light.alpha / 255.0);
    buf_format(svg, " d=\"M0 0h%dv%dH0z\"/>", (int)picture->side, (int)picture->side);
}

/* Write a number of 0 to 999, and a text after it, at `at`; returns the end. Without printf: a path
 * has thousands of numbers. */
static char *put_number(char *at, int64_t number, const char *after)
{
    if (number >= 100)
        *at++ = (char)('0' + number / 100);
    if (number >= 10)
        *at++ = (char)('0' + number / 10 % 10);
    *at++ = (char)('0' + number % 10);
    while (*after)
        *at++ = *after++;
    return at;
}

/* One row: each run of dark modules is a sub-path. */
static void draw_row(struct buf *svg, const struct picture *picture, int64_t y)
{
    char run[32] = "M";
    for (int64_t x = 0; x < picture->side; x++) {
        int64_t start = x;
        while (is_dark(picture, x, y))
            x++;
        if (x == start)
            continue;
        char *end = put_number(run + 1, start, " ");
        end = put_number(end, y, "h");
        end = put_number(end, x - start, "v1h-");
        end = put_number(end, x - start, "z");
        buf_add(svg, run, (size_t)(end - run));
    }
}

static void draw_svg(struct buf *svg, const struct picture *picture)
{
    char fill[COLOR_TEXT_BYTES];
    color_format(fill, picture->dark);
    buf_format(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
               " viewBox=\"0 0 %d %d\" shape-rendering=\"crispEdges\" role=\"img\">",
               (int)picture->size, (int)picture->size, (int)picture->side, (int)picture->side);
    draw_background(svg, picture);
    buf_format(svg, "<path fill=\"%s\" d=\"", fill);
    for (int64_t y = 0; y < picture->side; y++)
        draw_row(svg, picture, y);
    buf_add_str(svg, "\"/></svg>");
}

/* ---- PNG: libpng fails only without memory or because of a bug, and both abort ---- */

static void png_failed(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
    abort();
}

static void append_png_bytes(png_structp png, png_bytep bytes, size_t size)
{
    buf_add(png_get_io_ptr(png), bytes, size);
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

/* One bit a pixel: 0 light, 1 dark. */
static void write_png_header(png_structp png, png_infop info, const struct picture *picture)
{
    struct color light = picture->light;
    struct color dark = picture->dark;
    const png_color palette[] = { { light.red, light.green, light.blue },
                                  { dark.red, dark.green, dark.blue } };
    png_uint_32 size = (png_uint_32)picture->size;

    png_set_IHDR(png, info, size, size, 1, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, palette, countof(palette));
    if (light.alpha < 255)
        png_set_tRNS(png, info, &light.alpha, 1, NULL);
    png_write_info(png, info);
}

/* Fill a row of pixels for the module row y, which may be outside the code. */
static void fill_pixels(const struct picture *picture, int64_t y, int64_t left, png_bytep row)
{
    memset(row, 0, SIDE_MAX / 8);
    for (int64_t x = 0; x < picture->side; x++) {
        if (!is_dark(picture, x, y))
            continue;
        int64_t start = left + x * (int64_t)picture->module_px;
        for (int64_t pixel = start; pixel < start + (int64_t)picture->module_px; pixel++)
            row[pixel / 8] |= (png_byte)(0x80 >> pixel % 8);
    }
}

static void write_png_rows(png_structp png, const struct picture *picture)
{
    png_byte row[SIDE_MAX / 8];
    int64_t module_px = (int64_t)picture->module_px;
    int64_t drawn = picture->side * module_px;
    int64_t left = (picture->size - drawn) / 2;
    int64_t last = -1;

    memset(row, 0, sizeof(row));
    for (int64_t pixel = 0; pixel < picture->size; pixel++) {
        bool is_inside = pixel >= left && pixel < left + drawn;
        int64_t y = is_inside ? (pixel - left) / module_px : picture->side;
        if (y != last)
            fill_pixels(picture, y, left, row);
        last = y;
        png_write_row(png, row);
    }
}

static void draw_png(struct buf *out, const struct picture *picture)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed, png_failed);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info)
        abort();
    png_set_write_fn(png, out, append_png_bytes, flush_nothing);
    write_png_header(png, info, picture);
    write_png_rows(png, picture);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
}

/* ---- responses ---- */

static void add_headers(const struct job *job, const struct picture *picture)
{
    scoped(buf_free) struct buf codes = BUF(256);
    for (size_t i = 0; i < countof(warnings); i++)
        if (warnings[i].applies(picture))
            buf_format(&codes, "%s%s", codes.size > 0 ? "," : "", warnings[i].code);
    job_header(job, "X-Content-Type-Options", "nosniff");
    job_header(job, "Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    job_header(job, "X-QR-Version", "%d", picture->code->version);
    job_header(job, "X-QR-Error-Correction", "%s", capacities[picture->level].letter);
    if (codes.size > 0)
        job_header(job, "X-QR-Warnings", "%s", buf_str(&codes));
}

static bool answer_png(const struct job *job, struct picture *picture, cJSON *result,
                       struct err *err)
{
    scoped(buf_free) struct buf png = BUF(CONTRACT_REPLY_BYTES);
    (void)result;
    if (picture->size < picture->side)
        return err_set(err, ERR_SIZE_TOO_SMALL, "size must be at least %d for this text as png",
                       (int)picture->side);
    picture->module_px = floor(picture->module_px);
    draw_png(&png, picture);
    add_headers(job, picture);
    job_raw(job, "image/png", &png);
    return true;
}

static bool answer_svg(const struct job *job, struct picture *picture, cJSON *result,
                       struct err *err)
{
    scoped(buf_free) struct buf svg = BUF(SVG_BYTES);
    (void)result;
    (void)err;
    draw_svg(&svg, picture);
    add_headers(job, picture);
    job_raw(job, "image/svg+xml", &svg);
    return true;
}

static void add_light_color(cJSON *result, struct color light)
{
    char rgb[COLOR_TEXT_BYTES];
    scoped(buf_free) struct buf text = BUF(16);
    color_format(rgb, light);
    buf_add_str(&text, light.alpha == 0 ? "transparent" : rgb);
    if (light.alpha > 0 && light.alpha < 255)
        buf_format(&text, "%02x", light.alpha);
    json_text_add(result, "light_color", buf_text(&text));
}

/* As UTF-8, also if the code has it in another encoding. */
static void add_text(const struct job *job, const struct picture *picture, cJSON *result)
{
    bool is_given = arg_has(job, "text");
    json_text_add(result, "text", is_given ? arg_text(job, "text") : buf_text(&picture->text));
}

static void add_logo_area(cJSON *result, const struct picture *picture)
{
    if (picture->logo_side == 0)
        return;
    cJSON *area = json_map(result, "logo_area");
    double start = (double)(picture->logo_x + picture->margin) * picture->module_px;
    double side = (double)picture->logo_side * picture->module_px;
    json_num(area, "x", round(start * 100) / 100);
    json_num(area, "y", round(start * 100) / 100);
    json_num(area, "side", round(side * 100) / 100);
}

static bool answer_json(const struct job *job, struct picture *picture, cJSON *result,
                        struct err *err)
{
    static const char prefix[] = "data:image/svg+xml;base64,";
    scoped(buf_free) struct buf svg = BUF(SVG_BYTES);
    scoped(buf_free) struct buf uri = BUF(2 * SVG_BYTES);
    char dark[COLOR_TEXT_BYTES];

    (void)err;
    draw_svg(&svg, picture);
    buf_add_str(&uri, prefix);
    base64_encode(&uri, buf_text(&svg));
    color_format(dark, picture->dark);
    json_text_add(result, "svg", buf_text(&svg));
    json_str(result, "svg_base64", buf_str(&uri) + strlen(prefix));
    json_text_add(result, "data_uri", buf_text(&uri));
    add_text(job, picture, result);
    json_int(result, "size", picture->size);
    json_int(result, "version", picture->code->version);
    json_int(result, "modules", picture->code->width);
    json_str(result, "error_correction", capacities[picture->level].letter);
    json_int(result, "margin", picture->margin);
    json_str(result, "dark_color", dark);
    add_light_color(result, picture->light);
    json_num(result, "module_size_px", round(picture->module_px * 100) / 100);
    add_logo_area(result, picture);
    add_warnings(picture, json_list(result, "warnings"));
    return true;
}

static const struct format {
    const char *name;
    bool (*answer)(const struct job *job, struct picture *picture, cJSON *result, struct err *err);
} formats[] = {
    { "json", answer_json },
    { "svg", answer_svg },
    { "png", answer_png },
};

static void picture_free(struct picture *picture)
{
    code_free(&picture->code);
    buf_free(&picture->text);
}

bool qr_generate(const struct job *job, cJSON *result, struct err *err)
{
    scoped(picture_free) struct picture picture = {
        .margin = arg_int(job, "margin"),
        .size = arg_int(job, "size"),
    };
    const struct format *format = TABLE_FIND_LOOSE(formats, arg_str(job, "format"));

    if (!format)
        return err_set(err, ERR_INVALID_VALUE, "format must be json, svg or png");
    if (!read_colors(job, &picture, err) || !encode_text(job, &picture, err))
        return false;
    picture.side = picture.code->width + 2 * picture.margin;
    picture.module_px = (double)picture.size / (double)picture.side;
    return format->answer(job, &picture, result, err);
}
