/*
 * svc-utils/qr-generate/content.c - typed contents, each in the form that readers agree on.
 *
 * wifi: the form of ZXing's wiki; vcard: RFC 2426 (3.0, which phones read best); epc: EPC069-12
 * version 2.1; geo: RFC 5870; tel: RFC 3966; otpauth: the key URI format of Google Authenticator.
 */
#include "content.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/percent.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/scoped.h"
#include "svc/args.h"
#include "text/json.h"

enum {
    SSID_BYTES_MAX = 32, /* IEEE 802.11 */
    NAME_MAX = 200,
    EPC_NAME_MAX = 70,
    EPC_TEXT_MAX = 140,
    EPC_REFERENCE_MAX = 35,
    IBAN_MIN = 15,
    IBAN_MAX = 34,
    BIC_SHORT = 8,
    BIC_LONG = 11,
    TEL_MAX = 20,
};

/* One typed field of the request, while its content is written. */
struct writer {
    const char *field;
    const cJSON *object;
    struct buf *out;
    struct err *err;
    bool is_epc;
};

static bool reject(const struct writer *writer, const char *name, const char *rule)
{
    return err_set(writer->err, ERR_INVALID_VALUE, "%s.%s must be %s", writer->field, name, rule);
}

/* A text without control characters, at most `max` characters; *value is NULL if it is absent. */
static bool read_text(const struct writer *writer, const char *name, size_t max, bool is_required,
                      const char **value)
{
    const cJSON *item = json_get(writer->object, name);
    *value = json_is(item, cJSON_String) ? item->valuestring : NULL;
    if (!item || json_is(item, cJSON_NULL))
        return !is_required ||
               err_set(writer->err, ERR_MISSING_FIELD, "%s.%s is required", writer->field, name);
    if (!*value)
        return err_set(writer->err, ERR_INVALID_TYPE, "%s.%s must be text", writer->field, name);
    if (is_required && **value == '\0')
        return err_set(writer->err, ERR_MISSING_FIELD, "%s.%s must not be empty", writer->field,
                       name);
    for (const char *at = *value; *at; at++)
        if ((unsigned char)*at < 0x20 && *at != '\n')
            return reject(writer, name, "text without control characters");
    if (utf8_length(text_of(*value)) > max)
        return err_set(writer->err, ERR_TOO_LONG, "%s.%s must have at most %zu characters",
                       writer->field, name, max);
    return true;
}

static bool read_number(const struct writer *writer, const char *name, double min, double max,
                        bool is_required, double *value)
{
    const cJSON *item = json_get(writer->object, name);
    if (!item || json_is(item, cJSON_NULL))
        return !is_required ||
               err_set(writer->err, ERR_MISSING_FIELD, "%s.%s is required", writer->field, name);
    if (!json_is(item, cJSON_Number))
        return err_set(writer->err, ERR_INVALID_TYPE, "%s.%s must be a number", writer->field,
                       name);
    if (item->valuedouble < min || item->valuedouble > max)
        return err_set(writer->err, ERR_INVALID_VALUE, "%s.%s must be %.15g to %.15g",
                       writer->field, name, min, max);
    *value = item->valuedouble;
    return true;
}

/* A backslash before each of `special`. */
static void add_escaped(struct buf *out, const char *value, const char *special)
{
    for (; *value; value++) {
        if (*value == '\n') {
            buf_add_str(out, "\\n");
            continue;
        }
        if (strchr(special, *value))
            buf_add_byte(out, '\\');
        buf_add_byte(out, *value);
    }
}

/* ---- wifi ---- */

/* Readers take a value of hex digits alone for bytes; quotes say that it is text. */
static void add_wifi_value(struct buf *out, const char *name, const char *value)
{
    bool is_hex = *value != '\0';
    for (const char *at = value; *at; at++)
        is_hex &= hex_digit(*at) >= 0;
    buf_format(out, "%s:%s", name, is_hex ? "\"" : "");
    add_escaped(out, value, "\\;,:\"");
    buf_format(out, "%s;", is_hex ? "\"" : "");
}

