/*
 * common/base/err.h - an error as a value: what went wrong, and one sentence for the API's user.
 *
 * A function that can fail returns bool, takes struct err * last and leaves its outputs alone
 * when it fails. The sentence names the field and the limit; it never holds a secret, a path of
 * ours or a library's raw message, because it may travel to the customer as it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/scoped.h"

enum err_kind {
    ERR_NONE,
#define ERR(kind, status, code, origin) ERR_##kind,
#include "base/err.def"
    ERR_COUNT
};

enum {
    ERR_MESSAGE_BYTES = 320, /* with the final NUL; a longer sentence is cut, always to UTF-8 */
    ERRS_MAX = 8,            /* field errors reported together */
};

struct err {
    enum err_kind kind;
    char message[ERR_MESSAGE_BYTES];
};

/* Several field errors of one request, in the order they were found. Zero is an empty list. */
struct errs {
    size_t count;
    struct err item[ERRS_MAX];
};

/* Fill err (which may be NULL: the caller does not care why) and return false, always, so that
 * a failing function can end with `return err_set(...)`. */
bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add one error to a list; beyond ERRS_MAX it is dropped. Returns false, always. */
bool errs_add(struct errs *errs, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a finished error to a list. Returns false, always. */
bool errs_add_err(struct errs *errs, const struct err *err);

/* The HTTP status and the public code of a kind. ERR_NONE is 200 and "". */
int err_status(enum err_kind kind);
const char *err_code(enum err_kind kind);

/* May the platform itself answer it, whatever the tool? Else only a tool whose contract lists it.
 */
bool err_is_platform(enum err_kind kind);

/* What a status means to a customer; NULL when err.def does not describe it. */
const char *err_status_about(int status);

/* The kind of a public code; ERR_NONE when there is no such code. */
enum err_kind err_of_code(const char *code);
