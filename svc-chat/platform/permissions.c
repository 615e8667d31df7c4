/* svc-chat/platform/permissions.c - the tables of permissions. */
#include "permissions.h"

#include "base/scoped.h"
#include "text/json.h"

const struct permission permissions[PERMISSION_COUNT] = {
#define PERMISSION(bit, name, where, two_factor, category, label, description) \
    { #name, bit, PERMISSION_IN_##where, two_factor, category, label, description },
#include "permission.def"
#undef PERMISSION
};

static const struct bit_word words[] = {
#define PERMISSION(bit, name, where, two_factor, category, label, description) { #name, BIT(bit) },
#include "permission.def"
#undef PERMISSION
#define ALIAS(alias, name) { #alias, PERMISSION_##name },
#include "permission-alias.def"
#undef ALIAS
    { "ALL", PERMISSIONS_ALL },           { "NONE", 0 },
    { "ALL_TEXT", PERMISSIONS_TEXT },     { "ALL_VOICE", PERMISSIONS_VOICE },
    { "ALL_STAGE", PERMISSIONS_STAGE },   { "ALL_CHANNEL", PERMISSIONS_CHANNEL },
    { "ELEVATED", PERMISSIONS_WITH_2FA },
};

const struct bit_vocabulary permission_words = {
    .kind = "permission",
    .unknown = ERR_UNKNOWN_PERMISSION,
    .max = UINT64_MAX,
    .words = words,
    .word_count = countof(words),
};

void permissions_add_names(cJSON *object, const char *name, uint64_t bits)
{
    cJSON *list = json_list(object, name);
    for (size_t i = 0; i < countof(permissions); i++)
        if (bits & BIT(permissions[i].bit))
            json_item_str(list, permissions[i].name);
}