static bool write_wifi(struct writer *writer)
{
    const char *ssid, *password, *security;
    if (!read_text(writer, "ssid", SSID_BYTES_MAX, true, &ssid) ||
        !read_text(writer, "password", 63, false, &password) ||
        !read_text(writer, "security", 6, false, &security))
        return false;
    if (strlen(ssid) > SSID_BYTES_MAX)
        return reject(writer, "ssid", "at most 32 bytes");
    bool has_password = password && *password;
    if (!security)
        security = has_password ? "WPA" : "nopass";
    bool is_open = strcmp(security, "nopass") == 0;
    if (!is_open && strcmp(security, "WPA") != 0 && strcmp(security, "WEP") != 0)
        return reject(writer, "security", "WPA (also for WPA2 and WPA3), WEP or nopass");
    if (is_open == has_password)
        return reject(writer, "password", "given, except with the security nopass");
    buf_format(writer->out, "WIFI:T:%s;", security);
    add_wifi_value(writer->out, "S", ssid);
    if (has_password)
        add_wifi_value(writer->out, "P", password);
    buf_add_str(writer->out,
                json_is(json_get(writer->object, "hidden"), cJSON_True) ? "H:true;;" : ";");
    return true;
}

/* ---- vcard ---- */

static bool add_vcard_line(struct writer *writer, const char *field, const char *property)
{
    const char *value;
    if (!read_text(writer, field, NAME_MAX, false, &value))
        return false;
    if (!value || *value == '\0')
        return true;
    buf_format(writer->out, "%s:", property);
    add_escaped(writer->out, value, "\\;,");
    buf_add_str(writer->out, "\r\n");
    return true;
}

static bool add_vcard_address(struct writer *writer)
{
    static const char *const parts[] = { "street", "city", "region", "postal_code", "country" };
    const char *value[countof(parts)];
    bool is_given = false;
    for (size_t i = 0; i < countof(parts); i++) {
        if (!read_text(writer, parts[i], NAME_MAX, false, &value[i]))
            return false;
        is_given |= value[i] && *value[i];
    }
    if (!is_given)
        return true;
    buf_add_str(writer->out, "ADR:;");
    for (size_t i = 0; i < countof(parts); i++) {
        buf_add_byte(writer->out, ';');
        add_escaped(writer->out, value[i] ? value[i] : "", "\\;,");
    }
    buf_add_str(writer->out, "\r\n");
    return true;
}

static bool write_vcard(struct writer *writer)
{
    static const struct {
        const char *field, *property;
    } lines[] = { { "organization", "ORG" }, { "title", "TITLE" }, { "phone", "TEL" },
                  { "email", "EMAIL" },      { "url", "URL" },     { "note", "NOTE" } };
    const char *name, *last, *first;
    if (!read_text(writer, "name", NAME_MAX, true, &name) ||
        !read_text(writer, "last_name", NAME_MAX, false, &last) ||
        !read_text(writer, "first_name", NAME_MAX, false, &first))
        return false;
    buf_add_str(writer->out, "BEGIN:VCARD\r\nVERSION:3.0\r\nN:");
    add_escaped(writer->out, last ? last : name, "\\;,");
    buf_add_byte(writer->out, ';');
    add_escaped(writer->out, first ? first : "", "\\;,");
    buf_add_str(writer->out, ";;;\r\nFN:");
    add_escaped(writer->out, name, "\\;,");
    buf_add_str(writer->out, "\r\n");
    for (size_t i = 0; i < countof(lines); i++)
        if (!add_vcard_line(writer, lines[i].field, lines[i].property))
            return false;
    if (!add_vcard_address(writer))
        return false;
    buf_add_str(writer->out, "END:VCARD\r\n");
    return true;
}

/* ---- epc ---- */

/* Letters and digits in upper case, without blanks; false if there is something else. */
static bool compact(const char *value, size_t max, char *out)
{
    size_t size = 0;
    for (; *value; value++) {
        if (*value == ' ')
            continue;
        if (!ascii_is_alnum(*value) || size == max)
            return false;
        out[size++] = *value >= 'a' && *value <= 'z' ? (char)(*value - 'a' + 'A') : *value;
    }
    out[size] = '\0';
    return true;
}

