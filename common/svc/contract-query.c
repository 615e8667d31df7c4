/* common/svc/contract-query.c - converts the query of a GET tool to a JSON object. */
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "svc/contract.h"
#include "svc/schema.h"
#include "text/json.h"

/* The value for a property. Rank decides between its names: 0 for its own name, then its
 * aliases. */
struct given {
    bool is_given;
    size_t rank;
    struct text value; /* still percent-encoded */
};

/* One character of a query at bytes[*at], which advances; -1 for invalid digits after %. */
static int decode_byte(struct text text, size_t *at)
{
    char byte = text.bytes[(*at)++];
    if (byte != '%')
        return byte == '+' ? ' ' : (unsigned char)byte;
    int high = text.size - *at >= 2 ? hex_digit(text.bytes[*at]) : -1;
    int low = text.size - *at >= 2 ? hex_digit(text.bytes[*at + 1]) : -1;
    *at += 2;
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static bool decode_text(struct text text, struct buf *out, struct err *err)
{
    buf_clear(out);
    for (size_t at = 0; at < text.size;) {
        int byte = decode_byte(text, &at);
        if (byte < 0)
            return err_set(err, ERR_INVALID_QUERY,
                           "the query has a %% that two hexadecimal digits do not follow");
        if (byte == 0)
            return err_set(err, ERR_INVALID_QUERY, "the query must not contain U+0000");
        buf_add_byte(out, (char)byte);
    }
    if (!utf8_is_valid(buf_text(out)))
        return err_set(err, ERR_INVALID_QUERY, "the query must be UTF-8");
    return true;
}

/* Record the value of one name=value pair, if a property has that name. */
static bool read_pair(const struct schema *request, struct text pair, struct buf *scratch,
                      struct given *given, struct unknown_fields *unknown, struct err *err)
{
    static const struct place top = { NULL, "", 0 };
    size_t rank;
    struct text value = pair;
    struct text name = text_cut(&value, '=');

    if (!decode_text(value, scratch, err) || !decode_text(name, scratch, err))
        return false;
    const struct schema *property = schema_property_or_alias(request, buf_str(scratch), &rank);
    if (!property) {
        if (unknown && pair.size > 0)
            unknown_fields_add(unknown, request, &top, buf_str(scratch));
        return true;
    }
    struct given *slot = &given[property - request->properties];
    if (!slot->is_given || rank < slot->rank)
        *slot = (struct given){ true, rank, value };
    return true;
}

static bool print_value(const struct schema *property, struct text value, struct buf *body,
                        struct err *err)
{
    int64_t number;
    if (property->types & SCHEMA_STRING) {
        json_print_text(value, body);
        return true;
    }
    if (!num_parse(value, INT32_MAX, &number))
        return err_set(err, ERR_INVALID_VALUE, "%s must be a whole number in plain digits",
                       property->name);
    return buf_format(body, "%lld", (long long)number);
}

static bool print_given(const struct schema *request, const struct given *given,
                        struct buf *scratch, struct buf *body, struct err *err)
{
    const char *separator = "{";
    for (size_t i = 0; i < request->property_count; i++) {
        if (!given[i].is_given)
            continue;
        buf_add_str(body, separator);
        json_print_text(text_of(request->properties[i].name), body);
        buf_add_byte(body, ':');
        if (!decode_text(given[i].value, scratch, err) ||
            !print_value(&request->properties[i], buf_text(scratch), body, err))
            return false;
        separator = ",";
    }
    buf_add_str(body, *separator == '{' ? "{}" : "}");
    return true;
}

bool contract_query(const struct contract *contract, struct text query, struct buf *body,
                    struct unknown_fields *unknown, struct err *err)
{
    const struct schema *request = contract->request;
    scoped(mem_free) struct given *given = mem_array(request->property_count, sizeof(*given));
    scoped(buf_free) struct buf scratch = BUF(query.size);

    while (query.size > 0)
        if (!read_pair(request, text_cut(&query, '&'), &scratch, given, unknown, err))
            return false;
    if (!print_given(request, given, &scratch, body, err))
        return false;
    if (body->full)
        return err_set(err, ERR_INVALID_QUERY, "the query is too long");
    return true;
}
