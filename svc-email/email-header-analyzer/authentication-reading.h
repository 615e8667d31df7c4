/*
 * svc-email/email-header-analyzer/authentication-reading.h - the fields about authentication, each
 * read by itself; who of them is believed is authentication.c's. Strings belong to the arena.
 */
#pragma once

#include "email-header-analyzer/authentication.h"

enum { AUTH_VALUE_MAX_BYTES = 1000 /* of one string; the rest is cut off */ };

/* ---- authentication-results.c ---- */

/* Authentication-Results, under one of the names that it goes by? */
bool auth_is_results_field(struct text name);

/* Add the results of such a field's value, or of ARC's with its instance; 0 is none. */
void auth_read_results(struct text value, size_t field, int arc_instance, struct arena *arena,
                       struct authentication *out);

/* "pass (example.com: domain of …) client-ip=…; envelope-from=joe@example.com;", Received-SPF, as a
 * result of spf; false when it says nothing. */
bool auth_read_received_spf(struct text value, struct arena *arena, struct auth_result *result);

const char *auth_keep(struct arena *arena, struct text text);
const char *auth_keep_lower(struct arena *arena, struct text text); /* a word: shorter yet */

/* ---- authentication-signed.c ---- */

/* A DKIM-Signature. */
void auth_read_signature(struct text value, struct arena *arena, struct dkim_signature *out);

/* All fields of ARC, with the results among them. */
void auth_read_arc(const struct fields *fields, struct arena *arena, struct authentication *out);
