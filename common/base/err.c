/* common/base/err.c - the error table, and functions that set an error. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum origin { PLATFORM, TOOL, PORTAL };

static const struct row {
    const char *code;
    int status;
    enum origin origin;
} rows[] = {
    [ERR_NONE] = { "", 200, PLATFORM },
#define ERR(kind, status, code, origin) [ERR_##kind] = { code, status, origin },
#include "base/err.def"
};

static const struct status {
    int status;
    const char *about;
} statuses[] = {
#define STATUS(status, about) { status, about },
#include "base/err.def"
};

static void fill_error(struct err *err, enum err_kind kind, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

static void fill_error(struct err *err, enum err_kind kind, const char *format, va_list args)
{
    err->kind = kind;
    vsnprintf(err->message, sizeof(err->message), format, args);
    text_repair(err->message);
}

bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, format);
    fill_error(err, kind, format, args);
    va_end(args);
    return false;
}

bool errs_add(struct errs *errs, enum err_kind kind, const char *format, ...)
{
    if (errs->count == ERRS_MAX)
        return false;
    va_list args;
    va_start(args, format);
    fill_error(&errs->item[errs->count++], kind, format, args);
    va_end(args);
    return false;
}

bool errs_add_err(struct errs *errs, const struct err *err)
{
    if (errs->count < ERRS_MAX)
        errs->item[errs->count++] = *err;
    return false;
}

int err_status(enum err_kind kind)
{
    return rows[kind].status;
}

const char *err_code(enum err_kind kind)
{
    return rows[kind].code;
}

bool err_is_platform(enum err_kind kind)
{
    return rows[kind].origin == PLATFORM;
}

const char *err_status_about(int status)
{
    for (size_t i = 0; i < countof(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].about;
    return NULL;
}

enum err_kind err_of_code(const char *code)
{
    for (enum err_kind kind = ERR_NONE + 1; kind < ERR_COUNT; kind++)
        if (strcmp(rows[kind].code, code) == 0)
            return kind;
    return ERR_NONE;
}

bool err_is_failure(enum err_kind kind)
{
    bool is_of_target = kind >= ERR_TARGET_DNS_FAILURE && kind <= ERR_TARGET_BAD_RESPONSE;
    return err_status(kind) >= 500 && !is_of_target && kind != ERR_MODEL_REFUSED;
}
