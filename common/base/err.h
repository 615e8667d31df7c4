/*
 * common/base/err.h - an error as a value: its kind, and one message for the API's user.
 *
 * A function that can fail returns bool, takes struct err * as its last parameter, and leaves its
 * outputs unchanged if it fails. The message names the field and the limit. It never contains a
 * secret, an internal path or a library's raw message, because the customer may receive it
 * unchanged.
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
    ERR_MESSAGE_BYTES = 320, /* with the final NUL; a longer message is cut, at a UTF-8 boundary */
    ERRS_MAX = 8,            /* field errors reported together */
};

struct err {
    enum err_kind kind;
    char message[ERR_MESSAGE_BYTES];
};

/* Several field errors of one request, in the order found. Zero is an empty list. */
struct errs {
    size_t count;
    struct err item[ERRS_MAX];
};

/*
 * Set err (NULL if the caller ignores the reason), and always return false, so that a failing
 * function can end with `return err_set(...)`.
 */
bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add one error to a list; above ERRS_MAX it is dropped. Always returns false. */
bool errs_add(struct errs *errs, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add an existing error to a list. Always returns false. */
bool errs_add_err(struct errs *errs, const struct err *err);

/* The HTTP status and the public code of a kind. ERR_NONE is 200 and "". */
int err_status(enum err_kind kind);
const char *err_code(enum err_kind kind);

/* Is it a 5xx that neither the customer's site nor the customer's text caused? */
bool err_is_failure(enum err_kind kind);

/* Can any tool's call return it (PLATFORM)? Else only a tool whose contract lists it. */
bool err_is_platform(enum err_kind kind);

/* The description of a status for customers; NULL if err.def has none. */
const char *err_status_about(int status);

/* The kind of a public code; ERR_NONE: unknown code. */
enum err_kind err_of_code(const char *code);
