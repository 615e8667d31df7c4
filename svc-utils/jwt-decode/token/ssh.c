/*
 * svc-utils/jwt-decode/token/ssh.c - parses an OpenSSH public key: RFC 4253 section 6.6, RFC 5656
 * section 3.1, RFC 8709 section 4.
 */
#include "ssh.h"

#include "base/codec/base64.h"
#include "base/table.h"
#include "base/text.h"
#include "text/json.h"

static const struct kind {
    const char *name;
    const char *kty;
    const char *crv;   /* NULL: RSA */
    const char *inner; /* name of the curve in the key; NULL: none */
} kinds[] = {
    { "ssh-rsa", "RSA", NULL, NULL },
    { "ecdsa-sha2-nistp256", "EC", "P-256", "nistp256" },
    { "ecdsa-sha2-nistp384", "EC", "P-384", "nistp384" },
    { "ecdsa-sha2-nistp521", "EC", "P-521", "nistp521" },
    { "ssh-ed25519", "OKP", "Ed25519", NULL },
    { "ssh-ed448", "OKP", "Ed448", NULL },
};

static const struct kind *kind_of(struct text name)
{
    for (size_t i = 0; i < countof(kinds); i++)
        if (text_is(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

/* Take a string with its length in front (RFC 4251 section 5) from *rest. */
static bool take_string(struct text *rest, struct text *out)
{
    size_t size = 0;
    if (rest->size < 4)
        return false;
    for (size_t i = 0; i < 4; i++)
        size = size << 8 | (unsigned char)rest->bytes[i];
    if (size > rest->size - 4)
        return false;
    *out = (struct text){ rest->bytes + 4, size };
    *rest = text_skip(*rest, 4 + size);
    return true;
}

static void add_member(cJSON *jwk, const char *name, struct text bytes)
{
    scoped(buf_free) struct buf digits = BUF(bytes.size / 3 * 4 + 8);
    base64_encode(&digits, bytes);
    json_str(jwk, name, buf_str(&digits));
}

static bool add_rsa(cJSON *jwk, struct text rest)
{
    struct text e;
    struct text n;
    if (!take_string(&rest, &e) || !take_string(&rest, &n))
        return false;
    add_member(jwk, "n", n);
    add_member(jwk, "e", e);
    return rest.size == 0;
}

/* An uncompressed point (SEC 1 section 2.3.3). */
static bool add_ec(cJSON *jwk, const struct kind *kind, struct text rest)
{
    struct text curve;
    struct text point;
    if (!take_string(&rest, &curve) || !text_is(curve, kind->inner) ||
        !take_string(&rest, &point) || point.size % 2 == 0 || point.bytes[0] != 4)
        return false;
    size_t half = point.size / 2;
    add_member(jwk, "x", (struct text){ point.bytes + 1, half });
    add_member(jwk, "y", (struct text){ point.bytes + 1 + half, half });
    return rest.size == 0;
}

static bool add_okp(cJSON *jwk, struct text rest)
{
    struct text x;
    if (!take_string(&rest, &x))
        return false;
    add_member(jwk, "x", x);
    return rest.size == 0;
}

static bool add_key(cJSON *jwk, const struct kind *kind, struct text rest)
{
    if (!kind->crv)
        return add_rsa(jwk, rest);
    json_str(jwk, "crv", kind->crv);
    return kind->inner ? add_ec(jwk, kind, rest) : add_okp(jwk, rest);
}

cJSON *ssh_public_jwk(struct text line)
{
    struct text rest = text_trim(line);
    const struct kind *kind = kind_of(text_cut(&rest, ' '));
    struct text digits = text_cut(&rest, ' ');
    scoped(buf_free) struct buf blob = BUF(digits.size);
    scoped(json_free) cJSON *jwk = json_object();
    struct text name;

    if (!kind || !base64_decode(&blob, digits))
        return NULL;
    struct text fields = buf_text(&blob);
    if (!take_string(&fields, &name) || !text_is(name, kind->name))
        return NULL;
    json_str(jwk, "kty", kind->kty);
    return add_key(jwk, kind, fields) ? take(jwk) : NULL;
}
