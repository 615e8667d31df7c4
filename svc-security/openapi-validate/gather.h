/*
 * svc-security/openapi-validate/gather.h - get what a document refers to from the site that it lies
 * on.
 */
#pragma once

#include "net/http/fetch-all.h"
#include "openapi-validate/document/library.h"
#include "svc/job.h"

enum {
    TREE_CLAIM = 60, /* bytes of nodes a byte of text may become: 1,1,1,… */
};

/* What came, as long as the library's texts are used. */
struct gathering {
    struct fetch_item item[LIBRARY_MAX]; /* by the documents' numbers; that of 0 is unused */
};
void gathering_free(struct gathering **gathering);

extern const char *const document_headers[]; /* of a request for a document */

/*
 * Fetch what documents refer to, and what those refer to, into the library, which has the text of
 * its first one. Nothing is sent to another origin, and no redirect is followed. What does not come
 * is no error: the library says why. The caller frees the gathering, after the library.
 * Errors: ERR_OVERLOADED when there is no room to read a document.
 */
bool gather(const struct job *job, struct egress_session *session, struct library *library,
            struct gathering **gathering, struct err *err) must_check;

/* Room for the trees of so many bytes of text; the larger ones are read by one job after the
 * other. Errors: ERR_OVERLOADED. */
bool claim_trees(const struct job *job, size_t text_bytes, struct reservation *reservation,
                 struct err *err) must_check;
