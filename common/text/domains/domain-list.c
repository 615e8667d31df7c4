/* common/text/domains/domain-list.c - a sorted file of domains, stored as digests of its lines. */
#include "text/domains/domain-list.h"

#include <assert.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/os/file.h"

enum { ENTRY_BYTES = 256 /* a prefix and a name of 253 octets, with the NUL */ };

struct domain_list {
    uint64_t *digests; /* of the entries, sorted */
    size_t count;
    size_t capacity;
};

/* SipHash-2-4. With 150,000 entries, one in 10^14 lookups gives a false match. */
static uint64_t digest_of(struct text entry)
{
    static const unsigned char key[crypto_shorthash_KEYBYTES] = { 0 };
    uint64_t digest;
    static_assert(sizeof(digest) == crypto_shorthash_BYTES, "as libsodium has it");
    crypto_shorthash((unsigned char *)&digest, (const unsigned char *)entry.bytes, entry.size, key);
    return digest;
}

static int by_digest(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

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

/* By bytes; a line that is a prefix of another comes before it. */
static int compare_domains(struct text a, struct text b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared > 0 ? memcmp(a.bytes, b.bytes, shared) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static void add_entry(struct domain_list *list, struct text entry)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 1024;
        list->digests = mem_resize(list->digests, list->capacity * sizeof(*list->digests));
    }
    list->digests[list->count++] = digest_of(entry);
}

static bool read_lines(const char *path, struct text rest, struct domain_list *list,
                       struct err *err)
{
    struct text last = { 0 };
    for (size_t number = 1; rest.size > 0; number++) {
        struct text line = text_cut(&rest, '\n');
        if (list->count == 0 && (line.size == 0 || line.bytes[0] == '#'))
            continue;
        if (!is_entry(line))
            return err_set(err, ERR_INVALID_VALUE,
                           "%s: line %zu: must be a domain in lower case, or one behind *. or !",
                           path, number);
        if (list->count > 0 && compare_domains(last, line) >= 0)
            return err_set(err, ERR_INVALID_VALUE,
                           "%s: line %zu: must come before the line above (LC_ALL=C sort -u)", path,
                           number);
        add_entry(list, line);
        last = line;
    }
    return true;
}

bool domain_list_load(const char *path, struct domain_list **result, struct err *err)
{
    scoped(domain_list_free) struct domain_list *list = mem_new(sizeof(*list));
    scoped(buf_free) struct buf file = BUF(DOMAIN_LIST_MAX_BYTES);
    if (!file_read(path, &file, err) || !read_lines(path, buf_text(&file), list, err))
        return false;
    if (list->count > 0)
        qsort(list->digests, list->count, sizeof(*list->digests), by_digest);
    *result = take(list);
    return true;
}

void domain_list_free(struct domain_list **list)
{
    if (!*list)
        return;
    mem_free(&(*list)->digests);
    mem_free(list);
}

size_t domain_list_count(const struct domain_list *list)
{
    return list->count;
}

/* ---- lookup ---- */

static bool has_entry(const struct domain_list *list, const char *mark, const char *name)
{
    char wanted[ENTRY_BYTES + 1];
    int size = snprintf(wanted, sizeof(wanted), "%s%s", mark, name);
    uint64_t digest = digest_of((struct text){ wanted, (size_t)size });
    return list->count > 0 &&
           bsearch(&digest, list->digests, list->count, sizeof(digest), by_digest) != NULL;
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
