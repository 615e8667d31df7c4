/*
 * svc-chat/chatplatform-permissions-calc/member-permissions.h - computes what a member may do in a
 * guild or in one of its channels, step by step (platform documentation, "Permissions" and
 * "Threads").
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "findings/issues.h"
#include "svc/job.h"

/* A channel type in guilds. */
struct channel_type {
    int type; /* the platform's number */
    bool is_thread;
    bool is_spoken;      /* without CONNECT, members can only see it */
    uint64_t applicable; /* permissions that apply there */
};

/* The values of all steps, in the order of the result. */
struct outcome {
    const struct channel_type *channel; /* NULL: none given */
    uint64_t base;                      /* from roles */
    uint64_t computed;                  /* after the channel's overwrites */
    uint64_t value; /* the final value, without permissions that depend on missing ones */
    cJSON *steps;   /* {step, allow, deny, value} each */
    cJSON *denied;  /* {name, reason} each */
    struct issues warnings;
};

/* Lists are empty, all other members are zero. */
struct outcome outcome_new(void);
void outcome_free(struct outcome *outcome);

/* The type of the job's `channel`; NULL: no channel was sent. Errors:
 * ERR_UNSUPPORTED_CHANNEL_TYPE. */
bool channel_type_read(const struct job *job, const struct channel_type **channel,
                       struct err *err) must_check;

/* The permissions to write there, any of which suffices; a NULL channel is anywhere in the
 * guild. */
uint64_t channel_sending_bits(const struct channel_type *channel);

/*
 * Compute from the job's `member`, `guild`, `roles`, `channel` and `now`. outcome->channel must be
 * set. Errors: ERR_MISSING_FIELD, ERR_CONFLICTING_FIELDS, ERR_MISSING_EVERYONE_ROLE, and errors
 * about ids, bit fields and times.
 */
bool member_permissions(const struct job *job, struct outcome *outcome, struct err *err) must_check;
