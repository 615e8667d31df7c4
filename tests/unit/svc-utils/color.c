/* tests/unit/svc-utils/color.c - the color syntax, canonical form, contrast. */
#include "color.h"

#include <math.h>
#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *text;
    const char *want; /* canonical; NULL: rejected */
    int alpha;
} rows[] = {
    { "three digits", "#fa0", "#ffaa00", 255 },
    { "six digits", "#FfAa01", "#ffaa01", 255 },
    { "four digits", "#fa08", "#ffaa00", 0x88 },
    { "eight digits", "#ffaa0080", "#ffaa00", 0x80 },
    { "three digits, bare", "fa0", "#ffaa00", 255 },
    { "eight digits, bare", "FFAA0001", "#ffaa00", 1 },
    { "first name", "aliceblue", "#f0f8ff", 255 },
    { "last name", "YellowGreen", "#9acd32", 255 },
    { "the name of CSS 4", "rebeccapurple", "#663399", 255 },
    { "green is CSS's, not X11's", "green", "#008000", 255 },
    { "both spellings of grey", "darkslategrey", "#2f4f4f", 255 },
    { "transparent", "Transparent", "#000000", 0 },
    { "rgb", "rgb(255,0,16)", "#ff0010", 255 },
    { "rgb with blanks", "RGB( 1 , 2 , 3 )", "#010203", 255 },
    { "rgb with leading zeros", "rgb(001,2,3)", "#010203", 255 },
    { "nothing", "", NULL, 0 },
    { "no digits", "#", NULL, 0 },
    { "two digits", "#ff", NULL, 0 },
    { "five digits", "#fffff", NULL, 0 },
    { "seven digits", "#fffffff", NULL, 0 },
    { "nine digits", "#fffffffff", NULL, 0 },
    { "no hex digit", "#ggg", NULL, 0 },
    { "two hashes", "##fff", NULL, 0 },
    { "a name with a hash", "#red", NULL, 0 },
    { "an unknown name", "bleu", NULL, 0 },
    { "a name and more", "red ", NULL, 0 },
    { "none is not a color", "none", NULL, 0 },
    { "rgb beyond 255", "rgb(256,0,0)", NULL, 0 },
    { "rgb with a sign", "rgb(-1,0,0)", NULL, 0 },
    { "rgb with a fraction", "rgb(1.5,0,0)", NULL, 0 },
    { "rgb with per cent", "rgb(100%,0,0)", NULL, 0 },
    { "rgb with two numbers", "rgb(1,2)", NULL, 0 },
    { "rgb with four numbers", "rgb(1,2,3,4)", NULL, 0 },
    { "rgb without end", "rgb(1,2,3", NULL, 0 },
    { "rgb and more", "rgb(1,2,3);", NULL, 0 },
    { "rgb with a gap", "rgb(,2,3)", NULL, 0 },

    { "hsl", "hsl(120,100%,25%)", "#008000", 255 },
    { "hsl with blanks", "HSL( 210 , 50% , 40% )", "#336699", 255 },
    { "hsl without commas", "hsl(210deg 50% 40%)", "#336699", 255 },
    { "hsl with fractions", "hsl(210.0,50.0%,40.0%)", "#336699", 255 },
    { "hsl of red, once around", "hsl(360,100%,50%)", "#ff0000", 255 },
    { "hsl of white", "hsl(17,80%,100%)", "#ffffff", 255 },
    { "hsl with alpha", "hsla(0,100%,50%,0.5)", "#ff0000", 128 },
    { "hsl with alpha after a slash", "hsl(0 100% 50% / 20%)", "#ff0000", 51 },
    { "hsl without per cent", "hsl(0,1,0.5)", NULL, 0 },
    { "hsl beyond 100 %", "hsl(0,101%,50%)", NULL, 0 },
    { "hsl with two values", "hsl(0,50%)", NULL, 0 },
    { "hsl with five values", "hsl(0,50%,50%,1,1)", NULL, 0 },
    { "hsl with alpha beyond 1", "hsl(0,50%,50%,2)", NULL, 0 },
    { "hsl with a word", "hsl(red,50%,50%)", NULL, 0 },
    { "hsl with infinity", "hsl(inf,50%,50%)", NULL, 0 },
    { "hsl with many digits", "hsl(1000000000,50%,50%)", NULL, 0 },
    { "hsl without end", "hsl(0,50%,50%", NULL, 0 },
    { "hsl and more", "hsl(0,50%,50%);", NULL, 0 },
    { "hsl alone", "hsl", NULL, 0 },
    { "markup", "\"/><script>", NULL, 0 },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct color color = { 1, 2, 3, 4 };
    struct err err = { 0 };
    char text[COLOR_TEXT_BYTES];

    bool ok = color_parse("dark_color", row->text, &color, &err);
    assert_int_equal(ok, row->want != NULL);
    color_format(text, color);
    assert_string_equal(text, row->want ? row->want : "#010203");
    assert_int_equal(color.alpha, row->want ? row->alpha : 4);
    assert_int_equal(err.kind, ok ? ERR_NONE : ERR_INVALID_COLOR);
    if (!ok)
        assert_non_null(strstr(err.message, "dark_color"));
}

static void opaque_only(void **state)
{
    (void)state;
    struct color color = { 0 };
    struct err err = { 0 };
    assert_true(color_parse_opaque("c", "#123f", &color, &err));
    assert_false(color_parse_opaque("c", "#123e", &color, &err));
    assert_string_equal(err.message, "c must be opaque");
    assert_false(color_parse_opaque("c", "transparent", &color, &err));
}

static const struct contrast {
    const char *name;
    const char *a;
    const char *b;
    double want; /* to two decimals */
} contrasts[] = {
    { "black on white", "#000", "#fff", 21.0 },
    { "equal", "#777", "#777", 1.0 },
    { "order does not matter", "#fff", "#000", 21.0 },
    { "the limit of AA", "#767676", "#fff", 4.54 },
    { "dark grey on light grey", "#333", "#ccc", 7.87 },
};

static void check_contrast(void **state)
{
    const struct contrast *row = *state;
    struct color a = { 0 };
    struct color b = { 0 };
    assert_true(color_parse("a", row->a, &a, NULL));
    assert_true(color_parse("b", row->b, &b, NULL));
    assert_true(fabs(color_contrast(a, b) - row->want) < 0.005);
}

static void over_is_what_is_seen(void **state)
{
    (void)state;
    const struct color white = { 255, 255, 255, 255 };
    const struct color red = { 255, 0, 0, 255 };
    assert_true(color_equal(color_over((struct color){ 0, 0, 0, 0 }, white), white));
    assert_true(color_equal(color_over(red, white), red));
    assert_true(
        color_equal(color_over((struct color){ 0, 0, 0, 128 }, (struct color){ 1, 2, 3, 255 }),
                    (struct color){ 0, 1, 1, 255 }));
    assert_true(color_equal(color_over((struct color){ 254, 0, 0, 128 }, white),
                            (struct color){ 254, 127, 127, 255 }));
    assert_true(color_equal(color_over((struct color){ 0, 0, 0, 51 }, white),
                            (struct color){ 204, 204, 204, 255 }));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(opaque_only),
        cmocka_unit_test(over_is_what_is_seen),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(contrasts, check_contrast) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
