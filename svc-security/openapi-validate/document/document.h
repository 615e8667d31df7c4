/*
 * svc-security/openapi-validate/document/document.h - a document from its text.
 */
#pragma once

#include "findings.h"
#include "node.h"

/*
 * Read text that begins with { or [ as JSON and, when that fails, as YAML; other text as YAML.
 * False when it is neither: one error in findings has the place, and document->is_yaml says what it
 * was taken for. What is readable but wrong (a key that occurs twice, a second document) is a
 * finding. The text may go when this returns. The caller releases the document in either case, and
 * gives it empty but for nodes_before.
 */
bool document_read(struct document *document, struct text input,
                   struct findings *findings) must_check;
void document_free(struct document *document);
