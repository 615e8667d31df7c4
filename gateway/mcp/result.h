/*
 * gateway/mcp/result.h - what a tool answered, as content for agents.
 *
 * A result is there twice: as structuredContent, byte for byte, for programs, and as a text that
 * holds the same JSON, for models and for who looks on. There, characters that hide or turn text
 * stand as \u escapes. Pictures are blocks of their own; SVG is text, since a block of it ends
 * sessions with some models.
 */
#pragma once

#include "base/buf.h"
#include "svc/contract.h"

/* An answer as REST would send it. */
struct result_answer {
    const struct contract *contract; /* NULL: of account-credits */
    const char *headers;             /* its own header lines */
    struct text body;
};

/* So many bytes at most does result_write() append. */
size_t result_max_bytes(const struct result_answer *answer);

/* Append `"content":[…]` and, of JSON, `,"structuredContent":{…}`. */
void result_write(const struct result_answer *answer, struct buf *out);

/* Append the header lines of a raw answer as a JSON object, without Content-Type; false, and
 * nothing, when there is none. */
bool result_write_headers(const struct result_answer *answer, struct buf *out);

/* Append one string with its quotes, with escapes of its own for what hides or turns text, as they
 * stand in JSON that is its content. */
void result_write_json_text(struct text json, struct buf *out);
