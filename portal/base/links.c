/* portal/base/links.c - see links.h. */
#include "portal/base/links.h"

#include <string.h>

#include "base/table.h"

enum { MESSAGE_BYTES = 64 };

static const struct kind {
    const char *name;
    const char *path;
} kinds[] = {
    [LINK_SIGNUP] = { "signup", "/portal/verify/" },
    [LINK_RESET] = { "reset", "/portal/reset/" },
    [LINK_EMAIL] = { "email", "/portal/email/" },
    [LINK_UNDO] = { "undo", "/portal/email/" },
    [LINK_INVOICES] = { "invoices", "/portal/invoice-email/" },
};

const char *link_kind_name(enum link_kind kind)
{
    return kinds[kind].name;
}

bool link_kind_find(const char *name, enum link_kind *kind)
{
    const struct kind *found = TABLE_FIND(kinds, name);
    if (found)
        *kind = (enum link_kind)(found - kinds);
    return found != NULL;
}

const char *link_path(enum link_kind kind)
{
    return kinds[kind].path;
}

/* The message of the MAC. */
static void add_message(enum link_kind kind, const uint8_t id[static UUID_BYTES], struct buf *out)
{
    buf_add_str(out, kinds[kind].name);
    buf_add_byte(out, ' ');
    buf_add(out, id, UUID_BYTES);
}

void link_text(struct secrets *secrets, enum link_kind kind, const char *link_id,
               char text[static LINK_TEXT_BYTES])
{
    scoped(buf_free) struct buf message = BUF(MESSAGE_BYTES);
    uint8_t bytes[LINK_BYTES];
    struct uuid id = { 0 };
    bool is_id = uuid_parse(text_of(link_id), &id);
    (void)is_id; /* the column's type is uuid */
    add_message(kind, id.bytes, &message);
    memcpy(bytes, id.bytes, UUID_BYTES);
    secret_mac(secrets, SECRET_LINK, buf_text(&message), bytes + UUID_BYTES);
    url_text_write(bytes, sizeof(bytes), text, LINK_TEXT_BYTES);
}

bool link_read(struct secrets *secrets, enum link_kind kind, const char *text,
               char link_id[static UUID_TEXT_BYTES])
{
    scoped(buf_free) struct buf message = BUF(MESSAGE_BYTES);
    uint8_t bytes[LINK_BYTES];
    struct uuid id;
    if (!url_text_read(text_of(text), bytes, sizeof(bytes)))
        return false;
    add_message(kind, bytes, &message);
    if (!secret_mac_fits(secrets, SECRET_LINK, buf_text(&message), bytes + UUID_BYTES))
        return false;
    memcpy(id.bytes, bytes, UUID_BYTES);
    uuid_format(link_id, &id);
    return true;
}