/* ISO 13616: the first four characters at the end, letters as 10 to 35, modulo 97 is 1. */
static bool is_iban(const char *iban)
{
    size_t size = strlen(iban);
    unsigned rest = 0;
    if (size < IBAN_MIN || ascii_is_letter(iban[2]) || ascii_is_letter(iban[3]))
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = iban[(i + 4) % size];
        rest = ascii_is_letter(c) ? (rest * 100 + (unsigned)(c - 'A' + 10)) % 97
                                  : (rest * 10 + (unsigned)(c - '0')) % 97;
    }
    return rest == 1;
}

static bool write_epc(struct writer *writer)
{
    const char *name, *iban_text, *bic_text, *reference, *text;
    char iban[IBAN_MAX + 1], bic[BIC_LONG + 1];
    double amount = 0;
    if (!read_text(writer, "name", EPC_NAME_MAX, true, &name) ||
        !read_text(writer, "iban", 2 * IBAN_MAX, true, &iban_text) ||
        !read_text(writer, "bic", 2 * BIC_LONG, false, &bic_text) ||
        !read_text(writer, "reference", EPC_REFERENCE_MAX, false, &reference) ||
        !read_text(writer, "text", EPC_TEXT_MAX, false, &text) ||
        !read_number(writer, "amount", 0.01, 999999999.99, false, &amount))
        return false;
    if (!compact(iban_text, IBAN_MAX, iban) || !is_iban(iban))
        return reject(writer, "iban", "an IBAN with a valid check sum");
    if (!compact(bic_text ? bic_text : "", BIC_LONG, bic) ||
        (*bic && strlen(bic) != BIC_SHORT && strlen(bic) != BIC_LONG))
        return reject(writer, "bic", "a BIC of 8 or 11 characters");
    if (reference && text)
        return reject(writer, "text", "left out with a reference");
    if (strchr(name, '\n') || (text && strchr(text, '\n')) ||
        (reference && strchr(reference, '\n')))
        return reject(writer, "text", "one line, and so must name and reference");
    buf_format(writer->out, "BCD\n002\n1\nSCT\n%s\n%s\n%s\n", bic, name, iban);
    if (amount > 0)
        buf_format(writer->out, "EUR%.2f", amount);
    buf_add_str(writer->out, "\n"); /* the amount, then no purpose */
    if (reference || text)
        buf_format(writer->out, "\n%s", reference ? reference : "");
    if (text)
        buf_format(writer->out, "\n%s", text);
    writer->is_epc = true;
    return true;
}

/* ---- geo ---- */

/* Six decimals are 11 cm; zeros at the end are left out. */
static void add_decimal(struct buf *out, double number)
{
    char text[32];
    snprintf(text, sizeof(text), "%.6f", number);
    size_t size = strlen(text);
    while (text[size - 1] == '0')
        size--;
    size -= text[size - 1] == '.';
    bool is_zero = size == 2 && memcmp(text, "-0", 2) == 0;
    buf_add(out, text + is_zero, size - is_zero);
}

static bool write_geo(struct writer *writer)
{
    double latitude = 0, longitude = 0;
    if (!read_number(writer, "latitude", -90, 90, true, &latitude) ||
        !read_number(writer, "longitude", -180, 180, true, &longitude))
        return false;
    buf_add_str(writer->out, "geo:");
    add_decimal(writer->out, latitude);
    buf_add_byte(writer->out, ',');
    add_decimal(writer->out, longitude);
    return true;
}

/* ---- otpauth ---- */

/* Base32 (RFC 4648) in upper case, without blanks, dashes and padding. */
static bool add_secret(const struct writer *writer, const char *secret)
{
    size_t size = 0;
    for (; *secret; secret++) {
        char c = *secret >= 'a' && *secret <= 'z' ? (char)(*secret - 'a' + 'A') : *secret;
        if (c == ' ' || c == '-' || c == '=')
            continue;
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", c))
            return reject(writer, "secret", "Base32, the letters A to Z and digits 2 to 7");
        buf_add_byte(writer->out, c);
        size++;
    }
    return size >= 8 || reject(writer, "secret", "at least 8 Base32 characters");
}

