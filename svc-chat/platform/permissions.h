/* svc-chat/platform/permissions.h - the platform's permissions: bits, names, and where they
 * apply. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"

/* Channel kinds as flags; permission.def combines them as letters. */
enum permission_place {
    PERMISSION_IN_GUILD,
    PERMISSION_IN_T,
    PERMISSION_IN_V,
    PERMISSION_IN_TV,
    PERMISSION_IN_S,
    PERMISSION_IN_TS,
    PERMISSION_IN_VS,
    PERMISSION_IN_TVS,
};

/* PERMISSION_VIEW_CHANNEL and others: values of single bits. */
enum {
#define PERMISSION(bit, name, where, two_factor, category, label, description) \
    PERMISSION_##name = BIT(bit),
#include "permission.def"
#undef PERMISSION
};

struct permission {
    const char *name;
    unsigned bit;
    enum permission_place where;
    bool requires_2fa;
    const char *category;
    const char *label;
    const char *description;
};

enum {
#define PERMISSION(bit, name, where, two_factor, category, label, description) +1
    PERMISSION_COUNT = 0
#include "permission.def"
#undef PERMISSION
};

extern const struct permission permissions[PERMISSION_COUNT]; /* in the order of bits */

/* Names, aliases and groups, for bits_read(). */
extern const struct bit_vocabulary permission_words;

/* Sets of permissions. */
enum {
#define PERMISSION(bit, name, where, two_factor, category, label, description) | BIT(bit)
    PERMISSIONS_ALL = 0
#include "permission.def"
#undef PERMISSION
    ,
#define PERMISSION(bit, name, where, two_factor, category, label, description) \
    | ((two_factor) ? BIT(bit) : 0)
    PERMISSIONS_WITH_2FA = 0
#include "permission.def"
#undef PERMISSION
    ,
#define PERMISSION(bit, name, where, two_factor, category, label, description) \
    | (PERMISSION_IN_##where & PERMISSION_IN_T ? BIT(bit) : 0)
    PERMISSIONS_TEXT = 0
#include "permission.def"
#undef PERMISSION
    ,
#define PERMISSION(bit, name, where, two_factor, category, label, description) \
    | (PERMISSION_IN_##where & PERMISSION_IN_V ? BIT(bit) : 0)
    PERMISSIONS_VOICE = 0
#include "permission.def"
#undef PERMISSION
    ,
#define PERMISSION(bit, name, where, two_factor, category, label, description) \
    | (PERMISSION_IN_##where & PERMISSION_IN_S ? BIT(bit) : 0)
    PERMISSIONS_STAGE = 0
#include "permission.def"
#undef PERMISSION
    ,
    PERMISSIONS_CHANNEL = PERMISSIONS_TEXT | PERMISSIONS_VOICE | PERMISSIONS_STAGE,
};

/* A member of a result: the names of bits in order. Bits without a name are omitted. */
void permissions_add_names(cJSON *object, const char *name, uint64_t bits);
