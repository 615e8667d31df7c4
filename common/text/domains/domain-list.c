/* common/text/domains/domain-list.c - a sorted file of domains, searched as it stands. */
#include "text/domains/domain-list.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/os/file.h"

enum { ENTRY_BYTES = 256 /* a mark and a name of 253 octets, with the final NUL */ };

struct domain_list {
    struct buf file;
    struct text lines; /* its entries, without the comments above them */
    size_t count;
};

/* ---- reading ---- */

static bool is_name_byte(char byte)
{
    return ascii_is_lower((unsigned char)byte) || ascii_is_digit((unsigned char)byte) ||
           byte == '-' || byte == '_' || byte == '.';
}

static bool is_name(struct text name)
{
    if (name.size == 0 || name.bytes[0] == '.' || name.bytes[name.size - 1] == '.')
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (!is_name_byte(name.bytes[i]) || (name.bytes[i] == '.' && name.bytes[i + 1] == '.'))
            return false;
    return true;
}

static bool is_entry(struct text line)
{
    if (line.size >= ENTRY_BYTES)
        return false;
    if (text_begins(line, "*."))
        line = text_skip(line, 2);
    else if (text_begins(line, "!"))
        line = text_skip(line, 1);
    return is_name(line);
}

/* By bytes, a line that another one begins with before that one. */
static int compare(struct text a, struct text b)
{
    int order = memcmp(a.bytes, b.bytes, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool check_lines(const char *path, struct domain_list *list, struct err *err)
{
    struct text rest = buf_text(&list->file);
    struct text last = { 0 };
    for (size_t number = 1; rest.size > 0; number++) {
        struct text before = rest;
        struct text line = text_cut(&rest, '\n');
        if (list->count == 0 && (line.size == 0 || line.bytes[0] == '#'))
            continue;
        if (!is_entry(line))
            return err_set(err, ERR_INVALID_VALUE,
                           "%s: line %zu: must be a domain in lower case, or one behind *. or !",
                           path, number);
        if (list->count == 0)
            list->lines = before;
        else if (compare(last, line) >= 0)
            return err_set(err, ERR_INVALID_VALUE,
                           "%s: line %zu: must come before the line above (LC_ALL=C sort -u)", path,
                           number);
        list->count++;
        last = line;
    }
    return true;
}

bool domain_list_load(const char *path, struct domain_list **result, struct err *err)
{
    scoped(domain_list_free) struct domain_list *list = mem_new(sizeof(*list));
    list->file = (struct buf)BUF(DOMAIN_LIST_MAX_BYTES);
    if (!file_read(path, &list->file, err) || !check_lines(path, list, err))
        return false;
    *result = take(list);
    return true;
}

void domain_list_free(struct domain_list **list)
{
    if (!*list)
        return;
    buf_free(&(*list)->file);
    mem_free(list);
}

size_t domain_list_count(const struct domain_list *list)
{
    return list->count;
}

/* ---- searching ---- */

/* The line that the byte at an offset is part of, its line end included. */
static struct text line_around(struct text lines, size_t offset)
{
    const char *begin = offset ? memrchr(lines.bytes, '\n', offset) : NULL;
    begin = begin ? begin + 1 : lines.bytes;
    struct text rest = { begin, (size_t)(lines.bytes + lines.size - begin) };
    return text_cut(&rest, '\n');
}

static bool has_entry(const struct domain_list *list, const char *mark, const char *name)
{
    char wanted[ENTRY_BYTES + 1];
    struct text lines = list->lines;
    int size = snprintf(wanted, sizeof(wanted), "%s%s", mark, name);
    while (lines.size > 0) {
        struct text line = line_around(lines, lines.size / 2);
        int order = compare((struct text){ wanted, (size_t)size }, line);
        if (order == 0)
            return true;
        if (order < 0) {
            lines.size = (size_t)(line.bytes - lines.bytes);
        } else {
            size_t skipped = (size_t)(line.bytes - lines.bytes) + line.size + 1;
            lines = text_skip(lines, skipped < lines.size ? skipped : lines.size);
        }
    }
    return false;
}

static const char *parent_of(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : NULL;
}

static bool is_excepted(const struct domain_list *list, const char *name)
{
    for (; name; name = parent_of(name))
        if (has_entry(list, "!", name))
            return true;
    return false;
}

enum domain_match domain_list_match(const struct domain_list *list, const char *name,
                                    const char *owner)
{
    if (strlen(name) + 2 >= ENTRY_BYTES || is_excepted(list, name))
        return DOMAIN_UNLISTED;
    if (has_entry(list, "", name))
        return DOMAIN_LISTED;
    for (const char *parent = parent_of(name); parent; parent = parent_of(parent))
        if ((parent <= owner && has_entry(list, "", parent)) || has_entry(list, "*.", parent))
            return DOMAIN_BELOW_LISTED;
    return DOMAIN_UNLISTED;
}
