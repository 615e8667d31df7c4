/*
 * common/net/email.h - an e-mail address that a person gives as his own, and the mailbox behind it.
 */
#ifndef NET_EMAIL_H
#define NET_EMAIL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* RFC 5321 section 4.5.3.1: a path of 256 octets has angle brackets; a local part of 64. */
enum { EMAIL_MAX_BYTES = 254, EMAIL_LOCAL_MAX_BYTES = 64, EMAIL_BYTES = EMAIL_MAX_BYTES + 1 };

struct email {
    char
        address[EMAIL_BYTES]; /* as mail is sent: the local part as given, the domain as A-labels */
    /*
     * The same for all spellings of one mailbox, as far as one can know: lower case, without what
     * follows a +, at Google also without dots (gmail.com and googlemail.com are one). For telling
     * members apart; mail goes to the address.
     */
    char key[EMAIL_BYTES];
};

/*
 * Read an address: an ASCII local part without quotes (RFC 5322's dot-atom), and a domain
 * (domain_parse() of net/host.h). White space around it is dropped. Errors: ERR_INVALID_EMAIL.
 */
bool email_parse(struct text text, struct email *email, struct err *err) must_check;

#endif
