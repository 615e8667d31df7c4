/* tests/fuzz/common/email.c - e-mail addresses: what a mail is sent to, and whose mailbox it is. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "net/email.h"

static void check_form(const char *address)
{
    const char *at = strrchr(address, '@');
    assert(at && at > address && strlen(address) <= EMAIL_MAX_BYTES);
    for (const char *c = address; *c; c++)
        assert(*c > ' ' && *c <= '~'); /* nothing that ends a line or a field of a mail's head */
}

/* What was read means the same when it is read again, and so does the key: the mailbox of a mailbox
 * is itself. */
static void check_again(const char *address, const char *key)
{
    struct email again;
    bool ok = email_parse(text_of(address), &again, NULL);
    assert(ok || address == key); /* a.+tag@ has the key a.@, which is no address */
    assert(!ok || strcmp(again.key, key) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct email email;
    struct err err = { 0 };
    if (!email_parse((struct text){ (const char *)bytes, size }, &email, &err)) {
        assert(err.kind == ERR_INVALID_EMAIL);
        return 0;
    }
    check_form(email.address);
    check_form(email.key);
    assert(strlen(email.key) <= strlen(email.address));
    check_again(email.address, email.key);
    check_again(email.key, email.key);
    return 0;
}
