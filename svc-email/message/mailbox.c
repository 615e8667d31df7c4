/* svc-email/message/mailbox.c - split a mailbox list, then parse each mailbox. */
#include "message/mailbox.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "text/idn.h"

enum {
    DOMAIN_MAX_BYTES = 253,
    PHRASE_MAX_BYTES = 4000, /* limit of the name that is read */
};

/* ---- split ---- */

/* Bytes of the quoted string, comment or bracket at the beginning. Unclosed, it takes the rest of
 * the text. */
static size_t enclosed_bytes(struct text text)
{
    char open = text.bytes[0];
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.bytes[i];
        if (byte == '\\' && open != '<') {
            i++;
        } else if (open == '"') {
            if (byte == '"' && i > 0)
                return i + 1;
        } else if (open == '(') {
            depth += byte == '(';
            depth -= byte == ')';
            if (depth == 0)
                return i + 1;
        } else if (byte == '>') {
            return i + 1;
        }
    }
    return text.size;
}

/* Take the next entry of a list, up to a comma or semicolon outside quotes, comments and
 * brackets. */
static bool take_entry(struct text *rest, struct text *entry)
{
    size_t at = 0;
    if (rest->size == 0)
        return false;
    while (at < rest->size && rest->bytes[at] != ',' && rest->bytes[at] != ';')
        at += strchr("\"(<", rest->bytes[at]) ? enclosed_bytes(text_skip(*rest, at)) : 1;
    at = MIN(at, rest->size);
    *entry = (struct text){ rest->bytes, at };
    *rest = text_skip(*rest, MIN(at + 1, rest->size));
    return true;
}

/* The first mailbox of a group "friends: joe@example.com". A colon in an address literal does not
 * begin one. */
static struct text without_group(struct text entry)
{
    for (size_t i = 0; i < entry.size; i++) {
        if (strchr("\"(<[@", entry.bytes[i]))
            return entry;
        if (entry.bytes[i] == ':')
            return text_trim(text_skip(entry, i + 1));
    }
    return entry;
}

/* ---- one mailbox ---- */

struct parts {
    struct buf phrase;   /* the text outside brackets, without quotes */
    struct text address; /* the text inside brackets */
    bool has_brackets;
    struct text comment;
};

static void add_quoted_string(struct text quoted, struct buf *phrase)
{
    for (size_t i = 1; i < quoted.size && quoted.bytes[i] != '"'; i++) {
        if (quoted.bytes[i] == '\\' && i + 1 < quoted.size)
            i++;
        buf_add_byte(phrase, quoted.bytes[i]);
    }
}

static struct text text_inside(struct text enclosed, char close)
{
    struct text text = text_skip(enclosed, 1);
    if (text.size > 0 && text.bytes[text.size - 1] == close)
        text.size--;
    return text_trim(text);
}

static void read_parts(struct text entry, struct parts *parts)
{
    while (entry.size > 0) {
        size_t bytes = strchr("\"(<", entry.bytes[0]) ? enclosed_bytes(entry) : 1;
        struct text piece = { entry.bytes, MIN(bytes, entry.size) };
        char first = piece.bytes[0];
        if (first == '"' && piece.size > 1)
            add_quoted_string(piece, &parts->phrase);
        else if (first == '(' && parts->comment.size == 0)
            parts->comment = text_inside(piece, ')');
        else if (first == '<') {
            parts->address = text_inside(piece, '>');
            parts->has_brackets = true;
        } else if (first != '(')
            buf_add_byte(&parts->phrase, first);
        entry = text_skip(entry, piece.size);
    }
}

/* Remove a route, obsolete since 1989: "@a,@b:joe@example.com". */
static struct text without_route(struct text address)
{
    const char *colon = address.size > 0 && address.bytes[0] == '@'
                            ? memchr(address.bytes, ':', address.size)
                            : NULL;
    return colon ? text_trim(text_skip(address, (size_t)(colon + 1 - address.bytes))) : address;
}

