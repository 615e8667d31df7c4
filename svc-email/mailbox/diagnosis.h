/*
 * svc-email/mailbox/diagnosis.h - what is unusual or wrong with a written address: the rows of
 * diagnoses.def.
 */
#ifndef SVC_EMAIL_DIAGNOSIS_H
#define SVC_EMAIL_DIAGNOSIS_H

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

enum mailbox_category mailbox_diagnosis_category(enum mailbox_diagnosis diagnosis);

/* "rfc5321", "unclosed_comment", and that in words. */
const char *mailbox_category_name(enum mailbox_category category);
const char *mailbox_diagnosis_name(enum mailbox_diagnosis diagnosis);
const char *mailbox_diagnosis_meaning(enum mailbox_diagnosis diagnosis);

#endif
