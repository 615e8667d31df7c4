/* tests/fuzz/common/email.c - email addresses: the destination of an email, and the key of its
 * mailbox. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "net/email.h"

static void check_form(const char *address)
{
    const char *at = strrchr(address, '@');
    assert(at && at > address && strlen(address) <= EMAIL_MAX_BYTES);
    for (const char *c = address; *c; c++)
        assert(*c > ' ' &&
               *c <= '~'); /* nothing that breaks a line or field of an email's header */
}

/* Reading an address again gives the same address and key, and the key of a key is the key
 * itself. */
static void check_again(const char *address, const char *key)
{
    struct email again;
    bool ok = email_parse(text_of(address), &again, NULL);
    assert(ok || address == key); /* a.+tag@ has the key a.@, which is not an address */
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
