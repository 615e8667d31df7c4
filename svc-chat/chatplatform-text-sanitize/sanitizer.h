/* svc-chat/chatplatform-text-sanitize/sanitizer.h - the state of one text in the pipeline. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "findings/issues.h"
#include "steps.h"
#include "svc/job.h"

enum {
    TEXT_BYTES = 2 << 20, /* 10,000 characters, named, escaped and shown, as UTF-8 */
    CONFUSABLES_MAX = 50, /* listed */
};

enum markdown { MARKDOWN_ESCAPE, MARKDOWN_KEEP, MARKDOWN_STRIP };

struct sanitizer;
typedef void target_rules(struct sanitizer *sanitizer);

/* The preset of a target. */
struct target {
    const char *name;
    size_t max_length;
    size_t min_length;
    enum markdown markdown;
    enum mentions mentions;
    int64_t newlines;
    bool collapse_spaces;
    bool trims;
    target_rules *rules;
};

enum change {
    CHANGE_CONTROL,
    CHANGE_ANSI,
    CHANGE_INVISIBLE,
    CHANGE_BIDI,
    CHANGE_NORMALIZED,
    CHANGE_COMBINING,
    CHANGE_CONFUSABLE,
    CHANGE_WHITESPACE,
    CHANGE_NEWLINE,
    CHANGE_MENTION,
    CHANGE_URL,
    CHANGE_EMOJI,
    CHANGE_MARKDOWN,
    CHANGE_TARGET_RULE,
    CHANGE_TRUNCATED,
    CHANGES,
};

struct sanitizer {
    const struct job *job;
    const struct target *target;
    bool is_log;
    enum markdown markdown;
    unsigned escapes;
    struct mention_rules mentions;
    size_t max_length;
    struct runes original;
    struct runes text;
    size_t changes[CHANGES];
    struct issues errors;
    struct issues warnings;
    bool truncated;
    cJSON *found_mentions;
    cJSON *found_urls;
    size_t confusable_count;
    struct rune confusables[CONFUSABLES_MAX];
    char confusable_ascii[CONFUSABLES_MAX];
};

/* ---- result.c ---- */

void write_result(struct sanitizer *sanitizer, cJSON *result);
