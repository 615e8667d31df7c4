/* gateway/tollctl/out.c - output for people: lines and tables. */
#include "gateway/tollctl/out.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "base/num.h"

enum { GAP = 2, CELL_MAX_BYTES = 64 << 10, COLUMNS_MAX = 16 };

/* ---- one cell ---- */

/* Control characters (C0, DEL, C1) and Unicode's bidirectional controls, which reorder or hide
 * text. */
static bool steers_terminal(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void add_plain(struct text text, struct buf *out)
{
    size_t bytes;
    for (size_t at = 0; at < text.size; at += bytes) {
        uint32_t code = utf8_next((struct text){ text.bytes + at, text.size - at }, &bytes);
        utf8_add(out, steers_terminal(code) ? 0xfffd : code);
    }
}

static void add_cell(const cJSON *node, struct buf *out)
{
    const cJSON *item;
    if (json_is(node, cJSON_String)) {
        add_plain(json_text_of(node), out);
    } else if (json_is(node, cJSON_Array)) {
        cJSON_ArrayForEach(item, node) {
            buf_add_str(out, item == node->child ? "" : ", ");
            add_cell(item, out);
        }
    } else if (json_is(node, cJSON_True) || json_is(node, cJSON_False)) {
        buf_add_str(out, json_is(node, cJSON_True) ? "yes" : "no");
    } else if (json_is(node, cJSON_Number)) {
        json_print(node, out);
    }
    if (out->size == 0)
        buf_add_byte(out, '-');
}

static size_t cell_width(const cJSON *node)
{
    scoped(buf_free) struct buf cell = BUF(CELL_MAX_BYTES);
    add_cell(node, &cell);
    return utf8_length(buf_text(&cell));
}

static void add_blanks(size_t count, struct buf *out)
{
    while (count-- > 0)
        buf_add_byte(out, ' ');
}

/* Trim trailing spaces. */
static void end_line(struct buf *out)
{
    while (out->size > 0 && out->bytes[out->size - 1] == ' ')
        out->bytes[--out->size] = '\0';
    buf_add_byte(out, '\n');
}

static void add_padded(struct text text, size_t width, bool is_right, struct buf *out)
{
    size_t blanks = width - utf8_length(text);
    add_blanks(is_right ? blanks : 0, out);
    buf_add(out, text.bytes, text.size);
    add_blanks((is_right ? 0 : blanks) + GAP, out);
}

/* ---- a table ---- */

struct column {
    size_t width;
    bool is_right;
};

static size_t measure(const cJSON *list, struct column columns[static COLUMNS_MAX])
{
    const cJSON *row;
    const cJSON *cell;
    size_t count = 0;
    cJSON_ArrayForEach(row, list) {
        size_t i = 0;
        cJSON_ArrayForEach(cell, row) {
            if (i == COLUMNS_MAX)
                break;
            columns[i].width = MAX(columns[i].width, cell_width(cell));
            columns[i].width = MAX(columns[i].width, strlen(cell->string));
            columns[i].is_right |= json_is(cell, cJSON_Number);
            i++;
        }
        count = MAX(count, i);
    }
    return count;
}

static void add_head(const cJSON *row, const struct column *columns, size_t count, struct buf *out)
{
    const cJSON *cell = row->child;
    for (size_t i = 0; i < count && cell; i++, cell = cell->next)
        add_padded(text_of(cell->string), columns[i].width, columns[i].is_right, out);
    end_line(out);
}

static void add_row(const cJSON *row, const struct column *columns, size_t count, struct buf *out)
{
    const cJSON *cell = row->child;
    for (size_t i = 0; i < count && cell; i++, cell = cell->next) {
        scoped(buf_free) struct buf text = BUF(CELL_MAX_BYTES);
        add_cell(cell, &text);
        add_padded(buf_text(&text), columns[i].width, columns[i].is_right, out);
    }
    end_line(out);
}

static void add_table(const cJSON *list, struct buf *out)
{
    struct column columns[COLUMNS_MAX] = { 0 };
    const cJSON *row;
    size_t count = measure(list, columns);
    add_head(list->child, columns, count, out);
    cJSON_ArrayForEach(row, list)
        add_row(row, columns, count, out);
}

/* ---- the answer ---- */

static bool is_table(const cJSON *node)
{
    return json_is(node, cJSON_Array) && (!node->child || json_is(node->child, cJSON_Object));
}

static void add_lines(const cJSON *answer, struct buf *out)
{
    const cJSON *member;
    size_t width = 0;
    cJSON_ArrayForEach(member, answer)
        if (!is_table(member))
            width = MAX(width, strlen(member->string));
    cJSON_ArrayForEach(member, answer) {
        if (is_table(member))
            continue;
        scoped(buf_free) struct buf text = BUF(CELL_MAX_BYTES);
        add_cell(member, &text);
        add_padded(text_of(member->string), width, false, out);
        buf_add(out, text.bytes, text.size);
        end_line(out);
    }
}

void out_answer(const cJSON *answer, struct buf *out)
{
    const cJSON *member;
    add_lines(answer, out);
    cJSON_ArrayForEach(member, answer) {
        if (!is_table(member))
            continue;
        if (out->size > 0)
            buf_format(out, "\n%s\n", member->string);
        if (member->child)
            add_table(member, out);
        else
            buf_format(out, "no %s\n", member->string);
    }
}
