/* gateway/http/prefer.c - see prefer.h. */
#include "gateway/http/prefer.h"

#include "base/text.h"

/* The text before the next separator outside of quotes, which is removed from *rest. */
static struct text cut_part(struct text *rest, char separator)
{
    bool is_quoted = false;
    size_t size = 0;
    while (size < rest->size && (is_quoted || rest->bytes[size] != separator)) {
        if (rest->bytes[size] == '"')
            is_quoted = !is_quoted;
        else if (is_quoted && rest->bytes[size] == '\\' && size + 1 < rest->size)
            size++;
        size++;
    }
    struct text part = { rest->bytes, size };
    *rest = text_skip(*rest, size < rest->size ? size + 1 : size);
    return part;
}

static enum handling handling_of(struct text value)
{
    if (text_is_any_case(value, "strict"))
        return HANDLING_STRICT;
    return text_is_any_case(value, "lenient") ? HANDLING_LENIENT : HANDLING_UNSET;
}

enum handling prefer_handling(const char *prefer)
{
    struct text rest = text_of(prefer);
    while (rest.size > 0) {
        struct text item = cut_part(&rest, ',');
        struct text value = cut_part(&item, ';');
        struct text name = cut_part(&value, '=');
        if (text_is_any_case(text_trim(name), "handling"))
            return handling_of(text_strip(text_trim(value), "\"", "\""));
    }
    return HANDLING_UNSET;
}
