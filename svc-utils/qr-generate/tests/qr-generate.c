/*
 * svc-utils/qr-generate/tests/qr-generate.c - levels, colors, warnings, markup, raw responses,
 * errors. readers.py checks that the codes can be read.
 */
#include "base/codec/base64.h"
#include "tool.h"
#include "tools.h"

/* Capital letters that version 25 holds at level L (ISO/IEC 18004 table 7). */
#define A_10   "AAAAAAAAAA"
#define A_100  A_10 A_10 A_10 A_10 A_10 A_10 A_10 A_10 A_10 A_10
#define A_600  A_100 A_100 A_100 A_100 A_100 A_100
#define A_1853 A_600 A_600 A_600 A_10 A_10 A_10 A_10 A_10 "AAA"

static const struct row {
    const char *name;
    const char *body;
    const char *code;    /* NULL: success */
    const char *pointer; /* of the result */
    const char *want;    /* as JSON with 'single quotes' */
} rows[] = {
    { "version 1", "{'text':'a'}", NULL, "/version", "1" },
    { "modules", "{'text':'a'}", NULL, "/modules", "21" },
    { "text comes back", "{'text':'a\\u0000\\n'}", NULL, "/text", "'a\\u0000\\n'" },
    { "size by default", "{'text':'a'}", NULL, "/size", "256" },
    { "margin by default", "{'text':'a'}", NULL, "/margin", "4" },
    { "module size", "{'text':'a'}", NULL, "/module_size_px", "8.83" },
    { "no warnings by default", "{'text':'a'}", NULL, "/warnings", "[]" },

    { "raised to H for free", "{'text':'a'}", NULL, "/error_correction", "'H'" },
    { "raised to Q only", "{'text':'abcdefghij'}", NULL, "/error_correction", "'Q'" },
    { "not raised when it would grow", "{'text':'abcdefghijklmn'}", NULL, "/error_correction",
      "'M'" },
    { "an explicit level is not raised", "{'text':'a','error_correction':'L'}", NULL,
      "/error_correction", "'L'" },
    { "by its long name", "{'text':'a','error_correction':'Quartile'}", NULL, "/error_correction",
      "'Q'" },
    { "by the other name of the field", "{'text':'a','ecc':'m'}", NULL, "/error_correction",
      "'M'" },
    { "capital letters take less room", "{'text':'ABCDEFGHIJ','ecc':'H'}", NULL, "/version", "1" },
    { "small letters more", "{'text':'abcdefghij','ecc':'H'}", NULL, "/version", "2" },
    { "low by its long name", "{'text':'a','ecc':'LOW'}", NULL, "/error_correction", "'L'" },
    { "medium by its long name", "{'text':'a','ecc':'medium'}", NULL, "/error_correction", "'M'" },
    { "high by its long name", "{'text':'a','ecc':'high'}", NULL, "/error_correction", "'H'" },
    { "an unknown level", "{'text':'a','ecc':'X'}", "invalid_value", NULL, NULL },

    { "a network", "{'wifi':{'ssid':'home','password':'secret12'}}", NULL, "/text",
      "'WIFI:T:WPA;S:home;P:secret12;;'" },
    { "its special characters", "{'wifi':{'ssid':'a;b','password':'p:q,r'}}", NULL, "/text",
      "'WIFI:T:WPA;S:a\\\\;b;P:p\\\\:q\\\\,r;;'" },
    { "a name of hex digits", "{'wifi':{'ssid':'cafe','security':'nopass','hidden':true}}", NULL,
      "/text", "'WIFI:T:nopass;S:\\\"cafe\\\";H:true;;'" },
    { "a network without a name", "{'wifi':{}}", "missing_field", NULL, NULL },
    { "a name of 33 bytes", "{'wifi':{'ssid':'123456789012345678901234567890123'}}", "too_long",
      NULL, NULL },
    { "an open one with a password", "{'wifi':{'ssid':'a','password':'b','security':'nopass'}}",
      "invalid_value", NULL, NULL },
    { "WPA without one", "{'wifi':{'ssid':'a','security':'WPA'}}", "invalid_value", NULL, NULL },
    { "another security", "{'wifi':{'ssid':'a','password':'b','security':'WPA9'}}", "invalid_value",
      NULL, NULL },
    { "a name that is a number", "{'wifi':{'ssid':1}}", "invalid_type", NULL, NULL },
    { "a card", "{'vcard':{'name':'Ada Lovelace','phone':'+1','note':'a,b;c\\nd','city':'Rome'}}",
      NULL, "/text",
      "'BEGIN:VCARD\\r\\nVERSION:3.0\\r\\nN:Ada Lovelace;;;;\\r\\nFN:Ada "
      "Lovelace\\r\\nTEL:+1\\r\\nNOTE:a\\\\,b\\\\;c\\\\nd\\r\\nADR:;;;Rome;;;\\r\\nEND:"
      "VCARD\\r\\n'" },
    { "a card without a name", "{'vcard':{'phone':'1'}}", "missing_field", NULL, NULL },
    { "a line break in it by CR", "{'vcard':{'name':'a\\rTEL:1'}}", "invalid_value", NULL, NULL },
    { "a payment",
      "{'epc':{'name':'Red Cross','iban':'be72 0000 0000 1616','amount':1,'text':'Aid'}}", NULL,
      "/text", "'BCD\\n002\\n1\\nSCT\\n\\nRed Cross\\nBE72000000001616\\nEUR1.00\\n\\n\\nAid'" },
    { "a wrong check sum", "{'epc':{'name':'a','iban':'BE72000000001617'}}", "invalid_value", NULL,
      NULL },
    { "no amount", "{'epc':{'name':'a','iban':'BE72000000001616','amount':0}}", "invalid_value",
      NULL, NULL },
    { "two texts", "{'epc':{'name':'a','iban':'BE72000000001616','text':'a','reference':'b'}}",
      "invalid_value", NULL, NULL },
    { "two lines", "{'epc':{'name':'a\\nb','iban':'BE72000000001616'}}", "invalid_value", NULL,
      NULL },
    { "half a BIC", "{'epc':{'name':'a','iban':'BE72000000001616','bic':'ABC'}}", "invalid_value",
      NULL, NULL },
    { "a place", "{'geo':{'latitude':52.52,'longitude':-0.0000001}}", NULL, "/text",
      "'geo:52.52,0'" },
    { "beyond the pole", "{'geo':{'latitude':91,'longitude':0}}", "invalid_value", NULL, NULL },
    { "half a place", "{'geo':{'latitude':1}}", "missing_field", NULL, NULL },
    { "a number", "{'tel':'+49 (30) 123-45'}", NULL, "/text", "'tel:+493012345'" },
    { "no number", "{'tel':'call me'}", "invalid_value", NULL, NULL },
    { "a one-time password",
      "{'otpauth':{'account':'a@b.example','issuer':'A & B','secret':'jbsw y3dp ehpk 3pxp'}}", NULL,
      "/text",
      "'otpauth://totp/A%20%26%20B:a@b.example?secret=JBSWY3DPEHPK3PXP&issuer=A%20%26%20B'" },
    { "by counter",
      "{'otpauth':{'account':'a','secret':'JBSWY3DP','type':'hotp','counter':5,'digits':8}}", NULL,
      "/text", "'otpauth://hotp/a?secret=JBSWY3DP&digits=8&counter=5'" },
    { "a counter is missing", "{'otpauth':{'account':'a','secret':'JBSWY3DP','type':'hotp'}}",
      "missing_field", NULL, NULL },
    { "a secret of other letters", "{'otpauth':{'account':'a','secret':'JBSWY3D1'}}",
      "invalid_value", NULL, NULL },
    { "seven digits", "{'otpauth':{'account':'a','secret':'JBSWY3DP','digits':7}}", "invalid_value",
      NULL, NULL },
    { "two contents", "{'text':'a','tel':'123'}", "conflicting_fields", NULL, NULL },
    { "no content", "{}", "missing_field", NULL, NULL },
    { "a logo takes level H", "{'text':'abcdefghijklmn','logo_area':true}", NULL,
      "/error_correction", "'H'" },
    { "its square", "{'text':'abcdefghijklmn','logo_area':true,'size':330}", NULL, "/logo_area",
      "{'x':140,'y':140,'side':50}" },
    { "a logo at another level", "{'text':'a','logo_area':true,'ecc':'L'}", "conflicting_fields",
      NULL, NULL },
    { "Latin-1", "{'text':'é','encoding':'iso-8859-1'}", NULL, "/text", "'é'" },
    { "what Latin-1 lacks", "{'text':'€','encoding':'iso-8859-1'}", "invalid_value", NULL, NULL },
    { "a payment has level M", "{'epc':{'name':'a','iban':'BE72000000001616'}}", NULL,
      "/error_correction", "'M'" },

    { "size 16", "{'text':'a','size':16}", NULL, "/size", "16" },
    { "size 15", "{'text':'a','size':15}", "invalid_value", NULL, NULL },
    { "size 4096", "{'text':'a','size':4096}", NULL, "/warnings", "[]" },
    { "size 4097", "{'text':'a','size':4097}", "invalid_value", NULL, NULL },
    { "size as text", "{'text':'a','size':'256'}", "invalid_type", NULL, NULL },
    { "margin 16", "{'text':'a','margin':16}", NULL, "/margin", "16" },
    { "margin 17", "{'text':'a','margin':17}", "invalid_value", NULL, NULL },
    { "margin by its other name", "{'text':'a','quiet_zone':5}", NULL, "/margin", "5" },

    { "dark", "{'text':'a','dark_color':'NAVY'}", NULL, "/dark_color", "'#000080'" },
    { "light", "{'text':'a','light_color':'#FF0'}", NULL, "/light_color", "'#ffff00'" },
    { "transparent", "{'text':'a','light_color':'transparent'}", NULL, "/light_color",
      "'transparent'" },
    { "none", "{'text':'a','light_color':'None'}", NULL, "/light_color", "'transparent'" },
    { "translucent", "{'text':'a','light_color':'#ffffff80'}", NULL, "/light_color",
      "'#ffffff80'" },
    { "translucent dark", "{'text':'a','dark_color':'#00000080'}", "invalid_color", NULL, NULL },
    { "transparent dark", "{'text':'a','dark_color':'none'}", "invalid_color", NULL, NULL },
    { "no color", "{'text':'a','light_color':'whitish'}", "invalid_color", NULL, NULL },
    { "markup as color", "{'text':'a','dark_color':'\\u0022/><script>'}", "invalid_color", NULL,
      NULL },
    { "equal colors", "{'text':'a','dark_color':'red','light_color':'#f00'}", "invalid_color", NULL,
      NULL },

    { "low contrast", "{'text':'a','dark_color':'#888','light_color':'#fff'}", NULL, "/warnings",
      "[]" },
    { "lower contrast", "{'text':'a','dark_color':'#999'}", NULL, "/warnings/0/code",
      "'low_contrast'" },
    { "translucent light is seen over white",
      "{'text':'a','dark_color':'#333',"
      "'light_color':'#00000010'}",
      NULL, "/warnings", "[]" },
    { "inverted", "{'text':'a','dark_color':'white','light_color':'black'}", NULL,
      "/warnings/0/code", "'inverted'" },
    { "small modules", "{'text':'a','size':57}", NULL, "/warnings/0/code", "'small_modules'" },
    { "modules of 2 pixels", "{'text':'a','size':58}", NULL, "/warnings", "[]" },
    { "small quiet zone", "{'text':'a','margin':3}", NULL, "/warnings/0/code",
      "'quiet_zone_small'" },
    { "version 25 is not dense", "{'text':'" A_1853 "','ecc':'L','size':4096}", NULL, "/warnings",
      "[]" },
    { "version 26 is", "{'text':'" A_1853 "A','ecc':'L','size':4096}", NULL, "/warnings/0/code",
      "'dense'" },
    { "in the order of the table", "{'text':'a','size':16,'margin':0,'dark_color':'#eee'}", NULL,
      "/warnings/1/code", "'small_modules'" },

    { "no text", "{}", "missing_field", NULL, NULL },
    { "empty text", "{'text':''}", "too_short", NULL, NULL },
    { "text is a number", "{'text':1}", "invalid_type", NULL, NULL },
    { "json in capitals", "{'text':'a','format':'JSON'}", NULL, "/version", "1" },
    { "another format", "{'text':'a','format':'gif'}", "invalid_value", NULL, NULL },
    { "png with a pixel a module", "{'text':'a','format':'png','size':29}", NULL, NULL, NULL },
    { "png too small", "{'text':'a','format':'png','size':28}", "size_too_small", NULL, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf want = BUF(1024);
    scoped(buf_free) struct buf got = BUF(1024);
    struct err err = { 0 };

    bool ok = run_tool(qr_generate, "qr-generate", row->body, result, NULL, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (!row->pointer)
        return;
    add_quoted(&want, row->want);
    assert_non_null(json_at(result, row->pointer));
    json_print(json_at(result, row->pointer), &got);
    assert_string_equal(buf_str(&got), buf_str(&want));
}

/* The three forms contain the same image, and the image does not contain the text. */
static void svg_forms(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf decoded = BUF(1 << 16);
    struct err err = { 0 };
    static const char head[] =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"256\" height=\"256\""
        " viewBox=\"0 0 29 29\" shape-rendering=\"crispEdges\" role=\"img\">"
        "<path fill=\"#ffffff\" d=\"M0 0h29v29H0z\"/><path fill=\"#000000\" d=\"M4 4h7v1h-7z";

    assert_true(run_tool(qr_generate, "qr-generate", "{'text':'</svg>'}", result, NULL, &err));
    const char *svg = json_text(result, "/svg");
    const char *base64 = json_text(result, "/svg_base64");
    const char *uri = json_text(result, "/data_uri");
    assert_memory_equal(svg, head, strlen(head));
    assert_string_equal(svg + strlen(svg) - strlen("z\"/></svg>"), "z\"/></svg>");
    assert_true(base64_decode(&decoded, text_of(base64)));
    assert_string_equal(buf_str(&decoded), svg);
    assert_memory_equal(uri, "data:image/svg+xml;base64,", 26);
    assert_string_equal(uri + 26, base64);
}

static const char *header(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->header[i].name, name) == 0)
            return answer->header[i].value;
    return "";
}

