/* svc-security/tls-check/scan/hello.c - write a ClientHello (RFC 8446 section 4.1.2, RFC 5246
 * section 7.4.1.2, RFC 6101 section 5.6.1.2). */
#include "hello.h"

#include <assert.h>
#include <string.h>

#include "tls-check/protocol/groups.h"
#include "tls-check/protocol/suites.h"

enum { RECORD_HANDSHAKE = 22, MESSAGE_CLIENT_HELLO = 1 };

enum extension {
    EXT_SERVER_NAME = 0,
    EXT_STATUS_REQUEST = 5,
    EXT_GROUPS = 10,
    EXT_POINT_FORMATS = 11,
    EXT_SIGNATURES = 13,
    EXT_HEARTBEAT = 15,
    EXT_ALPN = 16,
    EXT_MASTER_SECRET = 23,
    EXT_TICKET = 35,
    EXT_VERSIONS = 43,
    EXT_PSK_MODES = 45,
    EXT_KEY_SHARE = 51,
    EXT_RENEGOTIATION = 0xFF01,
};

/* ---- numbers and vectors ---- */

static void put8(struct buf *out, unsigned value)
{
    buf_add_byte(out, (char)value);
}

static void put16(struct buf *out, unsigned value)
{
    put8(out, value >> 8);
    put8(out, value & 0xFF);
}

static void put24(struct buf *out, unsigned value)
{
    put8(out, value >> 16);
    put16(out, value & 0xFFFF);
}

/* Open a vector with a length field of this many bytes. Everything up to close_vector() is its
 * content. */
static size_t open_vector(struct buf *out, unsigned length_bytes)
{
    for (unsigned i = 0; i < length_bytes; i++)
        put8(out, 0);
    return out->size;
}

static void close_vector(struct buf *out, size_t start, unsigned length_bytes)
{
    size_t size = out->size - start;
    for (unsigned i = 1; i <= length_bytes && !out->full; i++, size >>= 8)
        out->bytes[start - i] = (char)(size & 0xFF);
}

static void put_list16(struct buf *out, const uint16_t *values, size_t count)
{
    size_t list = open_vector(out, 2);
    for (size_t i = 0; i < count; i++)
        put16(out, values[i]);
    close_vector(out, list, 2);
}

/* ---- extensions ---- */

static size_t open_extension(struct buf *out, enum extension type)
{
    put16(out, type);
    return open_vector(out, 2);
}

static void put_extension(struct buf *out, enum extension type, const char *bytes, size_t size)
{
    size_t body = open_extension(out, type);
    buf_add(out, bytes, size);
    close_vector(out, body, 2);
}

static void put_server_name(struct buf *out, const char *host)
{
    if (!host)
        return;
    size_t body = open_extension(out, EXT_SERVER_NAME);
    size_t list = open_vector(out, 2);
    put8(out, 0); /* host_name */
    size_t name = open_vector(out, 2);
    buf_add_str(out, host);
    close_vector(out, name, 2);
    close_vector(out, list, 2);
    close_vector(out, body, 2);
}

/* Common groups first, then old ones: a server with a key on a rare curve responds only if the
 * client supports that curve. All primes of RFC 7919: if a client names some, a server that accepts
 * only longer ones does not use DHE. */
static size_t default_groups(bool is_short, uint16_t ids[static GROUPS_MAX])
{
    static const uint16_t usual[] = { 29, 23, 24, 25, 30, 256, 257, 258, 259, 260 };
    enum { OLD_CURVES_END = 29 /* all ids below are curves */ };
    size_t count = 0;
    for (size_t i = 0; i < countof(usual); i++)
        ids[count++] = usual[i];
    for (uint16_t id = 1; id < OLD_CURVES_END && !is_short; id++)
        if (id < 23 || id > 25)
            ids[count++] = id;
    return count;
}

static void put_groups(struct buf *out, const struct hello *hello)
{
    uint16_t ids[GROUPS_MAX];
    size_t body = open_extension(out, EXT_GROUPS);
    if (hello->groups)
        put_list16(out, hello->groups, hello->group_count);
    else
        put_list16(out, ids, default_groups(hello->is_short, ids));
    close_vector(out, body, 2);
}

/* All signature algorithms, including SHA-1 and DSA. */
static void put_signatures(struct buf *out)
{
    static const uint16_t schemes[] = { 0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0603,
                                        0x0806, 0x0601, 0x0807, 0x0808, 0x0809, 0x080A, 0x080B,
                                        0x0203, 0x0201, 0x0402, 0x0202, 0x0101 };
    size_t body = open_extension(out, EXT_SIGNATURES);
    put_list16(out, schemes, countof(schemes));
    close_vector(out, body, 2);
}

static void put_versions(struct buf *out, const struct hello *hello)
{
    size_t body = open_extension(out, EXT_VERSIONS);
    size_t list = open_vector(out, 1);
    for (int i = TLSV13; i >= (int)hello->lowest; i--)
        put16(out, version_number((enum version)i));
    close_vector(out, list, 1);
    close_vector(out, body, 2);
}

