/* portal/public/security-txt.c - see security-txt.h. */
#include "portal/public/security-txt.h"

#include <string.h>

#include "base/ascii.h"
#include "base/os/clock.h"
#include "portal/base/times.h"
#include "portal/page/answer.h"
#include "text/time/datetime.h"

/* RFC 9116 section 2.5.5 recommends less than a year, because clients may keep the file. */
enum { VALID_DAYS = 90 };

static bool is_page(const char *contact)
{
    if (!text_begins(text_of(contact), "https://"))
        return false;
    for (const char *at = contact; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return true;
}

static bool is_email(const char *contact)
{
    const char *at = strchr(contact, '@');
    return at && at > contact && at[1] != '\0';
}

/* The address of a mailto URI (RFC 6068 section 2): what is not plain is percent-encoded, so no
 * value adds a line or a header field. */
static void add_mailto(struct buf *out, const char *email)
{
    buf_add_str(out, "mailto:");
    for (const char *at = email; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (ascii_is_alnum(byte) || ascii_is_one_of(*at, "-._~@+"))
            buf_add_byte(out, *at);
        else
            buf_format(out, "%%%02X", byte);
    }
}

bool security_txt_write(const char *contact, const char *public_url, int64_t now_ms,
                        struct buf *out)
{
    char day[DAY_BYTES];
    if (!is_page(contact) && !is_email(contact))
        return false;
    day_write(now_ms / 1000 / DAY_SECONDS + VALID_DAYS, day);
    buf_add_str(out, "Contact: ");
    if (is_page(contact))
        buf_add_str(out, contact);
    else
        add_mailto(out, contact);
    buf_format(out,
               "\nExpires: %sT00:00:00Z\nPreferred-Languages: en\n"
               "Canonical: %s/.well-known/security.txt\nPolicy: %s/docs/security\n",
               day, public_url, public_url);
    return true;
}

void security_txt_show(struct visit *visit)
{
    const struct portal *portal = visit->portal;
    if (security_txt_write(portal->contact, portal->public_url, clock_wall_ms(),
                           &visit->response->body))
        answer_plain(visit, 200, "text/plain; charset=utf-8");
    else
        page_not_found(visit);
}
