/* common/text/regex.c - patterns with PCRE2's interpreter; its JIT would need its own stack. */
#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

enum { STEPS_MAX = 100000, STEPS_TRIED = 50, HEAP_MAX_KIB = 4096 };

struct regex {
    pcre2_code *code;
    pcre2_match_context *limits; /* read-only once it is set */
    pcre2_match_context *few;    /* the same, with fewer steps */
};

static pcre2_match_context *limits_of(uint32_t steps)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!limits)
        abort();
    pcre2_set_match_limit(limits, steps);
    pcre2_set_heap_limit(limits, HEAP_MAX_KIB);
    return limits;
}

bool regex_new(const char *pattern, struct regex **regex, struct err *err)
{
    /* as in JSON Schema, $ matches only at the very end, not before a last newline */
    const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY;
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &code, &offset, NULL);
    if (!compiled)
        return err_set(err, ERR_INVALID_VALUE, "the pattern is malformed at byte %zu", offset);
    *regex = mem_new(sizeof(**regex));
    **regex = (struct regex){ compiled, limits_of(STEPS_MAX), limits_of(STEPS_TRIED) };
    return true;
}

void regex_free(struct regex **regex)
{
    if (!*regex)
        return;
    pcre2_match_context_free((*regex)->limits);
    pcre2_match_context_free((*regex)->few);
    pcre2_code_free((*regex)->code);
    mem_free(regex);
}

bool regex_matches(const struct regex *regex, struct text text)
{
    return regex_find(regex, text, NULL, 0);
}

enum regex_verdict regex_try(const struct regex *regex, struct text text)
{
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    if (!match)
        abort();
    int code = pcre2_match(regex->code, (PCRE2_SPTR)text.bytes, text.size, 0, PCRE2_NO_UTF_CHECK,
                           match, regex->few);
    pcre2_match_data_free(match);
    if (code >= 0)
        return REGEX_MATCH;
    return code == PCRE2_ERROR_NOMATCH ? REGEX_NO_MATCH : REGEX_TAKES_LONGER;
}

bool regex_find(const struct regex *regex, struct text text, struct text *groups, size_t count)
{
    pcre2_match_data *match = pcre2_match_data_create((uint32_t)MAX(count, 1), NULL);
    if (!match)
        abort();
    int code = pcre2_match(regex->code, (PCRE2_SPTR)text.bytes, text.size, 0, PCRE2_NO_UTF_CHECK,
                           match, regex->limits);
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match);
    for (size_t i = 0; i < count && code >= 0; i++) {
        bool is_set = (code == 0 || i < (size_t)code) && ends[2 * i] != PCRE2_UNSET;
        groups[i] = is_set
                        ? (struct text){ text.bytes + ends[2 * i], ends[2 * i + 1] - ends[2 * i] }
                        : TEXT("");
    }
    pcre2_match_data_free(match);
    return code >= 0;
}
