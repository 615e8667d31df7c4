/* common/text/json-print.c - writes JSON trees. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "text/json.h"

static void print_escape(struct buf *out, unsigned char byte)
{
    static const char short_forms[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
    };
    if (short_forms[byte])
        buf_add(out, (char[]){ '\\', short_forms[byte] }, 2);
    else
        buf_format(out, "\\u%04x", byte);
}

bool json_print_text(struct text value, struct buf *out)
{
    size_t written = 0;
    buf_add_byte(out, '"');
    for (size_t i = 0; i < value.size; i++) {
        unsigned char byte = (unsigned char)value.bytes[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\')
            continue;
        buf_add(out, value.bytes + written, i - written);
        print_escape(out, byte);
        written = i + 1;
    }
    buf_add(out, value.bytes + written, value.size - written);
    return buf_add_byte(out, '"');
}

static void print_number(const cJSON *node, struct buf *out)
{
    char digits[32];
    if (node->valuestring) {
        buf_add_str(out, node->valuestring);
        return;
    }
    if (json_is_integer(node)) {
        buf_format(out, "%" PRId64, (int64_t)node->valuedouble);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, node->valuedouble);
        if (strtod(digits, NULL) == node->valuedouble)
            break;
    }
    buf_add_str(out, digits);
}

static void print_children(const cJSON *node, struct buf *out)
{
    const cJSON *child;
    cJSON_ArrayForEach(child, node) {
        if (child != node->child)
            buf_add_byte(out, ',');
        if (cJSON_IsObject(node)) {
            json_print_text(text_of(child->string), out);
            buf_add_byte(out, ':');
        }
        json_print(child, out);
    }
}

bool json_print(const cJSON *tree, struct buf *out)
{
    switch (tree->type & 0xFF) { /* the other bits are cJSON's flags */
    case cJSON_True:
        return buf_add_str(out, "true");
    case cJSON_False:
        return buf_add_str(out, "false");
    case cJSON_Number:
        print_number(tree, out);
        break;
    case cJSON_String:
        return json_print_text(json_text_of(tree), out);
    case cJSON_Array:
        buf_add_byte(out, '[');
        print_children(tree, out);
        return buf_add_byte(out, ']');
    case cJSON_Object:
        buf_add_byte(out, '{');
        print_children(tree, out);
        return buf_add_byte(out, '}');
    default:
        return buf_add_str(out, "null");
    }
    return !out->full;
}
