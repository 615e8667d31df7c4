/* common/jsonschema/uri.c - resolves URIs, and cuts JSON pointers into parts. */
#include "jsonschema/uri.h"

#include <string.h>

#include "base/ascii.h"

struct uri {
    struct text scheme; /* with its colon; the others also with their delimiter */
    struct text authority;
    struct text path;
    struct text query;
};

struct text uri_cut_fragment(struct text *uri)
{
    const char *hash = uri->size > 0 ? memchr(uri->bytes, '#', uri->size) : NULL;
    if (!hash)
        return TEXT("");
    size_t size = (size_t)(hash - uri->bytes);
    struct text fragment = text_skip(*uri, size + 1);
    uri->size = size;
    return fragment;
}

/* Take what is before the first of these characters off the text. */
static struct text cut_before(struct text *rest, const char *signs)
{
    size_t size = 0;
    while (size < rest->size && !(rest->bytes[size] != '\0' && strchr(signs, rest->bytes[size])))
        size++;
    struct text cut = { rest->bytes, size };
    *rest = text_skip(*rest, size);
    return cut;
}

static struct uri split_uri(struct text text)
{
    struct uri uri = { 0 };
    struct text rest = text;
    struct text first = cut_before(&rest, ":/?#");
    if (first.size > 0 && text_begins(rest, ":")) {
        uri.scheme = (struct text){ text.bytes, first.size + 1 };
        text = text_skip(text, first.size + 1);
    }
    if (text_begins(text, "//")) {
        rest = text_skip(text, 2);
        uri.authority = (struct text){ text.bytes, 2 + cut_before(&rest, "/?").size };
        text = text_skip(text, uri.authority.size);
    }
    uri.path = cut_before(&text, "?");
    uri.query = text;
    return uri;
}

/* Section 5.2.4: append a path without its . and .. parts; `start` is its start in out. */
static void add_path(struct text path, size_t start, struct buf *out)
{
    while (path.size > 0) {
        size_t slash = path.bytes[0] == '/';
        struct text rest = text_skip(path, slash);
        struct text part = cut_before(&rest, "/");
        bool is_up = text_is(part, "..");
        if (is_up) {
            while (out->size > start && out->bytes[--out->size] != '/')
                ;
        }
        if (!is_up && !text_is(part, "."))
            buf_add(out, path.bytes, slash + part.size);
        else if (rest.size == 0)
            buf_add_byte(out, '/');
        path = rest;
    }
}

/* Section 5.2.3: the base's path up to its last slash, then the reference's. */
static void add_merged(const struct uri *base, struct text path, struct buf *out)
{
    scoped(buf_free) struct buf merged = BUF(2 * URI_BYTES);
    struct text folder = base->path;
    while (folder.size > 0 && folder.bytes[folder.size - 1] != '/')
        folder.size--;
    buf_add(&merged, folder.bytes, folder.size);
    if (base->authority.size > 0 && merged.size == 0)
        buf_add_byte(&merged, '/');
    buf_add(&merged, path.bytes, path.size);
    add_path(buf_text(&merged), out->size, out);
}

void uri_resolve(struct text base_text, struct text reference, struct buf *out)
{
    struct uri base = split_uri(base_text);
    struct uri uri = split_uri(reference);
    if (uri.scheme.size > 0) {
        buf_add(out, reference.bytes, reference.size);
        return;
    }
    buf_add(out, base.scheme.bytes, base.scheme.size);
    struct text authority = uri.authority.size > 0 ? uri.authority : base.authority;
    buf_add(out, authority.bytes, authority.size);
    if (uri.authority.size > 0 || text_begins(uri.path, "/"))
        add_path(uri.path, out->size, out);
    else if (uri.path.size > 0)
        add_merged(&base, uri.path, out);
    else
        buf_add(out, base.path.bytes, base.path.size);
    bool is_same = uri.authority.size + uri.path.size + uri.query.size == 0;
    struct text query = is_same ? base.query : uri.query;
    buf_add(out, query.bytes, query.size);
}

bool uri_cut_part(struct text *pointer, struct buf *out)
{
    buf_clear(out);
    if (!text_begins(*pointer, "/"))
        return false;
    *pointer = text_skip(*pointer, 1);
    struct text part = cut_before(pointer, "/");
    for (size_t i = 0; i < part.size; i++) {
        bool is_escape = part.bytes[i] == '~' && i + 1 < part.size &&
                         (part.bytes[i + 1] == '0' || part.bytes[i + 1] == '1');
        if (is_escape)
            buf_add_byte(out, part.bytes[++i] == '0' ? '~' : '/');
        else
            buf_add_byte(out, part.bytes[i]);
    }
    return true;
}
