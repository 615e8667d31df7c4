/*
 * gateway/mcp/result.h - a tool's response as content for agents.
 *
 * A result is sent twice: as structuredContent, byte for byte, for programs; and as a text with the
 * same JSON, for models and people. The text has \u escapes for characters that hide or reorder
 * text. Images are separate blocks. SVG is sent as text: with some models an SVG block breaks the
 * conversation.
 */
#pragma once

#include "base/buf.h"
#include "gateway/mcp/result-cut.h"
#include "svc/contract.h"

/* A response as REST would send it. */
struct result_answer {
    const struct contract *contract; /* NULL: account-credits */
    const char *headers;             /* the tool's header lines */
    struct text body;
    size_t max_bytes;       /* of the JSON result or text; 0: any. See gateway/mcp/result-cut.h */
    struct text told;       /* how the arguments were read, for the model; empty: as sent */
    struct text ignored;    /* which arguments were ignored, for the model; empty: none */
    struct result_cut *cut; /* filled with what is missing; NULL if max_bytes is 0 */
};

/* The most bytes that result_write() appends. */
size_t result_max_bytes(const struct result_answer *answer);

/* Append `"content":[…]` and, for JSON, `,"structuredContent":{…}`. */
void result_write(const struct result_answer *answer, struct buf *out);

/* Append the header lines of a raw response, except Content-Type, as a JSON object. False: there
 * are no such lines, and nothing is appended. */
bool result_write_headers(const struct result_answer *answer, struct buf *out);

/* Append a JSON string with its quotes. Characters that hide or reorder text are escaped as they
 * are in the JSON inside. */
void result_write_json_text(struct text json, struct buf *out);
