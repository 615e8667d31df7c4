/* common/net/email.c - e-mail addresses and the keys of their mailboxes. */
#include "net/email.h"

#include <string.h>

#include "base/ascii.h"
#include "base/scoped.h"
#include "net/host.h"

/* RFC 5322 section 3.2.3, atext. */
static const char ATEXT[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "!#$%&'*+-/=?^_`{|}~";

/* support.google.com/mail/answer/7436150, read 2026-11-22: dots do not matter, both names are one.
 */
static const char *const google[] = { "gmail.com", "googlemail.com" };

/* Atoms with single dots between them. */
static bool is_local_part(struct text local)
{
    bool is_in_atom = false;
    if (local.size > EMAIL_LOCAL_MAX_BYTES)
        return false;
    for (size_t i = 0; i < local.size; i++) {
        bool is_dot = local.bytes[i] == '.';
        if (is_dot ? !is_in_atom : local.bytes[i] == '\0' || !strchr(ATEXT, local.bytes[i]))
            return false;
        is_in_atom = !is_dot;
    }
    return is_in_atom;
}

static bool is_google(const char *domain)
{
    for (size_t i = 0; i < countof(google); i++)
        if (strcmp(domain, google[i]) == 0)
            return true;
    return false;
}

/* "@domain" behind the first bytes; the caller has seen that it fits. */
static void add_domain(char address[static EMAIL_BYTES], size_t size, const char *domain)
{
    address[size] = '@';
    memcpy(address + size + 1, domain, strlen(domain) + 1);
}

/* A local part that is a tag alone is its own mailbox. */
static void make_key(struct text local, const char *domain, char key[static EMAIL_BYTES])
{
    bool has_free_dots = is_google(domain);
    size_t size = 0;
    for (size_t i = 0; i < local.size && !(local.bytes[i] == '+' && i > 0); i++)
        if (!has_free_dots || local.bytes[i] != '.')
            key[size++] = ascii_lower(local.bytes[i]);
    add_domain(key, size, has_free_dots ? google[0] : domain);
}

bool email_parse(struct text text, struct email *email, struct err *err)
{
    char domain[HOST_BYTES];
    text = text_trim(text);
    const char *at = text.size > 0 ? memrchr(text.bytes, '@', text.size) : NULL;
    struct text local = { text.bytes, at ? (size_t)(at - text.bytes) : 0 };

    if (!at || !is_local_part(local) ||
        !domain_parse((struct text){ at + 1, text.size - local.size - 1 }, DOMAIN_PLAIN, domain,
                      NULL) ||
        local.size + 1 + strlen(domain) > EMAIL_MAX_BYTES)
        return err_set(err, ERR_INVALID_EMAIL, "Enter an e-mail address like name@example.com.");
    memcpy(email->address, local.bytes, local.size);
    add_domain(email->address, local.size, domain);
    make_key(local, domain, email->key);
    return true;
}