static void raw_headers(void **state)
{
    (void)state;
    scoped(answer_free) struct answer svg = { 0 };
    scoped(answer_free) struct answer png = { 0 };
    struct err err = { 0 };

    assert_true(run_tool(qr_generate, "qr-generate",
                         "{'text':'a','format':'SVG','margin':0,'size':40}", NULL, &svg, &err));
    assert_true(run_tool(qr_generate, "qr-generate", "{'text':'a','format':'png','ecc':'L'}", NULL,
                         &png, &err));
    assert_string_equal(svg.content_type, "image/svg+xml");
    assert_string_equal(png.content_type, "image/png");
    assert_string_equal(header(&svg, "X-QR-Version"), "1");
    assert_string_equal(header(&svg, "X-QR-Error-Correction"), "H");
    assert_string_equal(header(&svg, "X-QR-Warnings"), "small_modules,quiet_zone_small");
    assert_string_equal(header(&png, "X-QR-Error-Correction"), "L");
    assert_string_equal(header(&png, "X-QR-Warnings"), "");
    assert_string_equal(header(&png, "X-Content-Type-Options"), "nosniff");
}

/* A transparent image has no background; a translucent one has a translucent background. */
static void backgrounds(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *background;
    } images[] = {
        { "{'text':'a','light_color':'none'}", "role=\"img\"><path fill=\"#000000\" d=\"M4 4h7" },
        { "{'text':'a','light_color':'#ff000080'}",
          "<path fill=\"#ff0000\" fill-opacity=\"0.502\" d=\"M0 0h29v29H0z\"/>" },
    };
    for (size_t i = 0; i < countof(images); i++) {
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        assert_true(run_tool(qr_generate, "qr-generate", images[i].body, result, NULL, &err));
        assert_non_null(strstr(json_text(result, "/svg"), images[i].background));
    }
}

