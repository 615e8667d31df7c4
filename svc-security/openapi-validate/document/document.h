/*
 * svc-security/openapi-validate/document/document.h - parse a document.
 */
#pragma once

#include "findings.h"
#include "node.h"

/*
 * Parse text that begins with { or [ as JSON, or as YAML if that fails; other text as YAML.
 *
 * - Returns false if neither works: findings has one error with the place, and document->is_yaml is
 *   the format of that attempt.
 * - Valid but wrong text (a duplicate key, a second document) becomes a finding.
 * - The text is not needed afterwards.
 * - The caller passes an empty document, except for nodes_before, and frees it in any case.
 */
bool document_read(struct document *document, struct text input,
                   struct findings *findings) must_check;
void document_free(struct document *document);
