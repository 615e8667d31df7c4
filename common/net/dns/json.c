/* common/net/dns/json.c - replies of resolvers in JSON. */
#include "net/dns/json.h"

#include <string.h>

#include "base/codec/cidr.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/dns/message.h"
#include "text/json.h"

enum {
    DEPTH = 8,
    STATUS_MAX = 0xfff, /* 4 bits in the head, 8 in OPT: RFC 6891 section 6.1.3 */
    STRING_OCTETS = 255,
};

/* What data holds, field by field:
 *     4 6     an address
 *     n       a name
 *     b s l   a number of one, two, four bytes
 *     t       strings to the end
 *     w v     a word behind its length, and a word to the end: the tag and value of CAA
 *     x       hexadecimal digits to the end, perhaps with blanks: the data of TLSA */
static const struct form {
    uint16_t type;
    const char *fields;
} forms[] = {
    { DNS_A, "4" },   { DNS_AAAA, "6" },   { DNS_CNAME, "n" }, { DNS_NS, "n" },
    { DNS_PTR, "n" }, { DNS_DNAME, "n" },  { DNS_MX, "sn" },   { DNS_SOA, "nnlllll" },
    { DNS_TXT, "t" }, { DNS_SRV, "sssn" }, { DNS_CAA, "bwv" }, { DNS_TLSA, "bbbx" },
};

/* ---- words ---- */

static void skip_blanks(struct text *rest)
{
    while (rest->size > 0 && rest->bytes[0] == ' ')
        *rest = text_skip(*rest, 1);
}

/* Empty at the end. */
static struct text take_word(struct text *rest)
{
    skip_blanks(rest);
    const char *blank = rest->size > 0 ? memchr(rest->bytes, ' ', rest->size) : NULL;
    struct text word = { rest->bytes, blank ? (size_t)(blank - rest->bytes) : rest->size };
    *rest = (struct text){ word.bytes + word.size, rest->size - word.size };
    return word;
}

static bool is_quoted(struct text text)
{
    return text.size > 0 && text.bytes[0] == '"';
}

/* Append the text between the quotes. */
static bool take_quoted(struct text *rest, struct buf *out)
{
    char octet;
    *rest = text_skip(*rest, 1);
    while (rest->size > 0 && !is_quoted(*rest)) {
        if (!dns_take_octet(rest, &octet))
            return false;
        buf_add_byte(out, octet);
    }
    if (rest->size == 0)
        return false;
    *rest = text_skip(*rest, 1);
    return true;
}

/* ---- fields ---- */

/* An address of `bytes` bytes: 4 or 16. */
static bool add_address(struct text word, size_t bytes, struct buf *out)
{
    struct in6_addr address;
    bool has_colon = memchr(word.bytes, ':', word.size) != NULL;
    return has_colon == (bytes == sizeof(address)) && address_parse(word, &address) &&
           buf_add(out, address.s6_addr + sizeof(address) - bytes, bytes);
}

static bool add_name(struct text word, struct buf *out)
{
    return word.size > 0 && dns_add_name(out, word);
}

static bool add_number(struct text word, size_t bytes, struct buf *out)
{
    int64_t number;
    if (!num_parse(word, (INT64_C(1) << 8 * bytes) - 1, &number))
        return false;
    while (bytes-- > 0)
        buf_add_byte(out, (char)(number >> 8 * bytes));
    return true;
}

static bool add_short(struct text word, struct buf *out)
{
    if (word.size == 0 || word.size > STRING_OCTETS)
        return false;
    buf_add_byte(out, (char)word.size);
    return buf_add(out, word.bytes, word.size);
}

/* A string above the maximum is split into several, which mean the same in TXT. */
static void add_string(struct text string, struct buf *out)
{
    do {
        size_t size = MIN(string.size, (size_t)STRING_OCTETS);
        buf_add_byte(out, (char)size);
        buf_add(out, string.bytes, size);
        string = text_skip(string, size);
    } while (string.size > 0);
}

static bool add_strings(struct text *rest, struct buf *out)
{
    scoped(buf_free) struct buf string = BUF(DNS_MESSAGE_BYTES);
    if (!is_quoted(*rest)) {
        add_string(*rest, out);
        rest->size = 0;
    }
    while (rest->size > 0) {
        buf_clear(&string);
        if (!is_quoted(*rest) || !take_quoted(rest, &string))
            return false;
        add_string(buf_text(&string), out);
        skip_blanks(rest);
    }
    return true;
}

static bool add_value(struct text *rest, struct buf *out)
{
    skip_blanks(rest);
    if (is_quoted(*rest))
        return take_quoted(rest, out);
    struct text word = take_word(rest);
    return buf_add(out, word.bytes, word.size);
}

static bool add_hex(struct text *rest, struct buf *out)
{
    scoped(buf_free) struct buf digits = BUF(2 * DNS_MESSAGE_BYTES);
    struct text word;
    while ((word = take_word(rest)).size > 0)
        buf_add(&digits, word.bytes, word.size);
    return hex_decode(out, buf_text(&digits));
}

