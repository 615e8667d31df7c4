/*
 * svc-security/openapi-validate/tests/reading.h - a parsed document with its memory.
 */
#pragma once

#include "openapi-validate/check/references.h"
#include "openapi-validate/validate.h"

struct reading {
    struct document document;
    struct findings *findings;
    struct check check;
};

static inline void reading_free(struct reading *reading)
{
    check_free(&reading->check);
    findings_free(&reading->findings);
    document_free(&reading->document);
}

/* Parse a text. Returns false if it is not a document. The caller frees the reading in any case,
 * and must not move it. */
static inline bool reading_of(struct reading *reading, struct text text)
{
    *reading = (struct reading){ .findings = findings_new() };
    reading->check =
        (struct check){ .document = &reading->document, .findings = reading->findings };
    return document_read(&reading->document, text, reading->findings);
}
