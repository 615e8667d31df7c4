/* common/net/email.h - an email address, and the mailbox behind it. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* RFC 5321 section 4.5.3.1: a path has 256 octets with angle brackets, a local part 64. */
enum { EMAIL_MAX_BYTES = 254, EMAIL_LOCAL_MAX_BYTES = 64, EMAIL_BYTES = EMAIL_MAX_BYTES + 1 };

struct email {
    char address[EMAIL_BYTES]; /* as used for sending: the local part as given, the domain as
                                  A-labels */
    /*
     * Equal for all spellings of one mailbox: lowercase, without the tag after a +, and by the
     * documented rules of large providers (table in email.c). "J.Doe+shop@googlemail.com" has the
     * key "jdoe@gmail.com". A key is never longer than its address. Compare members by the key;
     * send email to the address.
     */
    char key[EMAIL_BYTES];
};

/*
 * Parse an address: an ASCII local part without quotes (RFC 5322's dot-atom), and a domain
 * (domain_parse() in net/host.h). Outer white space is dropped. Errors: ERR_INVALID_EMAIL.
 */
bool email_parse(struct text text, struct email *email, struct err *err) must_check;
