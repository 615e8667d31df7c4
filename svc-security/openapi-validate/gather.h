/*
 * svc-security/openapi-validate/gather.h - fetch the documents that a document references, from its
 * origin.
 */
#pragma once

#include "net/http/fetch-all.h"
#include "openapi-validate/document/library.h"
#include "svc/job.h"

enum {
    TREE_BYTES_PER_BYTE = 60, /* bytes of nodes per byte of text, at most: 1,1,1,… */
};

/* Fetched documents. Must outlive the library's texts. */
struct gathering {
    struct fetch_item item[LIBRARY_MAX]; /* by document number; 0 is unused */
};
void gathering_free(struct gathering **gathering);

extern const char *const document_headers[]; /* request headers for a document */

/*
 * Fetch all documents that the library's first document references, directly and indirectly. Sends
 * nothing to other origins and follows no redirects. A failed fetch is not an error: the library
 * has the reason. The caller frees the gathering after the library.
 * Errors: ERR_OVERLOADED if the memory budget is used up.
 */
bool gather_documents(const struct job *job, struct egress_session *session,
                      struct library *library, struct gathering **gathering,
                      struct err *err) must_check;

/* Reserve memory for the trees of this many bytes of text. Jobs with large texts run one after
 * another. Errors: ERR_OVERLOADED. */
bool reserve_trees(const struct job *job, size_t text_bytes, struct reservation *reservation,
                   struct err *err) must_check;
