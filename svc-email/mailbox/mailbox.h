/*
 * svc-email/mailbox/mailbox.h - one email address as somebody wrote it: its parts, and what is
 * unusual or wrong with it, at which place. Nothing is looked up. Time is linear in the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "mailbox/diagnosis.h"

enum {
    MAILBOX_MAX_CHARACTERS = 1000,
    MAILBOX_LOCAL_OCTETS = 64, /* RFC 5321 section 4.5.3.1.1 */
    MAILBOX_OCTETS = 254,      /* of the whole: RFC 3696, erratum 1690 */
};

/* By value; release with mailbox_free(). */
struct mailbox {
    enum mailbox_category category;   /* that of the diagnosis */
    enum mailbox_diagnosis diagnosis; /* the worst thing, and of those the first */
    size_t position;   /* of it, in characters of the text; of no meaning when it is valid */
    bool is_valid;     /* may mail be sent there, as far as the writing tells? */
    bool is_quoted;    /* the local part needs quotes */
    bool is_smtputf8;  /* the local part is not ASCII: RFC 6531 */
    bool is_literal;   /* the domain is an IP address in brackets */
    bool has_wrapping; /* a display name, angle brackets or mailto: stood around it */
    struct buf display_name;
    struct buf local;      /* what the local part says, in NFC, without quotes and comments */
    struct buf domain;     /* A-labels in lower case, or the literal. When the address is not valid:
                            * what follows the last @, in lower case */
    struct buf normalized; /* local part, quoted only if it must be, @ and domain; empty when the
                            * address is not valid */
};

/* Read the text, of any bytes and length; white space around it is dropped. Never fails: what is no
 * address is diagnosed. The caller releases the address. */
void mailbox_parse(struct text text, struct mailbox *mailbox);
void mailbox_free(struct mailbox *mailbox);
