/*
 * svc-security/exposed-files/exposures.h - the paths of paths.yaml, and whether an answer's content
 * is what a path gives away. No network here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum severity { SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITIES };

const char *severity_name(enum severity severity);

struct regex;
struct fingerprint;

/* One path. */
struct exposure {
    char *path;
    enum severity severity;
    char *type;
    const struct fingerprint *fingerprint;
};

/* All that paths.yaml says. */
struct exposures {
    size_t count;
    struct exposure *item;
    size_t fingerprint_count;
    struct fingerprint *fingerprint;
};

enum { EXPOSURES_MAX = 60 };

/* Read a file of paths. Errors: ERR_INVALID_VALUE with the file and what is wrong in it. */
bool exposures_load(const char *file, struct exposures **exposures, struct err *err) must_check;
void exposures_free(struct exposures **exposures);

/* What an answer brought. */
struct content {
    struct text bytes; /* the first 64 KiB at most */
    const char *media_type;
    bool is_cut;        /* there is more */
    struct text packed; /* as it was sent, when it came in a content coding that was undone */
};

/* What is known of an exposure that is one. */
struct finding {
    enum severity severity;
    const char *evidence;
    bool is_sure; /* false: other content could look the same */
};

/* Is it a web page, whatever its media type says? */
bool content_is_page(const struct content *content);

/* Does the content fit the path's fingerprint? Time is linear in the content but for the steps that
 * a pattern is allowed (text/regex.h). */
bool exposure_fits(const struct exposure *exposure, const struct content *content,
                   struct finding *finding);

/* ---- between the files here ---- */

struct patterns {
    size_t count;
    struct regex **item;
};

struct words {
    size_t count;
    char **item;
};

struct magics {
    size_t count;
    struct buf *item;
};

struct fingerprint {
    char *name;
    struct magics magic;
    struct patterns all;
    struct patterns any;
    struct regex *each_line; /* NULL: none */
    size_t lines_min;
    size_t lines_max;
    struct words json_all;
    struct words json_any;
    bool joins_quotes;  /* of lines: a value in quotes may go on */
    bool is_json_loose; /* comments, commas before the end, a list of such objects */
    size_t max_bytes;
    bool may_be_page;
    bool is_weak;
    char *evidence;
    struct patterns worse; /* when one is found: */
    enum severity worse_severity;
    char *worse_evidence;
};
