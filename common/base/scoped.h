/*
 * common/base/scoped.h - releases a variable at the end of its block, and defines two attributes.
 *
 * A release function takes the address of the variable, accepts an empty one, and leaves it empty,
 * so it can be scoped()'s argument and also be called directly:
 *
 *     scoped(buf_free) struct buf text = BUF(4096);
 */
#pragma once

#include <stddef.h>

/* Marked as unused, because some variables are only released. */
#define scoped(release) __attribute__((cleanup(release), unused))
#define must_check      __attribute__((warn_unused_result))

/* Transfer a scoped pointer: yields its value, and sets it to NULL. */
#define take(pointer)                           \
    __extension__({                             \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                       \
        taken_;                                 \
    })

#define countof(array) (sizeof(array) / sizeof((array)[0]))