static bool holds(const struct buf *image, struct text part)
{
    return image->bytes && memmem(image->bytes, image->size, part.bytes, part.size);
}

/* Light pixels are transparent only on request. */
static void transparent_png(void **state)
{
    (void)state;
    scoped(answer_free) struct answer clear = { 0 };
    scoped(answer_free) struct answer white = { 0 };
    struct err err = { 0 };

    assert_true(run_tool(qr_generate, "qr-generate",
                         "{'text':'a','format':'png','light_color':'none'}", NULL, &clear, &err));
    assert_true(
        run_tool(qr_generate, "qr-generate", "{'text':'a','format':'png'}", NULL, &white, &err));
    assert_true(holds(&clear.body, TEXT("tRNS\0")));
    assert_true(holds(&white.body, TEXT("IDAT")));
    assert_false(holds(&white.body, TEXT("tRNS")));
}

static void small_png_names_the_least(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_false(run_tool(qr_generate, "qr-generate", "{'text':'a','format':'png','size':28}", NULL,
                          NULL, &err));
    assert_string_equal(err.message, "size must be at least 29 for this text as png");
}

static bool is_made(const char *piece, size_t count, struct err *err)
{
    scoped(buf_free) struct buf body = BUF(1 << 17);
    scoped(json_free) cJSON *result = json_object();
    buf_add_str(&body, "{'text':'");
    for (size_t i = 0; i < count; i++)
        buf_add_str(&body, piece);
    buf_add_str(&body, "'}");
    return run_tool(qr_generate, "qr-generate", buf_str(&body), result, NULL, err);
}

/* The largest body that the gateway accepts is rejected, and the message says what would fit. */
static void refuses_long_text(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_false(is_made("7", 65000, &err));
    assert_int_equal(err.kind, ERR_CAPACITY_EXCEEDED);
    assert_string_equal(err.message,
                        "text has 65000 bytes; a QR code with error correction L holds at most "
                        "2953 bytes, or 4296 capital letters and digits, or 7089 digits");
}

static void text_beyond_ascii_has_a_byte_less(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_true(is_made("\303\251", 2952 / 2, &err));
    assert_false(is_made("\303\251", 2952 / 2 + 1, &err));
    assert_int_equal(err.kind, ERR_CAPACITY_EXCEEDED);
    assert_non_null(strstr(err.message, "at most 2952 bytes"));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(svg_forms),
        cmocka_unit_test(transparent_png),
        cmocka_unit_test(small_png_names_the_least),
        cmocka_unit_test(raw_headers),
        cmocka_unit_test(backgrounds),
        cmocka_unit_test(refuses_long_text),
        cmocka_unit_test(text_beyond_ascii_has_a_byte_less),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