/* Without brackets the address is the last word with an @, and the other words are the name. */
static struct text bare_address(struct text phrase, struct text *name)
{
    size_t end = phrase.size;
    while (end > 0) {
        size_t start = end;
        while (start > 0 && !ascii_is_space(phrase.bytes[start - 1]))
            start--;
        struct text word = { phrase.bytes + start, end - start };
        if (word.size > 0 && memchr(word.bytes, '@', word.size)) {
            *name = text_trim((struct text){ phrase.bytes, start });
            return text_is_made_of((struct text){ word.bytes, 1 }, "<") ? text_inside(word, '>')
                                                                        : word;
        }
        end = start > 0 ? start - 1 : 0;
    }
    *name = phrase;
    return (struct text){ "", 0 };
}

static bool is_host_byte(char byte)
{
    return ascii_is_alnum(byte) || (byte & 0x80) || strchr("-._", byte);
}

static bool is_host(struct text host)
{
    if (host.size == 0 || host.bytes[0] == '.')
        return false;
    if (host.bytes[0] == '[')
        return host.bytes[host.size - 1] == ']';
    for (size_t i = 0; i < host.size; i++)
        if (!is_host_byte(host.bytes[i]) ||
            (i > 0 && host.bytes[i] == '.' && host.bytes[i - 1] == '.'))
            return false;
    return true;
}

static bool is_address(struct text address)
{
    size_t local = address.size;
    while (local > 0 && address.bytes[local - 1] != '@')
        local--;
    if (local < 2)
        return false;
    local--; /* bytes before the @ */
    for (size_t i = 0; i < local && address.bytes[0] != '"'; i++)
        if (strchr(" \t<>(),;", address.bytes[i]))
            return false;
    return is_host(text_skip(address, local + 1));
}

const char *address_domain(struct text address, struct arena *arena)
{
    scoped(buf_free) struct buf ascii = BUF(4 * DOMAIN_MAX_BYTES);
    address = text_strip(text_trim(address), "<>", "<>.");
    const char *at = address.size > 0 ? memrchr(address.bytes, '@', address.size) : NULL;
    if (at)
        address = text_skip(address, (size_t)(at + 1 - address.bytes));
    if (!at || address.size > DOMAIN_MAX_BYTES || !is_host(address))
        return NULL;
    if (!idn_to_ascii(address, &ascii)) {
        buf_clear(&ascii);
        buf_add_lower(&ascii, address);
    }
    return arena_copy(arena, buf_text(&ascii));
}

static const char *decode_phrase(struct text phrase, struct arena *arena,
                                 struct word_faults *faults)
{
    scoped(buf_free) struct buf out = BUF(DISPLAY_MAX_BYTES);
    phrase.size = MIN(phrase.size, (size_t)PHRASE_MAX_BYTES);
    words_decode(text_trim(phrase), &out, faults);
    struct text name = text_trim(buf_text(&out));
    return name.size > 0 ? arena_copy(arena, name) : NULL;
}

static void read_mailbox(struct text entry, struct arena *arena, struct mailbox *mailbox,
                         struct word_faults *faults)
{
    struct parts parts = { .phrase = BUF(entry.size + 1) };
    read_parts(entry, &parts);
    struct text name = text_trim(buf_text(&parts.phrase));
    struct text address = parts.has_brackets ? parts.address : bare_address(name, &name);
    if (name.size == 0 && address.size > 0)
        name = parts.comment;
    address = without_route(address);
    *mailbox = (struct mailbox){
        .name = decode_phrase(name, arena, faults),
        .address = address.size > 0 ? arena_copy(arena, address) : NULL,
        .domain = address_domain(address, arena),
        .is_valid = address.size > 0 && is_address(address),
    };
    buf_free(&parts.phrase);
}

size_t mailboxes_read(struct text value, struct arena *arena, struct mailbox *first,
                      struct word_faults *faults)
{
    struct text entry;
    size_t count = 0;
    *first = (struct mailbox){ 0 };
    while (take_entry(&value, &entry)) {
        entry = without_group(text_trim(entry));
        if (entry.size == 0)
            continue;
        if (count++ == 0)
            read_mailbox(entry, arena, first, faults);
    }
    return count;
}
