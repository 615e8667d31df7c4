/*
 * svc-email/mailbox/mailbox.h - parse an email address as people write it: its parts, and what is
 * unusual or wrong at which position. Makes no lookups. Runs in linear time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "mailbox/diagnosis.h"

enum {
    MAILBOX_MAX_CHARACTERS = 1000,
    MAILBOX_LOCAL_OCTETS = 64, /* RFC 5321 section 4.5.3.1.1 */
    MAILBOX_OCTETS = 254,      /* of the whole address: RFC 3696, erratum 1690 */
};

/* By value; release with mailbox_free(). */
struct mailbox {
    enum mailbox_category category;   /* category of the diagnosis */
    enum mailbox_diagnosis diagnosis; /* the worst problem, the first of several */
    size_t position;   /* its position in characters of the text; undefined if valid */
    bool is_valid;     /* whether the syntax allows mail to it */
    bool is_quoted;    /* the local part needs quotes */
    bool is_smtputf8;  /* the local part is not ASCII: RFC 6531 */
    bool is_literal;   /* the domain is an IP address in brackets */
    bool has_wrapping; /* it had a display name, angle brackets or mailto: */
    struct buf display_name;
    struct buf local;      /* the local part in NFC, without quotes and comments */
    struct buf domain;     /* A-labels in lower case, or the literal. For an invalid address: the
                            * text after the last @, in lower case */
    struct buf normalized; /* local part, quoted only if needed, @ and domain; empty for an invalid
                            * address */
};

/* Parse any bytes of any length, without white space around them. Never fails: an invalid address
 * gets a diagnosis. The caller releases the mailbox. */
void mailbox_parse(struct text text, struct mailbox *mailbox);
void mailbox_free(struct mailbox *mailbox);
