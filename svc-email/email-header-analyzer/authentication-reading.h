/*
 * svc-email/email-header-analyzer/authentication-reading.h - read each authentication field
 * separately. authentication.c decides which one is trusted. Strings belong to the arena.
 */
#pragma once

#include "email-header-analyzer/authentication.h"

enum { AUTH_VALUE_MAX_BYTES = 1000 /* of a string; longer ones are cut */ };

/* ---- authentication-results.c ---- */

/* Whether it is Authentication-Results, under any of its names. */
bool auth_is_results_field(struct text name);

/* Add the results of such a field's value, or of an ARC field with its instance; 0: not ARC. */
void auth_read_results(struct text value, size_t field, int arc_instance, struct arena *arena,
                       struct authentication *out);

/* Read Received-SPF as an spf result: "pass (example.com: domain of …) client-ip=…;
 * envelope-from=joe@example.com;". Returns false without a result. */
bool auth_read_received_spf(struct text value, struct arena *arena, struct auth_result *result);

const char *auth_keep(struct arena *arena, struct text text);
const char *auth_keep_lower(struct arena *arena, struct text text); /* for words, which are
                                                                     * shorter */

/* ---- authentication-signed.c ---- */

/* Read a DKIM-Signature. */
void auth_read_signature(struct text value, struct arena *arena, struct dkim_signature *out);

/* Read all ARC fields, including their results. */
void auth_read_arc(const struct fields *fields, struct arena *arena, struct authentication *out);

/* ---- authentication-border.c ---- */

/* Fields before `field` are of the receiver. It is the Received field by which the message came in,
 * or, if none of the receiver's says so, the first one of another server. */
struct auth_border {
    const char *receiver; /* a host of the receiver; NULL: unknown */
    size_t field;
    size_t entry_end; /* end of the fields below it, up to the next Received; field itself if the
                       * receiver did not write it */
};

struct auth_border auth_find_border(const struct auth_hops *hops, const struct fields *fields,
                                    const struct senders *senders, struct arena *arena);

/* The end of the fields that the receiver wrote below the border's field. */
size_t auth_trace_end(const struct fields *fields, const struct auth_border *border);

/* Mark the results that the receiver wrote. */
void auth_mark_trusted(struct authentication *out, const struct fields *fields,
                       const struct auth_border *border, const struct senders *senders);
