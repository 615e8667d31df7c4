/* svc-email/mailbox/diagnosis.c - the table of diagnoses. */
#include "mailbox/diagnosis.h"

const struct diagnosis_row mailbox_diagnoses[] = {
#define DIAGNOSIS(code, category, meaning) \
    [DIAGNOSIS_##code] = { #code, MAILBOX_##category, meaning },
#include "mailbox/diagnoses.def"
#undef DIAGNOSIS
};

const char *const mailbox_category_names[] = {
    [MAILBOX_VALID] = "valid",           [MAILBOX_RFC5321] = "rfc5321", [MAILBOX_CFWS] = "cfws",
    [MAILBOX_DEPRECATED] = "deprecated", [MAILBOX_RFC5322] = "rfc5322", [MAILBOX_ERROR] = "error",
};
