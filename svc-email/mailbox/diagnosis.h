/*
 * svc-email/mailbox/diagnosis.h - what is unusual or wrong with a written address: the rows of
 * diagnoses.def.
 */
#pragma once

/* From the best to the worst. */
enum mailbox_category {
    MAILBOX_VALID,
    MAILBOX_RFC5321,    /* mail servers must take it, though it is unusual */
    MAILBOX_CFWS,       /* only a message's header may have it so */
    MAILBOX_DEPRECATED, /* as they once were written: RFC 5322 section 4 */
    MAILBOX_RFC5322,    /* fits a header, but no mail server need take it */
    MAILBOX_ERROR,      /* no address at all */
};

enum mailbox_diagnosis {
#define DIAGNOSIS(code, category, meaning) DIAGNOSIS_##code,
#include "mailbox/diagnoses.def"
#undef DIAGNOSIS
};

/* "unclosed_comment", and that in words. */
struct diagnosis_row {
    const char *name;
    enum mailbox_category category;
    const char *meaning;
};

extern const struct diagnosis_row mailbox_diagnoses[];
extern const char *const mailbox_category_names[]; /* "rfc5321" */
