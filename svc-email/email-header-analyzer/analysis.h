/*
 * svc-email/email-header-analyzer/analysis.h - parse and judge a message's header. Without network;
 * the caller passes the time.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "email-header-analyzer/authentication.h"
#include "email-header-analyzer/received.h"
#include "message/mailbox.h"

enum flag_code {
#define FLAG(code, severity, meaning) FLAG_##code,
#include "email-header-analyzer/flags.def"
#undef FLAG
    FLAG_CODES
};

enum { ANALYSIS_FLAGS_MAX = 300, FLAG_NO_HOP = -1 };

struct flag {
    enum flag_code code;
    const char *severity;
    const char *message;
    int hop; /* index, or FLAG_NO_HOP */
};

/* Zero is empty. Strings belong to the arena. */
struct analysis {
    struct arena arena;
    struct fields fields;
    const struct senders *senders; /* borrowed */
    int64_t now_ms;
    struct word_faults faults; /* in all displayed texts */

    struct mailbox from, reply_to, return_path;
    size_t from_count; /* number of mailboxes in From */
    enum mail_date_fit date_fit;
    int64_t date_s;

    struct hop *hop; /* chronological: the last Received field first */
    size_t *hop_field;
    size_t hop_count;
    struct authentication auth;

    struct flag flag[ANALYSIS_FLAGS_MAX]; /* in the order of flags.def, then of the hops */
    size_t flag_count;
};

/* Parse and judge; release with analysis_free(). */
void analysis_read(struct text headers, const struct senders *senders, int64_t now_ms,
                   struct analysis *analysis);
void analysis_free(struct analysis *analysis);

/* Seconds since the nearest earlier hop with a date. Returns false if unknown. */
bool analysis_delay(const struct analysis *analysis, size_t hop, int64_t *seconds);

/* The first and the last hop with a date. Returns false without one. */
bool analysis_span(const struct analysis *analysis, int64_t *first_s, int64_t *last_s);

/* A value for display, owned by the arena. */
const char *analysis_show(struct analysis *analysis, struct text value);

/* ---- for flags.c and report.c ---- */

void analysis_judge(struct analysis *analysis);
void analysis_report(struct analysis *analysis, cJSON *result);
const char *flag_name(enum flag_code code);
