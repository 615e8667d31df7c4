/*
 * common/base/scoped.h - release a variable when its block ends, and two attributes.
 *
 * A releasing function takes the address of the variable, accepts an empty one and leaves it
 * empty, so it can serve as scoped()'s argument and may also be called by hand:
 *
 *     scoped(buf_free) struct buf text = BUF(4096);
 */
#pragma once

#include <stddef.h>

/* Marked as unused, because some are only ever released: what a function took from elsewhere. */
#define scoped(release) __attribute__((cleanup(release), unused))
#define must_check      __attribute__((warn_unused_result))

/* Hand a scoped pointer over to someone else: yields its value and leaves NULL behind. */
#define take(pointer)                           \
    __extension__({                             \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                       \
        taken_;                                 \
    })

#define countof(array) (sizeof(array) / sizeof((array)[0]))
