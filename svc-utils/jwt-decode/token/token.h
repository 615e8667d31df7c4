/*
 * svc-utils/jwt-decode/token/token.h - the parts of a JOSE token: JWS (RFC 7515), unsecured JWS,
 * JWS with a detached or unencoded payload (RFC 7797), JWE (RFC 7516); compact or as JSON.
 *
 * Reading a token checks its form, never its signature.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum token_type { TOKEN_JWS, TOKEN_UNSECURED, TOKEN_JWE };

enum {
    TOKEN_DEPTH =
        56, /* of header and payload: the result, which contains them, has a depth of 64 */
};

/* The parts of a token. They are secret like the token, so token_free() wipes them. */
struct token {
    enum token_type type;
    struct buf source;       /* the token without blanks */
    struct text segment[3];  /* header, payload, signature as in the token; borrowed */
    struct buf header_bytes; /* decoded */
    struct buf
        payload_bytes;    /* decoded, or as sent separately; empty if it is missing or encrypted */
    struct buf signature; /* decoded */
    struct buf disclosures;  /* of an SD-JWT: what follows the first ~ */
    cJSON *header;           /* an object */
    cJSON *payload;          /* NULL if it is not a JSON object */
    cJSON *document;         /* of the JSON forms; NULL for compact ones */
    int64_t signature_count; /* of the JSON forms: signatures or recipients */
    size_t part_bytes[4];    /* of a JWE: encrypted key, iv, ciphertext, tag */
    bool is_sd_jwt;          /* there is a ~ after the signature */
    bool is_detached;        /* the payload is not in the token, or empty */
    bool is_given;           /* token_set_payload() has set the detached payload */
    bool is_unencoded;       /* the payload is not Base64: b64 is false */
    bool is_utf8;            /* the payload */
    bool had_whitespace;     /* within the token */
    bool is_non_canonical;   /* a part is not canonical base64url */
    bool header_has_repeats;
    bool payload_has_repeats;
};

/*
 * Parse text into *token (zero before), which the caller releases in any case. Errors:
 * ERR_INVALID_TOKEN with the invalid part.
 */
bool token_read(struct text text, struct token *token, struct err *err) must_check;

/*
 * Set the payload of a token with a detached payload. Errors: ERR_CONFLICTING_FIELDS if the token
 * has a payload or is encrypted.
 */
bool token_set_payload(struct token *token, struct text payload, struct err *err) must_check;

/* Is there a payload to check, in the token or sent separately? */
bool token_has_payload(const struct token *token);

/*
 * Read header and signature number `number`, from 0, of a token in JSON into *other (zero before).
 * The caller releases *other in any case, and before the token, from which it borrows. The payload
 * is not read. False: unknown signature.
 */
bool token_read_signature(const struct token *token, int64_t number,
                          struct token *other) must_check;

/*
 * Append the signing input (RFC 7515 section 5.1, RFC 7797 section 3). `payload` is the token with
 * the payload; *token is the same, or one of its other signatures.
 */
void token_signing_input(const struct token *token, const struct token *payload, struct buf *out);

/* Release and wipe what token holds. */
void token_free(struct token *token);

/*
 * Append the decoded bytes of a base64url text. Padding, + and /, and stray bits are accepted and
 * make *is_canonical false. False, with nothing appended, for any other text.
 */
bool token_decode(struct text text, struct buf *out, bool *is_canonical) must_check;

/* Does the text look like a compact token: 3 or 5 parts, the first a JSON object with alg? */
bool token_is_likely(struct text text);
