/* svc-email/mailbox/diagnosis.c - the table of diagnoses. */
#include "mailbox/diagnosis.h"

static const struct {
    const char *name;
    enum mailbox_category category;
    const char *meaning;
} diagnoses[] = {
#define DIAGNOSIS(code, category, meaning) \
    [DIAGNOSIS_##code] = { #code, MAILBOX_##category, meaning },
#include "mailbox/diagnoses.def"
#undef DIAGNOSIS
};

const char *mailbox_diagnosis_name(enum mailbox_diagnosis diagnosis)
{
    return diagnoses[diagnosis].name;
}

const char *mailbox_diagnosis_meaning(enum mailbox_diagnosis diagnosis)
{
    return diagnoses[diagnosis].meaning;
}

const char *mailbox_category_name(enum mailbox_category category)
{
    static const char *const names[] = {
        [MAILBOX_VALID] = "valid",     [MAILBOX_RFC5321] = "rfc5321",
        [MAILBOX_CFWS] = "cfws",       [MAILBOX_DEPRECATED] = "deprecated",
        [MAILBOX_RFC5322] = "rfc5322", [MAILBOX_ERROR] = "error",
    };
    return names[category];
}

enum mailbox_category mailbox_diagnosis_category(enum mailbox_diagnosis diagnosis)
{
    return diagnoses[diagnosis].category;
}
