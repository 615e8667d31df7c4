/* svc-ai/model/json/repairs.c - the list of what was repaired. */
#include "model/json/repairs.h"

#include <stdio.h>

#include "base/codec/utf8.h"

const char *repair_word(enum repair_kind kind)
{
    static const char *const kinds[] = {
        [REPAIR_TEXT_AROUND] = "text_around",
        [REPAIR_WRAPPED] = "wrapped",
        [REPAIR_COMMENT] = "comment",
        [REPAIR_BLANK] = "blank",
        [REPAIR_QUOTE] = "quote",
        [REPAIR_INNER_QUOTE] = "inner_quote",
        [REPAIR_ESCAPE] = "escape",
        [REPAIR_JOINED] = "joined",
        [REPAIR_WORD] = "word",
        [REPAIR_NUMBER] = "number",
        [REPAIR_CALL] = "call",
        [REPAIR_COMMA] = "comma",
        [REPAIR_COLON] = "colon",
        [REPAIR_BRACKET] = "bracket",
        [REPAIR_NO_VALUE] = "no_value",
        [REPAIR_REPEATED] = "repeated_name",
    };
    return kinds[kind];
}

void repairs_add(struct repairs *repairs, enum repair_kind kind, struct text path)
{
    struct text shown = utf8_cut(path, REPAIR_PATH_BYTES - 1);
    const struct repair *last = repairs->count > 0 ? &repairs->item[repairs->count - 1] : NULL;
    if (repairs->count == REPAIRS_MAX || (last && last->kind == kind && text_is(shown, last->path)))
        return;
    struct repair *repair = &repairs->item[repairs->count++];
    repair->kind = kind;
    snprintf(repair->path, sizeof(repair->path), "%.*s", (int)shown.size, shown.bytes);
}
