/* svc-email/records/sts-policy.c - MTA-STS policies. */
#include "sts-policy.h"

#include <strings.h>

#include "base/ascii.h"
#include "base/num.h"

enum { MAX_AGE_S = 31557600 };

static const char *const mode_names[] = {
    [STS_NONE] = "none",
    [STS_TESTING] = "testing",
    [STS_ENFORCE] = "enforce",
};

const char *sts_mode_name(enum sts_mode mode)
{
    return mode_names[mode];
}

/* The state of the parser. */
struct reader {
    struct sts_policy *policy;
    size_t lines;
    bool has_version, has_mode, has_age;
};

/* Whether it is the first line of its key. */
static bool is_first(struct reader *reader, bool *has)
{
    if (*has)
        reader->policy->has_repeats = true;
    bool was = *has;
    *has = true;
    return !was;
}

static const char *read_mode(struct text value, struct sts_policy *policy)
{
    for (unsigned i = 0; i < countof(mode_names); i++)
        if (text_is(value, mode_names[i])) {
            policy->mode = (enum sts_mode)i;
            return NULL;
        }
    return "has a mode other than enforce, testing and none";
}

static bool is_name(struct text name)
{
    if (name.size == 0)
        return false;
    while (name.size > 0) {
        struct text label = text_cut(&name, '.');
        if (label.size == 0 || label.size > 63 || !text_is_made_of(label, ASCII_ALNUM "-"))
            return false;
    }
    return true;
}

static const char *read_pattern(struct text value, struct sts_policy *policy)
{
    if (!is_name(text_begins(value, "*.") ? text_skip(value, 2) : value))
        return "has an mx that is not a host name";
    if (policy->pattern_count == STS_PATTERNS_MAX)
        return "has more than 100 mx lines";
    policy->pattern[policy->pattern_count++] = value;
    return NULL;
}

static const char *read_line(struct reader *reader, struct text line)
{
    struct sts_policy *policy = reader->policy;
    struct text value = line;
    struct text key = text_cut(&value, ':');
    if (key.size == line.size)
        return "has a line that is not key: value";
    value = text_trim(value);
    reader->lines++;
    if (reader->lines == 1 && !text_is(key, "version"))
        return "does not begin with its version";
    if (text_is(key, "version") && is_first(reader, &reader->has_version))
        return text_is(value, "STSv1") ? NULL : "has a version other than STSv1";
    if (text_is(key, "mode") && is_first(reader, &reader->has_mode))
        return read_mode(value, policy);
    if (text_is(key, "max_age") && is_first(reader, &reader->has_age))
        return num_parse(value, MAX_AGE_S, &policy->max_age_s)
                   ? NULL
                   : "has a max_age that is not 0 to 31557600";
    return text_is(key, "mx") ? read_pattern(value, policy) : NULL;
}

static const char *find_missing(const struct reader *reader)
{
    const struct sts_policy *policy = reader->policy;
    if (!reader->has_version)
        return "has no version";
    if (!reader->has_mode)
        return "has no mode";
    if (!reader->has_age)
        return "has no max_age";
    if (policy->mode != STS_NONE && policy->pattern_count == 0)
        return "has no mx";
    return NULL;
}

void sts_policy_read(struct text text, struct sts_policy *policy)
{
    struct reader reader = { .policy = policy };
    *policy = (struct sts_policy){ 0 };
    while (!policy->error && text.size > 0) {
        struct text line = text_cut(&text, '\n');
        if (line.size > 0 && line.bytes[line.size - 1] == '\r')
            line.size--;
        if (line.size > 0)
            policy->error = read_line(&reader, line);
    }
    if (!policy->error)
        policy->error = find_missing(&reader);
}

static bool matches_host(struct text pattern, struct text host)
{
    if (!text_begins(pattern, "*."))
        return pattern.size == host.size && strncasecmp(pattern.bytes, host.bytes, host.size) == 0;
    struct text rest = host;
    struct text label = text_cut(&rest, '.');
    return label.size > 0 && matches_host(text_skip(pattern, 2), rest);
}

bool sts_policy_allows(const struct sts_policy *policy, const char *host)
{
    for (size_t i = 0; i < policy->pattern_count; i++)
        if (matches_host(policy->pattern[i], text_of(host)))
            return true;
    return false;
}
