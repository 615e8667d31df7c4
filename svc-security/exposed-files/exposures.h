/*
 * svc-security/exposed-files/exposures.h - the paths of paths.yaml, and their matching against a
 * response's content. No network access.
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

/* A path that must not be public. */
struct exposure {
    char *path;
    enum severity severity;
    char *type;
    const struct fingerprint *fingerprint;
};

/* Content of paths.yaml. */
struct exposures {
    size_t count;
    struct exposure *item;
    size_t fingerprint_count;
    struct fingerprint *fingerprint;
};

enum { EXPOSURES_MAX = 60 };

/* Read a file of paths. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool exposures_load(const char *file, struct exposures **exposures, struct err *err) must_check;
void exposures_free(struct exposures **exposures);

/* Content of a response. */
struct content {
    struct text bytes; /* at most 64 KiB */
    const char *media_type;
    bool is_cut;        /* there were more bytes */
    struct text packed; /* as sent, if it had a content coding */
    bool is_gzip_file;  /* set by exposure_fits(): packed is a gzip file, not a coding */
};

/* Result of a match. */
struct finding {
    enum severity severity;
    const char *evidence;
    bool is_sure; /* false: other content may look the same */
};

/* Is it an HTML page, whatever its media type? */
bool content_is_page(const struct content *content);

/* Does the content match the path's fingerprint? Time is linear in the content, plus the step limit
 * of each pattern (text/regex.h). */
bool exposure_fits(const struct exposure *exposure, const struct content *content,
                   struct finding *finding);

/* ---- shared by the files of this folder ---- */

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
    struct regex *each_line; /* or NULL */
    size_t lines_min;
    size_t lines_max;
    struct words json_all;
    struct words json_any;
    bool joins_quotes;  /* quoted values may span several lines */
    bool is_json_loose; /* allows comments, trailing commas, a list of such objects */
    size_t max_bytes;
    bool may_be_page;
    bool is_weak;
    char *evidence;
    struct patterns worse; /* if one matches: */
    enum severity worse_severity;
    char *worse_evidence;
};