static void put_share(struct buf *out, unsigned group, const void *key, size_t size)
{
    put16(out, group);
    size_t body = open_vector(out, 2);
    buf_add(out, key, size);
    close_vector(out, body, 2);
}

/* Any 32 bytes are a valid X25519 key; the P-256 key is the base point (SEC 2 section 2.4.2). The
 * scan never completes a handshake, so the keys need not be secret. */
static void put_shares(struct buf *out, const struct hello *hello)
{
    static const unsigned char point[] = {
        0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5,
        0x63, 0xA4, 0x40, 0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4,
        0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A,
        0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33,
        0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    };
    size_t body = open_extension(out, EXT_KEY_SHARE);
    size_t list = open_vector(out, 2);
    if (hello->has_shares) {
        put_share(out, 29, hello->random, sizeof(hello->random));
        put_share(out, 23, point, sizeof(point));
    }
    close_vector(out, list, 2);
    close_vector(out, body, 2);
}

static void put_tls13(struct buf *out, const struct hello *hello)
{
    put_versions(out, hello);
    put_extension(out, EXT_PSK_MODES, "\1\1", 2);
    put_shares(out, hello);
}

static void put_extensions(struct buf *out, const struct hello *hello)
{
    size_t all = open_vector(out, 2);
    put_server_name(out, hello->host);
    put_groups(out, hello);
    put_extension(out, EXT_POINT_FORMATS, "\1\0", 2);
    put_signatures(out);
    if (!hello->is_short) {
        put_extension(out, EXT_RENEGOTIATION, "\0", 1);
        put_extension(out, EXT_ALPN, "\0\14\2h2\10http/1.1", 14);
        put_extension(out, EXT_STATUS_REQUEST, "\1\0\0\0\0", 5);
        put_extension(out, EXT_TICKET, "", 0);
        put_extension(out, EXT_MASTER_SECRET, "", 0);
        put_extension(out, EXT_HEARTBEAT, "\1", 1);
    }
    if (hello->highest == TLSV13)
        put_tls13(out, hello);
    close_vector(out, all, 2);
}

/* ---- entry point ---- */

/* SSL 3.0 has no extensions; a suite signals renegotiation. */
static void put_suites(struct buf *out, const struct hello *hello)
{
    size_t list = open_vector(out, 2);
    for (size_t i = 0; i < hello->suite_count; i++)
        put16(out, hello->suites[i]);
    if (hello->highest == SSLV3 || hello->is_short)
        put16(out, SUITE_RENEGOTIATION);
    close_vector(out, list, 2);
}

static void put_body(struct buf *out, const struct hello *hello)
{
    enum version legacy = hello->highest == TLSV13 ? TLSV12 : hello->highest;

    put16(out, hello->number ? hello->number : version_number(legacy));
    buf_add(out, hello->random, sizeof(hello->random));
    size_t session = open_vector(out, 1); /* for TLS 1.3: RFC 8446 appendix D.4 */
    if (hello->highest == TLSV13)
        buf_add(out, hello->random, sizeof(hello->random));
    close_vector(out, session, 1);
    put_suites(out, hello);
    size_t methods = open_vector(out, 1);
    if (hello->has_compression)
        put8(out, 1);
    put8(out, 0);
    close_vector(out, methods, 1);
    if (hello->highest > SSLV3)
        put_extensions(out, hello);
}

void hello_write(const struct hello *hello, struct buf *out)
{
    assert(hello->highest >= SSLV3 && !(hello->has_compression && hello->highest == TLSV13));
    put8(out, RECORD_HANDSHAKE);
    put16(out, version_number(hello->highest == SSLV3 ? SSLV3 : TLSV10));
    size_t record = open_vector(out, 2);
    put8(out, MESSAGE_CLIENT_HELLO);
    size_t message = open_vector(out, 3);
    put_body(out, hello);
    close_vector(out, message, 3);
    close_vector(out, record, 2);
}

void hello_write_ssl2(const uint8_t random[static HELLO_RANDOM_BYTES], struct buf *out)
{
    enum { CHALLENGE_BYTES = 16, HEADER_BYTES = 2 };
    uint32_t ids[SUITES_SSL2_MAX];
    size_t count = suites_of_ssl2(ids);

    size_t start = open_vector(out, HEADER_BYTES);
    put8(out, MESSAGE_CLIENT_HELLO);
    put16(out, version_number(SSLV2));
    put16(out, (unsigned)(3 * count));
    put16(out, 0); /* no session id */
    put16(out, CHALLENGE_BYTES);
    for (size_t i = 0; i < count; i++)
        put24(out, ids[i]);
    buf_add(out, random, CHALLENGE_BYTES);
    close_vector(out, start, HEADER_BYTES);
    out->bytes[start - HEADER_BYTES] |= (char)0x80; /* 2-byte header without padding */
}