static bool add_field(char field, struct text *rest, struct buf *out)
{
    switch (field) {
    case '4':
        return add_address(take_word(rest), sizeof(struct in_addr), out);
    case '6':
        return add_address(take_word(rest), sizeof(struct in6_addr), out);
    case 'n':
        return add_name(take_word(rest), out);
    case 'b':
        return add_number(take_word(rest), 1, out);
    case 's':
        return add_number(take_word(rest), 2, out);
    case 'l':
        return add_number(take_word(rest), 4, out);
    case 'w':
        return add_short(take_word(rest), out);
    case 'v':
        return add_value(rest, out);
    case 'x':
        return add_hex(rest, out);
    default:
        return add_strings(rest, out);
    }
}

static bool add_digits(struct text rest, struct buf *out)
{
    int64_t size;
    return num_parse(take_word(&rest), UINT16_MAX, &size) && add_hex(&rest, out) &&
           out->size == (size_t)size;
}

static bool add_data(struct text data, const char *fields, struct buf *out)
{
    struct text rest = data;
    if (text_is(take_word(&rest), "\\#"))
        return add_digits(rest, out);
    for (; *fields; fields++)
        if (!add_field(*fields, &data, out))
            return false;
    return take_word(&data).size == 0 && !out->full;
}

/* ---- records ---- */

static bool read_number(const cJSON *node, const char *name, double max, uint32_t *number)
{
    const cJSON *member = json_get(node, name);
    if (!json_is_integer(member) || member->valuedouble < 0 || member->valuedouble > max)
        return false;
    *number = (uint32_t)member->valuedouble;
    return true;
}

static bool add_question(const cJSON *node, struct buf *out)
{
    uint32_t type;
    if (!json_is(json_get(node, "name"), cJSON_String) ||
        !read_number(node, "type", UINT16_MAX, &type) ||
        !dns_add_name(out, json_text_of(json_get(node, "name"))))
        return false;
    dns_add_u16(out, type);
    dns_add_u16(out, DNS_CLASS_IN);
    return true;
}

static const char *fields_of(const cJSON *node)
{
    uint32_t type;
    if (read_number(node, "type", UINT16_MAX, &type))
        for (size_t i = 0; i < countof(forms); i++)
            if (forms[i].type == type)
                return forms[i].fields;
    return NULL;
}

static bool add_record(const cJSON *node, const char *fields, struct buf *out)
{
    scoped(buf_free) struct buf data = BUF(UINT16_MAX);
    uint32_t ttl;
    if (!add_question(node, out) /* a record begins like a question */ ||
        !read_number(node, "TTL", UINT32_MAX, &ttl) ||
        !json_is(json_get(node, "data"), cJSON_String) ||
        !add_data(json_text_of(json_get(node, "data")), fields, &data))
        return false;
    dns_add_u16(out, ttl >> 16);
    dns_add_u16(out, ttl);
    dns_add_u16(out, (unsigned)data.size);
    return buf_add(out, buf_str(&data), data.size);
}

static bool add_section(const cJSON *list, struct buf *out, unsigned *count)
{
    const cJSON *node;
    *count = 0;
    cJSON_ArrayForEach(node, list) {
        const char *fields = fields_of(node);
        if (fields && !add_record(node, fields, out))
            return false;
        *count += fields != NULL;
    }
    return true;
}

/* ---- the whole reply ---- */

static unsigned flags_of(const cJSON *tree)
{
    return DNS_QR | DNS_RD | (json_is(json_get(tree, "TC"), cJSON_True) ? DNS_TC : 0) |
           (json_is(json_get(tree, "AD"), cJSON_True) ? DNS_AD : 0);
}

/* The bits of a status that do not fit the head. */
static void add_opt(unsigned status, struct buf *out)
{
    buf_add_byte(out, 0);
    dns_add_u16(out, DNS_OPT);
    dns_add_u16(out, 0);
    dns_add_u16(out, status >> 4 << 8);
    dns_add_u16(out, 0);
    dns_add_u16(out, 0);
}

bool dns_json_to_wire(struct text json, struct buf *out)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(buf_free) struct buf body = BUF(DNS_MESSAGE_BYTES);
    const cJSON *questions;
    uint32_t status;
    unsigned answers;
    unsigned authorities;
    if (!json_parse(json, DEPTH, &tree, NULL) || !read_number(tree, "Status", STATUS_MAX, &status))
        return false;
    questions = json_get(tree, "Question");
    if (json_size(questions) != 1 || !add_question(questions->child, &body) ||
        !add_section(json_get(tree, "Answer"), &body, &answers) ||
        !add_section(json_get(tree, "Authority"), &body, &authorities))
        return false;
    add_opt(status, &body);
    dns_add_u16(out, 0);
    dns_add_u16(out, flags_of(tree) | (status & DNS_RCODES));
    dns_add_u16(out, 1);
    dns_add_u16(out, answers);
    dns_add_u16(out, authorities);
    dns_add_u16(out, 1);
    return !body.full && buf_add(out, body.bytes, body.size);
}
