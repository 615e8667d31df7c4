/* svc-utils/cron-explain/expression/fields.h - parses one field of a cron expression, for parse.c.
 */
#pragma once

#include "cron.h"

/* The position in one field. */
struct cron_parser {
    struct cron *cron;
    struct text whole; /* the expression; character numbers count from its start */
    enum cron_numbering numbering;
    struct err *err;
    enum cron_field field;
    struct text rest; /* of the field */
};

/* Add the items of a field to the expression. Errors: ERR_INVALID_EXPRESSION. */
bool cron_parse_field(struct cron_parser *parser, enum cron_field field,
                      struct text raw) must_check;

/*
 * The same for all fields in a layout: five words, with a second before them or a year after them
 * or both.
 */
bool cron_parse_layout(struct cron_parser *parser, const struct text *word, bool has_second,
                       bool has_year) must_check;

/* Has the word a name of the field, such as MON? */
bool cron_has_name(struct text word, enum cron_field field);

/* Without the blanks at both ends. */
struct text cron_trim(struct text text);

/* Take the first word and the blanks after it off the text, which may be empty. */
struct text cron_take_word(struct text *text);

/* Take up to seven words off the text. Returns their number. */
size_t cron_split(struct text *text, struct text words[static CRON_FIELDS]);