static bool add_otp_numbers(struct writer *writer, bool is_hotp)
{
    double digits = 6, period = 30, counter = 0;
    if (!read_number(writer, "digits", 6, 8, false, &digits) ||
        !read_number(writer, "period", 5, 300, false, &period) ||
        !read_number(writer, "counter", 0, 1e15, is_hotp, &counter))
        return false;
    if (floor(digits) != digits || digits == 7 || floor(period) != period ||
        floor(counter) != counter)
        return reject(writer, "digits", "6 or 8, and period and counter whole numbers");
    if (digits == 8)
        buf_add_str(writer->out, "&digits=8");
    if (!is_hotp && period != 30)
        buf_format(writer->out, "&period=%d", (int)period);
    if (is_hotp)
        buf_format(writer->out, "&counter=%.0f", counter);
    return true;
}

static bool write_otpauth(struct writer *writer)
{
    const char *type, *account, *issuer, *secret, *algorithm;
    if (!read_text(writer, "type", 4, false, &type) ||
        !read_text(writer, "account", NAME_MAX, true, &account) ||
        !read_text(writer, "issuer", NAME_MAX, false, &issuer) ||
        !read_text(writer, "secret", NAME_MAX, true, &secret) ||
        !read_text(writer, "algorithm", 6, false, &algorithm))
        return false;
    bool is_hotp = type && strcmp(type, "hotp") == 0;
    if (type && !is_hotp && strcmp(type, "totp") != 0)
        return reject(writer, "type", "totp or hotp");
    if (strchr(account, ':') || (issuer && strchr(issuer, ':')))
        return reject(writer, "account", "without a colon, and so must issuer");
    if (algorithm && strcmp(algorithm, "SHA1") != 0 && strcmp(algorithm, "SHA256") != 0 &&
        strcmp(algorithm, "SHA512") != 0)
        return reject(writer, "algorithm", "SHA1, SHA256 or SHA512");
    buf_format(writer->out, "otpauth://%s/", is_hotp ? "hotp" : "totp");
    if (issuer) {
        percent_encode(text_of(issuer), "-._~", writer->out);
        buf_add_byte(writer->out, ':');
    }
    percent_encode(text_of(account), "@-._~", writer->out);
    buf_add_str(writer->out, "?secret=");
    if (!add_secret(writer, secret))
        return false;
    if (issuer) {
        buf_add_str(writer->out, "&issuer=");
        percent_encode(text_of(issuer), "-._~", writer->out);
    }
    if (algorithm && strcmp(algorithm, "SHA1") != 0)
        buf_format(writer->out, "&algorithm=%s", algorithm);
    return add_otp_numbers(writer, is_hotp);
}

/* ---- tel ---- */

static bool write_tel(const char *number, struct buf *out, struct err *err)
{
    size_t digits = 0;
    buf_add_str(out, "tel:");
    for (const char *at = number; *at; at++) {
        bool is_sign = *at == '+' && digits == 0;
        if (strchr(" -.()/", *at))
            continue;
        if (!is_sign && !strchr("0123456789*#", *at))
            digits = TEL_MAX;
        else
            buf_add_byte(out, *at);
        digits += !is_sign;
    }
    return (digits >= 2 && digits <= TEL_MAX) ||
           err_set(err, ERR_INVALID_VALUE, "tel must have 2 to %d digits, such as +49 30 1234567",
                   TEL_MAX);
}

/* ---- all of them ---- */

static const struct {
    const char *field;
    bool (*write)(struct writer *writer);
} kinds[] = {
    { "wifi", write_wifi }, { "vcard", write_vcard },     { "epc", write_epc },
    { "geo", write_geo },   { "otpauth", write_otpauth },
};

bool content_read(const struct job *job, struct buf *out, bool *is_epc, struct err *err)
{
    size_t given = arg_has(job, "text") + arg_has(job, "tel");
    for (size_t i = 0; i < countof(kinds); i++)
        given += arg_has(job, kinds[i].field);
    if (given > 1)
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "send only one of text, wifi, vcard, epc, geo, tel and otpauth");
    if (arg_has(job, "tel"))
        return write_tel(arg_str(job, "tel"), out, err);
    for (size_t i = 0; i < countof(kinds); i++) {
        if (!arg_has(job, kinds[i].field))
            continue;
        struct writer writer = { kinds[i].field, arg_any(job, kinds[i].field), out, err, false };
        bool ok = kinds[i].write(&writer);
        *is_epc = writer.is_epc;
        return ok;
    }
    struct text text = arg_text(job, "text");
    buf_add(out, text.bytes, text.size);
    return true;
}
