/*
 * svc-chat/chatplatform-permissions-calc/member-permissions.h - what a member may do in a guild or
 * in one of its channels, step by step (platform documentation, "Permissions" and "Threads").
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "findings/issues.h"
#include "svc/job.h"

/* A type of channels in guilds. */
struct channel_type {
    int type; /* the platform's number */
    bool is_thread;
    bool is_spoken;      /* who may not connect only sees it */
    uint64_t applicable; /* permissions that mean something there */
};

/* All that is found on the way, in the order of the result. */
struct outcome {
    const struct channel_type *channel; /* NULL: none given */
    uint64_t base;                      /* by roles */
    uint64_t computed;                  /* and by the channel's overwrites */
    uint64_t value; /* and by what follows from what is missing: the final one */
    cJSON *steps;   /* {step, allow, deny, value} each */
    cJSON *denied;  /* {name, reason} each */
    struct issues warnings;
};

/* Lists are empty, all else is zero. */
struct outcome outcome_new(void);
void outcome_free(struct outcome *outcome);

/* The type of the job's `channel`; NULL when there is none. Errors: ERR_UNSUPPORTED_CHANNEL_TYPE.
 */
bool channel_type_read(const struct job *job, const struct channel_type **channel,
                       struct err *err) must_check;

/* The permissions any of which lets write there; a NULL channel is anywhere in the guild. */
uint64_t channel_sending_bits(const struct channel_type *channel);

/*
 * Compute from the job's `member`, `guild`, `roles`, `channel` and `now`; outcome->channel is set
 * already. Errors: ERR_MISSING_FIELD, ERR_CONFLICTING_FIELDS, ERR_MISSING_EVERYONE_ROLE, and those
 * of ids, bit fields and points in time.
 */
bool member_permissions(const struct job *job, struct outcome *outcome, struct err *err) must_check;
