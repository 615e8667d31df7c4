/*
 * common/text/yaml-read.h - YAML with libyaml, event by event, for callers that need more than a
 * JSON tree: positions, anchors, tags, a second document.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum yaml_kind {
    YAML_END, /* of the input */
    YAML_DOCUMENT,
    YAML_SCALAR,
    YAML_ALIAS,
    YAML_LIST_OPEN,
    YAML_LIST_CLOSE,
    YAML_MAP_OPEN,
    YAML_MAP_CLOSE,
};

/* Texts are borrowed until the next event. */
struct yaml_read_event {
    enum yaml_kind kind;
    size_t line; /* both from 1; a column is a code point */
    size_t column;
    struct text text;   /* SCALAR: its value, which may contain NUL; ALIAS: the anchor's name */
    bool is_plain;      /* SCALAR: not quoted and not a block, so a number is a number */
    const char *anchor; /* of a SCALAR or an OPEN; NULL: none */
    const char *tag;    /* as libyaml resolves it, "tag:yaml.org,2002:str"; NULL: none */
};

struct yaml_reader; /* one pass over one input; belongs to one thread */

struct yaml_reader *yaml_reader_new(struct text input); /* which must outlive the reader */
void yaml_reader_free(struct yaml_reader **reader);

/*
 * The next event. False if the input is not YAML or not UTF-8, or has a %TAG directive, which
 * libyaml reads in quadratic time. Otherwise time is linear if the caller bounds nesting. Do not
 * call it again after false or YAML_END.
 */
bool yaml_read(struct yaml_reader *reader, struct yaml_read_event *event) must_check;

/* Why yaml_read() failed, a static text, and where. */
const char *yaml_refused(const struct yaml_reader *reader, size_t *line, size_t *column);
