/*
 * svc-email/mailbox/diagnosis.h - problems of an address: the rows of diagnoses.def.
 */
#pragma once

/* From the best to the worst. */
enum mailbox_category {
    MAILBOX_VALID,
    MAILBOX_RFC5321,    /* unusual, but mail servers must accept it */
    MAILBOX_CFWS,       /* only valid in a message's header */
    MAILBOX_DEPRECATED, /* obsolete syntax: RFC 5322 section 4 */
    MAILBOX_RFC5322,    /* valid in a header, but mail servers may reject it */
    MAILBOX_ERROR,      /* invalid */
};

enum mailbox_diagnosis {
#define DIAGNOSIS(code, category, meaning) DIAGNOSIS_##code,
#include "mailbox/diagnoses.def"
#undef DIAGNOSIS
};

/* "unclosed_comment", and its text. */
struct diagnosis_row {
    const char *name;
    enum mailbox_category category;
    const char *meaning;
};

extern const struct diagnosis_row mailbox_diagnoses[];
extern const char *const mailbox_category_names[]; /* "rfc5321" */
