/* tests/unit/text/language.c - language tags. */
#include "text/language.h"

#include "rows.h"

static const struct tag {
    const char *name;
    bool is_valid, is_hreflang;
} tags[] = {
    { "en", true, true },          { "de-CH", true, true },      { "zh-Hant", true, true },
    { "zh-hant-tw", true, true },  { "es-419", true, true },     { "gsw", true, true },
    { "fil", true, true },         { "x-default", false, true }, { "sl-rozaj", true, false },
    { "de-CH-1996", true, false }, { "", false, false },         { "xx", false, false },
    { "english", false, false },   { "en_US", false, false },    { "en-", false, false },
    { "en--US", false, false },    { "-en", false, false },      { "en-USAUSAUSA", false, false },
    { "zzz", false, false },       { "e", false, false },        { "en-GB", true, true },
    { "en-gb", true, true },       { "en-UK", true, false },     { "en-EU", true, false },
    { "es-XX", true, false },      { "zh-Hans-CN", true, true }, { "zh-Hans-ZZ", true, false },
    { "sr-Latn-RS", true, true },  { "pt-BR", true, true },      { "en- U", false, false },
};

static void check_tag(void **state)
{
    const struct tag *row = *state;
    assert_int_equal(language_is_valid(text_of(row->name)), row->is_valid);
    assert_int_equal(language_is_hreflang(text_of(row->name)), row->is_hreflang);
}

int main(void)
{
    return RUN_ROWS(tags, check_tag);
}
