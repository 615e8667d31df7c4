/*
 * svc-utils/jwt-decode/token.h - the parts of a JOSE token: JWS (RFC 7515), unsecured JWS, JWS with
 * a detached or unencoded payload (RFC 7797), JWE (RFC 7516); compact or as JSON.
 *
 * Reading a token checks its form only and never its signature.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum token_type { TOKEN_JWS, TOKEN_UNSECURED, TOKEN_JWE };

enum {
    TOKEN_DEPTH = 56, /* of header and payload: they stand within an answer of depth 64 */
};

/* The parts that people may look at; they are all in the token, so they are wiped with it. */
struct token {
    enum token_type type;
    struct buf source;        /* the token without blanks and "Bearer" */
    struct text segment[3];   /* header, payload, signature as they stand; borrowed */
    struct buf header_bytes;  /* decoded */
    struct buf payload_bytes; /* decoded, or given apart; empty when it is absent or encrypted */
    struct buf signature;     /* decoded */
    cJSON *header;            /* an object */
    cJSON *payload;           /* NULL when it is no JSON object */
    cJSON *document;          /* of the JSON forms; NULL for compact ones */
    int64_t signature_count;  /* of the JSON forms: signatures or recipients */
    size_t part_bytes[4];     /* of a JWE: encrypted key, iv, ciphertext, tag */
    bool is_detached;         /* the payload is elsewhere, or empty */
    bool is_given;            /* a detached one was given by token_set_payload() */
    bool is_unencoded;        /* the payload stands as it is: b64 is false */
    bool is_utf8;             /* the payload */
    bool had_whitespace;      /* within the token */
    bool is_non_canonical;    /* some part is not written as base64url asks */
    bool header_has_repeats;
    bool payload_has_repeats;
};

/* Read text into *token (zero before), which the caller releases in any case. Errors:
 * ERR_INVALID_TOKEN with the part that is wrong. */
bool token_read(struct text text, struct token *token, struct err *err) must_check;

/* Take this as the payload of a detached token. Errors: ERR_CONFLICTING_FIELDS when the token has
 * one, or is encrypted. */
bool token_set_payload(struct token *token, struct text payload, struct err *err) must_check;

/* Is there a payload to judge: one of its own or one that was given? */
bool token_has_payload(const struct token *token);

/*
 * Read the header and the signature of another signature of a token in JSON, number 0 being the
 * first, into *other (zero before), which the caller releases in any case and before the token: it
 * borrows. Its payload is not read. False when it is none.
 */
bool token_read_signature(const struct token *token, int64_t number,
                          struct token *other) must_check;

/* Append what the signature is of (RFC 7515 section 5.1, RFC 7797 section 3). payload is that of
 * the token which *token, maybe another signature of it, belongs to. */
void token_signing_input(const struct token *token, const struct token *payload, struct buf *out);

/* Releases what token holds, and wipes it. */
void token_free(struct token *token);

/* Append what a base64url text stands for; padding, + and /, and stray bits are accepted and make
 * *is_canonical false. False, with nothing appended, for anything else. */
bool token_decode(struct text text, struct buf *out, bool *is_canonical) must_check;

/* Is it a compact token by its looks: 3 or 5 parts, the first a JSON object with alg? */
bool token_is_likely(struct text text);
