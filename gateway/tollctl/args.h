/*
 * gateway/tollctl/args.h - parses and checks a command's arguments by a table, before anything
 * runs.
 *
 * Each argument is a row. Positional arguments ("ACCOUNT") come first, in the order of the table;
 * options ("--limit") may be anywhere. "--" ends the options, "--note=TEXT" equals "--note TEXT",
 * and -5 is a number, not an option.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"

enum arg_type {
    ARG_TEXT, /* valid UTF-8 without control characters */
    ARG_PATH, /* any bytes */
    ARG_UUID,
    ARG_INT,
    ARG_FLAG, /* an option without a value */
};

enum {
    ARGS_MAX = 8,       /* rows of one command */
    ARG_ITEMS_MAX = 64, /* values of a list */
};

struct arg_spec {
    const char *name;  /* "ACCOUNT", or "--limit" */
    const char *help;  /* a line for --help */
    const char *value; /* of an option: what --help calls its value */
    enum arg_type type;
    int64_t min, max; /* TEXT: characters; INT: the number */
    bool is_required; /* of an option */
    bool is_optional; /* of a positional argument, the last one */
    bool is_list;     /* an option that may be repeated */
};

/* The values, borrowed from the command line. Zero: no values. */
struct args {
    const struct arg_spec *specs; /* up to a row without a name */
    struct arg {
        size_t count;
        const char *item[ARG_ITEMS_MAX];
        char uuid[UUID_TEXT_BYTES]; /* UUID: in lower case */
    } arg[ARGS_MAX];
};

/* Parse words (up to NULL) by specs. Errors: ERR_INVALID_VALUE with the argument and its rule. */
bool args_parse(const struct arg_spec *specs, const char *const *words, struct args *args,
                struct err *err) must_check;

/* Values by name; an unknown name is a bug. */
bool args_has(const struct args *args, const char *name);
const char *args_text(const struct args *args, const char *name);           /* NULL: not given */
const char *args_item(const struct args *args, const char *name, size_t i); /* NULL past the end */
int64_t args_int(const struct args *args, const char *name, int64_t fallback);

/* Append " ACCOUNT [--limit N]", and the line of each row. */
void args_usage(const struct arg_spec *specs, struct buf *out);
void args_help(const struct arg_spec *specs, struct buf *out);
