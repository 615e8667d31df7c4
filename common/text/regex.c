/* common/text/regex.c - patterns with PCRE2's interpreter; its JIT would need its own stack. */
#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

enum { STEPS_MAX = 100000, HEAP_MAX_KIB = 4096 };

struct regex {
    pcre2_code *code;
    pcre2_match_context *limits; /* read-only once it is set */
};

static bool compile(const char *pattern, uint32_t more_options, struct regex **regex,
                    struct err *err)
{
    /* as in JSON Schema, $ matches only at the very end, not before a last newline */
    const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | more_options;
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &code, &offset, NULL);
    if (!compiled)
        return err_set(err, ERR_INVALID_VALUE, "the pattern is malformed at byte %zu", offset);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!limits)
        abort();
    pcre2_set_match_limit(limits, STEPS_MAX);
    pcre2_set_heap_limit(limits, HEAP_MAX_KIB);
    *regex = mem_new(sizeof(**regex));
    **regex = (struct regex){ compiled, limits };
    return true;
}

bool regex_new(const char *pattern, struct regex **regex, struct err *err)
{
    return compile(pattern, 0, regex, err);
}

bool regex_new_foreign(const char *pattern, struct regex **regex, struct err *err)
{
    return compile(pattern, PCRE2_AUTO_CALLOUT, regex, err);
}

void regex_free(struct regex **regex)
{
    if (!*regex)
        return;
    pcre2_match_context_free((*regex)->limits);
    pcre2_code_free((*regex)->code);
    mem_free(regex);
}

size_t regex_bytes(const struct regex *regex)
{
    size_t bytes = 0;
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_SIZE, &bytes);
    return bytes;
}

bool regex_matches(const struct regex *regex, struct text text)
{
    return regex_find(regex, text, NULL, 0);
}

/* ---- foreign patterns ---- */

/* PCRE2 calls this before each item of the pattern, at each place where it tries the item. */
static int take_steps(pcre2_callout_block *block, void *data)
{
    enum { SCANNED_A_STEP = 16 };
    size_t *left = data;
    size_t steps = 1 + (block->subject_length - block->current_position) / SCANNED_A_STEP;
    if (*left < steps) {
        *left = 0;
        return PCRE2_ERROR_CALLOUT;
    }
    *left -= steps;
    return 0;
}

enum regex_verdict regex_judge(const struct regex *regex, struct text text, size_t *steps)
{
    size_t most = MIN(*steps, (size_t)REGEX_STEPS_MAX);
    size_t left = most;
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    pcre2_match_context *limits = pcre2_match_context_copy(regex->limits);
    if (!match || !limits)
        abort();
    pcre2_set_callout(limits, take_steps, &left);
    int code = pcre2_match(regex->code, (PCRE2_SPTR)text.bytes, text.size, 0, PCRE2_NO_UTF_CHECK,
                           match, limits);
    pcre2_match_context_free(limits);
    pcre2_match_data_free(match);
    *steps = most - left;
    if (code >= 0)
        return REGEX_MATCH;
    return code == PCRE2_ERROR_NOMATCH ? REGEX_NO_MATCH : REGEX_UNKNOWN;
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
