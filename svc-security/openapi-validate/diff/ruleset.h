/*
 * svc-security/openapi-validate/diff/ruleset.h - what a request leaves out of the lists: findings
 * and changes by rule id and JSON pointer, until a day, and accepted changes by fingerprint.
 */
#pragma once

#include "openapi-validate/document/findings.h"
#include "svc/job.h"

enum {
    RULESET_IGNORE_MAX = 50,
    RULESET_SEVERITY_MAX = 100,
    RULESET_PATH_BYTES = 1000, /* of a pointer that is compared */
};

struct ruleset_entry {
    struct text rule; /* empty: any */
    struct text path; /* this place and all below it; empty: any */
    bool is_expired;
};

/* Borrows the job's arguments. */
struct ruleset {
    size_t count;
    struct ruleset_entry entry[RULESET_IGNORE_MAX];
    size_t expired;
    const cJSON *accepted; /* list of fingerprints, or NULL */
    const cJSON *severity; /* level by id, or NULL */
};

/* Read the fields ignore, accepted and severity. Errors: ERR_INVALID_VALUE for an entry with
 * neither rule nor path, a day that does not exist, or another level than error, warning and info.
 */
bool ruleset_read(const struct job *job, struct ruleset *ruleset, struct err *err) must_check;

/* Does an entry that has not expired match? */
bool ruleset_ignores(const struct ruleset *ruleset, const char *rule, const struct node *at);

/* The level of a rule or change, as enum level and enum change_level count it: `level` unless the
 * request sets another. */
unsigned ruleset_level(const struct ruleset *ruleset, const char *rule, unsigned level);

bool ruleset_accepts(const struct ruleset *ruleset, const char *fingerprint);
